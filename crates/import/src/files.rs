//! The files that a model names: which may be read, and how.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

use super::ImporterError;
use crate::paths::{folder_of, open_regular};
use crate::shown;

/// The bytes of the file at `path`.
///
/// # Errors
///
/// [`ImporterError::Parse`] if it cannot be read, and [`ImporterError::Unsupported`] if it has more than `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, ImporterError> {
    read_opened(open_regular(path).map_err(unreadable)?, most)
}

/// As [`read`].
pub(super) fn read_opened(file: File, most: u64) -> Result<Vec<u8>, ImporterError> {
    let mut bytes = Vec::new();
    let mut file = file.take(most + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let what = format!("a file of {} GiB or more", (most + 1) >> 30);
        return Err(ImporterError::Unsupported { what });
    }
    Ok(bytes)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` passes it")]
pub(super) fn unreadable(error: io::Error) -> ImporterError {
    match error.kind() {
        io::ErrorKind::OutOfMemory => ImporterError::OutOfMemory,
        _ => ImporterError::advised(format!("it cannot be read: {error}")),
    }
}

/// The most entries of a folder: many times what people keep in one, and quickly read.
pub(super) const MOST_ENTRIES: usize = 1 << 16;

/// The names of the entries of `folder`, in no order; none if it cannot be read.
///
/// * `folder` – empty for the current one, as [`Path::parent`] returns it.
///
/// Returns `None` if there are more than `most`: the first ones would differ from call to call.
pub(super) fn entries(folder: &Path, most: usize) -> Option<Vec<OsString>> {
    let empty = folder.as_os_str().is_empty();
    let listed = if empty { Path::new(".") } else { folder };
    let entries = fs::read_dir(listed).into_iter().flatten();
    let within = entries.take(most.saturating_add(1));
    let names: Vec<OsString> = within
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    (names.len() <= most).then_some(names)
}

/// The bytes of `text`, with `%20` and the like decoded. Other percent signs stay.
pub(super) fn percent_bytes(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// `text`, decoded; unchanged if the result is not UTF-8.
pub(super) fn percent_decoded(text: &str) -> String {
    String::from_utf8(percent_bytes(text)).unwrap_or_else(|_| text.to_owned())
}

/// The folders whose files a model may name.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Absolute; each as it is named, and with its links resolved.
    folders: Vec<PathBuf>,
}

/// Why a file that a model names is not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Its folder.
    #[error("it is outside of the model's folder; {}", outside_hint(.0))]
    Outside(PathBuf),
    #[error("the file does not exist; put it next to the model")]
    Missing,
    #[error(transparent)]
    Unreadable(io::Error),
}

/// Nobody should allow the folder that holds all others.
fn outside_hint(folder: &Path) -> String {
    if folder.parent().is_none() {
        return "put it next to the model, and name it without a folder".to_owned();
    }
    let folder = shown::shell_word(&shown::unicode(folder));
    format!("if the model may read it, add --read-from {folder}")
}

impl Refusal {
    /// The refusal of a file that is out of reach.
    fn outside(path: &Path) -> Self {
        let path = without_dots(path);
        Self::Outside(folder_of(&path).to_owned())
    }

    /// Whether the file is out of reach.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self, Self::Outside(_))
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unreadable(error),
        }
    }
}

impl Reach {
    /// * `model` – a link to a model lies in both folders, as build systems link each file by itself.
    /// * `read_from` – further folders.
    pub(super) fn of(model: &Path, read_from: &[PathBuf]) -> Self {
        let target = fs::canonicalize(model).ok();
        let own = [Some(model), target.as_deref()]
            .into_iter()
            .flatten()
            .map(|model| model.parent().unwrap_or(Path::new("")));
        let folders = own.chain(read_from.iter().map(PathBuf::as_path));
        let spelled = |folder: &Path| {
            let folder = Path::new(".").join(folder);
            [
                std::path::absolute(&folder).ok(),
                fs::canonicalize(&folder).ok(),
            ]
        };
        let folders = folders
            .flat_map(spelled)
            .flatten()
            .map(|folder| without_dots(&folder))
            .collect();
        Self { folders }
    }

    /// The folders, absolute.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Opens the regular file at `path`, which may be relative to the current folder.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub(super) fn open(&self, path: &Path) -> Result<File, Refusal> {
        Ok(open_regular(&self.real(path)?)?)
    }

    /// Whether `path` leads out of the folders.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.real(path).is_err_and(|refusal| refusal.is_outside())
    }

    /// Whether `path` is a regular file that may be read.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.real(path).is_ok_and(|path| path.is_file())
    }

    /// The real path of `path`, which exists in one of the folders.
    ///
    /// A path whose text leads elsewhere is not looked at: on a network, looking alone takes time and tells others.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub(super) fn real(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let named = Path::new(".").join(path);
        if !self.contains(&without_dots(&std::path::absolute(&named)?)) {
            return Err(Refusal::outside(path));
        }
        let real = fs::canonicalize(&named)?;
        if self.contains(&real) {
            Ok(real)
        } else {
            Err(Refusal::outside(&real))
        }
    }

    fn contains(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// A path without `.` and `..`, by its text alone; a relative one keeps the `..` that it begins with.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match (part, plain.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                plain.pop();
            }
            (part, _) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_too_many_entries_is_not_listed_in_part() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut names = entries(folder.path(), 3).unwrap();
        names.sort();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(entries(folder.path(), 2), None);
        assert_eq!(entries(&folder.path().join("gone"), 2), Some(vec![]));
        assert!(!entries(Path::new(""), MOST_ENTRIES).unwrap().is_empty());
    }

    #[test]
    fn percent_codes_are_decoded_and_stray_signs_kept() {
        assert_eq!(percent_decoded("my%20tex%C3%A4.bin"), "my texä.bin");
        assert_eq!(percent_decoded("a%20b%2Fc%"), "a b/c%");
        assert_eq!(percent_decoded("100%.bin%2"), "100%.bin%2");
        assert_eq!(percent_decoded("%FF"), "%FF");
    }

    #[test]
    fn a_model_reaches_what_lies_below_its_folder_and_what_is_allowed() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("model/sub")).unwrap();
        fs::create_dir(at("shared")).unwrap();
        for name in ["model/m.gltf", "model/sub/a", "shared/b", "model-2"] {
            fs::write(at(name), "x").unwrap();
        }
        let own = Reach::of(&at("model/m.gltf"), &[]);
        let wide = Reach::of(&at("model/m.gltf"), &[at("shared")]);
        for (name, in_own, in_wide) in [
            ("model/sub/a", true, true),
            ("model/sub/../m.gltf", true, true),
            ("model/../shared/b", false, true),
            ("shared/b", false, true),
            ("model-2", false, false),
        ] {
            for (reach, expected) in [(&own, in_own), (&wide, in_wide)] {
                assert_eq!(reach.has_file(&at(name)), expected, "{name}");
                assert_eq!(reach.open(&at(name)).is_ok(), expected, "{name}");
            }
        }
        assert!(!own.has_file(&at("model/sub")));
        let refused = |name: &str| own.open(&at(name)).unwrap_err();
        assert!(matches!(refused("model/sub"), Refusal::Unreadable(_)));
        assert!(matches!(refused("model/no"), Refusal::Missing));
        // Whether it exists is not revealed.
        assert!(matches!(refused("no"), Refusal::Outside(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_refusal_names_the_folder_to_allow() {
        let said = |path: &str| Refusal::outside(Path::new(path)).to_string();
        for (path, folder) in [
            ("pack/models/../textures/a.png", "pack/textures"),
            ("models/../a.png", "."),
            ("models/../../t/a.png", "../t"),
            ("../../a.png", "../.."),
            ("/a/../../b/c.png", "/b"),
        ] {
            let option = format!(" --read-from {folder}");
            assert!(said(path).ends_with(&option), "{}", said(path));
        }
        assert!(said("my pack/a.png").ends_with("'my pack'"));
        // Blender writes paths beside the file with two slashes.
        assert!(
            said("//skin.png").ends_with("put it next to the model, and name it without a folder")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_judged_by_its_target() {
        use std::os::unix::fs::symlink;
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        for folder in ["model/sub", "store"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for name in ["model/sub/a", "store/m.gltf", "store/m.bin", "secret"] {
            fs::write(at(name), "x").unwrap();
        }
        symlink("sub/a", at("model/in")).unwrap();
        symlink("../secret", at("model/out")).unwrap();
        symlink(at("store/m.gltf"), at("model/m.gltf")).unwrap();
        symlink(at("store/m.bin"), at("model/m.bin")).unwrap();
        let own = Reach::of(&at("model/other.gltf"), &[]);
        assert!(own.open(&at("model/in")).is_ok());
        assert!(matches!(
            own.open(&at("model/out")),
            Err(Refusal::Outside(_))
        ));
        assert!(matches!(
            own.open(&at("model/m.bin")),
            Err(Refusal::Outside(_))
        ));
        // Each file is a link of its own to one place.
        let linked = Reach::of(&at("model/m.gltf"), &[]);
        assert!(linked.open(&at("model/m.bin")).is_ok());
        assert!(linked.open(&at("model/out")).is_err());
    }
}
