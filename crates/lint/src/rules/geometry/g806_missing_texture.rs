//! `G806`: missing-texture.

use crate::analysis::joints::shown;
use crate::import::unreadable_images;
use crate::rig::{Asset, ImageData, Location, MaterialId};
use crate::shown::escaped;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    MissingTexture, "G806", "missing-texture", Warning, Proved
}

impl Rule for MissingTexture {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let users = users(cx.asset);
        for (image, reason) in unreadable_images(&cx.asset.images) {
            let Some(id) = users[image.index()] else {
                continue;
            };
            let is_there = matches!(
                cx.asset[image].data,
                ImageData::File(_) | ImageData::Encoded(_)
            );
            let image = match &*cx.asset[image].name {
                name if reason.contains(name) => String::new(),
                name => format!(" \"{}\"", escaped(name)),
            };
            let mut group = Location::FILE;
            group.ids.material = Some(id);
            out.add(Offence::of(&group, "picture"), |subject| {
                let message = if is_there {
                    format!("the image{image} is there, but {reason}: store it as PNG or JPEG")
                } else {
                    format!("the image{image} is not available: {reason}")
                };
                (subject, message)
            });
        }
    }
}

/// For each image, the first material that uses it on a visible mesh.
fn users(asset: &Asset) -> Vec<Option<MaterialId>> {
    let mut users = vec![None; asset.images.len()];
    let materials = shown(asset).filter_map(|instance| asset.mesh_of(instance).material);
    for id in materials {
        if let Some(texture) = asset[id].base_color_texture {
            users[texture.image.index()].get_or_insert(id);
        }
    }
    users
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;
    use crate::rig::Material;
    use crate::rig::{AlphaMode, Finish, Image, ImageId, TextureRef, TextureWrap};
    use crate::testing::{arm, findings};

    /// The arm with a material "Skin" whose image is missing, and whether the arm uses that material.
    fn painted(is_used: bool) -> Asset {
        let mut asset = arm();
        asset.images.push(Image {
            name: "skin.png".into(),
            data: ImageData::Missing("it is lost".into()),
        });
        asset.materials.push(Material {
            name: "Skin".into(),
            base_color: Vec4::ONE,
            base_color_texture: Some(TextureRef {
                image: ImageId(0),
                uv_set: 0,
                wrap_u: TextureWrap::Repeat,
                wrap_v: TextureWrap::Repeat,
            }),
            alpha: AlphaMode::Opaque,
            two_sided: false,
            finish: Finish::default(),
        });
        asset.meshes[0].material = is_used.then_some(MaterialId(0));
        asset
    }

    #[test]
    fn the_material_is_named_and_its_image() {
        let [found] = &findings(&painted(true), &MissingTexture)[..] else {
            panic!("there is one picture");
        };
        assert_eq!(found.location.to_string(), "material \"Skin\"");
        assert_eq!(found.location.ids.material, Some(MaterialId(0)));
        let expected = "the image \"skin.png\" is not available: it is lost";
        assert_eq!(found.message, expected);
    }

    #[test]
    fn an_image_that_is_there_is_to_be_converted() {
        let mut asset = painted(true);
        asset.images[0].name = "skin.dds".into();
        asset.images[0].data = ImageData::Encoded(b"DDS |and so on".to_vec());
        let found = findings(&asset, &MissingTexture);
        let message = &found[0].message;
        assert!(
            message.starts_with("the image \"skin.dds\" is there, but it cannot be decoded"),
            "{message}"
        );
        assert!(message.ends_with("store it as PNG or JPEG"), "{message}");
    }

    #[test]
    fn a_material_of_nothing_that_is_shown_needs_no_image() {
        assert_eq!(findings(&painted(false), &MissingTexture), []);
        let mut hidden = painted(true);
        hidden.instances.clear();
        assert_eq!(findings(&hidden, &MissingTexture), []);
    }
}
