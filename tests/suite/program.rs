//! Runs the program as users do.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use skincheck::import::{self, Isolation, Options};

/// The binary to test.
pub(crate) fn path() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_skincheck"))
}

/// Imports in child processes of the tested binary.
pub(crate) fn reading() -> Options {
    Options {
        isolation: Isolation::Process {
            program: path().to_owned(),
        },
        ..Options::default()
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
    /// The command with its arguments, for the messages of assertions.
    line: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the command starts");
        Self::ended(command, output)
    }

    pub(crate) fn ended(command: &Command, output: Output) -> Self {
        let arguments = command.get_args().map(OsStr::to_string_lossy);
        Self {
            line: arguments.collect::<Vec<_>>().join(" "),
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let json = serde_json::from_slice(&self.stdout);
        json.unwrap_or_else(|error| panic!("{}: {error}: {}", self.line, self.stderr))
    }

    /// Asserts exit code 0.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0);
        self
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        let Self { line, stderr, .. } = self;
        let text = std::str::from_utf8(&self.stdout).unwrap_or_default();
        assert_eq!(self.code, Some(code), "{line}: {text}{stderr}");
        self
    }

    /// Asserts that standard error contains `words`.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        let Self { line, stderr, .. } = self;
        assert!(stderr.contains(words), "{line}: no {words:?} in: {stderr}");
        self
    }

    /// Asserts that standard output contains `words`.
    #[track_caller]
    pub(crate) fn prints(&self, words: &str) -> &Self {
        let (line, text) = (&self.line, self.text());
        assert!(text.contains(words), "{line}: no {words:?} in: {text}");
        self
    }

    /// Asserts that it fails because of wrong usage or input, with `words`.
    #[track_caller]
    pub(crate) fn refuses(&self, words: &str) -> &Self {
        self.exits(2).says(words)
    }
}

/// Runs skincheck in the folder of fixtures, so that messages contain short paths.
pub(crate) fn skincheck(line: &str) -> Run {
    skincheck_in(&fixture(""), line)
}

/// Runs skincheck in a folder.
pub(crate) fn skincheck_in(folder: &Path, line: &str) -> Run {
    Run::of(command_in(folder).args(arguments(line)))
}

/// Runs skincheck with `threads` threads in the folder of fixtures.
pub(crate) fn on_threads(threads: &str, line: &str) -> Run {
    let mut command = command_in(&fixture(""));
    Run::of(
        command
            .env("RAYON_NUM_THREADS", threads)
            .args(arguments(line)),
    )
}

/// Skincheck in a folder, without arguments yet.
pub(crate) fn command_in(folder: &Path) -> Command {
    let mut command = Command::new(path());
    // What is written is one matter, where its lines end another: `commands::terminal` is about those.
    command.current_dir(folder).env("COLUMNS", "10000");
    command
}

/// Splits at spaces. A word such as `fixtures/walker.glb` is the path of that fixture.
pub(crate) fn arguments(line: &str) -> Vec<OsString> {
    let path = |word: &str| match word.strip_prefix("fixtures/") {
        Some(name) => fixture(name).into_os_string(),
        None => word.into(),
    };
    line.split_whitespace().map(path).collect()
}

/// The exit code of a run whose standard output is closed.
pub(crate) fn unread(line: &str) -> Option<i32> {
    let (reader, writer) = std::io::pipe().expect("pipes can be made");
    drop(reader);
    let status = command_in(&fixture(""))
        .args(arguments(line))
        .stdout(writer)
        .stderr(Stdio::null())
        .status();
    status.expect("the binary under test starts").code()
}

/// The run of a command that is interrupted by Ctrl-C after two seconds, and must end soon.
#[cfg(unix)]
pub(crate) fn interrupted(folder: &Path, line: &str) -> Run {
    use std::time::{Duration, Instant};
    let mut command = command_in(folder);
    command
        .args(arguments(line))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("the binary under test starts");
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
    Run::ended(&command, output)
}
