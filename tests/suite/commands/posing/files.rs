//! Poses without a clip: the rest pose, the bind pose, and poses from files.

use super::{Baked, NEAR, Point, assert_near, bake, bent, blend, refuses, shares};
use crate::folder::Folder;

/// A pose document in its own folder, whose path has no space.
struct Document {
    folder: Folder,
    name: &'static str,
}

impl Document {
    fn new(name: &'static str, text: &str) -> Self {
        let folder = Folder::new();
        folder.write(name, text);
        Self { folder, name }
    }

    fn path(&self) -> String {
        self.folder.path(self.name).display().to_string()
    }

    fn flag(&self) -> String {
        format!("--pose {}", self.path())
    }

    #[track_caller]
    fn bake(&self, model: &str) -> Baked {
        bake(&format!("{model} {}", self.flag()))
    }

    /// Refused before the model is read, whose name is not part of the message.
    #[track_caller]
    fn is_no_pose(&self, words: &[&str]) {
        let named = self.path();
        let words = [words, &[named.as_str()]].concat();
        refuses(&format!("arm.gltf {}", self.flag()), &words);
    }

    #[track_caller]
    fn is_refused(&self, words: &[&str]) {
        let named = self.path();
        let words = [words, &["arm.gltf", &named]].concat();
        refuses(&format!("arm.gltf {}", self.flag()), &words);
    }
}

/// Six rings of four corners.
fn is_corner_of_the_arm([x, y, z]: Point) -> bool {
    let at_side = |along: f64| (along.abs() - 0.25).abs() < NEAR;
    at_side(x) && at_side(z) && (0.0..=2.5).contains(&y) && (2.0 * y).fract() == 0.0
}

#[test]
fn bound_is_as_the_mesh_is_and_at_rest_as_the_nodes_are() {
    let (bind, rest) = (
        bake("rotated_root.gltf --pose bind"),
        bake("rotated_root.gltf --pose rest"),
    );
    assert!(bind.document["clip"].is_null() && rest.document["clip"].is_null());
    assert!(bind.points().into_iter().all(is_corner_of_the_arm));
    // The root rotates by -90° about x, scales by 2, and moves by 3 along x.
    let converted = |[x, y, z]: Point| [3.0 + 2.0 * x, 2.0 * z, -2.0 * y];
    assert_near(&rest.points(), bind.points().into_iter().map(converted));
}

#[test]
fn a_pose_in_toml_rotates_the_joints_that_it_names() {
    let pose = Document::new(
        "pose.toml",
        "[joint.elbow]\nrotation_euler_degrees = [0, 0, 60]\n\n[joint.wrist]\nrotation = [0, 0, 1, 1]\n",
    );
    let baked = pose.bake("arm.gltf");
    assert!(baked.document["clip"].is_null() && baked.time().is_none());
    baked.is_arm("arm.gltf", |point| bent(point, [60.0, 90.0]));
}

#[test]
fn a_pose_in_json_says_the_same() {
    let pose = Document::new(
        "pose.json",
        r#"{"joint": {"elbow": {"rotation_euler_degrees": [0, 0, 60]}, "wrist": {"rotation": [0, 0, 1, 1]}}}"#,
    );
    pose.bake("arm.gltf")
        .is_arm("arm.gltf", |point| bent(point, [60.0, 90.0]));
}

#[test]
fn a_byte_order_mark_before_a_pose_is_not_part_of_it() {
    for (name, text) in [
        (
            "pose.json",
            r#"{"joint": {"elbow": {"rotation_euler_degrees": [0, 0, 60]}}}"#,
        ),
        (
            "pose",
            r#"{"joint": {"elbow": {"rotation_euler_degrees": [0, 0, 60]}}}"#,
        ),
        (
            "pose.toml",
            "joint.elbow.rotation_euler_degrees = [0, 0, 60]",
        ),
    ] {
        let pose = Document::new(name, &format!("\u{feff}{text}"));
        pose.bake("arm.gltf")
            .is_arm("arm.gltf", |point| bent(point, [60.0, 0.0]));
    }
}

#[test]
fn a_pose_moves_and_scales_what_it_names_by_index_too() {
    let pose = Document::new(
        "pose",
        "[joint.\"#2\"]\ntranslation = [0, 1.5, 0.25]\nscale = [2, 1, 3]\n",
    );
    let moved = |point: Point| {
        let [x, y, z] = point;
        let wrist = [2.0 * x, y + 0.5, 3.0 * z + 0.25];
        blend(shares(point), [point, point, wrist])
    };
    pose.bake("arm.gltf").is_arm("arm.gltf", moved);
}

#[test]
fn a_joint_that_the_model_lacks_is_refused_with_the_nearest() {
    let toml = Document::new("pose.toml", "[joint.elbwo]\nscale = 2\n");
    toml.is_refused(&[
        "\"elbwo\"",
        "did you mean \"elbow\"?",
        "inspect MODEL --joints",
    ]);
    let json = Document::new("pose.json", r#"{"joint": {"elbwo": {"scale": 2}}}"#);
    json.is_refused(&["\"elbwo\"", "did you mean \"elbow\"?"]);
}

#[test]
fn an_unknown_key_is_refused_with_its_location() {
    let toml = Document::new("pose.toml", "[joint.elbow]\n\nrotate = [0, 0, 0, 1]\n");
    toml.is_no_pose(&["line 3, column 1: ", "`rotate`", "`rotation`"]);
    let json = Document::new("pose.json", "{\"joint\": {\n  \"elbow\": {\"rotate\": 1}}}");
    json.is_no_pose(&["line 2, column 20: ", "`rotate`", "`rotation`"]);
}

#[test]
fn a_quaternion_of_zeros_is_refused() {
    let toml = Document::new("pose.toml", "[joint.elbow]\nrotation = [0, 0, 0, 0]\n");
    toml.is_no_pose(&["the rotation of \"elbow\" is a zero quaternion"]);
    let json = Document::new(
        "pose.json",
        r#"{"joint": {"elbow": {"rotation": [0, 0, 0, 0]}}}"#,
    );
    json.is_no_pose(&["the rotation of \"elbow\" is a zero quaternion"]);
}

#[test]
fn a_pose_that_is_not_a_file_is_refused_with_the_names_that_need_none() {
    refuses(
        "arm.gltf --pose rset",
        &["--pose rset", "`rest` and `bind`"],
    );
}

#[test]
fn a_joint_is_rotated_as_findings_name_it() {
    let baked = bake("arm.gltf --pose rom:elbow:z:+60");
    baked.is_arm("arm.gltf", |point| bent(point, [60.0, 0.0]));
    refuses(
        "arm.gltf --pose rom:elbow:60",
        &["expected rom:JOINT:AXIS:DEGREES"],
    );
    refuses(
        "arm.gltf --pose rom:elbo:z:60",
        &["did you mean \"elbow\"?"],
    );
}
