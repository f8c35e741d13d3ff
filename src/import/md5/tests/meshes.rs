//! Meshes, what they are made of, and what binds them.

use glam::{Mat4, Vec2};

use super::*;
use crate::rig::NodeId;

#[test]
fn inverse_bind_matrices_end_in_exactly_0_0_0_1() {
    let asset = read_mesh(&triangle([ORIGIN; 3])).unwrap();
    let binds = &asset.skins[0].inverse_bind_matrices;
    // Half a right angle to either side: the fourth number is negative, and the turn is by minus a right angle about x.
    let expected = Mat4::from_cols_array(&[
        1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0,
    ]);
    assert!(binds[1].abs_diff_eq(expected, 1e-6), "{}", binds[1]);
    for bind in binds {
        assert_eq!(
            bind.row(3).to_array().map(f32::to_bits),
            [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits)
        );
    }
}

#[test]
fn weights_that_disagree_on_the_bind_position_each_keep_their_own_and_are_reported() {
    let low = [1.0, 0.0, 0.0];
    let text = triangle([
        ORIGIN,
        // (0, 0, 1) from both joints.
        &[(0, 0.5, [0.0, 0.0, 1.0]), (1, 0.5, [0.0; 3])],
        &[(0, 0.25, low), (1, 0.75, [0.0, 4.0, 0.0])],
    ]);
    let mut asset = read_mesh(&text).unwrap();
    let skin = &asset.skins[0];
    assert_eq!(skin.joints, [0, 1, 0, 1].map(NodeId));
    let lists = influences(&asset, 0);
    let slots = lists
        .iter()
        .map(|list| list.iter().map(|pair| pair.0).collect());
    let slots: Vec<Vec<u32>> = slots.collect();
    assert_eq!(slots, [vec![0], vec![0, 1], vec![2, 3]]);
    // The upper joint has y along -z: its point is at (0, 0, -3).
    assert!(asset.meshes[0].positions[2].abs_diff_eq(Vec3::new(0.25, 0.0, -2.25), 1e-6));
    let [note] = &notes(&asset)[..] else {
        panic!("{:?}", asset.notes)
    };
    assert!(
        note.starts_with(
            "mesh \"skin\": the weights of 1 vertex disagree on the bind position by up to 2."
        ),
        "{note}"
    );
    let at_bind = skinned(&asset, None);
    assert!(at_bind[2].abs_diff_eq(asset.meshes[0].positions[2], 1e-6));
    // Upright again, the upper joint has y along y.
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"high\" 0 0 0 } \
                baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    animate(&mut asset, "walk.md5anim", read_clip(clip).unwrap());
    let upright = skinned(&asset, Some(0));
    assert!(
        upright[2].abs_diff_eq(Vec3::new(0.25, 3.0, 0.75), 1e-6),
        "{upright:?}"
    );
}

#[test]
fn weights_stay_as_they_are_stored_and_do_not_move_the_bind_position() {
    let text = triangle([
        ORIGIN,
        &[(0, 0.5, [0.0, 0.0, 4.0]), (0, 0.0, [9.0, 9.0, 9.0])],
        &[(0, 3.0, [0.0, 8.0, 0.0]), (1, -1.0, [0.0, 1.0, 8.0])],
    ]);
    let asset = read_mesh(&text).unwrap();
    let mesh = &asset.meshes[0];
    let lists = influences(&asset, 0);
    assert_eq!(lists[1], [(0, 0.5), (0, 0.0)]);
    assert_eq!(lists[2], [(0, 3.0), (1, -1.0)]);
    assert!(mesh.positions[1].abs_diff_eq(Vec3::Z * 4.0, 1e-6));
    assert!(mesh.positions[2].abs_diff_eq(Vec3::Y * 8.0, 1e-5));
    assert_eq!(notes(&asset), [""; 0]);
}

#[test]
fn a_vertex_without_weights_is_at_the_origin() {
    let asset = read_mesh(&triangle([ORIGIN, &[], ORIGIN])).unwrap();
    assert_eq!(asset.meshes[0].positions[1], Vec3::ZERO);
    assert_eq!(asset.meshes[0].influences.of(1), []);
}

#[test]
fn faces_look_outward_and_v_grows_downwards() {
    let asset = read_mesh(&mesh_text()).unwrap();
    let mesh = &asset.meshes[0];
    assert_eq!(mesh.triangles[0], [0, 1, 2]);
    assert_eq!(mesh.uv_sets[0][4], Vec2::new(0.0, 0.8));
    // The box around the tube: of a closed surface with its front outside, the volume is positive.
    let volume: f32 = mesh
        .triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!(volume > 0.0, "{volume}");
}

#[test]
fn a_mesh_is_named_by_its_name_or_else_by_its_shader() {
    let named = changed(
        &mesh_text(),
        "shader \"tube\"",
        "name \"arm\" shader \"models/tube\"",
    );
    let asset = read_mesh(&named).unwrap();
    assert_eq!(asset.meshes[0].name, "arm");
    assert_eq!(asset.materials[0].name, "models/tube");
    assert_eq!(read_mesh(&mesh_text()).unwrap().meshes[0].name, "tube");
}

#[test]
fn a_material_has_the_image_that_lies_beside() {
    let folder = tempfile::tempdir().unwrap();
    let text = changed(&mesh_text(), "\"tube\"", "\"models/arm/tube\"");
    let image = || {
        let asset = model(&text, folder.path()).unwrap();
        asset.images.first().map(|image| image.name.clone())
    };
    assert_eq!(image(), None);
    fs::write(folder.path().join("tube.tga"), "").unwrap();
    assert_eq!(image().as_deref(), Some("tube.tga"));
    fs::write(folder.path().join("tube_d.tga"), "").unwrap();
    assert_eq!(image().as_deref(), Some("tube_d.tga"));
}
