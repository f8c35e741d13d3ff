//! Whether a masked surface is there: the alpha that a path may find at a pixel.

use glam::{DVec2, DVec3};

use super::project::OnScreen;
use crate::rig::{Asset, Bitmap, ImageData, Material, Mesh, TextureRef, TextureWrap};

/// More texels than these are not looked at; whether the surface is there is then open.
const MOST_TEXELS: f64 = 4096.0;

/// Rounding of the smaller copies of a texture to bytes, twice where two of them are mixed.
const OF_TEXTURE: f64 = 2.0 / 255.0;

/// A cutoff, and what alpha is made of, for the triangles of one masked mesh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mask<'a> {
    mesh: &'a Mesh,
    cutoff: f64,
    base: f64,
    texture: Option<Texture<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Texture<'a> {
    bitmap: &'a Bitmap,
    reference: TextureRef,
}

/// What is known about a masked surface at a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is there for every path.
    Sure,
    /// It is there for none.
    None,
    /// It depends.
    Open,
}

impl<'a> Mask<'a> {
    pub(super) fn new(asset: &'a Asset, mesh: &'a Mesh, material: &Material, cutoff: f32) -> Self {
        let reference = material.base_color_texture;
        let reference = reference.filter(|r| mesh.uv_sets.get(r.uv_set as usize).is_some());
        let texture = reference.and_then(|reference| {
            match &asset.images.get(reference.image.index())?.data {
                ImageData::Bitmap(bitmap) => Some(Texture { bitmap, reference }),
                _ => None,
            }
        });
        Self {
            mesh,
            cutoff: f64::from(cutoff),
            base: f64::from(material.base_color.w),
            texture,
        }
    }

    /// Prepares for one triangle; `None` if its texture coordinates cannot be placed on the screen.
    pub(super) fn brush(&self, triangle: [u32; 3], corners: &[OnScreen; 3]) -> Option<Brush<'a>> {
        let inverse_w = DVec3::from(corners.map(|corner| 1.0 / corner.w));
        let uvs = match self.texture {
            Some(texture) => {
                let set = &self.mesh.uv_sets[texture.reference.uv_set as usize];
                let [a, b, c] = triangle.map(|v| set.get(v as usize).map(|uv| uv.as_dvec2()));
                [a?, b?, c?]
            }
            None => [DVec2::ZERO; 3],
        };
        let colors = self.mesh.color_sets.first();
        let own = |vertex: u32| colors.and_then(|colors| colors.get(vertex as usize));
        let [a, b, c] = corners.map(|corner| corner.at);
        let area = (b - a).perp_dot(c - a);
        (area != 0.0 && inverse_w.is_finite()).then(|| Brush {
            mask: *self,
            corners: [a, b, c],
            area,
            inverse_w,
            uvs,
            alphas: DVec3::from(triangle.map(|v| own(v).map_or(1.0, |color| f64::from(color.w)))),
        })
    }
}

/// Finds the alpha of one triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brush<'a> {
    mask: Mask<'a>,
    corners: [DVec2; 3],
    area: f64,
    inverse_w: DVec3,
    uvs: [DVec2; 3],
    alphas: DVec3,
}

impl Brush<'_> {
    /// Whether the surface is there in the pixel around `centre`, wherever in it and with whatever filter one looks.
    pub(super) fn presence(&self, centre: DVec2) -> Presence {
        let steps = [
            (0.0, 0.0),
            (-0.5, -0.5),
            (0.5, -0.5),
            (-0.5, 0.5),
            (0.5, 0.5),
        ];
        let weights = steps.map(|step| self.weights(centre + DVec2::from(step)));
        let uvs = weights.map(|w| self.uvs[0] * w.x + self.uvs[1] * w.y + self.uvs[2] * w.z);
        let of_texture = match self.mask.texture {
            Some(texture) => texture.range(&uvs),
            None => Some([1.0, 1.0]),
        };
        let Some([least, most]) = of_texture else {
            return Presence::Open;
        };
        let alphas = weights.map(|weights| self.alphas.dot(weights));
        let (low, high) = (
            minimum(alphas) * self.mask.base,
            maximum(alphas) * self.mask.base,
        );
        let slack = f64::from(f32::EPSILON) * 16.0
            + if self.mask.texture.is_some() {
                OF_TEXTURE
            } else {
                0.0
            };
        if low * least - slack >= self.mask.cutoff {
            Presence::Sure
        } else if high * most + slack < self.mask.cutoff {
            Presence::None
        } else {
            Presence::Open
        }
    }

    /// Of the corners in the world, at a place on the screen.
    fn weights(&self, place: DVec2) -> DVec3 {
        let [a, b, c] = self.corners;
        let part = |p: DVec2, q: DVec2| (p - place).perp_dot(q - place) / self.area;
        let over_w = DVec3::new(part(b, c), part(c, a), part(a, b)) * self.inverse_w;
        over_w / over_w.element_sum()
    }
}

impl Texture<'_> {
    /// The least and the largest alpha that a filter may find between `uvs`; `None` if there are too many texels.
    ///
    /// A filter reads the texels next to the place in the two copies of the texture whose texels are as large as the
    /// pixel; the coarser has texels of up to twice that, and reads one more on each side.
    fn range(&self, uvs: &[DVec2; 5]) -> Option<[f64; 2]> {
        let size = DVec2::new(f64::from(self.bitmap.width), f64::from(self.bitmap.height));
        let (mut least, mut most) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for uv in uvs {
            (least, most) = (least.min(*uv * size), most.max(*uv * size));
        }
        let footprint = (most - least).max_element();
        let reach = if footprint > 1.0 {
            4.0 * footprint
        } else {
            1.0
        };
        let (first, last) = ((least - 0.5 - reach).floor(), (most - 0.5 + reach).ceil());
        let count = last - first + 1.0;
        // Written so that what is no number is too many.
        if !(count.x * count.y <= MOST_TEXELS && first.abs().max_element() < 1e9) {
            return None;
        }
        Some(self.range_of(first, last))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "their magnitude was checked"
    )]
    fn range_of(&self, first: DVec2, last: DVec2) -> [f64; 2] {
        let (mut least, mut most) = (u8::MAX, 0);
        for y in first.y as i64..=last.y as i64 {
            for x in first.x as i64..=last.x as i64 {
                let alpha = self.alpha(x, y);
                (least, most) = (alpha.min(least), alpha.max(most));
            }
        }
        [least, most].map(|alpha| f64::from(alpha) / 255.0)
    }

    fn alpha(&self, x: i64, y: i64) -> u8 {
        let column = wrapped(x, self.bitmap.width, self.reference.wrap_u);
        let row = wrapped(y, self.bitmap.height, self.reference.wrap_v);
        let index = 4 * (row * self.bitmap.width as usize + column) + 3;
        self.bitmap.rgba.get(index).copied().unwrap_or(u8::MAX)
    }
}

/// The texel of `0..size` that stands at `place`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "results are below the size"
)]
fn wrapped(place: i64, size: u32, wrap: TextureWrap) -> usize {
    let size = i64::from(size.max(1));
    let inside = match wrap {
        TextureWrap::Repeat => place.rem_euclid(size),
        TextureWrap::Clamp => place.clamp(0, size - 1),
        TextureWrap::Mirror => {
            let twice = place.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    inside as usize
}

fn minimum(values: [f64; 5]) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn maximum(values: [f64; 5]) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}
