//! Images (glTF 2.0, §3.8.3) that base colours need.

use std::path::PathBuf;

use super::accessors::Accessors;
use super::json::{self, Root};
use super::uri;
use crate::import::percent;
use crate::rig::{Image, ImageData, ImageId};

/// The images of the model, in the order in which materials name them.
pub(super) struct Images<'a> {
    root: &'a Root<'a>,
    accessors: &'a Accessors<'a>,
    list: Vec<Image>,
    /// The index in the list for each image of the document.
    ids: Vec<Option<ImageId>>,
}

impl<'a> Images<'a> {
    /// An empty list.
    pub(super) fn new(root: &'a Root<'a>, accessors: &'a Accessors<'a>) -> Self {
        Self {
            root,
            accessors,
            list: Vec::new(),
            ids: vec![None; root.images.len()],
        }
    }

    /// The id of image `index` of the document, which must exist.
    pub(super) fn id_of(&mut self, index: usize) -> ImageId {
        if let Some(known) = self.ids[index] {
            return known;
        }
        let id = ImageId::from_index(self.list.len());
        self.ids[index] = Some(id);
        self.list.push(self.read(index));
        id
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Image> {
        self.list
    }

    fn read(&self, index: usize) -> Image {
        let image = &self.root.images[index];
        let path = image.uri.as_deref().filter(|uri| !uri::is_data(uri));
        let path = path.map(percent::decoded);
        let name = Some((*image.name).to_owned()).filter(|name| !name.is_empty());
        Image {
            name: name.or_else(|| path.clone()).unwrap_or_default(),
            data: match path {
                Some(path) => ImageData::File(PathBuf::from(path)),
                None => self.embedded(image),
            },
        }
    }

    /// An image that cannot be read is missing, which is not an error: images do not move vertices.
    fn embedded(&self, image: &json::Image<'_>) -> ImageData {
        let bytes = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => {
                uri::data(uri).ok_or_else(|| "its data URI is badly encoded".to_owned())
            }
            (None, Some(view)) => self
                .accessors
                .bytes(view)
                .map_err(|problem| problem.to_string()),
            (None, None) => Err("it has neither a uri nor data".to_owned()),
        };
        bytes.map_or_else(ImageData::Missing, ImageData::Encoded)
    }
}
