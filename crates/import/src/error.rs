//! Reasons why a file could not be imported.

use std::io;
use std::path::PathBuf;

use super::animation::AnimationError;
use super::{ImporterError, WorkerError};
use crate::rig::AssetError;
use crate::shown;
use crate::units::first_few;

/// How many names an error lists.
const MOST_NAMES: usize = 10;

/// The reason why a file could not be imported. Every message names the file; the cause is the error's source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file does not exist.
    #[error("{}: no such file{}", shown::path(path), nearest_hint(nearest.as_ref()))]
    NotFound {
        /// The requested path.
        path: PathBuf,
        /// A file with a similar name.
        nearest: Option<PathBuf>,
    },
    /// A dangling link.
    #[error(
        "{}: this is a link to {}, which does not exist",
        shown::path(path),
        shown::path(target)
    )]
    DanglingLink {
        /// The link.
        path: PathBuf,
        /// The missing target.
        target: PathBuf,
    },
    /// A folder.
    #[error("{}: this is a folder; name a model file in it", shown::path(path))]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// A pipe, a device or a socket.
    #[error(
        "{}: this is not a regular file; save the model to a file first",
        shown::path(path)
    )]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is empty.
    #[error("{}: the file is empty; export it again", shown::path(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is truncated.
    #[error(
        "{}: the file ends after {bytes} of {claimed} bytes; copy or export it again",
        shown::path(path)
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
        /// The length that its header states.
        claimed: u64,
    },
    /// The operating system cannot read it.
    #[error("{}: the file cannot be read", shown::path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// No importer supports this file name.
    #[error(
        "{}: {}{}; supported: {}",
        shown::path(path),
        extension_trouble(extension, *wanted),
        holds_hint(*holds),
        known.join(", ")
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Lower case, without dot; empty without an extension.
        extension: String,
        /// The requested importer, which does not support the file.
        wanted: Option<&'static str>,
        /// Extensions that the requested importer supports, or all importers.
        known: Vec<&'static str>,
        /// The format that the file's first bytes show.
        holds: Option<&'static str>,
    },
    /// Its first bytes contradict its name.
    #[error("{}: named .{extension}, but it is {holds}{}", shown::path(path), rename_hint(*rename))]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// Lower case, without dot.
        extension: String,
        /// The format that the file's first bytes show.
        holds: &'static str,
        /// The extension that such a file should have, if it is a model.
        rename: Option<&'static str>,
    },
    /// An unknown importer was requested.
    #[error("{}: no importer is named {name:?}; expected one of {}", shown::path(path), known.join(", "))]
    UnknownImporter {
        /// The file.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// The names that exist.
        known: Vec<&'static str>,
    },
    /// The file has no such variant of its materials.
    #[error("{}: {}", shown::path(path), missing_variant(name, known))]
    NoVariant {
        /// The file.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The file has no such expression.
    #[error("{}: {}", shown::path(path), missing_expression(name, known))]
    NoExpression {
        /// The file.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The program was built without importers.
    #[error(
        "{}: this build has no importers; build it with the feature \"assimp\"",
        shown::path(path)
    )]
    NoImporter {
        /// The file.
        path: PathBuf,
    },
    /// The child process failed.
    #[error(
        "{}: the process that reads the file with {importer} failed{}",
        shown::path(path),
        source.remedy()
    )]
    Worker {
        /// The file.
        path: PathBuf,
        /// The importer that it ran.
        importer: &'static str,
        /// The cause.
        source: WorkerError,
    },
    /// The importer cannot read it.
    #[error(
        "{}: the importer `{importer}` cannot read the file",
        shown::path(path)
    )]
    Refused {
        /// The file.
        path: PathBuf,
        /// The importer.
        importer: &'static str,
        /// The cause.
        source: ImporterError,
    },
    /// The importer's model is invalid.
    #[error(
        "{}: the importer `{importer}` returned an invalid model",
        shown::path(path)
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The importer.
        importer: &'static str,
        /// The invalid part.
        source: AssetError,
    },
    /// The clips of another file do not fit.
    #[error(
        "{}: cannot use the animation of {}",
        shown::path(path),
        shown::path(animation)
    )]
    Animation {
        /// The model.
        path: PathBuf,
        /// The other file.
        animation: PathBuf,
        /// The cause.
        source: Box<AnimationError>,
    },
}

impl ImportError {
    /// Advice for the end of a message, if neither the error nor its causes give any.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        let Self::Refused { source, .. } = self else {
            return None;
        };
        let advice = " (the file may be damaged, or use features that the importer does not support; export it again)";
        (!source.has_advice()).then_some(advice)
    }

    /// The error, its causes and the [advice](Self::advice), in one line.
    #[must_use]
    pub fn explain(&self) -> String {
        shown::causes(self) + self.advice().unwrap_or_default()
    }
}

fn missing_variant(name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "its materials have no variants, so none can be selected".to_owned();
    }
    format!("its materials have no variant {}", missing(name, known))
}

fn missing_expression(name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "it has no expressions; those of VRM files are read".to_owned();
    }
    format!("it has no expression {}", missing(name, known))
}

/// `"party"; there are "plain" and "fancy"`.
fn missing(name: &str, known: &[String]) -> String {
    let quoted = |name: &String| format!("\"{}\"", shown::escaped(name));
    let known = first_few(known.iter().map(quoted), MOST_NAMES);
    format!("\"{}\"; there are {known}", shown::escaped(name))
}

fn nearest_hint(nearest: Option<&PathBuf>) -> String {
    nearest.map_or_else(String::new, |path| {
        format!("; did you mean {}?", shown::path(path))
    })
}

fn extension_trouble(extension: &str, wanted: Option<&str>) -> String {
    match (extension, wanted) {
        ("", _) => "the name has no extension".to_owned(),
        (some, Some(name)) => format!("the importer `{name}` does not support .{some}"),
        (some, None) => format!("the extension .{some} is unknown"),
    }
}

fn rename_hint(extension: Option<&str>) -> String {
    match extension {
        Some(extension) => format!("; rename it to .{extension}"),
        None => "; name a model file, or export it again".to_owned(),
    }
}

fn holds_hint(holds: Option<&str>) -> String {
    holds.map_or_else(String::new, |holds| format!(" (the file is {holds})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(source: ImporterError) -> String {
        let error = ImportError::Refused {
            path: "export/a.fbx".into(),
            importer: "fbx",
            source,
        };
        error.explain()
    }

    #[test]
    fn the_cause_of_a_refusal_comes_before_the_advice() {
        let cause = "export/a.fbx: the importer `fbx` cannot read the file: truncated file";
        let advice = " (the file may be damaged, or use features that the importer does not support; export it again)";
        let source = ImporterError::parse("truncated file");
        assert_eq!(refused(source), format!("{cause}{advice}"));
    }

    #[test]
    fn a_refusal_that_says_what_to_do_gets_no_other_advice() {
        let source = ImporterError::advised("too large; unpack it");
        assert!(refused(source).ends_with("too large; unpack it"));
    }
}
