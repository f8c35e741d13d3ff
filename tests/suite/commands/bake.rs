//! `skincheck bake`.

use crate::fixtures::base64;
use crate::folder::Folder;
use crate::program::{on_threads, skincheck};
use crate::support::in_group;

#[test]
fn the_json_has_joints_and_vertices() {
    let run = skincheck("bake two_triangles.gltf --time 0 -o -").ok();
    in_group("bake", || {
        insta::assert_snapshot!("two_triangles", run.text());
    });
}

#[test]
fn the_obj_opens_in_any_viewer() {
    let run = skincheck("bake two_triangles.gltf --time 0 --format obj -o -").ok();
    in_group("bake", || {
        insta::assert_snapshot!("two_triangles_obj", run.text());
    });
}

#[test]
fn the_faces_of_a_mirrored_mesh_look_where_its_normals_do() {
    let folder = Folder::new();
    let [plain, smooth] = ["\"POSITION\": 0", "\"POSITION\": 0, \"NORMAL\": 1"];
    for (attributes, scale, expected) in [
        (plain, "1, 1, 1", "f 1 2 3"),
        (plain, "-1, 1, 1", "f 3 2 1"),
        (smooth, "1, 1, 1", "f 1//1 2//2 3//3"),
        (smooth, "-1, 1, 1", "f 3//3 2//2 1//1"),
    ] {
        folder.write("triangle.gltf", triangle(attributes, scale));
        let run = folder.run("bake --format obj -o - triangle.gltf").ok();
        assert_eq!(run.text().lines().last(), Some(expected));
    }
}

/// A triangle facing +z, on a node with this scale.
fn triangle(attributes: &str, scale: &str) -> String {
    let numbers = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1_u8];
    let bytes = numbers.map(|number| f32::from(number).to_le_bytes());
    let data = base64::encode(bytes.as_flattened());
    format!(
        r#"{{
        "asset": {{"version": "2.0"}},
        "nodes": [{{"mesh": 0, "scale": [{scale}]}}],
        "meshes": [{{"primitives": [{{"attributes": {{{attributes}}}}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}},
            {{"bufferView": 0, "byteOffset": 36, "componentType": 5126, "type": "VEC3", "count": 3}}
        ],
        "bufferViews": [{{"buffer": 0, "byteLength": 72}}],
        "buffers": [{{"byteLength": 72, "uri": "data:application/octet-stream;base64,{data}"}}]
    }}"#
    )
}

#[test]
fn a_z_up_centimetre_file_comes_out_upright_in_metres_where_asked() {
    let height = |space: &str, axis: usize| {
        let line = format!("bake z_up_centimetres.fbx --space {space} -o -");
        let run = skincheck(&line).ok();
        let document = run.json();
        assert_eq!(document["space"], space);
        let meshes = document["meshes"]
            .as_array()
            .expect("meshes are a list")
            .iter();
        let points =
            meshes.flat_map(|mesh| mesh["positions"].as_array().expect("so are positions"));
        let along = points.map(|point| point[axis].as_f64().expect("a coordinate is a number"));
        let (low, high) = along.fold((f64::MAX, f64::MIN), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        high - low
    };
    let (in_file, in_metres) = (height("file", 2), height("y-up-metres", 1));
    assert!(
        (in_file / 100.0 - in_metres).abs() < 1e-6 * in_file,
        "{in_file} {in_metres}"
    );
}

#[test]
fn an_overflow_is_a_warning_with_its_first_vertex() {
    let folder = Folder::new();
    let text = "joint.shoulder.scale = 1e30\njoint.elbow.scale = 1e30\n";
    folder.write("pose.toml", text);
    let run = folder
        .run("bake fixtures/arm.gltf -o - --pose pose.toml")
        .ok();
    let document = run.json();
    let positions = document["meshes"][0]["positions"].as_array();
    let positions = positions.expect("positions are a list").iter();
    let wrong = positions.enumerate().filter(|(_, at)| {
        let mut axes = at.as_array().expect("so is each").iter();
        axes.any(serde_json::Value::is_null)
    });
    let wrong: Vec<usize> = wrong.map(|(vertex, _)| vertex).collect();
    let expected = format!(
        "mesh \"tube\": not finite (NaN or infinite) in this pose: the position of vertex {}, and of {} others",
        wrong[0],
        wrong.len() - 1
    );
    run.says(&expected);
    let finite = skincheck("bake arm.gltf --pose rest -o -").ok();
    assert_eq!(finite.stderr, "");
}

#[test]
fn threads_do_not_change_a_byte() {
    let line = "bake walker.glb --time 30% -o -";
    let [one, three] = ["1", "3"].map(|threads| on_threads(threads, line).ok().stdout);
    assert_eq!(one, three);
}

#[test]
fn a_name_that_contradicts_the_format_is_refused() {
    let folder = Folder::new();
    for (format, name, meant) in [("obj", "a.json", "a.obj"), ("json", "a.OBJ", "a.json")] {
        let run = folder.run(&format!(
            "bake fixtures/arm.gltf --format {format} -o {name}"
        ));
        run.exits(2);
        assert!(run.stderr.trim_end().ends_with(meant), "{}", run.stderr);
        assert!(!folder.path(name).exists());
    }
}

#[test]
fn nan_and_infinity_are_not_written_as_obj() {
    let run = skincheck("bake broken/nan.gltf --format obj -o -");
    run.exits(2);
    assert!(run.stdout.is_empty());
    run.says("--format json writes null");
}

/// The documents of a run, one per line.
fn documents(text: &str) -> Vec<serde_json::Value> {
    let lines = text.lines();
    let document = |line| serde_json::from_str(line).expect("each line is a document");
    lines.map(document).collect()
}

#[test]
fn several_poses_are_json_lines_clip_by_clip() {
    for (flags, times) in [
        ("--clip Bend --time 0.5 --time 0.25", vec![0.5, 0.25]),
        ("--clip Bend --times 3", vec![0.0, 0.5, 1.0]),
        ("--clip Bend --times 0.125s,1s", vec![0.125, 1.0]),
        ("--clip Bend --clip Bend --time 100%", vec![1.0, 1.0]),
    ] {
        let run = skincheck(&format!("bake arm.gltf {flags} -o -")).ok();
        let all = documents(run.text());
        assert!(all.iter().all(|one| one["schema"] == "skincheck/bake/1"));
        let found: Vec<Option<f64>> = all.iter().map(|one| one["time"].as_f64()).collect();
        let expected: Vec<Option<f64>> = times.into_iter().map(Some).collect();
        assert_eq!(found, expected, "{flags}");
        let alone = skincheck("bake arm.gltf --clip Bend --time 0.5 -o -").ok();
        let alone = documents(alone.text());
        let same = all.iter().find(|one| one["time"] == 0.5);
        assert!(same.is_none_or(|one| *one == alone[0]), "{flags}");
    }
    let run = skincheck("bake arm.gltf --all-clips -o -").ok();
    let clips: Vec<String> = documents(run.text())
        .iter()
        .map(|one| one["clip"].to_string())
        .collect();
    let inspected = skincheck("inspect arm.gltf --json").ok();
    let inspected = inspected.json();
    let named = inspected["clips"].as_array().expect("a list").iter();
    let named: Vec<String> = named.map(|clip| clip["name"].to_string()).collect();
    assert_eq!(clips, named);
}

#[test]
fn an_obj_and_a_image_show_one_pose() {
    for (line, words) in [
        (
            "bake arm.gltf --times keys --format obj -o -",
            "OBJ stores one pose",
        ),
        (
            "render arm.gltf --time 0 --time 1 -o -",
            "several poses are several images",
        ),
    ] {
        skincheck(line).refuses(words);
    }
}

#[test]
fn the_json_has_weights_and_notes_however_quiet_the_run_is() {
    let line = "bake arm.gltf --clip Bend --time 9 -q -o -";
    let run = skincheck(line).ok();
    assert_eq!(run.stderr, "");
    let document = &documents(run.text())[0];
    let notes = document["notes"].as_array().expect("notes are a list");
    let clamped = |note: &serde_json::Value| {
        let message = note["message"].as_str().expect("a message is a text");
        note["place"] == "pose" && message.contains("runs from 0 s to 1 s")
    };
    assert!(notes.iter().any(clamped), "{notes:?}");
    let mesh = &document["meshes"][0];
    let joints = mesh["joints"].as_array().expect("joints are a list").len();
    let vertices = mesh["influences"].as_array().expect("a list a vertex");
    let positions = mesh["positions"].as_array().expect("a list");
    assert_eq!(vertices.len(), positions.len());
    for vertex in vertices {
        let pairs = vertex.as_array().expect("pairs");
        let slots = pairs.iter().map(|pair| pair[0].as_u64().expect("a number"));
        assert!(slots.into_iter().all(|slot| slot < joints as u64));
        let weights = pairs.iter().map(|pair| pair[1].as_f64().expect("a weight"));
        assert!((weights.sum::<f64>() - 1.0).abs() < 1e-6, "{vertex}");
    }
}

#[test]
fn without_a_name_the_output_is_named_after_the_model_and_replaces_only_its_own() {
    let folder = Folder::new();
    let bake = |flags: &str| folder.run(&format!("bake fixtures/arm.gltf {flags}"));
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap_or_default();
    bake("--clip Bend --time 0").ok();
    let first = read("arm.json");
    bake("--clip Bend --time 1").ok();
    assert!(!first.is_empty() && read("arm.json") != first);
    bake("--clip Bend --times keys").ok();
    assert!(documents(&read("arm.jsonl")).len() > 1);
    bake("--format obj").ok();
    assert!(read("arm.obj").starts_with("# skincheck"));
    folder.write("arm.json", "{}");
    bake("").refuses("name the output with -o");
    assert_eq!(read("arm.json"), "{}");
}

#[test]
fn mistakes_in_options_are_reported_before_the_model_is_read() {
    let folder = Folder::new();
    folder.write("broken.toml", "[joint");
    let pose = "--pose broken.toml";
    for (command, option, words) in [
        ("render", "--show lot", "unknown mode \"lot\""),
        ("render", pose, "line 1"),
        ("bake", pose, "line 1"),
        ("crosscheck", pose, "line 1"),
    ] {
        let run = folder.run(&format!("{command} nowhere.gltf {option}"));
        run.refuses(words);
        assert!(!run.stderr.contains("nowhere"), "{}", run.stderr);
    }
}
