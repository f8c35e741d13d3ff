//! `skincheck bake`.

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
