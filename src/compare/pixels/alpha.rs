//! Whether a masked surface is visible: the alpha that a path may find at a pixel.

use std::borrow::Cow;
use std::sync::OnceLock;

use glam::{DVec2, DVec3, Vec2, Vec4};

use super::judge::{BACKGROUND, CENTRE, MOST_SAMPLES, STANDARD};
use super::levels::Levels;
use super::surfaces::Surfaces;
use super::triangle::{OnScreen, Touch, Triangle};
use crate::rig::{Asset, ImageData, Mesh};
use crate::view::{Appearance, Samples, Viewport};

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

/// Width and height of a tile in pixels.
const TILE: u32 = 16;

/// Finds the textured triangles of pixels.
#[derive(Debug)]
pub(super) struct Textured<'a> {
    surfaces: &'a Surfaces<'a>,
    samples: Samples,
    /// In tiles.
    size: [i32; 2],
    /// Indices of the triangles that touch each tile, row by row.
    tiles: OnceLock<Vec<Vec<u32>>>,
}

impl<'a> Textured<'a> {
    pub(super) fn new(surfaces: &'a Surfaces<'a>, viewport: Viewport, samples: Samples) -> Self {
        let tiles = |side: u32| i32::try_from(side.div_ceil(TILE)).unwrap_or(i32::MAX);
        Self {
            surfaces,
            samples,
            size: [tiles(viewport.width), tiles(viewport.height)],
            tiles: OnceLock::new(),
        }
    }

    /// How far apart two paths may read textures in a pixel, in light and alpha.
    ///
    /// * `groups` – of its samples.
    pub(super) fn apart(&self, x: usize, y: usize, groups: &[u32; MOST_SAMPLES]) -> Vec4 {
        let tiles = self.tiles.get_or_init(|| self.sort());
        let tile = y / TILE as usize * index(self.size[0]) + x / TILE as usize;
        #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
        let centre = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
        let triangles = tiles[tile].iter();
        let triangles = triangles.map(|id| &self.surfaces.triangles[*id as usize]);
        // All triangles that may be visible, not only the nearest: in a mixed pixel, samples show different ones.
        let shown = triangles.filter(|triangle| {
            may_show(groups, triangle) && self.touch(triangle, centre) != Touch::default()
        });
        shown.fold(Vec4::ZERO, |apart, triangle| {
            let at = |position: DVec2| self.surfaces.texels_apart(triangle, centre + position);
            // A path reads at the mean of some of the samples: any subset is possible.
            match self.samples {
                Samples::One => apart.max(at(DVec2::ZERO)),
                Samples::Four => (1..16_u8).map(mean).map(at).fold(apart, Vec4::max),
            }
        })
    }

    fn touch(&self, triangle: &Triangle, centre: DVec2) -> Touch {
        match self.samples {
            Samples::One => triangle.touch(centre, &CENTRE),
            Samples::Four => triangle.touch(centre, &STANDARD),
        }
    }

    fn sort(&self) -> Vec<Vec<u32>> {
        let [width, height] = self.size;
        let mut tiles = vec![Vec::new(); index(width) * index(height)];
        for (id, triangle) in self.surfaces.triangles.iter().enumerate() {
            if self.surfaces.list[triangle.surface].texels.is_none() {
                continue;
            }
            let [left, top, right, bottom] = triangle.bounds;
            let tile = |pixel: i32, tiles: i32| (pixel / TILE.cast_signed()).clamp(0, tiles - 1);
            for row in tile(top, height)..=tile(bottom, height) {
                for column in tile(left, width)..=tile(right, width) {
                    let id = u32::try_from(id).unwrap_or(u32::MAX);
                    tiles[index(row) * index(width) + index(column)].push(id);
                }
            }
        }
        tiles
    }
}

/// Whether a sample shows the instance of a triangle. Groups of several layers do not identify their instances.
fn may_show(groups: &[u32; MOST_SAMPLES], triangle: &Triangle) -> bool {
    let own = u32::try_from(triangle.surface).unwrap_or(u32::MAX);
    let mut shown = groups.iter().filter(|group| **group != BACKGROUND);
    shown.any(|group| group >> 31 == 1 || *group == own.wrapping_add(1))
}

/// The mean of the samples in `mask`, relative to the centre.
fn mean(mask: u8) -> DVec2 {
    let samples = STANDARD.iter().enumerate();
    let chosen = samples.filter(|(s, _)| mask & (1 << s) != 0);
    let sum: DVec2 = chosen.map(|(_, position)| *position).sum();
    sum / f64::from(mask.count_ones())
}

fn index(tile: i32) -> usize {
    usize::try_from(tile).unwrap_or_default()
}
