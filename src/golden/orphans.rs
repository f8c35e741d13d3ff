//! Approvals that are not tested.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::GoldenError;
use super::approve::packed;
use super::examine::Examined;
use super::plan::{Case, FOLDER, NUMBERS, Plan};
use super::report::Orphan;
use super::stored::{files, is_plain, remove_file};
use crate::check::config::{self, Config};
use crate::diff::reference::has_header;
use crate::frame::{png, write_file};

/// Lists approvals of models, clips, times and cameras that are no longer tested. If the request names its models,
/// approvals of other models are skipped.
///
/// Folders with the tests of another configuration are skipped too.
///
/// # Errors
///
/// [`GoldenError::Unreadable`].
pub fn orphans(plan: &Plan, examined: &[Examined]) -> Result<Vec<Orphan>, GoldenError> {
    let mut orphans: Vec<Orphan> = examined
        .iter()
        .flat_map(|one| one.orphans.clone())
        .collect();
    let Some(known) = &plan.known else {
        orphans.sort();
        return Ok(orphans);
    };
    let root = if plan.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &plan.root
    };
    let is_folder = |entry: &ignore::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        name.ends_with(FOLDER) && entry.file_type().is_some_and(|kind| kind.is_dir())
    };
    let mut walk = WalkBuilder::new(root);
    walk.filter_entry(|entry| entry.depth() == 0 || !has_own_tests(entry.path()));
    // Entries that cannot be read are not approvals to prune.
    let entries = walk.build().filter_map(Result::ok);
    for entry in entries.filter(is_folder) {
        let path = entry.path();
        let path = path.strip_prefix(".").unwrap_or(path);
        if !known.contains(path) && files(path)?.iter().any(|file| is_ours(file)) {
            orphans.push(Orphan {
                path: path.to_owned(),
                clip: None,
            });
        }
    }
    orphans.sort();
    Ok(orphans)
}

/// Whether a configuration in `folder` names tests, to which the approvals in there belong.
fn has_own_tests(folder: &Path) -> bool {
    let path = folder.join(config::FILE_NAME);
    path.is_file() && Config::load(&path).is_ok_and(|config| config.tests().next().is_some())
}

/// Removes approvals that are not tested, and returns the files that were removed or rewritten. Files that skincheck did
/// not write are kept, and so are all other approvals.
///
/// # Errors
///
/// [`GoldenError`]: a folder cannot be read, or a file cannot be written or removed.
pub fn prune(plan: &Plan, examined: &[Examined]) -> Result<Vec<PathBuf>, GoldenError> {
    let mut removed = Vec::new();
    for (case, one) in plan.cases.iter().zip(examined) {
        removed.extend(prune_clips(case, one)?);
    }
    let orphans = orphans(plan, examined)?;
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

/// Removes the clips that are not tested from the numbers of a model.
fn prune_clips(case: &Case, examined: &Examined) -> Result<Option<PathBuf>, GoldenError> {
    let has_some = examined.orphans.iter().any(|orphan| orphan.clip.is_some());
    // The examination has dropped these clips.
    let stored = examined.state.as_ref().filter(|_| has_some);
    let Some(numbers) = stored.and_then(|state| state.stored.numbers.as_ref()) else {
        return Ok(None);
    };
    let path = case.approved.join(NUMBERS);
    write_file(&path, &packed(case, numbers)?)?;
    Ok(Some(path))
}

fn is_ours(path: &Path) -> bool {
    if !is_plain(path) {
        return false;
    }
    if path.file_name().is_some_and(|name| name == NUMBERS) {
        return has_header(path);
    }
    let head = fs::read(path).ok().and_then(|bytes| png::head(&bytes).ok());
    head.is_some_and(|head| png::names_skincheck(&head.text))
}
