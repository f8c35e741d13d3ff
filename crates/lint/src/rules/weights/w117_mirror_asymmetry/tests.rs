use std::f32::consts::FRAC_PI_2;

use glam::{Mat4, Quat, Vec3};

use super::*;
use crate::finding::Finding;
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{
    Asset, Influence, Influences, LocalTransform, Mesh, MeshId, MeshInstance, NodeId, Skin, SkinId,
    SkinSlot,
};
use crate::testing::findings;

/// Slots: middle, left, right.
const JOINTS: [(&str, f32); 3] = [("spine", 0.0), ("arm.L", 1.0), ("arm.R", -1.0)];

/// Vertices along x from -1 to 1 in steps of 0.25, four of each at other heights.
fn positions() -> impl Iterator<Item = Vec3> {
    let row = |x: i8| (0..4_u8).map(move |y| Vec3::new(f32::from(x) / 4.0, y.into(), 0.0));
    (-4..=4).flat_map(row)
}

fn smooth(position: Vec3) -> Vec<Influence> {
    let side = if position.x > 0.0 { 1 } else { 2 };
    let influence = |slot, weight| Influence::new(SkinSlot(slot), weight);
    vec![
        influence(0, 1.0 - position.x.abs()),
        influence(side, position.x.abs()),
    ]
}

/// A bar whose vertices have the weights that `weigh` gives to their places.
fn bar(weigh: impl Fn(Vec3) -> Vec<Influence>) -> Asset {
    let at = |x: f32| Mat4::from_translation(Vec3::X * x);
    let joint = |(name, x): &(&str, f32)| named_joint(name, None, LocalTransform::Matrix(at(*x)));
    let mut asset = asset_of(JOINTS.iter().map(joint).collect());
    asset.meshes.push(Mesh {
        name: "bar".into(),
        positions: positions().collect(),
        influences: Influences::from_vertices(positions().map(weigh)),
        ..Mesh::default()
    });
    asset.skins.push(Skin {
        name: "bar".into(),
        joints: (0..3).map(NodeId).collect(),
        inverse_bind_matrices: JOINTS.map(|(_, x)| at(-x)).to_vec(),
    });
    asset
        .instances
        .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
    asset
}

/// As [`smooth`], but the last vertex on the left has `moved` of its weight on the spine.
fn lopsided(moved: f32) -> Asset {
    bar(|position| {
        let mut influences = smooth(position);
        if position == Vec3::new(1.0, 3.0, 0.0) {
            influences[0].weight += moved;
            influences[1].weight -= moved;
        }
        influences
    })
}

fn reported(asset: &Asset) -> Vec<Finding> {
    findings(asset, &MirrorAsymmetry)
}

#[test]
fn mirrored_weights_are_fine_and_others_are_reported_on_both_sides() {
    assert_eq!(reported(&lopsided(0.0)), []);
    assert_eq!(reported(&lopsided(0.04)), []);
    let found = reported(&lopsided(0.25));
    let [finding] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((finding.count, finding.location.vertex), (2, Some(3)));
    let message =
        "0.25 of the weight is on different joints than at its mirror image, vertex 35, limit 0.05";
    assert_eq!(finding.message, message);
}

#[test]
fn a_vertex_in_the_middle_is_checked_against_itself() {
    let asset = bar(|mut position| {
        position.x += if position.x == 0.0 { 0.125 } else { 0.0 };
        smooth(position)
    });
    let found = reported(&asset);
    assert_eq!(found[0].count, 4);
    assert!(
        found[0].message.contains("on its own other side"),
        "{}",
        found[0].message
    );
}

#[test]
fn names_are_not_needed() {
    for moved in [0.0, 0.25] {
        let mut asset = lopsided(moved);
        let mut joints = asset.skeleton.nodes().to_vec();
        for joint in &mut joints {
            joint.name = String::new();
        }
        asset.skeleton = joints.try_into().unwrap();
        assert_eq!(reported(&asset).len(), usize::from(moved > 0.0));
    }
}

#[test]
fn a_mesh_that_lies_otherwise_is_stood_up_by_its_joints() {
    let lying =
        Mat4::from_quat(Quat::from_rotation_z(FRAC_PI_2)) * Mat4::from_scale(Vec3::splat(100.0));
    let mut asset = lopsided(0.25);
    for position in &mut asset.meshes[0].positions {
        *position = lying.transform_point3(*position);
    }
    for matrix in &mut asset.skins[0].inverse_bind_matrices {
        *matrix *= lying.inverse();
    }
    assert_eq!(reported(&asset).len(), 1);
}

#[test]
fn a_model_beside_the_origin_is_mirrored_about_its_joints() {
    let mut asset = lopsided(0.25);
    for position in &mut asset.meshes[0].positions {
        position.x += 8.0;
    }
    for matrix in &mut asset.skins[0].inverse_bind_matrices {
        *matrix *= Mat4::from_translation(Vec3::X * -8.0);
    }
    let beside = Mat4::from_translation(Vec3::X * 8.0);
    let mut joints = asset.skeleton.nodes().to_vec();
    for joint in &mut joints {
        joint.rest = LocalTransform::Matrix(beside * joint.rest.to_matrix());
    }
    asset.skeleton = joints.try_into().unwrap();
    assert_eq!(reported(&asset).len(), 1);
}

#[test]
fn vertices_without_a_mirror_image_are_not_judged() {
    // The vertex, and then most of the mesh.
    let mut asset = lopsided(0.25);
    asset.meshes[0].positions[35].y += 0.01;
    assert_eq!(reported(&asset), []);
    let mut asset = lopsided(0.25);
    for position in &mut asset.meshes[0].positions[..12] {
        position.y += 0.01;
    }
    assert_eq!(reported(&asset), []);
    // The joint.
    let mut asset = lopsided(0.25);
    asset.skins[0].inverse_bind_matrices[2].w_axis.y += 1.0;
    assert_eq!(reported(&asset), []);
}

#[test]
fn nan_is_not_judged() {
    for odd in [f32::NAN, f32::INFINITY] {
        let mut asset = lopsided(0.0);
        asset.meshes[0].positions[35].x = odd;
        assert_eq!(reported(&asset), []);
        asset.skins[0].inverse_bind_matrices = vec![Mat4::IDENTITY * odd; 3];
        assert_eq!(reported(&asset), []);
        let odd = bar(|position| {
            vec![Influence {
                weight: odd,
                ..smooth(position)[0]
            }]
        });
        assert_eq!(reported(&odd), []);
    }
}
