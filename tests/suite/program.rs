//! Runs the program as users do.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use skincheck::import::{self, Isolation};

/// The binary to test.
pub(crate) fn path() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_skincheck"))
}

/// Imports in child processes of the tested binary.
pub(crate) fn isolation() -> Isolation {
    Isolation::Process {
        program: path().to_owned(),
    }
}

/// The committed fixture named `name`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// Every file in `folder` and the folders below that an importer of this build reads, sorted.
pub(crate) fn models_below(folder: &Path) -> Vec<PathBuf> {
    let mut pending = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the folder is readable");
            pending.extend(entries.map(|entry| entry.expect("so is its entry").path()));
        } else if import::importers_for(&path).next().is_some() {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The output of a run, and its exit code.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    /// Asserts exit code 0.
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }
}

/// Runs skincheck in the folder of fixtures, so that messages contain short paths.
pub(crate) fn skincheck<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    skincheck_in(&fixture(""), arguments)
}

/// Runs skincheck in a folder.
pub(crate) fn skincheck_in<S: AsRef<OsStr>>(
    folder: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Run {
    let output = Command::new(path())
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary under test starts");
    Run::from(output)
}

/// The exit code of a run whose standard output is closed.
pub(crate) fn unread(line: &str) -> Option<i32> {
    let (reader, writer) = std::io::pipe().expect("pipes can be made");
    drop(reader);
    let status = Command::new(path())
        .args(arguments(line))
        .current_dir(fixture(""))
        .stdout(writer)
        .stderr(Stdio::null())
        .status();
    status.expect("the binary under test starts").code()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The run of a command that is interrupted by Ctrl-C after two seconds, and must end soon.
#[cfg(unix)]
pub(crate) fn interrupted(folder: &Path, line: &str) -> Run {
    use std::time::{Duration, Instant};
    let child = Command::new(path())
        .args(arguments(line))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .current_dir(folder)
        .spawn();
    let child = child.expect("the binary under test starts");
    std::thread::sleep(Duration::from_secs(2));
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill can be run").success());
    let started = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "it takes a second on a quiet machine"
    );
    Run::from(output)
}

/// Splits at spaces: `arguments("inspect two_triangles.gltf")`.
pub(crate) fn arguments(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// A folder with copies of fixtures.
pub(crate) fn folder_of(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for name in names {
        fs::copy(fixture(name), folder.path().join(name)).expect("it is writable");
    }
    folder
}
