//! Whether the library that opens contexts is there.
//!
//! surfman loads it when it is first used and panics where it is missing, so one has to look before.

use super::error::Missing;

/// Names under which surfman looks for it.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
const NAMES: [&str; 2] = ["libEGL.so.1", "libEGL.so"];

/// Loads libEGL, and keeps it loaded.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
#[expect(unsafe_code, reason = "loading a library runs its initializers")]
pub(super) fn load() -> Result<(), Missing> {
    for name in NAMES {
        // SAFETY: libEGL is a system library whose initializers ask nothing of the caller; surfman would load it next.
        if let Ok(library) = unsafe { libloading::Library::new(name) } {
            // Unloading it while a driver's threads run would pull the code from under them.
            std::mem::forget(library);
            return Ok(());
        }
    }
    Err(Missing::Library)
}

/// The system itself has OpenGL.
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
pub(super) fn load() -> Result<(), Missing> {
    Ok(())
}
