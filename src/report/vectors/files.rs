//! The files of the set.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::pretty;
use crate::units::first_few;
use crate::vectors::{Needs, Set, Tolerance, VERSION};

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/vectors/1";

/// The file that lists the others.
pub(crate) const MANIFEST: &str = "manifest.json";

/// `manifest.json`: what is in the set.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Manifest<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Of the set: grows with every change of a file or an expected number.
    version: u32,
    /// How the tolerances follow.
    derivation: &'static str,
    cases: Vec<CaseJson<'a>>,
    faults: Vec<FaultJson<'a>>,
}

/// A case.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Case")]
struct CaseJson<'a> {
    name: &'static str,
    /// The model.
    gltf: String,
    /// The expected result, as JSON.
    expected: String,
    /// The same, for `skincheck diff`.
    reference: String,
    /// What it tests.
    tests: &'static str,
    /// What a wrong engine shows.
    a_wrong_engine: &'static str,
    /// The section of glTF 2.0 that requires it.
    section: &'static str,
    /// Whether glTF leaves the result open; the case counts for nothing.
    informational: bool,
    /// The times of its clip at which it is posed, in seconds.
    times: &'a [f64],
    needs: Needs,
    /// The largest errors that are allowed in f32 at any of the times.
    tolerance: Tolerance,
    /// The planted faults that it catches.
    catches: Vec<&'a str>,
}

/// A planted fault: an engine that is right but for one mistake.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fault")]
struct FaultJson<'a> {
    name: &'a str,
    /// In words.
    mistake: &'a str,
    /// The cases that catch it.
    caught_by: Vec<&'static str>,
}

const DERIVATION: &str = "A tolerance is derived from the roundings of glTF's formulas in f32, with times and phases in f32 too: \
    a sampled rotation may be off by 2.5e-6 radians and a vector by 16 * 2^-24 of its largest key; products of transforms and the \
    weighted sum of a vertex add 8 and 24 * 2^-24 of the magnitudes of their terms.";

/// Names and contents, the manifest last.
pub(crate) fn files(set: &Set) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for member in &set.members {
        let name = member.case.name;
        files.push((format!("{name}.gltf"), member.gltf.clone().into_bytes()));
        files.push((
            format!("{name}.json"),
            pretty(&member.answer()).into_bytes(),
        ));
        files.push((format!("{name}.skref"), member.reference().to_bytes()));
    }
    files.push(("README.md".to_owned(), readme(set).into_bytes()));
    files.push((MANIFEST.to_owned(), pretty(&manifest(set)).into_bytes()));
    files
}

fn manifest(set: &Set) -> Manifest<'_> {
    let faults: Vec<FaultJson<'_>> = set
        .faults()
        .map(|(name, mistake, caught_by)| FaultJson {
            name,
            mistake,
            caught_by,
        })
        .collect();
    let cases = set.members.iter().map(|member| {
        let name = member.case.name;
        let caught = set.faults().filter(|(_, _, cases)| cases.contains(&name));
        CaseJson {
            name,
            gltf: format!("{name}.gltf"),
            expected: format!("{name}.json"),
            reference: format!("{name}.skref"),
            tests: member.case.tests,
            a_wrong_engine: member.case.wrong,
            section: member.case.section,
            informational: member.case.is_informational,
            times: &member.times,
            needs: member.needs(),
            tolerance: member.tolerance(),
            catches: caught.map(|(fault, ..)| fault).collect(),
        }
    });
    Manifest {
        schema: SCHEMA,
        version: VERSION,
        derivation: DERIVATION,
        cases: cases.collect(),
        faults,
    }
}

/// The most cases that a row of the README names.
const MOST_NAMED: usize = 6;

fn readme(set: &Set) -> String {
    let mut text =
        format!("# Conformance vectors for engines that read glTF, version {VERSION}\n\n{README}");
    for (name, mistake, cases) in set.faults() {
        let named = first_few(cases.iter().map(|case| format!("`{case}`")), MOST_NAMED);
        let _ = writeln!(text, "| {mistake} (`{name}`) | {named} |");
    }
    text += "\n## Cases\n\n| file | tests | a wrong engine | glTF 2.0 |\n|---|---|---|---|\n";
    for member in &set.members {
        let case = member.case;
        let note = if case.is_informational {
            " (informational)"
        } else {
            ""
        };
        let (name, tests, wrong, section) = (case.name, case.tests, case.wrong, case.section);
        let _ = writeln!(
            text,
            "| `{name}.gltf`{note} | {tests} | {wrong} | {section} |"
        );
    }
    text
}

const README: &str = "\
Small glTF files, one matter each, and the posed nodes and vertices that glTF's formulas give in double precision.

1. `manifest.json` lists the cases, with the times at which each is posed and what an engine must support for it.
2. Load `NAME.gltf`, play its only animation at each time, and compute all vertices with their morph targets and skins.
3. Compare with `NAME.json`: for each time the global transform of each node (16 numbers, column by column) and the positions of each
   primitive in world space, in the order of the file. `tolerance` says how far an entry of a transform and a vertex may be off in f32.
4. Or write your results to `RESULTS/NAME.json` in the same format, without `tolerance`, and let skincheck judge:
   `skincheck vectors --verify THIS_FOLDER RESULTS`. It names the worst node or vertex, and the mistake that fails the same cases.
5. `{\"unsupported\": \"why\"}` answers a case that your engine does not support. A case without a file counts as not run.
6. `NAME.skref` has the same numbers for `skincheck diff NAME.skref YOURS.skref`.

A mesh with a skin is moved by its joints alone. Times before the first key and after the last one have the value of that key.
Informational cases are not valid glTF, and count for nothing.

## Mistakes, and the cases that catch them

Measured: each mistake is planted in an engine that is right otherwise.

| mistake | caught by |
|---|---|
";
