//! Files that are there whole or not at all.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;

/// Writes `bytes` to `path`: a reader sees the old file or the new one, never a part.
///
/// The bytes go to a temporary file in the same folder, which then takes the place of the old one and its permissions.
/// A link is followed. What is no plain file, such as `/dev/null` or a named pipe, is written to directly.
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
        Ok(old) if old.is_file() => replace(path, &old, bytes),
        Ok(_) => write_through(path, bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create(path, bytes),
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
    let written = temporary_file(&folder, bytes)
        .and_then(|file| file.persist(path).map_err(|error| error.error));
    written.map_err(|source| refused(path, source))?;
    Ok(())
}

/// Replaces a plain file, if it may be written to: renaming over a file needs no permission from the file itself.
fn replace(path: &Path, old: &Metadata, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?;
    let target = fs::canonicalize(path)?;
    let file = temporary_file(&folder_of(&target), bytes)?;
    file.as_file().set_permissions(old.permissions())?;
    file.persist(&target)?;
    Ok(())
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(bytes)
}

/// A file that removes itself unless it is persisted, readable by others as far as the user's umask allows.
fn temporary_file(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    check_size_limit(bytes.len())?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skincheck-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
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

/// An error about the temporary file names it, which would only puzzle the user: its kind says enough.
fn refused(path: &Path, source: io::Error) -> WriteError {
    let of_temporary = source.raw_os_error().is_none();
    WriteError::Io {
        path: path.to_owned(),
        source: if of_temporary {
            source.kind().into()
        } else {
            source
        },
    }
}

#[cfg(test)]
mod tests;
