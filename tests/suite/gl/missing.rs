//! Machines without OpenGL.
//!
//! Each test runs this test program again in an environment that really lacks something, and lets it try to open a
//! context.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use skincheck::backend::{Backend, Driver, Gl};

/// Set for the inner run.
const INNER: &str = "SKINCHECK_TEST_MISSING_GL";

/// Printed by the inner run before the error.
const MARK: &str = "the attempt ended with: ";

#[test]
#[ignore = "run by the tests below"]
fn attempt() {
    if std::env::var_os(INNER).is_none() {
        return;
    }
    match Gl.open(Driver::Auto) {
        Ok(device) => println!("{MARK}{}", device.describe()),
        Err(error) => println!("{MARK}{error}"),
    }
}

/// The arguments that make this program run [`attempt`].
const ATTEMPT: [&str; 4] = [
    "--exact",
    "gl::missing::attempt",
    "--ignored",
    "--nocapture",
];

fn myself() -> PathBuf {
    std::env::current_exe().expect("the test program is a file")
}

/// The result of the attempt of `command`.
fn outcome(command: &mut Command) -> String {
    let output = command.env(INNER, "1").output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.split_once(MARK));
    let (_, outcome) = line.unwrap_or_else(|| panic!("no outcome: {}", everything(&output)));
    outcome.to_owned()
}

fn everything(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// The libraries that `program` is linked with, by `ldd`.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd")
        .arg(program)
        .output()
        .expect("ldd is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = text.split_whitespace().filter(|word| word.starts_with('/'));
    words.map(PathBuf::from).collect()
}

/// Copies `file` to the same relative path under `root`.
fn copy_into(root: &Path, file: &Path) {
    let to = root.join(file.strip_prefix("/").expect("it is absolute"));
    let folder = to.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).expect("the folder can be made");
    fs::copy(file, to).expect("the file can be copied");
}

/// A command that runs with `root` as its root folder: as the superuser, or in a user namespace.
fn enter(root: &Path) -> Option<Command> {
    let mut direct = Command::new("chroot");
    direct.arg(root);
    let mut unshared = Command::new("unshare");
    unshared
        .args(["--user", "--map-root-user", "chroot"])
        .arg(root);
    let works = |command: &mut Command| {
        let list = ["--list", "--exact", "gl::missing::attempt"];
        let mut probe = Command::new(command.get_program());
        probe.args(command.get_args()).arg("/program").args(list);
        probe.output().is_ok_and(|output| output.status.success())
    };
    [direct, unshared]
        .into_iter()
        .find_map(|mut command| works(&mut command).then_some(command))
}

#[test]
fn without_the_library_the_error_names_it_and_the_packages() {
    let root = tempfile::tempdir().expect("a folder can be made");
    let program = myself();
    for library in libraries(&program) {
        copy_into(root.path(), &library);
    }
    fs::copy(&program, root.path().join("program")).expect("the program can be copied");
    let Some(mut command) = enter(root.path()) else {
        let required = std::env::var_os("SKINCHECK_REQUIRE_GL").is_some();
        assert!(!required, "neither chroot nor unshare may change the root");
        return;
    };
    let outcome = outcome(command.arg("/program").args(ATTEMPT));
    assert!(outcome.contains("libEGL is not installed"), "{outcome}");
    assert!(
        outcome.contains("libegl1") && outcome.contains("mesa-libEGL"),
        "{outcome}"
    );
}

#[test]
fn without_a_driver_the_error_names_the_packages() {
    let mut command = Command::new(myself());
    for variable in [
        "LIBGL_DRIVERS_PATH",
        "__EGL_VENDOR_LIBRARY_DIRS",
        "GBM_BACKENDS_PATH",
    ] {
        command.env(variable, "/nowhere");
    }
    let outcome = outcome(command.args(ATTEMPT));
    // A machine without libEGL fails at that first.
    let lacks_driver = outcome.contains("finds no driver");
    assert!(
        lacks_driver || outcome.contains("libEGL is not installed"),
        "{outcome}"
    );
    assert!(outcome.contains("libgl1-mesa-dri"), "{outcome}");
}
