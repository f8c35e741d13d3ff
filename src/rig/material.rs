//! Surfaces and images.

use std::path::PathBuf;

use glam::{Vec2, Vec4};
use serde::{Deserialize, Serialize};

use super::{ImageId, packed};

/// The parts of a material that matter for checking deformation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// As in the file; may be empty.
    pub name: String,
    /// Linear RGBA, multiplied with texture and vertex colour.
    pub base_color: Vec4,
    /// sRGB-encoded base colour.
    pub base_color_texture: Option<TextureRef>,
    /// Moves the texture when it is drawn. `None` unless a clip drives it: the coordinates of the meshes hold all others.
    pub uv_transform: Option<UvTransform>,
    /// The meaning of the base colour's alpha.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn, with the normal facing the viewer.
    pub two_sided: bool,
}

/// A material's use of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextureRef {
    /// Which image.
    pub image: ImageId,
    /// Which of the mesh's texture coordinate sets.
    pub uv_set: u32,
    /// Wrapping outside 0..1 in u.
    pub wrap_u: TextureWrap,
    /// Wrapping outside 0..1 in v.
    pub wrap_v: TextureWrap,
}

/// A transform of texture coordinates: scale, rotation and offset, in this order (`KHR_texture_transform`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UvTransform {
    /// Added last, in units of the texture's size.
    pub offset: Vec2,
    /// In radians; counter-clockwise for the viewer, as v grows downwards.
    pub rotation: f32,
    /// Factor per axis.
    pub scale: Vec2,
}

impl UvTransform {
    /// No change.
    pub const IDENTITY: Self = Self {
        offset: Vec2::ZERO,
        rotation: 0.0,
        scale: Vec2::ONE,
    };

    /// The transform of a point, computed in f64 and rounded once.
    pub fn map(self) -> impl Fn(Vec2) -> Vec2 {
        let (sin, cos) = libm::sincos(f64::from(self.rotation));
        let (scale, offset) = (self.scale.as_dvec2(), self.offset.as_dvec2());
        move |uv| {
            let scaled = uv.as_dvec2() * scale;
            let rotated = glam::DVec2::new(
                cos * scaled.x + sin * scaled.y,
                cos * scaled.y - sin * scaled.x,
            );
            (rotated + offset).as_vec2()
        }
    }
}

/// How a texture continues past its border.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextureWrap {
    /// Repeats.
    #[default]
    Repeat,
    /// Repeats, mirrored.
    Mirror,
    /// Holds the last texel.
    Clamp,
}

/// The meaning of alpha (glTF 2.0 §3.9.4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub enum AlphaMode {
    /// Ignored.
    #[default]
    Opaque,
    /// Below this value there is no surface.
    Mask(f32),
    /// Coverage.
    Blend,
}

/// An image that materials use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// The name in the file, or the path stated there.
    pub name: String,
    /// Its location, or its content.
    pub data: ImageData,
}

/// The stages of an image on its way from the file to texels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ImageData {
    /// In a separate file: the path in the model, or, once it is located, that of the file.
    File(PathBuf),
    /// In a separate file that was not found, with the reason; its texels have not been requested.
    NotFound(String),
    /// Inside the model, still PNG, JPEG, ….
    Encoded(#[serde(with = "packed")] Vec<u8>),
    /// Ready.
    Bitmap(Bitmap),
    /// Not available, with the reason. Drawn as a checker.
    Missing(String),
}

/// Texels, first row at the top (v = 0).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bitmap {
    /// In texels.
    pub width: u32,
    /// In texels.
    pub height: u32,
    /// sRGB with straight alpha, `4 * width * height` bytes.
    #[serde(with = "packed")]
    pub rgba: Vec<u8>,
}

impl std::fmt::Debug for Bitmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bitmap({}x{})", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn the_example_of_the_extension_shows_the_lower_left_quarter_rotated_clockwise() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: FRAC_PI_2,
            scale: Vec2::splat(0.5),
        }
        .map();
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let expected = [(0.0, 1.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0)];
        for (corner, expected) in corners.into_iter().zip(expected) {
            let found = map(Vec2::from(corner));
            assert!(
                found.abs_diff_eq(Vec2::from(expected), 1e-6),
                "{corner:?} is at {found}"
            );
        }
    }

    #[test]
    fn the_other_example_flips_the_texture_upside_down() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: 0.0,
            scale: Vec2::new(1.0, -1.0),
        }
        .map();
        assert_eq!(map(Vec2::new(0.25, 0.75)), Vec2::new(0.25, 0.25));
    }

    #[test]
    fn scale_comes_before_rotation() {
        let map = UvTransform {
            offset: Vec2::ZERO,
            rotation: FRAC_PI_2,
            scale: Vec2::new(2.0, 3.0),
        }
        .map();
        assert!(map(Vec2::ONE).abs_diff_eq(Vec2::new(3.0, -2.0), 1e-6));
    }
}
