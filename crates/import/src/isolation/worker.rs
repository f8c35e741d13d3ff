//! The child's side of an import: limits itself, reads the file, and sends the result.

use std::any::Any;
use std::ffi::OsString;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

use super::confinement::confine;
use super::wire::{self, Answer, Arguments, MISUSED, WireError};
use crate::files::Reach;
use crate::platform;
use crate::{IMPORTERS, Importer, ImporterError};

/// Exit codes of the worker; only a complete stream counts as an answer.
const ANSWERED: u8 = 0;
const NOT_SENT: u8 = 3;

/// The hidden subcommand [`WORKER_COMMAND`](crate::WORKER_COMMAND): reads one file with one importer and writes the
/// result to stdout, for the process that started it.
///
/// Must be called before any other thread is started, and ends with the process: it redirects stdout and limits what the
/// whole process may do.
///
/// * `arguments` – after the subcommand.
///
/// Returns the exit code.
pub fn worker_main(arguments: impl Iterator<Item = OsString>) -> u8 {
    let Some(arguments) = Arguments::parse(arguments) else {
        return MISUSED;
    };
    let reach = Reach::of(&arguments.path, &arguments.wanted.read_from);
    confine(arguments.memory_bytes, arguments.processor_seconds, &reach);
    let Ok(mut stream) = platform::take_stdout() else {
        return NOT_SENT;
    };
    let answer = import(IMPORTERS, &arguments).unwrap_or_else(Err);
    match send(&mut stream, &answer) {
        Ok(()) => ANSWERED,
        Err(_) => NOT_SENT,
    }
}

/// Runs in a thread whose stack has room for deep recursion in importers; in the current thread if none can be started.
fn import(
    importers: &'static [&'static dyn Importer],
    arguments: &Arguments,
) -> Result<Answer, ImporterError> {
    let found = importers
        .iter()
        .find(|known| known.name() == arguments.importer);
    let importer = *found.ok_or_else(|| ImporterError::Unknown {
        name: arguments.importer.clone(),
    })?;
    // Contained importers use rayon. Its threads start before the file is read, so that a lack of memory is reported as such.
    let threads = rayon::ThreadPoolBuilder::new();
    if importer.is_contained() && threads.build_global().is_err() {
        return Err(ImporterError::OutOfMemory);
    }
    let (path, wanted) = (arguments.path.clone(), arguments.wanted.clone());
    let read = move || importer.import_some(&path, &wanted);
    let thread = thread::Builder::new()
        .stack_size(stack_bytes(arguments.memory_bytes))
        .spawn(read.clone());
    let answer = match thread {
        Ok(thread) => thread.join(),
        Err(_) => panic::catch_unwind(AssertUnwindSafe(read)),
    };
    answer.map_err(panicked)
}

/// The error of an import whose thread panicked.
#[expect(clippy::needless_pass_by_value, reason = "as threads hand it out")]
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> ImporterError {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(owned).unwrap_or("nothing that can be shown");
    ImporterError::Panicked {
        message: message.to_owned(),
    }
}

/// The size of the stack: a sixteenth of the memory, within bounds.
pub(super) fn stack_bytes(memory_bytes: u64) -> usize {
    let share = (memory_bytes / 16).clamp(8 << 20, 256 << 20);
    usize::try_from(share).expect("at most 256 MiB")
}

fn send(stream: &mut File, answer: &Answer) -> Result<(), WireError> {
    wire::send(&mut *stream, answer).or_else(|error| {
        let reason = error.to_string();
        wire::send(stream, &Answer::Err(ImporterError::Unsendable { reason }))
    })
}
