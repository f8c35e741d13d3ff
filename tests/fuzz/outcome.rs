//! Runs a command within limits, and judges its outcome.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Deserializer, Value};
use skincheck::import::IMPORTERS;

use crate::case::{Case, LAWS, Must, Site};
use crate::commands::{ARTIFACTS, Budget, SOUND};
use crate::process::{self, Watched};
use crate::stored::{self, APPROVAL};

/// The KiB of memory that a process may use that has no smaller budget.
const MOST_MEMORY: u64 = 1 << 20;

/// Ends a process that computes far longer than it may. A limit on memory would change where models are read.
const LIMITS: &str = "ulimit -t 60; ulimit -c 0; exec \"$0\" \"$@\"";

/// The files for standard output and standard error.
const SAID: [&str; 2] = ["stdout", "stderr"];

/// How messages say that what reads a model has ended against its will.
const DEATHS: [&str; 6] = [
    "it crashed with",
    "it aborted itself",
    "it was killed",
    "it was terminated",
    "it exited with code",
    "the importer panicked",
];

/// The most characters between the start of such a message and these words.
const LONGEST_REASON: usize = 200;

/// The program to run.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// If it takes longer, it hangs.
    pub(crate) longest: Duration,
    /// Whether models are held to the time of their budgets.
    pub(crate) is_timed: bool,
}

/// The outcome of a command.
pub(crate) struct Outcome {
    /// The exit code; 128 and more for a signal, -1 for a hang.
    pub(crate) code: i32,
    /// Whether the process that reads models died.
    pub reader_died: bool,
    /// Peak memory of the main process with its code, or of all processes without, in KiB.
    pub peak_memory: u64,
    pub(crate) took: Duration,
    /// A forbidden outcome.
    pub(crate) violations: Vec<String>,
}

impl Outcome {
    /// Runs `case` in the folders of `site`.
    pub(crate) fn of(case: &Case, program: &Program, site: &Site) -> Self {
        let before = (entries(&site.run), contents(&site.outside));
        let watched = run(case, &[], program, site);
        let mut outcome = Self {
            code: watched.status.map_or(-1, code),
            reader_died: false,
            peak_memory: watched.peak.max(watched.peak_together),
            took: watched.took,
            violations: Vec::new(),
        };
        outcome.judge(case, &site.run, &before.0);
        if let Some((model, budget)) = &case.limited {
            outcome.judge_limited(model, budget, &watched, &site.run, case);
            let is_late = |took| program.is_timed && took > budget.longest();
            let is_late_again = || is_late(run(case, &[], program, site).took);
            // Once may be the fault of a busy machine.
            if is_late(watched.took) && is_late_again() && is_late_again() {
                outcome.forbid("it exceeds its time");
            }
        } else if watched.peak > MOST_MEMORY {
            outcome.forbid("it uses too much memory");
        }
        if watched.leaves_processes {
            outcome.forbid("a process is left behind");
        }
        if contents(&site.outside) != before.1 {
            outcome.forbid("a file outside of the folder has changed");
        }
        if case.must == Some(Must::EqualUncached) {
            outcome.compare_uncached(case, program, site);
        }
        outcome
    }

    fn forbid(&mut self, violation: &str) {
        self.violations.push(violation.to_owned());
    }

    /// Judges the outcome of a command on a model with a budget, in `folder`.
    fn judge_limited(
        &mut self,
        model: &str,
        budget: &Budget,
        watched: &Watched,
        folder: &Path,
        case: &Case,
    ) {
        if watched.peak_together > budget.most_memory() {
            self.forbid("it exceeds its memory");
        }
        let said = said(folder);
        if self.code == 2 && !said.contains(model) {
            self.forbid("the message does not name the model");
        }
        let limits = [
            ("did not finish within", "raise --timeout"),
            ("MiB of memory", "raise --memory"),
        ];
        for (limit, option) in limits {
            if said.contains(limit) && !said.contains(option) {
                self.forbid("the message does not name the option");
            }
        }
        let writes_one = ["render", "view", "film", "bake", "fix", "accept"];
        // Its numbers are written last: without them, it approves nothing.
        let approval = folder.join(format!("{model}{APPROVAL}/poses.skref"));
        let mut outputs = case.outputs.iter().chain([&approval]);
        let has_written = outputs.any(|output| output.exists());
        if self.code == 2 && writes_one.contains(&case.arguments[0].as_str()) && has_written {
            self.forbid("it fails and writes");
        }
        for file in stored::files(folder) {
            let extension = file.extension().unwrap_or_default();
            let is_known = ["png", "gif", "html", "obj"]
                .iter()
                .any(|known| extension == *known);
            if is_known && !is_whole(&file) {
                self.violations
                    .push(format!("{} is not whole", file.display()));
            }
        }
        let is_of_both = case.arguments.iter().any(|argument| argument == SOUND);
        if is_of_both && case.arguments[0] == "check" && !said.contains(SOUND) {
            self.forbid("the run does not go on with the next model");
        }
    }

    /// Compares the report with that of a run without a cache.
    fn compare_uncached(&mut self, case: &Case, program: &Program, site: &Site) {
        let report = || fs::read(site.run.join(SAID[0])).unwrap_or_default();
        let cached = (self.code, report());
        let watched = run(case, &["--no-cache"], program, site);
        if cached != (watched.status.map_or(-1, code), report()) {
            self.forbid("the cached verdicts differ from the uncached ones");
        }
    }

    fn judge(&mut self, case: &Case, folder: &Path, before: &[String]) {
        if self.code == 0 && case.must == Some(Must::NotPass) {
            self.forbid("it passes");
        }
        let said = said(folder);
        if !(0..=2).contains(&self.code) {
            self.violations.push(format!("exit code {}", self.code));
        }
        if self.code == 2 && !said.contains("error") {
            self.forbid("exit code 2 without a message");
        }
        if said.contains("panicked at") || said.contains("skincheck itself failed") {
            self.forbid("a panic");
        }
        let is_death = |text: &str| DEATHS.iter().any(|death| text.contains(death));
        self.reader_died = is_death(&said);
        // No file may crash a reader but assimp.
        let names = IMPORTERS.iter().map(|importer| importer.name());
        let has_died = |name: &str| {
            let starts = [
                format!("reads the file with {name} failed"),
                format!("the importer `{name}` cannot read the file"),
            ];
            let reasons = starts.iter().flat_map(|start| said.split(start).skip(1));
            let sentence = |reason: &str| reason.chars().take(LONGEST_REASON).collect::<String>();
            reasons.map(sentence).any(|reason| is_death(&reason))
        };
        if names.filter(|name| *name != "assimp").any(has_died) {
            self.forbid("a reader of the project's own died");
        }
        for output in case.outputs.iter().filter(|output| output.exists()) {
            let name = output.file_name().unwrap_or_default().to_string_lossy();
            if !before.contains(&name.to_string()) && !is_whole(output) {
                self.violations.push(format!("{name} is not whole"));
            }
        }
        let allowed = |name: &String| {
            before.contains(name)
                || [LAWS, "report", ARTIFACTS].contains(&name.as_str())
                || name.ends_with(APPROVAL)
                // Where approvals are is up to the configuration.
                || (case.kind == "skincheck.toml" && folder.join(name).is_dir())
                || SAID.contains(&name.as_str())
                || case.outputs.contains(&folder.join(name))
        };
        let temporary = |path: &PathBuf| path.extension().is_some_and(|end| end == "tmp");
        for stray in stored::files(folder).iter().filter(|path| temporary(path)) {
            let stray = stray.display();
            self.violations.push(format!("{stray} is left behind"));
        }
        for stray in entries(folder).iter().filter(|name| !allowed(name)) {
            self.violations.push(format!("{stray} is left behind"));
        }
    }
}

/// The words that the command has printed: reports break lines anywhere.
fn said(folder: &Path) -> String {
    let said = SAID.map(|name| fs::read(folder.join(name)).unwrap_or_default());
    let said = String::from_utf8_lossy(&said.concat()).into_owned();
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the command of `case`.
fn run(case: &Case, more: &[&str], program: &Program, site: &Site) -> Watched {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", LIMITS]).arg(&program.path);
    command.args(&case.arguments).args(more);
    for name in ["SKINCHECK_CACHE", "SKINCHECK_NO_CACHE", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    // What has no approval fails only in CI. The user's cache would grow with each case.
    command.env("CI", "true").env("HOME", &site.run);
    if !case.arguments.iter().any(|argument| argument == "--cache") {
        command.env("SKINCHECK_NO_CACHE", "1");
    }
    command.env("RAYON_NUM_THREADS", "2");
    let [stdout, stderr] =
        SAID.map(|name| File::create(site.run.join(name)).expect("the folder is writable"));
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    let child = command.current_dir(&site.run).spawn();
    process::watch(child.expect("there is a shell"), program.longest)
}

/// The files in a folder and below, with what is in them.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = stored::files(folder).into_iter();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_default();
        (path, bytes)
    };
    files.map(read).collect()
}

fn code(status: ExitStatus) -> i32 {
    let signal = || 128 + status.signal().unwrap_or_default();
    status.code().unwrap_or_else(signal)
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it is readable").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

/// Whether a file is complete: a PNG to its last chunk, a GLB to its stated length, JSON documents to their last brackets,
/// and a text to the end of its last line.
fn is_whole(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match extension.as_ref() {
        "png" | "apng" => bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xae\x42\x60\x82"),
        "gif" => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        "glb" => {
            let stated = bytes.get(8..12).and_then(|stated| stated.try_into().ok());
            stated.map(u32::from_le_bytes).map(u64::from) == u64::try_from(bytes.len()).ok()
        }
        "json" => {
            let mut documents = Deserializer::from_slice(&bytes).into_iter::<Value>();
            !bytes.is_empty() && documents.all(|document| document.is_ok())
        }
        _ => bytes.ends_with(b"\n"),
    }
}
