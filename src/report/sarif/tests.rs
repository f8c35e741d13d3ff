use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::check::{Accepted, FileReport, Report};
use crate::finding::Level;
use crate::report::{Format, View, check, codes};

fn written(report: &Report) -> Value {
    let text = check::write(report, Format::Sarif, View::default());
    let mut log: Value = serde_json::from_str(&text).expect("it is JSON");
    log["runs"][0].take()
}

fn finding(level: Level, mesh: usize) -> Finding {
    Finding::new(
        Code("W103"),
        level,
        Location::mesh(format!("mesh {mesh}")),
        "is off",
    )
}

#[test]
fn too_many_results_are_cut_to_the_important_ones_with_a_notice() {
    let infos = (0..MOST_RESULTS).map(|mesh| finding(Level::Info, mesh));
    let errors = (0..10).map(|mesh| finding(Level::Error, mesh));
    let report = Report {
        files: vec![FileReport {
            path: "a.glb".into(),
            findings: infos.chain(errors).collect(),
            ..FileReport::default()
        }],
        ..Report::default()
    };
    let run = written(&report);
    let results = run["results"].as_array().expect("results are a list");
    assert_eq!(results.len(), MOST_RESULTS);
    let errors = results.iter().filter(|result| result["level"] == "error");
    assert_eq!(errors.count(), 10);
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    let notice = notice.as_str().expect("there is a notice");
    assert!(notice.starts_with("10 less important results"), "{notice}");
}

#[test]
fn a_fingerprint_distinguishes_findings_by_rule_file_and_names() {
    let print = |path, mesh| {
        let finding = finding(Level::Error, mesh);
        fingerprints(Path::new(path), finding.code.0, &finding.location, 0)
    };
    assert_eq!(print("a.glb", 1), print("./a.glb", 1));
    assert_ne!(print("a.glb", 1), print("b.glb", 1));
    assert_ne!(print("a.glb", 1), print("a.glb", 2));
}

#[test]
fn findings_of_the_same_names_are_distinguished_by_their_order() {
    let findings = [1, 2, 1, 1].map(|mesh| finding(Level::Error, mesh));
    let prints = |findings: &[Finding]| {
        let report = Report {
            files: vec![FileReport {
                path: "a.glb".into(),
                findings: findings.to_vec(),
                ..FileReport::default()
            }],
            ..Report::default()
        };
        let run = written(&report);
        let results = run["results"].as_array().expect("results are a list");
        let prints = results.iter().map(|result| &result["partialFingerprints"]);
        prints.map(Value::to_string).collect::<Vec<String>>()
    };
    let all = prints(&findings);
    let told_apart: BTreeSet<&String> = all.iter().collect();
    assert_eq!(told_apart.len(), 4, "{all:?}");
    assert_eq!(prints(&findings[..3]), all[..3]);
    let first = [&all[1], &all[0], &all[2]].map(String::as_str);
    assert_eq!(prints(&findings[1..]), first);
}

#[test]
fn with_a_baseline_every_result_has_a_state_and_gone_findings_are_not_results() {
    let grown = Finding {
        accepted: Some(1),
        ..finding(Level::Error, 2)
    };
    let file = FileReport {
        path: "a.glb".into(),
        failure: Some("it ends too early".into()),
        findings: vec![finding(Level::Error, 1), grown],
        ..FileReport::default()
    };
    let gone = AcceptedFinding {
        file: "a.glb".into(),
        rule: "W103".into(),
        subject: "mesh \"mesh 3\"".into(),
    };
    let report = Report {
        files: vec![file],
        accepted: Some(Accepted {
            just_now: false,
            still_there: 0,
            gone: vec![gone],
        }),
        ..Report::default()
    };
    let run = written(&report);
    let results = run["results"].as_array().expect("results are a list");
    let states: Vec<&Value> = results.iter().map(|r| &r["baselineState"]).collect();
    assert_eq!(states, ["new", "new", "updated"]);
    let notice = &run["invocations"][0]["toolExecutionNotifications"][1];
    assert_eq!(notice["level"], "note");
    assert_eq!(notice["associatedRule"]["id"], "W103");
}

#[test]
fn every_rule_is_described_within_the_limits_of_code_scanning() {
    for code in codes::of_check() {
        let declared = declared(&code);
        let text = declared["fullDescription"]["text"].as_str();
        let text = text.expect("it is described");
        assert!((60..=1000).contains(&text.len()), "{text}");
        assert!(!text.contains("\n##") && text.trim() == text, "{text}");
    }
}
