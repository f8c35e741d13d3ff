//! Child processes that end together with all that they started.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};

/// Makes the child the leader of a new process group, which everything that it starts joins.
#[cfg(unix)]
pub fn lead(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Not on this system.
#[cfg(not(unix))]
pub fn lead(_: &mut Command) {}

/// Ends the child's group. The child must not have been reaped: its number could be another's by now.
#[cfg(unix)]
pub fn kill(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails only for a group that has just ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Not on this system.
#[cfg(not(unix))]
pub fn kill(_: &Child) {}

/// The child of [`run`], if there is one.
static CHILD: AtomicU32 = AtomicU32::new(0);

/// Runs a child in a process group of its own to its end. It does not hear of the terminal's Ctrl-C: see [`interrupt`].
///
/// # Errors
///
/// It cannot be started.
pub fn run(mut command: Command) -> io::Result<ExitStatus> {
    lead(&mut command);
    let mut child = command.spawn()?;
    CHILD.store(child.id(), Ordering::Relaxed);
    let status = child.wait();
    CHILD.store(0, Ordering::Relaxed);
    status
}

/// Interrupts the child of [`run`], as Ctrl-C does.
#[cfg(unix)]
pub fn interrupt() {
    use rustix::process::{Pid, Signal, kill_process};
    let child = i32::try_from(CHILD.load(Ordering::Relaxed)).ok();
    if let Some(child) = child.and_then(Pid::from_raw) {
        // Fails only for a process that has just ended.
        let _ = kill_process(child, Signal::INT);
    }
}

/// On this system the child hears of Ctrl-C itself.
#[cfg(not(unix))]
pub fn interrupt() {}

/// Ends this process when its parent ends.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Otherwise it ends by itself.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Not on this system.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {}
