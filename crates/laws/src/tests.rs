//! skincheck keeps its own laws, and every law catches a fault.

mod profiles;
mod whole;

use glam::{Mat4, Quat, Vec3};
use proptest::strategy::{Strategy, ValueTree};

use super::testing::{
    check_dual_quaternions, check_poses, check_rotations, check_skinning, check_vectors,
    check_weights, rotation_motions,
};
use super::*;
use crate::deadline::Deadline;
use crate::pose;
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{
    Asset, AssetBuilder, Channel, ChannelId, Clip, ClipId, Influence, Influences, LocalTransform,
    Mesh, NodeId, SkinningMethod, Span, Track, TrackPart, Trs,
};
use crate::units::Seconds;

#[test]
fn sampling_keeps_every_law() {
    check_rotations(&Own, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    check_vectors(&Own, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    // Morph weights, each coordinate as a target.
    let morphs = |track: &Track<Vec3>, time: f64| {
        let track = track.map(|v| v.to_array().to_vec());
        Vec3::from_slice(&pose::morph_weights_at(&track, Seconds(time)).expect("there is a key"))
    };
    check_vectors(&morphs, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    // Whole matrices, with the vector as a column.
    let matrices = |track: &Track<Vec3>, time: f64| {
        let track = track.map(|v| Mat4::from_translation(*v));
        let matrix = pose::matrix_at(&track, Seconds(time)).expect("there is a key");
        matrix.w_axis.truncate()
    };
    check_vectors(&matrices, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
#[expect(
    clippy::cast_possible_truncation,
    reason = "that is what such engines do"
)]
fn an_engine_that_counts_time_in_f32_keeps_every_law_within_its_tolerance() {
    let rotation = |track: &Track<Quat>, time: f64| Own.sample(track, f64::from(time as f32));
    check_rotations(&rotation, &Tolerance::F32_TIME).unwrap_or_else(|broken| panic!("{broken}"));
    let vector = |track: &Track<Vec3>, time: f64| Own.sample(track, f64::from(time as f32));
    check_vectors(&vector, &Tolerance::F32_TIME).unwrap_or_else(|broken| panic!("{broken}"));
}

/// Two nodes and two clips have one name; only the track of the second, which has six keys, is sampled wrongly.
#[test]
fn a_broken_law_states_the_clip_and_channel_by_ids() {
    let rest = LocalTransform::Trs(Trs::IDENTITY);
    let mut asset = asset_of(vec![named_joint("arm", None, rest); 2]);
    for (node, keys) in [2, 6].into_iter().enumerate() {
        let node = NodeId::from_index(node);
        let key = |key: u8| (f64::from(key), Vec3::X * f32::from(key * key));
        let mut clip = Clip::new("wave", Seconds(f64::from(keys - 1)));
        clip.channels = vec![Channel {
            translation: Some(Track::linear((0..keys).map(key))),
            ..Channel::of(node)
        }];
        asset.clips.push(clip);
    }
    let wrong = |track: &Track<Vec3>, time: f64| {
        let off = if track.keys.len() > 4 { time } else { 0.0 };
        Own.sample(track, time + off)
    };
    let subjects = Subjects {
        vectors: Some(&wrong),
        ..Subjects::default()
    };
    let laws = check_model(&asset, &subjects, &OPTIONS).laws;
    let findings: Vec<_> = laws.iter().filter_map(LawReport::finding).collect();
    assert!(!findings.is_empty());
    for finding in findings {
        let ids = finding.location.ids;
        let channel = ChannelId {
            node: NodeId(1),
            path: TrackPart::Translation,
        };
        assert_eq!((ids.clip, ids.channel), (Some(ClipId(1)), Some(channel)));
        assert_eq!(finding.location.clip.as_deref(), Some("wave"));
    }
}

#[test]
fn normalization_keeps_every_law() {
    check_weights(&Own).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn skinning_keeps_every_law() {
    check_skinning(&Cpu, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    check_dual_quaternions(&Cpu, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn the_formulas_keep_every_law() {
    let rotation =
        |track: &crate::rig::Track<Quat>, time: f64| reference::rotation(track, time).as_quat();
    check_rotations(&rotation, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    let vector =
        |track: &crate::rig::Track<Vec3>, time: f64| reference::vector(track, time).as_vec3();
    check_vectors(&vector, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    let skin = |body: &Body| -> Vec<Vec3> {
        let positions = reference::skin(body);
        positions
            .iter()
            .map(|position| position.as_vec3())
            .collect()
    };
    check_skinning(&skin, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
    check_dual_quaternions(&skin, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn posing_keeps_every_law() {
    check_poses(&Own, &Tolerance::F32).unwrap_or_else(|broken| panic!("{broken}"));
}

/// A leg that kicks.
pub(super) fn leg() -> Asset {
    let mut rig = AssetBuilder::new();
    let hip = rig.node("hip", None, Trs::IDENTITY);
    let up = Trs {
        translation: Vec3::Y,
        ..Trs::IDENTITY
    };
    let knee = rig.node("knee", Some(hip), up);
    let leg = rig.mesh(Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    let both = |a, b| vec![(hip, a), (knee, b)];
    rig.skin(leg, [both(1.0, 0.0), both(0.3, 0.5), both(0.2, 0.9)]);
    let kick = rig.clip("kick");
    let rotated = Quat::from_xyzw(0.6, 0.0, 0.0, -0.8);
    let still = Quat::IDENTITY;
    rig.rotate(kick, knee, [(0.5, still), (1.0, rotated), (2.5, still)]);
    rig.translate(kick, hip, [(0.0, Vec3::ZERO), (2.0, Vec3::ONE)]);
    rig.build().expect("the rig is whole")
}

pub(super) const OPTIONS: Options = Options {
    seed: 1,
    cases: 100,
    law: None,
    method: SkinningMethod::AsInFile,
    generated: false,
    tolerance: Tolerance::F32,
    deadline: Deadline::NEVER,
};

#[test]
fn a_model_keeps_every_law() {
    let subjects = Subjects {
        rotations: Some(&Own),
        vectors: Some(&Own),
        weights: Some(&Own),
        poser: Some(&Own),
        skinners: vec![("cpu", &Cpu)],
        ..Subjects::default()
    };
    let laws = check_model(&leg(), &subjects, &OPTIONS);
    let broken: Vec<_> = laws
        .laws
        .iter()
        .filter_map(|law| law.failure.as_ref())
        .collect();
    assert!(laws.hold(), "{broken:?}");
    let count = ROTATION_LAWS.len() + VECTOR_LAWS.len() + WEIGHT_LAWS.len() + POSE_LAWS.len();
    assert_eq!(laws.laws.len(), count + SKINNING_LAWS.len());
    assert!(laws.laws.iter().all(|law| law.cases == OPTIONS.cases));
    let untested = laws.laws.iter().filter(|law| !law.is_tested());
    assert_eq!(untested.map(|law| law.law).collect::<Vec<_>>(), [""; 0]);
}

/// The laws that a model breaks, and those that no case applies to.
fn verdicts(
    model: &Asset,
    subjects: &Subjects<'_>,
    tolerance: Tolerance,
) -> [Vec<&'static str>; 2] {
    let options = Options {
        tolerance,
        ..OPTIONS
    };
    let laws = check_model(model, subjects, &options);
    let names = |wanted: &dyn Fn(&LawReport) -> bool| {
        let laws = laws.laws.iter().filter(|law| wanted(law));
        laws.map(|law| law.law).collect()
    };
    [
        names(&|law| law.failure.is_some()),
        names(&|law| !law.is_tested()),
    ]
}

#[test]
fn more_or_fewer_vertices_are_reported_once_and_the_other_laws_are_not_tested() {
    let more = |body: &Body| {
        let mut positions = Cpu.skin(body);
        positions.extend([Vec3::ZERO; 3]);
        positions
    };
    let fewer = |body: &Body| Cpu.skin(body).into_iter().skip(1).collect::<Vec<_>>();
    let none = |_: &Body| Vec::new();
    let skinners: [&dyn Skinner; 3] = [&more, &fewer, &none];
    for skinner in skinners {
        let subjects = Subjects {
            skinners: vec![("skinning", skinner)],
            ..Subjects::default()
        };
        let [broken, untested] = verdicts(&leg(), &subjects, Tolerance::F32);
        assert_eq!(broken, ["vertex-count"]);
        assert_eq!(untested.len(), SKINNING_LAWS.len() - 1);
    }
}

/// A leg whose weights sum to `sum`.
fn leg_of_sum(sum: f32) -> Asset {
    let mut leg = leg();
    let lists = leg.meshes[0].influences.iter().map(|list| {
        let all: f32 = list.iter().map(|influence| influence.weight).sum();
        let scaled = |i: &Influence| Influence::new(i.slot, i.weight / all * sum);
        list.iter().map(scaled).collect::<Vec<_>>()
    });
    leg.meshes[0].influences = Influences::from_vertices(lists);
    leg
}

/// Uses weights as they are.
fn as_given(body: &Body) -> Vec<Vec3> {
    let vertex = |vertex: usize| {
        let blend = |sum: Vec3, influence: &Influence| {
            let joint = influence.slot.index();
            let matrix = body.joints[joint] * body.inverse_binds[joint];
            sum + matrix.transform_point3(body.positions[vertex]) * influence.weight
        };
        body.influences.of(vertex).iter().fold(Vec3::ZERO, blend)
    };
    (0..body.positions.len()).map(vertex).collect()
}

#[test]
fn an_engine_that_uses_weights_as_given_is_right_where_they_sum_to_1() {
    for (skinner, breaks) in [
        (&as_given as &dyn Skinner, &["weight-sum"][..]),
        (&Cpu, &[]),
    ] {
        let subjects = Subjects {
            skinners: vec![("skinning", skinner)],
            ..Subjects::default()
        };
        let [broken, untested] = verdicts(&leg_of_sum(1.0), &subjects, Tolerance::F32_TIME);
        assert_eq!(broken, [""; 0]);
        assert_eq!(untested, ["weight-sum"]);
        let [broken, untested] = verdicts(&leg_of_sum(0.5), &subjects, Tolerance::F32_TIME);
        assert_eq!(broken, breaks);
        assert_eq!(untested, [""; 0]);
    }
}

#[test]
fn generated_cases_test_sums_that_are_not_1() {
    let options = Options {
        generated: true,
        tolerance: Tolerance::F32_TIME,
        ..OPTIONS
    };
    for (skinner, holds) in [(&as_given as &dyn Skinner, false), (&Cpu, true)] {
        let subjects = Subjects {
            skinners: vec![("skinning", skinner)],
            ..Subjects::default()
        };
        let laws = check_model(&leg_of_sum(1.0), &subjects, &options).laws;
        let broken: Vec<&str> = laws
            .iter()
            .filter(|law| law.failure.is_some())
            .map(|law| law.law)
            .collect();
        assert_eq!(broken.is_empty(), holds, "{broken:?}");
        assert!(broken.iter().all(|law| *law == "weight-sum"), "{broken:?}");
        assert!(laws.iter().all(LawReport::is_tested));
    }
}

#[test]
fn constant_tracks_test_no_law_of_motion() {
    let mut leg = leg();
    for channel in &mut leg.clips[0].channels {
        for key in channel
            .translation
            .iter_mut()
            .flat_map(|track| &mut track.keys)
        {
            key.value = Vec3::ONE;
        }
    }
    // The mistake shows only in motion.
    let step = |track: &Track<Vec3>, time: f64| match reference::span_at(track, time) {
        Ok(span) => span.from.value,
        Err(held) => held,
    };
    let subjects = Subjects {
        vectors: Some(&step),
        ..Subjects::default()
    };
    let [broken, untested] = verdicts(&leg, &subjects, Tolerance::F32);
    assert_eq!(broken, [""; 0]);
    let motion = VECTOR_LAWS
        .iter()
        .map(|law| law.name)
        .filter(|name| !["key-time", "constant"].contains(name));
    assert_eq!(untested, motion.collect::<Vec<_>>());
}

#[test]
fn a_law_without_data_is_not_tested() {
    let subjects = Subjects {
        rotations: Some(&Own),
        weights: Some(&Own),
        skinners: vec![("cpu", &Cpu)],
        ..Subjects::default()
    };
    let mut empty = leg();
    empty.clips.clear();
    empty.instances.clear();
    empty.meshes.clear();
    let [broken, untested] = verdicts(&empty, &subjects, Tolerance::F32);
    assert_eq!(broken, [""; 0]);
    let all = ROTATION_LAWS.len() + WEIGHT_LAWS.len() + SKINNING_LAWS.len();
    assert_eq!(untested.len(), all);
}

/// What is found of one fault in the leg.
fn failure(subjects: &Subjects<'_>, law: &str) -> Failure {
    let options = Options {
        law: Some(law.to_owned()),
        ..OPTIONS
    };
    let laws = check_model(&leg(), subjects, &options);
    let mut failures = laws.laws.into_iter().filter_map(|law| law.failure);
    failures.next().expect("the fault breaks the law")
}

#[test]
fn a_track_that_fails_is_shrunk_to_two_keys_from_0_to_1_s() {
    // A lerp of the keys as they are.
    let long_way = |track: &Track<Quat>, time: f64| match reference::span_at(track, time) {
        Ok(span) => {
            let (from, to) = (span.from.value.as_dquat(), span.to.value.as_dquat());
            let blended = from * (1.0 - span.phase) + to * span.phase;
            blended.normalize().as_quat()
        }
        Err(held) => held,
    };
    let subjects = Subjects {
        rotations: Some(&long_way),
        ..Subjects::default()
    };
    let failure = failure(&subjects, "shortest-path");
    let track = failure.rig.clips[0].channels[0]
        .rotation
        .clone()
        .expect("it is driven");
    let times: Vec<f64> = track.keys.iter().map(|key| key.time.0).collect();
    assert_eq!(times, [0.0, 1.0]);
    assert_eq!(failure.time, Some(crate::units::Seconds(0.5)));
}

#[test]
fn a_body_that_fails_is_shrunk_to_one_vertex() {
    let without_binds = |body: &Body| {
        Cpu.skin(&Body {
            inverse_binds: vec![glam::Mat4::IDENTITY; body.joints.len()],
            ..body.clone()
        })
    };
    let subjects = Subjects {
        skinners: vec![("cpu", &without_binds)],
        ..Subjects::default()
    };
    let failure = failure(&subjects, "bind-pose");
    assert_eq!(failure.rig.meshes[0].positions.len(), 1);
    assert_eq!(failure.rig.meshes[0].influences.all().len(), 1);
    assert_eq!(failure.rig.skeleton.len(), 2);
}

#[test]
fn weights_that_fail_are_shrunk_to_one_influence() {
    let as_stored = |weights: &[Influence]| weights.to_vec();
    let subjects = Subjects {
        weights: Some(&as_stored),
        ..Subjects::default()
    };
    let failure = failure(&subjects, "sum-to-one");
    let [only] = failure.rig.meshes[0].influences.all() else {
        panic!("one influence is enough: {:?}", failure.rig.meshes[0]);
    };
    assert!((only.weight - 1.0).abs() > 0.1);
}

/// Such a track cannot be sent: glTF has one kind of interpolation per track.
#[cfg(unix)]
#[test]
fn tracks_of_mixed_spans_are_skipped_where_they_cannot_be_sent() {
    let mut leg = leg();
    let rotation = leg.clips[0]
        .channels
        .iter_mut()
        .find_map(|channel| channel.rotation.as_mut());
    rotation.expect("the knee turns").keys[0].span = Span::Step;
    // It answers nothing, so that a request would be an error.
    let limit = std::time::Duration::from_secs(5);
    let engine = Engine::start("exec cat > /dev/null", limit, limit).expect("there is a shell");
    let subjects = Subjects {
        rotations: Some(&engine),
        ..Subjects::default()
    };
    let laws = check_model(&leg, &subjects, &OPTIONS);
    assert!(engine.take_error().is_none());
    assert!(laws.laws.iter().all(|law| !law.is_tested()));
    assert_eq!(laws.skipped.tracks, 1);
}

#[test]
fn the_length_of_a_quaternion_does_not_change_the_rotation_that_is_compared() {
    let law = ROTATION_LAWS
        .iter()
        .find(|law| law.name == "reference-rotation")
        .expect("it is a law");
    let doubled = |track: &Track<Quat>, time: f64| Own.sample(track, time) * 2.0;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..50 {
        let case = rotation_motions().new_tree(&mut runner).unwrap().current();
        let verdict = (law.check)(&doubled, &case, &Tolerance::F32);
        assert!(verdict.is_ok(), "{verdict:?}");
    }
}
