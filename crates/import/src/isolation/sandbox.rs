//! The parent's side of an import: starts the child process, reads its answer, and enforces the time limit.

use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::confinement::clear_environment;
use super::wire::{self, Answer, Arguments, MISUSED, WireError};
use super::worker_error::{self, LastWords, Listener, WorkerError};
use super::{Budget, WORKER_COMMAND, hosting_arguments};
use crate::account::{self, AccountId};
use crate::process_group;
use crate::{ImporterError, Wanted};

/// How often a silent child is checked for being alive.
const POLL: Duration = Duration::from_millis(20);

/// How long to wait for the rest of the pipe after the child's end (another process may hold it open), and for the child's
/// end after it has closed its pipe. Data in a pipe is read at once, but a busy machine may take a while.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the importer called `importer` on `path` in a child process of `program`.
///
/// * `wanted` – the parts to read.
///
/// # Errors
///
/// [`WorkerError`] if no complete answer came within the budget; an answer may still be an [`ImporterError`].
pub(super) fn run(
    program: &Path,
    importer: &str,
    path: &Path,
    wanted: &Wanted,
    budget: &Budget,
) -> Result<Answer, WorkerError> {
    let arguments = Arguments::new(importer, path, wanted, budget);
    // No deadline if it would overflow the clock.
    let deadline = Instant::now().checked_add(budget.time);
    account::release();
    let (mut worker, stdout, words) = Worker::start(program, &arguments)?;
    let answers = receive(stdout, budget.stream_bytes()).map_err(WorkerError::NoThread)?;
    let payload = worker.watch(&answers, deadline);
    if let Some(Err(WireError::Truncated { .. })) = payload {
        worker.wait(GRACE);
    }
    let status = worker.ended;
    worker.stop().map_err(WorkerError::Lost)?;
    let words = words.last_words();
    let Some(payload) = payload else {
        return Err(timed_out(budget, words));
    };
    // Decoding is not subject to the deadline, and nobody waits for the child meanwhile.
    match payload.and_then(|payload| wire::decode(&payload)) {
        Ok(Err(ImporterError::OutOfMemory)) => Err(out_of_memory(budget, words)),
        Ok(answer) => Ok(answer),
        Err(error) => Err(without_answer(error, status, budget, words)),
    }
}

fn without_answer(
    source: WireError,
    status: Option<ExitStatus>,
    budget: &Budget,
    words: LastWords,
) -> WorkerError {
    let signal = status.and_then(worker_error::signal_of);
    match (signal, status.and_then(|status| status.code())) {
        (Some(signal), _) if worker_error::is_time_limit(signal) => timed_out(budget, words),
        (Some(_), _) if words.report_memory() => out_of_memory(budget, words),
        (Some(signal), _) => WorkerError::Crashed { signal, words },
        (None, Some(code)) if code == i32::from(MISUSED) => WorkerError::OtherVersion,
        (None, Some(code)) if code != 0 => WorkerError::Exited { code, words },
        _ => WorkerError::Stream { source, words },
    }
}

fn out_of_memory(budget: &Budget, words: LastWords) -> WorkerError {
    let limit_bytes = budget.memory_bytes;
    WorkerError::OutOfMemory { limit_bytes, words }
}

fn timed_out(budget: &Budget, words: LastWords) -> WorkerError {
    let limit = budget.time;
    WorkerError::TimedOut { limit, words }
}

/// A child process that is always stopped and reaped.
struct Worker {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Worker {
    fn start(
        program: &Path,
        arguments: &Arguments,
    ) -> Result<(Self, ChildStdout, Listener), WorkerError> {
        let mut command = Command::new(program);
        command.args(hosting_arguments(program));
        command.arg(WORKER_COMMAND).args(arguments.to_vec());
        clear_environment(&mut command);
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        process_group::lead(&mut command);
        let mut child = command.spawn().map_err(|source| {
            let program = program.to_owned();
            WorkerError::NotStarted { program, source }
        })?;
        let stdout = child.stdout.take().expect("the command asked for a pipe");
        let stderr = child.stderr.take().expect("the command asked for a pipe");
        let ended = None;
        let worker = Self { child, ended };
        let words = Listener::follow(stderr).map_err(WorkerError::NoThread)?;
        Ok((worker, stdout, words))
    }

    /// Waits for the payload of the answer or the child's end; `None` at `deadline`.
    fn watch(&mut self, answers: &Receiver<Payload>, deadline: Option<Instant>) -> Option<Payload> {
        let silence = || {
            let expected = wire::HEADER as u64;
            let received = 0;
            Err(WireError::Truncated { received, expected })
        };
        loop {
            let left = deadline.map_or(Duration::MAX, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            match answers.recv_timeout(left.min(POLL)) {
                Ok(answer) => return Some(answer),
                Err(RecvTimeoutError::Disconnected) => return Some(silence()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.has_ended() {
                let rest = answers.recv_timeout(GRACE);
                return Some(rest.unwrap_or_else(|_| silence()));
            }
        }
    }

    /// Waits for the child's own end, `grace` at most.
    fn wait(&mut self, grace: Duration) {
        let deadline = Instant::now() + grace;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended.is_some()
    }

    /// Ends the child and its children, unless it has ended by itself, and reaps it.
    fn stop(&mut self) -> io::Result<()> {
        if self.ended.is_none() {
            process_group::kill(&self.child);
            // Fails only for a child that has just ended.
            let _ = self.child.kill();
            self.ended = Some(self.child.wait()?);
        }
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // There is nobody to report a failure to.
        let _ = self.stop();
    }
}

/// The payload of an answer, not yet decoded.
type Payload = Result<Vec<u8>, WireError>;

/// Reads one answer in its own thread.
fn receive(mut stdout: ChildStdout, limit: u64) -> io::Result<Receiver<Payload>> {
    let (sender, receiver) = mpsc::channel();
    let account = AccountId::own();
    thread::Builder::new().spawn(move || {
        let payload = account.run(|| wire::receive(&mut stdout, limit));
        // The receiver is gone if time was up.
        let _ = sender.send(payload);
    })?;
    Ok(receiver)
}

#[cfg(unix)]
#[cfg(test)]
pub(super) mod tests {
    use std::fs::{self, File};
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::PathBuf;
    use std::sync::OnceLock;

    use tempfile::TempDir;

    use super::*;
    use crate::testing::{empty_asset, encoded};

    /// A program that runs its last argument, the "model", as a shell script. Made once, before anything is started: a
    /// program that is still open for writing in another thread's child cannot be run.
    pub(crate) fn puppet() -> &'static Path {
        static PUPPET: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
        let (_, path) = PUPPET.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("puppet");
            let mut options = File::options();
            let mut file = options
                .create_new(true)
                .write(true)
                .mode(0o755)
                .open(&path)
                .unwrap();
            file.write_all(b"#!/bin/sh\neval \"last=\\${$#}\"\n. \"$last\"\n")
                .unwrap();
            (folder, path)
        });
        path
    }

    const LIMITS: Budget = Budget {
        memory_bytes: 64 << 20,
        time: Duration::from_secs(20),
    };

    fn run_script(script: &str, budget: &Budget) -> Result<Answer, WorkerError> {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model.sh");
        fs::write(&model, script).unwrap();
        run(puppet(), "fake", &model, &Wanted::default(), budget)
    }

    /// The message with its cause.
    fn failure(script: &str) -> String {
        let error = run_script(script, &LIMITS).unwrap_err();
        let source = std::error::Error::source(&error);
        source.map_or(error.to_string(), |source| format!("{error}: {source}"))
    }

    /// A script that prints `stream` to its stdout.
    fn printing(stream: &[u8]) -> String {
        let octal: Vec<String> = stream.iter().map(|byte| format!("\\{byte:03o}")).collect();
        format!("printf '{}'\n", octal.concat())
    }

    fn answer() -> Vec<u8> {
        encoded(&Ok(empty_asset()))
    }

    #[test]
    fn an_answer_arrives() {
        let outcome = run_script(&printing(&answer()), &LIMITS).unwrap();
        assert_eq!(outcome, Ok(empty_asset()));
    }

    /// However long that takes: the clock runs for the child, and not for its parent.
    #[test]
    fn an_answer_counts_before_it_is_decoded() {
        let mut stream = answer();
        stream[wire::HEADER] = 7;
        let payload = wire::receive(&mut stream.as_slice(), u64::MAX).unwrap();
        assert_eq!(payload, stream[wire::HEADER..]);
        assert!(matches!(wire::decode(&payload), Err(WireError::Payload(_))));
        let short = wire::receive(&mut &stream[..stream.len() - 1], u64::MAX);
        assert!(matches!(short, Err(WireError::Truncated { .. })));
    }

    #[test]
    fn a_worker_that_dawdles_after_its_answer_is_not_waited_for() {
        let started = Instant::now();
        let script = format!("{}sleep 15", printing(&answer()));
        assert!(run_script(&script, &LIMITS).is_ok());
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn the_end_of_a_child_without_an_answer_is_reported_in_words() {
        let mut huge = answer();
        huge[..wire::HEADER].copy_from_slice(&u64::MAX.to_le_bytes());
        let torn = &answer()[..answer().len() - 1];
        let scripts = [
            ("a crash", "kill -SEGV $$"),
            ("an abort", "echo 'assertion failed: x' >&2; kill -ABRT $$"),
            (
                "a failed allocation",
                "echo 'what():  std::bad_alloc' >&2; kill -ABRT $$",
            ),
            ("a kill from outside", "kill -KILL $$"),
            ("an exit", "exit 3"),
            // A backtrace would push what matters out of the last words.
            (
                "without a backtrace",
                "echo \"trace $RUST_BACKTRACE\" >&2; exit 3",
            ),
            ("another version", "exit 2"),
            (
                "endless output",
                "while :; do echo spam spam spam spam spam spam; done",
            ),
            ("a model larger than the memory", &printing(&huge)),
            ("a stream that breaks off", &printing(torn)),
        ];
        let failures = scripts.map(|(what, script)| format!("{what}: {}", failure(script)));
        insta::assert_snapshot!(failures.join("\n"), @r#"
        a crash: it crashed with SIGSEGV, an invalid memory access; the file is damaged, or the importer has a bug
        an abort: it aborted itself (SIGABRT); the file is damaged, or the importer has a bug; its last words: "assertion failed: x"
        a failed allocation: it needed more than 64 MiB of memory; raise --memory if the file is really that large; its last words: "what():  std::bad_alloc"
        a kill from outside: it was killed (SIGKILL), most likely because the machine ran out of memory
        an exit: it exited with code 3 without a result
        without a backtrace: it exited with code 3 without a result; its last words: "trace 0"
        another version: the skincheck binary that reads models has another version; install only one version, or set SKINCHECK_BINARY
        endless output: it returned no usable result: the model needs 7021238402181853299 bytes, but 33554432 are allowed; raise --memory
        a model larger than the memory: it returned no usable result: the model needs 18446744073709551615 bytes, but 33554432 are allowed; raise --memory
        a stream that breaks off: it returned no usable result: the stream ends after 40 of 41 bytes
        "#);
    }

    #[test]
    fn an_importer_that_lacks_memory_needs_a_higher_limit() {
        let stream = encoded(&Err(ImporterError::OutOfMemory));
        let error = run_script(&printing(&stream), &LIMITS).unwrap_err();
        assert!(
            matches!(error, WorkerError::OutOfMemory { limit_bytes, .. } if limit_bytes == 64 << 20)
        );
    }

    #[test]
    fn a_hang_ends_when_time_is_up() {
        let started = Instant::now();
        let budget = Budget {
            time: Duration::from_millis(300),
            ..LIMITS
        };
        let error = run_script("echo thinking >&2; sleep 30", &budget).unwrap_err();
        insta::assert_snapshot!(error, @r#"it did not finish within 0.3 s; raise --timeout if the file is really that large; its last words: "thinking""#);
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_worker_that_never_stops_talking_to_stderr_ends_when_time_is_up() {
        let budget = Budget {
            time: Duration::from_millis(300),
            ..LIMITS
        };
        let error = run_script("while :; do echo noise >&2; done", &budget).unwrap_err();
        assert!(matches!(error, WorkerError::TimedOut { .. }), "{error}");
    }

    #[test]
    fn a_crash_in_the_middle_of_the_answer_is_a_crash() {
        let script = format!("{}kill -SEGV $$", printing(&answer()[..20]));
        let error = run_script(&script, &LIMITS).unwrap_err();
        assert!(
            matches!(error, WorkerError::Crashed { signal: 11, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_pipe_held_open_by_a_grandchild_does_not_block() {
        let started = Instant::now();
        let error = run_script("sleep 15 &\nexit 3", &LIMITS).unwrap_err();
        assert!(
            matches!(error, WorkerError::Exited { code: 3, .. }),
            "{error}"
        );
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_closed_pipe_and_a_lingering_worker_do_not_block() {
        let started = Instant::now();
        let error = run_script("exec 1>&-; sleep 15", &LIMITS).unwrap_err();
        assert!(matches!(error, WorkerError::Stream { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn nothing_is_left_of_a_worker_that_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let budget = Budget {
            time: Duration::from_millis(500),
            ..LIMITS
        };
        let script = format!("sleep 30 & echo $$ $! > {}; wait", pids.display());
        run_script(&script, &budget).unwrap_err();
        let written = fs::read_to_string(&pids).unwrap();
        for pid in written.split_whitespace() {
            wait_for_end(pid.parse().unwrap());
        }
    }

    /// A killed grandchild is reaped by the system, some time.
    fn wait_for_end(pid: i32) {
        use rustix::process::{Pid, test_kill_process};
        let deadline = Instant::now() + Duration::from_secs(5);
        while test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() && !is_zombie(pid) {
            assert!(Instant::now() < deadline, "process {pid} is still there");
            thread::sleep(POLL);
        }
    }

    /// Dead, but not reaped where nobody does that.
    fn is_zombie(pid: i32) -> bool {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        status.contains(") Z ")
    }

    #[test]
    fn a_child_finds_no_environment_but_what_it_needs() {
        use crate::isolation::confinement::{KEPT_VARIABLES, SET_VARIABLES};
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        run_script(&format!("env > {}; exit 3", seen.display()), &LIMITS).unwrap_err();
        let text = fs::read_to_string(&seen).unwrap();
        // The shell and macOS set the last ones.
        let shell = ["PWD", "OLDPWD", "SHLVL", "_", "__CF_USER_TEXT_ENCODING"];
        let known = [
            &KEPT_VARIABLES[..],
            &SET_VARIABLES.map(|(name, _)| name),
            &shell,
        ]
        .concat();
        for line in text.lines() {
            let (name, _) = line.split_once('=').unwrap();
            assert!(known.contains(&name), "{name}");
        }
        assert!(text.contains("RUST_BACKTRACE=0") && text.contains("PATH="));
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(
            Path::new("/nowhere/skincheck"),
            "fake",
            Path::new("a.fbx"),
            &Wanted::default(),
            &LIMITS,
        );
        insta::assert_snapshot!(error.unwrap_err(), @"cannot start the program `/nowhere/skincheck`, which reads models in a child process");
    }
}
