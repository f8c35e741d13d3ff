//! The end of a child process's stderr.

use std::fmt;
use std::io::{self, Read};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::printable::printable;

/// How much of the end is kept, in bytes.
const KEPT: usize = 8 << 10;

/// How many lines are quoted, and how many characters of each.
const LINES: usize = 3;
const LINE_LENGTH: usize = 200;

/// How long to wait for the end of the pipe after the child's end; another process may hold it open.
const GRACE: Duration = Duration::from_millis(200);

/// The last lines that a process wrote to its stderr. Displays as a continuation of a sentence, or as nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastWords {
    /// Oldest first, without control characters.
    pub lines: Vec<String>,
}

impl LastWords {
    fn of(written: &[u8]) -> Self {
        let text = String::from_utf8_lossy(written);
        let filled = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = filled.rev().take(LINES).map(quotable).collect();
        lines.reverse();
        Self { lines }
    }

    /// Whether a C++ or Rust program wrote them because an allocation failed.
    pub(super) fn report_memory(&self) -> bool {
        let reports_memory =
            |line: &String| line.contains("bad_alloc") || line.contains("memory allocation of");
        self.lines.iter().any(reports_memory)
    }
}

impl fmt::Display for LastWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return Ok(());
        }
        write!(f, "; its last words: \"{}\"", self.lines.join(" / "))
    }
}

fn quotable(line: &str) -> String {
    printable(line, LINE_LENGTH)
}

/// Reads a stderr to its end, however long it is, and keeps the last part.
pub(super) struct Listener {
    kept: Arc<Mutex<Vec<u8>>>,
    at_end: Receiver<()>,
}

impl Listener {
    /// # Errors
    ///
    /// No thread can be started.
    pub(super) fn follow(mut stderr: ChildStderr) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end, at_end) = mpsc::channel();
        let shared = Arc::clone(&kept);
        thread::Builder::new().spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut part) {
                keep(&shared, &part[..count]);
            }
            // The receiver is gone if nobody asked for the words.
            let _ = end.send(());
        })?;
        Ok(Self { kept, at_end })
    }

    /// Called after the child's end.
    pub(super) fn last_words(self) -> LastWords {
        // After a time-out, the part read so far is used.
        let _ = self.at_end.recv_timeout(GRACE);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        LastWords::of(&kept)
    }
}

fn keep(shared: &Mutex<Vec<u8>>, part: &[u8]) {
    let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
    kept.extend_from_slice(part);
    let excess = kept.len().saturating_sub(KEPT);
    kept.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_quoted_without_control_characters() {
        let words = LastWords::of(b"one\ntwo\n\n\x1b[31mthree\nfour\n");
        assert_eq!(
            words.to_string(),
            "; its last words: \"two / \u{fffd}[31mthree / four\""
        );
    }

    #[test]
    fn silence_adds_nothing_to_a_message() {
        assert_eq!(LastWords::of(b"\n \n").to_string(), "");
    }

    #[test]
    fn text_that_is_not_utf_8_is_quoted_all_the_same() {
        assert_eq!(LastWords::of(b"caf\xe9").lines, ["caf\u{fffd}"]);
    }
}
