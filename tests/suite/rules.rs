//! The rules on their fixtures: each fires where its fault is planted, names the place, and nothing else is wrong; and
//! each is quiet where something alike is right.

use std::collections::BTreeSet;

use skincheck::import::{self, Options};
use skincheck::lint::{self, Checked, Context, Finding, Level, Settings};

use crate::fixtures::folder;
use crate::fixtures::rules::formats::{FILES, FileCase};
use crate::fixtures::rules::{Case, cases};
use crate::support::without_cross_checks;

/// Without the cross-checks, which find nothing in a file.
fn checked(file: &str, settings: &Settings) -> Checked {
    let settings = without_cross_checks(settings.clone());
    let path = folder().join(file);
    let asset = import::load(&path, &Options::default());
    let asset = asset.unwrap_or_else(|error| panic!("{file}: {error}"));
    lint::check(&Context::new(&asset, &path, &settings))
}

fn told(finding: &Finding) -> String {
    format!("{} {}: {}", finding.code, finding.place, finding.message)
}

#[test]
fn no_rule_has_anything_against_the_clean_rig() {
    let checked = checked("rules/clean.gltf", &Settings::default());
    let told: Vec<String> = checked.findings.iter().map(told).collect();
    assert!(told.is_empty(), "{told:#?}");
    assert!(checked.unchecked.is_empty(), "{:?}", checked.unchecked);
}

#[test]
fn each_planted_fault_is_found_by_its_rule_and_nothing_else_is() {
    let misses: Vec<String> = cases().filter_map(miss_of_firing).collect();
    assert!(misses.is_empty(), "{misses:#?}");
}

fn miss_of_firing(case: &Case) -> Option<String> {
    let findings = checked(&case.firing(), &(case.settings)()).findings;
    let own = findings.iter().find(|finding| finding.code.0 == case.code);
    let named = own.is_some_and(|finding| finding.place.to_string().starts_with(case.place));
    let expected = |finding: &&Finding| {
        let code = finding.code.0;
        code == case.code || case.also.contains(&code) && finding.level < Level::Error
    };
    let others = findings.iter().any(|finding| !expected(&finding));
    let all: Vec<String> = findings.iter().map(told).collect();
    (!named || others).then(|| format!("{} at {}, found {all:#?}", case.code, case.place))
}

#[test]
fn each_rule_is_quiet_where_something_alike_is_right() {
    let misses: Vec<String> = cases().filter_map(miss_of_quiet).collect();
    assert!(misses.is_empty(), "{misses:#?}");
}

fn miss_of_quiet(case: &Case) -> Option<String> {
    let findings = checked(&case.quiet(), &(case.settings)()).findings;
    let own: Vec<String> = findings
        .iter()
        .filter(|finding| finding.code.0 == case.code)
        .map(told)
        .collect();
    (!own.is_empty()).then(|| format!("{own:?}"))
}

#[test]
fn what_no_gltf_can_hold_is_found_in_other_formats() {
    let misses: Vec<String> = FILES.iter().filter_map(miss_of_file).collect();
    assert!(misses.is_empty(), "{misses:#?}");
}

fn miss_of_file(case: &FileCase) -> Option<String> {
    let found = |file: &str| checked(file, &Settings::default()).findings;
    let is_own = |finding: &&Finding| finding.code.0 == case.code;
    let (firing, quiet) = (found(&case.firing()), found(&case.quiet()));
    let own = firing.iter().find(is_own);
    let named = own.is_some_and(|finding| finding.place.to_string().starts_with(case.place));
    let is_wrong = |finding: &Finding| !is_own(&finding) && finding.level >= Level::Error;
    let misses = !named || firing.iter().any(is_wrong) || quiet.iter().any(|f| is_own(&f));
    let all = firing.iter().chain(&quiet).map(told);
    misses.then(|| format!("{}: {:#?}", case.code, all.collect::<Vec<_>>()))
}

#[test]
fn every_rule_has_a_fixture_that_fires_and_one_that_does_not() {
    /// Told in the rules' own tests: what takes another mesh, a second importer, or a path that errs.
    const ELSEWHERE: [&str; 9] = [
        "C516", "D604", "D607", "W107", "W108", "X701", "X702", "X703", "X704",
    ];
    let files = FILES.iter().map(|case| case.code);
    let known = cases().map(|case| case.code).chain(files).chain(ELSEWHERE);
    let known: BTreeSet<&str> = known.collect();
    let all: BTreeSet<&str> = lint::rules().map(|rule| rule.meta().code.0).collect();
    assert_eq!(known, all);
}
