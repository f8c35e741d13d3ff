//! Checks that the library that opens contexts is installed.
//!
//! surfman loads it on first use and panics if it is missing.

use super::error::Missing;

/// Names under which surfman looks for the library.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
const NAMES: [&str; 2] = ["libEGL.so.1", "libEGL.so"];

/// Loads libEGL, and keeps it loaded.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
#[expect(unsafe_code, reason = "loading a library runs its initializers")]
pub(super) fn load() -> Result<(), Missing> {
    for name in NAMES {
        // SAFETY: libEGL is a system library whose initializers ask nothing of the caller; surfman would load it next.
        if let Ok(library) = unsafe { libloading::Library::new(name) } {
            // Unloading it while a driver's threads run would remove their code.
            std::mem::forget(library);
            return Ok(());
        }
    }
    Err(Missing::Library)
}

/// OpenGL is part of the system.
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
pub(super) fn load() -> Result<(), Missing> {
    Ok(())
}
