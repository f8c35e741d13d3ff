//! An operating system.

use std::fs::File;
use std::io;

/// Whether threads can be started.
pub const HAS_THREADS: bool = true;

/// Whether child processes can be started.
pub const HAS_PROCESSES: bool = true;

/// Reserves stdout for the caller: what others print goes to stderr from here on.
#[cfg(unix)]
pub fn take_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let stream = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(stream))
}

/// Here stdout is shared with what others print.
#[cfg(windows)]
pub fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
