//! Faults of meshes and their nodes.

use glam::{Vec2, Vec3};
use serde_json::{Value, json};
use skincheck::rig::{Asset, Influences};

use super::super::stored::through_file;
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
    Class {
        name: "tangents whose fourth number is no sign (number)",
        expected: &["G816"],
        strengths: &[-1.0, 0.0, 0.5, 127.0],
        seen: 0.0,
        plant: |asset, side| {
            let normals = asset.meshes[0].normals.clone();
            let tangents = normals.iter().flat_map(|normal| {
                let along = normal.any_orthonormal_vector();
                [along.x, along.y, along.z, side]
            });
            let tangents: Vec<f32> = tangents.collect();
            through_file(asset, |file| {
                let accessor = file.add(("VEC4", 4), &tangents);
                file.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(accessor);
            })
        },
    },
    Class {
        name: "a box that is not that of the positions (factor)",
        expected: &["G817"],
        strengths: &[1.000_001, 1.01, 2.0],
        seen: 1.01,
        plant: |asset, factor| {
            through_file(asset, |file| {
                let accessor = file.attribute("POSITION");
                let bounds = &mut file.json["accessors"][accessor]["max"];
                for bound in bounds.as_array_mut().expect("positions have bounds") {
                    *bound = json!(f64::from(factor) * bound.as_f64().expect("it is a number"));
                }
            })
        },
    },
    Class {
        name: "a clip whose last time is stated wrongly (factor)",
        expected: &["G817"],
        strengths: &[1.000_001, 1.04, 0.5],
        seen: 1.04,
        plant: |asset, factor| {
            through_file(asset, |file| {
                let sampler = &file.json["animations"][0]["samplers"][0];
                let input = sampler["input"].as_u64().expect("it is a reference") as usize;
                let end = &mut file.json["accessors"][input]["max"][0];
                *end = json!(f64::from(factor) * end.as_f64().expect("times have bounds"));
            })
        },
    },
    Class {
        name: "rotations in a view with a byteStride, positions in one",
        expected: &["G818"],
        strengths: &[0.0, 1.0],
        seen: 1.0,
        plant: |asset, wrong| {
            through_file(asset, |file| {
                let channels = file.json["animations"][0]["channels"].as_array();
                let mut channels = channels.expect("a clip has channels").iter();
                let is_rotated = |channel: &&Value| channel["target"]["path"] == "rotation";
                let channel = channels.find(is_rotated).expect("a joint turns");
                let sampler = &channel["sampler"].as_u64().expect("it is a reference");
                let output = &file.json["animations"][0]["samplers"][*sampler as usize]["output"];
                let (accessor, bytes) = if wrong > 0.0 {
                    (output.as_u64().expect("it is a reference") as usize, 16)
                } else {
                    (file.attribute("POSITION"), 12)
                };
                let view = &file.json["accessors"][accessor]["bufferView"];
                let view = view.as_u64().expect("it is a reference") as usize;
                file.json["bufferViews"][view]["byteStride"] = json!(bytes);
            })
        },
    },
];

fn unskin(asset: &mut Asset) {
    for instance in &mut asset.instances {
        instance.skin = None;
    }
}
