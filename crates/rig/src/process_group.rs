//! Child processes that end together with all that they started.

use std::process::{Child, Command};

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
