//! What requests are sent to: a function, or a program that answers lines with lines, over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use crate::process_group;

/// The longest line that is read. Requests have some nodes, vertices and times, so that a proper answer has some
/// kilobytes.
pub(super) const LONGEST_LINE: u64 = 16 << 20;

/// The most characters of a program's text in a message.
const QUOTED: usize = 200;

/// A program's text, as much as a message holds.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}

/// Why a program did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The shell cannot be started.
    #[error("the program cannot be started")]
    Start(#[source] io::Error),
    /// The program ended or closed its output.
    #[error("the program ended {}before it answered request {id}{}", shown(*status), said(skipped))]
    Ended {
        /// The request.
        id: u64,
        /// Its exit status, if it has ended.
        status: Option<ExitStatus>,
        /// Lines that were no answers.
        skipped: Skipped,
    },
    /// The program did not answer in time.
    #[error(
        "the program did not answer request {id} within {} s; raise --reply-timeout if it is really that slow, and flush \
         its output after each line{}",
        limit.as_secs_f64(),
        said(skipped)
    )]
    Slow {
        /// The request.
        id: u64,
        /// The time limit.
        limit: Duration,
        /// Lines that were no answers.
        skipped: Skipped,
    },
    /// The program wrote an invalid answer.
    #[error(
        "the answer to request {id} is not one JSON object with `id` and `poses`: {reason}; it begins {line:?}"
    )]
    Garbage {
        /// The request.
        id: u64,
        /// The error.
        reason: String,
        /// The first characters of the line.
        line: String,
    },
    /// A line of its output does not end.
    #[error(
        "the program answered request {id} with a line of more than {} MiB; an answer is one line",
        LONGEST_LINE >> 20
    )]
    Long {
        /// The request.
        id: u64,
    },
    /// The program reported an error.
    #[error("the program answered request {id} with the error {message:?}")]
    Refused {
        /// The request.
        id: u64,
        /// Its message.
        message: String,
    },
}

fn shown(status: Option<ExitStatus>) -> String {
    status.map_or_else(String::new, |status| format!("({status}) "))
}

/// What the program wrote instead of an answer.
fn said(skipped: &Skipped) -> String {
    match skipped.count {
        0 => String::new(),
        count => format!(
            "; {count} lines of its output are not JSON objects; the first is {:?}",
            skipped.first
        ),
    }
}

/// Lines of the program's output that are not answers, such as the banner of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The beginning of the first.
    pub first: String,
}

/// Answers requests.
pub(super) trait Channel: fmt::Debug {
    /// Sends request `id`, and returns the next line that may be its answer. Other lines are skipped.
    fn ask(&mut self, id: u64, request: String, limit: Duration) -> Result<String, EngineError>;

    /// The lines that were skipped.
    fn skipped(&self) -> Skipped {
        Skipped::default()
    }
}

type Answer = dyn FnMut(&str) -> Result<String, String>;

/// A function of this process. It has no time limit.
pub(super) struct Function(Box<Answer>);

impl Function {
    pub(super) fn new(answer: impl FnMut(&str) -> Result<String, String> + 'static) -> Self {
        Self(Box::new(answer))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Function").finish_non_exhaustive()
    }
}

impl Channel for Function {
    fn ask(&mut self, id: u64, request: String, _: Duration) -> Result<String, EngineError> {
        (self.0)(&request).map_err(|message| EngineError::Refused { id, message })
    }
}

/// A running program.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Requests on their way to the program; `None` when there are no more.
    requests: Option<Sender<String>>,
    events: Receiver<Event>,
    skipped: Skipped,
}

/// What happens at the other end of the pipes.
#[derive(Debug)]
enum Event {
    Line(Vec<u8>),
    /// A line is longer than [`LONGEST_LINE`].
    Long,
    /// Its standard input or output is closed.
    Closed,
}

impl Process {
    /// Starts `command` in a shell.
    pub(super) fn start(command: &str) -> Result<Self, EngineError> {
        let [shell, flag] = if cfg!(windows) {
            ["cmd", "/C"]
        } else {
            ["sh", "-c"]
        };
        let mut command_line = Command::new(shell);
        command_line.args([flag, command]);
        command_line.stdin(Stdio::piped()).stdout(Stdio::piped());
        process_group::lead(&mut command_line);
        let mut child = command_line.spawn().map_err(EngineError::Start)?;
        let (happened, events) = sync_channel(1);
        let (requests, to_send) = channel();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let process = Self {
            child,
            requests: Some(requests),
            events,
            skipped: Skipped::default(),
        };
        // Pipes are served by threads: a program that neither reads nor writes must not block skincheck.
        if let (Some(input), Some(output)) = (input, output) {
            let closed = happened.clone();
            thread::Builder::new()
                .spawn(move || send(input, &to_send, &closed))
                .map_err(EngineError::Start)?;
            thread::Builder::new()
                .spawn(move || receive(output, &happened))
                .map_err(EngineError::Start)?;
        }
        Ok(process)
    }

    /// Waits briefly for the exit status, because the output closes first.
    fn ended(&mut self, id: u64) -> EngineError {
        self.requests = None;
        thread::sleep(Duration::from_millis(50));
        let status = self.child.try_wait().ok().flatten();
        let skipped = self.skipped.clone();
        EngineError::Ended {
            id,
            status,
            skipped,
        }
    }
}

impl Channel for Process {
    fn ask(&mut self, id: u64, request: String, limit: Duration) -> Result<String, EngineError> {
        let requests = self.requests.as_ref();
        if requests.is_none_or(|requests| requests.send(request).is_err()) {
            return Err(self.ended(id));
        }
        let started = Instant::now();
        loop {
            let left = limit.saturating_sub(started.elapsed());
            let line = match self.events.recv_timeout(left) {
                Ok(Event::Line(line)) => String::from_utf8_lossy(&line).into_owned(),
                Ok(Event::Long) => return Err(EngineError::Long { id }),
                Err(RecvTimeoutError::Timeout) => {
                    let skipped = self.skipped.clone();
                    return Err(EngineError::Slow { id, limit, skipped });
                }
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.ended(id));
                }
            };
            let line = line.trim();
            if line.starts_with('{') {
                return Ok(line.to_owned());
            }
            if self.skipped.count == 0 {
                self.skipped.first = cut(line);
            }
            self.skipped.count += 1;
        }
    }

    fn skipped(&self) -> Skipped {
        self.skipped.clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        // The program has no more requests to answer, so how it and what it started end does not matter.
        process_group::kill(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the requests; ends when there are no more, or the program reads no more.
fn send(mut input: ChildStdin, requests: &Receiver<String>, closed: &SyncSender<Event>) {
    for line in requests {
        let written = input.write_all(line.as_bytes());
        if written.and_then(|()| input.flush()).is_err() {
            // The receiver is gone if the run has ended.
            let _ = closed.send(Event::Closed);
            return;
        }
    }
}

/// Reads lines until the output closes or one is too long.
fn receive(output: ChildStdout, happened: &SyncSender<Event>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let mut limited = (&mut output).take(LONGEST_LINE);
        let event = match limited.read_until(b'\n', &mut line) {
            Err(_) | Ok(0) => Event::Closed,
            Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => Event::Long,
            Ok(_) => Event::Line(line),
        };
        let ends = !matches!(event, Event::Line(_));
        if happened.send(event).is_err() || ends {
            return;
        }
    }
}
