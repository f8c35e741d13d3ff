//! Comparison with the model that a file was made from.

use super::{Folder, RIGHT};
use crate::program::Run;

/// The clean rig as the original, a copy, and a model with another bend of the elbow.
fn models() -> Folder {
    Folder::with(&[
        (RIGHT, "source/hero.gltf"),
        (RIGHT, "packed/hero.gltf"),
        ("rules/V903.gltf", "changed/hero.gltf"),
    ])
}

fn codes(run: &Run) -> Vec<String> {
    let findings = run.json()["models"][0]["findings"].clone();
    let findings = findings.as_array().expect("findings are a list").iter();
    findings
        .map(|finding| finding["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_model_is_compared_only_with_an_original_that_is_named() {
    let folder = models();
    folder.check_all("changed/hero.gltf").exits(0);
    folder
        .check_all("packed/hero.gltf --original source/hero.gltf")
        .exits(0);
    let changed = folder.check_all("changed/hero.gltf --original source/{stem}.gltf --format json");
    assert_eq!(codes(changed.exits(1)), ["V903"]);
    folder
        .check_all("changed/hero.gltf --original source/hero.gltf --ignore V")
        .exits(0);
}

#[test]
fn the_configuration_names_originals_relative_to_itself_and_the_tolerance() {
    let folder = models();
    folder.write(
        "skincheck.toml",
        "[compare]\noriginal = \"source/{stem}.gltf\"\n",
    );
    let changed = folder.check_all("changed/hero.gltf --format json");
    assert_eq!(codes(changed.exits(1)), ["V903"]);
    folder.check_all("packed").exits(0);
    folder.write(
        "skincheck.toml",
        "[compare]\noriginal = \"source/{stem}.gltf\"\n[diff]\nignore = [\"keys\"]\n",
    );
    folder.check_all("changed/hero.gltf").exits(0);
}

#[test]
fn an_original_that_cannot_be_compared_is_no_success() {
    let folder = models();
    let missing = folder.check_all("packed/hero.gltf --original nowhere/{stem}.gltf");
    let missing = missing.exits(2).text();
    assert!(
        missing.contains("the original") && missing.contains("nowhere/hero.gltf: no such file"),
        "{missing}"
    );
    folder.write("text.skref", "nothing");
    let broken = folder.check_all("packed/hero.gltf --original text.skref");
    assert!(
        broken.exits(2).text().contains("text.skref"),
        "{}",
        broken.text()
    );
}
