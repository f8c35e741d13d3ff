//! Causes that are named as what they are: planted ones, and pairs of real exporters.

use std::path::Path;

use glam::{Mat4, Vec3};
use skincheck::diff::{self, Accepted, Kind, Options, Report, Source};
use skincheck::import;
use skincheck::rig::{
    Asset, AssetBuilder, Blending, Channel, Key, LocalTransform, Mesh, NodeId, Span, Track, Trs,
};
use skincheck::units::Seconds;

use super::edit::{
    EveryTrack, Kept, below, channel, id, joint, remove_joint, resample, rest, rotation, rotations,
    splined, tracks,
};
use super::references::reference;
use super::{compare, load, reported, walker};
use crate::program::reading;

/// The kinds of all differences.
fn kinds(report: &Report) -> Vec<Kind> {
    report.differences().map(|own| own.kind).collect()
}

/// Asserts the kinds of all differences.
#[track_caller]
fn has_kinds(report: &Report, expected: &[Kind]) {
    assert_eq!(kinds(report), expected, "{}", reported(report));
}

/// Compares two models or references beside the corpus; `None` without them.
pub(super) fn compare_cases(paths: [&str; 2], align: &[Accepted]) -> Option<Report> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS")?;
    let cases = Path::new(&corpus).join("../cases/diff");
    let [before, after] = paths.map(|path| cases.join(path));
    if !before.is_file() {
        return None;
    }
    let [before, after] = [before, after].map(|path| {
        if path
            .extension()
            .is_some_and(|extension| extension == "skref")
        {
            let bytes = std::fs::read(&path).expect("it can be read");
            let reference = diff::reference::Reference::parse(&bytes).expect("it is a reference");
            return Source::Reference(Box::new(reference));
        }
        let options = import::Options {
            images: false,
            ..reading()
        };
        let asset = import::load(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        Source::from(asset)
    });
    let mut options = Options::default();
    options.settings.align.extend(align);
    Some(diff::compare(&before, &after, &options).expect("they can be compared"))
}

#[test]
fn clips_with_each_others_names_are_compared_by_their_motion() {
    let names = ["Walk", "Hand", "Nod"];
    let mut before = load("walker.glb");
    let count = before.clips.len();
    assert!(count >= 2, "{count} clips");
    for (clip, name) in before.clips.iter_mut().zip(names) {
        clip.name = name.into();
    }
    let mut after = before.clone();
    let shown: Vec<String> = after.clips.iter().map(|clip| clip.name.clone()).collect();
    for (index, clip) in after.clips.iter_mut().enumerate() {
        clip.name.clone_from(&shown[(index + 1) % count]);
    }
    let report = compare(before.clone(), after, None);
    has_kinds(&report, &[Kind::ClipsSwapped]);
    let message = &report.findings[0].finding.message;
    assert!(
        message.contains("\"Walk\" before is \"Hand\" after"),
        "{message}"
    );

    // One motion under two names.
    let mut after = before.clone();
    let name = std::mem::take(&mut after.clips[0].name);
    after.clips[0] = skincheck::rig::Clip {
        name,
        ..after.clips[1].clone()
    };
    let report = compare(before, after, None);
    let message = &report
        .differences()
        .next()
        .expect("it differs")
        .finding
        .message;
    assert_eq!(
        message,
        "clip \"Walk\" after moves as clip \"Hand\" does before"
    );
}

#[test]
fn exchanged_clips_of_a_fox_are_named() {
    let paths = [
        "02_same_reference_range/Fox.glb",
        "14_other/clips_names_permuted.glb",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    has_kinds(&report, &[Kind::ClipsSwapped]);
}

/// The mesh's node does not move with the armature in the FBX file, though the mesh does.
#[test]
fn a_shift_in_time_is_found_whatever_nodes_that_carry_nothing_do() {
    let paths = [
        "04_time_shift_missed/K_start10-4.5.skref",
        "04_time_shift_missed/K_start10-4.5.fbx.fbx",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    has_kinds(&report, &[Kind::ClipRenamed, Kind::Timing]);
    let Some(report) = compare_cases(paths, &[Accepted::Time]) else {
        return;
    };
    has_kinds(&report, &[Kind::ClipRenamed]);
    assert!(
        report.takes[0].surface.max < 1e-6 * report.diagonal,
        "{}",
        reported(&report)
    );
}

#[test]
fn a_scale_is_recognized_beside_a_clip_that_is_cut() {
    let mut after = walker();
    below(&mut after, Mat4::from_scale(Vec3::splat(100.0)));
    tracks(&mut after, &Kept(|time| time < 0.7));
    after.clips[0].end = Seconds(16.0 / 24.0);
    let report = compare(walker(), after, None);
    let expected = [Kind::Similarity, Kind::ClipRange];
    has_kinds(&report, &expected);

    let paths = [
        "05_scale_missed/maya_kenney_character_7700_binary.fbx",
        "05_scale_missed/maya_kenney_character_7700_binary.glb",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    assert_eq!(kinds(&report)[0], Kind::Similarity, "{}", reported(&report));
    let others = [
        Kind::MeshShape,
        Kind::BindPose,
        Kind::RootMotion,
        Kind::Keys,
    ];
    assert!(
        !kinds(&report).iter().any(|kind| others.contains(kind)),
        "{}",
        reported(&report)
    );
}

#[test]
fn translations_in_another_unit_than_the_skeleton_are_named() {
    let mut after = walker();
    let hips = id(&after, "Hips");
    let rest = after.skeleton[hips].rest.to_trs().translation;
    let track = channel(&mut after, "Hips")
        .translation
        .as_mut()
        .expect("it travels");
    for key in &mut track.keys {
        key.value = rest + 100.0 * (key.value - rest);
    }
    let report = compare(walker(), after, None);
    has_kinds(&report, &[Kind::Keys]);
    let message = &report.findings[0].finding.message;
    assert!(
        message.contains("translation keys are 100 times as large"),
        "{message}"
    );
}

#[test]
fn removed_keys_are_counted_though_another_track_has_keys_there() {
    let still = |asset: &mut Asset| {
        let leg = id(asset, "LeftUpperLeg");
        let rest = asset.skeleton[leg].rest.to_trs().translation;
        let channel = channel(asset, "LeftUpperLeg");
        let keys = channel.rotation.iter().flat_map(|track| &track.keys);
        channel.translation = Some(Track::linear(
            keys.map(|key| (key.time.0, rest)).collect::<Vec<_>>(),
        ));
    };
    let (mut before, mut after) = (walker(), walker());
    still(&mut before);
    still(&mut after);
    let track = channel(&mut after, "LeftUpperLeg")
        .rotation
        .as_mut()
        .expect("it is rotated");
    let count = track.keys.len();
    let mut index = 0;
    track.keys.retain(|_| {
        index += 1;
        index % 4 == 1 || index == count
    });
    let report = compare(before, after, None);
    has_kinds(&report, &[Kind::Resampled]);
    let message = &report.findings[0].finding.message;
    assert!(message.contains("keys are removed"), "{message}");
}

#[test]
fn a_track_that_starts_later_is_a_shift_of_that_track() {
    let mut after = walker();
    let arm = channel(&mut after, "LeftUpperArm")
        .rotation
        .as_mut()
        .expect("it is rotated");
    for key in &mut arm.keys {
        key.time.0 += 2.0 / 24.0;
    }
    after.clips[0].end = Seconds(26.0 / 24.0);
    let report = compare(walker(), after, None);
    let of_keys: Vec<&str> = report
        .differences()
        .filter(|own| own.kind == Kind::Keys)
        .map(|own| own.finding.message.as_str())
        .collect();
    let [message] = of_keys[..] else {
        panic!("{}", reported(&report));
    };
    assert!(message.contains("2 frames at 24 per second"), "{message}");

    let paths = [
        "02_same_reference_range/Fox.glb",
        "14_other/track_offset_Fox.glb",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    has_kinds(&report, &[Kind::ClipRange, Kind::Keys]);
}

#[test]
fn a_constant_offset_of_the_root_is_one() {
    let mut after = walker();
    let track = channel(&mut after, "Hips")
        .translation
        .as_mut()
        .expect("it travels");
    for key in &mut track.keys {
        key.value.x += 0.05;
    }
    let report = compare(walker(), after, None);
    has_kinds(&report, &[Kind::Keys]);
}

#[test]
fn dual_quaternions_that_became_linear_are_named() {
    let mut before = walker();
    before.meshes[0].blending = Blending::DualQuaternion;
    let report = compare(before, walker(), None);
    has_kinds(&report, &[Kind::SkinningMethod]);
    let message = &report.findings[0].finding.message;
    let expected = "skinned with dual quaternions before and linearly after";
    assert!(message.contains(expected), "{message}");

    let paths = [
        "10_dual_quaternion/maya_dq_weights_7500_binary.fbx",
        "10_dual_quaternion/maya_dq_weights_7500_binary.glb",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    let found = report
        .differences()
        .find(|finding| finding.kind == Kind::SkinningMethod);
    let found = found.unwrap_or_else(|| panic!("{}", reported(&report)));
    assert!(
        found.finding.message.contains("6.1"),
        "{}",
        found.finding.message
    );
}

/// Exporters name a joint and the mesh below it alike, and move the mesh's node when they quantize its positions.
#[test]
fn joints_of_one_name_are_paired_below_the_same_parent() {
    let twins = |asset: &mut Asset| {
        for name in ["LeftFoot", "RightFoot"] {
            joint(asset, name, |joint| joint.name = "Foot".into());
        }
    };
    let (mut before, mut after) = (walker(), walker());
    rest(&mut after, "RightFoot", |trs| trs.translation.y += 0.1);
    twins(&mut before);
    twins(&mut after);
    let all = before.skeleton.nodes().len();
    let report = compare(before, after, None);
    assert_eq!(report.matched.joints, all, "{}", reported(&report));
}

/// A node above the rig has no bind pose. It must not be measured from the start of each clip, where it is elsewhere.
#[test]
fn a_moving_node_above_the_rig_is_the_same_in_a_part_of_the_clip() {
    let mut asset = walker();
    below(&mut asset, Mat4::IDENTITY);
    let mut sway = Channel::of(NodeId(0));
    let keys = [(0.0, Vec3::ZERO), (0.4, Vec3::X), (1.0, Vec3::Y)];
    sway.translation = Some(Track::linear(keys));
    asset.clips[0].channels.push(sway);
    let times: Vec<f64> = (6..=24).map(|frame| f64::from(frame) / 24.0).collect();
    let part = || Source::Reference(Box::new(reference(&asset, &times)));
    let whole = || Source::from(asset.clone());
    for (before, after) in [(part(), whole()), (whole(), part())] {
        let report = diff::compare(&before, &after, &Options::default());
        let report = report.expect("they can be compared");
        has_kinds(&report, &[Kind::ClipRange]);
    }
}

/// Moves keys to later times, but for the first and those that would be past the end.
struct Late;

impl EveryTrack for Late {
    fn track<T: Clone>(&self, track: &mut Track<T>) {
        let (first, last) = (
            track.keys[0].clone(),
            track.keys[track.keys.len() - 1].time.0,
        );
        for key in &mut track.keys {
            key.time.0 += 0.1234;
        }
        track.keys.insert(0, first);
        track.keys.retain(|key| key.time.0 <= last);
    }
}

#[test]
fn a_shift_that_the_ends_of_a_clip_do_not_show_is_found_to_the_millisecond() {
    let mut after = walker();
    tracks(&mut after, &Late);
    let report = compare(walker(), after, None);
    let mut differences = report.differences();
    let found = differences.find(|finding| finding.kind == Kind::Timing);
    let message = &found
        .unwrap_or_else(|| panic!("{}", reported(&report)))
        .finding
        .message;
    assert!(message.contains("runs 0.123 s later"), "{message}");
}

#[test]
fn exchanged_clips_that_begin_alike_are_told_apart_by_what_follows() {
    let mut before = load("walker.glb");
    let rest: Vec<_> = before
        .skeleton
        .nodes()
        .iter()
        .map(|node| node.rest)
        .collect();
    for clip in &mut before.clips {
        clip.end.0 += 0.25;
        for channel in &mut clip.channels {
            (channel.translation, channel.scale) = (None, None);
            let Some(track) = &mut channel.rotation else {
                continue;
            };
            let LocalTransform::Trs(trs) = rest[channel.node.index()] else {
                continue;
            };
            track.keys.iter_mut().for_each(|key| key.time.0 += 0.25);
            track.keys.insert(
                0,
                Key {
                    time: Seconds::ZERO,
                    value: trs.rotation,
                    span: Span::Linear,
                },
            );
        }
    }
    let mut after = before.clone();
    let [first, second, ..] = &mut after.clips[..] else {
        panic!("the walker has two clips");
    };
    std::mem::swap(&mut first.name, &mut second.name);
    has_kinds(&compare(before, after, None), &[Kind::ClipsSwapped]);
}

#[test]
fn the_spacing_of_keys_is_named_where_motion_between_them_is_lost() {
    let mut after = walker();
    resample(&mut after, &[0.0, 0.23, 0.46, 0.69, 0.92, 1.0]);
    let report = compare(walker(), after, None);
    let message = &report
        .differences()
        .next()
        .expect("it differs")
        .finding
        .message;
    assert!(message.contains("keys after are 0.23 s apart"), "{message}");
}

/// The message of the only difference, which is of this kind.
#[track_caller]
fn message(report: &Report, kind: Kind) -> String {
    has_kinds(report, &[kind]);
    let first = report.differences().next().expect("it differs");
    first.finding.message.clone()
}

#[test]
fn cubic_keys_of_opposite_sign_are_named() {
    let mut before = walker();
    splined(&mut before, "LeftUpperArm");
    let mut after = before.clone();
    let track = channel(&mut after, "LeftUpperArm").rotation.as_mut();
    let keys = &mut track.expect("it is rotated").keys;
    for key in keys.iter_mut().skip(1).step_by(2) {
        key.value = -key.value;
    }
    let said = message(&compare(before, after, None), Kind::Interpolation);
    assert!(said.contains("cubic keys have opposite signs"), "{said}");
}

#[test]
fn a_track_that_is_cut_to_two_equal_keys_no_longer_moves() {
    let mut after = walker();
    let track = channel(&mut after, "LeftUpperArm").rotation.as_mut();
    let keys = &mut track.expect("it is rotated").keys;
    let mut last = keys.pop().expect("it has keys");
    keys.truncate(1);
    last.value = keys[0].value;
    keys.push(last);
    let times: Vec<f64> = (0..=6).map(|index| f64::from(index) / 6.0).collect();
    let by_reference = {
        let before = Source::Reference(Box::new(reference(&walker(), &times)));
        let after = Source::from(after.clone());
        diff::compare(&before, &after, &Options::default()).expect("they can be compared")
    };
    for report in [compare(walker(), after, None), by_reference] {
        let said = message(&report, Kind::KeysMissing);
        assert!(said.contains("its rotation no longer moves"), "{said}");
    }
}

/// Two waves of the upper arm, and other tracks that still move.
#[test]
fn a_rotation_that_is_held_between_many_keys_no_longer_moves() {
    let waving = |degrees: f32| {
        let mut asset = walker();
        let channel = channel(&mut asset, "LeftUpperArm");
        let keys = (0..=24_u8).map(|key| {
            let phase = f32::from(key) / 24.0;
            let angle = degrees * (2.0 * std::f32::consts::TAU * phase).sin();
            (f64::from(phase), rotation(Vec3::X, angle))
        });
        channel.rotation = Some(Track::linear(keys));
        asset
    };
    let held = |kept: &[usize]| {
        let mut asset = waving(0.0);
        let rest = waving(0.0).skeleton[id(&asset, "LeftUpperArm")]
            .rest
            .to_matrix();
        let at = rest.to_scale_rotation_translation().2;
        let channel = channel(&mut asset, "LeftUpperArm");
        channel.translation = Some(Track::linear(
            (0..=24_u8).map(|key| (f64::from(key) / 24.0, at)),
        ));
        let track = channel.rotation.as_mut().expect("it is rotated");
        let keys = kept.iter().map(|key| track.keys[*key].clone());
        track.keys = keys.collect();
        asset
    };
    let every: Vec<usize> = (0..=24).collect();
    for kept in [&every[..], &[0, 12, 24]] {
        // In each of these poses but one, the arm is where it is held.
        let by_reference = {
            let times = [0.0, 0.25, 0.5, 0.5 + 1.0 / 15.0, 1.0];
            let before = Source::Reference(Box::new(reference(&waving(40.0), &times)));
            let after = Source::from(held(kept));
            diff::compare(&before, &after, &Options::default()).expect("they can be compared")
        };
        for report in [compare(waving(40.0), held(kept), None), by_reference] {
            has_kinds(&report, &[Kind::KeysMissing]);
            let said = message(&report, Kind::KeysMissing);
            assert!(said.contains("its rotation no longer moves"), "{said}");
        }
    }
}

#[test]
fn weights_of_a_dropped_joint_name_it() {
    let mut after = walker();
    remove_joint(&mut after, "LeftToe");
    let report = compare(walker(), after, None);
    let mut differences = report.differences();
    let weights = differences.find(|own| own.kind == Kind::Weights);
    let said = &weights.expect("weights differ").finding.message;
    assert!(
        said.starts_with("the weights of `LeftToe`, which AFTER lacks"),
        "{said}"
    );
}

#[test]
fn clips_with_a_common_prefix_are_renamed() {
    let before = load("walker.glb");
    let mut after = before.clone();
    for clip in &mut after.clips {
        clip.name = format!("Robot_{}", clip.name);
    }
    rotations(&mut after, "LeftUpperArm", |_, _, value| {
        value * rotation(Vec3::X, 30.0)
    });
    let report = compare(before, after, None);
    let kinds = kinds(&report);
    assert!(!kinds.contains(&Kind::ClipMissing), "{}", reported(&report));
    assert!(kinds.contains(&Kind::ClipRenamed) && kinds.contains(&Kind::Keys));
}

#[test]
fn shape_keys_that_a_model_lost_are_named_beside_a_reference() {
    let model = || load("morph_and_skin.gltf");
    let end = model().clips[0].end.0;
    let times: Vec<f64> = (0..=6).map(|index| end * f64::from(index) / 6.0).collect();
    let with_keys = reference(&model(), &times);
    let mut without_names = with_keys.clone();
    without_names.meshes[0].shape_keys.clear();
    let mut lost = model();
    lost.meshes[0].morph_targets.clear();
    lost.instances[0].morph_weights.clear();
    lost.clips[0].morph_channels.clear();
    let lost = Source::from(lost);
    let compared = |before, after: &Source| {
        let before = Source::Reference(Box::new(before));
        diff::compare(&before, after, &Options::default()).expect("they correspond")
    };
    has_kinds(&compared(with_keys.clone(), &Source::from(model())), &[]);
    let report = compared(with_keys, &lost);
    has_kinds(&report, &[Kind::MorphShape]);
    let said = message(&report, Kind::MorphShape);
    assert!(said.contains("shape keys are lost"), "{said}");
    assert!(report.takes[0].verdict.differs());
    let report = compared(without_names, &lost);
    let said = message(&report, Kind::Unexplained);
    assert!(
        said.contains("by shape keys, of which AFTER has none"),
        "{said}"
    );
}

/// A ball of rings on a joint.
fn ball(rings: u16) -> Asset {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    let turn = std::f32::consts::TAU / f32::from(rings);
    let mut positions = Vec::new();
    for ring in 0..rings {
        for step in 0..rings {
            let [polar, around] = [0.5 * turn * (f32::from(ring) + 0.5), turn * f32::from(step)];
            let (sin, cos) = polar.sin_cos();
            positions.push(Vec3::new(sin * around.cos(), cos, sin * around.sin()));
        }
    }
    let rings = u32::from(rings);
    let triangles = (0..(rings - 1) * (rings - 1)).map(|index| {
        let corner = index / (rings - 1) * rings + index % (rings - 1);
        [corner, corner + 1, corner + rings]
    });
    let mesh = Mesh {
        name: "ball".into(),
        positions,
        triangles: triangles.collect(),
        ..Mesh::default()
    };
    let count = mesh.positions.len();
    let mesh = rig.mesh(mesh);
    rig.skin(mesh, vec![[(root, 1.0)]; count]);
    rig.build().expect("it is whole")
}

#[test]
fn a_mesh_without_its_modifiers_is_missing_with_the_counts_of_vertices() {
    let report = compare(ball(16), ball(5), None);
    let kinds = kinds(&report);
    assert!(!kinds.contains(&Kind::MeshShape) && !kinds.contains(&Kind::MeshAdded));
    let first = report.differences().next().expect("it differs");
    assert_eq!(first.kind, Kind::MeshMissing);
    let said = &first.finding.message;
    assert!(
        said.contains("vertices became 24, as if modifiers"),
        "{said}"
    );
}

#[test]
fn a_joint_that_is_stretched_along_one_axis_is_off_by_itself() {
    for axis in 0..3 {
        let mut after = load("arm.gltf");
        rest(&mut after, "wrist", |trs| trs.scale[axis] = 2.0);
        let report = compare(load("arm.gltf"), after, None);
        let mut joints = report.takes[0].joints.iter();
        let wrist = joints.find(|joint| joint.joint == "wrist");
        let own = wrist.map(|wrist| wrist.own);
        assert!(own.is_some_and(|own| own > 0.01), "axis {axis}: {own:?}");
    }
}
