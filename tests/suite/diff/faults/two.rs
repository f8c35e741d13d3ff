//! Two faults at once: neither hides the other.

use std::collections::BTreeSet;

use glam::Vec3;
use skincheck::diff::{self, Kind, Options, Report, Source, Stage, Take, Verdict};
use skincheck::rig::{Asset, Blending};
use skincheck::units::Seconds;

use super::{Fault, model, motion};
use crate::diff::edit::{rotation, rotations};
use crate::diff::{Base, compare, distance, reported, walker};

/// The faults of the walker that come from some stages and leave its clip comparable.
fn of_stages(faults: &'static [Fault], stages: &[Stage]) -> Vec<&'static Fault> {
    let base: Base = walker;
    let own = faults.iter().filter(|fault| {
        let stage = fault.kinds[0].stage();
        std::ptr::fn_addr_eq(fault.base, base) && stages.contains(&stage)
    });
    // A model that is bound in its first frame, after another fault has moved that, is matched by chance.
    let own = own.filter(|fault| fault.kinds[0] != Kind::RestPose);
    own.collect()
}

fn of_model() -> Vec<&'static Fault> {
    of_stages(model::FAULTS, &[Stage::Meshes, Stage::Bind, Stage::Weights])
}

fn of_clip() -> Vec<&'static Fault> {
    of_stages(motion::FAULTS, &[Stage::Keys, Stage::Interpolation])
}

fn kinds(report: &Report) -> Vec<Kind> {
    report.differences().map(|own| own.kind).collect()
}

#[test]
fn a_fault_of_the_model_and_one_of_its_clip_are_both_named() {
    let mut wrong = Vec::new();
    for (row, one) in of_model().into_iter().enumerate() {
        // Every third pair, so that each fault is tried with several.
        for other in of_clip().into_iter().skip(row % 3).step_by(3) {
            let mut after = walker();
            (one.plant)(&mut after);
            (other.plant)(&mut after);
            let report = compare(walker(), after, None);
            let named = kinds(&report);
            let is_named = |fault: &Fault| named.contains(&fault.kinds[0]);
            if !is_named(one) || !is_named(other) || named.contains(&Kind::Unexplained) {
                let found = reported(&report);
                wrong.push(format!("{} and {}:\n{found}", one.name, other.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_difference_that_no_finding_explains_is_reported_beside_others() {
    let mut wrong = Vec::new();
    for fault in of_model().into_iter().chain(of_clip()).step_by(2) {
        let mut after = walker();
        (fault.plant)(&mut after);
        after.meshes[0].blending = Blending::DualQuaternion;
        let report = compare(walker(), after, None);
        let found = report.differences().find(|finding| {
            finding.kind == Kind::Unexplained && finding.finding.location.clip.is_some()
        });
        let is_placed = found.is_some_and(|finding| {
            finding.finding.location.mesh.is_some()
                && finding.finding.location.joint.is_some()
                && finding.finding.location.time.is_some()
        });
        if !is_placed || !kinds(&report).contains(&fault.kinds[0]) {
            wrong.push(format!("{}:\n{}", fault.name, reported(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The comparison of the walker, with findings of these kinds ignored.
fn ignoring(kinds: &BTreeSet<Kind>, after: &Asset) -> Report {
    let mut options = Options::default();
    options.settings.ignore.clone_from(kinds);
    let [before, after] = [walker(), after.clone()].map(Source::from);
    diff::compare(&before, &after, &options).expect("the models can be compared")
}

#[test]
fn what_is_ignored_does_not_count_and_what_it_leaves_does() {
    let mut wrong = Vec::new();
    for fault in of_model().into_iter().chain(of_clip()).step_by(2) {
        let mut after = walker();
        (fault.plant)(&mut after);
        let mut ignored: BTreeSet<Kind> = kinds(&compare(walker(), after.clone(), None))
            .into_iter()
            .collect();
        let report = ignoring(&ignored, &after);
        let is_beyond = |take: &Take| take.surface.max > take.limit;
        let is_excused = |take: &Take| (take.verdict == Verdict::Ignored) == is_beyond(take);
        if !report.is_same() || !report.takes.iter().all(is_excused) {
            wrong.push(format!("{} alone:\n{}", fault.name, reported(&report)));
        }
        // Even if the finding about it is ignored.
        ignored.insert(Kind::Unexplained);
        after.meshes[0].blending = Blending::DualQuaternion;
        let report = ignoring(&ignored, &after);
        if report.is_same() {
            wrong.push(format!(
                "{} and another:\n{}",
                fault.name,
                reported(&report)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn models_are_the_same_only_if_no_two_small_faults_add_up() {
    let times: Vec<Seconds> = (0..=24)
        .map(|frame| Seconds(f64::from(frame) / 24.0))
        .collect();
    let mut verdicts = [0; 2];
    for degrees in [0.0, 0.1, 0.2, 0.3] {
        for shift in [0.0, 5e-4, 1e-3, 2e-3] {
            let (before, mut after) = (walker(), walker());
            rotations(&mut after, "LeftUpperArm", |_, _, value| {
                value * rotation(Vec3::Z, degrees)
            });
            for position in &mut after.meshes[0].positions {
                position.y += shift;
            }
            let apart = distance([&before, &after], &times);
            let report = compare(before, after, None);
            let limit = 1e-3 * report.diagonal;
            let is_same = report.is_same();
            verdicts[usize::from(is_same)] += 1;
            assert!(
                !is_same || apart <= limit,
                "{degrees}° and {shift}: {apart} of {limit}\n{}",
                reported(&report)
            );
        }
    }
    assert!(verdicts.iter().all(|count| *count > 2), "{verdicts:?}");
}
