//! Writing files completely or not at all.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;

/// Writes `bytes` to `path`: a reader sees the old file or the new one, never a part.
///
/// The bytes go to a temporary file in the same folder, which then replaces the old one and takes its permissions.
/// A link is followed, also to a file that is not there yet.
/// Anything but a regular file, such as `/dev/null` or a named pipe, is written to directly.
///
/// # Errors
///
/// A [`WriteError`] that names the path. No temporary file remains, and the old file is unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let written = match fs::metadata(path) {
        Ok(old) if old.is_dir() => {
            let path = path.to_owned();
            return Err(WriteError::IsFolder { path });
        }
        Ok(old) if old.is_file() => return replace(path, &old, bytes),
        Ok(_) => write_through(path, bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return create(&end_of_links(path), bytes);
        }
        Err(error) => Err(error),
    };
    written.map_err(|source| refused(path, source))
}

fn create(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = folder_of(path);
    if !folder.exists() {
        let path = path.to_owned();
        return Err(WriteError::FolderMissing { path, folder });
    }
    let file = temporary_file(path, &folder, bytes)?;
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
fn replace(path: &Path, old: &Metadata, bytes: &[u8]) -> Result<(), WriteError> {
    let refused = |source| refused(path, source);
    let opened = OpenOptions::new().write(true).open(path);
    opened.map_err(refused)?;
    let target = fs::canonicalize(path).map_err(refused)?;
    let file = temporary_file(path, &folder_of(&target), bytes)?;
    let permitted = file.as_file().set_permissions(old.permissions());
    permitted.map_err(refused)?;
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
fn temporary_file(path: &Path, folder: &Path, bytes: &[u8]) -> Result<NamedTempFile, WriteError> {
    let refused = |source| refused(path, source);
    check_size_limit(bytes.len()).map_err(refused)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skincheck-").suffix(".tmp");
    #[cfg(target_os = "linux")]
    if let Some(mut file) = unnamed::open(folder) {
        file.write_all(bytes).map_err(refused)?;
        let named = builder.make_in(folder, |name| unnamed::link(&file, name));
        if let Ok(named) = named {
            let ((), name) = named.into_parts();
            return Ok(NamedTempFile::from_parts(file, name));
        }
    }
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let made = builder.tempfile_in(folder);
    let mut file = made.map_err(|source| WriteError::FolderClosed {
        path: path.to_owned(),
        folder: folder.to_owned(),
        source: plain(source),
    })?;
    file.write_all(bytes).map_err(refused)?;
    Ok(file)
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

/// As on Unix.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn check_size_limit(_: usize) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
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
mod tests;
