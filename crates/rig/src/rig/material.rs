//! Surfaces and images.

use std::path::PathBuf;

use glam::Vec4;
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
    /// Not available, with the reason. Drawn as marked clay.
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
