//! Where an import runs, and how much it may use.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variable with the path of the `skincheck` binary, for other programs.
pub const BINARY_VARIABLE: &str = "SKINCHECK_BINARY";

const BINARY_NAME: &str = "skincheck";

/// The hidden subcommand of the `skincheck` binary that becomes [`worker_main`](super::worker_main).
pub const WORKER_COMMAND: &str = "import-worker";

/// Where the importer's code runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isolation {
    /// Importers in safe Rust in a thread of this process, those in C and C++ ([foreign](super::Importer::is_foreign):
    /// `fbx`, `assimp`) in a child process. What a hostile file does to the importer becomes an error, except that
    /// COLLADA, IQM and MD5 files may take more memory than [`Limits`].
    ForeignCode {
        /// As in [`Isolation::Process`].
        program: PathBuf,
    },
    /// In a child process, or, by an importer that [is contained](super::Importer::is_contained), in a thread. What a
    /// hostile file does to the importer becomes an error.
    Process {
        /// The `skincheck` binary; without a folder, it is searched in `PATH`.
        program: PathBuf,
    },
    /// In this process and without any limit: for files that are trusted. A crash of the importer is a crash of the
    /// program.
    InProcess,
}

impl Default for Isolation {
    /// [`Isolation::ForeignCode`], in a child process of the first of: `$SKINCHECK_BINARY`; the running program, if it is
    /// called `skincheck`; a `skincheck` beside it or one folder up (where cargo puts it for tests); the `skincheck` in
    /// `PATH`.
    fn default() -> Self {
        let program = program_or(|| binary_near(&env::current_exe().ok()?));
        Self::ForeignCode { program }
    }
}

impl Isolation {
    /// For the skincheck binary itself, whatever it is called: a child process of `$SKINCHECK_BINARY`, or of the
    /// running program.
    #[must_use]
    pub fn by_running_program() -> Self {
        let program = program_or(|| env::current_exe().ok());
        Self::Process { program }
    }
}

/// `$SKINCHECK_BINARY`, or `otherwise`, or the `skincheck` in `PATH`.
fn program_or(otherwise: impl FnOnce() -> Option<PathBuf>) -> PathBuf {
    let named = env::var_os(BINARY_VARIABLE).filter(|value| !value.is_empty());
    let program = named.map(PathBuf::from).or_else(otherwise);
    program.unwrap_or_else(|| PathBuf::from(BINARY_NAME))
}

/// The `skincheck` that `running` is, or has beside it or one folder up.
fn binary_near(running: &Path) -> Option<PathBuf> {
    if running.file_stem() == Some(OsStr::new(BINARY_NAME)) {
        return Some(running.to_owned());
    }
    let file_name = format!("{BINARY_NAME}{}", env::consts::EXE_SUFFIX);
    let mut folders = running.ancestors().skip(1).take(2);
    folders.find_map(|folder| Some(folder.join(&file_name)).filter(|path| path.is_file()))
}

/// The limits of importers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space in bytes, of all importers that run in this process and its children at the same time: a file that
    /// takes much is read while no other is. Enforced on Unix; elsewhere only what comes back is bounded.
    pub memory_bytes: u64,
    /// Wall-clock time, and processor time.
    pub time: Duration,
}

impl Default for Limits {
    /// 4 GiB and 60 s: many times what the largest film character takes.
    fn default() -> Self {
        Self {
            memory_bytes: 4 << 30,
            time: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// The longest stream that the parent accepts. The child holds the model and the stream at once, and they are about the
    /// same size, so a valid stream is at most half of the memory.
    pub(super) fn stream_bytes(&self) -> u64 {
        self.memory_bytes / 2
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_running_skincheck_is_its_own_worker() {
        let running = Path::new("/opt/bin/skincheck");
        assert_eq!(binary_near(running), Some(running.to_owned()));
    }

    #[test]
    fn a_test_finds_the_binary_one_folder_up() {
        let target = tempfile::tempdir().unwrap();
        let binary = target
            .path()
            .join(format!("skincheck{}", env::consts::EXE_SUFFIX));
        fs::write(&binary, "").unwrap();
        let running = target.path().join("deps").join("suite-0123");
        assert_eq!(binary_near(&running), Some(binary));
    }

    #[test]
    fn a_program_without_skincheck_near_finds_none() {
        let folder = tempfile::tempdir().unwrap();
        let running = folder.path().join("a").join("b").join("game");
        assert_eq!(binary_near(&running), None);
    }
}
