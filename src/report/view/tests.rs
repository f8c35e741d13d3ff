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
    let camera = Framing::new(&asset.space, direction, Projection::default(), viewport).camera();
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
fn a_page_is_known_by_its_beginning() {
    assert!(Page::is_ours(page("hip").as_bytes()));
    assert!(!Page::is_ours(b"<!DOCTYPE html><title>mine</title>"));
    assert!(!Page::is_ours(b""));
}
