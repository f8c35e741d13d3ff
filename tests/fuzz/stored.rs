//! Files that skincheck writes and reads again: results of shards, cached verdicts, baselines and approvals.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::mutate::{damaged, damaged_document, damaged_png};
use crate::random::Random;
use crate::references::damaged_packed;

/// The models that they are about.
pub(crate) const CHECKED: &[&str] = &[
    "arm.gltf",
    "unnormalized_weights.gltf",
    "external_buffer.gltf",
    "external buffer.bin",
    "arm.fbx",
];

/// The configuration of the approval.
pub(crate) const TESTED: &str = "[[test]]\nmodel = \"arm.gltf\"\ntimes = 2\nsize = \"24x24\"\n";

/// The approval of the model in [`TESTED`].
pub(crate) const APPROVED: &str = "arm.gltf.approved";

/// Lets `program` write all of them into `folder`, which is empty.
pub(crate) fn write(folder: &Path, fixtures: &Path, program: &Path) {
    for name in CHECKED {
        fs::copy(fixtures.join(name), folder.join(name)).expect("the fixture is there");
    }
    let run = |line: &str| {
        let mut command = Command::new(program);
        command.args(line.split_whitespace()).current_dir(folder);
        command.env_remove("SKINCHECK_NO_CACHE");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().expect("the program is there");
        assert!(matches!(status.code(), Some(0 | 1)), "{line}: {status}");
    };
    run("check . --no-cache --shard 1/2 --results results");
    run("check . --no-cache --shard 2/2 --results results");
    run("check . --no-cache --write-baseline baseline.json");
    run("check . --cache cache");
    fs::write(folder.join("skincheck.toml"), TESTED).expect("the folder is writable");
    run("accept");
}

/// Copies a file or folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).expect("there is room for a copy");
        return;
    }
    fs::create_dir(to).expect("the folder is writable");
    for file in fs::read_dir(from).expect("it is there") {
        let file = file.expect("it is readable");
        copy(&file.path(), &to.join(file.file_name()));
    }
}

/// The files in `folder` and below, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let entry = entry.expect("it is readable");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files.append(&mut self::files(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

/// Damages the results in the file at `path`. Returns whether they may still look like the results of a run without
/// errors, because a value was replaced by another.
pub(crate) fn damage_results(path: &Path, random: &mut Random) -> bool {
    let bytes = fs::read(path).expect("it is there");
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    let choice = random.below(8);
    match choice {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, other),
        2 => lines.insert(other, lines[at].clone()),
        3 => lines[at].truncate(random.below(bytes.len())),
        4 => lines.insert(other, b"\n".to_vec()),
        _ => {
            let line = lines[at].trim_ascii_end().to_vec();
            lines[at] = [&damaged_document(&line, random), b"\n".as_slice()].concat();
        }
    }
    fs::write(path, lines.concat()).expect("it is writable");
    choice > 4
}

/// Damages a file of the cache at `path`, one of `all`.
pub(crate) fn damage_entry(path: &Path, all: &[PathBuf], random: &mut Random) {
    let bytes = fs::read(path).expect("it is there");
    let bytes = match random.below(3) {
        0 => fs::read(random.pick(all)).expect("it is there"),
        _ => damaged(&bytes, random),
    };
    fs::write(path, bytes).expect("it is writable");
}

/// Damages a verdict of the cache, and corrects its checksum.
pub(crate) fn forge_entry(path: &Path, random: &mut Random) {
    let text = fs::read_to_string(path).expect("it is there");
    let (_, text) = text.split_once('\n').unwrap_or(("", &text));
    let text = damaged_document(text.trim_end().as_bytes(), random);
    let checksum = blake3::hash(&text).to_hex();
    let bytes = [checksum.as_bytes(), b"\n", &text, b"\n"].concat();
    fs::write(path, bytes).expect("it is writable");
}

/// Damages a file of an approval.
pub(crate) fn damage_approval(path: &Path, random: &mut Random) {
    let bytes = fs::read(path).expect("it is there");
    let bytes = if path.extension().is_some_and(|end| end == "png") {
        damaged_png(&bytes, random)
    } else {
        damaged_packed(&bytes, random)
    };
    fs::write(path, bytes).expect("it is writable");
}

/// Puts something else in the place of the file or folder at `path`.
///
/// * `outside` – the folder that links lead to; `None` for a file that the command line names, which may be a link or a
///   pipe.
pub(crate) fn replace(path: &Path, outside: Option<&Path>, random: &mut Random) {
    let outside = outside.map(|outside| (outside.join("nothing"), outside.join("copy")));
    if let Some((_, copied)) = &outside {
        copy(path, copied);
    }
    if path.is_dir() {
        fs::remove_dir_all(path).expect("it is the fuzzer's own");
    } else {
        fs::remove_file(path).expect("it is the fuzzer's own");
    }
    match (random.below(9), &outside) {
        (0, _) => {}
        (1, _) => fs::create_dir(path).expect("the folder is writable"),
        (2, _) => link(path, path),
        (3, Some((nothing, _))) => link(nothing, path),
        (4, Some(_)) => {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.is_ok_and(|status| status.success()), "no pipe");
        }
        (5..8, Some((_, copied))) => link(copied, path),
        _ => link(Path::new("/dev/zero"), path),
    }
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("the folder is writable");
}

/// Links are for administrators.
#[cfg(not(unix))]
fn link(target: &Path, path: &Path) {
    if target.exists() {
        copy(target, path);
    }
}
