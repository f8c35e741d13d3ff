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

#[test]
fn two_runs_at_once_share_a_cache() {
    let names = [
        "walker.glb",
        "arm.gltf",
        "rules/W103.gltf",
        "rules/clean.gltf",
    ];
    let folder = Folder::of(&names);
    let alone = folder.run("check . --no-cache --format json");
    let line = "check . --cache verdicts --format json";
    for _ in 0..3 {
        let start = |_| {
            let mut command = command_in(folder.root());
            command.env_remove("SKINCHECK_NO_CACHE");
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
                .args(arguments(line))
                .spawn()
                .expect("the binary under test starts")
        };
        for run in [0, 1, 2].map(start) {
            let output = run.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), alone.code);
            assert!(output.stdout == alone.stdout);
        }
    }
}
