//! The files of the folder `conformance`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Set, VERSION, text};

/// Set to write the files instead of comparing them.
const UPDATE: &str = "SKINCHECK_UPDATE_FIXTURES";

/// Written by hand.
const BY_HAND: [&str; 1] = ["verify.py"];

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

#[test]
fn the_committed_fixtures_of_conformance_are_what_the_generator_makes() {
    let files = files(&Set::new());
    if std::env::var_os(UPDATE).is_some() {
        fs::create_dir_all(path()).expect("the folder is writable");
        for (name, content) in &files {
            fs::write(path().join(name), content).expect("the folder is writable");
        }
    }
    let differs = |(name, content): &&(String, String)| {
        fs::read(path().join(name)).ok().as_deref() != Some(content.as_bytes())
    };
    let differing: Vec<&str> = files
        .iter()
        .filter(differs)
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(
        differing.is_empty(),
        "these are missing or not what the generator makes: {differing:?}; {UPDATE}=1 writes them"
    );
    let entries = fs::read_dir(path()).expect("the folder is there");
    let strangers: Vec<String> = entries
        .map(|entry| entry.expect("it is readable").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !BY_HAND.contains(&name.as_str()))
        .filter(|name| !files.iter().any(|(own, _)| own == name))
        .collect();
    assert!(strangers.is_empty(), "nothing makes {strangers:?}");
}

/// Names and contents.
fn files(set: &Set) -> Vec<(String, String)> {
    let mut files = vec![
        (".gitattributes".to_owned(), "* -text\n".to_owned()),
        ("README.md".to_owned(), readme(set)),
        ("manifest.json".to_owned(), text::of(&manifest(set))),
    ];
    for member in &set.members {
        let name = member.case.name;
        let expected = json!({ "name": name, "poses": member.expected });
        files.push((format!("{name}.gltf"), member.gltf.clone()));
        files.push((format!("{name}.json"), text::of(&expected)));
    }
    files
}

fn manifest(set: &Set) -> Value {
    let faults: Vec<Value> = set
        .faults()
        .map(|(name, mistake, cases)| json!({ "name": name, "mistake": mistake, "caught_by": cases }))
        .collect();
    let cases = set.members.iter().map(|member| {
        let case = member.case;
        let caught = set
            .faults()
            .filter(|(_, _, cases)| cases.contains(&case.name));
        json!({
            "name": case.name,
            "tests": case.tests,
            "a_wrong_engine": case.wrong,
            "section": case.section,
            "informational": case.is_informational,
            "times": member.times,
            "needs": member.needs(),
            "catches": caught.map(|(fault, ..)| fault).collect::<Vec<_>>(),
        })
    });
    json!({
        "version": VERSION,
        "derivation": DERIVATION,
        "cases": cases.collect::<Vec<_>>(),
        "faults": faults,
    })
}

const DERIVATION: &str = "A tolerance is the limit to which the roundings of glTF's formulas in f32 can add up, with times and phases \
    in f32 too: a sampled rotation may be off by 2.5e-6 radians and a vector by 16 * 2^-24 of its largest key; products of transforms and \
    the weighted sum of a vertex add 8 and 24 * 2^-24 of the magnitudes of their terms. A normal may be off by twice the condition number \
    of its matrix times the relative error of the matrix and 16 * 2^-24. Weights that are stored in steps move a vertex by at most half a \
    step per influence times the largest distance of the positions that each joint alone would give it: per_weight_step times the step.";

/// The most cases that a row of the README names.
const MOST_NAMED: usize = 6;

fn readme(set: &Set) -> String {
    let mut text =
        format!("# Conformance cases for engines that play glTF, version {VERSION}\n\n{README}");
    for (name, mistake, cases) in set.faults() {
        let mut named: Vec<String> = cases.iter().map(|case| format!("`{case}`")).collect();
        let more = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        row(
            &mut text,
            &[&format!("{mistake} (`{name}`)"), &named.join(", ")],
        );
    }
    text += "\n## Cases\n\n| case | tests | a wrong engine | glTF 2.0 |\n|---|---|---|---|\n";
    for member in &set.members {
        let case = member.case;
        let note = if case.is_informational {
            " (informational)"
        } else {
            ""
        };
        let name = format!("`{}`{note}", case.name);
        row(&mut text, &[&name, case.tests, case.wrong, case.section]);
    }
    text
}

fn row(text: &mut String, cells: &[&str]) {
    writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes all text");
}

const README: &str = include_str!("readme.md");
