//! Plants errors in rules. A proof that still holds then proves nothing.

use std::sync::LazyLock;

use skincheck::finding::{Code, Finding, Level};
use skincheck::lint::Unchecked;
use skincheck::rig::Location;

use super::Found;
use crate::fixtures::rules::proofs;

/// Every proof that holds, among those without a second importer; computed once.
static SOUND: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let here = proofs().filter(|proof| !proof.needs_assimp());
    let found = here.map(Found::of);
    found.filter(|found| found.miss().is_none()).collect()
});

/// Asserts that no proof holds after `err` has changed the findings.
///
/// * `err` – returns whether there was anything to change.
#[track_caller]
fn is_noticed(err: impl Fn(&mut Found) -> bool) {
    let mut tried = 0;
    let mut unnoticed = Vec::new();
    for sound in SOUND.iter() {
        let mut faulty = sound.clone();
        if err(&mut faulty) {
            tried += 1;
            unnoticed.extend(faulty.miss().is_none().then_some(sound.proof.code));
        }
    }
    assert!(tried > 0, "nothing was changed");
    assert_eq!(unnoticed, [""; 0]);
}

impl Found {
    /// The rule's finding in the first file.
    fn own(&mut self) -> &mut Finding {
        let mut findings = self.firing.iter_mut();
        let own = findings.find(|finding| finding.code.0 == self.proof.code);
        own.expect("a sound rule fires")
    }

    /// A finding of a rule that should have none.
    fn of_another_rule(&mut self, level: Level) -> Finding {
        let code = self.proof.code;
        Finding {
            code: Code(if code == "W103" { "W104" } else { "W103" }),
            level,
            ..self.own().clone()
        }
    }
}

#[test]
fn a_rule_that_is_switched_off_is_noticed() {
    for sound in SOUND.iter() {
        let mut proof = sound.proof.clone();
        proof.settings.levels.insert(Code(proof.code), None);
        let deaf = Found::of(proof);
        let code = deaf.proof.code;
        assert!(deaf.is_quiet() && deaf.miss().is_some(), "{code}");
    }
}

#[test]
fn a_false_alarm_of_a_rule_is_noticed() {
    is_noticed(|found| {
        let own = found.own().clone();
        found.quiet.findings.push(own);
        true
    });
}

#[test]
fn a_rule_that_does_not_look_is_noticed() {
    is_noticed(|found| {
        found.quiet.unchecked.push(Unchecked {
            code: Code(found.proof.code),
            reader: None,
            reason: "not checkable".to_owned(),
        });
        true
    });
}

#[test]
fn a_rule_that_reports_a_fault_twice_is_noticed() {
    is_noticed(|found| {
        let own = found.own().clone();
        found.firing.push(own);
        true
    });
}

/// Changes one part of a location; returns whether the location has that part.
type Elsewhere = fn(&mut Location) -> bool;

#[test]
fn a_rule_that_names_another_location_is_noticed() {
    fn rename(name: &mut Option<String>) -> bool {
        name.as_mut().map(|name| name.push('2')).is_some()
    }
    let parts: [Elsewhere; 9] = [
        |location| rename(&mut location.mesh),
        |location| rename(&mut location.skin),
        |location| rename(&mut location.joint),
        |location| rename(&mut location.material),
        |location| rename(&mut location.clip),
        |location| location.part.replace("2".into()).is_some(),
        |location| {
            location
                .vertex
                .as_mut()
                .map(|vertex| *vertex += 1)
                .is_some()
        },
        |location| location.joints.pop().is_some(),
        |location| location.time.as_mut().map(|time| time.0 += 0.1).is_some(),
    ];
    for part in parts {
        is_noticed(|found| part(&mut found.own().location));
    }
}

#[test]
fn a_rule_that_names_no_location_is_noticed() {
    is_noticed(|found| {
        let location = &mut found.own().location;
        let named = *location != Location::FILE;
        *location = Location::FILE;
        named
    });
}

#[test]
fn another_rule_that_has_something_against_the_file_is_noticed() {
    for level in [Level::Info, Level::Hint, Level::Warning, Level::Error] {
        is_noticed(|found| {
            let other = found.of_another_rule(level);
            found.firing.push(other);
            true
        });
    }
    for level in [Level::Hint, Level::Warning, Level::Error] {
        is_noticed(|found| {
            let other = found.of_another_rule(level);
            found.quiet.findings.push(other);
            true
        });
    }
}
