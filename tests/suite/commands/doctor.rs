//! `skincheck doctor`.

use skincheck::import::IMPORTERS;

use crate::program::skincheck;

#[test]
fn the_report_for_machines_names_every_importer_and_what_is_missing() {
    let run = skincheck("doctor --json");
    let report = run.json();
    assert_eq!(report["schema"], "skincheck/doctor/1");
    assert_eq!(report["skincheck"]["version"], env!("CARGO_PKG_VERSION"));
    let importers = report["importers"].as_array().expect("a list");
    let names: Vec<&str> = importers
        .iter()
        .filter_map(|i| i["name"].as_str())
        .collect();
    let expected: Vec<&str> = IMPORTERS.iter().map(|importer| importer.name()).collect();
    assert_eq!(names, expected);
    let missing = report["missing"].as_array().expect("a list");
    assert_eq!(run.code, Some(i32::from(!missing.is_empty())));
}

#[cfg(feature = "gl")]
#[test]
fn opengl_is_described_or_reported_as_missing() {
    let run = skincheck("doctor");
    let has = run.text().lines().any(|line| line.starts_with("opengl "));
    let lacks = run
        .text()
        .lines()
        .any(|line| line.starts_with("missing    OpenGL: "));
    assert!(has != lacks, "{}", run.text());
    let required = std::env::var_os("SKINCHECK_REQUIRE_GL").is_some_and(|value| value == "1");
    assert!(has || !required, "{}", run.text());
}
