//! Only what has changed: `--since` and `--files-from`.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::{Folder, RIGHT, run_in};
use crate::program::{Run, arguments, command_in};

/// A model with a buffer, one with a texture, one whose clip lies beside it, and one without any other
/// file; the first two have a configuration of their own, which extends another.
fn models() -> Folder {
    let folder = Folder::with(&[
        ("external_buffer.gltf", "m/a/buffer.gltf"),
        ("external buffer.bin", "m/a/external buffer.bin"),
        ("missing_texture.gltf", "m/a/texture.gltf"),
        ("checker.png", "m/a/nowhere.png"),
        ("figure.md5mesh", "m/md5/figure.md5mesh"),
        ("figure.md5anim", "m/md5/figure.md5anim"),
        (RIGHT, "m/right.gltf"),
    ]);
    folder.write("base.toml", "select = [\"W103\"]\n");
    folder.write("m/a/skincheck.toml", "extend = \"../../base.toml\"\n");
    folder.write("notes.txt", "one\n");
    folder
}

const ALL: [&str; 4] = [
    "m/a/buffer.gltf",
    "m/a/texture.gltf",
    "m/md5/figure.md5mesh",
    "m/right.gltf",
];

fn repository() -> Folder {
    let folder = models();
    folder.git("init --quiet --initial-branch main");
    folder.write(".gitignore", "cache\n");
    folder.commit();
    folder
}

/// The models that are checked.
fn checked(run: &Run) -> Vec<String> {
    let json = run.json();
    let models = json["models"].as_array().expect("it is a list");
    let paths = models.iter().map(|model| model["path"].as_str());
    let paths: Vec<String> = paths
        .map(|path| path.expect("it is text").to_owned())
        .collect();
    let unaffected = json["unaffected"].as_u64().expect("it is a number");
    assert_eq!(paths.len() as u64 + unaffected, ALL.len() as u64);
    paths
}

/// The models that differ from `main`: without a cache, with a new one, and with one that is filled.
#[track_caller]
fn since_main(folder: &Folder) -> Vec<String> {
    let plain = checked(&folder.check_all("--since main --format json"));
    for _ in 0..2 {
        let mut command = command_in(folder.root());
        command.args(arguments(
            "check . --cache cache --since main --format json",
        ));
        let run = Run::of(command.env_remove("SKINCHECK_NO_CACHE"));
        assert_eq!(checked(&run), plain, "with a cache");
    }
    plain
}

#[test]
fn models_are_checked_whose_files_differ_from_a_commit() {
    let folder = repository();
    let run = folder.check_all("--since main");
    run.exits(0);
    assert_eq!(
        run.text(),
        "nothing to check: the changes affect none of 4 files\n"
    );
    let changed = |what: &str, expected: &[&str], change: &dyn Fn()| {
        change();
        assert_eq!(since_main(&folder), expected, "{what}");
        folder.git("reset --quiet --hard main");
        folder.git("clean --quiet -fd");
    };
    let append = |name: &str| folder.write(name, folder.read(name) + "\n");
    let remove = |name: &str| fs::remove_file(folder.path(name)).expect("it is there");
    changed("a file that no model reads", &[], &|| append("notes.txt"));
    changed("a model", &ALL[3..], &|| append("m/right.gltf"));
    changed("a buffer", &ALL[..1], &|| {
        let mut bytes = folder.bytes("m/a/external buffer.bin");
        bytes.push(0);
        folder.write("m/a/external buffer.bin", bytes);
    });
    changed("a deleted buffer", &ALL[..1], &|| {
        remove("m/a/external buffer.bin");
    });
    changed("a deleted texture", &ALL[1..2], &|| {
        remove("m/a/nowhere.png");
    });
    changed(
        "a texture that is found by its name alone",
        &ALL[1..2],
        &|| {
            let model = folder.read("m/a/texture.gltf");
            let elsewhere = model.replace("nowhere.png", "/home/somebody/nowhere.png");
            assert_ne!(model, elsewhere);
            folder.write("m/a/texture.gltf", elsewhere);
            folder.commit();
            remove("m/a/nowhere.png");
        },
    );
    changed("a renamed texture", &ALL[1..2], &|| {
        folder.git("mv m/a/nowhere.png m/a/other.png");
    });
    changed("a clip", &ALL[2..3], &|| append("m/md5/figure.md5anim"));
    changed("a deleted clip", &ALL[2..3], &|| {
        remove("m/md5/figure.md5anim");
    });
    changed("a configuration", &ALL[..2], &|| {
        append("m/a/skincheck.toml");
    });
    changed("an extended configuration", &ALL[..2], &|| {
        append("base.toml");
    });
    changed("a deleted configuration", &ALL[..2], &|| {
        remove("m/a/skincheck.toml");
    });
    changed("a new configuration", &ALL[2..], &|| {
        folder.write("m/skincheck.toml", "");
    });
    changed("a commit on a branch", &ALL[3..], &|| {
        folder.git("checkout --quiet -b topic");
        append("m/right.gltf");
        folder.commit();
        folder.git("checkout --quiet main");
        append("m/md5/figure.md5mesh");
        folder.commit();
        folder.git("checkout --quiet topic");
    });
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_to_a_texture_is_a_change() {
    use std::os::unix::fs::symlink;
    let folder = models();
    fs::remove_file(folder.path("m/a/nowhere.png")).expect("it is there");
    for name in ["m/a/one", "m/a/two"] {
        folder.copy("checker.png", &format!("{name}/nowhere.png"));
    }
    let link = folder.path("m/a/textures");
    symlink("one", &link).expect("a link can be made");
    folder.git("init --quiet --initial-branch main");
    folder.write(".gitignore", "cache\n");
    folder.commit();
    fs::remove_file(&link).expect("it is there");
    assert_eq!(since_main(&folder), &ALL[1..2], "a deleted link");
    symlink("two", &link).expect("a link can be made");
    assert_eq!(since_main(&folder), &ALL[1..2], "another target");
}

#[test]
fn a_missing_file_is_only_looked_for_among_new_ones_of_its_name() {
    let folder = models();
    for name in ["m/a/nowhere.png", "m/md5/figure.md5anim"] {
        fs::remove_file(folder.path(name)).expect("it is there");
    }
    folder.git("init --quiet --initial-branch main");
    folder.write(".gitignore", "cache\n");
    folder.commit();
    for (file, name, expected) in [
        ("checker.png", "m/a/other.png", &[][..]),
        ("checker.png", "m/a/Nowhere.PNG", &ALL[1..2]),
        ("checker.png", "m/a/textures/nowhere.png", &ALL[1..2]),
        ("checker.png", "m/nowhere.png", &[]),
        ("figure.md5anim", "m/md5/other.md5anim", &[]),
        ("figure.md5anim", "m/md5/figure.md5anim", &ALL[2..3]),
    ] {
        folder.copy(file, name);
        assert_eq!(since_main(&folder), expected, "{name}");
        folder.git("clean --quiet -fd");
    }
}

#[test]
fn a_commit_that_git_does_not_know_is_refused_with_the_reason() {
    let folder = repository();
    let refuses = |line: &str, words: &str| {
        let run = folder.check_all(line);
        run.refuses(words);
        assert!(run.stdout.is_empty());
    };
    refuses("--since nowhere", "git knows no commit \"nowhere\"\n");
    refuses("--since=--output=x", "git knows no commit \"--output=x\"\n");
    folder.git("checkout --quiet --orphan other");
    folder.write("notes.txt", "two\n");
    folder.commit();
    refuses("--since main", "have no common ancestor\n");
    folder.git("commit --quiet --allow-empty --message second");
    let url = format!("file://{}", folder.root().display());
    folder.git(&format!("clone --quiet --depth 1 {url} shallow"));
    let run = run_in(&folder.path("shallow"), "--since HEAD~1");
    run.refuses("the clone is shallow").says("fetch-depth: 0");
    run_in(models().root(), "--since main").refuses("git finds no working tree in this folder: ");
    let mut command = command_in(folder.root());
    command.args(["check", "--since", "main"]);
    Run::of(command.env("PATH", "")).refuses("cannot start git");
}

/// Runs with a list of files on standard input.
fn listed(folder: &Folder, line: &str, list: &[u8]) -> Run {
    let mut command = command_in(folder.root());
    command.args(arguments(&format!(
        "check --files-from - --format json {line}"
    )));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(list).expect("it is read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    Run::ended(&command, output)
}

#[test]
fn models_are_checked_that_read_a_listed_file() {
    let folder = models();
    for (list, expected) in [
        (&b""[..], &[][..]),
        (b"notes.txt\nnowhere.glb\n", &[]),
        (b"m/right.gltf\n", &ALL[3..]),
        (b"./m/a/../a/nowhere.png\r\n", &ALL[1..2]),
        (b"M/A/External Buffer.bin", &ALL[..1]),
        (b"base.toml\nm/md5/figure.md5anim\n", &ALL[..3]),
        (b"m/a\n", &ALL[..2]),
    ] {
        let run = listed(&folder, "", list);
        let list = String::from_utf8_lossy(list);
        assert_eq!(checked(&run), expected, "{list}");
    }
    let run = listed(&folder, "", b"m/right.gltf\0m/a/nowhere.png\0");
    assert_eq!(checked(&run), [ALL[1], ALL[3]]);
    let only = listed(&folder, "m/a", b"m/right.gltf\nm/a/nowhere.png\n").json();
    assert_eq!(only["models"].as_array().map(Vec::len), Some(1));
    assert_eq!(only["unaffected"], 1);
    listed(&folder, "", b"a\n\"m/\\303\\266\"\n")
        .refuses("standard input: line 2: the name is quoted");
    folder.write("list", "m/right.gltf\n");
    let run = folder.check_all("--files-from list --report json=list");
    run.refuses("it is the input");
    folder
        .check_all("--files-from nowhere")
        .refuses("nowhere: the list cannot be read");
}

#[test]
fn shards_of_changes_are_merged() {
    let folder = models();
    folder.write("list", "m/a/nowhere.png\nm/right.gltf\n");
    let line = "--files-from list --select W103";
    let shard = |number: usize| {
        let report = format!("--exit-zero --report json=shard-{number}.json");
        let run = folder.check_all(&format!("{line} --shard {number}/2 {report}"));
        run.exits(0);
    };
    shard(1);
    shard(2);
    let whole = folder.check_all(&format!("{line} --format json"));
    let merged = folder.run("merge shard-1.json shard-2.json --format json");
    assert_eq!(merged.text(), whole.text());
    folder.write("list", "m/right.gltf\n");
    shard(1);
    let other = folder.run("merge shard-1.json shard-2.json");
    other.refuses("differ in the ");
}
