//! The child process that reads a model is confined by the kernel.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skincheck::export::to_gltf;
use skincheck::glam::Vec3;
use skincheck::import::WORKER_COMMAND;
use skincheck::rig::{AssetBuilder, Mesh, Trs};

use crate::folder::Folder;
use crate::program;

/// A model whose answer is larger than a pipe, so that its reader waits for its parent.
fn write_large_model(folder: &Folder) {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::ONE; 100_000],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.attach(mesh, root);
    let asset = rig.build().expect("it is a valid asset");
    folder.write("large.gltf", to_gltf(&asset).expect("it is finite"));
}

/// The value of a line of a file in /proc that begins with `name`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map(|value| value.trim_start_matches(':').trim().to_owned())
}

#[test]
fn the_process_that_reads_a_model_has_limits_and_a_filter_of_system_calls() {
    const MEMORY: u64 = 1 << 30;
    let folder = Folder::new();
    write_large_model(&folder);
    let mut worker = Command::new(program::path())
        .args([WORKER_COMMAND, env!("CARGO_PKG_VERSION"), "gltf"])
        .args([&MEMORY.to_string(), "7", "all", "usual", "read"])
        .arg(folder.path("large.gltf"))
        .env("MIMALLOC_ARENA_RESERVE", "16384")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program is built");
    let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", worker.id()));
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        let status = read("status").expect("it waits for its parent");
        if field(&status, "Seccomp").as_deref() == Some("2") {
            break status;
        }
        assert!(Instant::now() < deadline, "no filter: {status}");
        thread::sleep(Duration::from_millis(5));
    };
    let limits = read("limits").expect("it waits for its parent");
    worker.kill().expect("it runs");
    worker.wait().expect("it has been killed");
    assert_eq!(field(&status, "NoNewPrivs").as_deref(), Some("1"));
    let limit = |name: &str| {
        let values = field(&limits, name).expect("Linux has this limit");
        let values: Vec<String> = values.split_whitespace().map(str::to_owned).collect();
        [values[0].clone(), values[1].clone()]
    };
    let memory = MEMORY.to_string();
    assert_eq!(limit("Max address space"), [memory.clone(), memory]);
    assert_eq!(limit("Max cpu time"), ["7", "7"]);
    assert_eq!(limit("Max core file size"), ["0", "0"]);
}
