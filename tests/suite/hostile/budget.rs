//! The work on a model that exceeds its budget ends, and a run over many models goes on without it.

use std::time::{Duration, Instant};

#[cfg(feature = "gl")]
use crate::commands::crosscheck::has_gl;
use crate::folder::Folder;

/// Writes `NAME.gltf` and its buffer: triangles that fill the screen, one behind the other, the nearest last.
fn plant(folder: &Folder, name: &str, primitives: usize) {
    let triangles = 5000_u16;
    let mut positions = Vec::new();
    let mut indices = Vec::new();
    for triangle in 0..triangles {
        let z = f32::from(triangle) / f32::from(triangles) / 2.0;
        for corner in [[-1.0, -1.0, z], [3.0, -1.0, z], [-1.0, 3.0, z]] {
            positions.extend(corner.map(f32::to_le_bytes).concat());
        }
    }
    for vertex in 0..3 * u32::from(triangles) {
        indices.extend(vertex.to_le_bytes());
    }
    let (vertices, bytes) = (3 * usize::from(triangles), positions.len() + indices.len());
    let primitive = serde_json::json!({"attributes": {"POSITION": 0}, "indices": 1});
    let text = serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": vec![primitive; primitives]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3", "min": [-1, -1, 0], "max": [3, 3, 1]},
            {"bufferView": 1, "componentType": 5125, "count": vertices, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": positions.len()},
            {"buffer": 0, "byteOffset": positions.len(), "byteLength": indices.len()},
        ],
        "buffers": [{"byteLength": bytes, "uri": format!("{}.bin", name.rsplit('/').next().expect("it has a name"))}],
    });
    folder.write(format!("{name}.gltf"), text.to_string());
    folder.write(format!("{name}.bin"), [positions, indices].concat());
}

#[test]
fn drawing_ends_when_time_is_up_and_writes_nothing() {
    let folder = Folder::new();
    plant(&folder, "deep", 12);
    let started = Instant::now();
    let lines = [
        "render deep.gltf -o out.png",
        "film deep.gltf --size 1024x1024 -o out.gif",
        "film deep.gltf --size 1024x1024 -o frames/",
    ];
    for line in lines {
        folder
            .run(&format!("{line} --timeout 4"))
            .refuses("deep.gltf: drawing did not finish within 4 s; raise --timeout");
    }
    assert!(
        !["out.png", "out.gif", "frames"]
            .map(|name| folder.path(name).exists())
            .contains(&true)
    );
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn triangles_that_cover_the_image_too_often_are_refused() {
    let folder = Folder::new();
    plant(&folder, "deep", 40);
    folder
        .run("render deep.gltf -o out.png")
        .refuses("deep.gltf: the triangles cover the image more than 16384 times; delete those");
    assert!(!folder.path("out.png").exists());
}

/// Writes `NAME.gltf` with the mesh of [`plant`] in so many places.
#[cfg(feature = "gl")]
fn plant_instances(folder: &Folder, name: &str, count: usize) {
    plant(folder, name, 1);
    let path = format!("{name}.gltf");
    let mut text: serde_json::Value =
        serde_json::from_str(&folder.read(&path)).expect("it was written so");
    text["scenes"][0]["nodes"] = (0..count).collect();
    text["nodes"] = vec![serde_json::json!({"mesh": 0}); count].into();
    folder.write(path, text.to_string());
}

#[cfg(feature = "gl")]
#[test]
fn the_memory_of_a_software_driver_counts() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new();
    plant_instances(&folder, "many", 40);
    // Without that of buffers and textures, it needs less than 145 MiB.
    let line = "crosscheck many.gltf --gl software --times 1 --memory 159";
    folder
        .run(line)
        .refuses("many.gltf: comparing needs more than 159 MiB of memory; raise --memory");
}

#[test]
fn work_ends_when_it_needs_more_memory() {
    let folder = Folder::new();
    plant(&folder, "wide", 100);
    folder
        .run("diff wide.gltf wide.gltf --memory 80")
        .refuses("wide.gltf: comparing needs more than 80 MiB of memory; raise --memory");
    folder.run("check wide.gltf --no-cache --memory 200").ok();
}

#[test]
fn a_run_goes_on_without_the_model_that_exceeds_its_budget() {
    let folder = Folder::of(&["arm.gltf", "rules/clean.gltf"]);
    plant(&folder, "wide", 100);
    let report = |jobs: u8| {
        let run = folder.run(&format!(
            "check . --no-cache --memory 50 --jobs {jobs} --format json --write-baseline accepted.json"
        ));
        run.exits(2);
        run.json()
    };
    let alone = report(1);
    let models = alone["models"].as_array().expect("it is a list");
    let failures = models.iter().map(|model| model["failure"].as_str());
    let failures: Vec<Option<&str>> = failures.collect();
    let ended = "checking needs more than 50 MiB of memory; raise --memory if the model is really that large";
    assert_eq!(failures, [None, None, Some(ended)]);
    assert!(!folder.read("accepted.json").contains("wide.gltf"));
    assert_eq!(report(4)["models"], alone["models"]);
}

#[test]
fn pairs_of_folders_are_compared_without_the_one_that_exceeds_its_budget() {
    let folder = Folder::with(&[("arm.gltf", "a/arm.gltf"), ("arm.gltf", "b/arm.gltf")]);
    for name in ["a/wide", "b/wide"] {
        plant(&folder, name, 100);
    }
    let run = folder.run("diff a b --memory 80");
    run.exits(2)
        .prints("comparing needs more than 80 MiB of memory; raise --memory");
    run.prints("1 the same, 1 not comparable");
}

#[test]
fn a_page_says_which_images_exceed_the_budget() {
    let folder = Folder::new();
    plant(&folder, "wide", 200);
    let line = "check wide.gltf --no-cache --select all --memory 190 --report html=page.html";
    let run = folder.run(line);
    assert!(run.code != Some(2), "{}", run.stderr);
    let ended = "no images: drawing its findings needs more than 190 MiB of memory; raise --memory";
    run.says(ended);
    assert!(folder.read("page.html").contains(ended));
}

#[test]
fn the_least_limit_on_memory_suffices_for_a_small_model() {
    let folder = Folder::of(&["walker.glb"]);
    folder.run("render walker.glb -o out.png --memory 16").ok();
}
