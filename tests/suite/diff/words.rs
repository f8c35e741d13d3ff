//! The contents of the text report, and what it omits.

use glam::Vec3;
use skincheck::diff::{Kind, Report};
use skincheck::report::diff::{Compared, Comparison, PageImages, Pair};
use skincheck::report::{Format, View};
use skincheck::units::Seconds;

use super::edit::{Retimed, channel, joint, joints, rest, tracks};
use super::{compare, load, reported, walker};

fn text(report: Report) -> String {
    let paths = ["before.glb", "after.glb"].map(str::to_owned);
    let comparison = Comparison {
        folders: None,
        engines: [None, None],
        models: vec![Pair::Compared(Box::new(Compared {
            paths,
            importers: None,
            report,
        }))],
        left: 0,
    };
    comparison.write(Format::Text, View::default(), &PageImages::default())
}

#[test]
fn a_clip_that_only_runs_later_differs_in_its_timing_alone() {
    let mut after = walker();
    tracks(&mut after, &Retimed(|time| time + 0.5));
    after.clips[0].start = Seconds(0.5);
    after.clips[0].end = Seconds(1.5);
    let text = text(compare(walker(), after, None));
    assert!(text.contains("DIFFERENT (timing only"), "{text}");
}

#[test]
fn a_finding_names_its_clip_once() {
    let mut after = walker();
    after.clips.clear();
    let text = text(compare(walker(), after, None));
    let expected = "clips (clip-missing): clip \"Walk\" has no counterpart in AFTER";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn many_findings_of_a_kind_are_counted() {
    let mut after = walker();
    joints(&mut after, |joints| {
        for (index, joint) in joints.iter_mut().enumerate() {
            joint.name = format!("Bone.{index:03}");
        }
    });
    let report = compare(walker(), after, None);
    let renamed = report.findings.iter();
    let renamed = renamed.filter(|finding| finding.kind == Kind::JointRenamed);
    let more = renamed.count() - 8;
    let text = text(report);
    assert_eq!(text.matches("(joint-renamed): `").count(), 8, "{text}");
    let expected = format!("{more} more of hierarchy (joint-renamed)");
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn a_joint_without_a_name_is_numbered() {
    let unnamed = || {
        let mut asset = load("arm.gltf");
        joint(&mut asset, "elbow", |joint| joint.name.clear());
        asset
    };
    let mut after = unnamed();
    let elbow = after.skins[0].joints[1];
    joints(&mut after, |joints| {
        joints[elbow.index()].name = "elbow".into();
    });
    rest(&mut after, "elbow", |trs| trs.translation += 0.2 * Vec3::X);
    joint(&mut after, "elbow", |joint| joint.name.clear());
    let text = reported(&compare(unnamed(), after, None));
    assert!(text.contains("`node #1 (unnamed)`"), "{text}");
    assert!(!text.contains("``"), "{text}");
}

#[test]
fn models_of_other_rigs_are_reported_as_unrelated_in_one_sentence() {
    let mut other = load("many_joints.gltf");
    joints(&mut other, |joints| joints[0].name = "Hips".into());
    let report = compare(walker(), other, None);
    let kinds: Vec<Kind> = report.findings.iter().map(|own| own.kind).collect();
    assert_eq!(kinds, [Kind::Unrelated], "{}", reported(&report));
}

#[test]
fn joints_exchanged_in_the_skin_are_not_below_themselves() {
    let mut after = load("arm.gltf");
    after.skins[0].joints.swap(0, 1);
    let report = compare(load("arm.gltf"), after, None);
    let text = reported(&report);
    let expected = "`shoulder` and `elbow` have each other's inverse bind matrix";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("joint-reparented"), "{text}");
}

#[test]
fn splines_through_the_keys_of_a_root_are_no_other_way() {
    let striding = |times: &[f64]| {
        let mut asset = walker();
        let eased = |time: f64| {
            let (part, start) = (2.0 * (time % 0.5), (time / 0.5).floor());
            start + part * part * (3.0 - 2.0 * part)
        };
        #[expect(clippy::cast_possible_truncation, reason = "a small number")]
        let keys = times.iter().map(|time| skincheck::rig::Key {
            time: Seconds(*time),
            value: Vec3::new(0.0, 1.0, eased(*time) as f32),
            span: skincheck::rig::Span::Linear,
        });
        channel(&mut asset, "Hips").rotation = None;
        channel(&mut asset, "Hips").translation = Some(skincheck::rig::Track {
            keys: keys.collect(),
        });
        asset
    };
    let dense: Vec<f64> = (0..=40).map(|index| f64::from(index) / 40.0).collect();
    let report = compare(striding(&[0.0, 0.5, 1.0]), striding(&dense), None);
    let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    assert_eq!(kinds, [Kind::Interpolation], "{}", reported(&report));
}
