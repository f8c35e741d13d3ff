//! The output formats of the command.

use data_encoding::BASE64;
use serde_json::{Value, json};
use skincheck::report::Format;

use super::{EMPTY_BASELINE, Folder, RIGHT, WRONG, run_in};
use crate::fixtures::base64;
use crate::program::{self, skincheck, unread};
use crate::reports::{self, lasting};
use crate::support::in_group;

#[test]
fn each_format_reports_clean_faulty_and_unreadable_files() {
    for format in Format::ALL {
        let name = format.name();
        let line = format!(
            "check rules/clean.gltf rules/W103.gltf unnormalized_weights.gltf broken/empty.fbx --select W103 --format {name}"
        );
        let run = skincheck(&line);
        run.exits(2);
        let text = lasting(name, run.text());
        in_group("check", || insta::assert_snapshot!(name, text));
    }
}

/// Once with every rule, on models of all kinds.
#[test]
fn reports_on_all_fixtures_are_valid() {
    let folder = Folder::with(&[]);
    let target = |name: &str| folder.path(name).display().to_string();
    let (sarif, junit) = (target("out.sarif"), target("out.xml"));
    let line = format!("check . --verbose --report sarif={sarif} --report junit={junit}");
    skincheck(&line).exits(2);
    assert_eq!(
        reports::sarif::complaints(&folder.read("out.sarif")),
        [""; 0]
    );
    assert_eq!(reports::junit::complaints(&folder.read("out.xml")), [""; 0]);
}

/// The mesh and the node have no name: two primitives of the mesh and two channels of the node differ in their ids alone.
#[test]
fn primitives_of_a_mesh_and_channels_of_a_node_are_told_apart_in_json() {
    let lists: [(&str, &[f32]); 6] = [
        ("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]),
        ("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3)),
        ("SCALAR", &[0.0, 1.0]),
        ("VEC3", &[0.0, f32::NAN, 0.0, 0.0, 1.0, 0.0]),
        ("VEC3", &[1.0; 6]),
    ];
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (view, (kind, numbers)) in lists.into_iter().enumerate() {
        let data: Vec<u8> = numbers.iter().flat_map(|own| own.to_le_bytes()).collect();
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": data.len()}));
        bytes.extend(data);
        let count = if view < 3 { 3 } else { 2 };
        accessors
            .push(json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind}));
    }
    let primitive = json!({"attributes": {"POSITION": 0, "NORMAL": 1, "TANGENT": 2}});
    let channel = |sampler: usize, path: &str| json!({"sampler": sampler, "target": {"node": 0, "path": path}});
    let document = json!({
        "asset": {"version": "2.0"},
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", base64::encode(&bytes)),
        }],
        "bufferViews": views,
        "accessors": accessors,
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive, primitive]}],
        "animations": [{
            "channels": [channel(0, "translation"), channel(1, "scale")],
            "samplers": [{"input": 3, "output": 4}, {"input": 3, "output": 5}],
        }],
    });
    let folder = Folder::with(&[]);
    folder.write("model.gltf", document.to_string());
    let line = "model.gltf --format json --verbose --exit-zero --select";
    let ids = |codes: &str, id: &str| -> Vec<Value> {
        let report = folder.check_all(&format!("{line} {codes}")).json();
        let findings = report["models"][0]["findings"].as_array();
        let ids = findings.into_iter().flatten();
        ids.map(|own| own["location"]["ids"][id].clone()).collect()
    };
    assert_eq!(
        ids("G816", "primitive"),
        [0, 1].map(|index| json!({"mesh": 0, "index": index}))
    );
    assert_eq!(
        ids("C510,C521", "channel"),
        ["translation", "scale"].map(|path| json!({"node": 0, "path": path}))
    );
    let inspected = program::skincheck_in(folder.root(), "inspect model.gltf --json").json();
    assert_eq!(
        inspected["meshes"][1]["primitive"],
        json!({"mesh": 0, "index": 1})
    );
}

#[test]
fn several_reports_are_written_at_once() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder
        .check("wrong.gltf --report junit=out.xml --report json=out.json")
        .exits(1)
        .prints("error[W103]");
    assert!(folder.read("out.xml").starts_with("<?xml"));
    assert!(folder.read("out.json").contains("skincheck/report/1"));
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_checked() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    for (line, message) in [
        ("--report junit=nowhere/out.xml", "does not exist"),
        ("--report junit=right.gltf", "it is the input"),
        ("--report junit", "such as junit=out.xml"),
        (
            "--report json=-",
            "standard output gets the report of --format",
        ),
        ("--report junt=out.xml", "did you mean \"junit\"?"),
        ("--format jsn", "json"),
    ] {
        let run = folder.check(&format!("right.gltf {line}"));
        run.exits(2);
        assert!(run.stdout.is_empty());
        run.says(message);
    }
}

#[test]
fn an_input_is_no_output() {
    let folder = Folder::with(&[(RIGHT, "models/right.gltf")]);
    folder.write("skincheck.toml", "ignore = []\n");
    folder.write("other.toml", "ignore = []\n");
    folder.write("accepted.json", EMPTY_BASELINE);
    let (input, no_baseline) = ("it is the input", "the baseline cannot be used");
    for (line, reason) in [
        ("--report json=skincheck.toml", input),
        ("--report json=other.toml --config other.toml", input),
        ("--report json=models/right.gltf", input),
        (
            "--report json=accepted.json --baseline accepted.json",
            input,
        ),
        ("--write-baseline models/right.gltf", no_baseline),
        ("--write-baseline skincheck.toml", no_baseline),
    ] {
        let run = folder.check(&format!("models {line}"));
        run.exits(2);
        assert!(run.stdout.is_empty());
        run.says(reason);
    }
    assert_eq!(folder.read("skincheck.toml"), "ignore = []\n");
    assert_eq!(folder.read("accepted.json"), EMPTY_BASELINE);
}

#[test]
fn a_reader_that_leaves_does_not_change_the_exit_code() {
    for (file, code) in [(RIGHT, 0), (WRONG, 1), ("broken/empty.fbx", 2)] {
        let line = format!("check {file} --select W103 --format json");
        assert_eq!(unread(&line), Some(code), "{file}");
    }
}

#[test]
fn a_reader_that_is_no_terminal_gets_no_colours() {
    let run = skincheck("check rules/W103.gltf");
    assert!(!run.text().contains('\u{1b}'));
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn paths_in_sarif_are_relative_however_the_files_are_named() {
    let folder = Folder::with(&[(WRONG, "a/wrong.gltf"), (WRONG, "b/c/wrong.gltf")]);
    let inside = folder.path("a");
    let absolute = inside.join("wrong.gltf").display().to_string();
    let name = folder.path("");
    let name = name.file_name().expect("it has a name").to_string_lossy();
    for (file, expected) in [
        ("wrong.gltf", "wrong.gltf"),
        ("./wrong.gltf", "wrong.gltf"),
        (&absolute, "wrong.gltf"),
        ("../a", "wrong.gltf"),
        (&format!("../../{name}/a"), "wrong.gltf"),
        ("../b/c", "../b/c/wrong.gltf"),
    ] {
        let run = run_in(&inside, &format!("{file} --select W103 --format sarif"));
        let log = run.json();
        let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], expected, "{file}");
    }
}

#[test]
fn a_fix_in_sarif_removes_the_findings() {
    for code in ["W103", "H301", "T401", "C511"] {
        let folder = Folder::with(&[(&format!("rules/{code}.gltf"), "a.gltf")]);
        folder.write("skincheck.toml", "engine = \"unity\"\n");
        let log = folder.run(&format!("check a.gltf --select {code} --format sarif"));
        assert_eq!(reports::sarif::complaints(log.text()), [""; 0]);
        let log = log.json();
        let results = log["runs"][0]["results"].as_array().expect("a list").iter();
        let fixes: Vec<_> = results.filter_map(|result| result.get("fixes")).collect();
        assert_eq!(fixes.len(), 1, "{code}");
        let change = &fixes[0][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "a.gltf");
        let mut bytes = folder.bytes("a.gltf");
        for own in change["replacements"]
            .as_array()
            .expect("a list")
            .iter()
            .rev()
        {
            let number = |name: &str| {
                let number = own["deletedRegion"][name].as_u64().expect(name);
                usize::try_from(number).expect("it is small")
            };
            let start = number("byteOffset");
            let inserted = own["insertedContent"]["binary"].as_str().expect("text");
            let inserted = BASE64.decode(inserted.as_bytes()).expect("it is base64");
            bytes.splice(start..start + number("byteLength"), inserted);
        }
        folder.write("fixed.gltf", &bytes);
        let check = format!("check fixed.gltf --no-config --select {code} --level info");
        folder.run(&check).exits(0);
        folder
            .run(&format!("fix a.gltf -o copy.gltf --only {code}"))
            .ok();
        assert!(folder.bytes("copy.gltf") == bytes, "{code}");
    }
}
