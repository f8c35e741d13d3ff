use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::Described;
use crate::analysis::motion::Sample;
use crate::core::meta::RuleMeta;
use crate::core::settings::{RangeOfMotion, SampleTimes, Settings};
use crate::finding::Code;
use crate::rig::{Asset, Defect, DefectKind, Evidence, Location, ReaderCode};
use crate::rules::rule::sealed;
use crate::testing::{arm, meta, read_by, rotating};
use crate::{MOST_SAMPLES_OF_MODEL, Offence, Source};
use glam::Quat;

/// Tells how far vertex 0 of the first mesh is from the axis, if it has normals; counts nothing else.
struct Sees;

static META: RuleMeta = meta("Z000");

impl sealed::Sealed for Sees {}

impl Described for Sees {
    fn meta(&self) -> &'static RuleMeta {
        &META
    }
}

impl Rule for Sees {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, _: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let height = sample.meshes[0].iter().map(|p| p.x).fold(0.0, f32::max);
        let group = Location::FILE.part(match sample.source {
            Source::Clip(..) => "clip",
            Source::Range(_) => "range",
        });
        out.add(
            Offence::above(&group, "sample", f64::from(height), 0.0),
            |subject| (sample.location(subject), "seen".to_owned()),
        );
    }
}

/// Counts how often it is called.
struct Counts(AtomicUsize);

impl Counts {
    const fn none() -> Self {
        Self(AtomicUsize::new(0))
    }

    fn watch_long(&'static self, sample_times: SampleTimes) -> Checked {
        let settings = Settings {
            sample_times,
            ..Settings::default()
        };
        let asset = long();
        let cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
        check_by(&cx, std::iter::once(self as &dyn Rule))
    }

    fn counted(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl sealed::Sealed for Counts {}

impl Described for Counts {
    fn meta(&self) -> &'static RuleMeta {
        &META
    }
}

impl Rule for Counts {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, _: &Context<'_>, sample: &Sample<'_>, _: &mut Findings) {
        assert!(!sample.meshes[0].distinct.is_empty());
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn bent() -> Asset {
    rotating(arm(), Quat::from_rotation_z(-1.5))
}

fn seen(asset: &Asset, range_of_motion: RangeOfMotion) -> Checked {
    let settings = Settings {
        range_of_motion,
        ..Settings::default()
    };
    let cx = Context::new(asset, "model.gltf".as_ref(), &settings);
    check_by(&cx, std::iter::once(&Sees as &dyn Rule))
}

fn locations(checked: &Checked) -> Vec<String> {
    checked
        .findings
        .iter()
        .map(|f| f.location.to_string())
        .collect()
}

#[test]
fn the_worst_sample_time_of_a_clip_is_reported() {
    let reported = locations(&seen(&bent(), RangeOfMotion::WithoutClips));
    assert_eq!(reported, ["clip \"turn\" at 1 s, clip"]);
}

#[test]
fn a_model_without_clips_goes_through_its_range_of_motion() {
    let reported = locations(&seen(&arm(), RangeOfMotion::WithoutClips));
    assert_eq!(reported, ["\"elbow\" rotated by -30° about z, range"]);
    assert!(locations(&seen(&arm(), RangeOfMotion::Never)).is_empty());
    assert_eq!(locations(&seen(&bent(), RangeOfMotion::Always)).len(), 2);
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let asset = bent();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads start")
            .install(|| seen(&asset, RangeOfMotion::Always))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn each_sample_time_is_shown_once_and_not_more_of_them_than_the_limit() {
    static COUNTS: Counts = Counts::none();
    let checked = COUNTS.watch_long(SampleTimes::Limited);
    assert_eq!(COUNTS.counted(), MOST_SAMPLES_OF_MODEL);
    assert_eq!(checked.thinned.len(), 1);
}

#[test]
fn all_sample_times_are_shown_if_all_are_requested() {
    static COUNTS: Counts = Counts::none();
    let checked = COUNTS.watch_long(SampleTimes::All);
    assert_eq!(COUNTS.counted(), 2001);
    assert!(checked.thinned.is_empty());
}

/// With a key a second, from 0 to 1000.
fn long() -> Asset {
    let mut asset = bent();
    asset.clips[0].end = crate::units::Seconds(1000.0);
    if let Some(track) = &mut asset.clips[0].channels[0].rotation {
        let key = track.keys[1].clone();
        track.keys.extend((2..=1000).map(|second| crate::rig::Key {
            time: crate::units::Seconds(f64::from(second)),
            ..key.clone()
        }));
    }
    asset
}

#[test]
fn a_model_that_cannot_be_skinned_is_not_checkable_by_each_rule_on_poses() {
    let mut asset = arm();
    asset.skins[0].inverse_bind_matrices.pop();
    let checked = seen(&asset, RangeOfMotion::Always);
    assert!(checked.findings.is_empty());
    assert_eq!(checked.unchecked.len(), 1);
    let reason = &checked.unchecked[0].reason;
    assert_eq!(reason, "not checkable: mesh instance 0 cannot be posed");
}

#[test]
fn a_key_before_0_is_an_error_in_gltf_alone_unless_configured() {
    let rule = crate::find_rule("C507").expect("it is a rule");
    let level = |code: ReaderCode, settings: &Settings| {
        let defect = Defect {
            kind: DefectKind::NegativeTime,
            location: Location::clip("walk"),
            count: 1,
            badness: 0.0,
            message: "is odd".into(),
        };
        let asset = Asset {
            evidence: Evidence {
                examined: vec![DefectKind::NegativeTime],
                defects: vec![defect],
                ..Evidence::default()
            },
            ..arm()
        };
        let asset = read_by(code, asset);
        let cx = Context::new(&asset, "model".as_ref(), settings);
        check_by(&cx, std::iter::once(rule)).findings[0].level
    };
    let unset = Settings::default();
    let readers = [
        (ReaderCode::Gltf, Level::Error),
        (ReaderCode::Ufbx, Level::Warning),
    ];
    for (code, expected) in readers {
        assert_eq!(level(code, &unset), expected, "{code:?}");
    }
    let configured = Settings {
        levels: [(Code("C507"), Some(Level::Info))].into(),
        ..unset
    };
    assert_eq!(level(ReaderCode::Gltf, &configured), Level::Info);
}

#[test]
fn what_an_importer_misreads_is_not_checked() {
    let checked = |misread: &[Misread]| {
        let mut asset = rotating(arm(), Quat::from_rotation_z(0.5));
        asset.evidence.misread = misread.to_vec();
        let settings = Settings::default();
        let cx = Context::new(&asset, "model".as_ref(), &settings);
        let unchecked = check(&cx).unchecked.into_iter();
        let codes: Vec<&str> = unchecked.map(|rule| rule.code.0).collect();
        ["W104", "D602", "H305", "C514", "G808"].map(|code| !codes.contains(&code))
    };
    assert_eq!(checked(&[]), [true; 5]);
    assert_eq!(
        checked(&[Misread::Weights]),
        [false, false, false, true, true]
    );
    assert_eq!(
        checked(&[Misread::Motion]),
        [true, false, true, false, false]
    );
}
