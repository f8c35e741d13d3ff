//! The skeletons that a configuration or the command line names.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{Position, explain};
use crate::lint::{Contract, contracts};
use crate::names::{hint, nearest};
use crate::paths::read_text;

/// Why the contract of a skeleton cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// It is neither a known name nor the path of a file.
    #[error(
        "unknown skeleton `{name}`, expected one of {known}, or the path of a file such as studio.toml{hint}",
        hint = hint(nearest(name, contracts().map(|contract| contract.name.as_str())))
    )]
    Unknown {
        /// The name.
        name: String,
        /// The names that are known, for the message.
        known: String,
    },
    /// Its file cannot be read.
    #[error("{}: the skeleton cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The content of its file is invalid.
    #[error("{}:{position}: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The location of the error.
        position: Position,
        /// What is wrong, and what was expected.
        message: String,
    },
}

/// The path of the contract that `named` means, if it is one of a file.
///
/// * `folder` – what a relative path is relative to.
#[must_use]
pub fn skeleton_file(named: &str, folder: &Path) -> Option<PathBuf> {
    let end = named.len().checked_sub(".toml".len())?;
    let is_file = named.get(end..)?.eq_ignore_ascii_case(".toml");
    is_file.then(|| folder.join(named))
}

/// The contract that `named` means: a known skeleton, or a file.
///
/// * `folder` – what a relative path is relative to.
///
/// # Errors
///
/// [`SkeletonError`].
pub fn load_skeleton(named: &str, folder: &Path) -> Result<Arc<Contract>, SkeletonError> {
    let Some(path) = skeleton_file(named, folder) else {
        let known = contracts().find(|contract| contract.name == named);
        return known.cloned().ok_or_else(|| {
            let known = contracts().map(|contract| format!("`{}`", contract.name));
            SkeletonError::Unknown {
                name: named.to_owned(),
                known: known.collect::<Vec<_>>().join(", "),
            }
        });
    };
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(source) => return Err(SkeletonError::Unreadable { path, source }),
    };
    match Contract::parse(named, &text) {
        Ok(contract) => Ok(Arc::new(contract)),
        Err(error) => Err(SkeletonError::Wrong {
            path,
            position: Position::of(&text, error.at),
            message: explain(&error.message),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_is_a_known_skeleton_and_a_path_a_file() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let load = |named: &str| load_skeleton(named, folder.path());
        let message = |named: &str| load(named).expect_err("it is wrong").to_string();
        assert_eq!(load("vrm").map(|own| own.is_humanoid).ok(), Some(true));
        let unknown = message("mixmo");
        assert!(unknown.contains("`mixamo`, `vrm`"), "{unknown}");
        assert!(unknown.ends_with("(did you mean \"mixamo\"?)"), "{unknown}");
        assert!(message("own.toml").contains("own.toml: the skeleton cannot be read: "));
        fs::write(
            folder.path().join("own.toml"),
            "joints = \"\"\"\na\n a\n\"\"\"\n",
        )
        .expect("it is writable");
        let wrong = message("own.toml");
        assert!(
            wrong.ends_with("own.toml:3:1: the joint \"a\" is listed twice"),
            "{wrong}"
        );
        fs::write(folder.path().join("own.toml"), "joint = \"a\"\n").expect("it is writable");
        let wrong = message("own.toml");
        assert!(
            wrong.contains("own.toml:1:1: unknown key `joint`, expected"),
            "{wrong}"
        );
        fs::write(folder.path().join("own.toml"), "joints = \"a\"\n").expect("it is writable");
        assert_eq!(
            load("own.toml").map(|own| own.name.clone()).ok(),
            Some("own.toml".to_owned())
        );
    }
}
