//! Files and folders that require unbounded work. Processor time is limited, because the machine may be busy.

#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;

use super::limits::limited;
use crate::folder::Folder;
use crate::program::{self, Run};

/// Runs `skincheck LINE` in `folder` with this many seconds of processor time.
fn within(seconds: u32, folder: &Folder, line: &str) -> Run {
    limited(folder, &format!("ulimit -t {seconds}"), line)
}

#[test]
fn folders_that_link_to_each_other_are_visited_once() {
    let folder = Folder::new();
    let at = |name: String| folder.path(name);
    for own in 0..12 {
        fs::create_dir(at(format!("x{own}"))).expect("it is writable");
        for other in 0..12 {
            symlink(at(format!("x{other}")), at(format!("x{own}/l{other}")))
                .expect("links can be made");
        }
        let model = at(format!("x{own}/m.gltf"));
        fs::copy(program::fixture("rules/clean.gltf"), model).expect("it is writable");
    }
    let run = within(20, &folder, "check . --select W103").ok();
    let summary = "\n12 files checked: nothing found\n";
    assert!(run.text().ends_with(summary), "{}", run.text());
    let run = within(20, &folder, "check **/m.gltf --select W103").ok();
    assert!(run.text().ends_with(summary), "{}", run.text());
}

#[test]
fn a_link_out_of_the_folder_is_reported_once_and_not_followed() {
    let folder = Folder::new();
    for name in ["a/m.gltf", "b/m.gltf", "elsewhere/other.gltf"] {
        folder.copy("rules/clean.gltf", name);
    }
    for link in ["a/out", "b/out", "a/more"] {
        symlink(folder.path("elsewhere"), folder.path(link)).expect("links can be made");
    }
    symlink("/proc", folder.path("a/proc")).expect("links can be made");
    for line in ["check a --select W103", "check a/**/*.gltf --select W103"] {
        let run = within(20, &folder, line).ok();
        run.prints("1 file checked: nothing found");
        run.says("and 2 more: not searched, because a link leads out");
    }
    let run = within(20, &folder, "diff a b").ok();
    run.says("a/more and 2 more: not searched")
        .says("b/out: not searched");
    // A folder that is named may be a link itself.
    within(20, &folder, "check a/out --select W103")
        .ok()
        .prints("1 file checked");
}

#[test]
fn a_search_that_never_ends_is_abandoned() {
    let folder = Folder::of(&["rules/clean.gltf"]);
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.path("rules/.gitignore"))
        .status();
    assert!(pipe.is_ok_and(|status| status.success()));
    for line in ["check . --timeout 1", "diff . . --timeout 1"] {
        let run = within(20, &folder, line);
        let text = format!("{}{}", run.text(), run.stderr);
        assert!(
            run.code == Some(2) && text.contains("cannot be searched within 1 s"),
            "{text}"
        );
    }
}

#[test]
fn a_pattern_matches_the_name_of_a_link() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("hero/v3")).expect("it is writable");
    let model = folder.path("hero/v3/m.gltf");
    fs::copy(program::fixture("rules/clean.gltf"), model).expect("it is writable");
    symlink("v3", folder.path("hero/current")).expect("links can be made");
    for pattern in ["*/current/*.gltf", "**/current/*.gltf"] {
        let run = within(20, &folder, &format!("check {pattern} --select W103 -v")).ok();
        assert!(
            run.text().contains("1 file checked: nothing found"),
            "{pattern}: {}",
            run.text()
        );
    }
}

#[test]
fn a_baseline_of_many_findings_that_are_gone_is_compared_in_seconds() {
    let folder = Folder::new();
    folder.copy("rules/clean.gltf", "m.gltf");
    let mut models = String::new();
    for file in 0..1000 {
        let findings: Vec<String> = (0..200)
            .map(|index| {
                format!(
                    "{{\"code\": \"W103\", \"subject\": \"mesh {index}\", \"level\": \"error\", \"count\": 1, \"measure\": null}}"
                )
            })
            .collect();
        let (comma, findings) = (if file == 0 { "" } else { "," }, findings.join(","));
        write!(models, "{comma}{{\"path\": \"gone/a{file}.glb\", \"failure\": null, \"findings\": [{findings}]}}")
            .expect("a string takes all that fits into memory");
    }
    let baseline = format!(
        "{{\"schema\": \"skincheck/report/1\", \"command\": \"check\", \"models\": [{models}]}}"
    );
    folder.write("baseline.json", baseline);
    let run = within(
        8,
        &folder,
        "check m.gltf --select W103 --baseline baseline.json",
    )
    .ok();
    assert!(run.text().ends_with("200000 resolved\n"));
}

#[test]
fn texts_are_read_from_regular_files_only() {
    let folder = Folder::new();
    folder.copy("arm.gltf", "m.gltf");
    symlink("/dev/zero", folder.path("zero.toml")).expect("links can be made");
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.path("pipe.toml"))
        .status();
    assert!(pipe.is_ok_and(|status| status.success()));
    for file in ["zero.toml", "pipe.toml"] {
        for line in [
            "check m.gltf --config",
            "check m.gltf --baseline",
            "bake m.gltf -o out.json --pose",
        ] {
            let run = within(20, &folder, &format!("{line} {file}"));
            assert_eq!(run.code, Some(2), "{line} {file}");
            assert!(
                run.stderr.contains("not a regular file"),
                "{line} {file}: {}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_file_cannot_be_named_as_a_command_to_a_ci_service() {
    let folder = Folder::new();
    for name in ["::error::x.gltf", "##[error]x.gltf"] {
        folder.copy("rules/W103.gltf", name);
    }
    for line in [
        "check . --select W103",
        "check nowhere/::error:: ::error::x.gltf",
    ] {
        let run = within(20, &folder, line);
        let said = run.text().lines().chain(run.stderr.lines());
        for line in said {
            assert!(
                !line.trim_start().starts_with("::") && !line.contains("##["),
                "{line}"
            );
        }
    }
}
