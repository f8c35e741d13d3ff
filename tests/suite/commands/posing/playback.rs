//! The flags that select a clip and a time.

use super::{Point, assert_near, bake, bending, refuses};

#[test]
fn a_clip_is_selected_by_name_or_index() {
    let by_name = bake("arm.gltf --clip Twist --time 0.5");
    let by_index = bake("arm.gltf --clip 1 --time 0.5");
    assert_eq!(by_name.document, by_index.document);
    assert_eq!(by_name.document["clip"], "Twist");
    let half = 0.5_f64.sqrt();
    by_name.is_arm("arm.gltf", |[x, y, z]: Point| {
        [half * (x + z), y, half * (z - x)]
    });
}

#[test]
fn without_a_clip_named_it_is_the_first_at_its_start() {
    let baked = bake("late_take.fbx");
    assert_eq!(
        (&baked.document["clip"], baked.time()),
        (&"Bend".into(), Some(2.0))
    );
    baked.is_arm("late_take.fbx", bending(0.0));
}

#[test]
fn the_end_of_a_clip_is_its_end_whatever_comes_after() {
    for wrap in ["clamp", "loop"] {
        let baked = bake(&format!("arm.gltf --clip Bend --time 1 --wrap {wrap}"));
        assert_eq!(baked.time(), Some(1.0));
        baked.is_arm("arm.gltf", bending(1.0));
    }
}

#[test]
fn past_the_end_a_clip_holds_its_last_pose_and_a_warning_says_so() {
    for flags in ["", " --wrap clamp"] {
        let baked = bake(&format!("arm.gltf --clip Bend --time 1.5{flags}"));
        assert!(
            baked.run.stderr.starts_with("warning:"),
            "{}",
            baked.run.stderr
        );
        for words in ["\"Bend\" runs from 0 s to 1 s", "at 1 s", "--wrap loop"] {
            baked.run.says(words);
        }
        assert_eq!(baked.time(), Some(1.0));
        let end = bake("arm.gltf --clip Bend --time 1");
        assert_near(&baked.points(), end.points());
    }
}

#[test]
fn before_its_start_a_clip_holds_its_first_pose_and_a_warning_says_how_to_count_from_there() {
    let baked = bake("late_take.fbx --time 1");
    for words in [
        "warning:",
        "runs from 2 s to 3 s",
        "at 2 s",
        "--time N% counts from its start",
    ] {
        baked.run.says(words);
    }
    assert!(!baked.run.stderr.contains("--wrap"), "{}", baked.run.stderr);
    assert_near(&baked.points(), bake("late_take.fbx --time 2").points());
}

#[test]
fn past_its_end_a_loop_goes_on_from_its_start() {
    for (time, expected) in [
        ("1.25", 0.25),
        ("3.75", 0.75),
        ("1", 1.0),
        ("2", 0.0),
        ("3", 0.0),
    ] {
        let baked = bake(&format!("arm.gltf --clip Bend --time {time} --wrap loop"));
        assert_eq!(baked.time(), Some(expected));
        baked.is_arm("arm.gltf", bending(expected));
    }
}

#[test]
fn a_loop_that_starts_late_comes_back_to_where_it_starts() {
    let baked = bake("late_take.fbx --time 3.25 --wrap loop");
    assert_eq!(baked.time(), Some(2.25));
    baked.is_arm("late_take.fbx", bending(0.25));
}

#[test]
fn frames_are_counted_at_the_rate_given_or_the_files_or_thirty_a_second() {
    for (line, expected) in [
        ("arm.gltf --clip Bend --frame 0", 0.0),
        ("arm.gltf --clip Bend --frame 15", 0.5),
        ("arm.gltf --clip Bend --frame 15 --fps 60", 0.25),
        ("arm.fbx --clip Bend --frame 18", 0.75),
        ("arm.fbx --clip Bend --frame 3 --fps 12", 0.25),
    ] {
        let baked = bake(line);
        assert_eq!(baked.time(), Some(expected), "{line}");
        let model = line.split(' ').next().expect("a line has a first word");
        baked.is_arm(model, bending(expected));
    }
}

#[test]
fn a_rate_of_frames_is_taken_however_slow_it_is() {
    let baked = bake("arm.iqm --clip Bend --frame 1");
    assert_eq!(baked.time(), Some(1.0));
}

#[test]
fn frames_count_from_0_s_and_shares_from_where_the_clip_starts() {
    for (flags, expected) in [
        ("--frame 54 --fps 24", 0.25),
        ("--time 0%", 0.0),
        ("--time 75%", 0.75),
        ("--time 100%", 1.0),
    ] {
        let baked = bake(&format!("late_take.fbx {flags}"));
        assert_eq!(baked.time(), Some(2.0 + expected), "{flags}");
        baked.is_arm("late_take.fbx", bending(expected));
    }
}

#[test]
fn a_frame_past_the_end_is_clamped_or_looped_as_a_time_is() {
    let clamped = bake("arm.gltf --clip Bend --frame 45");
    assert!(
        clamped.run.stderr.starts_with("warning:"),
        "{}",
        clamped.run.stderr
    );
    assert_eq!(clamped.time(), Some(1.0));
    let looped = bake("arm.gltf --clip Bend --frame 45 --wrap loop");
    assert_eq!(looped.time(), Some(0.5));
    looped.is_arm("arm.gltf", bending(0.5));
}

#[test]
fn a_time_of_a_model_without_clips_is_its_rest_pose_with_a_warning() {
    for flags in ["--time 0.5", "--frame 3", "--time 50%"] {
        let baked = bake(&format!("arm_mesh_only.fbx {flags}"));
        assert!(
            baked
                .run
                .stderr
                .starts_with("warning: the model has no clip"),
            "{}",
            baked.run.stderr
        );
        assert!(baked.document["clip"].is_null() && baked.time().is_none());
        assert_near(&baked.points(), bake("arm_mesh_only.fbx").points());
    }
}

#[test]
fn a_time_with_a_unit_or_a_comma_is_refused_with_one_as_it_should_be() {
    for given in [
        "--time 0.5s",
        "--time 0,5",
        "--time half",
        "--frame 1 --fps 24fps",
    ] {
        refuses(&format!("arm.gltf {given}"), &["expected", "such as 0.5"]);
    }
}

#[test]
fn one_sample_time_is_all_there_is() {
    refuses("arm.gltf --time 0.5 --frame 3", &["cannot be used with"]);
    refuses("arm.gltf --fps 24", &["--frame"]);
    for other in ["--time 0.5", "--time 50%", "--pose rest"] {
        let line = format!("arm.gltf {other} --fps 24");
        refuses(&line, &["cannot be used with", "--fps"]);
    }
    refuses("arm.gltf --pose rest --time 0.5", &["cannot be used with"]);
    refuses("arm.gltf --pose rest --clip Bend", &["cannot be used with"]);
}
