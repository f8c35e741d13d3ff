//! The page of `view`: a model in motion.

use std::collections::BTreeSet;

use askama::Template;
use askama::filters::Safe;
use serde_json::json;

use super::escape::base64;
use super::shell::Page as _;
use crate::diff::helpers;
use crate::rig::{Asset, ImageData, ImageId};
use crate::shown::printable;
use crate::units::amount;
use crate::viewer::Packed;

/// How the content of our pages begins.
const SIGNATURE: &str =
    "<main>\n<div class=\"stage\" id=\"stage\">\n<div class=\"pictures\" id=\"pictures\">";

/// A page that shows a model.
#[derive(Debug, Template)]
#[template(path = "view/page.html")]
pub(crate) struct Page {
    name: String,
    summary: String,
    /// Why surfaces are drawn as marked clay.
    missing: Option<String>,
    packed: Packed,
    /// In base64.
    still: String,
}

impl super::shell::Page for Page {
    const STYLE: Safe<&'static str> = Safe(concat!(
        include_str!("view/viewer.css"),
        include_str!("view/page.css")
    ));
}

impl Page {
    /// * `name` – of the model's file.
    /// * `still` – a PNG file, for browsers that cannot draw the model.
    pub(crate) fn new(name: &str, asset: &Asset, mut packed: Packed, still: &[u8]) -> Self {
        packed.json["name"] = json!(name);
        Self {
            name: printable(name),
            summary: summary(asset),
            missing: missing(asset),
            packed,
            still: base64(still),
        }
    }

    /// What was thinned, in words.
    pub(crate) fn notes(&self) -> &[String] {
        &self.packed.notes
    }

    pub(crate) fn to_html(&self) -> String {
        self.html()
    }

    /// Whether a file holds a page of this kind.
    pub(crate) fn is_ours(bytes: &[u8]) -> bool {
        let head = &bytes[..bytes.len().min(1 << 16)];
        let found = head
            .windows(SIGNATURE.len())
            .any(|part| part == SIGNATURE.as_bytes());
        bytes.starts_with(b"<!DOCTYPE html>") && found
    }
}

/// Of a model without a mesh, all nodes that the tree shows.
fn summary(asset: &Asset) -> String {
    let instances = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let (vertices, triangles) = instances.fold((0, 0), |(vertices, triangles), mesh| {
        (
            vertices + mesh.positions.len(),
            triangles + mesh.triangles.len(),
        )
    });
    let clips = amount(asset.clips.len(), "clip");
    if vertices == 0 {
        let owners = helpers::owners(asset);
        let nodes = owners.iter().filter(|owner| owner.is_none()).count();
        return format!("{}, no mesh, {clips}", amount(nodes, "node"));
    }
    let joints = asset.bound_joints().iter().filter(|bound| **bound).count();
    [
        amount(vertices, "vertex"),
        amount(triangles, "triangle"),
        amount(joints, "joint"),
        clips,
    ]
    .join(", ")
}

/// Counts the missing images of base colours; others have no marks.
fn missing(asset: &Asset) -> Option<String> {
    let materials = asset.materials.iter();
    let textures = materials.filter_map(|material| material.base_color_texture);
    let images: BTreeSet<ImageId> = textures.map(|texture| texture.image).collect();
    let is_missing = |image: &&ImageId| matches!(asset[**image].data, ImageData::Missing(_));
    let count = images.iter().filter(is_missing).count();
    let (are, their) = if count == 1 {
        ("is", "its")
    } else {
        ("are", "their")
    };
    let images = amount(count, "image");
    (count > 0)
        .then(|| format!("{images} {are} missing: {their} surfaces are clay with magenta marks"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::RangePose;
    use crate::rig::{
        AlphaMode, AssetBuilder, Finish, Image, Material, Mesh, SkinningOptions, TextureRef,
        TextureWrap, Trs,
    };
    use crate::view::{Framing, Projection, ViewDirection, Viewport};
    use crate::viewer::{Contents, Source, Take};

    const HOSTILE: &str = "</script><script>alert('x')</script><img src=x onerror=alert(1)>";

    fn page(name: &str) -> String {
        let mut rig = AssetBuilder::new();
        let node = rig.node(name, None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: name.to_owned(),
            positions: vec![glam::Vec3::ZERO, glam::Vec3::X, glam::Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(node, 1.0)], [(node, 1.0)], [(node, 1.0)]]);
        let asset = rig.build().expect("the rig is whole");
        let viewport = Viewport {
            width: 8,
            height: 8,
        };
        let direction = ViewDirection::default();
        let camera =
            Framing::new(&asset.space, direction, Projection::default(), viewport).camera();
        let contents = Contents {
            asset: &asset,
            skinning: SkinningOptions::default(),
            takes: vec![Take::new(
                &asset,
                Source::Range(RangePose::Rest),
                camera,
                None,
            )],
            numbers: Vec::new(),
        };
        let packed = contents.pack(1 << 20).expect("the rig is whole");
        Page::new(name, &asset, packed, b"png").to_html()
    }

    #[test]
    fn names_of_the_model_cannot_add_elements() {
        let page = page(HOSTILE);
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"));
        let plain = self::page("hip");
        assert_eq!(
            page.matches("<script").count(),
            plain.matches("<script").count()
        );
    }

    #[test]
    fn nodes_without_a_mesh_are_counted_and_it_says_so() {
        let mut rig = AssetBuilder::new();
        let hip = rig.node("hip", None, Trs::IDENTITY);
        rig.node("knee", Some(hip), Trs::IDENTITY);
        let asset = rig.build().expect("the rig is whole");
        assert_eq!(summary(&asset), "2 nodes, no mesh, 0 clips");
    }

    #[test]
    fn missing_images_explain_the_marks_where_they_are_base_colors() {
        let mut rig = AssetBuilder::new();
        rig.node("hip", None, Trs::IDENTITY);
        let mut asset = rig.build().expect("the rig is whole");
        let image = Image {
            name: "skin.png".to_owned(),
            data: ImageData::Missing("skin.png does not exist".to_owned()),
        };
        asset.images = vec![image; 2];
        assert_eq!(missing(&asset), None);
        let material = |image| Material {
            name: String::new(),
            base_color: glam::Vec4::ONE,
            base_color_texture: Some(TextureRef {
                image: ImageId(image),
                uv_set: 0,
                wrap_u: TextureWrap::Repeat,
                wrap_v: TextureWrap::Repeat,
            }),
            alpha: AlphaMode::Opaque,
            two_sided: false,
            finish: Finish::default(),
        };
        asset.materials = vec![material(1), material(1)];
        let expected = "1 image is missing: its surfaces are clay with magenta marks";
        assert_eq!(missing(&asset).as_deref(), Some(expected));
        asset.materials = vec![material(0), material(1)];
        let expected = "2 images are missing: their surfaces are clay with magenta marks";
        assert_eq!(missing(&asset).as_deref(), Some(expected));
    }

    #[test]
    fn a_page_is_known_by_its_beginning() {
        assert!(Page::is_ours(page("hip").as_bytes()));
        assert!(!Page::is_ours(b"<!DOCTYPE html><title>mine</title>"));
        assert!(!Page::is_ours(b""));
    }
}
