//! The parent's side of an import: starts the child process, reads its answer, and enforces the time limit.

use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::arguments::{Arguments, MISUSED};
use super::confinement::clear_environment;
use super::wire::{self, Answer, WireError};
use super::worker_error::{self, LastWords, Listener, WorkerError};
use super::{Limits, WORKER_COMMAND, hosting_arguments};
use crate::import::{ImporterError, Wanted};
use crate::process_group;

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
/// [`WorkerError`] if no complete answer came within the limits; an answer may still be an [`ImporterError`].
pub(super) fn run(
    program: &Path,
    importer: &str,
    path: &Path,
    wanted: &Wanted,
    limits: &Limits,
) -> Result<Answer, WorkerError> {
    let arguments = Arguments::new(importer, path, wanted, limits);
    let reply = ask(program, &arguments, limits)?;
    // Decoding is not subject to the deadline, and nobody waits for the child meanwhile.
    match reply.decoded(limits, wire::decode)? {
        Err(error) if says_out_of_memory(&error) => Err(out_of_memory(limits, reply.words)),
        answer => Ok(answer),
    }
}

/// Starts a worker with `arguments`, and waits for its reply.
///
/// # Errors
///
/// [`WorkerError`] if it cannot be started and stopped.
pub(super) fn ask(
    program: &Path,
    arguments: &Arguments,
    limits: &Limits,
) -> Result<Reply, WorkerError> {
    // No deadline if it would overflow the clock.
    let deadline = Instant::now().checked_add(limits.time);
    let (mut worker, stdout, words) = Worker::start(program, arguments)?;
    let answers = receive(stdout, limits.stream_bytes()).map_err(WorkerError::NoThread)?;
    let payload = worker.watch(&answers, deadline);
    if let Some(Err(WireError::Truncated { .. })) = payload {
        worker.wait(GRACE);
    }
    let status = worker.ended;
    worker.stop().map_err(WorkerError::Lost)?;
    let words = words.last_words();
    Ok(Reply {
        payload,
        status,
        words,
    })
}

/// What came from a worker until its end.
pub(super) struct Reply {
    /// `None` if time was up.
    payload: Option<Payload>,
    /// `None` if it was stopped.
    status: Option<ExitStatus>,
    words: LastWords,
}

impl Reply {
    /// The answer, which `decode` reads.
    ///
    /// # Errors
    ///
    /// [`WorkerError`] if it is not complete.
    pub(super) fn decoded<T>(
        &self,
        limits: &Limits,
        decode: impl FnOnce(&[u8]) -> Result<T, WireError>,
    ) -> Result<T, WorkerError> {
        let words = || self.words.clone();
        let error = match &self.payload {
            Some(Ok(payload)) => match decode(payload) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            },
            Some(Err(error)) => error.clone(),
            None => return Err(timed_out(limits, words())),
        };
        Err(without_answer(error, self.status, limits, words()))
    }
}

fn without_answer(
    source: WireError,
    status: Option<ExitStatus>,
    limits: &Limits,
    words: LastWords,
) -> WorkerError {
    let signal = status.and_then(worker_error::signal_of);
    match (signal, status.and_then(|status| status.code())) {
        (Some(signal), _) if worker_error::is_time_limit(signal) => timed_out(limits, words),
        (Some(_), _) if words.report_memory() => out_of_memory(limits, words),
        (Some(signal), _) => WorkerError::Crashed { signal, words },
        (None, Some(code)) if code == i32::from(MISUSED) => WorkerError::OtherVersion,
        (None, Some(code)) if code != 0 => WorkerError::Exited { code, words },
        _ => WorkerError::Stream { source, words },
    }
}

fn out_of_memory(limits: &Limits, words: LastWords) -> WorkerError {
    let limit_bytes = limits.memory_bytes;
    WorkerError::OutOfMemory { limit_bytes, words }
}

fn timed_out(limits: &Limits, words: LastWords) -> WorkerError {
    let limit = limits.time;
    WorkerError::TimedOut { limit, words }
}

/// Whether the error is a lack of memory that the worker did not notice: C++ code that catches its own `std::bad_alloc`
/// reports it as a fault of the file.
fn says_out_of_memory(error: &ImporterError) -> bool {
    match error {
        ImporterError::OutOfMemory => true,
        ImporterError::Parse { message } => {
            message.contains("bad_alloc") || message.contains("bad allocation")
        }
        _ => false,
    }
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
        process_group::found(&mut command);
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
    thread::Builder::new().spawn(move || {
        // The receiver is gone if time was up.
        let _ = sender.send(wire::receive(&mut stdout, limit));
    })?;
    Ok(receiver)
}

#[cfg(test)]
pub(super) mod tests;
