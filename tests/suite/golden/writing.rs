//! Damaged approvals, folders that cannot be written, two parallel runs, and a run that is killed.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::{CONFIG, FOLDER, Project};
#[cfg(target_os = "linux")]
use crate::hostile::limits::limited;
use crate::program::command_in;

const NUMBERS: &str = "models/arm.gltf.approved/poses.skref";
const IMAGE: &str = "models/arm.gltf.approved/Bend-0.333s-three-quarter.png";

/// Expects exit code 2 with these words on the model's line, and that nothing is written.
#[track_caller]
fn refuses(project: &Project, words: &[&str]) {
    let before = project.stored();
    let run = project.run("test");
    run.exits(2);
    for word in words {
        run.prints(word);
    }
    run.says("1 of 1 models could not be tested");
    assert_eq!(project.stored(), before);
}

#[test]
fn a_damaged_approval_is_named_with_what_to_do() {
    let project = Project::approved();
    let whole = project.read(NUMBERS);
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &changed, b"", b"hello"] {
        project.write(NUMBERS, damaged);
        refuses(
            &project,
            &[
                "FAILED: models/arm.gltf.approved/poses.skref",
                "restore it from version control",
            ],
        );
    }
    project.write(NUMBERS, &whole);
    let image = project.read(IMAGE);
    project.write(IMAGE, &image[..image.len() / 2]);
    refuses(
        &project,
        &[
            "Bend-0.333s-three-quarter.png",
            "restore it from version control",
        ],
    );
}

#[test]
fn a_pointer_of_git_lfs_is_not_taken_for_an_approval() {
    let project = Project::approved();
    project.write(
        NUMBERS,
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    );
    refuses(&project, &["git lfs pull"]);
    let run = project.run("accept");
    assert_eq!(run.code, Some(2), "it is not overwritten: {}", run.stderr);
}

#[test]
fn a_missing_image_or_file_of_numbers_is_not_approved() {
    let project = Project::approved();
    fs::remove_file(project.path(IMAGE)).expect("it is there");
    let run = project.run_with("test", Some("1"));
    let words = "Bend-0.333s-three-quarter.png: not approved yet";
    run.exits(1).prints(words);
    fs::remove_file(project.path(NUMBERS)).expect("it is there");
    project.run_with("test", Some("1")).exits(1);
    project.run("accept").ok();
    project.run_with("test", Some("1")).ok();
}

#[test]
fn a_model_that_cannot_be_read_fails_and_the_others_are_tested() {
    let project = Project::approved();
    project.write("models/broken.gltf", "{");
    let run = project.run("test");
    run.exits(2)
        .prints("models/arm.gltf: same")
        .prints("models/broken.gltf: FAILED");
    project.run("accept").refuses("models/broken.gltf");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named_and_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    // A file in the way refuses even root, who has all permissions.
    project.write(FOLDER, "mine");
    let run = project.run("accept");
    run.refuses(FOLDER);
    assert_eq!(project.read(FOLDER), b"mine");
    fs::remove_file(project.path(FOLDER)).expect("it is there");
    let closed = fs::Permissions::from_mode(0o555);
    fs::set_permissions(project.path("models"), closed).expect("it is ours");
    let run = project.run("accept");
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(project.path("models"), open).expect("it is ours");
    if run.code != Some(0) {
        run.exits(2);
        let words = format!("cannot create {FOLDER}; check its permissions");
        run.says(&words);
        assert!(project.stored().is_empty());
    }
}

/// `accept` must not write where a link leads, nor `test` show what is there.
#[cfg(unix)]
#[test]
fn links_and_pipes_are_no_approvals() {
    use std::os::unix::fs::symlink;
    let words = "approvals must be regular files in regular folders";
    let project = Project::approved();
    let other = project.path("other");
    fs::write(&other, project.read(IMAGE)).expect("it is writable");
    for name in [IMAGE, NUMBERS] {
        let path = project.path(name);
        let before = project.read(name);
        for target in ["other", "missing"] {
            fs::remove_file(&path).expect("it is there");
            symlink(project.path(target), &path).expect("links can be made");
            project.run("test").exits(2).prints(words);
            project.run("accept").refuses(words);
        }
        fs::remove_file(&path).expect("it is there");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let run = project.run("test --report html=out.html");
        run.exits(2).prints(words);
        fs::remove_file(&path).expect("it is there");
        project.write(name, before);
    }
    assert_eq!(fs::read(&other).expect("it is there"), project.read(IMAGE));
    assert!(!project.path("missing").exists());
    let folder = project.path(FOLDER);
    fs::remove_dir_all(&folder).expect("it is there");
    for target in ["models", "missing"] {
        symlink(project.path(target), &folder).expect("links can be made");
        project.run("test").exits(2).prints(words);
        project.run("accept").refuses(words);
        fs::remove_file(&folder).expect("it is there");
    }
    project.write("skincheck.toml", format!("approved = \"all\"\n{CONFIG}"));
    fs::create_dir(project.path("all")).expect("folders can be made");
    symlink(project.path("models"), project.path("all/models")).expect("links can be made");
    project.run("accept").refuses(words);
    assert!(!folder.exists());
}

/// An orphaned pipe is not ours, and reading it would not end.
#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_that_is_not_tested_is_not_read() {
    let project = Project::approved();
    let folder = project.path("models/gone.gltf.approved");
    fs::create_dir(&folder).expect("folders can be made");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("a.png"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    project.run_with("test", Some("1")).ok();
}

/// Each image has 8192 by 8192 pixels in 8 kB.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_large_images_takes_the_memory_of_none() {
    let project = Project::approved();
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, 1 << 13, 1 << 13);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().expect("the header is right");
    let black = vec![0; 1 << 23];
    writer.write_image_data(&black).expect("it is as large");
    writer.finish().expect("it is complete");
    for number in 0..40 {
        project.write(&format!("{FOLDER}/{number}.png"), &image);
    }
    project.write(IMAGE, &image);
    let limits = "export MALLOC_ARENA_MAX=1; ulimit -v 700000";
    let run = limited(&project.0, limits, "test");
    run.exits(1).prints("8192x8192");
}

#[test]
fn two_runs_at_once_leave_what_one_leaves() {
    let alone = Project::approved();
    let project = Project::new();
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let mut command = command_in(project.0.root());
            command
                .arg("accept")
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts")
        })
        .collect();
    for mut run in runs {
        assert!(run.wait().expect("it ends").success());
    }
    assert_eq!(project.stored(), alone.stored());
}

#[test]
fn a_run_that_is_killed_leaves_whole_files_alone() {
    let alone = Project::approved().stored();
    for delay in [20, 60, 120, 200, 300, 450] {
        let project = Project::new();
        let mut command = command_in(project.0.root());
        command.arg("accept").stderr(Stdio::null());
        let mut run = command.spawn().expect("it starts");
        thread::sleep(Duration::from_millis(delay));
        let _ = run.kill();
        run.wait().expect("it ends");
        for file in project.stored() {
            let name = &file.0;
            // On file systems without unnamed files, a temporary file may remain.
            assert!(
                alone.contains(&file) || name.starts_with(".skincheck-"),
                "{delay} ms: {name}"
            );
        }
        project.run("accept").ok();
        project.run_with("test", Some("1")).ok();
    }
}

#[test]
fn a_report_never_overwrites_the_configuration_or_a_model() {
    let project = Project::approved();
    for (target, name) in [
        ("junit=skincheck.toml", "skincheck.toml"),
        ("json=models/arm.gltf", "models/arm.gltf"),
    ] {
        let before = project.read(name);
        project
            .run(&format!("test --report {target}"))
            .refuses("it is the input");
        assert_eq!(project.read(name), before);
    }
}
