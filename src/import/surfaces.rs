//! Materials of formats that give them only a name, which may name an image.

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec4;

use crate::rig::{
    AlphaMode, Image, ImageData, ImageId, Material, MaterialId, TextureRef, TextureWrap,
};

/// Materials and pictures, each name once.
#[derive(Debug)]
pub(super) struct Surfaces<'n> {
    /// Where the file is.
    folder: &'n Path,
    /// Suffixes of image names after the material's name, the preferred one first.
    endings: &'n [&'n str],
    by_name: BTreeMap<String, MaterialId>,
    pub(super) materials: Vec<Material>,
    pub(super) images: Vec<Image>,
}

/// Names that end so are pictures.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp", "dds", "pcx"];

/// The images that a material's name may mean, which are looked for beside the file.
const LOOKED_FOR: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp"];

impl<'n> Surfaces<'n> {
    /// * `folder` – where the file is.
    /// * `endings` – suffixes of image names after the material's name, such as `_d`.
    pub(super) fn new(folder: &'n Path, endings: &'n [&'n str]) -> Self {
        Self {
            folder,
            endings,
            by_name: BTreeMap::new(),
            materials: Vec::new(),
            images: Vec::new(),
        }
    }

    /// The material that the file calls `name`; none for no name.
    pub(super) fn named(&mut self, name: &str) -> Option<MaterialId> {
        if name.is_empty() {
            return None;
        }
        if let Some(&known) = self.by_name.get(name) {
            return Some(known);
        }
        let id = MaterialId::from_index(self.materials.len());
        let texture = self.picture(name).map(|path| self.texture(path));
        self.materials.push(Material {
            name: name.to_owned(),
            base_color: Vec4::ONE,
            base_color_texture: texture,
            alpha: AlphaMode::Opaque,
            two_sided: false,
        });
        self.by_name.insert(name.to_owned(), id);
        Some(id)
    }

    /// The file of the picture: the name itself, or its last part where exporters write `material|picture`, or a
    /// picture that lies beside the model and is called as the name is behind its folders.
    fn picture(&self, name: &str) -> Option<String> {
        let last = name.rsplit('|').next().unwrap_or(name);
        let extension = Path::new(last).extension().unwrap_or_default();
        let is_picture = |known: &str| extension.eq_ignore_ascii_case(known);
        if PICTURES.iter().any(|known| is_picture(known)) {
            return Some(last.to_owned());
        }
        let base = last.rsplit(['/', '\\']).next().unwrap_or(last);
        let is_plain = !base.is_empty() && !base.contains([':', '\0']) && base.len() < 200;
        let endings = self.endings.iter();
        let names = endings.flat_map(|ending| {
            LOOKED_FOR
                .iter()
                .map(move |known| format!("{base}{ending}.{known}"))
        });
        let mut beside = names.filter(|_| is_plain);
        beside.find(|file| self.folder.join(file).is_file())
    }

    fn texture(&mut self, path: String) -> TextureRef {
        let image = ImageId::from_index(self.images.len());
        self.images.push(Image {
            data: ImageData::File(path.clone().into()),
            name: path,
        });
        TextureRef {
            image,
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        }
    }
}
