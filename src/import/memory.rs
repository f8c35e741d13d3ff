//! The memory of all importers that run at the same time.
//!
//! [`Limits::memory_bytes`] holds for all of them together. How much a file takes shows only while it is read, and most
//! take little. So each gets a part in proportion to its size, and one for which that does not suffice is read again, with
//! all of the memory, while no other is.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

use super::wire::{Answer, WireError};
use super::{ImporterError, Limits, WorkerError};

/// The part of an importer without a file: its code, its stack, and the buffers of its allocator.
const BASE: u64 = 256 << 20;

/// What a byte of a file may become in memory; buffers in other files are not counted.
const BYTES_PER_BYTE: u64 = 64;

/// The memory that importers of this process may use now.
static IN_USE: Pool = Pool::new();

/// Calls `read` with part of the memory of `limits`, and, if it lacks memory, with all of it.
///
/// * `path` – of the file.
///
/// # Errors
///
/// The errors of the last call.
pub(super) fn within(
    limits: &Limits,
    path: &Path,
    read: impl Fn(&Limits) -> Result<Answer, WorkerError>,
) -> Result<Answer, WorkerError> {
    let whole = limits.memory_bytes;
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    let part = whole.min(bytes.saturating_mul(BYTES_PER_BYTE).saturating_add(BASE));
    let read = |memory_bytes| {
        let _share = IN_USE.take(memory_bytes, whole);
        read(&Limits {
            memory_bytes,
            ..*limits
        })
    };
    let answer = read(part);
    if part < whole && may_lack_memory(&answer) {
        return read(whole);
    }
    answer
}

/// Whether more memory might help. Foreign code may crash where it lacks memory.
fn may_lack_memory(answer: &Result<Answer, WorkerError>) -> bool {
    match answer {
        Ok(answer) => matches!(answer, Err(ImporterError::OutOfMemory)),
        Err(
            WorkerError::OutOfMemory { .. }
            | WorkerError::Crashed { .. }
            | WorkerError::Exited { .. },
        ) => true,
        Err(WorkerError::Stream { source, .. }) => !matches!(source, WireError::Payload(_)),
        Err(_) => false,
    }
}

/// An amount that is divided.
struct Pool {
    in_use: Mutex<u64>,
    freed: Condvar,
    /// Held by the first in line, so that a large request is not passed by small ones for ever.
    line: Mutex<()>,
}

/// A part of a pool, which is returned when it is dropped.
struct Share<'a> {
    pool: &'a Pool,
    amount: u64,
}

impl Pool {
    const fn new() -> Self {
        Self {
            in_use: Mutex::new(0),
            freed: Condvar::new(),
            line: Mutex::new(()),
        }
    }

    /// Waits until `amount` is free of `most`, or everything is.
    fn take(&self, amount: u64, most: u64) -> Share<'_> {
        let _first = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |in_use: &mut u64| *in_use > 0 && in_use.saturating_add(amount) > most;
        let in_use = self.freed.wait_while(in_use, is_full);
        *in_use.unwrap_or_else(PoisonError::into_inner) += amount;
        Share { pool: self, amount }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let in_use = self.pool.in_use.lock();
        *in_use.unwrap_or_else(PoisonError::into_inner) -= self.amount;
        self.pool.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::import::LastWords;
    use crate::import::testing::empty_asset;

    fn lacking(limits: &Limits) -> Result<Answer, WorkerError> {
        Err(WorkerError::OutOfMemory {
            limit_bytes: limits.memory_bytes,
            words: LastWords::default(),
        })
    }

    /// The limits with which a missing file is read, if `read` gives the answers.
    fn tried(
        memory_bytes: u64,
        read: impl Fn(&Limits) -> Result<Answer, WorkerError>,
    ) -> (Vec<u64>, bool) {
        let tried = RefCell::new(Vec::new());
        let limits = Limits {
            memory_bytes,
            ..Limits::default()
        };
        let answer = within(&limits, Path::new("nowhere"), |limits| {
            tried.borrow_mut().push(limits.memory_bytes);
            read(limits)
        });
        (tried.into_inner(), answer.is_ok())
    }

    #[test]
    fn a_file_gets_a_part_and_then_all_of_the_memory() {
        let whole = 4 << 30;
        assert_eq!(tried(whole, |_| Ok(Ok(empty_asset()))), (vec![BASE], true));
        assert_eq!(tried(whole, lacking), (vec![BASE, whole], false));
        assert_eq!(tried(1 << 20, lacking), (vec![1 << 20], false));
        let damaged = |_: &Limits| Ok(Err(ImporterError::NoScene));
        assert_eq!(tried(whole, damaged), (vec![BASE], true));
    }

    #[test]
    fn all_shares_together_stay_below_the_whole_and_every_request_is_served() {
        let pool = Pool::new();
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for amount in [1, 2, 3, 10, 1, 2, 3, 10] {
                let (pool, now, most) = (&pool, &now, &most);
                scope.spawn(move || {
                    for _ in 0..20 {
                        let share = pool.take(amount, 10);
                        let sum = now.fetch_add(amount, Ordering::SeqCst) + amount;
                        most.fetch_max(sum, Ordering::SeqCst);
                        thread::sleep(Duration::from_micros(100));
                        now.fetch_sub(amount, Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
        // More than there is, alone.
        drop(pool.take(11, 10));
    }
}
