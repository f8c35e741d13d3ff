//! The time limit of the work on a model.

use std::process;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;

use super::report::Console;
use crate::deadline::TimedOut;

/// Enforces the time limit on one model until it is dropped.
pub(super) struct Watch {
    /// Never sent to: the watching thread waits for it to be dropped.
    _done: Sender<()>,
}

impl Watch {
    /// Ends the program with exit code 2 when `limit` has passed: nothing else stops a loop that does not end.
    ///
    /// * `model` – its name in errors.
    pub(super) fn start(model: String, limit: Duration) -> Self {
        let (done, end) = channel();
        // If no thread can be started, there is no limit.
        let _ = thread::Builder::new().spawn(move || {
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                Console::error(&anyhow!("{model}: {}", TimedOut { limit }));
                process::exit(2);
            }
        });
        Self { _done: done }
    }
}
