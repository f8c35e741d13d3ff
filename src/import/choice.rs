//! Selects the importer of a file, and finds mistakes that show without reading it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::content::{self, Content, HEAD_BYTES};
use super::folder;
use super::importer::known_extensions;
use super::{ImportError, Importer};
use crate::likeness::likeness;
use crate::paths::open_regular;

/// How similar two file names must be (0 to 1, Jaro-Winkler) for one to be suggested for the other: one or two different
/// letters of ten.
const ALIKE: f64 = 0.9;

/// The importer for the file at `path`, which is a readable, regular, non-empty file whose content may match its name.
///
/// * `wanted` – the name of the importer to use, instead of the first that supports the extension.
///
/// # Errors
///
/// Every [`ImportError`] that needs no importer to be run.
pub(super) fn choose_importer(
    importers: &[&'static dyn Importer],
    path: &Path,
    wanted: Option<&str>,
) -> Result<&'static dyn Importer, ImportError> {
    let head = examine(path)?;
    let able = able_importers(importers, path, wanted)?;
    let name = file_name_lower(path);
    let takes = |importer: &&&dyn Importer| extension_among(&name, importer.extensions()).is_some();
    let Some(&importer) = able.iter().find(takes) else {
        return Err(ImportError::UnknownExtension {
            path: path.to_owned(),
            extension: last_extension(&name).to_owned(),
            wanted: wanted.and(able.first()).map(|importer| importer.name()),
            known: known_extensions(&able),
            holds: content::recognise(&head).map(|content| content.name),
        });
    };
    let extension = extension_among(&name, importer.extensions()).unwrap_or_default();
    match content::other_than_named(&head, extension) {
        None => Ok(importer),
        Some(content) => Err(ImportError::Misnamed {
            path: path.to_owned(),
            extension: extension.to_owned(),
            holds: content.name,
            rename: known_among(&content, &able),
        }),
    }
}

/// The importers of this build that support the name of `path`, the preferred one first. The file is not read.
pub fn importers_for(path: &Path) -> impl Iterator<Item = &'static dyn Importer> {
    let name = file_name_lower(path);
    let takes =
        move |importer: &&dyn Importer| extension_among(&name, importer.extensions()).is_some();
    super::IMPORTERS.iter().copied().filter(takes)
}

fn able_importers(
    importers: &[&'static dyn Importer],
    path: &Path,
    wanted: Option<&str>,
) -> Result<Vec<&'static dyn Importer>, ImportError> {
    let path = || path.to_owned();
    if importers.is_empty() {
        return Err(ImportError::NoImporter { path: path() });
    }
    let is_wanted = |importer: &&&dyn Importer| wanted.is_none_or(|name| importer.name() == name);
    let able: Vec<_> = importers.iter().filter(is_wanted).copied().collect();
    match wanted {
        Some(name) if able.is_empty() => Err(ImportError::UnknownImporter {
            path: path(),
            name: name.to_owned(),
            known: importers.iter().map(|importer| importer.name()).collect(),
        }),
        _ => Ok(able),
    }
}

/// The first bytes of the file at `path`.
fn examine(path: &Path) -> Result<Vec<u8>, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let path_of = || path.to_owned();
    let metadata = match fs::metadata(path) {
        Err(error) if is_absence(&error) => {
            if let Ok(target) = path.read_link() {
                let path = path_of();
                return Err(ImportError::DanglingLink { path, target });
            }
            let nearest = nearest_file(path);
            return Err(ImportError::NotFound {
                path: path_of(),
                nearest,
            });
        }
        other => other.map_err(unreadable)?,
    };
    if metadata.is_dir() {
        return Err(ImportError::Folder { path: path_of() });
    }
    if !metadata.is_file() {
        return Err(ImportError::NotAFile { path: path_of() });
    }
    let mut head = Vec::new();
    let file = open_regular(path).map_err(unreadable)?;
    file.take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    if head.is_empty() {
        return Err(ImportError::Empty { path: path_of() });
    }
    let bytes = metadata.len();
    match content::claimed_length(&head) {
        Some(claimed) if bytes < claimed => Err(ImportError::Truncated {
            path: path_of(),
            bytes,
            claimed,
        }),
        _ => Ok(head),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The file in the same folder whose name is most similar to `path`'s.
fn nearest_file(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_string_lossy();
    let parent = path.parent()?;
    let names = folder::entries(parent, folder::MOST_ENTRIES)?;
    let rated = names.into_iter().map(|name| {
        let likeness = likeness(&wanted, &name.to_string_lossy());
        (likeness, name)
    });
    let alike = rated.filter(|(likeness, _)| *likeness >= ALIKE);
    let nearest = alike.max_by(|(a, name_a), (b, name_b)| a.total_cmp(b).then(name_b.cmp(name_a)));
    nearest.map(|(_, name)| parent.join(name))
}

/// The extension of `content` that an importer supports.
fn known_among(content: &Content, importers: &[&dyn Importer]) -> Option<&'static str> {
    let known = known_extensions(importers);
    let mut fitting = content.extensions.iter().copied();
    fitting.find(|extension| known.contains(extension))
}

fn file_name_lower(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().to_lowercase()
}

/// The longest of `extensions` that `name` ends in.
fn extension_among(name: &str, extensions: &[&'static str]) -> Option<&'static str> {
    let ends = |extension: &&&str| {
        let stem = name.strip_suffix(**extension);
        stem.is_some_and(|stem| stem.ends_with('.'))
    };
    extensions
        .iter()
        .filter(ends)
        .max_by_key(|extension| extension.len())
        .copied()
}

/// The text after the last dot; empty for a name without a dot, or with only a leading one.
fn last_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}
