//! How processes end.

use std::process::ExitStatus;

/// Numbers that Linux, the BSDs and macOS share.
const SIGILL: i32 = 4;
const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;
const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;
const SIGTERM: i32 = 15;
/// On Linux (except MIPS, SPARC, Alpha), the BSDs and macOS.
const SIGXCPU: i32 = 24;

/// Says what `signal` did to a process, such as `crashed with SIGSEGV, …`.
pub(super) fn describe(signal: i32) -> String {
    let known = match signal {
        SIGSEGV => {
            "crashed with SIGSEGV, an invalid memory access; the file is damaged, or the importer has a bug"
        }
        SIGABRT => "aborted itself (SIGABRT); the file is damaged, or the importer has a bug",
        SIGILL => "crashed with SIGILL, an invalid instruction",
        SIGFPE => {
            "crashed with SIGFPE, such as a division by zero; the file is damaged, or the importer has a bug"
        }
        SIGKILL => "was killed (SIGKILL), most likely because the machine ran out of memory",
        SIGTERM => "was terminated (SIGTERM)",
        other => return format!("was terminated by signal {other}"),
    };
    known.to_owned()
}

/// Whether `signal` is what the processor-time limit sends.
pub(super) fn is_time_limit(signal: i32) -> bool {
    signal == SIGXCPU
}

/// The signal that ended a process.
#[cfg(unix)]
pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// The signal that ended a process; this platform has no signals.
#[cfg(not(unix))]
pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}
