//! Why a configuration cannot be used.

use std::io;
use std::path::PathBuf;

use super::nearest::hint;
use super::position::Position;
use super::selector::UnknownRule;

/// Why a configuration cannot be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{}: the configuration cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// In the system's words.
        source: io::Error,
    },
    /// There is something of its name that cannot be read as a file.
    #[error("{}: a configuration is a file, and this is {what}", path.display())]
    NoFile {
        /// What is there.
        path: PathBuf,
        /// Such as `a folder`.
        what: &'static str,
    },
    /// Something in it is wrong.
    #[error("{}:{position}: {fault}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where in it.
        position: Position,
        /// What.
        fault: Box<Fault>,
    },
}

/// What is wrong at one place of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is not TOML.
    #[error("{message}")]
    Syntax {
        /// In the parser's words.
        message: String,
    },
    /// A key that means nothing.
    #[error("there is no key \"{key}\" {place}{}; known are {known}", hint(*nearest))]
    UnknownKey {
        /// The key.
        key: String,
        /// Such as `in [clips]`.
        place: String,
        /// The one that may be meant.
        nearest: Option<&'static str>,
        /// All that there are, as a list.
        known: String,
    },
    /// A rule that takes no limits was given one.
    #[error("{rule} has no number \"{key}\"; it takes only a level")]
    NoLimits {
        /// The rule's code.
        rule: &'static str,
        /// The key.
        key: String,
    },
    /// A value of the wrong kind.
    #[error("expected {expected}, found {found}")]
    Kind {
        /// With an example.
        expected: &'static str,
        /// Such as `a string`.
        found: &'static str,
    },
    /// A limit that would mean nothing.
    #[error("{rule} takes {range} for \"{key}\", found {found}")]
    OutOfRange {
        /// The rule's code.
        rule: &'static str,
        /// The limit's key.
        key: &'static str,
        /// Such as `whole numbers from 1 to 16`.
        range: String,
        /// As it is read.
        found: String,
    },
    /// A word where one of a few is expected.
    #[error("there is no {what} \"{word}\"{}; known are {known}", hint(*nearest))]
    UnknownWord {
        /// Such as `profile`.
        what: &'static str,
        /// What is there instead.
        word: String,
        /// The one that may be meant.
        nearest: Option<&'static str>,
        /// All that there are, as a list.
        known: String,
    },
    /// A rule that is set by its code and by its name.
    #[error("{rule} is set already, by its other name; code and name are the same rule")]
    Twice {
        /// The rule's code.
        rule: &'static str,
    },
    /// A group of rules where one rule is expected.
    #[error(
        "there is no rule \"{word}\", it stands for several; to leave them out, use ignore = [\"{word}\"]"
    )]
    Group {
        /// Such as `W`.
        word: String,
    },
    /// A rule that there is not.
    #[error(transparent)]
    UnknownRule(#[from] UnknownRule),
    /// A pattern of file names that cannot be understood.
    #[error("the pattern cannot be understood: {reason}")]
    Pattern {
        /// In the words of the pattern's parser.
        reason: String,
    },
    /// Sizes that no model can have.
    #[error(
        "expected the least and the largest height, such as [1.5, 2.2] (in metres, unless unit says otherwise)"
    )]
    Height,
    /// A unit with nothing to be counted in it.
    #[error("[size] has a unit but no height; they belong in the same table")]
    UnitAlone,
    /// An override without files.
    #[error("[[overrides]] needs the files that it is for, such as files = [\"props/**\"]")]
    NoFiles,
}
