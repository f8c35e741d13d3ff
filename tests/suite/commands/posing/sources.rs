//! Clips from other files, limits on reading, and `--quiet`.

use std::fs;

use super::{Point, assert_near, bake, bending, refuses};
use crate::folder::Folder;
use crate::program::skincheck;

#[test]
fn clips_of_another_file_move_the_joints_of_the_same_name() {
    for (time, at) in [("0", 0.0), ("0.25", 0.25), ("0.5", 0.5), ("1", 1.0)] {
        let line = format!("arm_mesh_only.fbx --animation arm_anim_only.fbx --quiet --time {time}");
        let baked = bake(&line);
        assert_eq!(
            (&baked.document["clip"], baked.time()),
            (&"Bend".into(), Some(at))
        );
        baked.is_arm("arm_mesh_only.fbx", bending(at));
    }
}

#[test]
fn an_animation_without_a_mesh_is_the_one_that_the_importer_finds_beside_it() {
    for time in ["0", "0.25", "1"] {
        let own = bake(&format!("figure.md5mesh --quiet --time {time}"));
        let given = bake(&format!(
            "figure.md5mesh --animation figure.md5anim --quiet --time {time}"
        ));
        assert_eq!(own.time(), given.time());
        assert_eq!(own.document["nodes"], given.document["nodes"]);
        assert_near(&given.points(), own.points());
        let at = time.parse().expect("it is a number");
        // In the file's space, where +Z is up, the arm's x is along y and its z along x.
        let bent = |[x, y, z]: Point| {
            let [across, up, ahead] = bending(at)([y, z, x]);
            [ahead, across, up]
        };
        given.is_arm("figure.md5mesh --quiet", bent);
    }
}

#[test]
fn quiet_says_nothing_where_all_went_well() {
    let warned = skincheck("bake arm.gltf --clip Bend --time 9 -o -").ok();
    let quiet = skincheck("bake arm.gltf --clip Bend --time 9 -o - --quiet").ok();
    assert!(!warned.stderr.is_empty());
    assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", warned.stdout));
    let folder = Folder::new();
    let bake = "bake fixtures/arm.gltf -o arm.json";
    assert!(!folder.run(bake).ok().stderr.is_empty());
    let baked = folder.path("arm.json");
    fs::remove_file(&baked).expect("it was written");
    assert_eq!(folder.run(&format!("-q {bake}")).ok().stderr, "");
    assert!(baked.exists());
}

#[test]
fn quiet_still_says_what_went_wrong() {
    refuses("nowhere.gltf --quiet", &["error:", "nowhere.gltf"]);
}

#[test]
fn limits_that_leave_nothing_are_refused() {
    let timeout = "expected a number of seconds above 0";
    for given in ["0", "0.0", "-1", "NaN", "inf"] {
        let line = format!("arm.gltf --timeout {given}");
        refuses(&line, &["--timeout", timeout]);
    }
    let memory = "expected a whole number, 16 or more";
    for given in ["0", "-1", "1.5", "15"] {
        let line = format!("arm.gltf --memory {given}");
        refuses(&line, &["--memory", given, memory]);
    }
}
