//! Materials without properties, of formats that give them only a name, which may name an image; and colours.

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec4;

use super::images::MOST_IMAGES;
use super::log::Notes;
use crate::rig::{
    AlphaMode, Finish, Image, ImageData, ImageId, Material, MaterialId, SourceFile, TextureRef,
    TextureWrap,
};

/// Materials and images, each name once.
#[derive(Debug)]
pub(super) struct Surfaces<'n> {
    /// The folder of the file.
    folder: &'n Path,
    /// Suffixes of image names after the material's name, the preferred one first.
    endings: &'n [&'n str],
    by_name: BTreeMap<String, MaterialId>,
    pub(super) materials: Vec<Material>,
    pub(super) images: Vec<Image>,
    /// Beside the file, existing or not.
    pub(super) looked_for: Vec<SourceFile>,
}

/// Names with these extensions are images.
const IMAGE_EXTENSIONS: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp", "dds", "pcx"];

/// The extensions of images that are searched for beside the file.
const LOOKED_FOR: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp"];

/// A white, opaque material.
pub(super) fn plain(name: &str) -> Material {
    Material {
        name: name.to_owned(),
        base_color: Vec4::ONE,
        base_color_texture: None,
        alpha: AlphaMode::Opaque,
        two_sided: false,
        finish: Finish::default(),
    }
}

/// The stated opacity, and how it is drawn; opaque in place of 0 and of nonsense. Exporters that confuse opacity and
/// transparency write 0 for solid surfaces, and invisible surfaces are unlikely.
///
/// * `location` – the material.
pub(super) fn plausible_opacity(
    stated: f32,
    location: &str,
    notes: &mut Notes,
) -> (f32, AlphaMode) {
    if stated <= 0.0 {
        notes.add(location, "fully transparent; read as opaque");
    }
    if stated > 0.0 && stated < 1.0 {
        (stated, AlphaMode::Blend)
    } else {
        (1.0, AlphaMode::Opaque)
    }
}

impl<'n> Surfaces<'n> {
    /// * `folder` – the folder of the file.
    /// * `endings` – suffixes of image names after the material's name, such as `_d`.
    pub(super) fn new(folder: &'n Path, endings: &'n [&'n str]) -> Self {
        Self {
            folder,
            endings,
            by_name: BTreeMap::new(),
            materials: Vec::new(),
            images: Vec::new(),
            looked_for: Vec::new(),
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
        let texture = self.image_file(name).map(|path| self.texture(path));
        self.materials.push(Material {
            base_color_texture: texture,
            ..plain(name)
        });
        self.by_name.insert(name.to_owned(), id);
        Some(id)
    }

    /// The image file: the name itself; or its last part, because exporters write `material|image`; or an image beside the
    /// model that has the name without its folders.
    fn image_file(&mut self, name: &str) -> Option<String> {
        let last = name.rsplit('|').next().unwrap_or(name);
        let extension = Path::new(last).extension().unwrap_or_default();
        let is_image = |known: &str| extension.eq_ignore_ascii_case(known);
        if IMAGE_EXTENSIONS.iter().any(|known| is_image(known)) {
            return Some(last.to_owned());
        }
        let base = last.rsplit(['/', '\\']).next().unwrap_or(last);
        let is_plain = !base.is_empty() && !base.contains([':', '\0']) && base.len() < 200;
        // Every name that is looked for is kept.
        let has_room = self.materials.len() < MOST_IMAGES;
        let endings = self.endings.iter();
        let names = endings.flat_map(|ending| {
            LOOKED_FOR
                .iter()
                .map(move |known| format!("{base}{ending}.{known}"))
        });
        let mut beside = names.filter(|_| is_plain && has_room);
        beside.find(|file| {
            let folder = self.folder;
            self.looked_for.push(SourceFile::below(folder, file.into()));
            folder.join(file).is_file()
        })
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

/// `color` in linear light; alpha is unchanged.
pub(super) fn linear_from_srgb(color: Vec4) -> Vec4 {
    let [r, g, b] = color.truncate().to_array().map(linear);
    Vec4::new(r, g, b, color.w)
}

/// IEC 61966-2-1.
fn linear(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        libm::powf((value + 0.055) / 1.055, 2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_pictures_that_were_looked_for_are_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut surfaces = Surfaces::new(folder.path(), &["_d", ""]);
        surfaces.named("models/arm");
        let names = surfaces.looked_for.iter();
        let names: Vec<String> = names.map(|file| file.path.display().to_string()).collect();
        assert_eq!(names.len(), 2 * LOOKED_FOR.len());
        assert!(
            ["arm_d.png", "arm.webp"]
                .iter()
                .all(|name| names.contains(&(*name).to_owned()))
        );
    }

    #[test]
    fn black_and_white_are_the_same_in_both_spaces() {
        for value in [Vec4::W, Vec4::ONE] {
            assert!(linear_from_srgb(value).abs_diff_eq(value, 1e-6));
        }
    }

    #[test]
    fn middle_grey_is_darker_in_linear_light() {
        let grey = linear_from_srgb(Vec4::splat(0.5));
        assert!((grey.x - 0.214_041).abs() < 1e-5, "{grey}");
        assert_eq!(grey.w.to_bits(), 0.5_f32.to_bits());
    }
}
