//! Files that are there whole or not at all.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;

/// Writes `bytes` to `path`: a reader sees the old file or the new one, never a part.
///
/// The bytes go to a temporary file in the same folder, which then takes the place of the old one and its permissions.
/// A link is followed, also to a file that is not there yet.
/// What is no plain file, such as `/dev/null` or a named pipe, is written to directly.
///
/// # Errors
///
/// A [`WriteError`] that names the path. Nothing is left behind, and the old file is as it was.
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

/// Links in a row that are followed, as many as Linux does.
const MOST_LINKS: usize = 40;

/// Where the links that begin at `path` lead to, be it there or not.
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

/// A file that removes itself unless it is persisted, readable by others as far as the user's umask allows.
///
/// * `path` – what it is to become, for errors.
fn temporary_file(path: &Path, folder: &Path, bytes: &[u8]) -> Result<NamedTempFile, WriteError> {
    let refused = |source| refused(path, source);
    check_size_limit(bytes.len()).map_err(refused)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skincheck-").suffix(".tmp");
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

/// The limit on the size of files (`ulimit -f`) as an error: to write past it would kill the process, and leave the
/// temporary file behind.
#[cfg(unix)]
fn check_size_limit(bytes: usize) -> io::Result<()> {
    use rustix::process::{Resource, getrlimit};
    match getrlimit(Resource::Fsize).current {
        Some(limit) if bytes as u64 > limit => Err(rustix::io::Errno::FBIG.into()),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_size_limit(_: usize) -> io::Result<()> {
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

/// An error about the temporary file names it, which would only puzzle the user: its kind says enough.
fn plain(error: io::Error) -> io::Error {
    if error.raw_os_error().is_none() {
        error.kind().into()
    } else {
        error
    }
}

#[cfg(test)]
mod tests;
