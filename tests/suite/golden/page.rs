//! Reports written to files: JUnit, JSON, and the review page. `integrations/browser` opens the page in a browser.

use super::{Project, bend, plain};

/// A project with a changed, an unapproved and an unreadable model.
fn mixed() -> Project {
    let project = Project::approved();
    project.put("leg.gltf", |_| ());
    project.put("arm.gltf", |asset| bend(&mut asset.clips[0]));
    project.write("models/torn.gltf", "{");
    project
}

fn page(project: &Project, line: &str) -> String {
    project.run(line);
    String::from_utf8(project.read("out.html")).expect("it is UTF-8")
}

#[test]
fn a_page_is_the_same_every_time_and_holds_everything() {
    let project = mixed();
    let first = page(&project, "test --report html=out.html");
    assert_eq!(page(&project, "test --report html=out.html"), first);
    for part in [
        "<title>skincheck test: 3 models: 1 changed, 1 not approved, 1 failed</title>",
        "models/leg.gltf",
        "models/torn.gltf",
        "\"command\":\"skincheck accept\"",
        "id=\"slide\"",
        "prefers-color-scheme: dark",
        "default-src 'none'",
    ] {
        assert!(first.contains(part), "{part}");
    }
    for loaded in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!first.contains(loaded), "{loaded}");
    }
}

#[test]
fn a_page_of_models_that_are_all_as_approved_says_so() {
    let project = Project::approved();
    let page = page(&project, "test --report html=out.html");
    assert!(page.contains("all as approved") && !page.contains("id=\"items\""));
}

#[test]
fn names_from_files_stay_text() {
    let project = Project::new();
    project.put("arm.gltf", |asset| {
        "</script><script>alert(1)</script>".clone_into(&mut asset.clips[0].name);
        "<b>".clone_into(&mut asset.clips[1].name);
    });
    let page = page(&project, "test --report html=out.html");
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("<b>"));
}

#[test]
fn junit_has_a_case_per_clip_and_skips_new_ones_outside_ci() {
    let project = mixed();
    let report = |ci| {
        project.run_with("test --report junit=out.xml", ci);
        String::from_utf8(project.read("out.xml")).expect("it is UTF-8")
    };
    let text = report(None);
    assert!(
        text.contains("<testcase name=\"clip &quot;Bend&quot;\" classname=\"models/arm.gltf\">"),
        "{text}"
    );
    assert_eq!(
        text.matches("<failure type=\"changed\"").count(),
        1,
        "{text}"
    );
    assert_eq!(text.matches("<skipped").count(), 3, "{text}");
    assert_eq!(
        text.matches("<error type=\"unreadable\"").count(),
        1,
        "{text}"
    );
    assert!(
        text.contains("tests=\"9\" failures=\"1\" errors=\"1\""),
        "{text}"
    );
    let text = report(Some("1"));
    assert_eq!(text.matches("<failure type=\"new\"").count(), 3, "{text}");
    assert_eq!(crate::reports::junit::complaints(&text), [""; 0]);
}

#[test]
fn every_field_of_json_is_documented() {
    let project = mixed();
    project.write("models/skin.png", plain([9, 9, 9]));
    let orphan = "models/gone.gltf.approved";
    std::fs::create_dir(project.path(orphan)).expect("it is writable");
    let numbers = project.read("models/arm.gltf.approved/poses.skref");
    project.write(&format!("{orphan}/poses.skref"), numbers);
    let found = crate::reports::fields::assert_listed("test", &[project.json()]);
    assert!(
        found.contains("models[].clips[].images[].cause"),
        "{found:?}"
    );
}

#[test]
fn a_textured_model_whose_motion_has_changed_has_a_page() {
    let project = Project::new();
    project.put_textured(false);
    project.run("accept").ok();
    let text = String::from_utf8(project.read("models/arm.gltf")).expect("it is text");
    let mut model: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let nodes = model["nodes"].as_array_mut().expect("there are nodes");
    let elbow = nodes.iter_mut().find(|node| node["name"] == "elbow");
    elbow.expect("it is there")["translation"] = serde_json::json!([0.3, 1, 0]);
    project.write("models/arm.gltf", model.to_string());
    project.run("test --report html=out.html").exits(1);
    let page = String::from_utf8(project.read("out.html")).expect("it is UTF-8");
    assert!(page.contains("\"moving\":{"), "the models are on the page");
}
