//! Files that skincheck writes and reads again: reports of shards, cached verdicts, baselines and approvals.

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

/// How the names of approvals end.
pub(crate) const APPROVAL: &str = ".approved";

/// The folder of the reports of shards.
pub(crate) const SHARDS: &str = "shards";

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
    fs::create_dir(folder.join(SHARDS)).expect("the folder is writable");
    for number in [1, 2] {
        run(&format!(
            "check . --no-cache --shard {number}/2 --exit-zero --report json={SHARDS}/{number}.json"
        ));
    }
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

/// Damages the report of a shard at `path`. Returns whether it may still look like that of a run without errors, because a
/// value was replaced by another.
pub(crate) fn damage_shard(path: &Path, random: &mut Random) -> bool {
    let bytes = fs::read(path).expect("it is there");
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    let choice = random.below(8);
    let damaged = match choice {
        0 => {
            lines.remove(at);
            lines.concat()
        }
        1 => {
            lines.insert(other, lines[at].clone());
            lines.concat()
        }
        2 => bytes[..random.below(bytes.len())].to_vec(),
        _ => damaged_document(&bytes, random),
    };
    fs::write(path, damaged).expect("it is writable");
    choice > 2
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
    let bytes = fs::read(path).expect("it is there");
    let verdict = bytes.get(blake3::OUT_LEN..).unwrap_or_default();
    let verdict = damaged(verdict, random);
    let checksum = blake3::hash(&verdict);
    fs::write(path, [checksum.as_bytes(), verdict.as_slice()].concat()).expect("it is writable");
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
