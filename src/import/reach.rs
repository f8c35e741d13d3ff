//! The files that a model may name: those below its own folder, and those below the folders that the user allows.
//!
//! A model comes from anywhere. Without this limit it could name any image that its user may read, and that image would
//! be drawn into a picture that others see.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::paths::open_regular;

/// The folders whose files a model may name.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Absolute; each as it is named, and with its links resolved.
    folders: Vec<PathBuf>,
}

/// Why a file that a model names is not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it is outside of the model's folder; allow it with --read-from DIR")]
    Outside,
    #[error("the file does not exist; put it beside the model")]
    Missing,
    #[error(transparent)]
    Unreadable(io::Error),
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
        let own = [Some(model), target.as_deref()].into_iter().flatten();
        let own = own.map(|model| model.parent().unwrap_or(Path::new("")));
        let folders = own.chain(read_from.iter().map(PathBuf::as_path));
        let spelled = |folder: &Path| {
            let folder = Path::new(".").join(folder);
            [
                std::path::absolute(&folder).ok(),
                fs::canonicalize(&folder).ok(),
            ]
        };
        let folders = folders.flat_map(spelled).flatten();
        let folders = folders.map(|folder| without_dots(&folder)).collect();
        Self { folders }
    }

    /// Opens the regular file at `path`, which may be relative to the current folder.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub(super) fn open(&self, path: &Path) -> Result<File, Refusal> {
        Ok(open_regular(&self.real(path)?)?)
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
        let path = Path::new(".").join(path);
        if !self.contains(&without_dots(&std::path::absolute(&path)?)) {
            return Err(Refusal::Outside);
        }
        let real = fs::canonicalize(&path)?;
        if self.contains(&real) {
            Ok(real)
        } else {
            Err(Refusal::Outside)
        }
    }

    fn contains(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// An absolute path without `.` and `..`, by its text alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(matches!(refused("no"), Refusal::Outside));
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
        assert!(matches!(own.open(&at("model/out")), Err(Refusal::Outside)));
        assert!(matches!(
            own.open(&at("model/m.bin")),
            Err(Refusal::Outside)
        ));
        // Each file is a link of its own to one place.
        let linked = Reach::of(&at("model/m.gltf"), &[]);
        assert!(linked.open(&at("model/m.bin")).is_ok());
        assert!(linked.open(&at("model/out")).is_err());
    }
}
