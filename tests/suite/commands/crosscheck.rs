//! `skincheck crosscheck`.

use crate::program::{skincheck, unread};

/// Whether OpenGL is available. Without it, the command says what to install, which is tested below.
pub(crate) fn has_gl() -> bool {
    let run = skincheck("crosscheck --times 1 two_triangles.gltf");
    let missing = run.stderr.contains("no OpenGL");
    let required = std::env::var_os("SKINCHECK_REQUIRE_GL").is_some();
    assert!(!(missing && required), "OpenGL is required: {}", run.stderr);
    if missing {
        run.refuses("install libegl1");
    }
    !missing
}

/// All files that are read without assimp.
fn fixtures() -> Vec<String> {
    let entries = std::fs::read_dir(crate::program::fixture("")).expect("the fixtures are there");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let models = names.filter(|name| [".gltf", ".glb", ".fbx"].iter().any(|e| name.ends_with(e)));
    let mut models: Vec<String> = models.collect();
    models.sort();
    models
}

#[test]
fn a_reader_that_leaves_does_not_change_the_exit_code() {
    if !has_gl() {
        return;
    }
    let line = "crosscheck --times 1 two_triangles.gltf";
    assert_eq!(unread(line), Some(0));
    assert_eq!(unread(&format!("{line} missing.glb")), Some(2));
}

#[test]
fn both_paths_agree_on_every_fixture() {
    if !has_gl() {
        return;
    }
    let fixtures = fixtures();
    let line = "crosscheck --format json --times 3 --all-clips --gl software";
    let run = skincheck(&format!("{line} {}", fixtures.join(" ")));
    let document = run.ok().json();
    assert_eq!(document["schema"], "skincheck/report/1");
    assert_eq!(document["passes"], true);
    crate::reports::fields::assert_listed("crosscheck", std::slice::from_ref(&document));
    let models = document["models"].as_array().expect("models are a list");
    assert_eq!(models.len(), fixtures.len());
}

#[test]
fn the_report_has_a_line_for_each_clip() {
    if !has_gl() {
        return;
    }
    let run = skincheck("crosscheck walker.glb arm_anim_only.fbx").ok();
    let text = run.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("cpu (") && lines[0].contains(") against gl ("),
        "{text}"
    );
    assert_eq!(lines[1], "walker.glb");
    assert!(
        lines[2].starts_with("  agree     rest pose (1 pose) "),
        "{text}"
    );
    assert!(
        lines[3].starts_with("  agree     clip \"Walk\" (7 poses)  "),
        "{text}"
    );
    assert_eq!(lines[4], "arm_anim_only.fbx");
    assert!(
        lines[5].starts_with("  no mesh   rest pose (1 pose) "),
        "{text}"
    );
    assert_eq!(lines[7], "both paths agree in 8 poses of 1 model");
}

#[test]
fn a_model_that_cannot_be_read_does_not_stop_the_others() {
    if !has_gl() {
        return;
    }
    let line = "crosscheck --format json --times 1 missing.glb two_triangles.gltf";
    let run = skincheck(line);
    run.refuses("missing.glb")
        .says("1 of 2 models could not be compared");
    let document = run.json();
    assert_eq!(document["passes"], false);
    assert_eq!(document["models"][0]["path"], "two_triangles.gltf");
    assert_eq!(document["models"][0]["passes"], true);
    assert_eq!(document["models"][1]["path"], "missing.glb");
}

/// The times of each take of a walker.
fn times(options: &str) -> Vec<Vec<f64>> {
    let line = format!("crosscheck --timeout 600 --format json {options} walker.glb");
    let document = skincheck(&line).ok().json();
    let list = |value: &serde_json::Value| value.as_array().cloned().expect("it is a list");
    let of_take = |take: &serde_json::Value| {
        let sample_times = list(&take["poses"]);
        let times = sample_times
            .iter()
            .map(|sample_time| sample_time["time"].as_f64());
        times.map(Option::unwrap_or_default).collect()
    };
    let takes = list(&document["models"][0]["takes"]);
    takes.iter().map(of_take).collect()
}

#[test]
fn clips_and_times_are_chosen() {
    if !has_gl() {
        return;
    }
    assert_eq!(times("--clip Walk --times 0,0.25s"), [[0.0, 0.25]]);
    assert_eq!(times("--clip 0 --times 3")[0].len(), 3);
    assert_eq!(times("--pose bind"), [[0.0]]);
    let [rest, clip] = times("--times 2")
        .try_into()
        .expect("the rest pose and a clip");
    assert_eq!((rest.len(), clip.len()), (1, 2));
    let all = times("--all-clips --times keys");
    assert!(
        all.len() > 1 && all.iter().all(|times| times.len() > 1),
        "{all:?}"
    );
}

#[test]
fn a_clip_that_is_not_there_and_times_that_are_none_are_refused() {
    if !has_gl() {
        return;
    }
    let run = skincheck("crosscheck --clip Fly walker.glb");
    run.exits(2);
    assert!(
        run.stderr.contains("walker.glb") && run.stderr.contains("Fly"),
        "{}",
        run.stderr
    );
    skincheck("crosscheck --times often walker.glb").refuses("not a list of sample times");
}
