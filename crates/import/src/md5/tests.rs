mod damage;

use std::fmt::Write;
use std::fs;

use glam::{DMat4, DVec3, Mat4, Quat, Vec2, Vec3};

use super::*;
use crate::rig::{Influence, NodeId};
use crate::testing::{changed, influences, notes, text};
use crate::units::Seconds;

fn mesh_text() -> String {
    text("figure.md5mesh")
}

fn clip_text() -> String {
    text("figure.md5anim")
}

fn valid(asset: Asset) -> Asset {
    asset.validate().expect("what is not refused is valid");
    asset
}

fn read_mesh(text: &str) -> Result<Asset, ImporterError> {
    resolve(model(text, Path::new("nowhere"))?).map(valid)
}

fn read_clip(text: &str) -> Result<Asset, ImporterError> {
    resolve(animation(text)?).map(valid)
}

/// A model and the animation beside it.
fn read_both(mesh: &str, clip: &str) -> Asset {
    let mut asset = read_mesh(mesh).unwrap();
    animate(&mut asset, "walk.md5anim", read_clip(clip).unwrap());
    valid(asset)
}

/// Where every vertex is, with the weights as they are: in a frame of the clip, or at rest.
fn skinned(asset: &Asset, frame: Option<usize>) -> Vec<Vec3> {
    let worlds = worlds(asset, frame);
    let mut points = Vec::new();
    for instance in &asset.instances {
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance).unwrap());
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let pull = |pull: &Influence| {
                let slot = pull.slot.index();
                let world = worlds[skin.joints[slot].index()];
                let matrix = world * skin.inverse_bind_matrices[slot].as_dmat4();
                matrix.transform_point3(position.as_dvec3()) * f64::from(pull.weight)
            };
            let sum: DVec3 = mesh.influences.of(vertex).iter().map(pull).sum();
            points.push(sum.as_vec3());
        }
    }
    points
}

fn worlds(asset: &Asset, frame: Option<usize>) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::new();
    for (id, joint) in asset.skeleton.iter() {
        let mut local = joint.rest.to_trs();
        let clip = frame.map(|frame| (frame, &asset.clips[0].channels));
        if let Some((frame, channel)) = clip.and_then(|(frame, channels)| {
            let channel = channels.iter().find(|channel| channel.node == id);
            Some((frame, channel?))
        }) {
            let translation = &channel.translation.as_ref().unwrap().keys;
            let rotation = &channel.rotation.as_ref().unwrap().keys;
            local.translation = translation[frame.min(translation.len() - 1)].value;
            local.rotation = rotation[frame.min(rotation.len() - 1)].value;
        }
        let local = local.to_matrix().as_dmat4();
        let above = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(above.unwrap_or(DMat4::IDENTITY) * local);
    }
    worlds
}

/// Two joints above each other, the upper rotated by a right angle about x, and a triangle whose vertices have the
/// given weights (joint, bias, point).
fn triangle(weights: [&[(usize, f64, [f64; 3])]; 3]) -> String {
    let mut text = "MD5Version 10\nnumJoints 2\nnumMeshes 1\njoints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\
                    \"high\" 0 ( 0 0 1 ) ( 0.70710678118654752 0 0 )\n}\nmesh {\nshader \"skin\"\nnumverts 3\n"
        .to_owned();
    let mut first = 0;
    for (vertex, list) in weights.iter().enumerate() {
        let _ = writeln!(text, "vert {vertex} ( 0 0 ) {first} {}", list.len());
        first += list.len();
    }
    let _ = writeln!(text, "numtris 1\ntri 0 0 1 2\nnumweights {first}");
    let all = weights.into_iter().flatten().enumerate();
    for (number, (joint, bias, [x, y, z])) in all {
        let _ = writeln!(text, "weight {number} {joint} {bias} ( {x} {y} {z} )");
    }
    text + "}\n"
}

const ORIGIN: &[(usize, f64, [f64; 3])] = &[(0, 1.0, [0.0; 3])];

#[test]
fn a_clip_without_any_animated_component_is_the_base_frame() {
    let mesh = triangle([
        ORIGIN,
        &[(1, 1.0, [1.0, 0.0, 0.0])],
        &[(1, 1.0, [0.0, 1.0, 0.0])],
    ]);
    let clip = "MD5Version 10 numFrames 3 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"high\" 0 0 0 } \
                baseframe { ( 5 0 0 ) ( 0 0 0 ) ( 0 0 3 ) ( 0 0 0 ) } frame 0 {} frame 1 {} frame 2 {}";
    let asset = read_both(&mesh, clip);
    assert_eq!(asset.clips[0].end, Seconds(0.2));
    for frame in 0..3 {
        let points = skinned(&asset, Some(frame));
        let expected = [[5.0, 0.0, 0.0], [6.0, 0.0, 3.0], [5.0, 1.0, 3.0]].map(Vec3::from);
        for (point, expected) in points.iter().zip(expected) {
            assert!(point.abs_diff_eq(expected, 1e-6), "{frame}: {points:?}");
        }
    }
}

#[test]
fn a_component_that_is_not_flagged_keeps_the_base_frame() {
    let clip = "MD5Version 10 numFrames 2 numJoints 1 frameRate 10 numAnimatedComponents 2 \
                hierarchy { \"low\" -1 18 0 } baseframe { ( 1 2 3 ) ( 0.1 0.2 0.3 ) } \
                frame 0 { 7 0.4 } frame 1 { 8 0.5 }";
    let asset = read_clip(clip).unwrap();
    let channel = &asset.clips[0].channels[0];
    let translation = &channel.translation.as_ref().unwrap().keys;
    let values = [translation[0].value, translation[1].value];
    assert_eq!(values, [Vec3::new(1.0, 7.0, 3.0), Vec3::new(1.0, 8.0, 3.0)]);
    let rotation = channel.rotation.as_ref().unwrap().keys[1].value;
    let expected = Quat::from_xyzw(0.1, 0.5, 0.3, -(1.0 - 0.35_f32).sqrt());
    assert!(rotation.abs_diff_eq(expected, 1e-6), "{rotation}");
}

#[test]
fn a_clip_runs_at_its_own_rate() {
    for (line, stated, end) in [
        ("frameRate 24\n", 24.0, 1.0),
        ("frameRate 12.5 // as in the game\n", 12.5, 1.92),
        ("frameRate 0\n", 0.0, 24.0 / 25.0),
        ("", 0.0, 24.0 / 25.0),
    ] {
        let text = changed(&clip_text(), "frameRate 24\n", line);
        let asset = read_clip(&text).unwrap();
        let clip = &asset.clips[0];
        assert_eq!(clip.rate.stated, Some(stated), "{line:?}");
        assert!((clip.end.0 - end).abs() < 1e-12, "{line:?}: {}", clip.end);
        let noted = notes(&asset);
        assert_eq!(noted.is_empty(), stated > 0.0, "{noted:?}");
    }
}

#[test]
fn the_animation_beside_a_model_is_its_clip() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("arm.md5mesh");
    fs::write(&mesh, mesh_text()).unwrap();
    assert_eq!(Md5.import(&mesh).unwrap().clips, []);
    let clip = folder.path().join("arm.md5anim");
    fs::write(&clip, clip_text()).unwrap();
    let [both, alone] = [&mesh, &clip].map(|path| Md5.import(path).unwrap());
    assert_eq!(both.clips.len(), 1);
    assert_eq!(both.clips, alone.clips);
    fs::write(&clip, "MD5Version 10\nnumFrames 2").unwrap();
    assert_eq!(
        Md5.import(&mesh).unwrap_err().to_string(),
        "arm.md5anim, next to it: numFrames is 2, but there are 0"
    );
}

#[test]
fn joints_of_an_animation_are_those_of_the_model_by_name() {
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"high\" -1 0 0 \"tail\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&triangle([ORIGIN; 3]), clip);
    let driven: Vec<NodeId> = asset.clips[0].channels.iter().map(|c| c.node).collect();
    assert_eq!(driven, [NodeId(1)]);
    assert!(
        notes(&asset).iter().any(|note| note.contains("tail")),
        "{:?}",
        asset.notes
    );
    let strange = read_both(&triangle([ORIGIN; 3]), &clip.replace("high", "head"));
    assert_eq!(strange.clips, []);
    let [note] = &notes(&strange)[..] else {
        panic!("{:?}", strange.notes)
    };
    assert!(
        note.starts_with(
            "file: the animation walk.md5anim next to it is skipped: no joint of the animation is"
        ),
        "{note}"
    );
}

#[test]
fn joints_of_one_name_are_distinguished_where_both_files_list_the_same() {
    let mesh = triangle([ORIGIN; 3]).replace("\"high\"", "\"low\"");
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"low\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&mesh, clip);
    let driven: Vec<NodeId> = asset.clips[0].channels.iter().map(|c| c.node).collect();
    assert_eq!(driven, [NodeId(0), NodeId(1)]);
    assert_eq!(notes(&asset), [""; 0]);
}

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
    let slots: Vec<Vec<u32>> = lists
        .iter()
        .map(|list| list.iter().map(|pair| pair.0).collect())
        .collect();
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
