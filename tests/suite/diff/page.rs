//! The page of `--report`: its contents, and that it is written completely. `integrations/browser` opens it in a
//! browser.

use std::fs;

use serde_json::Value;

use crate::folder::Folder;

const LINE: &str = "diff arm.gltf after.gltf --report out";

/// An arm, and an arm with a different rest pose of the elbow.
fn arms() -> Folder {
    let folder = Folder::of(&["arm.gltf"]);
    let text = folder.read("arm.gltf");
    let mut after: Value = serde_json::from_str(&text).expect("it is JSON");
    after["nodes"][1]["translation"][0] = 0.2.into();
    folder.write("after.gltf", after.to_string());
    folder
}

fn page(folder: &Folder) -> String {
    folder.run(LINE).exits(1);
    folder.read("out/index.html")
}

#[test]
fn a_page_is_the_same_every_time_and_holds_everything() {
    let folder = arms();
    let first = page(&folder);
    assert_eq!(page(&folder), first);
    let files = fs::read_dir(folder.path("out")).expect("a folder");
    assert_eq!(files.count(), 1);
    for part in [
        "<title>arm.gltf and after.gltf: different</title>",
        "<img alt=\"Before: arm.gltf\"",
        "<svg class=\"plot\"",
        "Largest error of its own",
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
    let folder = Folder::of(&["arm.gltf"]);
    let text = folder.read("arm.gltf");
    let named = |name: &str| text.replace("\"Bend\"", &format!("\"{name}\""));
    let hostile = "</script><script>alert(1)</script>";
    folder.write("a.gltf", named(hostile));
    folder.write("b.gltf", named("<b>"));
    folder.run("diff a.gltf b.gltf --report out").exits(1);
    let page = folder.read("out/index.html");
    // The script, what all viewers share, and two models.
    assert_eq!(page.matches("<script").count(), 7);
    assert!(!page.contains("<b>"));
}

#[test]
fn a_model_that_cannot_be_read_leaves_no_folder() {
    let folder = Folder::of(&["arm.gltf"]);
    folder.write("cut.gltf", "{");
    let line = "diff arm.gltf cut.gltf --report out/page";
    folder.run(line).exits(2);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_before_anything_is_compared() {
    let folder = arms();
    folder.write("out", "mine");
    let run = folder.run(LINE);
    run.exits(2);
    let expected = "error: --report out: this is a file; name a folder\n";
    assert_eq!(run.stderr, expected);
    let kept = folder.read("out");
    assert_eq!(kept, "mine");
}

#[test]
fn reports_go_to_files_as_well() {
    let folder = arms();
    let line = "diff arm.gltf after.gltf --report junit=a.xml --report sarif=a.sarif";
    folder.run(line).exits(1);
    let read = |name: &str| folder.read(name);
    assert!(read("a.xml").contains("<testsuites"));
    assert!(read("a.sarif").contains("\"2.1.0\""));
    for wrong in ["sarif=", "sarif=-"] {
        let run = folder.run(&format!("diff arm.gltf arm.gltf --report {wrong}"));
        assert_eq!(run.code, Some(2), "{wrong}");
    }
}
