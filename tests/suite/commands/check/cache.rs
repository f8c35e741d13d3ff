//! The cache of verdicts.

use std::fs;

use super::{Folder, RIGHT, WRONG};
use crate::program::{Run, arguments, command_in};

/// The number of [`models`]: this build may not read the one that needs assimp.
const MODELS: usize = if cfg!(feature = "assimp") { 4 } else { 3 };

/// Runs with a cache beside the models, and returns how many files were unchanged.
fn check(folder: &Folder, line: &str) -> (Run, usize) {
    let mut command = command_in(folder.root());
    command.args(arguments(&format!("check --cache cache {line}")));
    let run = Run::of(command.env_remove("SKINCHECK_NO_CACHE"));
    let unchanged = run
        .stderr
        .split_once(" unchanged")
        .map_or(0, |(before, _)| {
            let number = before.rsplit(' ').next().and_then(|word| word.parse().ok());
            number.expect("a number is before the word")
        });
    (run, unchanged)
}

/// A model with a separate buffer and texture, one that finds images by name, and two that are self-contained.
fn models() -> Folder {
    Folder::with(&[
        (RIGHT, "m/right.gltf"),
        (WRONG, "m/wrong.gltf"),
        ("arm.obj", "m/arm.obj"),
        ("arm.mtl", "m/arm.mtl"),
        ("figure.md5mesh", "m/md5/figure.md5mesh"),
    ])
}

#[test]
fn unchanged_files_are_reported_from_the_cache() {
    let folder = models();
    let (first, unchanged) = check(&folder, "m --format json");
    assert_eq!(unchanged, 0, "{}", first.stderr);
    let (second, unchanged) = check(&folder, "m --format json");
    assert_eq!(unchanged, MODELS, "{}", second.stderr);
    assert_eq!(first.text(), second.text());
    assert_eq!(first.code, second.code);
    assert_eq!(check(&folder, "m --no-cache").1, 0);
    let (_, unchanged) = check(&folder, "m --preset mocap");
    assert_eq!(unchanged, 0, "another configuration");
    assert_eq!(check(&folder, "m --format json").1, MODELS);
}

#[test]
fn what_is_shown_or_fails_a_run_does_not_change_a_verdict() {
    let folder = models();
    check(&folder, "m --level error");
    for options in ["--level info", "-v", "--deny-warnings", "--level error", ""] {
        let line = format!("m --format json {options}");
        let (cached, unchanged) = check(&folder, &line);
        assert_eq!(unchanged, MODELS, "{options}: {}", cached.stderr);
        let (judged, _) = check(&folder, &format!("{line} --no-cache"));
        assert_eq!(
            (cached.text(), cached.code),
            (judged.text(), judged.code),
            "{options}"
        );
    }
}

#[test]
fn a_change_of_any_file_that_was_read_or_missed_is_seen() {
    let folder = models();
    check(&folder, "m");
    let changed = |name: &str, change: &dyn Fn(&Folder)| {
        change(&folder);
        let (run, unchanged) = check(&folder, "m");
        assert_eq!(unchanged, MODELS - 1, "{name}: {}", run.stderr);
        assert_eq!(check(&folder, "m").1, MODELS, "{name}");
    };
    changed("the model", &|folder| folder.copy(WRONG, "m/right.gltf"));
    if cfg!(feature = "assimp") {
        changed("a material library", &|folder| {
            folder.write("m/arm.mtl", "newmtl other\n");
        });
        changed("a library that goes", &|folder| {
            fs::remove_file(folder.path("m/arm.mtl")).expect("it is there");
        });
        changed("a library that comes back", &|folder| {
            folder.copy("arm.mtl", "m/arm.mtl");
        });
    }
    changed("a clip that appears", &|folder| {
        folder.copy("figure.md5anim", "m/md5/figure.md5anim");
    });
    changed("a clip that changes", &|folder| {
        let text = folder.read("m/md5/figure.md5anim");
        folder.write("m/md5/figure.md5anim", text + "\n");
    });
}

#[test]
fn a_damaged_verdict_is_a_miss() {
    let folder = models();
    let (first, _) = check(&folder, "m --format json");
    let mut damaged = 0;
    for subfolder in fs::read_dir(folder.path("cache/verdicts")).expect("it is there") {
        let subfolder = subfolder.expect("it can be listed").path();
        if subfolder.ends_with("CACHEDIR.TAG") {
            continue;
        }
        for file in fs::read_dir(subfolder).expect("it is a folder") {
            let path = file.expect("it can be listed").path();
            let bytes = fs::read(&path).expect("it can be read");
            fs::write(&path, &bytes[..bytes.len() / 2]).expect("it is writable");
            damaged += 1;
        }
    }
    assert_eq!(damaged, MODELS);
    let (again, unchanged) = check(&folder, "m --format json");
    assert_eq!(unchanged, 0);
    assert_eq!(first.text(), again.text());
    assert_eq!(check(&folder, "m").1, MODELS);
}

#[test]
fn files_that_cannot_be_read_are_tried_every_time() {
    let folder = models();
    folder.write("m/broken.gltf", "{");
    check(&folder, "m");
    let (run, unchanged) = check(&folder, "m");
    assert_eq!((run.code, unchanged), (Some(2), MODELS), "{}", run.stderr);
}

#[cfg(all(unix, feature = "assimp"))]
#[test]
fn a_dependency_whose_name_is_not_unicode_is_read_every_time() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::with(&[]);
    let mut model = b"mtllib caf\xe9.mtl\n".to_vec();
    model.extend(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nusemtl a\nf 1//1 2//1 3//1\n");
    fs::write(folder.path("m.obj"), model).expect("it is writable");
    let library = std::ffi::OsStr::from_bytes(b"caf\xe9.mtl");
    if fs::write(folder.root().join(library), "newmtl a\n").is_err() {
        // The file system accepts only Unicode.
        return;
    }
    check(&folder, "m.obj");
    let missing = "newmtl a\nmap_Kd missing.png\n";
    fs::write(folder.root().join(library), missing).expect("it is writable");
    let (run, _) = check(&folder, "m.obj");
    run.prints("missing.png");
}

#[test]
fn an_empty_folder_means_the_default_one() {
    let folder = models();
    let mut command = command_in(folder.root());
    command.args(arguments("check m --exit-zero"));
    let run = Run::of(
        command
            .env("SKINCHECK_CACHE", "")
            .env("HOME", folder.root()),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_cache_that_cannot_be_written_ends_no_run() {
    let folder = models();
    folder.write("cache", "a file");
    let (run, unchanged) = check(&folder, "m");
    assert_eq!((run.code, unchanged), (Some(1), 0));
    run.says("verdicts are not cached");
}
