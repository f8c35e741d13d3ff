//! The location in the file that a finding names exists in the file.

use std::fs;
use std::path::Path;

use serde_json::Value;
use skincheck::finding::Finding;
use skincheck::import::{self, Options};
use skincheck::lint::{self, Context, Settings};

use crate::fixtures::folder;
use crate::fixtures::rules::proofs;

fn findings(path: &Path, settings: &Settings) -> Vec<Finding> {
    let asset = import::load(path, &Options::default());
    let asset = asset.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    lint::check(&Context::new(&asset, path, settings)).findings
}

/// The locations of the findings of one rule.
fn origins(path: &Path, settings: &Settings, code: &str) -> Vec<String> {
    let own = findings(path, settings).into_iter();
    let own = own.filter(|finding| finding.code.0 == code);
    own.filter_map(|finding| finding.origin).collect()
}

#[test]
fn every_pointer_into_a_gltf_document_leads_somewhere() {
    let mut pointers = 0;
    for proof in
        proofs().filter(|proof| Path::new(&proof.firing).extension() == Some("gltf".as_ref()))
    {
        let path = folder().join(&proof.firing);
        let text = fs::read(&path).expect("the fixture is readable");
        let document: Value = serde_json::from_slice(&text).expect("it is JSON");
        for finding in findings(&path, &proof.settings) {
            let Some(origin) = finding.origin else {
                // What is missing has no location.
                let is_missing = ["G819", "H311", "H317"].contains(&finding.code.0);
                let is_nowhere = finding.location.to_string() == "file" || is_missing;
                assert!(is_nowhere, "{}: {}", proof.firing, finding.location);
                continue;
            };
            assert!(
                document.pointer(&origin).is_some(),
                "{}: {origin}",
                proof.firing
            );
            pointers += 1;
        }
    }
    assert!(pointers > 100, "{pointers}");
}

#[test]
fn the_innermost_part_of_a_document_is_named() {
    for (code, expected) in [
        ("W103", "/meshes/0/primitives/0/attributes/WEIGHTS_0"),
        ("G805", "/meshes/0/primitives/0/attributes/NORMAL"),
        ("G802", "/meshes/0/primitives/0/indices"),
        ("G814", "/meshes/0/weights"),
        ("G815", "/meshes/0/primitives/1"),
        ("G806", "/materials/0"),
        ("B205", "/skins/0/joints/2"),
        ("H302", "/skins/0/joints/3"),
        ("H315", "/skins/0/skeleton"),
        ("T401", "/nodes/1"),
        ("C505", "/animations/1/channels/0"),
        ("C521", "/animations/0/channels/2"),
        ("C501", "/animations/1"),
        ("D602", "/meshes/0/primitives/0"),
    ] {
        let proof = proofs().find(|proof| proof.code == code);
        let proof = proof.expect("every rule is proven");
        let path = folder().join(&proof.firing);
        assert_eq!(origins(&path, &proof.settings, code), [expected], "{code}");
    }
}

#[test]
fn other_formats_name_objects_elements_and_paths_of_nodes() {
    let all = Settings::default();
    let all_of = |file: &str| {
        let path = folder().join(file);
        let found = findings(&path, &all).into_iter();
        found
            .filter_map(|finding| finding.origin)
            .collect::<Vec<_>>()
    };
    let fbx = all_of("rules/T408.fbx");
    let text = fs::read_to_string(folder().join("rules/T408.fbx")).expect("it is text");
    assert!(fbx.contains(&"Model::elbow#301".to_owned()), "{fbx:?}");
    for origin in fbx {
        let (name, number) = origin.split_once('#').expect("objects have numbers");
        assert!(text.contains(&format!("{number}, \"{name}\"")), "{origin}");
    }
    let collada = all_of("rules/C516.dae");
    let text = fs::read_to_string(folder().join("rules/C516.dae")).expect("it is text");
    assert!(!collada.is_empty());
    for origin in collada {
        let id = origin.trim_start_matches('#');
        assert!(text.contains(&format!("id=\"{id}\"")), "{origin}");
    }
    let iqm = all_of("rules/C503.iqm");
    assert!(iqm.contains(&"tube".to_owned()), "{iqm:?}");
}
