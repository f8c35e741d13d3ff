//! What importers get wrong, one at a time.

use glam::{Mat4, Quat, Vec3};

use super::super::{Kind, Stage, compare};
use super::{Change, first_difference_is, parts};
use crate::pose::rigs::{asset_of, clip, named_joint};
use crate::rig::{
    Asset, AssetBuilder, Channel, ChannelId, ClipId, Ids, Influences, LocalTransform, Mesh, Node,
    NodeId, Skeleton, Span, Track, TrackPart, Trs,
};

/// Replaces joint `index` of the skeleton.
fn with_joint(asset: &mut Asset, index: usize, change: impl Fn(&mut Node)) {
    let mut joints = asset.skeleton.nodes().to_vec();
    change(&mut joints[index]);
    asset.skeleton = Skeleton::new(joints).unwrap();
}

fn last(asset: &Asset) -> usize {
    asset.skeleton.len() - 1
}

fn run_straight<T>(track: Option<&mut Track<T>>) {
    for key in &mut track.unwrap().keys {
        key.span = Span::Linear;
    }
}

fn change_influences(asset: &mut Asset, change: impl Fn(&mut Vec<crate::rig::Influence>)) {
    let influences = &mut asset.meshes[0].influences;
    let lists = influences.iter().map(|list| {
        let mut list = list.to_vec();
        change(&mut list);
        list
    });
    *influences = Influences::from_vertices(lists.collect::<Vec<_>>());
}

const FAULTS: &[(&str, Stage, Change)] = &[
    ("a joint is called otherwise", Stage::Joints, |asset| {
        with_joint(asset, last(asset), |joint| joint.name = "other".into());
    }),
    ("a joint has no parent", Stage::Joints, |asset| {
        with_joint(asset, last(asset), |joint| joint.parent = None);
    }),
    ("a joint rests elsewhere", Stage::RestPose, |asset| {
        with_joint(asset, last(asset), |joint| {
            let mut rest = parts(&joint.rest);
            rest.translation.x += 0.01;
            joint.rest = LocalTransform::Trs(rest);
        });
    }),
    ("a joint rests turned", Stage::RestPose, |asset| {
        with_joint(asset, 0, |joint| {
            let mut rest = parts(&joint.rest);
            rest.rotation *= Quat::from_xyzw(0.001, 0.0, 0.0, 1.0).normalize();
            joint.rest = LocalTransform::Trs(rest);
        });
    }),
    ("morphs rest at full weight", Stage::RestPose, |asset| {
        for instance in &mut asset.instances {
            instance.morph_weights.fill(1.0);
        }
    }),
    (
        "inverse binds are transposed",
        Stage::InverseBinds,
        |asset| {
            for matrix in &mut asset.skins[0].inverse_bind_matrices {
                let translation = matrix.w_axis;
                *matrix = matrix.transpose();
                matrix.x_axis.w = 0.0;
                matrix.y_axis.w = 0.0;
                matrix.z_axis.w = 0.0;
                matrix.w_axis = translation;
            }
        },
    ),
    ("the fifth influence is dropped", Stage::Weights, |asset| {
        change_influences(asset, |list| list.truncate(4));
    }),
    ("a weight is a little off", Stage::Weights, |asset| {
        change_influences(asset, |list| {
            for influence in list {
                influence.weight *= 1.001;
            }
        });
    }),
    ("a vertex is elsewhere", Stage::Weights, |asset| {
        asset.meshes[0].positions[5].y += 0.01;
    }),
    ("a triangle is lost", Stage::Weights, |asset| {
        asset.meshes[0].triangles.pop();
    }),
    ("a morph target is lost", Stage::Weights, |asset| {
        asset.meshes[0].morph_targets.pop();
        for instance in &mut asset.instances {
            instance.morph_weights.pop();
        }
    }),
    ("morph targets are bitangents", Stage::Weights, |asset| {
        let mesh = &mut asset.meshes[0];
        mesh.morph_targets[0].positions = mesh.bitangents.clone();
    }),
    ("the skin is lost", Stage::Weights, |asset| {
        asset.instances[0].skin = None;
    }),
    ("a clip is lost", Stage::Clips, |asset| asset.clips.clear()),
    ("a clip is called otherwise", Stage::Clips, |asset| {
        asset.clips[0].name = "other".into();
    }),
    ("a clip ends later", Stage::Clips, |asset| {
        asset.clips[0].end.0 += 0.01;
    }),
    ("a track is lost", Stage::Clips, |asset| {
        asset.clips[0].channels[0].rotation = None;
    }),
    ("steps run straight", Stage::Clips, |asset| {
        run_straight(asset.clips[0].channels[1].translation.as_mut());
    }),
    ("a key comes late", Stage::Clips, |asset| {
        let track = asset.clips[0].channels[0].translation.as_mut().unwrap();
        track.keys[1].time.0 += 0.1;
    }),
    ("a key has another value", Stage::Clips, |asset| {
        let track = asset.clips[0].channels[0].scale.as_mut().unwrap();
        track.keys[1].value.x += 0.01;
    }),
    ("times are milliseconds", Stage::Clips, |asset| {
        let clip = &mut asset.clips[0];
        clip.end.0 *= 1000.0;
        for channel in &mut clip.channels {
            let keys = channel.translation.as_mut().unwrap().keys.iter_mut();
            keys.for_each(|key| key.time.0 *= 1000.0);
        }
    }),
    ("morph keys are lost", Stage::Clips, |asset| {
        asset.clips[0].morph_channels.clear();
    }),
];

#[test]
fn each_fault_is_found_at_its_stage() {
    for (name, stage, fault) in FAULTS {
        let verdict = first_difference_is(Some(*stage), *fault);
        verdict.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(first_difference_is(None, *fault).is_err(), "{name}");
    }
}

/// A triangle that follows `joint` of a rig.
fn bound(mut rig: AssetBuilder, joint: NodeId) -> Asset {
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(joint, 1.0)]; 3]);
    rig.build().expect("it is whole")
}

#[test]
fn joints_of_one_name_are_distinguished_by_path_or_number() {
    let reported = |roots: [&str; 2]| {
        let bound_to_hips_of = |side: usize| {
            let mut rig = AssetBuilder::new();
            let hips = roots.map(|name| {
                let root = rig.node(name, None, Trs::IDENTITY);
                rig.node("hips", Some(root), Trs::IDENTITY)
            });
            bound(rig, hips[side])
        };
        let report = compare(&bound_to_hips_of(0), &bound_to_hips_of(1)).unwrap();
        let first = report.first_difference().expect("they are bound elsewhere");
        let differences = first.differences.iter();
        let mut influences = differences.filter(|found| found.kind == Kind::Influences);
        influences.next().expect("influences differ").says.clone()
    };
    assert_eq!(
        reported(["left", "right"]),
        ["left/hips 1.0000", "right/hips 1.0000"]
    );
    assert_eq!(
        reported(["rig", "rig"]),
        ["rig/hips #1 1.0000", "rig/hips #3 1.0000"]
    );
}

#[test]
fn clips_and_joints_of_one_name_are_told_apart_by_the_ids_of_the_first_importer() {
    let rest = LocalTransform::Trs(Trs::IDENTITY);
    let joints = || {
        let names = [("root", None), ("tip", Some(0)), ("tip", Some(0))];
        names.map(|(name, parent)| named_joint(name, parent, rest))
    };
    let mut asset = scaled(joints().into(), 1);
    asset.clips.extend(scaled(joints().into(), 2).clips);
    let mut other = asset.clone();
    for key in &mut other.clips[1].channels[0].scale.as_mut().unwrap().keys {
        key.value *= 2.0;
    }
    let report = compare(&asset, &other).unwrap();
    let first = report.first_difference().expect("a scale differs");
    let location = &first.differences[0].location;
    let expected = Ids {
        node: Some(NodeId(2)),
        clip: Some(ClipId(1)),
        channel: Some(ChannelId {
            node: NodeId(2),
            path: TrackPart::Scale,
        }),
        ..Ids::NONE
    };
    assert_eq!((first.stage, location.ids), (Stage::Clips, expected));
    assert_eq!(location.joint.as_deref(), Some("root/tip"));
    assert!(location.ambiguous, "two clips are named \"grow\"");
    // What only the second importer has is named, without ids.
    let report = compare(&scaled(joints().into(), 1), &asset).unwrap();
    let first = report.first_difference().expect("a clip is missing");
    let location = &first.differences[0].location;
    assert_eq!(location.ids, Ids::NONE);
    assert_eq!(location.clip.as_deref(), Some("grow"));
}

#[test]
fn only_a_clip_that_the_file_does_not_name_may_have_any_name() {
    let rest = LocalTransform::Trs(Trs::IDENTITY);
    let named = |name: &str, unnamed| {
        let mut asset = scaled(vec![named_joint("root", None, rest)], 0);
        asset.clips[0].name = name.to_owned();
        asset.clips[0].unnamed = unnamed;
        asset
    };
    let agree = |unnamed| {
        let assets = [("animation_0", true), ("animation", unnamed)];
        let [a, b] = assets.map(|(name, unnamed)| named(name, unnamed));
        compare(&a, &b).unwrap().agrees()
    };
    assert!(agree(true));
    assert!(!agree(false));
}

#[test]
fn an_inverse_bind_difference_states_where_the_mesh_goes() {
    let mut rig = AssetBuilder::new();
    let hips = rig.node("hips", None, Trs::IDENTITY);
    let asset = bound(rig, hips);
    let mut other = asset.clone();
    other.skins[0].inverse_bind_matrices[0] = Mat4::from_scale(Vec3::new(3.0, 1.0, 1.0));
    for (pair, [one, two]) in [
        ([&asset, &other], ["1", "3"]),
        ([&other, &asset], ["3", "1"]),
    ] {
        let report = compare(pair[0], pair[1]).unwrap();
        let first = report.first_difference().expect("one is larger");
        let reported = &first.differences[0];
        assert_eq!(reported.kind, Kind::InverseBind);
        assert_eq!(reported.location.joint.as_deref(), Some("hips"));
        let corner =
            |x: &str| format!("a corner of the mesh's box at ({x}.000000 0.000000 0.000000)");
        assert_eq!(reported.says, [one, two].map(corner));
    }
}

/// A joint and its child; the clip scales the joint. `children` is the child's parent.
fn scaled(joints: Vec<Node>, scaled: u32) -> Asset {
    let mut asset = asset_of(joints);
    let mut grow = clip("grow", 0.0, 1.0);
    grow.channels = vec![Channel {
        scale: Some(super::track(0, Vec3::ONE, Vec3::splat(2.0), &Vec3::ZERO)),
        ..Channel::of(NodeId(scaled))
    }];
    asset.clips = vec![grow];
    asset
}

#[test]
fn scale_that_a_child_ought_not_to_inherit_is_found_in_the_posed_joints() {
    let at = |y: f32| {
        LocalTransform::Trs(Trs {
            translation: Vec3::Y * y,
            ..Trs::IDENTITY
        })
    };
    let inherits = vec![
        named_joint("X", None, at(1.0)),
        named_joint("Y", Some(0), at(2.0)),
    ];
    let apart = vec![
        named_joint("X (unscaled)", None, at(1.0)),
        named_joint("X", Some(0), at(0.0)),
        named_joint("Y", Some(0), at(2.0)),
    ];
    let report = compare(&scaled(inherits, 0), &scaled(apart, 1)).unwrap();
    let first = report.first_difference().expect("the child is elsewhere");
    assert_eq!(first.stage, Stage::PosedJoints, "{first:?}");
    assert_eq!(first.differences[0].kind, Kind::JointPosition);
    assert_eq!(first.differences[0].location.joint.as_deref(), Some("X/Y"));
}

#[test]
fn a_step_read_as_linear_names_the_track() {
    let rest = LocalTransform::Trs(Trs::IDENTITY);
    let mut asset = scaled(vec![named_joint("X", None, rest)], 0);
    for key in &mut asset.clips[0].channels[0].scale.as_mut().unwrap().keys {
        key.span = Span::Step;
    }
    let mut other = asset.clone();
    run_straight(other.clips[0].channels[0].scale.as_mut());
    let report = compare(&asset, &other).unwrap();
    let first = report.first_difference().expect("steps are no lines");
    let reported = &first.differences[0];
    assert_eq!(reported.kind, Kind::Interpolation);
    assert_eq!(reported.location.clip.as_deref(), Some("grow"));
    assert_eq!(reported.location.joint.as_deref(), Some("X"));
    assert_eq!(reported.location.part, Some(TrackPart::Scale.into()));
    assert_eq!(reported.says, ["3 keys, step", "3 keys, linear"]);
}

#[test]
fn nan_values_do_not_hide_and_do_not_panic() {
    let nan = LocalTransform::Trs(Trs {
        translation: Vec3::splat(f32::NAN),
        ..Trs::IDENTITY
    });
    let odd = scaled(vec![named_joint("X", None, nan)], 0);
    let rest = LocalTransform::Trs(Trs::IDENTITY);
    let sound = scaled(vec![named_joint("X", None, rest)], 0);
    assert!(compare(&odd, &odd).unwrap().agrees());
    assert!(!compare(&odd, &sound).unwrap().agrees());
}
