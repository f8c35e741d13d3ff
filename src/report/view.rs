//! The page of `view`: a model in motion.

use askama::Template;
use askama::filters::Safe;
use serde_json::json;

use super::escape::base64;
use super::shell::Page as _;
use crate::diff::helpers;
use crate::rig::Asset;
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

/// Of a model without a mesh, all joints that the tree shows.
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
        let joints = owners.iter().filter(|owner| owner.is_none()).count();
        return format!("{}, no mesh, {clips}", amount(joints, "joint"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::RangePose;
    use crate::rig::{AssetBuilder, Mesh, SkinningOptions, Trs};
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
    fn joints_without_a_mesh_are_counted_and_it_says_so() {
        let mut rig = AssetBuilder::new();
        let hip = rig.node("hip", None, Trs::IDENTITY);
        rig.node("knee", Some(hip), Trs::IDENTITY);
        let asset = rig.build().expect("the rig is whole");
        assert_eq!(summary(&asset), "2 joints, no mesh, 0 clips");
    }

    #[test]
    fn a_page_is_known_by_its_beginning() {
        assert!(Page::is_ours(page("hip").as_bytes()));
        assert!(!Page::is_ours(b"<!DOCTYPE html><title>mine</title>"));
        assert!(!Page::is_ours(b""));
    }
}
