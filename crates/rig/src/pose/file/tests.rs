use super::*;
use crate::pose::rest;
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{Mesh, MeshId, MeshInstance, MorphTarget};

/// Two joints with rest transforms that are not the identity, and a mesh with one morph target.
fn asset() -> Asset {
    let rest = LocalTransform::Trs(Trs {
        translation: Vec3::new(1.0, 2.0, 3.0),
        rotation: Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        scale: Vec3::splat(2.0),
    });
    let mut asset = asset_of(vec![
        named_joint("hips", None, rest),
        named_joint("upper_arm.L", Some(0), rest),
    ]);
    let smile = MorphTarget {
        name: "smile".into(),
        ..MorphTarget::default()
    };
    asset.meshes.push(Mesh {
        morph_targets: vec![smile],
        ..Mesh::default()
    });
    asset.instances.push(MeshInstance {
        node: NodeId(0),
        mesh: MeshId(0),
        skin: None,
        morph_weights: vec![0.25],
    });
    asset
}

fn applied(text: &str, format: PoseFormat) -> Result<Pose, PoseFileError> {
    let asset = asset();
    let mut pose = rest(&asset);
    PoseFile::parse(text, format)?.apply(&asset, &mut pose)?;
    Ok(pose)
}

fn toml(text: &str) -> Result<Pose, PoseFileError> {
    applied(text, PoseFormat::Toml)
}

#[test]
fn omitted_parts_keep_the_values_of_the_pose() {
    let pose = toml("[joint.\"upper_arm.L\"]\nscale = 3\n").unwrap();
    let before = rest(&asset());
    assert_eq!(pose.locals[0], before.locals[0]);
    let expected = Trs {
        scale: Vec3::splat(3.0),
        ..before.locals[1].to_trs()
    };
    assert_eq!(pose.locals[1], LocalTransform::Trs(expected));
    assert_eq!(pose.morph_weights, before.morph_weights);
}

#[test]
fn the_same_pose_reads_the_same_in_both_languages() {
    let in_toml = "[joint.hips]\ntranslation = [0, 0.5, 1]\nrotation = [0, 0, 2, 0]\nscale = [1, 2, 3]\n[morph]\nsmile = 0.5\n";
    let in_json = r#"{"joint": {"hips": {"translation": [0, 0.5, 1], "rotation": [0, 0, 2, 0], "scale": [1, 2, 3]}},
        "morph": {"smile": 0.5}}"#;
    let pose = toml(in_toml).unwrap();
    assert_eq!(pose, applied(in_json, PoseFormat::Json).unwrap());
    let hips = Trs {
        translation: Vec3::new(0.0, 0.5, 1.0),
        rotation: Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
        scale: Vec3::new(1.0, 2.0, 3.0),
    };
    assert_eq!(pose.locals[0], LocalTransform::Trs(hips));
    assert_eq!(pose.morph_weights, [[0.5]]);
}

#[test]
fn angles_rotate_about_x_then_y_then_z() {
    let pose = toml("[joint.hips]\nrotation_euler_degrees = [90, 0, 90]\n").unwrap();
    let rotated = pose.locals[0].to_trs().rotation * Vec3::Y;
    // About x: y goes to z. About z: z stays.
    assert!(rotated.abs_diff_eq(Vec3::Z, 1e-6), "{rotated}");
}

#[test]
fn a_joint_is_found_by_its_index_too() {
    let pose = toml("[joint.\"#1\"]\nscale = 5\n").unwrap();
    assert_eq!(pose.locals[1].to_trs().scale, Vec3::splat(5.0));
}

fn message(text: &str, format: PoseFormat) -> String {
    applied(text, format).unwrap_err().to_string()
}

#[test]
fn an_unknown_key_is_reported_with_its_location() {
    let in_toml = message("[joint.hips]\nrotate = [0, 0, 0]\n", PoseFormat::Toml);
    assert!(
        in_toml.starts_with("line 2, column 1: unknown field `rotate`"),
        "{in_toml}"
    );
    let in_json = message(
        "{\"joint\": {\"hips\":\n {\"rotate\": 1}}}",
        PoseFormat::Json,
    );
    assert!(
        in_json.starts_with("line 2, column 10: unknown field `rotate`"),
        "{in_json}"
    );
}

#[test]
fn a_vector_of_the_wrong_length_is_reported_with_its_location() {
    let message = message("[joint.hips]\nscale = [1, 2]\n", PoseFormat::Toml);
    assert!(
        message.starts_with("line 2, column 9: expected a number or three"),
        "{message}"
    );
}

#[test]
fn a_name_that_comes_twice_is_an_error_in_both_languages() {
    let in_json = message(r#"{"morph": {"smile": 1, "smile": 0}}"#, PoseFormat::Json);
    assert!(in_json.contains("\"smile\" comes twice"), "{in_json}");
    let in_toml = message("[morph]\nsmile = 1\nsmile = 0\n", PoseFormat::Toml);
    assert!(
        in_toml.starts_with("line 3, column 1: duplicate key"),
        "{in_toml}"
    );
}

#[test]
fn values_that_are_no_transform_are_errors() {
    for (text, expected) in [
        (
            "[joint.hips]\ntranslation = [0, nan, 0]",
            "the translation of \"hips\" is not finite",
        ),
        (
            "[joint.hips]\nscale = 1e300",
            "the scale of \"hips\" is not finite",
        ),
        (
            "[joint.hips]\nrotation = [0, 0, 0, inf]",
            "the rotation of \"hips\" is not finite",
        ),
        (
            "[joint.hips]\nrotation = [0, 0, 0, 0]",
            "the rotation of \"hips\" is a zero quaternion",
        ),
        (
            "[joint.hips]\nrotation = [0, 0, 0, 1]\nrotation_euler_degrees = [0, 0, 0]",
            "\"hips\" has both rotation and rotation_euler_degrees; give only one",
        ),
        (
            "[joint]\nhips.scale = 1\n\"#0\".scale = 1",
            "\"#0\" and \"hips\" name the same joint",
        ),
        (
            "[morph]\nsmile = inf",
            "the weight of \"smile\" is not finite",
        ),
    ] {
        assert_eq!(message(text, PoseFormat::Toml), expected);
    }
}

#[test]
fn unknown_names_are_errors_with_a_suggestion() {
    let joint = message("[joint.Hip]\nscale = 1", PoseFormat::Toml);
    assert_eq!(
        joint,
        "none of the model's 2 joints is named \"Hip\" (did you mean \"hips\"?)"
    );
    let target = message("[morph]\nsmlie = 1", PoseFormat::Toml);
    assert_eq!(
        target,
        "no mesh has a morph target named \"smlie\" (did you mean \"smile\"?)"
    );
}

#[test]
fn a_pose_that_does_not_fit_changes_nothing() {
    let asset = asset();
    let mut pose = rest(&asset);
    let file = PoseFile::parse(
        "[joint.hips]\nscale = 9\n[morph]\nfrown = 1",
        PoseFormat::Toml,
    );
    assert!(file.unwrap().apply(&asset, &mut pose).is_err());
    assert_eq!(pose, rest(&asset));
}

#[test]
fn the_language_follows_the_extension_or_else_the_content() {
    let of = |path: &str, text| PoseFormat::of(Path::new(path), text);
    assert_eq!(of("a.json", ""), PoseFormat::Json);
    assert_eq!(of("a.JSON", ""), PoseFormat::Json);
    assert_eq!(of("a.toml", "{"), PoseFormat::Toml);
    assert_eq!(of("-", " {\"joint\": {}}"), PoseFormat::Json);
    assert_eq!(of("-", "[joint]"), PoseFormat::Toml);
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_document() {
    let json = "\u{feff}{\"joint\": {\"hips\": {\"scale\": 2}}}";
    assert_eq!(PoseFormat::of(Path::new("pose"), json), PoseFormat::Json);
    applied(json, PoseFormat::Json).unwrap();
    applied("\u{feff}[joint.hips]\nscale = 2", PoseFormat::Toml).unwrap();
}
