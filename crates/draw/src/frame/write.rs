//! Writing files completely or not at all.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::WriteError;
use crate::paths::folder_of;

/// Writes `bytes` to `path`: a reader sees the old file or the new one, never a part, even after a power failure.
///
/// The bytes go to a temporary file in the same folder, and to the disk, before it replaces the old one. It takes its
/// permissions.
/// A link is followed, also to a file that is not there yet.
/// Anything but a regular file, such as `/dev/null` or a named pipe, is written to directly.
///
/// # Errors
///
/// A [`WriteError`] that names the path. No temporary file remains, and the old file is unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(path, bytes, Wait::ForDisk)
}

/// As [`write_file`], for a file that can be computed again and whose reader recognizes a part of one: it does not wait for
/// the disk, so after a power failure the file may be empty.
///
/// # Errors
///
/// As those of [`write_file`].
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(path, bytes, Wait::ForNothing)
}

/// What a file waits for before it gets its name.
#[derive(Clone, Copy)]
enum Wait {
    ForDisk,
    ForNothing,
}

impl Wait {
    fn on(self, file: &File) -> io::Result<()> {
        match self {
            Self::ForDisk => file.sync_all(),
            Self::ForNothing => Ok(()),
        }
    }
}

fn write(path: &Path, bytes: &[u8], wait: Wait) -> Result<(), WriteError> {
    let written = match fs::metadata(path) {
        Ok(old) if old.is_dir() => {
            let path = path.to_owned();
            return Err(WriteError::IsFolder { path });
        }
        Ok(old) if old.is_file() => return replace(path, &old, bytes, wait),
        Ok(_) => write_through(path, bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return create(&end_of_links(path), bytes, wait);
        }
        Err(error) => Err(error),
    };
    written.map_err(|source| refused(path, source))
}

fn create(path: &Path, bytes: &[u8], wait: Wait) -> Result<(), WriteError> {
    let folder = folder_of(path);
    if !folder.exists() {
        let [path, folder] = [path, folder].map(Path::to_owned);
        return Err(WriteError::FolderMissing { path, folder });
    }
    let file = temporary_file(path, folder, bytes, wait)?;
    let written = file.persist(path).map_err(|error| error.error);
    written.map_err(|source| refused(path, source))?;
    Ok(())
}

/// The longest chain of links that is followed, as on Linux.
const MOST_LINKS: usize = 40;

/// The target of the links that begin at `path`, whether or not it exists.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = end.read_link() else { break };
        end = folder_of(&end).join(next);
    }
    end
}

/// Replaces a plain file, if it may be written to: renaming over a file needs no permission from the file itself.
fn replace(path: &Path, old: &Metadata, bytes: &[u8], wait: Wait) -> Result<(), WriteError> {
    let refused = |source| refused(path, source);
    let opened = OpenOptions::new().write(true).open(path);
    opened.map_err(refused)?;
    let target = fs::canonicalize(path).map_err(refused)?;
    let file = temporary_file(path, folder_of(&target), bytes, wait)?;
    let new = file.as_file().metadata().map_err(refused)?.permissions();
    // Not every platform has permissions to set.
    if new != old.permissions() {
        let permitted = file.as_file().set_permissions(old.permissions());
        permitted.map_err(refused)?;
    }
    let written = file.persist(&target).map_err(|error| error.error);
    written.map_err(refused)?;
    Ok(())
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let opened = OpenOptions::new().write(true).open(path);
    opened?.write_all(bytes)
}

/// A file with `bytes` that removes itself unless it is persisted, readable by others as far as the user's umask allows.
///
/// * `path` – its final path, for errors.
fn temporary_file(
    path: &Path,
    folder: &Path,
    bytes: &[u8],
    wait: Wait,
) -> Result<NamedTempFile, WriteError> {
    let refused = |source| refused(path, source);
    check_size_limit(bytes.len()).map_err(refused)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(target_os = "linux")]
    if let Some(mut file) = unnamed::open(folder) {
        let written = file.write_all(bytes).and_then(|()| wait.on(&file));
        written.map_err(refused)?;
        let named = builder.make_in(folder, |name| unnamed::link(&file, name));
        if let Ok(named) = named {
            let ((), name) = named.into_parts();
            return Ok(NamedTempFile::from_parts(file, name));
        }
    }
    // From here on, a killed process leaves a file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    remove_stale(folder);
    let made = builder.tempfile_in(folder);
    let mut file = made.map_err(|source| WriteError::FolderClosed {
        path: path.to_owned(),
        folder: folder.to_owned(),
        source: plain(source),
    })?;
    let written = file.write_all(bytes);
    written
        .and_then(|()| wait.on(file.as_file()))
        .map_err(refused)?;
    Ok(file)
}

/// The names of temporary files.
const PREFIX: &str = ".skincheck-";
const SUFFIX: &str = ".tmp";

/// How old a temporary file is that no process writes any more.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes temporary files that killed processes have left in `folder`. A process looks into each folder once.
fn remove_stale(folder: &Path) {
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.insert(folder.to_owned()) {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_stale = |entry: &DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        let modified = || entry.metadata().ok()?.modified().ok();
        let age = || modified()?.elapsed().ok();
        is_ours && age() > Some(STALE)
    };
    for entry in entries.filter(is_stale) {
        // Whoever owns it may be someone else.
        let _ = fs::remove_file(entry.path());
    }
}

/// Files without a name: a signal during a long write leaves nothing of them behind, not even SIGKILL. Not every file system
/// has them.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open as open_at};

    pub(super) fn open(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = open_at(folder, flags, Mode::from_raw_mode(0o666));
        file.ok().map(File::from)
    }

    /// Names `file`, which [`open`] has made in the same folder.
    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, own, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

/// The limit on the size of files (`ulimit -f`) as an error: to write past it would kill the process.
///
/// * `bytes` – how large the file is going to be.
///
/// # Errors
///
/// "File too large", in the system's words.
#[cfg(unix)]
pub fn check_size_limit(bytes: usize) -> io::Result<()> {
    use rustix::process::{Resource, getrlimit};
    match getrlimit(Resource::Fsize).current {
        Some(limit) if bytes as u64 > limit => Err(rustix::io::Errno::FBIG.into()),
        _ => Ok(()),
    }
}

/// Always succeeds: only Unix has such a limit.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn check_size_limit(_: usize) -> io::Result<()> {
    Ok(())
}

fn refused(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io {
        path: path.to_owned(),
        source: plain(source),
    }
}

/// The error names the temporary file, which would puzzle the user; its kind says enough.
fn plain(error: io::Error) -> io::Error {
    if error.raw_os_error().is_none() {
        error.kind().into()
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::time::SystemTime;

    use super::*;

    /// The names and contents of all files in `folder`.
    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let read = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        };
        let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(read).collect();
        all.sort();
        all
    }

    fn only(name: &str, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        vec![(name.to_owned(), bytes.to_owned())]
    }

    /// Whatever ends the process during a long write leaves nothing behind.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_in_the_making_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = unnamed::open(folder.path())
            .expect("the file system of temporary files has unnamed ones");
        file.write_all(b"pixels").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let path = folder.path().join("a.png");
        unnamed::link(&file, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"pixels");
    }

    #[test]
    fn temporary_files_of_killed_processes_are_removed_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let day = STALE + Duration::from_secs(60);
        for (name, age) in [
            (".skincheck-old.tmp", day),
            (".skincheck-new.tmp", Duration::ZERO),
            (".other-old.tmp", day),
            (".skincheck-old.png", day),
        ] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        remove_stale(folder.path());
        let names: Vec<String> = contents(folder.path())
            .into_iter()
            .map(|own| own.0)
            .collect();
        assert_eq!(
            names,
            [".other-old.tmp", ".skincheck-new.tmp", ".skincheck-old.png"]
        );
    }

    #[test]
    fn a_new_file_holds_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        write_file(&folder.path().join("new.png"), b"pixels").unwrap();
        assert_eq!(contents(folder.path()), only("new.png", b"pixels"));
    }

    #[test]
    fn an_old_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.png");
        fs::write(&path, b"a longer old picture").unwrap();
        write_file(&path, b"new").unwrap();
        assert_eq!(contents(folder.path()), only("old.png", b"new"));
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("out.png");
        let error = write_file(&path, b"pixels").unwrap_err();
        let missing = folder.path().join("missing");
        assert_eq!(
            error.to_string(),
            format!(
                "cannot write {}: the folder {} does not exist",
                path.display(),
                missing.display()
            )
        );
        assert!(contents(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(folder.path(), b"pixels").unwrap_err();
        assert!(matches!(error, WriteError::IsFolder { .. }), "{error}");
    }

    #[test]
    fn a_path_that_no_file_can_have_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), b"plain").unwrap();
        let long = "x".repeat(5000);
        for name in ["nul\0inside", "file/under", "trailing/", &long] {
            let error = write_file(&folder.path().join(name), b"pixels").unwrap_err();
            assert!(error.to_string().starts_with("cannot write "), "{error}");
        }
        let error = write_file(Path::new(""), b"pixels").unwrap_err();
        assert!(matches!(error, WriteError::Io { .. }), "{error}");
        assert_eq!(contents(folder.path()), only("file", b"plain"));
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::process::Command;

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_new_file_is_as_readable_as_any_other() {
            let folder = tempfile::tempdir().unwrap();
            let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
            write_file(&ours, b"pixels").unwrap();
            fs::write(&usual, b"pixels").unwrap();
            assert_eq!(mode(&ours), mode(&usual));
        }

        #[test]
        fn a_replaced_file_keeps_its_permissions() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("private");
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
            write_file(&path, b"new").unwrap();
            assert_eq!(mode(&path), 0o666);
        }

        #[test]
        fn a_link_is_followed() {
            let folder = tempfile::tempdir().unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            let (link, target) = (folder.path().join("link"), elsewhere.path().join("target"));
            fs::write(&target, b"old").unwrap();
            symlink(&target, &link).unwrap();
            write_file(&link, b"new").unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }

        /// Not even the superuser can create a file in `/proc`.
        #[cfg(target_os = "linux")]
        #[test]
        fn a_read_only_folder_is_an_error_with_its_cause() {
            let error = write_file(Path::new("/proc/skincheck.png"), b"pixels").unwrap_err();
            let expected = "cannot write /proc/skincheck.png: cannot create a temporary file in the folder /proc";
            assert!(error.to_string().starts_with(expected), "{error}");
            assert!(error.source().is_some());
        }

        /// A file that may be written to, in a folder that takes none.
        #[cfg(target_os = "linux")]
        #[test]
        fn an_unwritable_folder_is_named_instead_of_the_file() {
            let error = write_file(Path::new("/proc/self/comm"), b"skin").unwrap_err();
            assert!(matches!(error, WriteError::FolderClosed { .. }), "{error}");
        }

        #[test]
        fn a_link_to_a_missing_file_is_followed() {
            let folder = tempfile::tempdir().unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            let target = elsewhere.path().join("target");
            symlink(&target, path("second")).unwrap();
            symlink("second", path("first")).unwrap();
            write_file(&path("first"), b"new").unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
            assert!(fs::symlink_metadata(path("first")).unwrap().is_symlink());
            symlink("nowhere/target", path("lost")).unwrap();
            let error = write_file(&path("lost"), b"new").unwrap_err();
            assert!(matches!(error, WriteError::FolderMissing { .. }), "{error}");
            symlink("circle", path("circle")).unwrap();
            write_file(&path("circle"), b"new").unwrap_err();
        }

        #[cfg(target_os = "linux")]
        #[test]
        fn a_device_is_written_to_and_stays_a_device() {
            write_file(Path::new("/dev/null"), b"pixels").unwrap();
            assert!(!fs::metadata("/dev/null").unwrap().is_file());
            let error = write_file(Path::new("/dev/full"), b"pixels").unwrap_err();
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains("No space left"), "{cause}");
        }

        /// Where the child below is to write; only set in that child.
        const TARGET: &str = "SKINCHECK_TEST_WRITE_TARGET";

        /// Runs only in a child process whose files cannot grow past 512 or 1024 bytes.
        #[test]
        #[ignore = "a part of the test below"]
        fn child_that_cannot_write_much() {
            let Some(path) = std::env::var_os(TARGET) else {
                return;
            };
            let error = write_file(Path::new(&path), &[7; 4096]).unwrap_err();
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains("too large"), "{cause}");
        }

        /// A limit on the size of files stands in for a full disk: the write fails half-way.
        #[test]
        fn a_write_that_fails_half_way_leaves_the_old_file_and_no_other() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out.png");
            fs::write(&path, b"old").unwrap();
            let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact --ignored \"$1\"";
            let child = Command::new("sh")
                .args(["-c", limited])
                .arg(std::env::current_exe().unwrap())
                .arg("frame::write::tests::unix::child_that_cannot_write_much")
                .env(TARGET, &path)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&child.stdout);
            assert!(
                child.status.success() && said.contains("1 passed"),
                "{said}"
            );
            assert_eq!(contents(folder.path()), only("out.png", b"old"));
        }
    }
}
