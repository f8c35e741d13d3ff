//! Faults of meshes and their nodes.

use glam::{Vec2, Vec3};
use serde_json::json;
use skincheck::rig::{Asset, Influences, Node, NodeId, Skeleton};

use super::super::stored::through_file;
use super::Class;

pub(super) const CLASSES: &[Class] = &[
    Class::of("a normal that is NaN", &["G812"]).planted(|asset, _| {
        asset.meshes[0].normals[5] = Vec3::NAN;
        true
    }),
    Class::of("a texture coordinate that is infinite", &["G812"]).planted(|asset, _| {
        let count = asset.meshes[0].positions.len();
        let mut uvs = vec![Vec2::ZERO; count];
        uvs[3].x = f32::INFINITY;
        asset.meshes[0].uv_sets.push(uvs);
        true
    }),
    Class::of("a tangent that is NaN", &["G812"]).planted(|asset, _| {
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
    }),
    Class::of("weights without a skin", &["B208", "G807"]).planted(|asset, _| {
        unskin(asset);
        true
    }),
    Class::of("a skin without weights", &["W104", "G807"]).planted(|asset, _| {
        asset.meshes[0].influences = Influences::default();
        unskin(asset);
        true
    }),
    Class::of("clips that move a copy of the skeleton", &["G822"]).planted(|asset, _| {
        let mut nodes = asset.skeleton.nodes().to_vec();
        let count = nodes.len() as u32;
        let copies = nodes.clone().into_iter().map(|node| Node {
            name: format!("copy of {}", node.name),
            parent: node.parent.map(|parent| NodeId(parent.0 + count)),
            ..node
        });
        nodes.extend(copies);
        asset.skeleton = Skeleton::new(nodes).expect("parents come first");
        let channels = asset.clips.iter_mut().flat_map(|clip| &mut clip.channels);
        let mut is_planted = false;
        for channel in channels {
            channel.node.0 += count;
            is_planted = true;
        }
        is_planted
    }),
    Class::of("triangles without area (all)", &["G803", "D609"]).planted(|asset, _| {
        asset.meshes[0].positions.fill(Vec3::ONE);
        true
    }),
    Class::of(
        "tangents whose fourth number is no sign (number)",
        &["G816"],
    )
    .seen_from(0.0, &[-1.0, 0.0, 0.5, 127.0])
    .planted(|asset, side| {
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
    }),
    Class::of(
        "a box that is not that of the positions (factor)",
        &["G817"],
    )
    .seen_from(1.01, &[1.000_001, 1.01, 2.0])
    .planted(|asset, factor| {
        through_file(asset, |file| {
            let accessor = file.attribute("POSITION");
            let bounds = &mut file.json["accessors"][accessor]["max"];
            for bound in bounds.as_array_mut().expect("positions have bounds") {
                *bound = json!(f64::from(factor) * bound.as_f64().expect("it is a number"));
            }
        })
    }),
    Class::of(
        "a clip whose last time is stated wrongly (factor)",
        &["G817"],
    )
    .seen_from(1.04, &[1.000_001, 1.04, 0.5])
    .planted(|asset, factor| {
        through_file(asset, |file| {
            let sampler = &file.json["animations"][0]["samplers"][0];
            let input = sampler["input"].as_u64().expect("it is a reference") as usize;
            let end = &mut file.json["accessors"][input]["max"][0];
            *end = json!(f64::from(factor) * end.as_f64().expect("times have bounds"));
        })
    }),
];

fn unskin(asset: &mut Asset) {
    for instance in &mut asset.instances {
        instance.skin = None;
    }
}
