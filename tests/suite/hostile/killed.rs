//! Programs that are killed, or run at the same time, leave whole files and the same verdicts.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use super::Random;
use crate::folder::Folder;
use crate::program::{Run, arguments, command_in};

/// What is run, and the files that it writes.
const LINES: [(&str, &[&str]); 4] = [
    (
        "check . --cache cache --report json=report.json --write-baseline accepted.json --exit-zero",
        &["report.json", "accepted.json"],
    ),
    ("film walker.glb -o walk.gif --size 64x64", &["walk.gif"]),
    ("render walker.glb -o walker.png", &["walker.png"]),
    ("bake walker.glb -o pose.json", &["pose.json"]),
];

fn is_whole(name: &str, bytes: &[u8]) -> bool {
    match name.rsplit_once('.') {
        Some((_, "json")) => serde_json::from_slice::<serde_json::Value>(bytes).is_ok(),
        Some((_, "gif")) => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        _ => bytes.starts_with(b"\x89PNG") && bytes[..bytes.len() - 4].ends_with(b"IEND"),
    }
}

#[test]
fn a_killed_program_leaves_whole_files_and_no_others() {
    let folder = Folder::of(&["walker.glb", "arm.gltf"]);
    let inputs = fs::read_dir(folder.root()).expect("it is there").count();
    let mut random = Random(1);
    for (line, files) in LINES.iter().cycle().take(24) {
        let mut command = command_in(folder.root());
        command.env_remove("SKINCHECK_NO_CACHE");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command
            .args(arguments(line))
            .spawn()
            .expect("the binary under test starts");
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        child.kill().expect("it is a child");
        child.wait().expect("it has ended");
        for name in files.iter().filter(|name| folder.path(name).exists()) {
            assert!(is_whole(name, &folder.bytes(name)), "{name}");
        }
    }
    for (line, files) in LINES {
        let mut command = command_in(folder.root());
        command.env_remove("SKINCHECK_NO_CACHE");
        Run::of(command.args(arguments(line))).ok();
        assert!(files.iter().all(|name| is_whole(name, &folder.bytes(name))));
    }
    let written: usize = LINES.iter().map(|(_, files)| files.len()).sum();
    let left = fs::read_dir(folder.root()).expect("it is there").count();
    assert_eq!(left, inputs + written + 1, "and the cache");
}

/// Runs a line three times at once. Each does what one does alone.
fn three_at_once(folder: &Folder, line: &str, alone: &Run) {
    let start = |_| {
        let mut command = command_in(folder.root());
        command.env_remove("SKINCHECK_NO_CACHE");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.args(arguments(line)).spawn();
        (command, child.expect("the binary under test starts"))
    };
    for (command, run) in [0, 1, 2].map(start) {
        let run = Run::ended(&command, run.wait_with_output().expect("it ends"));
        assert_eq!(run.code, alone.code, "{line}: {}", run.stderr);
        assert!(run.stdout == alone.stdout, "{line}: {}", run.text());
    }
}

#[test]
fn runs_at_once_share_a_cache() {
    let names = [
        "walker.glb",
        "arm.gltf",
        "rules/W103.gltf",
        "rules/clean.gltf",
    ];
    let folder = Folder::of(&names);
    let alone = folder.run("check . --no-cache --format json");
    for _ in 0..3 {
        three_at_once(&folder, "check . --cache verdicts --format json", &alone);
    }
}

#[test]
fn runs_at_once_share_a_folder_of_images_and_a_page() {
    let folder = Folder::of(&["rules/W103.gltf", "rules/W112.gltf", "arm.gltf"]);
    let line =
        "check . --no-cache --exit-zero --artifacts images --report html=page.html --format json";
    let alone = folder.run(line).ok();
    let images = fs::read_dir(folder.path("images")).expect("it is there");
    let before: Vec<_> = images
        .map(|image| image.expect("it is there").path())
        .collect();
    let page = folder.bytes("page.html");
    let image = fs::read(&before[0]).expect("it is there");
    for _ in 0..3 {
        // Of earlier runs, which all three remove.
        for number in 10..99 {
            folder.write(format!("images/old-{number}-W103.png"), &image);
        }
        three_at_once(&folder, line, &alone);
        assert!(before.iter().all(|image| image.exists()) && folder.bytes("page.html") == page);
    }
}

#[test]
fn runs_at_once_share_approvals() {
    let folder = Folder::of(&["walker.glb", "arm.gltf"]);
    folder.write("skincheck.toml", "[[test]]\nmodel = \"*.g*\"\n");
    for size in ["64x64", "48x80", "80x48"] {
        let test = format!("[[test]]\nmodel = \"*.g*\"\nsize = \"{size}\"\n");
        folder.write("skincheck.toml", test);
        let alone = Folder::of(&["walker.glb", "arm.gltf"]);
        alone.write("skincheck.toml", folder.bytes("skincheck.toml"));
        three_at_once(&folder, "accept", &alone.run("accept").ok());
        let approved = alone.run("test --format json").ok();
        three_at_once(&folder, "test --format json", &approved);
    }
}

/// A reader that crashes on a model does so again. The program in its place counts how often it is started.
#[cfg(unix)]
#[test]
fn a_crash_of_a_reader_is_not_tried_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::of(&["arm.x", "arm.fbx"]);
    folder.write("crash", "#!/bin/sh\necho >> starts\nkill -SEGV $$\n");
    let program = folder.path("crash");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is there");
    for (line, starts) in [
        ("check . --report html=page.html --artifacts images", 2),
        ("crosscheck arm.x arm.fbx", 2),
        ("render arm.x -o out.png", 1),
        ("diff arm.fbx arm.fbx", 1),
        ("view arm.fbx -o out.html", 1),
    ] {
        folder.write("starts", "");
        let mut command = command_in(folder.root());
        command.env("SKINCHECK_BINARY", &program);
        let run = Run::of(command.args(arguments(line)));
        run.exits(2);
        assert!(format!("{}{}", run.text(), run.stderr).contains("crashed with SIGSEGV"));
        assert_eq!(folder.read("starts").lines().count(), starts, "{line}");
    }
}
