//! `skincheck init`.

use skincheck::check::config::Config;
use skincheck::engines::ENGINES;

use crate::folder::Folder;

#[test]
fn a_folder_gets_a_configuration_that_says_what_it_holds() {
    let folder = Folder::of(&["arm.gltf"]);
    folder.write("takes/walk.BVH", "");
    let run = folder.run("init --engine unreal:weights=16 --preset mobile");
    assert!(
        run.text().contains("skincheck.toml: written for 2 models"),
        "{}",
        run.text()
    );
    assert!(
        run.text().contains("\n  skincheck check .\n"),
        "{}",
        run.text()
    );
    let text = folder.read("skincheck.toml");
    for line in [
        "# What skincheck checks in this folder and below: 1 .bvh, 1 .gltf.",
        "engine = \"unreal:weights=16\"",
        "preset = \"mobile\"",
        "files = [\"*.bvh\"]",
        "preset = \"mocap\"",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
    let checked = folder.run("check arm.gltf --verbose");
    assert!(checked.text().contains("mobile"), "{}", checked.text());

    let again = folder.run("init");
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("exists already"), "{}", again.stderr);
    let kept = folder.read("skincheck.toml");
    assert_eq!(kept, text);
}

#[test]
fn every_suggestion_can_be_taken() {
    for engine in ENGINES.iter() {
        let folder = Folder::new();
        let run = folder.run(&format!("init --print --engine {}", engine.name));
        let is_key = |line: &str| line.contains(" = ") || line.starts_with('[');
        let taken = |line: &str| match line.strip_prefix("# ") {
            Some(suggested) if is_key(suggested) && !suggested.contains('`') => {
                suggested.to_owned()
            }
            _ => line.to_owned(),
        };
        let lines: Vec<String> = run.text().lines().map(taken).collect();
        let text = lines.join("\n");
        assert!(
            !text.contains("# height") && text.contains("\nheight"),
            "{text}"
        );
        Config::of_text(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(!folder.path("skincheck.toml").exists());
    }
}

#[test]
fn what_is_no_folder_is_refused() {
    let folder = Folder::new();
    let run = folder.run("init nowhere");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("nowhere: not a folder"),
        "{}",
        run.stderr
    );
}
