use super::*;
use crate::lint::Code;
use crate::rig::Place;

fn finding(level: Level, mesh: usize) -> Finding {
    Finding {
        code: Code("W103"),
        level,
        place: Place::mesh(format!("mesh {mesh}")),
        message: "is off".to_owned(),
        count: 1,
        counted: "vertex",
        value: None,
        limit: None,
    }
}

#[test]
fn of_too_many_results_the_important_ones_are_kept_and_it_is_said() {
    let infos = (0..MOST_RESULTS).map(|mesh| finding(Level::Info, mesh));
    let errors = (0..10).map(|mesh| finding(Level::Error, mesh));
    let report = Report {
        files: vec![FileReport {
            path: "a.glb".into(),
            findings: infos.chain(errors).collect(),
            ..FileReport::default()
        }],
        accepted: None,
    };
    let run = run(&report);
    let results = run["results"].as_array().expect("results are a list");
    assert_eq!(results.len(), MOST_RESULTS);
    let errors = results.iter().filter(|result| result["level"] == "error");
    assert_eq!(errors.count(), 10);
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    let notice = notice.as_str().expect("there is a notice");
    assert!(notice.starts_with("10 more results"), "{notice}");
}

#[test]
fn a_fingerprint_tells_findings_apart_by_rule_file_and_names() {
    let file = |path: &str| FileReport {
        path: path.into(),
        ..FileReport::default()
    };
    let print = |path, mesh| place::fingerprint(&file(path), &finding(Level::Error, mesh));
    assert_eq!(print("a.glb", 1), print("./a.glb", 1));
    assert_ne!(print("a.glb", 1), print("b.glb", 1));
    assert_ne!(print("a.glb", 1), print("a.glb", 2));
}
