//! Both sides of small models.

use std::collections::BTreeMap;

use glam::{DMat4, Mat4, Vec3};

use super::joints;
use super::reach::{self, Rigs};
use super::reference::{Clip, Frame, Node, Reference};
use super::side::{Side, Source};
use crate::rig::{Asset, AssetBuilder, Mesh, Trs, WeightPolicy};
use crate::units::Space;

/// A triangle on a joint whose height has these keys.
pub(super) fn rising(keys: &[(f64, f32)]) -> Asset {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    let mesh = rig.mesh(Mesh {
        name: "plate".to_owned(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(root, 1.0)]; 3]);
    let clip = rig.clip("rise");
    let keys = keys.iter().map(|(time, height)| (*time, Vec3::Y * *height));
    rig.translate(clip, root, keys);
    rig.build().expect("it is whole")
}

/// A node that stays where it is at these times.
pub(super) fn reference(times: &[f64]) -> Source {
    let frame = |time: &f64| Frame {
        time: *time,
        nodes: vec![Mat4::IDENTITY],
        positions: Vec::new(),
        normals: Vec::new(),
    };
    Source::Reference(Box::new(Reference {
        generator: String::new(),
        space: Space::Y_UP_METRES,
        nodes: vec![Node {
            name: "root".to_owned(),
            parent: None,
            joint: true,
            rest: Mat4::IDENTITY,
        }],
        meshes: Vec::new(),
        clips: vec![Clip {
            name: "rise".to_owned(),
            frames: times.iter().map(frame).collect(),
        }],
    }))
}

pub(super) fn with_sides<T>(sources: &[Source; 2], inspect: impl FnOnce([&Side<'_>; 2]) -> T) -> T {
    let side = |source| Side::new(source, DMat4::IDENTITY, WeightPolicy::default());
    let [before, after] = sources.each_ref().map(side);
    inspect([&before, &after])
}

/// Both sides with their joints in pairs.
pub(super) fn with_rigs<T>(sources: &[Source; 2], inspect: impl FnOnce(&Rigs<'_>) -> T) -> T {
    with_sides(sources, |sides| {
        let (joints, _) = joints::match_up(sides, &BTreeMap::new(), 1.0);
        inspect(&reach::rigs(sides, &joints, 1.0))
    })
}
