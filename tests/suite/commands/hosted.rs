//! Commands that run inside another program: this test.

use std::process::ExitCode;

use skincheck::cli;

use crate::folder::Folder;
use crate::program::{arguments, skincheck_in};

/// Twice, because only the first run can start threads for the whole process.
#[test]
fn a_command_writes_inside_another_program_what_the_program_writes() {
    let folder = Folder::new();
    let draw = |name: &str| {
        let path = folder.root().join(name);
        let line = "skincheck -q render fixtures/arm.fbx --size 32x32 -o";
        arguments(line).into_iter().chain([path.into_os_string()])
    };
    for name in ["first.png", "second.png"] {
        assert_eq!(cli::run(draw(name)), ExitCode::SUCCESS);
    }
    skincheck_in(
        folder.root(),
        "render fixtures/arm.fbx --size 32x32 -o program.png",
    )
    .ok();
    let image = |name: &str| std::fs::read(folder.root().join(name)).expect("it was written");
    assert_eq!(image("first.png"), image("program.png"));
    assert_eq!(image("second.png"), image("program.png"));
}
