//! `G806`: missing-texture.

use std::path::Path;

use crate::import::unreadable_images;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, RuleMeta};
use crate::rig::{Asset, ImageId, Place};

declare_rule! {
    /// ## What it does
    /// Checks that every picture that the file names for a base colour is there and is a picture.
    ///
    /// A picture in another folder than the file says, as in `textures` beside the model, or with another extension, is there.
    /// Only its first bytes are looked at.
    ///
    /// ## Why is this bad?
    /// The model is white, grey or, in many engines, a loud pink, and nobody who gets the file alone can mend it. Often the path
    /// is that of the artist's own disk, which nobody else has.
    ///
    /// ## How to fix
    /// - Blender: *File → External Data → Find Missing Files*, then *Path Mode: Copy* with pictures embedded in the export, or
    ///   glTF as `.glb`.
    /// - Maya: *Windows → General Editors → File Path Editor*; *Embed Media* in the FBX export.
    /// - Put the picture beside the model, or in a folder `textures` there.
    ///
    /// ## References
    /// - glTF 2.0 §3.8.3 (images by URI are relative to the file); glTF-Validator `IO_ERROR`, `IMAGE_DATA_INVALID`.
    MissingTexture, "G806", "missing-texture", Warning
}

impl Rule for MissingTexture {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let folder = cx.path.parent().unwrap_or(Path::new(""));
        for (image, reason) in unreadable_images(&cx.asset.images, folder) {
            let group = Place::material(name(cx.asset, image));
            out.add(Offence::of(&group, "picture"), |place| {
                (place, format!("the picture cannot be had: {reason}"))
            });
        }
    }
}

/// Of the image, or of the first material that uses it.
fn name(asset: &Asset, image: ImageId) -> &str {
    let own = asset.images[image.index()].name.as_str();
    let uses = |material: &&crate::rig::Material| {
        let texture = material.base_color_texture;
        texture.is_some_and(|texture| texture.image == image)
    };
    match asset.materials.iter().find(uses) {
        Some(material) if own.is_empty() => material.name.as_str(),
        _ => own,
    }
}
