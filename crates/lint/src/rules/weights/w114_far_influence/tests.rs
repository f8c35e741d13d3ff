//! What is far, and what only looks so.

use glam::{Mat4, Vec3};

use super::{FarInfluence, Regions, Topology};
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{
    Asset, Influence, Influences, LocalTransform, Mesh, MeshId, MeshInstance, NodeId, Skin, SkinId,
    SkinSlot,
};
use crate::testing::findings;

/// How many joints there are in the row.
const JOINTS: u8 = 11;

/// A row of joints along y, one unit apart, and a strip of vertices beside them, ten a unit. Each vertex follows the joint
/// below it, except for what `slot` says of the height: another slot.
fn row(slot: impl Fn(f32) -> Option<u32>, joined: impl Fn(u32) -> bool) -> Asset {
    let step = LocalTransform::Matrix(Mat4::from_translation(Vec3::Y));
    let joint = |index: u32| named_joint(&format!("joint {index}"), index.checked_sub(1), step);
    let mut asset = asset_of((0..u32::from(JOINTS)).map(joint).collect());
    let bind = |index: u8| Mat4::from_translation(Vec3::new(0.0, -f32::from(index), 0.0));
    asset.skins.push(Skin {
        name: "row".into(),
        joints: (0..u32::from(JOINTS)).map(NodeId).collect(),
        inverse_bind_matrices: (0..JOINTS).map(bind).collect(),
    });
    let heights: Vec<f32> = (0..100_u8).map(|index| f32::from(index) / 10.0).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let influence =
        |&height: &f32| Influence::new(SkinSlot(slot(height).unwrap_or(height as u32)), 1.0);
    let steps = (0..99).filter(|&vertex| joined(vertex));
    asset.meshes.push(Mesh {
        positions: heights.iter().map(|&y| Vec3::new(0.25, y, 0.0)).collect(),
        influences: Influences::from_vertices(heights.iter().map(|height| [influence(height)])),
        triangles: steps
            .map(|vertex| [vertex, vertex + 1, vertex + 1])
            .collect(),
        ..Mesh::default()
    });
    asset
        .instances
        .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
    asset
}

fn count(asset: &Asset) -> usize {
    let findings = findings(asset, &FarInfluence);
    findings.iter().map(|finding| finding.count).sum()
}

#[test]
fn each_vertex_on_its_own_joint_is_right() {
    assert_eq!(count(&row(|_| None, |_| true)), 0);
}

#[test]
fn a_patch_that_follows_a_joint_at_the_other_end_is_far() {
    let stray = |height: f32| (8.0..8.45).contains(&height).then_some(1);
    assert_eq!(count(&row(stray, |_| true)), 5);
}

#[test]
fn a_patch_that_follows_a_joint_nearby_is_not_far() {
    let near = |height: f32| (8.0..8.45).contains(&height).then_some(4);
    assert_eq!(count(&row(near, |_| true)), 0);
}

#[test]
fn a_region_connected_to_its_joint_is_not_far() {
    let cape = |height: f32| (1.0..8.45).contains(&height).then_some(1);
    assert_eq!(count(&row(cape, |_| true)), 0);
}

#[test]
fn a_piece_that_follows_one_joint_as_a_whole_is_a_prop() {
    let prop = |height: f32| (8.0..8.45).contains(&height).then_some(1);
    let apart = |vertex: u32| vertex != 79 && vertex != 84;
    assert_eq!(count(&row(prop, apart)), 0);
}

#[test]
fn a_vertex_among_pieces_of_a_joint_is_of_the_same_object() {
    // A piece of which half follows joint 1, alone or between two pieces that follow it as a whole.
    let own = |height: f32| (8.2..8.45).contains(&height);
    let apart = |vertex: u32| ![76, 80, 82, 84, 88].contains(&vertex);
    assert_eq!(count(&row(|height| own(height).then_some(1), apart)), 1);
    let props = |height: f32| (7.65..8.05).contains(&height) || (8.45..8.85).contains(&height);
    let among = |height: f32| (own(height) || props(height)).then_some(1);
    assert_eq!(count(&row(among, apart)), 0);
}

#[test]
fn without_a_nearer_joint_that_deforms_nothing_is_far() {
    // A lone joint carries everything, far from it as it is.
    let all = |height: f32| Some(u32::from(height > 9.85));
    assert_eq!(count(&row(all, |_| true)), 0);
}

#[test]
fn nan_is_left_to_other_rules() {
    let stray = |height: f32| (8.0..8.45).contains(&height).then_some(1);
    let mut asset = row(stray, |_| true);
    asset.meshes[0].positions[82] = Vec3::NAN;
    asset.skins[0].inverse_bind_matrices[5] = Mat4::NAN;
    asset.skins[0].inverse_bind_matrices[6] = Mat4::ZERO;
    assert_eq!(
        count(&asset),
        0,
        "the patch is not all of it known to be far"
    );
}

#[test]
fn a_joint_that_moves_two_ends_has_two_regions() {
    let mesh = Mesh {
        positions: (0..5_u8).map(|x| Vec3::new(x.into(), 0.0, 0.0)).collect(),
        triangles: vec![[0, 1, 1], [1, 2, 2], [2, 3, 3], [3, 4, 4]],
        ..Mesh::default()
    };
    let influence = |slot| Influence::new(SkinSlot(slot), 0.5);
    let lists = [
        vec![influence(7)],
        vec![influence(7), influence(1)],
        vec![influence(1)],
        vec![influence(1), influence(7)],
        vec![influence(7)],
    ];
    let influences = Influences::from_vertices(lists);
    let regions = Regions::of(&influences, &Topology::of(&mesh), 0.1);
    let slots: Vec<(usize, u32)> = regions
        .influences
        .iter()
        .map(|(v, influence)| (*v, influence.slot.0))
        .collect();
    assert_eq!(
        slots,
        [(0, 7), (1, 1), (1, 7), (2, 1), (3, 1), (3, 7), (4, 7)]
    );
    assert_eq!(regions.pieces, [0, 1, 0, 1, 1, 5, 5]);
}
