//! Whether a masked surface is visible: the alpha that a path may find at a pixel.

use std::borrow::Cow;

use glam::{DVec2, DVec3, Vec2};

use super::levels::Levels;
use super::triangle::OnScreen;
use crate::rig::{Asset, ImageData, Mesh};
use crate::view::Appearance;

/// Rounding of mipmaps to bytes, of the three filter weights to 8 bits, and of everything else.
const ROUNDING: f64 = 0.5 / 255.0 + 3.0 / 256.0;

/// How much more alpha may change over a pixel than from its centre to its corners.
const BETWEEN: f64 = 0.25;

/// The cutoff and the sources of alpha for the triangles of one masked mesh.
#[derive(Debug)]
pub(super) struct Mask<'a> {
    mesh: &'a Mesh,
    uvs: Cow<'a, [Vec2]>,
    cutoff: f64,
    base: f64,
    texture: Option<Levels>,
}

/// Whether a masked surface is visible at a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is visible on every path.
    Sure,
    /// It is visible on no path.
    None,
    /// It depends on the path.
    Open,
}

impl<'a> Mask<'a> {
    pub(super) fn new(asset: &'a Asset, mesh: &'a Mesh, look: &Appearance, cutoff: f32) -> Self {
        let texture = look.texture.and_then(|reference| {
            let image = asset.images.get(reference.image.index())?;
            let ImageData::Bitmap(bitmap) = &image.data else {
                return None;
            };
            Levels::new(bitmap, [reference.wrap_u, reference.wrap_v])
        });
        Self {
            mesh,
            uvs: look.uvs(mesh),
            cutoff: f64::from(cutoff),
            base: f64::from(look.base_color.w),
            texture,
        }
    }

    /// Prepares one triangle; `None` if its texture coordinates cannot be projected to the screen.
    pub(super) fn brush(&self, triangle: [u32; 3], corners: &[OnScreen; 3]) -> Option<Brush<'_>> {
        let inverse_w = DVec3::from(corners.map(|corner| 1.0 / corner.w));
        let uvs = match &self.texture {
            Some(_) => {
                let at = |v: u32| Some(self.uvs.get(v as usize)?.as_dvec2());
                let [a, b, c] = triangle.map(at);
                [a?, b?, c?]
            }
            None => [DVec2::ZERO; 3],
        };
        let colors = self.mesh.color_sets.first();
        let own = |vertex: u32| colors.and_then(|colors| colors.get(vertex as usize));
        let [a, b, c] = corners.map(|corner| corner.at);
        let area = (b - a).perp_dot(c - a);
        // A triangle without area, or with a corner in the plane of the eye, has no barycentric coordinates.
        (area != 0.0 && inverse_w.is_finite()).then(|| Brush {
            mask: self,
            corners: [a, b, c],
            area,
            inverse_w,
            uvs,
            alphas: DVec3::from(triangle.map(|v| own(v).map_or(1.0, |color| f64::from(color.w)))),
        })
    }
}

/// Evaluates the alpha of one triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brush<'a> {
    mask: &'a Mask<'a>,
    corners: [DVec2; 3],
    area: f64,
    inverse_w: DVec3,
    uvs: [DVec2; 3],
    alphas: DVec3,
}

impl Brush<'_> {
    /// Whether the surface is visible everywhere in the pixel around `centre`.
    pub(super) fn presence(&self, centre: DVec2) -> Presence {
        let [low, high] = self.alpha_around(centre);
        let cutoff = self.mask.cutoff;
        if low >= cutoff {
            Presence::Sure
        } else if high < cutoff {
            Presence::None
        } else {
            Presence::Open
        }
    }

    /// The smallest and the largest alpha in the pixel, including rounding.
    fn alpha_around(&self, centre: DVec2) -> [f64; 2] {
        const CORNERS: [DVec2; 5] = [
            DVec2::ZERO,
            DVec2::new(-0.5, -0.5),
            DVec2::new(0.5, -0.5),
            DVec2::new(-0.5, 0.5),
            DVec2::new(0.5, 0.5),
        ];
        let weights = CORNERS.map(|corner| self.weights(centre + corner));
        let alphas = match &self.mask.texture {
            Some(texture) => self.of_texture(texture, weights),
            None => weights.map(|weights| self.alphas.dot(weights) * self.mask.base),
        };
        let low = alphas.into_iter().fold(f64::INFINITY, f64::min);
        let high = alphas.into_iter().fold(f64::NEG_INFINITY, f64::max);
        // Alpha is evaluated at the centre and the four corners, with a margin for the points in between.
        let slack = BETWEEN * (high - low) + ROUNDING;
        if alphas.iter().any(|alpha| alpha.is_nan()) {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        [low - slack, high + slack]
    }

    fn of_texture(&self, texture: &Levels, weights: [DVec3; 5]) -> [f64; 5] {
        let uvs = weights.map(|w| self.uvs[0] * w.x + self.uvs[1] * w.y + self.uvs[2] * w.z);
        let [_, a, b, c, d] = uvs;
        // Along the rows and the columns of the image.
        let footprint = (b - a).length().max((d - c).length());
        // And diagonally: the largest extent selects the coarsest level that a path may read.
        let footprint = DVec2::splat(footprint.max((c - a).length()).max((d - b).length()));
        std::array::from_fn(|k| {
            let own = self.alphas.dot(weights[k]) * self.mask.base;
            own * texture.alpha_at(uvs[k], footprint)
        })
    }

    /// The perspective-correct weights of the corners at a position on the screen.
    fn weights(&self, position: DVec2) -> DVec3 {
        let [a, b, c] = self.corners;
        // Barycentric coordinates on the screen, divided by w and normalized.
        let part = |p: DVec2, q: DVec2| (p - position).perp_dot(q - position) / self.area;
        let over_w = DVec3::new(part(b, c), part(c, a), part(a, b)) * self.inverse_w;
        over_w / over_w.element_sum()
    }
}
