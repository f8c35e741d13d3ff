//! `skincheck crosscheck --importers`, and the remarks of `inspect` on other importers.

mod corpus;
mod faults;

use std::path::Path;

use skincheck::diff::{self, DiffError, Kind, Source};
use skincheck::import::{self, ImportError, Options};

use crate::program::{self, fixture, skincheck};
use crate::support::in_group;

fn options() -> Options {
    Options {
        images: false,
        ..program::reading()
    }
}

/// Larger libraries of clips take long, and show no more.
const MOST_CLIPS: usize = 8;

/// How the native importer and assimp differ on a file.
#[derive(Debug, PartialEq)]
enum Found {
    /// assimp cannot read it.
    Refused,
    /// These kinds, each once, in the order of the report; none if both agree.
    Kinds(Vec<Kind>),
}

/// Compares the native importer with assimp.
fn compare(path: &Path) -> Found {
    let names: Vec<&str> = import::importers_for(path)
        .map(skincheck::import::Importer::name)
        .collect();
    let [native, "assimp"] = names[..] else {
        panic!("{}: {names:?}", path.display());
    };
    let read = |importer: &str| {
        let options = Options {
            importer: Some(importer.to_owned()),
            ..options()
        };
        let mut asset = import::load(path, &options)?;
        asset.clips.truncate(MOST_CLIPS);
        Ok::<_, ImportError>(Source::from(asset))
    };
    let before = read(native).unwrap_or_else(|error| panic!("{error}"));
    let Ok(after) = read("assimp") else {
        return Found::Refused;
    };
    let options = diff::Options::default().strict();
    let report = diff::compare(&before, &after, &options);
    let report = match report {
        Ok(report) => report,
        Err(DiffError::NothingInCommon) => return Found::Kinds(vec![Kind::Unrelated]),
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let mut kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    kinds.dedup();
    Found::Kinds(kinds)
}

/// Whether both a native importer and assimp read files with this name.
fn is_read_twice(name: &str) -> bool {
    let mut ends = [".gltf", ".glb", ".fbx", ".iqm", ".md5mesh"].iter();
    ends.any(|end| name.ends_with(end))
}

#[track_caller]
fn reports(name: &str, line: &str, code: i32) {
    let run = skincheck(line);
    run.exits(code);
    let output = format!("$ skincheck {line}\n{}{}", run.text(), run.stderr);
    in_group("importers", || {
        insta::assert_snapshot!(name, output);
    });
}

#[test]
fn the_report_names_the_stage_with_numbers() {
    reports("steps", "diff step_linear_cubic.gltf --importers", 1);
    reports("inherit_types", "diff fbx/inherit_types.fbx --importers", 1);
    reports("old_version", "diff fbx/version_6100.fbx --importers", 1);
    reports("agree", "crosscheck --importers arm.gltf arm.fbx", 0);
}

#[test]
fn crosscheck_writes_the_report_of_diff() {
    for file in ["step_linear_cubic.gltf", "fbx/version_6100.fbx", "arm.gltf"] {
        for format in ["text", "json", "junit", "sarif"] {
            let spelled = skincheck(&format!("crosscheck {file} --importers --format {format}"));
            let own = skincheck(&format!("diff {file} --importers --format {format}"));
            assert_eq!(spelled.text(), own.text(), "{file} {format}");
            assert_eq!(spelled.code, own.code, "{file} {format}");
        }
    }
}

/// Eases in and out: at its keys and halfway between them, the curve meets a straight line.
#[test]
fn an_eased_curve_that_an_importer_reads_as_straight_is_seen() {
    let found = compare(&fixture("eased.gltf"));
    assert_eq!(found, Found::Kinds(vec![Kind::Interpolation]));
}

#[test]
fn the_json_of_importers_says_the_same_for_machines() {
    let document = skincheck("diff late_take.fbx --importers --format json");
    let document = document.exits(1).json();
    let model = &document["models"][0];
    assert_eq!(model["findings"][0]["code"], "clip-range");
    assert_eq!(
        model["paths"],
        serde_json::json!(["late_take.fbx", "late_take.fbx"])
    );
    let refused = skincheck("diff fbx/version_6100.fbx --importers --format json");
    let refused = refused.exits(1).json();
    assert_eq!(refused["models"][0]["findings"][0]["code"], "model-missing");
    crate::reports::fields::assert_listed("diff", &[document, refused]);
}

#[test]
fn one_unreadable_file_does_not_stop_the_others() {
    let line = "crosscheck --importers=gltf,assimp nowhere.gltf step_linear_cubic.gltf broken/truncated.glb";
    let run = skincheck(line);
    run.exits(2);
    run.prints("step_linear_cubic.gltf (gltf) and step_linear_cubic.gltf (assimp): DIFFERENT")
        .prints("nowhere.gltf")
        .says("2 of 3 models");
}

#[test]
fn a_comparison_needs_two_importers() {
    reports("only_one", "diff arm.smd --importers", 2);
    reports("same_twice", "diff arm.gltf --importers gltf,gltf", 2);
    reports("unknown", "crosscheck --importers=gltf,blender arm.gltf", 2);
    for line in [
        "crosscheck --importers --clip Bend arm.gltf",
        "diff arm.gltf --importers=gltf,assimp --align time",
        "diff arm.gltf --importers=gltf,assimp --importer gltf",
        "diff arm.gltf arm.fbx --importers=gltf,assimp",
    ] {
        skincheck(line).refuses("cannot be used with");
    }
    skincheck("diff arm.gltf").refuses("AFTER");
}

#[test]
fn the_folders_and_limits_of_reading_apply() {
    skincheck("crosscheck --importers --read-from nowhere arm.gltf")
        .refuses("there is no such folder");
    skincheck("crosscheck --importers --timeout 0 arm.gltf").refuses("--timeout 0");
    let slow = "crosscheck --importers --timeout 0.000001 walker.glb";
    skincheck(slow).exits(2);
}

#[test]
fn inspect_names_the_importers_that_can_be_compared() {
    let text = |line: &str| skincheck(line).ok().text().to_owned();
    let line = "assimp also supports this format; diff --importers compares the two";
    assert!(text("inspect step_linear_cubic.gltf").contains(line));
    assert!(text("inspect arm.fbx").contains(line));
    let json: serde_json::Value =
        serde_json::from_str(&text("inspect late_take.fbx --json")).expect("it is JSON");
    assert_eq!(json["other_importers"], serde_json::json!(["assimp"]));
}
