//! Waits for a program and all that it starts, and measures what they take.

use std::fs;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{self, Pid, Signal, WaitOptions};

/// The KiB at which a program is ended: far more than it may hold.
const MOST_MEMORY: u64 = 4 << 20;

/// How long processes that end with their parent may take to do so.
const LONGEST_END: Duration = Duration::from_secs(5);

/// What a program has done and taken.
pub(crate) struct Watched {
    /// `None` if it took too long, or far too much memory, and was ended.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) took: Duration,
    /// Peak memory of the program alone, with its code, in KiB.
    pub(crate) peak: u64,
    /// Peak memory that the program and all that it started held at once, without their code, in KiB, as observed.
    pub(crate) peak_together: u64,
    /// Whether a process that it started outlives it.
    pub(crate) leaves_processes: bool,
}

/// Makes this process the parent of those that a program leaves behind, for [`watch`].
pub(crate) fn adopt() {
    #[cfg(target_os = "linux")]
    process::set_child_subreaper(Some(process::getpid())).expect("Linux lets every process do so");
}

/// Waits for the end of `child`, but not longer than `longest`.
pub(crate) fn watch(mut child: Child, longest: Duration) -> Watched {
    let (started, mut pause) = (Instant::now(), 1);
    let (mut peak, mut peak_together) = (0, 0);
    let mut status = None;
    while status.is_none() && started.elapsed() <= longest && peak_together <= MOST_MEMORY {
        if has_begun(child.id()) {
            peak = peak.max(memory(child.id(), "VmHWM:"));
            peak_together = peak_together.max(memory_together(child.id()));
        }
        status = child.try_wait().expect("it is a child of this process");
        if status.is_none() {
            thread::sleep(Duration::from_millis(pause));
            pause = (pause + 1).min(20);
        }
    }
    let took = started.elapsed();
    if status.is_none() {
        child.kill().expect("it has not been waited for");
        child.wait().expect("as before");
    }
    Watched {
        status,
        took,
        peak,
        peak_together,
        leaves_processes: !have_ended(),
    }
}

/// Whether all processes that a program has left end soon. Any others are killed.
fn have_ended() -> bool {
    let ended_at = Instant::now();
    let mut is_in_time = true;
    // An error says that there are none.
    while let Ok(ended) = process::waitpid(None, WaitOptions::NOHANG) {
        if ended.is_some() {
            continue;
        }
        if ended_at.elapsed() > LONGEST_END {
            is_in_time = false;
            for child in children(std::process::id()) {
                kill(child);
            }
        }
        thread::sleep(Duration::from_millis(5));
    }
    is_in_time
}

fn kill(process: u32) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    // Fails only for a process that has just ended.
    let _ = process.map(|process| process::kill_process(process, Signal::KILL));
}

/// False until the process runs its program: before that, it shares the memory of this one.
fn has_begun(process: u32) -> bool {
    let name = |process: &str| fs::read_to_string(format!("/proc/{process}/comm")).ok();
    name(&process.to_string()) != name("self")
}

fn memory_together(process: u32) -> u64 {
    let own = memory(process, "RssAnon:");
    let of_children = children(process).into_iter().map(memory_together);
    own + of_children.sum::<u64>()
}

/// A number of KiB that Linux states of a process; 0 if it has ended.
fn memory(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mut lines = status.lines();
    let number = lines.find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let lists = lists.map(Result::unwrap_or_default).collect::<String>();
    let numbers = lists.split_whitespace();
    numbers.filter_map(|number| number.parse().ok()).collect()
}
