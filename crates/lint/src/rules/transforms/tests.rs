//! Helpers of importers, motion, and what no file of glTF can hold.

use glam::{Mat4, Quat, Vec3};

use super::*;
use crate::finding::{Finding, Level};
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{Asset, LocalTransform, Node, NodeId, ReaderCode, Track, Trs};
use crate::testing::{arm, findings, read_by, rotating};

/// An eighth of a turn about z.
const ROTATION: Quat = Quat::from_xyzw(0.0, 0.0, 0.382_683_43, 0.923_879_5);

fn reported(findings: &[Finding]) -> Vec<(String, &str)> {
    let reported = findings
        .iter()
        .map(|f| (f.location.to_string(), f.message.as_str()));
    reported.collect()
}

fn scaled(scale: [f32; 3]) -> LocalTransform {
    LocalTransform::Trs(Trs {
        scale: scale.into(),
        ..Trs::IDENTITY
    })
}

/// The arm, read by `code`, with another hierarchy; its skin is of `bound`.
fn arm_read_by(code: ReaderCode, joints: Vec<Node>, bound: [u32; 2]) -> Asset {
    let mut asset = read_by(code, arm());
    asset.skeleton = asset_of(joints).skeleton;
    asset.skins[0].joints = bound.map(NodeId).into();
    asset
}

const STRETCHED: [f32; 3] = [1.0, 1.5, 1.0];
const PLAIN: [f32; 3] = [1.0, 1.0, 1.0];

/// A shoulder whose scale is apart, and an elbow on the `parent`th of its two joints.
fn split(parent: u32) -> Asset {
    let joints = vec![
        named_joint("shoulder (unscaled)", None, scaled(PLAIN)),
        named_joint("shoulder", Some(0), scaled(STRETCHED)),
        named_joint("elbow", Some(parent), scaled(PLAIN)),
    ];
    arm_read_by(ReaderCode::Ufbx, joints, [1, 2])
}

#[test]
fn a_scale_that_children_refuse_shears_nothing() {
    let rule = &t403_nonuniform_joint_scale::NonuniformJointScale;
    assert!(findings(&split(0), rule).is_empty());
    let expected = (
        "skin \"arm\", joint \"shoulder\"".to_owned(),
        "scaled by 1 × 1.5 × 1, which shears the joint below as it rotates",
    );
    assert_eq!(reported(&findings(&split(1), rule)), [expected]);
    for (parent, count) in [(0, 0), (1, 1)] {
        let mut asset = rotating(split(parent), ROTATION);
        asset.clips[0].channels[0].node = NodeId(2);
        let found = findings(&asset, &t406_sheared_in_motion::ShearedInMotion);
        assert_eq!(found.len(), count, "{found:?}");
    }
}

/// An elbow whose scale is in one of assimp's helpers, with weights on `bound`.
fn pivots(bound: [u32; 2]) -> Asset {
    let joints = vec![
        named_joint("shoulder", None, scaled(PLAIN)),
        named_joint("elbow_$AssimpFbx$_Scaling", Some(0), scaled(STRETCHED)),
        named_joint("elbow", Some(1), scaled(PLAIN)),
        named_joint("wrist", Some(2), scaled(PLAIN)),
    ];
    arm_read_by(ReaderCode::Assimp, joints, bound)
}

#[test]
fn a_helper_counts_as_the_joint_that_it_is_of() {
    let rule = &t403_nonuniform_joint_scale::NonuniformJointScale;
    assert!(findings(&pivots([0, 2]), rule).is_empty());
    let expected = (
        "skin \"arm\", joint \"elbow\"".to_owned(),
        "scaled by 1 × 1.5 × 1, which shears the joint below as it rotates",
    );
    assert_eq!(
        reported(&findings(&pivots([2, 3]), rule)),
        std::slice::from_ref(&expected)
    );
    assert_eq!(reported(&findings(&pivots([0, 3]), rule)), [expected]);
}

/// A shoulder scaled by `scale`, with an elbow that is rotated by `rest` and goes to an eighth of a turn in a clip.
fn bending(scale: [f32; 3], rest: Quat) -> Asset {
    let elbow = LocalTransform::Trs(Trs {
        rotation: rest,
        ..Trs::IDENTITY
    });
    let joints = vec![
        named_joint("shoulder", None, scaled(scale)),
        named_joint("elbow", Some(0), elbow),
    ];
    rotating(arm_read_by(ReaderCode::Gltf, joints, [0, 1]), ROTATION)
}

#[test]
fn shear_in_motion_is_reported_with_its_sample_time() {
    let rule = &t406_sheared_in_motion::ShearedInMotion;
    let found = findings(&bending([1.0, 1.5, 1.0], Quat::IDENTITY), rule);
    let expected = (
        "joint \"elbow\", clip \"turn\" at 1 s".to_owned(),
        "sheared by 0.28, limit 0.04",
    );
    assert_eq!(reported(&found), [expected]);
}

#[test]
fn shear_that_the_rest_pose_has_too_is_no_motions_fault() {
    let rule = &t406_sheared_in_motion::ShearedInMotion;
    assert!(findings(&bending([1.0, 1.5, 1.0], ROTATION), rule).is_empty());
    assert!(findings(&bending([1.5, 1.5, 1.5], Quat::IDENTITY), rule).is_empty());
}

#[test]
fn shear_without_a_clip_or_without_vertices_is_none() {
    let rule = &t406_sheared_in_motion::ShearedInMotion;
    let mut still = bending([1.0, 1.5, 1.0], Quat::IDENTITY);
    still.clips.clear();
    assert!(findings(&still, rule).is_empty());
    let mut alone = bending([1.0, 1.5, 1.0], Quat::IDENTITY);
    alone.skins[0].joints = vec![NodeId(0), NodeId(0)];
    assert!(findings(&alone, rule).is_empty());
}

#[test]
fn a_joint_that_is_scaled_away_is_not_sheared() {
    let joints = |scale| {
        vec![
            named_joint("root", None, scaled(PLAIN)),
            named_joint("hidden", Some(0), scaled(scale)),
            named_joint("tip", Some(1), scaled(PLAIN)),
        ]
    };
    let mut asset = rotating(
        arm_read_by(ReaderCode::Gltf, joints(PLAIN), [0, 2]),
        ROTATION,
    );
    asset.clips[0].channels[0].node = NodeId(2);
    let mut away = asset.clips[0].channels[0].clone();
    away.node = NodeId(1);
    away.rotation = None;
    let small = Vec3::new(1e-3, 2e-3, 1e-3);
    away.scale = Some(Track::linear([(0.0, small), (1.0, small)]));
    asset.clips[0].channels.push(away);
    let rule = &t406_sheared_in_motion::ShearedInMotion;
    assert!(findings(&asset, rule).is_empty());
    // As large as at rest, it is.
    for channel in &mut asset.clips[0].channels {
        for key in channel.scale.iter_mut().flat_map(|track| &mut track.keys) {
            key.value *= 500.0;
        }
    }
    assert_eq!(findings(&asset, rule).len(), 1);
}

#[test]
fn only_the_rule_about_nan_reports_nan() {
    for value in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
        let parts = LocalTransform::Trs(Trs {
            translation: Vec3::splat(value),
            rotation: Quat::from_xyzw(value, 0.0, 0.0, 1.0),
            scale: Vec3::new(value, -1.0, 0.5),
        });
        let mut matrix = Mat4::from_scale(Vec3::new(-1.0, 1.0, 2.0));
        matrix.y_axis.x = value;
        for rest in [parts, LocalTransform::Matrix(matrix)] {
            let joints = vec![
                named_joint("shoulder", None, rest),
                named_joint("elbow", Some(0), scaled(PLAIN)),
            ];
            let asset = rotating(arm_read_by(ReaderCode::Gltf, joints, [0, 1]), ROTATION);
            for rule in RULES {
                let count = findings(&asset, *rule).len();
                let code = rule.meta().code.0;
                let expected = usize::from(code == "T407");
                assert_eq!(count, expected, "{code} {value} {rest:?}");
            }
        }
    }
}

#[test]
fn an_empty_model_gives_no_findings() {
    for rule in RULES {
        assert!(findings(&asset_of(vec![]), *rule).is_empty());
    }
}

#[test]
fn a_scale_that_no_clip_turns_into_shear_is_an_info() {
    let level = |rotation: Quat| {
        let mut asset = split(1);
        let mut clips = rotating(asset.clone(), rotation).clips;
        clips[0].channels[0].node = NodeId(2);
        asset.clips = clips;
        findings(&asset, &t403_nonuniform_joint_scale::NonuniformJointScale)[0].level
    };
    assert_eq!(level(Quat::from_rotation_z(0.01)), Level::Info);
    assert_eq!(level(ROTATION), Level::Hint);
}
