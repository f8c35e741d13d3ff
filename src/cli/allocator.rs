//! The program's allocator, which says what was at work before a failed allocation ends the program.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::check;
use crate::platform::{self, HEAP};

/// The allocator of the platform, and a last word.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every call goes to it unchanged, and its result is returned unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        reported(unsafe { HEAP.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        reported(unsafe { HEAP.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        reported(unsafe { HEAP.realloc(memory, layout, bytes) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { HEAP.dealloc(memory, layout) };
    }
}

fn reported(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        report();
    }
    memory
}

/// Names the models that are being checked, once, without allocating.
#[cold]
fn report() {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if IS_REPORTED.swap(true, Ordering::Relaxed) {
        return;
    }
    check::with_models_at_work(|models| {
        let mut stderr = io::stderr().lock();
        let mut write = |text: &str| stderr.write_all(text.as_bytes());
        // Nobody is left to hear of a failure.
        let _ = write("error: out of memory while checking ");
        for (index, model) in models.iter().enumerate() {
            let _ = write(if index > 0 { ", " } else { "" }).and_then(|()| write(model));
        }
        let _ = write(platform::SAVE_MEMORY).and_then(|()| write("\n"));
    });
    platform::end_without_memory();
}
