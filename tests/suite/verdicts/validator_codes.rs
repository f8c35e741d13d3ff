//! Every code of glTF-Validator about skins, animation, morph targets or accessors: the rule that reports the same, or
//! the reason why none does.
//!
//! Each code that [`validator`](super::validator) has no fixture for is planted in a healthy model. The files are
//! written to `tmp/validator` in cargo's target folder, and glTF-Validator's findings were recorded with `record.js`.

mod planted;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use skincheck::finding::Level;
use skincheck::lint;

use super::planted::stored::{Stored, index};
use super::validator::{RECORDED, SAME};
use super::{checked, reported};
use planted::Ours::{Refused, Rule, Silent};
use planted::{PLANTED, arm, remove};

/// The prefixes of codes about rigs in `ISSUES.md` of version 2.0.0-dev.3.10. Three about textures are left out.
const GROUPS: &[&str] = &[
    "ACCESSOR_",
    "ANIMATION_",
    "INVALID_IBM_",
    "MESH_",
    "NODE_SKIN",
    "NODE_WEIGHTS_",
    "SKIN_",
    "UNUSED_MESH_",
];

/// Every code of these groups, sorted by name.
const ALL: &str = include_str!("validator_codes.txt");

/// The findings about the file at level hint and above, each with its code; `None` if skincheck refuses it.
fn alarms_of(path: &Path) -> Option<Vec<String>> {
    findings_of(path, Level::Hint)
}

/// As [`alarms_of`], from a level on.
fn findings_of(path: &Path, level: Level) -> Option<Vec<String>> {
    let findings = checked(path).ok()?.findings.into_iter();
    let loud = findings.filter(|finding| finding.level >= level);
    Some(loud.map(|finding| reported(&finding)).collect())
}

#[test]
fn findings_of_gltf_validator_on_rigs_are_reported_or_excluded_for_a_reason() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validator");
    fs::create_dir_all(&folder).expect("the folder of the build is writable");
    let arm = arm();
    Stored::of(&arm).write(&folder.join("none.gltf"));
    assert_eq!(
        alarms_of(&folder.join("none.gltf")).map(|all| all.len()),
        Some(0)
    );
    let mut wrong = Vec::new();
    for (code, plant, ours) in PLANTED {
        let mut file = Stored::of(&arm);
        plant(&mut file);
        let path = folder.join(format!("{code}.gltf"));
        file.write(&path);
        let found = alarms_of(&path);
        let holds = match ours {
            Refused => found.is_none(),
            Rule(rule) => {
                assert!(lint::find_rule(rule).is_some(), "{rule}");
                let all = findings_of(&path, Level::Info);
                all.is_some_and(|all| all.iter().any(|one| one.starts_with(rule)))
            }
            Silent(why) => !why.is_empty() && found.as_ref().is_some_and(Vec::is_empty),
        };
        let is_recorded = RECORDED.contains(&format!("{code}.gltf\t{code}\n"));
        if !holds || !is_recorded {
            wrong.push(format!(
                "{code}: recorded: {is_recorded}, found: {found:#?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn offsets_of_positions_must_state_bounds_too() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for stated in [false, true] {
        let mut file = Stored::of(&arm());
        file.add_target();
        let target = &file.json["meshes"][0]["primitives"][0]["targets"][0];
        let offsets = index(&target["POSITION"]);
        if !stated {
            remove(&mut file.json["accessors"][offsets], &["min", "max"]);
        }
        let path = folder.join("offsets.gltf");
        file.write(&path);
        let found = alarms_of(&path).expect("the file is read");
        let is_reported = found.iter().any(|one| one.starts_with("G817"));
        assert_eq!(is_reported, !stated, "{found:?}");
    }
}

#[test]
fn every_code_of_gltf_validator_about_rigs_has_an_answer() {
    let planted = PLANTED.iter().map(|(code, ..)| *code);
    let known: BTreeSet<&str> = SAME.iter().map(|(code, _)| *code).chain(planted).collect();
    let of_group = |code: &&str| GROUPS.iter().any(|group| code.starts_with(group));
    let all: BTreeSet<&str> = ALL.lines().collect();
    assert!(all.len() > 60 && all.iter().all(of_group));
    let missing: Vec<_> = all.difference(&known).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
