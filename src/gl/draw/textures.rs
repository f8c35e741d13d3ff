//! All textures of an image in one texel buffer, so that one pass can shade all surfaces.

use std::collections::BTreeMap;

use crate::gl::buffer::{TexelBuffer, TexelFormat};
use crate::gl::{Current, GlError};
use crate::look::mipmap;
use crate::rig::Bitmap;

/// The position of one texture's levels in the list of levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) first: u32,
    /// 0 for no texture.
    pub(super) count: u32,
}

/// Collects textures.
#[derive(Debug, Default)]
pub(super) struct Collector {
    texels: Vec<[u8; 4]>,
    /// First texel, width and height of each level.
    rows: Vec<[u32; 4]>,
    /// By the number of the image.
    known: BTreeMap<usize, Levels>,
}

/// Textures that shaders read.
#[derive(Debug)]
pub(super) struct Textures<'gl> {
    pub(super) texels: TexelBuffer<'gl>,
    pub(super) levels: TexelBuffer<'gl>,
}

impl Collector {
    /// The mip levels of `bitmap`, once for each `key`.
    pub(super) fn add(&mut self, key: usize, bitmap: &Bitmap) -> Levels {
        if let Some(&levels) = self.known.get(&key) {
            return levels;
        }
        let first = number(self.rows.len());
        for level in mipmap::levels(bitmap) {
            let [start, width, height] = [self.texels.len(), level.width, level.height].map(number);
            self.rows.push([start, width, height, 0]);
            self.texels.extend(&*level.texels);
        }
        let count = number(self.rows.len()) - first;
        let levels = Levels { first, count };
        self.known.insert(key, levels);
        levels
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn upload<'gl>(&self, gl: Current<'gl>) -> Result<Textures<'gl>, GlError> {
        let (bytes, rows) = (TexelFormat::Rgba8U, TexelFormat::Rgba32U);
        Ok(Textures {
            texels: TexelBuffer::upload(gl, &self.texels, bytes, "the texels of all images")?,
            levels: TexelBuffer::upload(gl, &self.rows, rows, "the images")?,
        })
    }
}

/// More than 2^32 texels exceed any buffer; the upload refuses them.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
