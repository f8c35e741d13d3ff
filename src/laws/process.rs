//! A program that answers lines with lines, over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::{Channel, EngineError, LONGEST_LINE, QUOTED, Skipped};
use crate::process_group;

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
        process_group::found(&mut command_line);
        let mut child = command_line.spawn().map_err(EngineError::Start)?;
        let (happened, events) = sync_channel(1);
        // Without a limit: requests are sent ahead of answers, and a program may stop reading until one is taken.
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
    fn send(&mut self, id: u64, line: String) -> Result<(), EngineError> {
        match self.requests.as_ref().map(|requests| requests.send(line)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended(id)),
        }
    }

    fn line(&mut self, id: u64, limit: Duration) -> Result<String, EngineError> {
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
                self.skipped.first = line.chars().take(QUOTED).collect();
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
