//! File names with escape sequences for terminals, and names that are not Unicode.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{self, Run, fixture};

/// A folder with copies of a model that has a fault.
fn folder(names: &[&[u8]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for name in names {
        let copy = folder.path().join(OsStr::from_bytes(name));
        fs::copy(fixture("rules/W103.gltf"), copy).expect("the folder is writable");
    }
    folder
}

fn run(folder: &Path, arguments: &[&[u8]]) -> Run {
    let arguments = arguments.iter().map(|argument| OsStr::from_bytes(argument));
    let output = Command::new(program::path())
        .args(arguments)
        .current_dir(folder)
        .output();
    Run::from(output.expect("the binary under test starts"))
}

const RED: &[u8] = b"a\x1b[31mred.gltf";

#[test]
fn control_characters_reach_no_terminal() {
    let folder = folder(&[RED]);
    fs::write(
        folder.path().join(OsStr::from_bytes(b"b\x1b[31m.gltf")),
        "{",
    )
    .expect("it is writable");
    let lines: [&[&[u8]]; 7] = [
        &[b"inspect", RED],
        &[b"check", RED],
        &[
            b"render",
            RED,
            b"--size",
            b"8x8",
            b"--time",
            b"99",
            b"-o",
            b"c\x1b[31m.png",
        ],
        &[b"bake", RED, b"-o", b"c\x1b[31m.json"],
        &[b"inspect", b"b\x1b[31m.gltf"],
        &[b"inspect", b"none\x1b[31m.gltf"],
        &[b"crosscheck", b"--importers", b"b\x1b[31m.gltf"],
    ];
    for line in lines {
        let run = run(folder.path(), line);
        let said = format!("{}{}", run.text(), run.stderr);
        assert!(!said.contains('\u{1b}'), "{said:?}");
        assert!(said.contains("\\u{1b}[31m"), "{said:?}");
    }
}

#[test]
fn two_names_that_are_no_unicode_are_two_in_every_report() {
    let names: [&[u8]; 2] = [b"bad\xfe.gltf", b"bad\xff.gltf"];
    let folder = folder(&names);
    let check = |format: &[u8]| {
        let line: [&[u8]; 6] = [b"check", b".", b"--select", b"W103", b"--format", format];
        run(folder.path(), &line).text().to_owned()
    };
    let json: Value = serde_json::from_str(&check(b"json")).expect("it is JSON");
    let paths: Vec<&Value> = [0, 1].map(|file| &json["files"][file]["path"]).to_vec();
    assert_eq!(paths, ["bad\\xfe.gltf", "bad\\xff.gltf"]);
    for (format, first, second) in [
        (&b"text"[..], "bad\\xfe.gltf", "bad\\xff.gltf"),
        (b"junit", "name=\"bad\\xfe.gltf\"", "name=\"bad\\xff.gltf\""),
        (b"github", "file=bad\\xfe.gltf,", "file=bad\\xff.gltf,"),
        (
            b"sarif",
            "\"uri\": \"bad%FE.gltf\"",
            "\"uri\": \"bad%FF.gltf\"",
        ),
    ] {
        let report = check(format);
        assert!(
            report.contains(first) && report.contains(second),
            "{report}"
        );
    }
    let line: [&[u8]; 6] = [
        b"check",
        b".",
        b"--select",
        b"W103",
        b"--write-baseline",
        b"accepted",
    ];
    run(folder.path(), &line).ok();
    let baseline = fs::read_to_string(folder.path().join("accepted")).expect("it was written");
    let keys = ["bad\\\\xfe.gltf", "bad\\\\xff.gltf"];
    assert!(keys.iter().all(|key| baseline.contains(key)), "{baseline}");
}
