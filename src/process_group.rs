//! Child processes that end together with all that they started.

use std::process::{Child, Command};

/// The child will be in a process group of its own, with everything that it starts.
#[cfg(unix)]
pub(crate) fn found(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Not on this system.
#[cfg(not(unix))]
pub(crate) fn found(_: &mut Command) {}

/// Ends the child's group. The child must not have been reaped: its number could be another's by now.
#[cfg(unix)]
pub(crate) fn kill(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails only for a group that has just ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Not on this system.
#[cfg(not(unix))]
pub(crate) fn kill(_: &Child) {}
