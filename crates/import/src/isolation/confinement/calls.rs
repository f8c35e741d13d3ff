//! A list of the system calls that importers need; the kernel refuses all others.
//!
//! A list of what is forbidden would miss the calls of newer kernels and of the x32 interface. A call that is not listed
//! fails with `ENOSYS`, as in a kernel without it: C libraries then fall back on older ones, for example from `clone3`, whose
//! flags a filter cannot see, to `clone`.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::process;

use libc::{c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};

/// Calls that are allowed with any argument: they act on what the process has already.
const ALLOWED: &[c_long] = &[
    // Files that are open, and questions about others.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fcntl,
    libc::SYS_fadvise64,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_getdents64,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_get_mempolicy,
    // Threads and signals of this process.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_getcpu,
    libc::SYS_gettid,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    // musl's `raise`. Landlock forbids signals to other processes.
    libc::SYS_tkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Clocks, random numbers, and facts about the process and the machine.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_sysinfo,
    libc::SYS_uname,
];

/// Older forms of the calls above, which newer architectures lack.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OLDER: &[c_long] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_dup2,
    libc::SYS_time,
];

#[cfg(target_arch = "aarch64")]
const ALLOWED_OLDER: &[c_long] = &[];

/// The flags of an `open` that may change a file.
const WRITING: c_int = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC;

/// Requests of `ioctl`; their type in `libc` depends on the C library.
const TCGETS: u64 = 0x5401;
const TIOCGWINSZ: u64 = 0x5413;
const FIOCLEX: u64 = 0x5451;

/// Refuses this thread, and those that it starts, all other calls. Sets `no_new_privs`.
///
/// # Errors
///
/// The kernel has no filters of system calls.
pub(super) fn allow_what_importers_need() -> Result<(), seccompiler::Error> {
    let filter = SeccompFilter::new(
        rules()?,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        SeccompAction::Allow,
        ARCH.try_into()?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}

fn rules() -> Result<BTreeMap<c_long, Vec<SeccompRule>>, BackendError> {
    let mut rules = BTreeMap::new();
    for call in ALLOWED.iter().chain(ALLOWED_OLDER) {
        rules.insert(*call, Vec::new());
    }
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![masked(1, WRITING, libc::O_RDONLY)?]);
    rules.insert(libc::SYS_openat, vec![masked(2, WRITING, libc::O_RDONLY)?]);
    // Threads, but no processes.
    let thread = libc::CLONE_THREAD;
    rules.insert(libc::SYS_clone, vec![masked(0, thread, thread)?]);
    let own = u64::from(process::id());
    rules.insert(libc::SYS_tgkill, vec![equal(0, own)?]);
    // `getrlimit`: no new value.
    rules.insert(libc::SYS_prlimit64, vec![equal(2, 0)?]);
    // Names of threads and of regions of memory.
    let options = vec![
        equal(0, u64::from(libc::PR_SET_NAME.unsigned_abs()))?,
        equal(0, u64::from(libc::PR_SET_VMA.unsigned_abs()))?,
    ];
    rules.insert(libc::SYS_prctl, options);
    // Whether a file is a terminal, and that `exec` closes it.
    let requests = vec![equal(1, TCGETS)?, equal(1, TIOCGWINSZ)?, equal(1, FIOCLEX)?];
    rules.insert(libc::SYS_ioctl, requests);
    Ok(rules)
}

/// Argument number `index` is `value`.
fn equal(index: u8, value: u64) -> Result<SeccompRule, BackendError> {
    rule(index, SeccompCmpOp::Eq, value)
}

/// The bits `mask` of argument number `index` are `value`.
fn masked(index: u8, mask: c_int, value: c_int) -> Result<SeccompRule, BackendError> {
    let [mask, value] = [mask, value].map(|bits| u64::from(bits.unsigned_abs()));
    rule(index, SeccompCmpOp::MaskedEq(mask), value)
}

fn rule(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Qword, operator, value)?;
    SeccompRule::new(vec![condition])
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::net::TcpListener;
    use std::process::Command;
    use std::thread;

    use rustix::process::{Resource, getrlimit, setrlimit};

    use super::*;

    #[test]
    fn what_importers_need_is_allowed_and_the_rest_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("m.fbx"), "x").unwrap();
        let limit = getrlimit(Resource::Core);
        thread::scope(|scope| {
            scope.spawn(|| {
                // Continuous integration runs this where the kernel has filters.
                allow_what_importers_need().unwrap();
                assert_eq!(fs::read(at("m.fbx")).unwrap(), b"x");
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
                assert!(at("m.fbx").canonicalize().is_ok());
                assert!(thread::Builder::new().spawn(|| ()).unwrap().join().is_ok());
                assert!(File::options().append(true).open(at("m.fbx")).is_err());
                assert!(File::create_new(at("new")).is_err());
                assert!(fs::remove_file(at("m.fbx")).is_err());
                assert!(TcpListener::bind("127.0.0.1:0").is_err());
                assert!(Command::new("true").spawn().is_err());
                assert!(setrlimit(Resource::Core, limit).is_err());
            });
        });
    }
}
