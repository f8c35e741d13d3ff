//! Approvals that are not tested.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::GoldenError;
use super::examine::Examined;
use super::names::{FOLDER, NUMBERS};
use super::plan::Plan;
use super::report::Orphan;
use super::stored::files;
use crate::diff::reference::has_header;
use crate::frame::png;

/// Lists approvals of models that no test names any more, and of clips, times and cameras of examined models.
///
/// # Errors
///
/// [`GoldenError::Unreadable`].
pub fn orphans(plan: &Plan, examined: &[Examined]) -> Result<Vec<Orphan>, GoldenError> {
    let mut orphans: Vec<Orphan> = examined
        .iter()
        .flat_map(|one| one.orphans.clone())
        .collect();
    let root = if plan.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &plan.root
    };
    let is_folder = |entry: &ignore::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        name.ends_with(FOLDER) && entry.file_type().is_some_and(|kind| kind.is_dir())
    };
    // Entries that cannot be read are not approvals to prune.
    let entries = WalkBuilder::new(root).build().filter_map(Result::ok);
    for entry in entries.filter(is_folder) {
        let path = entry.path();
        let path = path.strip_prefix(".").unwrap_or(path);
        let is_known = plan.known.iter().any(|known| known == path);
        if !is_known && files(path)?.iter().any(|file| is_ours(file)) {
            orphans.push(Orphan {
                path: path.to_owned(),
                clip: None,
            });
        }
    }
    orphans.sort();
    Ok(orphans)
}

/// Removes orphans, but only files that skincheck wrote. [`accept`](super::accept) removes clips from the numbers of a
/// tested model.
///
/// # Errors
///
/// [`GoldenError::Folder`].
pub fn remove(orphans: &[Orphan]) -> Result<Vec<PathBuf>, GoldenError> {
    let mut removed = Vec::new();
    for Orphan { path, .. } in orphans.iter().filter(|orphan| orphan.clip.is_none()) {
        let own = if path.is_dir() {
            files(path)?
        } else {
            vec![path.clone()]
        };
        for file in own.into_iter().filter(|file| is_ours(file)) {
            remove_file(&file)?;
            removed.push(file);
        }
        if path.is_dir() {
            // A folder with other files remains.
            let _ = fs::remove_dir(path);
        }
    }
    Ok(removed)
}

pub(super) fn remove_file(path: &Path) -> Result<(), GoldenError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(|source| GoldenError::Folder {
            what: "remove",
            path: path.to_owned(),
            source,
        }),
    }
}

fn is_ours(path: &Path) -> bool {
    if path.file_name().is_some_and(|name| name == NUMBERS) {
        return has_header(path);
    }
    let image = fs::read(path)
        .ok()
        .and_then(|bytes| png::decode(&bytes).ok());
    image.is_some_and(|image| png::names_skincheck(&image.text))
}
