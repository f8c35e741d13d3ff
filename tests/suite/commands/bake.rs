//! `skincheck bake`.

use std::ffi::OsStr;

use crate::fixtures::base64;
use crate::program::{arguments, skincheck};
use crate::support::in_group;

#[test]
fn the_json_has_joints_and_vertices() {
    let run = skincheck(arguments("bake two_triangles.gltf --time 0 -o -")).ok();
    in_group("bake", || {
        insta::assert_snapshot!("two_triangles", run.text());
    });
}

#[test]
fn the_obj_opens_in_any_viewer() {
    let run = skincheck(arguments(
        "bake two_triangles.gltf --time 0 --format obj -o -",
    ))
    .ok();
    in_group("bake", || {
        insta::assert_snapshot!("two_triangles_obj", run.text());
    });
}

#[test]
fn the_faces_of_a_mirrored_mesh_look_where_its_normals_do() {
    let folder = tempfile::tempdir().expect("there is room");
    let [plain, smooth] = ["\"POSITION\": 0", "\"POSITION\": 0, \"NORMAL\": 1"];
    for (attributes, scale, expected) in [
        (plain, "1, 1, 1", "f 1 2 3"),
        (plain, "-1, 1, 1", "f 3 2 1"),
        (smooth, "1, 1, 1", "f 1//1 2//2 3//3"),
        (smooth, "-1, 1, 1", "f 3//3 2//2 1//1"),
    ] {
        let path = folder.path().join("triangle.gltf");
        std::fs::write(&path, triangle(attributes, scale)).expect("it can be written");
        let bake = ["bake", "--format", "obj", "-o", "-"].map(OsStr::new);
        let run = skincheck(bake.into_iter().chain([path.as_os_str()])).ok();
        assert_eq!(run.text().lines().last(), Some(expected));
    }
}

/// A triangle that looks along z, on a node with this scale.
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
        let run = skincheck(arguments(&line)).ok();
        let document: serde_json::Value = serde_json::from_str(run.text()).expect("it is JSON");
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
fn what_overflows_is_warned_of_with_its_first_vertex() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let pose = folder.path().join("pose.toml");
    let text = "joint.shoulder.scale = 1e30\njoint.elbow.scale = 1e30\n";
    std::fs::write(&pose, text).expect("it is writable");
    let pose = pose.to_str().expect("the path is UTF-8");
    let run = skincheck(["bake", "arm.gltf", "-o", "-", "--pose", pose]).ok();
    let document: serde_json::Value = serde_json::from_str(run.text()).expect("it is JSON");
    let positions = document["meshes"][0]["positions"].as_array();
    let positions = positions.expect("positions are a list").iter();
    let wrong = positions.enumerate().filter(|(_, at)| {
        let mut axes = at.as_array().expect("so is each").iter();
        axes.any(serde_json::Value::is_null)
    });
    let wrong: Vec<usize> = wrong.map(|(vertex, _)| vertex).collect();
    let expected = format!(
        "mesh \"tube\": not finite (NaN or infinite) in this pose: the position of vertex {} and {} others",
        wrong[0],
        wrong.len() - 1
    );
    assert!(run.stderr.contains(&expected), "{}", run.stderr);
    let finite = skincheck(arguments("bake arm.gltf --pose rest -o -")).ok();
    assert_eq!(finite.stderr, "");
}

#[test]
fn threads_do_not_change_a_byte() {
    let bake = |threads: &str| {
        let output = std::process::Command::new(crate::program::path())
            .args(arguments("bake walker.glb --phase 0.3 -o -"))
            .current_dir(crate::program::fixture(""))
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .expect("the binary under test starts");
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(bake("1"), bake("3"));
}

#[test]
fn a_name_that_contradicts_the_format_is_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    for (format, name, meant) in [("obj", "a.json", "a.obj"), ("json", "a.OBJ", "a.json")] {
        let path = folder.path().join(name);
        let bake = ["bake", "arm.gltf", "--format", format, "-o"].map(OsStr::new);
        let run = skincheck(bake.into_iter().chain([path.as_os_str()]));
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.trim_end().ends_with(meant), "{}", run.stderr);
        assert!(!path.exists());
    }
}

#[test]
fn what_is_not_finite_is_not_written_as_obj() {
    let run = skincheck(arguments("bake broken/nan.gltf --format obj -o -"));
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.is_empty());
    assert!(
        run.stderr.contains("--format json writes null"),
        "{}",
        run.stderr
    );
}
