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
    /// How it reflects light.
    pub finish: Finish,
}

impl Material {
    /// All uses of images.
    pub fn textures(&self) -> impl Iterator<Item = &TextureRef> {
        let Finish { reflection, bumps } = &self.finish;
        let reflection = reflection.as_ref().and_then(|own| own.texture.as_ref());
        let bumps = bumps.as_ref().map(|own| &own.texture);
        let base_color = self.base_color_texture.as_ref();
        [base_color, reflection, bumps].into_iter().flatten()
    }

    /// As [`textures`](Self::textures).
    pub fn textures_mut(&mut self) -> impl Iterator<Item = &mut TextureRef> {
        let Finish { reflection, bumps } = &mut self.finish;
        let reflection = reflection.as_mut().and_then(|own| own.texture.as_mut());
        let bumps = bumps.as_mut().map(|own| &mut own.texture);
        let base_color = self.base_color_texture.as_mut();
        [base_color, reflection, bumps].into_iter().flatten()
    }
}

/// How a surface reflects light, as far as the file says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    /// `None` where the file states neither roughness nor metal.
    pub reflection: Option<Reflection>,
    /// The normal map.
    pub bumps: Option<Bumps>,
}

/// Roughness and metal (glTF 2.0 §3.9.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// From 0, a mirror, to 1.
    pub roughness: f32,
    /// 1 for metal, 0 for anything else.
    pub metallic: f32,
    /// Multiplies the roughness by its green, and the metal by its blue channel.
    pub texture: Option<TextureRef>,
}

/// A normal map (glTF 2.0 §3.9.3).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bumps {
    /// Normals in tangent space: 0.5 + 0.5 n.
    pub texture: TextureRef,
    /// Multiplies x and y.
    pub scale: f32,
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
