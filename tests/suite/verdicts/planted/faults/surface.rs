//! Faults of the surface, at rest and in motion.

use glam::{Quat, Vec3};
use skincheck::rig::{Asset, Channel, Clip, Mesh, NodeId, Track};
use skincheck::units::Seconds;

use super::{Class, child, diagonal, middle, noise, owned, slot, trs};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a limb twisted at a joint (degrees)", &["D610"])
        .seen_from(140.0, &[20.0, 140.0, 160.0, 178.0])
        .planted(|asset, degrees| {
            let axis = along(asset, middle(asset));
            posed(asset, axis, degrees)
        }),
    Class::of("a limb bent at a joint (degrees)", &["D610", "D605"])
        .seen_from(150.0, &[30.0, 150.0, 165.0, 178.0])
        .planted(|asset, degrees| {
            let axis = along(asset, middle(asset)).any_orthonormal_vector();
            posed(asset, axis, degrees)
        }),
    Class::of(
        "a limb that loses its volume (factor of its width)",
        &["D610", "D605"],
    )
    .seen_from(0.3, &[0.97, 0.3, 0.1])
    .planted(|asset, factor| {
        let joint = middle(asset);
        let axis = above(asset, joint).abs();
        let Some(clip) = asset.clips.first_mut() else {
            return false;
        };
        let id = NodeId::from_index(joint);
        let wide = Vec3::splat(factor) + axis * (1.0 - factor);
        let end = clip.end.0;
        let Some(channel) = clip.channels.iter_mut().find(|channel| channel.node == id) else {
            return false;
        };
        let keys = [(0.0, Vec3::ONE), (end / 2.0, wide), (end, Vec3::ONE)];
        channel.scale = Some(Track::linear(keys));
        (0.0..0.9).contains(&factor)
    }),
    Class::of("triangles wound the wrong way (part)", &["G809", "G810"])
        .seen_from(0.02, &[0.0, 0.02, 0.2, 1.0])
        .planted(|asset, part| {
            let mesh = &mut asset.meshes[0];
            // Without normals nothing tells which side of a surface that is reversed as a whole was the outer one.
            reverse(mesh, part) && (part < 1.0 || !mesh.normals.is_empty())
        }),
    Class::of(
        "triangles wound the wrong way, here and there (part)",
        &["G809"],
    )
    .seen_from(0.02, &[0.02, 0.2])
    .planted(|asset, part| {
        let triangles = asset.meshes[0].triangles.iter_mut().enumerate();
        for (number, corners) in triangles {
            if noise(number).abs() < part {
                corners.swap(1, 2);
            }
        }
        true
    }),
    Class::of(
        "triangles wound the wrong way, without normals (part)",
        &["G809"],
    )
    .seen_from(0.02, &[0.0, 0.02, 0.2, 0.45])
    .planted(|asset, part| {
        let mesh = &mut asset.meshes[0];
        mesh.normals.clear();
        reverse(mesh, part)
    }),
    Class::of("normals that point inwards (part)", &["G810", "G809"])
        .seen_from(0.05, &[0.05, 0.3, 1.0])
        .planted(|asset, part| {
            let normals = &mut asset.meshes[0].normals;
            let count = (normals.len() as f32 * part) as usize;
            normals[..count]
                .iter_mut()
                .for_each(|normal| *normal = -*normal);
            count > 0
        }),
    Class::of("normals that are all the same", &["G810"]).planted(|asset, _| {
        asset.meshes[0].normals.fill(Vec3::Y);
        !asset.meshes[0].normals.is_empty()
    }),
    Class::of(
        "normals that do not follow the surface (degrees)",
        &["G810"],
    )
    .seen_from(90.0, &[5.0, 90.0, 150.0])
    .planted(|asset, degrees| {
        let rotate = |(number, normal): (usize, &mut Vec3)| {
            let axis = Vec3::new(noise(number), noise(number + 7), noise(number + 13));
            let axis = axis.cross(*normal).try_normalize().unwrap_or(Vec3::X);
            *normal = Quat::from_axis_angle(axis, degrees.to_radians()) * *normal;
        };
        asset.meshes[0]
            .normals
            .iter_mut()
            .enumerate()
            .for_each(rotate);
        !asset.meshes[0].normals.is_empty()
    }),
    Class::of("normals rotated about an axis (degrees)", &["G810"])
        .seen_from(45.0, &[3.0, 45.0, 90.0, 180.0])
        .planted(|asset, degrees| {
            let turn = Quat::from_rotation_x(degrees.to_radians());
            let normals = asset.meshes[0].normals.iter_mut();
            normals.for_each(|normal| *normal = turn * *normal);
            !asset.meshes[0].normals.is_empty()
        }),
    Class::of("no normals", &["G804"]).planted(|asset, _| {
        let mesh = &mut asset.meshes[0];
        let had = !mesh.normals.is_empty();
        mesh.normals.clear();
        mesh.tangents.clear();
        mesh.bitangents.clear();
        // Where each triangle has its own vertices, its plane tells the normals.
        had && mesh.positions.len() < mesh.triangles.len()
    }),
    Class::of("a spike of one vertex (diagonals)", &["G811"])
        .seen_from(0.1, &[0.001, 0.1, 0.3, 1.0])
        .planted(|asset, by| {
            let vertex = owned(asset, slot(asset, middle(asset)))[0];
            let by = by * diagonal(asset);
            let mesh = &mut asset.meshes[0];
            if mesh.normals.is_empty() {
                return false;
            }
            let (at, out) = (mesh.positions[vertex], mesh.normals[vertex] * by);
            // The vertices of all sides of a seam.
            let own = mesh
                .positions
                .iter_mut()
                .filter(|position| **position == at);
            own.for_each(|position| *position += out);
            true
        }),
    Class::of("triangles that name a vertex twice (part)", &["G803"])
        .seen_from(0.01, &[0.0, 0.01, 0.1])
        .planted(|asset, part| {
            let triangles = &mut asset.meshes[0].triangles;
            let count = triangles.len();
            let wanted = (count as f32 * part).ceil() as usize;
            let step = count / wanted.max(1);
            for corners in triangles.iter_mut().step_by(step).take(wanted) {
                corners[2] = corners[1];
            }
            wanted > 0
        }),
    Class::of("a vertex far from the rest (diagonals)", &["G811"])
        .seen_from(3.0, &[0.001, 3.0, 5.0, 500.0])
        .planted(|asset, by| {
            let by = by * diagonal(asset);
            let mesh = &mut asset.meshes[0];
            let vertex = mesh.positions.len() / 2;
            let out = mesh.normals.get(vertex).copied().unwrap_or(Vec3::X);
            mesh.positions[vertex] += out * by;
            true
        }),
    Class::of("a vertex that is nowhere (NaN)", &["G801"]).planted(|asset, _| {
        asset.meshes[0].positions[7].y = f32::NAN;
        true
    }),
    Class::of(
        "a hole where a surface was closed: a collapsed part (part)",
        &["D603", "G803"],
    )
    .seen_from(0.1, &[0.0, 0.1])
    .planted(|asset, part| {
        let mesh = &mut asset.meshes[0];
        let count = (mesh.positions.len() as f32 * part) as usize;
        let at = mesh.positions[0];
        mesh.positions[..count].fill(at);
        count > 0
    }),
];

/// Winds the first triangles the wrong way.
fn reverse(mesh: &mut Mesh, part: f32) -> bool {
    let count = (mesh.triangles.len() as f32 * part) as usize;
    let reversed = mesh.triangles[..count].iter_mut();
    reversed.for_each(|corners| corners.swap(1, 2));
    count > 0
}

/// The direction from a joint to its child, in the joint's space at rest.
fn along(asset: &Asset, joint: usize) -> Vec3 {
    let child = child(asset, joint).expect("a joint in the middle of a limb has a child");
    let mut rest = asset.skeleton.nodes()[child].rest;
    trs(&mut rest).translation.normalize()
}

/// The direction from the parent of a joint to it, in the parent's space at rest.
fn above(asset: &Asset, joint: usize) -> Vec3 {
    let mut rest = asset.skeleton.nodes()[joint].rest;
    trs(&mut rest).translation.normalize()
}

/// Adds a clip that rotates a joint of a limb about `axis`. Returns `false` if no vertices are halfway between it and its parent.
fn posed(asset: &mut Asset, axis: Vec3, degrees: f32) -> bool {
    let joint = middle(asset);
    let parent = asset.skeleton.nodes()[joint].parent;
    let ends = [joint, parent.expect("it has a grandparent").index()].map(|own| slot(asset, own));
    let shared = asset.meshes[0].influences.iter().filter(|list| {
        let weight = |slot: u32| {
            let own = list.iter().filter(|own| own.slot.0 == slot);
            own.map(|own| own.weight).sum::<f32>()
        };
        ends.iter().all(|slot| weight(*slot) > 0.45)
    });
    shared.count() > 2 && rotate(asset, joint, axis, degrees)
}

fn rotate(asset: &mut Asset, joint: usize, axis: Vec3, degrees: f32) -> bool {
    let mut rest = asset.skeleton.nodes()[joint].rest;
    let rest = trs(&mut rest).rotation;
    let key = |step: u8| {
        let angle = (degrees * f32::from(step) / 8.0).to_radians();
        let rotation = rest * Quat::from_axis_angle(axis, angle);
        (f64::from(step) / 8.0, rotation)
    };
    asset.clips.push(Clip {
        channels: vec![Channel {
            rotation: Some(Track::linear((0..=8).map(key))),
            ..Channel::of(NodeId::from_index(joint))
        }],
        ..Clip::new("Turn", Seconds(1.0))
    });
    true
}
