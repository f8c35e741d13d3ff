//! A child process that tries what a file that has taken over an importer would try, and reports what succeeds.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confinement::{Confinement, is_environment_clear};
use super::wire::{self, Arguments};
use super::{Limits, WORKER_COMMAND, sandbox};
use crate::import::{Isolation, Wanted, WorkerError};

/// The name that the worker takes for this test instead of an importer's.
pub(super) const NAME: &str = "self-test";

/// A file in the folder above the model's.
const SECRET: &str = "secret";

/// Something that importers in a child process must not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Denial {
    /// What the child process tried, such as "other files".
    pub what: &'static str,
    /// Whether it was refused.
    pub in_force: bool,
    /// The reason why it was not refused; `None` for an unexpected success.
    pub reason: Option<String>,
}

/// Starts a child process as for an import, which tries what a hostile file would try.
///
/// Returns everything that importers must not do, and whether the system refused it; nothing if importers run
/// [in this process](Isolation::InProcess).
///
/// # Errors
///
/// [`WorkerError`]: the child process cannot be started, or gives no answer.
pub fn denials(isolation: &Isolation) -> Result<Vec<Denial>, WorkerError> {
    let (Isolation::Process { program } | Isolation::ForeignCode { program }) = isolation else {
        return Ok(Vec::new());
    };
    let limits = Limits {
        memory_bytes: 1 << 30,
        time: Duration::from_secs(20),
    };
    let not_tried = WorkerError::NoFolder;
    let scene = tempfile::tempdir().map_err(not_tried)?;
    let model = scene.path().join("model").join("model");
    let write = |path: &Path| fs::write(path, "x");
    let made = fs::create_dir(scene.path().join("model")).and_then(|()| write(&model));
    made.and_then(|()| write(&scene.path().join(SECRET)))
        .map_err(not_tried)?;
    let arguments = Arguments::new(NAME, &model, &Wanted::default(), &limits);
    let reply = sandbox::ask(program, &arguments, &limits)?;
    let outcome = reply.decoded(&limits, wire::unpack)?;
    Ok(judge(&outcome, has_network()))
}

/// What the child process could do.
#[derive(Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "one per attempt")]
struct Outcome {
    confinement: Confinement,
    reads: bool,
    writes: bool,
    connects: bool,
    starts: bool,
    raises: bool,
    gains_privileges: bool,
    sees_environment: bool,
}

/// Tries everything in the child process, and returns the answer for its parent.
///
/// * `model` – in the folder that may be read.
pub(super) fn outcome(model: &Path, confinement: Confinement) -> impl Serialize {
    let folder = model.parent().unwrap_or(Path::new(""));
    let secret = folder.parent().map(|above| above.join(SECRET));
    let written = File::create_new(folder.join("new"));
    Outcome {
        confinement,
        reads: secret.is_some_and(|secret| File::open(secret).is_ok()),
        writes: written.is_ok() || File::options().append(true).open(model).is_ok(),
        connects: has_network(),
        starts: starts_itself().is_ok(),
        raises: raises_limit(),
        gains_privileges: gains_privileges(),
        sees_environment: !is_environment_clear(),
    }
}

/// Whether this process can listen, for which it needs a socket.
fn has_network() -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).is_ok()
}

/// Starts this program with too few arguments, so that it ends at once.
fn starts_itself() -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(WORKER_COMMAND).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(|_| ())
}

/// Whether this process can lift the limit on its memory.
#[cfg(unix)]
fn raises_limit() -> bool {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let lifted = Rlimit {
        current: None,
        maximum: None,
    };
    getrlimit(Resource::As).current.is_none() || setrlimit(Resource::As, lifted).is_ok()
}

#[cfg(not(unix))]
fn raises_limit() -> bool {
    true
}

/// Whether a program that this process starts may have more privileges than it has itself.
#[cfg(target_os = "linux")]
fn gains_privileges() -> bool {
    !rustix::thread::no_new_privs().unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn gains_privileges() -> bool {
    true
}

/// * `has_network` – whether the parent can do what the child tried.
fn judge(outcome: &Outcome, has_network: bool) -> Vec<Denial> {
    let confinement = &outcome.confinement;
    let files = confinement.files.clone().err();
    let calls = confinement.calls.clone().err();
    let limits = confinement.limits.clone().err();
    // Refused by either of two mechanisms.
    let either = files.clone().and(calls.clone());
    let denial = |what, succeeded: bool, lacking: Option<String>| Denial {
        what,
        in_force: !succeeded,
        reason: lacking.filter(|_| succeeded),
    };
    let mut network = denial("network", outcome.connects, calls.clone());
    if !has_network {
        network.in_force = false;
        network.reason = Some("not tested: this process has no network, either".to_owned());
    }
    vec![
        denial("other files", outcome.reads, files),
        denial("writing", outcome.writes, either.clone()),
        network,
        denial("programs", outcome.starts, either.clone()),
        denial("higher limits", outcome.raises, limits),
        denial("privileges", outcome.gains_privileges, either),
        denial("environment", outcome.sees_environment, None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_succeeds_is_not_in_force_and_has_its_reason() {
        let lacking = || Err("Landlock: not supported by this kernel".to_owned());
        let outcome = Outcome {
            confinement: Confinement {
                files: lacking(),
                ..Confinement::default()
            },
            reads: true,
            starts: true,
            ..Outcome::default()
        };
        let shown = |denials: Vec<Denial>| -> Vec<String> {
            let open = denials.into_iter().filter(|denial| !denial.in_force);
            open.map(|denial| format!("{}: {:?}", denial.what, denial.reason))
                .collect()
        };
        assert_eq!(
            shown(judge(&outcome, true)),
            [
                "other files: Some(\"Landlock: not supported by this kernel\")",
                // The filter of system calls should have refused it.
                "programs: None",
            ]
        );
        let untested = shown(judge(&Outcome::default(), false));
        assert_eq!(
            untested,
            ["network: Some(\"not tested: this process has no network, either\")"]
        );
    }
}
