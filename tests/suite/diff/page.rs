//! The page of `--report`: its contents, and that it is written completely. `integrations/browser` opens it in a
//! browser.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{arguments, folder_of, skincheck_in};

const LINE: &str = "diff arm.gltf after.gltf --report out";

/// An arm, and an arm with a different rest pose of the elbow.
fn arms() -> TempDir {
    let folder = folder_of(&["arm.gltf"]);
    let text = fs::read_to_string(folder.path().join("arm.gltf")).expect("it is there");
    let mut after: Value = serde_json::from_str(&text).expect("it is JSON");
    after["nodes"][1]["translation"][0] = 0.2.into();
    fs::write(folder.path().join("after.gltf"), after.to_string()).expect("it is writable");
    folder
}

fn page(folder: &TempDir) -> String {
    assert_eq!(skincheck_in(folder.path(), arguments(LINE)).code, Some(1));
    fs::read_to_string(folder.path().join("out/index.html")).expect("it was written")
}

#[test]
fn a_page_is_the_same_every_time_and_holds_everything() {
    let folder = arms();
    let first = page(&folder);
    assert_eq!(page(&folder), first);
    let files = fs::read_dir(folder.path().join("out")).expect("a folder");
    assert_eq!(files.count(), 1);
    for part in [
        "<title>arm.gltf and after.gltf: different</title>",
        "<select id=\"clip\">",
        "class=\"plot time\"",
        "class=\"plot joints\"",
        "class=\"plot legend\"",
        "prefers-color-scheme: dark",
        "default-src 'none'",
    ] {
        assert!(first.contains(part), "{part}");
    }
    for loaded in [
        "src=\"http",
        "href=\"http",
        "url(http",
        "@import",
        "<link rel=\"stylesheet\"",
    ] {
        assert!(!first.contains(loaded), "{loaded}");
    }
    assert!(first.len() < 4_000_000, "{} bytes", first.len());
}

#[test]
fn names_from_files_stay_text() {
    let folder = folder_of(&["arm.gltf"]);
    let text = fs::read_to_string(folder.path().join("arm.gltf")).expect("it is there");
    let named = |name: &str| text.replace("\"Bend\"", &format!("\"{name}\""));
    let hostile = "</script><script>alert(1)</script>";
    fs::write(folder.path().join("a.gltf"), named(hostile)).expect("it is writable");
    fs::write(folder.path().join("b.gltf"), named("<b>")).expect("it is writable");
    let run = skincheck_in(folder.path(), arguments("diff a.gltf b.gltf --report out"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let page = fs::read_to_string(folder.path().join("out/index.html")).expect("it was written");
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("<b>"));
}

#[test]
fn a_model_that_cannot_be_read_leaves_no_folder() {
    let folder = folder_of(&["arm.gltf"]);
    fs::write(folder.path().join("cut.gltf"), "{").expect("it is writable");
    let line = "diff arm.gltf cut.gltf --report out/page";
    let run = skincheck_in(folder.path(), arguments(line));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_before_anything_is_compared() {
    let folder = arms();
    fs::write(folder.path().join("out"), "mine").expect("it is writable");
    let run = skincheck_in(folder.path(), arguments(LINE));
    assert_eq!(run.code, Some(2));
    let expected = "error: --report out: this is a file; name a folder\n";
    assert_eq!(run.stderr, expected);
    let kept = fs::read_to_string(folder.path().join("out")).expect("it is there");
    assert_eq!(kept, "mine");
}

#[test]
fn reports_go_to_files_as_well() {
    let folder = arms();
    let line = "diff arm.gltf after.gltf --report junit=a.xml --report sarif=a.sarif";
    assert_eq!(skincheck_in(folder.path(), arguments(line)).code, Some(1));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert!(read("a.xml").contains("<testsuites"));
    assert!(read("a.sarif").contains("\"2.1.0\""));
    for wrong in ["sarif=", "sarif=-"] {
        let run = skincheck_in(
            folder.path(),
            ["diff", "arm.gltf", "arm.gltf", "--report", wrong],
        );
        assert_eq!(run.code, Some(2), "{wrong}");
    }
}
