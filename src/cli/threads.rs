//! The threads of parallel loops.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::{Context, ensure};
use rayon::{ThreadBuilder, ThreadPoolBuilder};

use crate::platform;

/// Starts `wanted` threads for parallel loops. If the system lacks resources for them, loops use one thread, so that some
/// are left for the threads and processes that read models. A platform without threads needs none: rayon falls back.
///
/// rayon itself cannot fall back: its pool is created once, and a program without one panics.
///
/// # Errors
///
/// Not one can be started, or memory is limited to less than the program itself needs.
pub(super) fn start(wanted: usize) -> anyhow::Result<()> {
    ensure!(
        memory_limit().is_none_or(|bytes| bytes >= LEAST_MEMORY),
        "the limit on memory (ulimit -v) is too low; skincheck needs {} MiB to start",
        LEAST_MEMORY >> 20
    );
    if !platform::HAS_THREADS {
        return Ok(());
    }
    let mut threads = Vec::new();
    for _ in 0..wanted {
        match waiting() {
            Ok(thread) => threads.push(thread),
            Err(_) if !threads.is_empty() => {
                threads.truncate(1);
                break;
            }
            Err(error) => {
                return Err(error).context(
                    "no thread can be started: the limit on processes (ulimit -u) or on memory (ulimit -v) is too low",
                );
            }
        }
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.len());
    let hand_over = |thread: ThreadBuilder| {
        let waiting = &threads[thread.index()];
        waiting
            .send(thread)
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    };
    // It fails if there is a pool already, of another program that runs this command; then loops use that.
    let _ = pool.spawn_handler(hand_over).build_global();
    Ok(())
}

/// The memory of the program, its stacks and a small model. With less, an allocation fails somewhere, and the program ends
/// without mentioning the limit.
const LEAST_MEMORY: u64 = 192 << 20;

/// The memory limit of this process, in bytes.
fn memory_limit() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    return None;
}

/// Whether the system has resources for one more thread.
pub(super) fn can_start_one() -> bool {
    thread::Builder::new().spawn(|| {}).is_ok()
}

/// A thread that waits for its work, and ends if none comes.
fn waiting() -> io::Result<Sender<ThreadBuilder>> {
    let (sender, work) = channel::<ThreadBuilder>();
    thread::Builder::new().spawn(move || work.recv().map(ThreadBuilder::run))?;
    Ok(sender)
}

/// The value of `RAYON_NUM_THREADS`, otherwise one per processor.
pub(super) fn usual() -> usize {
    let set = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|text| text.parse().ok());
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    set.filter(|count| *count > 0).unwrap_or_else(processors)
}
