//! An import in a thread of this process: for importers that [are contained](Importer::is_contained).
//!
//! A child process costs about 2 ms of processor time, which is most of the import time of a small file, and copies the
//! model: a GLB of 143 MB takes 0.43 s instead of 0.32 s, and the larger process 312 MB instead of 266 MB. Safe Rust that
//! counts its memory needs only a thread: a panic ends the thread, a hung thread is abandoned when time is up, and a file
//! that needs too much memory is read again in a child process, whose limits the operating system enforces.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use super::wire::Answer;
use super::worker;
use crate::account::AccountId;
use crate::{Budget, Importer, ImporterError, LastWords, Wanted, WorkerError};

/// Reads the file at `path`.
///
/// # Errors
///
/// [`WorkerError::TimedOut`].
pub(super) fn run(
    importer: &'static dyn Importer,
    path: &Path,
    wanted: &Wanted,
    budget: &Budget,
) -> Result<Answer, WorkerError> {
    let wanted = Wanted {
        // While a list grows, the old and the new one exist at the same time.
        memory_bytes: budget.memory_bytes / 2,
        may_run_foreign_code: false,
        ..wanted.clone()
    };
    let path = path.to_owned();
    let (sender, receiver) = mpsc::channel();
    let account = AccountId::own();
    let work = thread::Builder::new()
        .stack_size(worker::stack_bytes(budget.memory_bytes))
        .spawn(move || {
            let answer = account.run(|| importer.import_some(&path, &wanted));
            // The receiver is gone if time was up.
            let _ = sender.send(answer);
        });
    let Ok(work) = work else {
        return Ok(Err(ImporterError::NeedsProcess));
    };
    match receiver.recv_timeout(budget.time) {
        Ok(answer) => Ok(answer),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = work.join().err();
            let error = panic.map_or(ImporterError::OutOfMemory, worker::panicked);
            Ok(Err(error))
        }
        Err(RecvTimeoutError::Timeout) => Err(WorkerError::TimedOut {
            limit: budget.time,
            words: LastWords::default(),
        }),
    }
}

/// Whether the system limits the memory of this process (`ulimit -v`): an allocation that fails would end it, and so a child
/// process has to read.
pub(super) fn is_process_short_of_memory() -> bool {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As)
        .current
        .is_some();
    #[cfg(not(unix))]
    return false;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rig::Asset;
    use crate::testing::empty_asset;

    /// Does what the file's name says.
    struct Actor;

    impl crate::importer::sealed::Sealed for Actor {}

    impl Importer for Actor {
        fn name(&self) -> &'static str {
            "actor"
        }

        fn extensions(&self) -> &'static [&'static str] {
            &[]
        }

        fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
            match path.to_str() {
                Some("hang") => thread::sleep(Duration::from_secs(20)),
                Some("panic") => panic!("of its own accord"),
                Some("large") if wanted.memory_bytes < 1 << 30 => {
                    return Err(ImporterError::OutOfMemory);
                }
                _ => {}
            }
            Ok(empty_asset())
        }
    }

    fn act(name: &str) -> Result<Answer, WorkerError> {
        let is_quick = name != "hang";
        let budget = Budget {
            memory_bytes: 1 << 30,
            time: Duration::from_millis(if is_quick { 15_000 } else { 200 }),
        };
        run(&Actor, Path::new(name), &Wanted::default(), &budget)
    }

    #[test]
    fn a_model_arrives() {
        assert_eq!(act("walk").unwrap(), Ok(empty_asset()));
    }

    #[test]
    fn a_hang_ends_when_time_is_up() {
        let error = act("hang").unwrap_err();
        assert!(matches!(error, WorkerError::TimedOut { .. }), "{error}");
    }

    #[test]
    fn a_panic_is_an_error() {
        let answer = act("panic").unwrap();
        let message = "of its own accord".to_owned();
        assert_eq!(answer, Err(ImporterError::Panicked { message }));
    }

    #[test]
    fn large_models_are_left_to_a_child_process() {
        assert_eq!(act("large").unwrap(), Err(ImporterError::OutOfMemory));
    }
}
