//! File names with escape sequences for terminals, and names that are not Unicode.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::folder::Folder;
use crate::program::{Run, command_in, fixture};

/// A folder with copies of a model that has a fault.
fn folder(names: &[&[u8]]) -> Folder {
    let folder = Folder::new();
    let model = fs::read(fixture("rules/W103.gltf")).expect("it is there");
    for name in names {
        folder.write(OsStr::from_bytes(name), &model);
    }
    folder
}

fn run(folder: &Folder, arguments: &[&[u8]]) -> Run {
    let arguments = arguments.iter().map(|argument| OsStr::from_bytes(argument));
    Run::of(command_in(folder.root()).args(arguments))
}

const RED: &[u8] = b"a\x1b[31mred.gltf";

#[test]
fn control_characters_reach_no_terminal() {
    let folder = folder(&[RED]);
    folder.write(OsStr::from_bytes(b"b\x1b[31m.gltf"), "{");
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
        let run = run(&folder, line);
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
        run(&folder, &line)
    };
    let json = check(b"json").json();
    let paths: Vec<_> = [0, 1].map(|file| &json["models"][file]["path"]).to_vec();
    assert_eq!(paths, ["bad\\xfe.gltf", "bad\\xff.gltf"]);
    for (format, first, second) in [
        (&b"text"[..], "bad\\xfe.gltf", "bad\\xff.gltf"),
        (b"junit", "name=\"bad\\xfe.gltf\"", "name=\"bad\\xff.gltf\""),
        (b"github", "file=bad\\xfe.gltf,", "file=bad\\xff.gltf,"),
        (b"gitlab", "\"bad\\\\xfe.gltf\"", "\"bad\\\\xff.gltf\""),
        (
            b"sarif",
            "\"uri\": \"bad%FE.gltf\"",
            "\"uri\": \"bad%FF.gltf\"",
        ),
    ] {
        let run = check(format);
        let report = run.text();
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
    run(&folder, &line).ok();
    let baseline = folder.read("accepted");
    let keys = ["bad\\\\xfe.gltf", "bad\\\\xff.gltf"];
    assert!(keys.iter().all(|key| baseline.contains(key)), "{baseline}");
}
