//! A limit on the time that a model may take after it has been read.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::AccountId;
use crate::platform::HAS_THREADS;

/// The time limit of the work on a model. Long loops check it and return early with a partial result, which must be
/// discarded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deadline {
    /// None without a limit.
    end: Option<Instant>,
    limit: Duration,
}

/// Work that was not done by its [`Deadline`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the work did not finish within {} s; raise --timeout if the model is really that large",
    limit.as_secs_f64()
)]
pub struct TimedOut {
    /// How long the work was allowed to take.
    pub limit: Duration,
}

/// Why work with a [`Deadline`] has no result.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    /// Time was up.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
    /// The work panicked.
    #[error("the work panicked")]
    Panicked,
    /// The system cannot start another thread.
    #[error(
        "no thread can be started: the limit on processes (ulimit -u) or on memory (ulimit -v) is too low"
    )]
    NoThread(#[source] io::Error),
}

/// As large as that of a main thread: hierarchies are followed recursively.
const STACK_BYTES: usize = 8 << 20;

impl Default for Deadline {
    /// [`NEVER`](Self::NEVER).
    fn default() -> Self {
        Self::NEVER
    }
}

impl Deadline {
    /// No limit.
    pub const NEVER: Self = Self {
        end: None,
        limit: Duration::MAX,
    };

    /// `limit` from now on; none if that is past the end of the clock.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self {
            end: Instant::now().checked_add(limit),
            limit,
        }
    }

    /// Whether time is up.
    #[must_use]
    pub fn has_passed(self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Checks whether time is up.
    ///
    /// # Errors
    ///
    /// [`TimedOut`] once time is up.
    pub fn check(self) -> Result<(), TimedOut> {
        let Self { limit, .. } = self;
        if self.has_passed() {
            return Err(TimedOut { limit });
        }
        Ok(())
    }

    /// Runs `work` in a thread of its own, and abandons it when time is up; the thread then ends by itself or with the
    /// process. Where there are no threads, the work itself has to notice that time is up.
    ///
    /// # Errors
    ///
    /// [`Unfinished`] if there is no result in time.
    pub fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unfinished> {
        if !HAS_THREADS {
            let result = work();
            return Ok(self.check().map(|()| result)?);
        }
        let (sender, receiver) = channel();
        let account = AccountId::own();
        let thread = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // Whoever waited has gone when time was up.
                let _ = sender.send(account.run(work));
            });
        thread.map_err(Unfinished::NoThread)?;
        let result = match self.end {
            Some(end) => receiver.recv_timeout(end.saturating_duration_since(Instant::now())),
            None => receiver.recv().map_err(RecvTimeoutError::from),
        };
        match result {
            Err(RecvTimeoutError::Disconnected) => Err(Unfinished::Panicked),
            // A late result may come from work that was cut short.
            Ok(result) => Ok(self.check().map(|()| result)?),
            Err(RecvTimeoutError::Timeout) => Err(TimedOut { limit: self.limit }.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_time_has_its_result() {
        assert_eq!(Deadline::NEVER.run(|| 7).ok(), Some(7));
        let hour = Deadline::after(Duration::from_secs(3600));
        assert_eq!(hour.run(|| 7).ok(), Some(7));
    }

    #[test]
    fn work_that_never_ends_is_abandoned() {
        let started = Instant::now();
        let soon = Deadline::after(Duration::from_millis(50));
        let result = soon.run(|| thread::sleep(Duration::from_secs(3600)));
        assert!(matches!(result, Err(Unfinished::TimedOut(_))));
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn work_that_was_cut_short_has_no_result() {
        let soon = Deadline::after(Duration::from_millis(20));
        let result = soon.run(move || {
            while !soon.has_passed() {}
            "a part"
        });
        assert!(matches!(result, Err(Unfinished::TimedOut(_))));
    }

    #[test]
    fn a_panic_is_an_error() {
        let result = Deadline::NEVER.run(|| panic!("planted"));
        assert!(matches!(result, Err::<(), _>(Unfinished::Panicked)));
    }
}
