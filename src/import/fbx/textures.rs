//! Images, inside the file or beside it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ufbx::{Texture, TextureType, WrapMode};

use crate::import::notes::Notes;
use crate::rig::{Image, ImageData, ImageId, TextureWrap};

/// The images that materials use, each once.
#[derive(Default)]
pub(super) struct Images {
    pub(super) list: Vec<Image>,
    /// By ufbx's number of the image file, which textures share.
    known: BTreeMap<u32, ImageId>,
}

impl Images {
    /// The image of `texture`, which is [a file](file_of); `None` if it names none.
    pub(super) fn of(&mut self, texture: &Texture) -> Option<ImageId> {
        if texture.has_file
            && let Some(&known) = self.known.get(&texture.file_index)
        {
            return Some(known);
        }
        let id = ImageId::from_index(self.list.len());
        self.list.push(image(texture)?);
        if texture.has_file {
            self.known.insert(texture.file_index, id);
        }
        Some(id)
    }
}

/// Prefers the relative path, which is valid on other machines too. Images are searched for by all its parts.
fn image(texture: &Texture) -> Option<Image> {
    let paths = [
        &texture.relative_filename,
        &texture.absolute_filename,
        &texture.filename,
    ];
    let path = paths.into_iter().find(|path| !path.is_empty());
    let data = if texture.content.is_empty() {
        ImageData::File(PathBuf::from(path?.as_ref()))
    } else {
        ImageData::Encoded(texture.content.to_vec())
    };
    let name = path.map_or_else(|| texture.element.name.to_string(), ToString::to_string);
    Some(Image { name, data })
}

/// The texture that has the image file; of several layers, the lowest.
pub(super) fn file_of<'a>(
    texture: &'a Texture,
    location: &str,
    notes: &mut Notes,
) -> Option<&'a Texture> {
    if texture.type_ == TextureType::File {
        return Some(texture);
    }
    let message = "has a layered or procedural texture; its first image is used";
    notes.add(location, message);
    texture.file_textures.iter().next().map(AsRef::as_ref)
}

pub(super) fn wrap(mode: WrapMode) -> TextureWrap {
    match mode {
        WrapMode::Repeat => TextureWrap::Repeat,
        WrapMode::Clamp => TextureWrap::Clamp,
    }
}
