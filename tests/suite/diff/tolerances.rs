//! Tolerances for single clips and joints.

use glam::Vec3;
use skincheck::diff::{self, Options, Report, Source, Tolerance};

use super::edit::rest;
use super::{load, reported};

/// An arm, and an arm whose wrist is moved by 2 cm (0.77 % of the diagonal) at rest.
fn compare(clips: &[(&str, f64)], joints: &[(&str, f64)]) -> Report {
    let mut after = load("arm.gltf");
    rest(&mut after, "wrist", |trs| trs.translation += 0.02 * Vec3::X);
    let mut options = Options::default();
    let list = |list: &[(&str, f64)]| {
        let list = list.iter();
        list.map(|(name, percent)| ((*name).to_owned(), Tolerance::Diagonal(percent / 100.0)))
            .collect()
    };
    options.settings.clip_tolerances = list(clips);
    options.settings.joint_tolerances = list(joints);
    let [before, after] = [load("arm.gltf"), after].map(Source::from);
    diff::compare(&before, &after, &options).expect("the models can be compared")
}

#[test]
fn a_clip_may_have_a_tolerance_of_its_own() {
    let report = compare(&[("Bend", 1.0)], &[]);
    let differs: Vec<bool> = report
        .takes
        .iter()
        .map(|take| take.verdict.differs())
        .collect();
    assert_eq!(differs, [true, false, true, true], "{}", reported(&report));
}

#[test]
fn a_joint_may_have_one_for_itself_and_the_vertices_that_it_moves_most() {
    // Half of the offset reaches the vertices between the two joints.
    let report = compare(&[], &[("wrist", 1.0), ("elbow", 0.5)]);
    assert!(report.is_same(), "{}", reported(&report));
    assert!(!compare(&[], &[("wrist", 1.0)]).is_same());
    assert!(!compare(&[], &[("elbow", 0.5)]).is_same());
}
