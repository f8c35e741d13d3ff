//! The rules on their fixtures. In the file with its fault, a rule has one finding with the right location, and no other rule
//! has any. In the file with a sound counterpart, it has none.

mod mutations;
mod nonfinite;

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use skincheck::finding::{Finding, Level};
use skincheck::import::{self, Options};
use skincheck::lint::{self, Checked, Context, Settings};
use skincheck::rig::{Asset, AssetBuilder, Channel, Clip, NodeId, Track, Trs};
use skincheck::units::Seconds;

use crate::fixtures::folder;
use crate::fixtures::rules::{Proof, proofs};

fn read(file: &str) -> Asset {
    let asset = import::load(&folder().join(file), &Options::default());
    asset.unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// With all rules except those that need a second path.
fn checked(file: &str, settings: &Settings) -> Checked {
    let path = folder().join(file);
    let asset = read(file);
    lint::check(&Context::new(&asset, &path, settings))
}

fn reported(finding: &Finding) -> String {
    format!("{} {}: {}", finding.code, finding.location, finding.message)
}

#[test]
fn no_rule_has_anything_against_the_clean_rig() {
    let checked = checked("rules/clean.gltf", &Settings::default());
    let reported: Vec<String> = checked.findings.iter().map(reported).collect();
    assert!(reported.is_empty(), "{reported:#?}");
    assert!(checked.unchecked.is_empty(), "{:?}", checked.unchecked);
}

/// The findings of all rules in the two files of a proof.
#[derive(Clone)]
struct Found {
    proof: Proof,
    firing: Vec<Finding>,
    quiet: Checked,
}

impl Found {
    fn of(proof: Proof) -> Self {
        let of = |file: &str| checked(file, &proof.settings);
        Self {
            firing: of(&proof.firing).findings,
            quiet: of(&proof.quiet),
            proof,
        }
    }

    /// Why the proof fails; `None` if it holds.
    fn miss(&self) -> Option<String> {
        let proves = self.fires_alone() && self.is_quiet();
        let all = self.firing.iter().chain(&self.quiet.findings).map(reported);
        let Proof { code, location, .. } = self.proof;
        (!proves).then(|| format!("{code} at {location}, found {:#?}", all.collect::<Vec<_>>()))
    }

    /// Whether the rule has one finding in the first file, and other rules only its consequences and those that cannot be avoided.
    fn fires_alone(&self) -> bool {
        let is_own = |finding: &&Finding| finding.code.0 == self.proof.code;
        let (own, others): (Vec<_>, Vec<_>) = self.firing.iter().partition(is_own);
        let is_avoidable = |finding: &&&Finding| {
            let also = self.proof.also.contains(&finding.code.0);
            also || !own.iter().any(|cause| cause.explains(finding))
        };
        let others: Vec<_> = others.iter().filter(is_avoidable).collect();
        let locations = own.iter().map(|finding| finding.location.to_string());
        let codes: BTreeSet<&str> = others.iter().map(|finding| finding.code.0).collect();
        locations.eq([self.proof.location])
            && others.iter().all(|finding| finding.level < Level::Error)
            && codes.into_iter().eq(self.proof.also.iter().copied())
    }

    /// Whether the rule was checked on the second file without a finding, and other rules have no worse findings than
    /// in the first.
    fn is_quiet(&self) -> bool {
        let is_meant = |finding: &Finding| {
            let also = self.proof.also.contains(&finding.code.0);
            finding.level < Level::Hint || also && finding.level < Level::Error
        };
        let is_own = |finding: &Finding| finding.code.0 == self.proof.code;
        let mut unchecked = self.quiet.unchecked.iter();
        let mut findings = self.quiet.findings.iter();
        unchecked.all(|missing| missing.code.0 != self.proof.code)
            && findings.all(|finding| !is_own(finding) && is_meant(finding))
    }
}

#[test]
fn each_rule_finds_its_fault_and_nothing_else_and_is_quiet_where_something_alike_is_right() {
    let here = proofs().filter(|proof| !proof.needs_assimp());
    let misses: Vec<String> = here.filter_map(|proof| Found::of(proof).miss()).collect();
    assert!(misses.is_empty(), "{misses:#?}");
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs assimp")]
fn formats_that_need_assimp_are_found_too() {
    let those = proofs().filter(Proof::needs_assimp);
    let misses = those.filter_map(|proof| Found::of(proof).miss());
    let misses: Vec<String> = misses.collect();
    assert!(misses.is_empty(), "{misses:#?}");
}

#[test]
fn every_rule_has_a_fixture_that_fires_and_one_that_does_not() {
    let mut known: BTreeSet<&str> = proofs().map(|proof| proof.code).collect();
    // About two files; `clips_of_a_rig_with_other_axes_are_reported` proves it.
    known.insert("C540");
    let all: BTreeSet<&str> = lint::rules().map(|rule| rule.meta().code.0).collect();
    assert_eq!(known, all);
}

/// A row of four joints along y that are rotated about it by `degrees`, with a clip that bends the second one.
fn row(degrees: f32) -> Asset {
    let mut rig = AssetBuilder::new();
    let mut above = None;
    for index in 0..4 {
        let turn = if index == 0 { degrees } else { 0.0 };
        let rest = Trs {
            translation: Vec3::Y,
            rotation: Quat::from_rotation_y(turn.to_radians()),
            ..Trs::IDENTITY
        };
        above = Some(rig.node(&format!("joint {index}"), above, rest));
    }
    let mut clip = Clip::new("Bend", Seconds(1.0));
    let bend = [(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(0.5))];
    clip.channels.push(Channel {
        rotation: Some(Track::linear(bend)),
        ..Channel::of(NodeId(1))
    });
    Asset {
        clips: vec![clip],
        ..rig.build().expect("it is a rig")
    }
}

#[test]
fn clips_of_a_rig_with_other_axes_are_reported() {
    let reported = |degrees: f32| {
        let mut model = row(0.0);
        import::merge_clips(&mut model, row(degrees)).expect("the joints have the same names");
        let settings = Settings::default();
        let found = lint::check(&Context::new(&model, "row.gltf".as_ref(), &settings)).findings;
        let own = found.into_iter().filter(|own| own.code.0 == "C540");
        own.map(|own| (own.level, own.message)).collect::<Vec<_>>()
    };
    let [(level, message)] = &reported(90.0)[..] else {
        panic!("the axes differ by 90 degrees");
    };
    assert_eq!(*level, Level::Warning);
    assert!(message.contains("by up to 90°"), "{message}");
    assert_eq!(reported(0.0), []);
    assert_eq!(reported(2.0), [], "rounding");
}

#[test]
fn the_limit_of_a_finding_is_a_limit_of_its_rule() {
    for proof in proofs().filter(|proof| !proof.needs_assimp()) {
        let found = Found::of(proof);
        let own = found
            .firing
            .iter()
            .filter(|own| own.code.0 == found.proof.code);
        for finding in own {
            let rule = lint::find_rule(finding.code.0).expect("it is a rule");
            let (meta, settings) = (rule.meta(), &found.proof.settings);
            let limits = meta.limits.iter().map(|limit| settings.limit(meta, limit));
            let mut limits = limits.peekable();
            if let Some(compared) = finding
                .measure
                .and_then(|own| own.limit)
                .filter(|_| limits.peek().is_some())
            {
                let is_one = limits.any(|limit| (limit - compared).abs() < 1e-12);
                assert!(is_one, "{}: {compared}", meta.code);
            }
        }
    }
}
