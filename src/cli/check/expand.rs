//! From arguments to files.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use skincheck::config::Pattern;
use skincheck::import::importers_for;
use walkdir::{DirEntry, WalkDir};

/// Files of animation that are read along with the model that they belong to.
const COMPANIONS: [&str; 1] = ["md5anim"];

/// The models that `arguments` name, in their order and each once; those in a folder are sorted by name.
///
/// What the user names is taken as it is; below folders and by patterns, only what an importer takes.
pub(super) fn expand(arguments: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            let models = models_below(argument)?;
            let shown = argument.display();
            anyhow::ensure!(
                !models.is_empty(),
                "{shown}: there is no model in this folder"
            );
            let named_here = argument.as_os_str() == ".";
            found.extend(models.into_iter().map(
                |path| {
                    if named_here { plain(&path) } else { path }
                },
            ));
        } else if let Some(pattern) = pattern(argument) {
            found.extend(matching(pattern)?);
        } else {
            found.push(argument.clone());
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|path| known.insert(plain(path)));
    Ok(found)
}

/// Without a leading `./`.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

/// A path that is no file's but may be a pattern's.
fn pattern(argument: &Path) -> Option<&str> {
    let text = argument
        .to_str()
        .filter(|text| text.contains(['*', '?', '[', '{']))?;
    (!argument.exists()).then_some(text)
}

fn matching(pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    let parsed = Pattern::new(pattern)
        .with_context(|| format!("the pattern {pattern} cannot be understood"))?;
    let folder = literal_folder(Path::new(pattern));
    let start = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let mut models = if start.is_dir() {
        models_below(start)?
    } else {
        Vec::new()
    };
    models.retain_mut(|path| keep(path, &parsed));
    anyhow::ensure!(
        !models.is_empty(),
        "{pattern}: no model matches this pattern"
    );
    Ok(models)
}

/// Whether it matches; a leading `./` that the pattern has not is taken off.
fn keep(path: &mut PathBuf, pattern: &Pattern) -> bool {
    if pattern.matches(path) {
        return true;
    }
    let Ok(short) = path.strip_prefix(".") else {
        return false;
    };
    let matches = pattern.matches(short);
    *path = short.to_owned();
    matches
}

/// The parts of a pattern before the first that is one.
fn literal_folder(pattern: &Path) -> PathBuf {
    let parts = pattern.components();
    let literal = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '[', '{'])
    };
    parts.take_while(literal).collect()
}

/// The files below `folder` that an importer takes. Links are followed, hidden files and folders left out.
fn models_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let walk = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    let entries = walk.into_iter().filter_entry(is_visible);
    let mut models = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_file() && is_model(entry.path()) => {
                models.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) if error.loop_ancestor().is_some() => {}
            // What cannot be looked at is told of when it is read.
            Err(error) if error.path().is_some_and(is_model) => {
                models.extend(error.path().map(Path::to_owned));
            }
            Err(error) if error.path().is_some_and(Path::is_symlink) => {}
            Err(error) => return Err(error).context("a folder cannot be looked through"),
        }
    }
    Ok(models)
}

fn is_visible(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let companion = COMPANIONS
        .iter()
        .any(|end| extension.eq_ignore_ascii_case(end));
    !companion && importers_for(path).next().is_some()
}
