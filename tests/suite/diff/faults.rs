//! Faults of exporters, planted one at a time; `diff` must name each correctly.

mod bases;
mod model;
mod motion;
mod two;

pub(super) use bases::attached as with_attachments;
pub(super) use model::FAULTS as OF_MODEL;
pub(super) use motion::FAULTS as OF_CLIP;

use glam::Vec3;
use skincheck::diff::{self, Accepted, Kind, Options, Source, Tolerance};
use skincheck::rig::Blending;
use skincheck::units::Seconds;

use super::edit::{Retimed, rest, rotation, tracks};
use super::{Base, Change, compare, reported, walker};
use bases::{attached, blended, growing_head, morphed, splined_arm, still_foot, two_meshes};

/// A fault.
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// Creates the model without the fault.
    pub(super) base: Base,
    pub(super) plant: Change,
    /// The findings that must come first, and others that may follow.
    pub(super) kinds: &'static [Kind],
    pub(super) tolerance: Option<Tolerance>,
    /// Whether no surface shows it.
    pub(super) is_beside: bool,
}

const fn fault(name: &'static str, base: Base) -> Fault {
    Fault {
        name,
        base,
        plant: |_| {},
        kinds: &[],
        tolerance: None,
        is_beside: false,
    }
}

impl Fault {
    const fn shows(self, kinds: &'static [Kind]) -> Self {
        Self { kinds, ..self }
    }

    const fn within(self, tolerance: Tolerance) -> Self {
        Self {
            tolerance: Some(tolerance),
            ..self
        }
    }

    const fn beside(self) -> Self {
        Self {
            is_beside: true,
            ..self
        }
    }

    const fn planted(self, plant: Change) -> Self {
        Self { plant, ..self }
    }
}

#[test]
fn every_fault_is_named_rightly() {
    let mut wrong = Vec::new();
    for fault in model::FAULTS.iter().chain(motion::FAULTS) {
        let (before, mut after) = ((fault.base)(), (fault.base)());
        (fault.plant)(&mut after);
        let report = compare(before, after, fault.tolerance);
        let named: Vec<Kind> = report.differences().map(|own| own.kind).collect();
        let is_first_named = named.contains(&fault.kinds[0]);
        let strange = named.iter().any(|kind| !fault.kinds.contains(kind));
        if !is_first_named || strange {
            wrong.push(format!(
                "{}: expected {:?}, found\n{}",
                fault.name,
                fault.kinds,
                reported(&report)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn models_without_a_fault_are_the_same() {
    let bases = [
        walker,
        attached,
        still_foot,
        growing_head,
        splined_arm,
        blended,
        morphed,
        two_meshes,
    ];
    for base in bases {
        let report = compare(base(), base(), Some(Tolerance::Diagonal(1e-6)));
        assert!(report.is_same(), "{}", reported(&report));
    }
}

#[test]
fn a_finding_says_where_when_and_why() {
    let mut after = still_foot();
    rest(&mut after, "LeftFoot", |trs| {
        trs.rotation *= rotation(Vec3::X, 3.1);
    });
    let report = compare(still_foot(), after, None);
    let found = report
        .differences()
        .find(|finding| finding.finding.location.clip.is_some());
    let expected = "throughout `LeftFoot` is rotated by up to 3.1°: a constant offset in its rest transform; 1 joint below inherits it";
    assert_eq!(
        found.map(|finding| finding.finding.message.as_str()),
        Some(expected)
    );
}

#[test]
fn an_accepted_timing_does_not_hide_a_surface_that_differs() {
    let mut after = walker();
    tracks(&mut after, &Retimed(|time| time + 0.25));
    (after.clips[0].start, after.clips[0].end) = (Seconds(0.25), Seconds(1.25));
    let compare = |after| {
        let [before, after] = [walker(), after].map(Source::from);
        let mut options = Options::default();
        options.settings.align = vec![Accepted::Time];
        diff::compare(&before, &after, &options).expect("the models can be compared")
    };
    let report = compare(after.clone());
    assert!(report.is_same(), "{}", reported(&report));
    assert!(!report.findings.is_empty(), "the timing is a remark");

    after.meshes[0].blending = Blending::DualQuaternion;
    let report = compare(after);
    assert!(!report.is_same(), "{}", reported(&report));
    let named: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    assert_eq!(named, [Kind::SkinningMethod], "{}", reported(&report));
}
