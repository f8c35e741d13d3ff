//! References: written, read, and compared with the model they were made from.

use glam::{Mat4, Vec3};
use skincheck::diff::reference::{Pose, Reference, has_header, is_reference, of_model};
use skincheck::diff::{self, Difference, Kind, Options, Source};

use skincheck::pose;
use skincheck::rig::{Asset, ClipId, Key, SkinningMethod, SkinningOptions, Span, Track};
use skincheck::skinning;
use skincheck::units::Seconds;

use super::edit::{rest, rotation, rotations};
use super::{load, reported, walker};

pub(super) fn reference(asset: &Asset, times: &[f64]) -> Reference {
    skinned(asset, times, SkinningOptions::default())
}

fn skinned(asset: &Asset, times: &[f64], options: SkinningOptions) -> Reference {
    let poses = times.iter().map(|time| {
        let pose = pose::sample(asset, &asset.clips[0], Seconds(*time)).expect("it is finite");
        let pose = pose::model_pose(asset, &pose);
        let meshes = skinning::deform(asset, &pose, &options);
        Pose {
            clip: ClipId(0),
            time: Seconds(*time),
            meshes: meshes.expect("it can be skinned"),
            pose,
        }
    });
    of_model(asset, poses.collect())
}

const TIMES: [f64; 5] = [0.0, 0.1, 0.33, 0.6, 0.95];

fn compare(before: &Source, after: &Source) -> diff::Report {
    diff::compare(before, after, &Options::default()).expect("they can be compared")
}

#[test]
fn a_reference_is_read_as_it_was_written() {
    for name in ["walker.glb", "morph.gltf", "segmented_arm.gltf"] {
        let bytes = reference(&load(name), &TIMES).to_bytes();
        let read = Reference::parse(&bytes).expect("it is a reference");
        assert_eq!(read.to_bytes(), bytes, "{name}");
    }
}

#[test]
fn a_model_is_the_same_as_its_reference_and_a_fault_is_seen() {
    let model = || Source::from(walker());
    let made = || {
        let bytes = reference(&walker(), &TIMES).to_bytes();
        Source::Reference(Box::new(Reference::parse(&bytes).expect("it is one")))
    };
    for report in [
        compare(&made(), &model()),
        compare(&model(), &made()),
        compare(&made(), &made()),
    ] {
        assert!(report.is_same(), "{}", reported(&report));
        assert_eq!(report.takes.len(), 1);
        assert_eq!(report.takes[0].samples, TIMES.len());
    }
    let mut wrong = walker();
    rotations(&mut wrong, "LeftUpperArm", |_, _, value| {
        value * rotation(glam::Vec3::Z, 10.0)
    });
    let report = compare(&made(), &Source::from(wrong));
    let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    assert_eq!(kinds, [Kind::Keys], "{}", reported(&report));
}

/// At a fifth of the clip, a reference has no pose but a model has one.
#[test]
fn a_rotated_or_scaled_model_is_recognized_beside_a_reference() {
    use skincheck::units::{SignedAxis, Space};
    let end = walker().clips[0].end.0;
    let times = [0.0, 0.1, 0.33, 0.6, 0.9].map(|phase| phase * end / 0.9);
    let bytes = reference(&walker(), &times).to_bytes();
    let made = Reference::parse(&bytes).expect("it is one");
    for (space, kind) in [
        (
            Space {
                up: SignedAxis::PlusZ,
                front: SignedAxis::MinusY,
                ..made.space
            },
            Kind::Similarity,
        ),
        (
            Space {
                metres_per_unit: Some(0.01),
                ..made.space
            },
            Kind::Similarity,
        ),
    ] {
        let stated = Source::Reference(Box::new(Reference {
            space,
            ..made.clone()
        }));
        let report = compare(&stated, &Source::from(walker()));
        let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
        assert_eq!(kinds, [kind], "{}", reported(&report));
    }
}

/// The first clip of the walker, 0 to 1 s, at 24 frames per second.
fn at_24_fps() -> Reference {
    let times: Vec<f64> = (0..=24).map(|frame| f64::from(frame) / 24.0).collect();
    assert!((walker().clips[0].end.0 - 1.0).abs() < 1e-6);
    reference(&walker(), &times)
}

/// Every track steps from frame to frame at 24 per second.
///
/// * `stored` – the time of a frame, as a format stores it.
fn stepped(stored: impl Fn(f64) -> f64) -> Asset {
    let mut model = walker();
    for channel in &mut model.clips[0].channels {
        channel.translation = None;
        let Some(track) = channel.rotation.take() else {
            continue;
        };
        let key = |frame: u8| {
            let time = f64::from(frame) / 24.0;
            Key {
                time: Seconds(stored(time)),
                value: pose::rotation_at(&track, Seconds(time)).expect("it has keys"),
                span: Span::Step,
            }
        };
        channel.rotation = Some(Track {
            keys: (0..=24).map(key).collect(),
        });
    }
    model
}

/// The f32 of 11/24 is later than 11/24, and that of 14/24 earlier.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn steps_in_f32_are_the_same_as_steps_in_f64() {
    let [in_f32, in_f64] = [stepped(|time| f64::from(time as f32)), stepped(|time| time)];
    let times: Vec<f64> = (0..=24).map(|frame| f64::from(frame) / 24.0).collect();
    let made = || Source::Reference(Box::new(reference(&in_f64, &times)));
    let model = |asset: &Asset| Source::from(asset.clone());
    for (before, after) in [
        (made(), model(&in_f32)),
        (model(&in_f32), made()),
        (model(&in_f32), model(&in_f64)),
        (model(&in_f64), model(&in_f32)),
    ] {
        let report = compare(&before, &after);
        assert!(report.is_same(), "{}", reported(&report));
    }
}

/// Keeps the part of the clip until `end`, or from there on.
fn cut(at: f64, keeps_start: bool) -> Asset {
    let mut model = walker();
    let clip = &mut model.clips[0];
    let range = if keeps_start {
        &mut clip.end
    } else {
        &mut clip.start
    };
    range.0 = at;
    model
}

#[test]
fn a_part_of_a_clip_that_only_one_side_has_is_a_difference() {
    let whole = || Source::Reference(Box::new(at_24_fps()));
    let model = Source::from;
    let part = |frames: std::ops::Range<usize>| {
        let mut part = at_24_fps();
        part.clips[0].frames = part.clips[0].frames[frames].to_vec();
        Source::Reference(Box::new(part))
    };
    for (before, after, expected) in [
        (
            whole(),
            model(cut(0.25, true)),
            "its last 0.75 s (18 frames at 24 per second) are missing after",
        ),
        (
            whole(),
            model(cut(0.5, false)),
            "its first 0.5 s (12 frames at 24 per second) are missing after",
        ),
        (
            model(cut(0.25, true)),
            whole(),
            "its last 0.75 s (18 frames at 24 per second) are missing before",
        ),
        (
            part(0..20),
            model(walker()),
            "its last 0.208 s (5 frames at 24 per second) are missing before",
        ),
        (
            part(6..25),
            model(walker()),
            "its first 0.25 s (6 frames at 24 per second) are missing before",
        ),
        (
            model(walker()),
            part(6..20),
            "its first 0.25 s (6 frames at 24 per second) are missing after, and its last 0.208 s (5 frames at 24 per second) are missing after",
        ),
        (
            whole(),
            part(6..25),
            "its first 0.25 s (6 frames at 24 per second) are missing after",
        ),
    ] {
        let mut options = Options::default();
        options.settings.align = vec![diff::Accepted::Time];
        let report = diff::compare(&before, &after, &options).expect("they can be compared");
        let found: Vec<&Difference> = report.differences().collect();
        assert_eq!(found.len(), 1, "{expected}: {}", reported(&report));
        assert_eq!(found[0].kind, Kind::ClipRange);
        assert!(
            found[0].finding.message.contains(expected),
            "{}",
            found[0].finding.message
        );
        let take = &report.takes[0];
        if !matches!((&before, &after), (Source::Model(_), Source::Model(_))) {
            assert!(take.samples <= take.all_samples && take.all_samples <= 25);
        }
    }
    // Nothing moves before the first key.
    let report = compare(&whole(), &model(cut(-0.5, false)));
    assert!(report.is_same(), "{}", reported(&report));
    // A reference has no frame within its last step.
    let report = compare(&part(0..24), &model(cut(0.99, true)));
    assert!(report.is_same(), "{}", reported(&report));
    let report = compare(&whole(), &model(cut(0.25, true)));
    assert_eq!(
        [report.takes[0].samples, report.takes[0].all_samples],
        [7, 25]
    );
}

#[test]
fn times_in_frames_or_milliseconds_are_named() {
    for (factor, unit) in [
        (24.0, "frame numbers at 24 per second"),
        (25.0, "frame numbers at 25 per second"),
        (30.0, "frame numbers at 30 per second"),
        (50.0, "frame numbers at 50 per second"),
        (60.0, "frame numbers at 60 per second"),
        (100.0, "hundredths of a second"),
        (1000.0, "milliseconds"),
    ] {
        let counted = |frames: usize| {
            let mut counted = at_24_fps();
            counted.clips[0].frames.truncate(frames);
            for frame in &mut counted.clips[0].frames {
                frame.time *= factor;
            }
            Source::Reference(Box::new(counted))
        };
        let model = || Source::from(walker());
        for (before, after, side) in [
            (counted(25), model(), "before"),
            (model(), counted(25), "after"),
            // A frame is missing that the model does not have either.
            (counted(24), Source::from(cut(0.98, true)), "before"),
        ] {
            let report = compare(&before, &after);
            let found: Vec<&Difference> = report.differences().collect();
            assert_eq!(found.len(), 1, "{}", reported(&report));
            assert_eq!(found[0].kind, Kind::Timing);
            let expected = format!("the times {side} look like {unit}");
            assert!(
                found[0].finding.message.contains(&expected),
                "{}",
                found[0].finding.message
            );
            assert!(report.takes[0].samples >= 24);
        }
    }
}

#[test]
fn a_reference_with_hardly_any_time_in_the_clip_is_an_error() {
    for (offset, expected) in [
        (-0.5, "only one of the reference's 5 frames"),
        (40.0, "none of the reference's 5 frames"),
    ] {
        let mut other = reference(&walker(), &TIMES);
        for (index, frame) in (0_u8..).zip(&mut other.clips[0].frames) {
            // Other poses, so that no other time line fits.
            frame.time = 9.0 * f64::from(index) + 0.5 + offset;
            frame
                .positions
                .iter_mut()
                .flatten()
                .for_each(|at| *at = -*at * f32::from(index));
            frame.nodes.iter_mut().for_each(|node| {
                *node = Mat4::from_translation(Vec3::splat(f32::from(index))) * *node;
            });
        }
        let (before, after) = (Source::Reference(Box::new(other)), Source::from(walker()));
        let error =
            diff::compare(&before, &after, &Options::default()).expect_err("nothing is compared");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Exporters write the pose of the current frame as the rest pose, so the mesh seems to be bound in it.
#[test]
fn a_reference_and_a_model_that_rests_as_at_a_frame_are_the_same() {
    let bytes = reference(&walker(), &TIMES).to_bytes();
    let made = Source::Reference(Box::new(Reference::parse(&bytes).expect("it is one")));
    let mut posed = walker();
    rest(&mut posed, "Hips", |hips| {
        hips.rotation = rotation(glam::Vec3::Y, 25.0) * hips.rotation;
    });
    let report = compare(&made, &Source::from(posed));
    assert!(report.is_same(), "{}", reported(&report));
}

#[test]
fn a_track_that_is_dropped_against_a_reference_is_missing() {
    let before = Source::Reference(Box::new(reference(&walker(), &TIMES)));
    let mut after = walker();
    super::edit::channel(&mut after, "LeftLowerLeg").rotation = None;
    let report = compare(&before, &Source::from(after));
    let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    assert_eq!(kinds, [Kind::KeysMissing], "{}", reported(&report));
}

#[test]
fn a_damaged_reference_is_an_error() {
    let bytes = reference(&load("arm.gltf"), &TIMES).to_bytes();
    let refused = |bytes: &[u8]| {
        Reference::parse(bytes)
            .expect_err("it is damaged")
            .to_string()
    };
    let text = refused(&bytes[..bytes.len() - 4]);
    assert!(text.contains("bytes of numbers"), "{text}");
    assert!(refused(b"").contains("header"));
    assert!(refused(b"{}\n").contains("header"));
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("there is a header");
    let header = String::from_utf8(bytes[..end].to_vec()).expect("it is text");
    for (from, to, expected) in [
        ("\"front\":\"+Z\"", "\"front\":\"-Y\"", "perpendicular"),
        ("\"parent\":0", "\"parent\":9", "before its parent"),
        ("\"times\":[0.0,", "\"times\":[7.0,", "ascend"),
        (
            "\"vertices\":24",
            "\"vertices\":18446744073709551615",
            "bytes of numbers",
        ),
    ] {
        let changed = header.replacen(from, to, 1);
        assert_ne!(changed, header, "{from}");
        let text = refused(&[changed.as_bytes(), &bytes[end..]].concat());
        assert!(text.contains(expected), "{text}");
    }
}

/// Why a reference with this fault cannot be read.
fn refused(fault: impl FnOnce(&mut Reference)) -> String {
    let mut wrong = reference(&walker(), &TIMES);
    fault(&mut wrong);
    let read = Reference::parse(&wrong.to_bytes());
    read.expect_err("it is wrong").to_string()
}

#[test]
fn indices_out_of_range_are_an_error() {
    let text = refused(|wrong| wrong.meshes[0].triangles[7][1] = 99_999);
    assert!(
        text.contains("triangle 7 refers to vertex 99999, but there are only"),
        "{text}"
    );
    let text = refused(|wrong| wrong.meshes[0].influences[3][0].0 = 77);
    assert!(
        text.contains("an influence of vertex 3 refers to node 77, but there are only"),
        "{text}"
    );
    let mut wrong = reference(&walker(), &TIMES);
    wrong.meshes[0].influences[3][0].0 = 77;
    let text = Reference::parse(&wrong.to_packed(1e-4))
        .expect_err("it is wrong")
        .to_string();
    assert!(text.contains("refers to node 77"), "{text}");
}

#[test]
fn numbers_that_no_scene_has_are_an_error() {
    type Fault = fn(&mut Reference);
    let faults: [(Fault, &str); 6] = [
        (
            |wrong| wrong.meshes[0].positions[5].x = 1e38,
            "the position of vertex 5 is not finite or is beyond 1e9",
        ),
        (
            |wrong| wrong.clips[0].frames[1].nodes[3].w_axis.y = -1e12,
            "at 0.1 s: the matrix of node",
        ),
        (
            |wrong| wrong.meshes[0].positions[2].y = f32::NAN,
            "the position of vertex 2 is not finite",
        ),
        (
            |wrong| wrong.meshes[0].influences[4][0].1 = f32::INFINITY,
            "the weight of vertex 4 is not finite",
        ),
        (
            |wrong| wrong.clips[0].frames[2].positions[0][9].x = f32::NEG_INFINITY,
            "at 0.33 s: mesh",
        ),
        (
            |wrong| wrong.clips[0].frames[1].nodes[3].x_axis.x = f32::NAN,
            "at 0.1 s: the matrix of node",
        ),
    ];
    for (fault, expected) in faults {
        let text = refused(fault);
        assert!(text.contains(expected), "{text}");
    }
    // JSON has no word for it.
    let text = refused(|wrong| wrong.nodes[0].rest.x_axis.x = f32::NAN);
    assert!(text.contains("header"), "{text}");
}

#[test]
fn big_endian_numbers_are_recognized() {
    let mut bytes = reference(&walker(), &TIMES).to_bytes();
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("there is a header");
    bytes[end + 1..].chunks_mut(4).for_each(<[u8]>::reverse);
    let text = Reference::parse(&bytes)
        .expect_err("it is wrong")
        .to_string();
    assert!(text.contains("big-endian"), "{text}");
}

#[test]
fn the_schema_may_stand_anywhere_in_the_header() {
    let bytes = reference(&load("arm.gltf"), &TIMES).to_bytes();
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("there is a header");
    let header = String::from_utf8(bytes[..end].to_vec()).expect("it is text");
    let schema = "\"schema\":\"skincheck/reference/1\"";
    let last = header.replacen(&format!("{schema},"), "", 1);
    let last = format!(
        "{}, {}}}",
        last.trim_end_matches('}'),
        schema.replace(':', " : ")
    );
    let bytes = [last.as_bytes(), &bytes[end..]].concat();
    Reference::parse(&bytes).expect("it is a reference");
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    for name in ["arm.skref", "arm.reference"] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).expect("the folder is writable");
        assert!(is_reference(&path), "{name}");
    }
    // By its name, a file without header is one, too, so that the header is what is missed.
    let path = folder.path().join("empty.SKREF");
    std::fs::write(&path, "").expect("the folder is writable");
    assert!(is_reference(&path) && !has_header(&path));
}

/// What each node's matrix is relative to its parent.
fn local(matrices: &[Mat4], reference: &Reference) -> Vec<Mat4> {
    let nodes = reference.nodes.iter().zip(matrices);
    let local = nodes.map(|(node, world)| match node.parent {
        Some(parent) => matrices[parent].inverse() * *world,
        None => *world,
    });
    local.collect()
}

/// Rewrites all matrices of the rest pose, of the frames, or of both.
fn rewrite(
    reference: &mut Reference,
    [rest, frames]: [bool; 2],
    new: fn(&[Mat4], &Reference) -> Vec<Mat4>,
) {
    let before = reference.clone();
    if rest {
        let old: Vec<Mat4> = before.nodes.iter().map(|node| node.rest).collect();
        for (node, new) in reference.nodes.iter_mut().zip(new(&old, &before)) {
            node.rest = new;
        }
    }
    for frame in reference.clips.iter_mut().flat_map(|clip| &mut clip.frames) {
        if frames {
            frame.nodes = new(&frame.nodes, &before);
        }
    }
}

#[test]
fn matrices_of_another_convention_are_named() {
    type Rewrite = fn(&[Mat4], &Reference) -> Vec<Mat4>;
    let rows: Rewrite = |matrices, _| matrices.iter().map(Mat4::transpose).collect();
    let local: Rewrite = local;
    let inverse: Rewrite = |matrices, _| matrices.iter().map(Mat4::inverse).collect();
    for (which, new, expected) in [
        ([true, false], rows, "`rest` are stored by rows"),
        ([false, true], rows, "of frames are stored by rows"),
        (
            [true, true],
            rows,
            "`rest` and the matrices of frames are stored by rows",
        ),
        ([true, false], inverse, "`rest` are inverse matrices"),
        ([true, false], local, "`rest` are relative to the parent"),
        ([false, true], local, "of frames relative to the parent"),
        (
            [true, true],
            local,
            "`rest` are relative to the parent node, and those of frames relative to the parent",
        ),
    ] {
        let text = refused(|wrong| rewrite(wrong, which, new));
        assert!(text.contains(expected), "{which:?}: {text}");
    }
}

#[test]
fn the_errors_of_matrices_are_relative_to_the_size_of_the_meshes() {
    let inverted = |reference: &mut Reference| {
        rewrite(reference, [true, false], |matrices, _| {
            matrices.iter().map(Mat4::inverse).collect()
        });
    };
    let small = refused(inverted);
    let large = refused(|reference| {
        let grow = |matrix: &mut Mat4| matrix.w_axis *= glam::Vec4::new(64.0, 64.0, 64.0, 1.0);
        reference
            .nodes
            .iter_mut()
            .for_each(|node| grow(&mut node.rest));
        let meshes = reference.meshes.iter_mut();
        meshes
            .flat_map(|mesh| &mut mesh.positions)
            .for_each(|at| *at *= 64.0);
        for frame in &mut reference.clips[0].frames {
            frame.nodes.iter_mut().for_each(grow);
            frame
                .positions
                .iter_mut()
                .flatten()
                .for_each(|at| *at *= 64.0);
        }
        inverted(reference);
    });
    assert!(small.contains('%') && small == large, "{small}\n{large}");
}

#[test]
fn a_mesh_on_a_node_that_is_not_listed_is_refused() {
    let text = refused(|wrong| wrong.meshes[0].node = Some(wrong.nodes.len()));
    assert!(
        text.contains("mesh 0 is attached to a node that is not listed"),
        "{text}"
    );
}

#[test]
fn surfaces_beyond_linear_skinning_are_no_contradiction() {
    let read = |reference: &Reference| {
        let read = Reference::parse(&reference.to_bytes());
        read.unwrap_or_else(|error| panic!("{error}"));
    };
    let dual = SkinningOptions {
        method: SkinningMethod::DualQuaternion,
        ..SkinningOptions::default()
    };
    read(&skinned(&walker(), &TIMES, dual));
    read(&reference(&load("morph_and_skin.gltf"), &TIMES));
    // Modifiers behind the armature that inflate the surface, move it, or make waves, in a clip that begins in the rest pose.
    let changes: [fn(Vec3, Vec3) -> Vec3; 4] = [
        |at, normal| at + 0.05 * normal,
        |at, _| at + Vec3::new(0.3, 0.0, 0.1),
        |at, _| 1.2 * at,
        |at, _| at + 0.1 * Vec3::new((9.0 * at.y).sin(), 0.0, (7.0 * at.x).cos()),
    ];
    for change in changes {
        let mut made = reference(&walker(), &TIMES);
        let rest: Vec<Mat4> = made.nodes.iter().map(|node| node.rest).collect();
        let bound: Vec<_> = made
            .meshes
            .iter()
            .map(|mesh| mesh.positions.clone())
            .collect();
        let first = &mut made.clips[0].frames[0];
        (first.nodes, first.positions) = (rest, bound);
        for frame in &mut made.clips[0].frames {
            for (positions, normals) in frame.positions.iter_mut().zip(&frame.normals) {
                for (at, normal) in positions.iter_mut().zip(normals) {
                    *at = change(*at, *normal);
                }
            }
        }
        read(&made);
    }
}
