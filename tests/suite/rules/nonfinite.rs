//! A model that is skinned to NaN or infinity is always reported, whatever its importer looked for.

use std::fs;
use std::path::Path;

use skincheck::finding::Level;
use skincheck::import;
use skincheck::lint::{self, Context, Settings};

use crate::fixtures::folder;
use crate::folder::Folder;
use crate::program;

/// Rules that report a number that is not finite, in the file or in a pose.
const RULES: [&str; 6] = ["D601", "G801", "W101", "C510", "T407", "B201"];

/// The rotation that one unit of the elbow's keys in `arm.mdl` stands for, in radians.
const MDL_STEP: f32 = 0.065_449_85;

/// The findings in `files`, the model first; the error if it cannot be read.
fn reported(files: &[(&str, Vec<u8>)]) -> Vec<&'static str> {
    let folder = Folder::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let path = folder.path(files[0].0);
    let Ok(asset) = import::load(&path, &program::reading()) else {
        return vec!["refused"];
    };
    let settings = Settings::default();
    let checked = lint::check(&Context::new(&asset, Path::new("model"), &settings));
    let errors = checked
        .findings
        .iter()
        .filter(|finding| finding.level == Level::Error);
    errors.map(|finding| finding.code.0).collect()
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).expect("the fixture is readable")
}

/// The fixture with the first `from` replaced by `to`.
fn text(name: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(fixture(name)).expect("it is text");
    assert!(text.contains(from), "{name} has no {from:?}");
    text.replacen(from, to, 1).into_bytes()
}

/// The fixture with float number `skipped + 1` that equals `from` replaced by `to`.
fn binary(name: &str, skipped: usize, from: f32, to: f32) -> Vec<u8> {
    let mut file = fixture(name);
    let wanted = from.to_le_bytes();
    let mut locations = (0..file.len() - 3).filter(|at| file[*at..*at + 4] == wanted);
    let at = locations
        .nth(skipped)
        .unwrap_or_else(|| panic!("{name} has no {from}"));
    file[at..at + 4].copy_from_slice(&to.to_le_bytes());
    file
}

#[track_caller]
fn is_reported(name: &str, files: &[(&str, Vec<u8>)]) {
    let reported = reported(files);
    let is_known = |code: &&str| RULES.contains(code) || *code == "refused";
    assert!(reported.iter().any(is_known), "{name}: {reported:?}");
}

#[test]
fn a_non_number_in_a_native_format_is_an_error() {
    for code in RULES {
        let name = format!("rules/{code}.gltf");
        is_reported(&name, &[("model.gltf", fixture(&name))]);
    }
    for number in ["nan", "inf"] {
        let arm = |from: &str, to: &str| {
            let file = text("arm.fbx", from, &to.replace('X', number));
            is_reported(&format!("fbx {from}"), &[("arm.fbx", file)]);
        };
        arm("\t\t\ta: 0.25,0,0.25,", "\t\t\ta: X,0,0.25,");
        let md5 = text(
            "figure.md5mesh",
            "( 0 0 1 ) ( 0 0 0 )",
            &format!("( 0 {number} 1 ) ( 0 0 0 )"),
        );
        is_reported("md5", &[("figure.md5mesh", md5)]);
        let positions = |number: &str| format!("count=\"72\">{number} 0 0.25 -0.25 0 0.25 ");
        let number = if number == "nan" { "NaN" } else { "INF" };
        let collada = text("arm.dae", &positions("0.25"), &positions(number));
        is_reported("collada", &[("arm.dae", collada)]);
    }
    for number in [f32::NAN, f32::INFINITY] {
        is_reported("iqm", &[("arm.iqm", binary("arm.iqm", 0, 0.25, number))]);
    }
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs assimp")]
fn a_non_number_in_a_format_of_assimp_is_an_error() {
    for number in ["nan", "inf"] {
        let location = format!("<position x=\"{number}\" y=\"0\" z=\"0.25\"/>");
        let weight = format!("weight=\"{number}\"");
        for (from, to) in [
            ("<position x=\"0.25\" y=\"0\" z=\"0.25\"/>", location),
            ("weight=\"1\"", weight),
        ] {
            let mesh = text("arm.mesh.xml", from, &to);
            let skeleton = fixture("arm.skeleton.xml");
            let files = [("arm.mesh.xml", mesh), ("arm.skeleton.xml", skeleton)];
            is_reported(&format!("ogre {from}"), &files);
        }
        let key = format!("<keyframe time=\"0\"><translate x=\"{number}\"");
        let skeleton = text(
            "arm.skeleton.xml",
            "<keyframe time=\"0\"><translate x=\"0\"",
            &key,
        );
        let files = [
            ("arm.mesh.xml", fixture("arm.mesh.xml")),
            ("arm.skeleton.xml", skeleton),
        ];
        is_reported("ogre keys", &files);
        let smd = text(
            "arm.smd",
            "1 0 0 1 0.05235988 0 0",
            &format!("1 0 0 {number} 0.05235988 0 0"),
        );
        is_reported("smd", &[("arm.smd", smd)]);
        let x = text(
            "arm.x",
            "0.25;0.0;-0.25;,",
            &format!("{number};0.0;-0.25;,"),
        );
        is_reported("x", &[("arm.x", x)]);
        let still = "0 0 0 0 0 0 0 0 0 0 0 0\n";
        let moved = format!("0 {number} 0 0 0 0 0 0 0 0 0 0\n");
        let rotated = format!("0 0 0 0 0 0 {number} 0 0 0 0 0\n");
        let offset = format!("OFFSET 0 {number} 0");
        for (from, to) in [(still, moved), (still, rotated), ("OFFSET 0 1 0", offset)] {
            is_reported(
                &format!("bvh {to}"),
                &[("arm.bvh", text("arm.bvh", from, &to))],
            );
        }
    }
    for number in [f32::NAN, f32::INFINITY] {
        for name in ["arm.b3d", "arm.ms3d", "arm.m3d"] {
            is_reported(name, &[(name, binary(name, 0, 2.5, number))]);
        }
        // The offset of a joint, a vertex, and the angle of a key's step.
        for from in [1.0, 0.25, MDL_STEP] {
            is_reported(
                &format!("mdl {from}"),
                &[("arm.mdl", binary("arm.mdl", 0, from, number))],
            );
        }
    }
}
