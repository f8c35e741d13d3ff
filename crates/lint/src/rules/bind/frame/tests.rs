//! Rest poses that clips replace, and others.

use glam::{Mat4, Quat, Vec3};

use crate::pose::rigs::{clip, named_joint};
use crate::rig::{
    Asset, Channel, Influence, Influences, LocalTransform, MeshId, NodeId, Skeleton, SkinSlot,
    Track, Trs,
};
use crate::rules::bind::b205_bind_pose_mismatch::BindPoseMismatch;
use crate::testing::{arm, findings, rotating};

const ROTATION: Quat = Quat::from_xyzw(0.0, 0.0, 0.6, 0.8);

/// The arm, and its elbow at rest as `change` has it.
fn resting(asset: Asset, change: impl Fn(&mut Trs)) -> Asset {
    let mut joints = asset.skeleton.nodes().to_vec();
    let mut trs = joints[1].rest.to_trs();
    change(&mut trs);
    joints[1].rest = LocalTransform::Trs(trs);
    let skeleton = Skeleton::new(joints).expect("parents come first");
    Asset { skeleton, ..asset }
}

fn rotated(asset: Asset) -> Asset {
    resting(asset, |trs| trs.rotation = ROTATION)
}

#[test]
fn vertices_of_several_meshes_are_reported_for_the_skin() {
    let reported = |asset: &Asset| {
        let found = findings(asset, &BindPoseMismatch);
        assert_eq!(found.len(), 1, "{found:?}");
        (found[0].count, found[0].counted.to_string())
    };
    let one = rotated(arm());
    let mut two = one.clone();
    two.meshes.push(two.meshes[0].clone());
    let mut instance = two.instances[0].clone();
    instance.mesh = MeshId(1);
    two.instances.push(instance);
    let (count, counted) = reported(&one);
    assert_eq!(counted, "vertex");
    assert_eq!(reported(&two), (2 * count, "vertex of the skin".to_owned()));
}

fn fires(asset: &Asset) -> bool {
    !findings(asset, &BindPoseMismatch).is_empty()
}

#[test]
fn a_rest_pose_that_every_clip_replaces_is_right() {
    assert!(!fires(&rotating(arm(), ROTATION)));
    assert!(!fires(&rotated(rotating(arm(), ROTATION))));
    assert!(fires(&rotated(arm())));
}

#[test]
fn a_clip_that_leaves_a_joint_in_the_frame_of_another_is_reported() {
    let mut asset = rotated(rotating(arm(), ROTATION));
    let mut other = clip("other", 0.0, 1.0);
    asset.clips.push(other.clone());
    assert!(!fires(&asset), "it moves nothing");
    let rotation = Some(Track::linear([(0.0, ROTATION)]));
    let joint = NodeId(0);
    other.channels.push(Channel {
        rotation,
        ..Channel::of(joint)
    });
    asset.clips[1] = other;
    assert!(fires(&asset));
}

#[test]
fn a_joint_that_was_moved_is_not_explained_by_rotations() {
    let moved = |trs: &mut Trs| trs.translation += Vec3::Y * 0.2;
    let mut asset = resting(rotating(arm(), Quat::IDENTITY), moved);
    assert!(fires(&asset));
    let rest = asset.skeleton.nodes()[1].rest.to_trs().translation;
    let drive = |asset: &mut Asset, times: &[(f64, Vec3)]| {
        let track = Track::linear(times.iter().copied());
        asset.clips[0].channels[0].translation = Some(track);
    };
    // The bone is as long all the time.
    drive(&mut asset, &[(0.0, rest), (1.0, rest)]);
    assert!(fires(&asset));
    drive(&mut asset, &[(0.0, rest), (1.0, Vec3::Y)]);
    assert!(!fires(&asset));
}

#[test]
fn an_inverse_bind_matrix_that_is_off_is_reported_for_a_model_that_rests_in_a_frame() {
    let mut asset = rotating(arm(), ROTATION);
    let value = asset.skeleton.nodes()[1].rest.to_trs().translation;
    asset.clips[0].channels[0].translation = Some(Track::linear([(0.0, value)]));
    assert!(!fires(&asset));
    asset.skins[0].inverse_bind_matrices[1] = Mat4::from_translation(Vec3::X * 0.1);
    assert!(fires(&asset));
}

/// The arm with three leaves at the elbow, each of which has weights, and a clip that turns everything from how it was
/// bound.
fn with_rotating_leaves() -> Asset {
    let mut asset = rotating(arm(), ROTATION);
    let mut joints = asset.skeleton.nodes().to_vec();
    let elbow = asset.skins[0].inverse_bind_matrices[1];
    let rotation = asset.clips[0].channels[0].clone();
    for joint in (2..5).map(NodeId) {
        joints.push(named_joint(
            "leaf",
            Some(1),
            LocalTransform::Trs(Trs::IDENTITY),
        ));
        asset.skins[0].joints.push(joint);
        asset.skins[0].inverse_bind_matrices.push(elbow);
        asset.clips[0].channels.push(Channel {
            node: joint,
            ..rotation.clone()
        });
    }
    asset.skeleton = Skeleton::new(joints).expect("parents come first");
    let mesh = &mut asset.meshes[0];
    let mut lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
    for (list, slot) in lists.iter_mut().rev().zip([2, 3, 4, 2, 3, 4]) {
        *list = vec![Influence::new(SkinSlot(slot), 1.0)];
    }
    mesh.influences = Influences::from_vertices(lists);
    asset
}

#[test]
fn a_rotated_inverse_bind_matrix_of_a_leaf_is_reported_if_the_model_rests_as_bound() {
    let mut asset = with_rotating_leaves();
    assert!(!fires(&asset));
    let leaf = &mut asset.skins[0].inverse_bind_matrices[4];
    *leaf = Mat4::from_quat(ROTATION) * *leaf;
    assert!(fires(&asset));
}

#[test]
fn a_rest_pose_that_rotates_more_than_leaves_is_right() {
    let mut asset = rotated(with_rotating_leaves());
    for channel in &mut asset.clips[0].channels {
        let keys = &mut channel.rotation.as_mut().expect("it turns").keys;
        // At its end the elbow and one leaf are turned.
        if channel.node != NodeId(1) {
            keys.reverse();
        }
        if channel.node == NodeId(4) {
            keys.reverse();
        }
    }
    let mut joints = asset.skeleton.nodes().to_vec();
    let rotation = ROTATION;
    joints[4].rest = LocalTransform::Trs(Trs {
        rotation,
        ..Trs::IDENTITY
    });
    asset.skeleton = Skeleton::new(joints).expect("parents come first");
    assert!(!fires(&asset));
}

/// The arm that rests in a frame of its clip, with this many more joints that follow the elbow at the end of a long chain.
fn with_leaves(leaves: u32) -> Asset {
    let mut asset = rotated(rotating(arm(), ROTATION));
    let mut joints = asset.skeleton.nodes().to_vec();
    let named = |parent| named_joint("", Some(parent), LocalTransform::Trs(Trs::IDENTITY));
    let last = 1100;
    joints.extend((1..last).map(named));
    joints.extend((0..leaves).map(|_| named(last)));
    asset.skeleton = Skeleton::new(joints).expect("parents come first");
    let skin = &mut asset.skins[0];
    let elbow = skin.inverse_bind_matrices[1];
    for leaf in last + 1..=last + leaves {
        skin.joints.push(NodeId(leaf));
        skin.inverse_bind_matrices.push(elbow);
    }
    let mesh = &mut asset.meshes[0];
    let mut lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
    lists[0].extend((2..2 + leaves).map(|slot| Influence::new(SkinSlot(slot), 1e-9)));
    mesh.influences = Influences::from_vertices(lists);
    asset
}

#[test]
fn many_clips_skins_and_joints_are_checked_in_bounded_time() {
    let mut asset = with_leaves(10);
    let (clip, skin) = (asset.clips[0].clone(), asset.skins[0].clone());
    asset.skins = vec![skin; 1000];
    asset.clips = vec![clip.clone(); 10];
    assert!(!fires(&asset));
    asset.clips = vec![clip; 300];
    assert!(fires(&asset));
}
