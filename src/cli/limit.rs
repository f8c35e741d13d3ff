//! The time that the work on a model may take.

use std::process;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use skincheck::deadline::TimedOut;

use super::report::Console;

/// Watches over the work on one model until it is dropped.
pub(super) struct Watch {
    /// Never used: its end is what the watching thread waits for.
    _done: Sender<()>,
}

impl Watch {
    /// Ends the program with exit code 2 when `limit` has passed: nothing else stops a loop that does not end.
    ///
    /// * `model` – as errors name it.
    pub(super) fn start(model: String, limit: Duration) -> Self {
        let (done, end) = channel();
        // Without a thread to spare there is no limit.
        let _ = thread::Builder::new().spawn(move || {
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                Console::error(&anyhow!("{model}: {}", TimedOut { limit }));
                process::exit(2);
            }
        });
        Self { _done: done }
    }
}
