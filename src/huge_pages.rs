//! An allocator that asks the system for huge pages where an allocation is large.
//!
//! Images, textures and vertices are buffers of megabytes. The first write to each page of 4 KiB is a page fault, and all of
//! them together can cost as much as drawing; pages of 2 MiB have 512 times fewer. It is only advice: a system without
//! huge pages ignores it.

#![expect(unsafe_code, reason = "an allocator deals in raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which also gives that advice.
pub(crate) struct HugePages;

/// The size of a huge page. A smaller allocation cannot hold one.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// The least size of a page; the advice is refused where pages are larger.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

// SAFETY: all memory comes from and goes back to the system's allocator, under the same layouts.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what the system's allocator asks for.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns `memory`, which has `size` bytes.
#[cfg(target_os = "linux")]
fn advised(memory: *mut u8, size: usize) -> *mut u8 {
    use rustix::mm::{Advice, madvise};
    if size >= HUGE_PAGE && !memory.is_null() {
        // Advice applies to whole pages: those inside the allocation.
        let start = memory.addr().next_multiple_of(PAGE);
        let end = (memory.addr() + size) / PAGE * PAGE;
        // SAFETY: the pages belong to the allocation, and the advice does not change their contents.
        let _ = unsafe {
            madvise(
                memory.with_addr(start).cast(),
                end - start,
                Advice::LinuxHugepage,
            )
        };
    }
    memory
}

#[cfg(not(target_os = "linux"))]
fn advised(memory: *mut u8, _: usize) -> *mut u8 {
    memory
}
