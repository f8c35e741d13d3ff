//! References: written, read, and compared with the model they were made from.

use skincheck::diff::reference::{Pose, Reference, of_model};
use skincheck::diff::{self, Kind, Options, Source};
use skincheck::pose;
use skincheck::rig::{Asset, ClipId, SkinningOptions};
use skincheck::skinning;
use skincheck::units::Seconds;

use super::edit::{rest, rotation, rotations};
use super::{load, reported, walker};

fn reference(asset: &Asset, times: &[f64]) -> Reference {
    let poses = times.iter().map(|time| {
        let pose = pose::sample(asset, &asset.clips[0], Seconds(*time)).expect("it is finite");
        let pose = pose::model_pose(asset, &pose);
        let meshes = skinning::deform(asset, &pose, &SkinningOptions::default());
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
    let model = || Source::Model(Box::new(walker()));
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
    let report = compare(&made(), &Source::Model(Box::new(wrong)));
    let kinds: Vec<Kind> = report.differences().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::ConstantOffset], "{}", reported(&report));
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
            Kind::Rotation,
        ),
        (
            Space {
                metres_per_unit: Some(0.01),
                ..made.space
            },
            Kind::Scale,
        ),
    ] {
        let stated = Source::Reference(Box::new(Reference {
            space,
            ..made.clone()
        }));
        let report = compare(&stated, &Source::Model(Box::new(walker())));
        let kinds: Vec<Kind> = report.differences().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [kind], "{}", reported(&report));
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
    let report = compare(&made, &Source::Model(Box::new(posed)));
    assert!(report.is_same(), "{}", reported(&report));
}

#[test]
fn a_track_that_is_dropped_against_a_reference_is_missing() {
    let before = Source::Reference(Box::new(reference(&walker(), &TIMES)));
    let mut after = walker();
    super::edit::channel(&mut after, "LeftLowerLeg").rotation = None;
    let report = compare(&before, &Source::Model(Box::new(after)));
    let kinds: Vec<Kind> = report.differences().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::TrackMissing], "{}", reported(&report));
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
