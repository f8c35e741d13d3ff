//! What only a program decides: the process that reads models, signals, the environment, the stack of its main thread, and the
//! allocator. A command that runs inside another program leaves these to its host.

use std::alloc::{GlobalAlloc, Layout};
use std::env::args_os;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::anyhow;

use super::host::{self, HEAP};
use super::report::Console;
use super::supervise;
use crate::account::{self, Hooks};
use crate::backend::Driver;
use crate::fix;
use crate::import::{self, Isolation};
use crate::platform;
use crate::work::{self, Ended};

/// Whether this process runs [`main`].
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Whether its arguments are those of the process, so that it can be started again.
static IS_OWN_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Whether the user has interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The usual stack of a main thread; `ulimit -s` may leave less than the parser of the arguments needs.
const STACK_BYTES: usize = 8 << 20;

/// The `main` of the `skincheck` program. Call it first, in the only thread.
#[must_use]
pub fn main() -> ExitCode {
    IS_OWN_PROGRAM.store(true, Ordering::Relaxed);
    main_with(args_os())
}

/// The `main` of a `skincheck` program whose arguments are not those of its process, such as a script of an interpreter. Call
/// it first, in the only thread.
///
/// * `arguments` – the command line, beginning with the program's name.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    IS_PROGRAM.store(true, Ordering::Relaxed);
    supervise::follow();
    host::enter_working_folder();
    // In the only thread, as the confinement of the worker holds for it and the threads that it starts.
    if let Some(code) = run_worker(arguments.iter().cloned()) {
        return code;
    }
    let run = {
        let arguments = arguments.clone();
        || super::run(arguments)
    };
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(run);
    match thread.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic has been reported.
        Ok(Err(_)) => ExitCode::from(101),
        // No thread can be started.
        Err(_) => super::run(arguments),
    }
}

/// Runs the child process of an import, if `arguments`, which begin with the program's name, ask for one.
fn run_worker(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let is_worker = arguments.nth(1)? == import::WORKER_COMMAND;
    is_worker.then(|| ExitCode::from(import::worker_main(arguments)))
}

fn is_program() -> bool {
    IS_PROGRAM.load(Ordering::Relaxed)
}

/// Whether a run over many models is repeated by this process until no model ends it.
pub(super) fn repeats() -> bool {
    platform::HAS_PROCESSES
        && IS_OWN_PROGRAM.load(Ordering::Relaxed)
        && supervise::folder().is_none()
}

/// Enforces the budgets of models from now on.
pub(super) fn enforce_budgets() {
    account::set_hooks(Hooks {
        exceed: work::exceed_memory,
        release: host::release_memory,
    });
    work::limit(end, supervise::refused());
}

/// Ends the program, because the work on a model exceeds its budget.
fn end(ended: &Ended) {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    while IS_ENDING.swap(true, Ordering::Relaxed) {
        thread::park();
    }
    fix::abandon();
    if supervise::note(ended) {
        process::exit(supervise::REPEAT.into());
    }
    Console::error(&anyhow!("{}: {ended}", ended.model));
    process::exit(2);
}

/// Where importers run.
pub(super) fn isolation() -> Isolation {
    if is_program() {
        Isolation::by_running_program()
    } else {
        Isolation::default()
    }
}

/// From now on, the first Ctrl-C or SIGTERM sets the returned flag, and the second one ends the program.
pub(super) fn watch_signals() -> &'static AtomicBool {
    if is_program() {
        host::on_interrupt(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                end_at_signal();
            }
        });
    }
    &INTERRUPTED
}

/// From now on, Ctrl-C or SIGTERM also removes the temporary folder of a repair.
pub(super) fn abandon_at_signals() {
    if is_program() {
        host::on_interrupt(|| end_at_signal());
    }
}

fn end_at_signal() -> ! {
    fix::abandon();
    process::exit(130);
}

/// Selects the OpenGL driver through the environment.
///
/// Must be called before anything else: no other thread may be running yet.
#[cfg(feature = "gl")]
#[expect(
    unsafe_code,
    reason = "Mesa can be configured only through the environment"
)]
pub(super) fn prepare_environment(driver: Driver) {
    if is_program() {
        // SAFETY: `main` waits, the arguments have been parsed and nothing has been done yet, so no other thread runs.
        unsafe { crate::gl::prepare_environment(driver.into()) };
    }
}

/// Without OpenGL there is nothing to select.
#[cfg(not(feature = "gl"))]
pub(super) fn prepare_environment(_: Driver) {}

/// The allocator of the platform, which books what the work on each model holds, and a last word.
#[derive(Debug)]
pub struct Allocator;

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call goes to it unchanged, and its result is returned unchanged; what is booked allocates nothing.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        reported(unsafe { HEAP.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        reported(unsafe { HEAP.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // Both exist at once while one is copied to the other.
        take(bytes);
        // SAFETY: as the caller promises.
        let memory = reported(unsafe { HEAP.realloc(memory, layout, bytes) });
        account::give(layout.size());
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { HEAP.dealloc(memory, layout) };
        account::give(layout.size());
    }
}

/// Books memory that is about to be allocated.
#[inline]
fn take(bytes: usize) {
    if !account::take(bytes) {
        work::exceed_memory();
    }
}

fn reported(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        report_models_at_work();
    }
    memory
}

/// Names the models that are being checked, once, without allocating.
#[cold]
fn report_models_at_work() {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if IS_REPORTED.swap(true, Ordering::Relaxed) {
        return;
    }
    work::with_models_at_work(|models| {
        let mut stderr = io::stderr().lock();
        let mut write = |text: &str| stderr.write_all(text.as_bytes());
        // Nobody is left to hear of a failure.
        let _ = write("error: out of memory while working on ");
        for (index, model) in models.enumerate() {
            let _ = write(if index > 0 { ", " } else { "" }).and_then(|()| write(model));
        }
        let _ = write(host::SAVE_MEMORY).and_then(|()| write("\n"));
    });
    host::end_without_memory();
}
