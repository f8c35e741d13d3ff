//! Meshes and what they hang on.

use glam::{Vec2, Vec3};
use skincheck::rig::{Asset, Influences};

use super::{Class, ONE};

pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "a normal that is NaN",
        expected: &["G812"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            asset.meshes[0].normals[5] = Vec3::NAN;
            true
        },
    },
    Class {
        name: "a texture coordinate that is infinite",
        expected: &["G812"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let count = asset.meshes[0].positions.len();
            let mut uvs = vec![Vec2::ZERO; count];
            uvs[3].x = f32::INFINITY;
            asset.meshes[0].uv_sets.push(uvs);
            true
        },
    },
    Class {
        name: "a tangent that is NaN",
        expected: &["G812"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let mesh = &mut asset.meshes[0];
            mesh.tangents = mesh
                .normals
                .iter()
                .map(|n| n.any_orthonormal_vector())
                .collect();
            mesh.bitangents = mesh
                .normals
                .iter()
                .zip(&mesh.tangents)
                .map(|(n, t)| n.cross(*t))
                .collect();
            mesh.tangents[4] = Vec3::NAN;
            true
        },
    },
    Class {
        name: "weights without a skin",
        expected: &["B208", "G807"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            unskin(asset);
            true
        },
    },
    Class {
        name: "a skin without weights",
        expected: &["W104", "G807"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            asset.meshes[0].influences = Influences::default();
            unskin(asset);
            true
        },
    },
    Class {
        name: "triangles without area (all)",
        expected: &["G803", "D609"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            asset.meshes[0].positions.fill(Vec3::ONE);
            true
        },
    },
];

fn unskin(asset: &mut Asset) {
    for instance in &mut asset.instances {
        instance.skin = None;
    }
}
