//! `skincheck rules` and `skincheck explain`.

use skincheck::check::config::PRESETS;
use skincheck::engines::ENGINES;
use skincheck::lint::{find_rule, rules};

use crate::folder::Folder;
use crate::program::{Run, skincheck};
use crate::support::in_group;

#[test]
fn every_rule_is_listed() {
    let text = skincheck("rules").ok();
    for rule in rules() {
        let meta = rule.meta();
        let mut lines = text.text().lines();
        let line = lines.find(|line| line.contains(meta.code.0));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", meta.code));
        assert!(line.contains(meta.name), "{line}");
        assert_eq!(lines.next().map(str::trim), Some(&*meta.summary()));
    }
}

#[test]
fn every_rule_is_listed_for_machines() {
    let run = skincheck("rules --json").ok();
    let list = run.json();
    assert_eq!(list["schema"], "skincheck/rules/1");
    let listed = list["rules"].as_array().expect("rules are a list");
    let listed: Vec<&str> = listed
        .iter()
        .filter_map(|rule| rule["code"].as_str())
        .collect();
    let expected: Vec<&str> = rules().map(|rule| rule.meta().code.0).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_rule_is_explained_by_code_and_by_name() {
    for rule in rules() {
        let meta = rule.meta();
        let by_code = skincheck(&format!("explain {}", meta.code.0)).ok();
        let by_name = skincheck(&format!("explain {}", meta.name)).ok();
        assert_eq!(by_code.text(), by_name.text());
        let head = format!("{} {}\n", meta.code, meta.name);
        assert!(by_code.text().starts_with(&head), "{}", by_code.text());
        for limit in meta.limits {
            by_code.prints(&format!("\n{} = ", limit.key));
        }
        assert!(!by_code.text().contains('\u{1b}'));
    }
}

/// The configuration at the end of a page.
fn configuration(page: &Run) -> &str {
    let parts = page.text().split_once("In skincheck.toml\n");
    parts.expect("the page ends so").1
}

#[track_caller]
fn can_be_pasted(page: &Run) {
    let (path, pasted) = (std::path::Path::new("skincheck.toml"), configuration(page));
    let config = skincheck::check::config::Config::parse(path, path, pasted);
    assert!(config.is_ok(), "{pasted}: {config:?}");
}

#[test]
fn what_explain_prints_can_be_pasted_into_a_configuration() {
    for rule in rules() {
        can_be_pasted(&skincheck(&format!("explain {}", rule.meta().code)));
    }
}

#[test]
fn what_explain_prints_makes_its_rule_run() {
    for code in [
        "B210", "C522", "C526", "C527", "G820", "H311", "H318", "H323", "W108", "W117", "W120",
    ] {
        let page = skincheck(&format!("explain {code}")).ok();
        let folder = Folder::with(&[("rules/clean.gltf", "clean.gltf")]);
        folder.write("pasted.toml", configuration(&page));
        let run = folder.run("check clean.gltf --config pasted.toml --format junit --verbose");
        let test = run.text().split_once(&format!("name=\"{code} "));
        let (_, test) = test.unwrap_or_else(|| panic!("{code} is not checked: {}", run.text()));
        let test = test.split("<testcase").next().unwrap_or_default();
        assert!(!test.contains("skipped"), "{code}: {test}");
    }
}

#[test]
fn whole_numbers_are_shown_whole() {
    let page = skincheck("explain W106").ok();
    let line = "\nmax_influences = 4    # maximum number of influences per vertex; replaces the engine's limit; \
                whole numbers from 1 to 65536\n";
    page.prints(line);
}

#[test]
fn pages_are_written_for_a_browser() {
    let folder = Folder::new();
    let run = folder.run("explain W104 W103 mocap -o rules.html").ok();
    assert_eq!((&*run.stderr, run.text()), ("rules.html: 3 pages\n", ""));
    let page = folder.read("rules.html");
    for part in [
        "id=\"W104\"",
        "id=\"mocap\"",
        "href=\"#W103\"",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let printed = folder.run("explain unreadable -o -").ok();
    assert!(printed.stderr.is_empty(), "{}", printed.stderr);
    printed.prints("<h1>unreadable</h1>");
}

#[test]
fn without_a_name_pages_are_named_after_the_first() {
    let folder = Folder::new();
    for line in [
        "explain weights-not-normalized W104 --open",
        "explain W103 --open",
    ] {
        folder.run(line).ok();
    }
    assert!(
        folder
            .read("W103.html")
            .contains("<h1>W103 weights-not-normalized</h1>")
    );
    folder.write("W103.html", "<!DOCTYPE html>mine");
    folder
        .run("explain W103 --open")
        .refuses("W103.html exists and was not written by skincheck");
    assert_eq!(folder.read("W103.html"), "<!DOCTYPE html>mine");
    skincheck("explain W103 --open -o -").refuses("--open cannot open standard output");
    skincheck("explain W103 -o page.png").refuses("the output is HTML");
}

#[test]
fn an_unknown_rule_is_refused_with_the_nearest() {
    let run = skincheck("explain weights-normalized");
    let expected =
        "no rule is named \"weights-normalized\" (did you mean \"weights-not-normalized\"?)";
    run.refuses(expected);
    assert!(run.stdout.is_empty());
}

#[test]
fn every_engine_is_listed() {
    let list = skincheck("rules --engines").ok();
    for engine in ENGINES.iter() {
        list.prints(&format!(
            "{}\n{} {}\n",
            engine.name, engine.title, engine.version
        ));
    }
    list.prints("file:influences=4 keeps the four largest weights");
    let page = skincheck("explain unreal").ok();
    in_group("rules", || insta::assert_snapshot!("unreal", page.text()));
}

#[test]
fn every_engine_is_explained_by_its_name() {
    for engine in ENGINES.iter() {
        let page = skincheck(&format!("explain {}", engine.name)).ok();
        let head = format!("{}\n{} {}\n", engine.name, engine.title, engine.version);
        assert!(page.text().starts_with(&head), "{}", page.text());
        assert!(find_rule(engine.name).is_none(), "{}", engine.name);
    }
}

#[test]
fn an_unknown_word_that_is_like_an_engine_is_refused_with_that() {
    let run = skincheck("explain unrael");
    let expected = "no rule or engine \"unrael\" (did you mean \"unreal\"?)";
    run.refuses(expected);
}

#[test]
fn every_preset_is_listed_and_explained_by_its_name() {
    let list = skincheck("rules --presets").ok();
    for preset in PRESETS.iter() {
        let page = skincheck(&format!("explain {}", preset.name)).ok();
        let head = format!("{}\n{}\n", preset.name, preset.title);
        assert!(page.text().starts_with(&head), "{}", page.text());
        list.prints(&head);
        can_be_pasted(&page);
    }
}

#[test]
fn an_unknown_word_that_is_like_a_preset_is_refused_with_that() {
    let run = skincheck("explain mocpa");
    let expected = "no rule or preset \"mocpa\" (did you mean \"mocap\"?)";
    run.refuses(expected);
}
