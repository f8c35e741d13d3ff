use std::fs;

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};

use super::*;
use crate::rig::{DefectKind, Influence};
use crate::units::Seconds;

mod laws;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn mesh_text() -> String {
    fixture("figure.md5mesh")
}

fn clip_text() -> String {
    fixture("figure.md5anim")
}

/// `text` with the first `from` made `to`, which changes it.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn valid(asset: Asset) -> Asset {
    asset.validate().expect("what is not refused is valid");
    asset
}

fn read_mesh(text: &str) -> Result<Asset, Damage> {
    model(text, Path::new("nowhere"), "test").map(valid)
}

fn read_clip(text: &str) -> Result<Asset, Damage> {
    animation(text, "test").map(valid)
}

/// A model and the animation beside it.
fn read_both(mesh: &str, clip: &str) -> Asset {
    let mut asset = read_mesh(mesh).unwrap();
    animate(&mut asset, "walk.md5anim", clip, "test").unwrap();
    valid(asset)
}

fn notes(asset: &Asset) -> Vec<String> {
    let notes = asset.notes.iter();
    let line = |note: &Note| format!("{}: {}", note.place, note.message);
    notes.map(line).collect()
}

/// Where every vertex is, with the weights as they are: in a frame of the clip, or at rest.
fn skinned(asset: &Asset, frame: Option<usize>) -> Vec<Vec3> {
    let worlds = worlds(asset, frame);
    let mut points = Vec::new();
    for instance in &asset.instances {
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance).unwrap());
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let pull = |pull: &Influence| {
                let slot = pull.slot as usize;
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
            let channel = channels.iter().find(|channel| channel.joint == id);
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

/// Two joints above each other, the upper turned by a right angle about x, and a triangle whose vertices have the given weights
/// (joint, bias, point).
fn triangle(weights: [&[(usize, f64, [f64; 3])]; 3]) -> String {
    let mut text = "MD5Version 10\nnumJoints 2\nnumMeshes 1\njoints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\
                    \"high\" 0 ( 0 0 1 ) ( 0.70710678118654752 0 0 )\n}\nmesh {\nshader \"skin\"\nnumverts 3\n"
        .to_owned();
    let mut first = 0;
    for (vertex, list) in weights.iter().enumerate() {
        text += &format!("vert {vertex} ( 0 0 ) {first} {}\n", list.len());
        first += list.len();
    }
    text += &format!("numtris 1\ntri 0 0 1 2\nnumweights {first}\n");
    let all = weights.into_iter().flatten().enumerate();
    for (number, (joint, bias, [x, y, z])) in all {
        text += &format!("weight {number} {joint} {bias} ( {x} {y} {z} )\n");
    }
    text + "}\n"
}

const ORIGIN: &[(usize, f64, [f64; 3])] = &[(0, 1.0, [0.0; 3])];

#[test]
fn a_file_cut_at_any_byte_is_refused_or_read_whole() {
    let (mesh, clip) = (mesh_text(), clip_text());
    for len in 0..mesh.len() {
        assert!(read_mesh(&mesh[..len]).is_err() || len + 2 > mesh.len());
    }
    for len in 0..clip.len() {
        assert!(read_clip(&clip[..len]).is_err() || len + 2 > clip.len());
    }
}

#[test]
fn any_word_of_a_file_may_be_anything() {
    let others = [
        "",
        "{",
        "}",
        "(",
        "\"",
        "-1",
        "0",
        "7",
        "1e400",
        "nan",
        "18446744073709551615",
        "mesh",
        "numJoints 1",
    ];
    let twice = |text: &str, read: fn(&str) -> Result<Asset, Damage>| {
        let words: Vec<&str> = text.split(' ').collect();
        for at in 0..words.len().min(300) {
            for other in others {
                let mut damaged = words.clone();
                damaged[at] = other;
                let _ = read(&damaged.join(" "));
            }
        }
    };
    twice(&mesh_text(), read_mesh);
    twice(&clip_text(), read_clip);
}

#[test]
fn a_refusal_says_which_line_and_what_was_expected() {
    let mesh = mesh_text();
    for (from, to, message) in [
        (
            "Version 10",
            "Version 11",
            "it is of version 11, and only version 10 is known",
        ),
        ("MD5Version", "Version", "it does not begin with MD5Version"),
        (
            "numJoints 3",
            "numJoints 4",
            "line 11: expected the name of a joint, found \"}\"",
        ),
        (
            "numJoints 3",
            "numJoints 2",
            "line 10: expected }, found \"wrist\"",
        ),
        (
            "numJoints 3\n",
            "",
            "line 6: joints needs numJoints before it",
        ),
        (
            "numMeshes 1",
            "numMeshes 2",
            "numMeshes is 2, and there is 1",
        ),
        ("numMeshes 1", "numJoints 3", "line 5: a second numJoints"),
        (
            "\"wrist\" 1",
            "\"wrist\" 3",
            "joint 2 names parent 3, and there are 3",
        ),
        (
            "\"shoulder\" -1",
            "\"shoulder\" 2",
            "joint 0 is its own ancestor",
        ),
        (
            "numverts 24",
            "numverts 18446744073709551615",
            "line 42: expected vert, found \"numtris\"",
        ),
        (
            "numverts 24",
            "numverts many",
            "line 16: expected the number behind numverts, found \"many\"",
        ),
        (
            "vert 3 (",
            "vert 4 (",
            "line 20: expected vert 3, found \"vert 4\"",
        ),
        (
            "vert 0 ( 0 1 ) 0 1",
            "vert 0 ( 0 1 ) 40 1",
            "line 17: vertex 0 of mesh 0 takes weights 40 to 41, and there are 40",
        ),
        (
            "tri 0 0 2 1",
            "tri 0 0 24 1",
            "line 43: triangle 0 takes vertices 24 to 25, and there are 24",
        ),
        (
            "weight 0 0 1",
            "weight 0 3 1",
            "line 89: weight 0 takes joints 3 to 4, and there are 3",
        ),
        (
            "\"tube\"",
            "\"tube",
            "line 14: the text that begins here has no end",
        ),
    ] {
        let refusal = read_mesh(&changed(&mesh, from, to))
            .expect_err(to)
            .to_string();
        assert_eq!(refusal, message, "{to}");
    }
    let clip = clip_text();
    for (from, to, message) in [
        (
            "numFrames 25",
            "numFrames 24",
            "numFrames is 24, and there are 25",
        ),
        ("numFrames 25\n", "", "it has no numFrames"),
        (
            "numAnimatedComponents 9",
            "numAnimatedComponents 8",
            "line 12: joint 2 takes components 6 to 9, and there are 8",
        ),
        (
            "numAnimatedComponents 9",
            "numAnimatedComponents 10",
            "line 53: expected a component, found \"}\"",
        ),
        ("frame 1 {", "frame 2 {", "line 55: expected 1, found \"2\""),
        (
            "baseframe",
            "basepose",
            "line 43: expected a section, a count or frameRate, found \"basepose\"",
        ),
        (
            "\t0 0 0\n",
            "\t0 x 0\n",
            "line 50: expected a component, found \"x\"",
        ),
    ] {
        let refusal = read_clip(&changed(&clip, from, to))
            .expect_err(to)
            .to_string();
        assert_eq!(refusal, message, "{to}");
    }
}

#[test]
fn sharing_without_measure_is_refused() {
    // Every vertex takes all weights.
    let text = mesh_text();
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("vert ") {
            format!("{} 0 40", line.rsplitn(3, ' ').nth(2).unwrap())
        } else {
            line.to_owned()
        }
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(
        read_mesh(&all).unwrap_err().to_string(),
        "the weights of vertices overlap so much that they are 960 in all"
    );
    let joints = 6000;
    let lines = |line: &str| format!("{line}\n").repeat(joints);
    let frames: String = (0..3000).map(|i| format!("frame {i} {{ 0 }}\n")).collect();
    let clip = format!(
        "MD5Version 10 numFrames 3000 numJoints {joints} numAnimatedComponents 1\nhierarchy {{\n{}}}\n\
         baseframe {{\n{}}}\n{frames}",
        lines("\"j\" -1 8 0"),
        lines("( 0 0 0 ) ( 0 0 0 )"),
    );
    assert_eq!(
        read_clip(&clip).unwrap_err().to_string(),
        "the components of joints overlap so much that they are 18006000 in all"
    );
}

#[test]
fn neither_blank_lines_nor_lines_matter() {
    let mesh = read_mesh(&mesh_text()).unwrap();
    let clip = read_clip(&clip_text()).unwrap();
    let dense = |text: String| text.replace("\n\n", "\n");
    let braces = |text: String| text.replace(" {", "\n{");
    let crlf = |text: String| text.replace('\n', "\r\n");
    let one_line = |text: String| text.replace('\n', " ");
    for form in [dense, braces, crlf, one_line] as [fn(String) -> String; 4] {
        assert_eq!(read_mesh(&form(mesh_text())).unwrap(), mesh);
        assert_eq!(read_clip(&form(clip_text())).unwrap(), clip);
    }
}

#[test]
fn a_command_line_may_hold_quotation_marks() {
    let text = changed(
        &mesh_text(),
        "commandline \"\"",
        "commandline \"export \"C:\\my models\\a.mb\" -x\"",
    );
    assert_eq!(read_mesh(&text), read_mesh(&mesh_text()));
}

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
fn weights_that_disagree_on_the_bind_position_each_keep_their_own_and_are_told() {
    let low = [1.0, 0.0, 0.0];
    let text = triangle([
        ORIGIN,
        // (0, 0, 1) from both joints.
        &[(0, 0.5, [0.0, 0.0, 1.0]), (1, 0.5, [0.0; 3])],
        &[(0, 0.25, low), (1, 0.75, [0.0, 4.0, 0.0])],
    ]);
    let mut asset = read_mesh(&text).unwrap();
    let skin = &asset.skins[0];
    assert_eq!(skin.joints, [0, 1, 0, 1].map(JointId));
    let slots = |vertex| {
        asset.meshes[0]
            .influences
            .of(vertex)
            .iter()
            .map(|pull| pull.slot)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [slots(0), slots(1), slots(2)],
        [vec![0], vec![0, 1], vec![2, 3]]
    );
    // The upper joint has y along -z: its point is at (0, 0, -3).
    assert!(asset.meshes[0].positions[2].abs_diff_eq(Vec3::new(0.25, 0.0, -2.25), 1e-6));
    let [note] = &notes(&asset)[..] else {
        panic!("{:?}", asset.notes)
    };
    assert!(
        note.starts_with(
            "mesh \"skin\": the weights of 1 vertex disagree on where it is bound, by up to 2."
        ),
        "{note}"
    );
    let at_bind = skinned(&asset, None);
    assert!(at_bind[2].abs_diff_eq(asset.meshes[0].positions[2], 1e-6));
    // Upright again, the upper joint has y along y.
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"high\" 0 0 0 } \
                baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    animate(&mut asset, "walk.md5anim", clip, "test").unwrap();
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
    let influence = |slot, weight| Influence { slot, weight };
    assert_eq!(
        mesh.influences.of(1),
        [influence(0, 0.5), influence(0, 0.0)]
    );
    assert_eq!(
        mesh.influences.of(2),
        [influence(0, 3.0), influence(1, -1.0)]
    );
    assert!(mesh.positions[1].abs_diff_eq(Vec3::Z * 4.0, 1e-6));
    assert!(
        mesh.positions[2].abs_diff_eq(Vec3::Y * 8.0, 1e-5),
        "{}",
        mesh.positions[2]
    );
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
    assert_eq!(mesh.uv_sets[0][4].to_array(), [0.0, 0.8]);
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
fn a_mesh_is_called_by_its_name_or_else_by_its_shader() {
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
fn a_material_has_the_picture_that_lies_beside() {
    let folder = tempfile::tempdir().unwrap();
    let text = changed(&mesh_text(), "\"tube\"", "\"models/arm/tube\"");
    let picture = || {
        let asset = model(&text, folder.path(), "test").unwrap();
        asset.images.first().map(|image| image.name.clone())
    };
    assert_eq!(picture(), None);
    fs::write(folder.path().join("tube.tga"), "").unwrap();
    assert_eq!(picture().as_deref(), Some("tube.tga"));
    fs::write(folder.path().join("tube_d.tga"), "").unwrap();
    assert_eq!(picture().as_deref(), Some("tube_d.tga"));
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
        "arm.md5anim, which lies beside it: numFrames is 2, and there are 0"
    );
}

#[test]
fn joints_of_an_animation_are_those_of_the_model_by_name() {
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"high\" -1 0 0 \"tail\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&triangle([ORIGIN; 3]), clip);
    let driven: Vec<JointId> = asset.clips[0].channels.iter().map(|c| c.joint).collect();
    assert_eq!(driven, [JointId(1)]);
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
        note.starts_with("file: the animation walk.md5anim beside it is left out: none of"),
        "{note}"
    );
}

#[test]
fn joints_of_one_name_are_told_apart_where_both_files_list_the_same() {
    let mesh = triangle([ORIGIN; 3]).replace("\"high\"", "\"low\"");
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"low\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&mesh, clip);
    let driven: Vec<JointId> = asset.clips[0].channels.iter().map(|c| c.joint).collect();
    assert_eq!(driven, [JointId(0), JointId(1)]);
    assert_eq!(notes(&asset), [""; 0]);
}

#[test]
fn joints_may_come_before_their_parents() {
    let text = "MD5Version 10 numJoints 2 numMeshes 1 joints { \"high\" 1 ( 0 0 3 ) ( 0 0 0 ) \
                \"low\" -1 ( 0 0 1 ) ( 0 0 0 ) } mesh { shader \"a\" numverts 1 vert 0 ( 0 0 ) 0 1 \
                numtris 0 numweights 1 weight 0 0 1 ( 0 0 1 ) }";
    let asset = read_mesh(text).unwrap();
    let joints = asset.skeleton.joints();
    assert_eq!([&*joints[0].name, &*joints[1].name], ["low", "high"]);
    assert_eq!(asset.skins[0].joints, [JointId(1), JointId(0)]);
    assert_eq!(skinned(&asset, None), [Vec3::Z * 4.0]);
}

#[test]
fn what_is_no_rotation_and_no_number_is_told() {
    let told = |asset: &Asset| crate::import::testing::told(&asset.evidence);
    assert_eq!(told(&read_both(&mesh_text(), &clip_text())), [""; 0]);
    let long = changed(
        &mesh_text(),
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 0 )",
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 1.5 )",
    );
    assert_eq!(
        told(&read_mesh(&long).unwrap()),
        ["NonunitRotation joint \"elbow\": the quaternion has length 1.5, not 1 (x1)"]
    );
    let clip = changed(&clip_text(), "frame 2 {\n\t0 0 0", "frame 2 {\n\t0 nan 0");
    let clip = changed(&clip, "frame 3 {\n\t0 0 0", "frame 3 {\n\t0 0 2");
    assert_eq!(
        told(&read_both(&mesh_text(), &clip)),
        [
            "NonfiniteKey joint \"shoulder\", clip \"animation_0\" at 0.083 s: frame 2 is NaN or infinite (x1)",
            "NonunitKey joint \"shoulder\", clip \"animation_0\" at 0.125 s, rotation: the quaternion of frame 3 has length 2, not 1 (x1)",
        ]
    );
    assert!(
        read_mesh(&mesh_text())
            .unwrap()
            .evidence
            .examines(DefectKind::NegativeWeight)
    );
}
