//! What a terminal shows: lines that fit, and colour.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::folder::Folder;
use crate::program::{arguments, command_in, fixture, skincheck};

/// What a run writes to a terminal of `columns` columns.
fn shown(folder: &Path, columns: u16, line: &str) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&controller).expect("it is ours");
    unlockpt(&controller).expect("it is ours");
    let name = ptsname(&controller, Vec::new()).expect("it has a name");
    let name = name.to_str().expect("it is ASCII");
    let terminal = File::options().read(true).write(true).open(name);
    let terminal = terminal.expect("it can be opened");
    let size = Winsize {
        ws_row: 50,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).expect("it has a size");
    let mut command = command_in(folder);
    let other = terminal.try_clone().expect("handles can be copied");
    command
        .env_remove("COLUMNS")
        .env("TERM", "xterm")
        .args(arguments(line))
        .stdout(terminal)
        .stderr(other);
    let mut child = command.spawn().expect("the binary under test starts");
    drop(command);
    let mut text = Vec::new();
    // Its end is an error on Linux.
    let _ = File::from(controller).read_to_end(&mut text);
    child.wait().expect("it ends");
    String::from_utf8(text).expect("it is UTF-8")
}

/// The lines, without styles and without what was replaced by a later state of the same line.
fn lines(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, style)) = rest.split_once('\u{1b}') {
        plain += before;
        let end = style.find(|letter: char| letter.is_ascii_alphabetic());
        rest = end.map_or("", |end| &style[end + 1..]);
    }
    plain += rest;
    plain.split(['\r', '\n']).map(str::to_owned).collect()
}

#[test]
fn no_line_of_any_command_is_longer_than_the_terminal_is_wide() {
    let folder = Folder::with(&[
        ("rules/W103.gltf", "weights.gltf"),
        ("rules/D602.gltf", "stretch.gltf"),
        ("arm.gltf", "arm.gltf"),
        ("walker.glb", "walker.glb"),
    ]);
    folder.write("broken.gltf", "{");
    folder.write("skincheck.toml", "[[test]]\nmodel = \"arm.gltf\"\n");
    let of_files = [
        "check . --no-cache",
        "check . --no-cache -v --level info",
        "check broken.gltf --no-cache",
        "diff arm.gltf walker.glb",
        "diff walker.glb walker.glb",
        "inspect walker.glb",
        "inspect walker.glb --joints",
        "test",
        "accept",
        "laws arm.gltf",
        "render arm.gltf --time 0.5 --size 32x32 -o a-picture-with-a-rather-long-name-in-this-folder.png",
        "render arm.gltf --clip Bendd",
        "rules",
        "rules --engines",
        "rules --presets",
        "explain W103 unreal mocap keys-missing unreadable",
        "doctor --gl software",
        "check --help",
    ];
    for columns in [80, 100] {
        for line in of_files {
            let text = shown(folder.root(), columns, line);
            let longest = lines(&text)
                .into_iter()
                .max_by_key(|line| line.chars().count());
            let longest = longest.unwrap_or_default();
            assert!(!text.trim().is_empty(), "{line} says nothing");
            assert!(
                longest.chars().count() <= columns.into(),
                "{line}: {longest}"
            );
        }
    }
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let colours = |text: &str| text.contains("\u{1b}[");
    let folder = fixture("");
    assert!(colours(&shown(&folder, 80, "rules")));
    assert!(!colours(&shown(&folder, 80, "rules --color never")));
    assert!(!colours(skincheck("rules").text()));
    assert!(colours(skincheck("rules --color always").text()));
}

#[test]
fn a_pipe_gets_lines_of_eighty_columns_whatever_the_terminal() {
    let mut command = command_in(&fixture(""));
    command.env_remove("COLUMNS").args(["explain", "W103"]);
    let run = crate::program::Run::of(&mut command).ok();
    let longest = run.text().lines().map(|line| line.chars().count()).max();
    assert!(longest > Some(70) && longest <= Some(80), "{longest:?}");
}
