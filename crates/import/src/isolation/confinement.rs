//! What the child process of an import may do: read the files that its model may name, and write its answer.
//!
//! Importers are large, and some are C and C++: a hostile file may take the process over. It then has the limits set
//! here, cannot lift them, and finds an [environment](clear_environment) without secrets. On Linux it can neither open other
//! files ([`allow_reading`]) nor start programs or reach the network ([`calls`]).

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod calls;

use std::env;
use std::process::Command;

use crate::files::Reach;

/// The variables that the child keeps: what a system needs to find the program and its libraries.
pub(super) const KEPT_VARIABLES: [&str; 4] =
    ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"];

/// The variables that it gets. A backtrace would push a panic's message out of the last words. The reserve is in KiB: the
/// program's allocator would reserve a gigabyte of addresses, which count towards the memory limit.
pub(super) const SET_VARIABLES: [(&str, &str); 2] =
    [("RUST_BACKTRACE", "0"), ("MIMALLOC_ARENA_RESERVE", "16384")];

/// Leaves nothing of the environment to the child but [`KEPT_VARIABLES`]: others may hold tokens.
pub(super) fn clear_environment(command: &mut Command) {
    command.env_clear();
    let kept = KEPT_VARIABLES.iter();
    command.envs(kept.filter_map(|name| Some((name, env::var_os(name)?))));
    command.envs(SET_VARIABLES);
}

/// Limits this process for good. A mechanism that the system lacks is skipped.
///
/// Must be called before any other thread is started: most mechanisms hold for the calling thread and those that it
/// starts.
///
/// * `memory_bytes` – of address space.
/// * `processor_seconds` – for a child that has lost its parent, which enforces wall-clock time.
/// * `reach` – the files that may be read.
pub(super) fn confine(memory_bytes: u64, processor_seconds: u64, reach: &Reach) {
    set_limits(memory_bytes, processor_seconds);
    #[cfg(target_os = "linux")]
    // Fails in kernels without Landlock.
    let _ = allow_reading(reach);
    #[cfg(not(target_os = "linux"))]
    let _ = reach;
    // Last: it forbids what the others need. Fails in kernels without filters of system calls.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    let _ = calls::allow_what_importers_need();
}

/// Sets limits with a maximum equal to the current value, so that the process cannot lift them.
#[cfg(unix)]
fn set_limits(memory_bytes: u64, processor_seconds: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let limit = |resource, wanted: u64| {
        let maximum = getrlimit(resource).maximum;
        let hard = Some(maximum.map_or(wanted, |maximum| wanted.min(maximum)));
        let limit = Rlimit {
            current: hard,
            maximum: hard,
        };
        // A system without one of them has the others.
        let _ = setrlimit(resource, limit);
    };
    limit(Resource::Core, 0);
    limit(Resource::As, memory_bytes);
    limit(Resource::Cpu, processor_seconds);
}

#[cfg(not(unix))]
fn set_limits(_: u64, _: u64) {}

/// Lets this thread, and those that it starts, read below the folders of `reach` and do nothing else with files: no
/// writing, no program, no TCP, and no signal to a process outside. Sets `no_new_privs`.
///
/// Returns what the kernel enforces.
#[cfg(target_os = "linux")]
fn allow_reading(reach: &Reach) -> Result<landlock::RulesetStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
        path_beneath_rules,
    };
    /// The newest version whose rights are named here; an older kernel enforces those it knows.
    const NEWEST: ABI = ABI::V10;
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let rules = path_beneath_rules(reach.folders(), reading);
    Ok(ruleset.add_rules(rules)?.restrict_self()?.ruleset)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use landlock::RulesetStatus;

    use super::*;

    #[test]
    fn only_files_in_reach_are_read_and_none_is_written() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir(at("model")).unwrap();
        fs::write(at("model/m.fbx"), "x").unwrap();
        fs::write(at("secret"), "x").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let reach = Reach::of(&at("model/m.fbx"), &[]);
        let confined = thread::scope(|scope| {
            let tries = scope.spawn(|| {
                let status = allow_reading(&reach).unwrap();
                let done = [
                    File::open(at("model/m.fbx")).is_ok(),
                    fs::read_dir(at("model")).is_ok(),
                    File::open(at("secret")).is_ok(),
                    File::create(at("model/new")).is_ok(),
                    fs::remove_file(at("model/m.fbx")).is_ok(),
                    TcpStream::connect(address).is_ok(),
                ];
                (status, done)
            });
            tries.join().unwrap()
        });
        match confined {
            (RulesetStatus::NotEnforced, done) => assert_eq!(done, [true; 6]),
            // Before Linux 6.7, the network is left to the filter of system calls.
            (RulesetStatus::PartiallyEnforced, done) => {
                assert_eq!(done[..5], [true, true, false, false, false]);
            }
            (RulesetStatus::FullyEnforced, done) => {
                assert_eq!(done, [true, true, false, false, false, false]);
            }
        }
    }
}
