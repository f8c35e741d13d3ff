//! The page of `--report`: its contents, and that it is written completely. `integrations/browser` opens it in a
//! browser.

use serde_json::{Value, json};

use crate::folder::Folder;

const LINE: &str = "diff arm.gltf after.gltf --report html=out.html";

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
    folder.read("out.html")
}

#[test]
fn a_page_is_the_same_every_time_and_holds_everything() {
    let folder = arms();
    let first = page(&folder);
    assert_eq!(page(&folder), first);
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
fn a_socket_that_rests_elsewhere_is_in_the_text_and_on_the_page() {
    let folder = Folder::of(&["arm.gltf"]);
    let text = folder.read("arm.gltf");
    let with_socket = |height: f64| {
        let mut arm: Value = serde_json::from_str(&text).expect("it is JSON");
        let nodes = arm["nodes"].as_array_mut().expect("it is a list");
        let socket = nodes.len();
        nodes.push(json!({"name": "Socket", "translation": [0.0, height, 0.0]}));
        nodes[1]["children"] = json!([2, socket]);
        arm.to_string()
    };
    folder.write("arm.gltf", with_socket(0.1));
    folder.write("after.gltf", with_socket(0.5));
    let run = folder.run(LINE);
    run.exits(1);
    let printed = run.text();
    assert!(
        printed.contains("rest pose: DIFFERENT; surfaces equal"),
        "{printed}"
    );
    assert!(!printed.contains("same: "), "{printed}");
    let page = folder.read("out.html");
    assert!(page.contains("Rings mark nodes"), "{page}");
}

#[test]
fn names_from_files_stay_text() {
    let folder = Folder::of(&["arm.gltf"]);
    let text = folder.read("arm.gltf");
    let named = |name: &str| text.replace("\"Bend\"", &format!("\"{name}\""));
    let hostile = "</script><script>alert(1)</script>";
    folder.write("a.gltf", named(hostile));
    folder.write("b.gltf", named("<b>"));
    folder
        .run("diff a.gltf b.gltf --report html=out.html")
        .exits(1);
    let page = folder.read("out.html");
    // The script, what all viewers share, and two models.
    assert_eq!(page.matches("<script").count(), 7);
    assert!(!page.contains("<b>"));
}

#[test]
fn a_model_that_cannot_be_read_leaves_no_page() {
    let folder = Folder::of(&["arm.gltf"]);
    folder.write("cut.gltf", "{");
    let line = "diff arm.gltf cut.gltf --report html=out.html";
    folder.run(line).exits(2);
    assert!(!folder.path("out.html").exists());
}

#[test]
fn a_failed_run_leaves_no_page_of_an_earlier_one() {
    let folder = arms();
    page(&folder);
    folder.write("after.gltf", "{");
    folder.run(LINE).exits(2);
    assert!(!folder.path("out.html").exists());
    folder.write("out.html", "<!DOCTYPE html>mine");
    folder.run(LINE).exits(2);
    assert_eq!(folder.read("out.html"), "<!DOCTYPE html>mine");
    for line in [
        "check arm.gltf --config missing.toml",
        "merge missing.json",
        "test --config missing.toml",
    ] {
        let folder = arms();
        page(&folder);
        folder
            .run(&format!("{line} --report html=out.html"))
            .exits(2);
        assert!(!folder.path("out.html").exists(), "{line}");
    }
}

/// What is no plain file holds no page, and reading it may wait for ever.
#[cfg(unix)]
#[test]
fn a_page_goes_through_a_pipe_and_a_link() {
    let folder = arms();
    let run = folder.run(&LINE.replace("html=out.html", "html=/dev/stdout"));
    assert!(run.text().contains("<!DOCTYPE html>"), "{}", run.text());
    folder.write("pages/out.html", "");
    std::os::unix::fs::symlink("pages/out.html", folder.path("out.html"))
        .expect("links are possible");
    for _ in 0..2 {
        page(&folder);
        assert!(folder.path("out.html").is_symlink());
        assert!(folder.read("pages/out.html").starts_with("<!DOCTYPE html>"));
    }
}

#[test]
fn a_report_without_a_format_is_refused() {
    let folder = arms();
    for wrong in ["out", "out.html", "page=out.html"] {
        let run = folder.run(&format!("diff arm.gltf after.gltf --report {wrong}"));
        run.refuses("--report");
        assert!(!folder.path(wrong).exists());
    }
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
