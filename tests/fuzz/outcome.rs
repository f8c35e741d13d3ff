//! Runs a command within limits, and judges its outcome.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::case::{Case, LAWS};

/// A command that takes longer hangs; the machine may be busy.
const LONGEST: Duration = Duration::from_secs(120);

/// The processor seconds and KiB of memory that a process may use.
const LIMITS: &str = "ulimit -t 60; ulimit -v 6000000; ulimit -c 0; exec \"$0\" \"$@\"";

/// The files for standard output and standard error.
const SAID: [&str; 2] = ["stdout", "stderr"];

/// skincheck's own readers, which no file may crash.
const OWN: &[&str] = &["gltf", "fbx", "iqm", "md5"];

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
    /// Runs `case` in `folder`.
    pub(crate) fn of(case: &Case, program: &Path, folder: &Path) -> Self {
        let before = entries(folder);
        let started = Instant::now();
        let [stdout, stderr] =
            SAID.map(|name| File::create(folder.join(name)).expect("the folder is writable"));
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", LIMITS])
            .arg(program)
            .args(&case.arguments)
            .current_dir(folder);
        command
            .env("RAYON_NUM_THREADS", "2")
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        let child = command.spawn().expect("there is a shell");
        let (status, peak_memory) = watch(child);
        let mut outcome = Self {
            code: status.map_or(-1, code),
            reader_died: false,
            peak_memory,
            took: started.elapsed(),
            violations: Vec::new(),
        };
        outcome.judge(case, folder, &before);
        outcome
    }

    fn judge(&mut self, case: &Case, folder: &Path, before: &[String]) {
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
        let by_own = |line: &str| {
            let is_own = |name: &&str| line.contains(&format!("`{name}`"));
            death.iter().any(|words| line.contains(words)) && OWN.iter().any(|name| is_own(&name))
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
                || name == LAWS
                // Where approvals are is up to the configuration.
                || (case.kind == "skincheck.toml" && folder.join(name).is_dir())
                || SAID.contains(&name.as_str())
                || case.outputs.contains(&folder.join(name))
        };
        for stray in entries(folder).iter().filter(|name| !allowed(name)) {
            self.violations.push(format!("{stray} is left behind"));
        }
    }
}

/// Waits for the end; `None` after [`LONGEST`]. Also returns the peak memory in KiB, as observed.
fn watch(mut child: Child) -> (Option<ExitStatus>, u64) {
    let (started, mut peak, mut pause) = (Instant::now(), 0, 1);
    loop {
        peak = peak.max(memory_of(child.id()));
        if let Some(status) = child.try_wait().expect("it is a child of this process") {
            return (Some(status), peak);
        }
        if started.elapsed() > LONGEST {
            child.kill().expect("it has not been waited for");
            child.wait().expect("as before");
            return (None, peak);
        }
        thread::sleep(Duration::from_millis(pause));
        pause = (pause + 1).min(20);
    }
}

fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
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
        "png" => bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xae\x42\x60\x82"),
        "gif" => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        "webp" => {
            let length = bytes.get(4..8).and_then(|length| length.try_into().ok());
            let length = length.map(|length| u32::from_le_bytes(length) as usize + 8);
            bytes.starts_with(b"RIFF") && length == Some(bytes.len())
        }
        "json" => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(),
        _ => bytes.ends_with(b"\n"),
    }
}
