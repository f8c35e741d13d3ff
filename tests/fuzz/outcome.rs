//! Runs a command within limits, and judges its outcome.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skincheck::import::IMPORTERS;

use crate::case::{Case, LAWS, Must, Site};
use crate::stored::{self, APPROVED};

/// The KiB of memory that a process may use.
const MOST_MEMORY: u64 = 1 << 20;

/// Ends a process that uses far more than it may. An allocator reserves more memory than it uses.
const LIMITS: &str = "ulimit -t 60; ulimit -v 6000000; ulimit -c 0; exec \"$0\" \"$@\"";

/// The files for standard output and standard error.
const SAID: [&str; 2] = ["stdout", "stderr"];

/// The program to run.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// If it takes longer, it hangs.
    pub(crate) longest: Duration,
}

/// The outcome of a command.
pub(crate) struct Outcome {
    /// The exit code; 128 and more for a signal, -1 for a hang.
    pub(crate) code: i32,
    /// Whether the process that reads models died.
    pub reader_died: bool,
    /// Peak memory of the main process, in KiB.
    pub peak_memory: u64,
    pub(crate) took: Duration,
    /// A forbidden outcome.
    pub(crate) violations: Vec<String>,
}

impl Outcome {
    /// Runs `case` in the folders of `site`.
    pub(crate) fn of(case: &Case, program: &Program, site: &Site) -> Self {
        let before = (entries(&site.run), contents(&site.outside));
        let started = Instant::now();
        let (code, peak_memory) = run(case, &[], program, site);
        let mut outcome = Self {
            code,
            reader_died: false,
            peak_memory,
            took: started.elapsed(),
            violations: Vec::new(),
        };
        outcome.judge(case, &site.run, &before.0);
        if contents(&site.outside) != before.1 {
            let violation = "a file outside of the folder has changed";
            outcome.violations.push(violation.to_owned());
        }
        if case.must == Some(Must::EqualUncached) {
            outcome.compare_uncached(case, program, site);
        }
        outcome
    }

    /// Compares the report with that of a run without a cache.
    fn compare_uncached(&mut self, case: &Case, program: &Program, site: &Site) {
        let report = || fs::read(site.run.join(SAID[0])).unwrap_or_default();
        let cached = (self.code, report());
        let (code, _) = run(case, &["--no-cache"], program, site);
        if cached != (code, report()) {
            let violation = "the cached verdicts differ from the uncached ones";
            self.violations.push(violation.to_owned());
        }
    }

    fn judge(&mut self, case: &Case, folder: &Path, before: &[String]) {
        if self.code == 0 && case.must == Some(Must::NotPass) {
            self.violations.push("it passes".to_owned());
        }
        if self.peak_memory > MOST_MEMORY {
            self.violations.push("it uses too much memory".to_owned());
        }
        let said = SAID.map(|name| fs::read(folder.join(name)).unwrap_or_default());
        let said = String::from_utf8_lossy(&said.concat()).into_owned();
        if !(0..=2).contains(&self.code) {
            self.violations.push(format!("exit code {}", self.code));
        }
        if self.code == 2 && !said.contains("error") {
            self.violations
                .push("exit code 2 without a message".to_owned());
        }
        if said.contains("panicked at") || said.contains("skincheck itself failed") {
            self.violations.push("a panic".to_owned());
        }
        let death = [
            "it crashed with",
            "it aborted itself",
            "it was killed",
            "failed: it panicked",
            "ended with exit code",
        ];
        self.reader_died = death.iter().any(|words| said.contains(words));
        // No file may crash a reader but assimp.
        let own = || {
            IMPORTERS
                .iter()
                .map(|own| own.name())
                .filter(|name| *name != "assimp")
        };
        let by_own = |line: &str| {
            death.iter().any(|words| line.contains(words))
                && own().any(|name| line.contains(&format!("`{name}`")))
        };
        if said.lines().any(by_own) {
            self.violations
                .push("a reader of the project's own died".to_owned());
        }
        for output in case.outputs.iter().filter(|output| output.exists()) {
            let name = output.file_name().unwrap_or_default().to_string_lossy();
            if !before.contains(&name.to_string()) && !is_whole(output) {
                self.violations.push(format!("{name} is not whole"));
            }
        }
        let allowed = |name: &String| {
            before.contains(name)
                || [LAWS, "report", APPROVED].contains(&name.as_str())
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

/// Runs the command of `case`, and returns the exit code and the peak memory in KiB.
fn run(case: &Case, more: &[&str], program: &Program, site: &Site) -> (i32, u64) {
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
    let (status, peak_memory) = watch(child.expect("there is a shell"), program.longest);
    (status.map_or(-1, code), peak_memory)
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

/// Waits for the end; `None` after `longest`. Also returns the peak memory in KiB, as observed.
fn watch(mut child: Child, longest: Duration) -> (Option<ExitStatus>, u64) {
    let (started, mut peak, mut pause) = (Instant::now(), 0, 1);
    loop {
        peak = peak.max(memory_of(child.id()));
        if let Some(status) = child.try_wait().expect("it is a child of this process") {
            return (Some(status), peak);
        }
        if started.elapsed() > longest {
            child.kill().expect("it has not been waited for");
            child.wait().expect("as before");
            return (None, peak);
        }
        thread::sleep(Duration::from_millis(pause));
        pause = (pause + 1).min(20);
    }
}

/// 0 until the process runs its program: before that, it shares the memory of this one.
fn memory_of(process: u32) -> u64 {
    let status = |process: &str| fs::read_to_string(format!("/proc/{process}/status"));
    let status = |process: &str| status(process).unwrap_or_default();
    let (own, status) = (status("self"), status(&process.to_string()));
    if status.lines().next() == own.lines().next() {
        return 0;
    }
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.trim().strip_suffix("kB"));
    number
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(unix)]
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    let signal = || 128 + status.signal().unwrap_or_default();
    status.code().unwrap_or_else(signal)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it is readable").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

/// Whether a file is complete: a PNG to its last chunk, a JSON document to its last bracket, and a text to the end of
/// its last line.
fn is_whole(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match extension.as_ref() {
        "png" | "apng" => bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xae\x42\x60\x82"),
        "gif" => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        "json" => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(),
        _ => bytes.ends_with(b"\n"),
    }
}
