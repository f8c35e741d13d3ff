//! Images, inside the model or beside it.

use std::path::PathBuf;

use russimp::sys::{aiScene, aiTexel, aiTexture};

use super::names;
use super::raw::Raw;
use crate::rig::{Bitmap, Image, ImageData, ImageId};

/// The images of a scene: first the embedded ones in assimp's order, then files in the order in which materials name them.
#[derive(Default)]
pub(super) struct Images {
    list: Vec<Image>,
    embedded: usize,
}

impl Images {
    /// All embedded images, whether or not a material uses them. A gap in assimp's list becomes a missing image, so that
    /// the indices of the others do not change.
    pub(super) fn read(scene: Raw<'_, aiScene>) -> Self {
        let list: Vec<Image> = scene.textures().map(embedded).collect();
        let embedded = list.len();
        Self { list, embedded }
    }

    /// The image that a material calls `path`: an embedded image by `*` and its index or by its file name, or a file.
    pub(super) fn named(&mut self, path: &str) -> ImageId {
        let number = path.strip_prefix('*').and_then(|n| n.parse::<usize>().ok());
        let number = number.filter(|&number| number < self.embedded);
        let known = number.or_else(|| self.position(path));
        ImageId::from_index(known.unwrap_or_else(|| {
            self.list.push(Image {
                name: path.to_owned(),
                data: ImageData::File(PathBuf::from(path)),
            });
            self.list.len() - 1
        }))
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Image> {
        self.list
    }

    fn position(&self, path: &str) -> Option<usize> {
        let exact = self.list.iter().position(|image| image.name == path);
        let mut embedded = self.list[..self.embedded].iter();
        let file = file_name(path);
        exact.or_else(|| {
            embedded.position(|image| !image.name.is_empty() && file_name(&image.name) == file)
        })
    }
}

/// The part of `path` after the last separator of any system.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn embedded(texture: Option<Raw<'_, aiTexture>>) -> Image {
    let Some(texture) = texture else {
        return Image {
            name: String::new(),
            data: ImageData::Missing("the file embeds an empty image".to_owned()),
        };
    };
    Image {
        name: names::text(&texture.mFilename),
        data: data(texture),
    }
}

fn data(texture: Raw<'_, aiTexture>) -> ImageData {
    let (bytes, texels) = (texture.compressed(), texture.texels());
    if !bytes.is_empty() {
        ImageData::Encoded(bytes.to_vec())
    } else if texels.is_empty() {
        ImageData::Missing("the file embeds an empty image".to_owned())
    } else {
        ImageData::Bitmap(Bitmap {
            width: texture.mWidth,
            height: texture.mHeight,
            rgba: texels.iter().copied().flat_map(rgba).collect(),
        })
    }
}

fn rgba(texel: aiTexel) -> [u8; 4] {
    [texel.r, texel.g, texel.b, texel.a]
}
