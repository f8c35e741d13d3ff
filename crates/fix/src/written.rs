//! Writing a copy, and next to it the files that it names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::frame::{WriteError, write_file};
use crate::paths::folder_of;
use crate::shown;

/// Why a copy is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The copy cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file that the model names cannot be copied.
    #[error("{}", shown::path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What spoke against it.
        source: io::Error,
    },
    /// A file that the model names is not in its folder.
    #[error(
        "{} is not below the model's folder; write the copy next to the model", shown::path(.0)
    )]
    Elsewhere(PathBuf),
    /// Another file is where one that the copy names must be.
    #[error("{} exists and is another file than the one that the model names; choose another folder", shown::path(.0))]
    Taken(PathBuf),
}

/// Writes `file` to `path`: all of it, or nothing. In another folder than the model's, the files that it names are copied first.
///
/// * `model` – the path of the model.
/// * `named` – the files.
pub(crate) fn write(
    file: &[u8],
    path: &Path,
    model: &Path,
    named: &[PathBuf],
) -> Result<(), CopyError> {
    let [own, other] = [canonical(folder_of(model))?, canonical(folder_of(path))?];
    if own != other {
        // All are examined before the first is written.
        let copies = named.iter().map(|named| place(named, [&own, &other]));
        let copies: Vec<[PathBuf; 2]> = copies.collect::<Result<_, _>>()?;
        for [from, to] in copies.iter().filter(|[_, to]| !to.exists()) {
            let bytes = fs::read(from).map_err(|source| unreadable(from, source))?;
            let folder = to.parent().unwrap_or(to);
            fs::create_dir_all(folder).map_err(|source| unreadable(folder, source))?;
            write_file(to, &bytes)?;
        }
    }
    Ok(write_file(path, file)?)
}

fn unreadable(path: &Path, source: io::Error) -> CopyError {
    let path = path.to_owned();
    CopyError::Unreadable { path, source }
}

fn canonical(path: &Path) -> Result<PathBuf, CopyError> {
    path.canonicalize()
        .map_err(|source| unreadable(path, source))
}

/// A file that the model names, and where the copy finds it.
fn place(named: &Path, [own, other]: [&Path; 2]) -> Result<[PathBuf; 2], CopyError> {
    let from = canonical(named)?;
    let Ok(below) = from.strip_prefix(own) else {
        return Err(CopyError::Elsewhere(named.to_owned()));
    };
    let to = other.join(below);
    let is_other = || fs::read(&to).ok() != fs::read(&from).ok();
    if to.exists() && is_other() {
        return Err(CopyError::Taken(to));
    }
    Ok([from, to])
}
