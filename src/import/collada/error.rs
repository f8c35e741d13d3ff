//! Reasons to refuse a document.

use crate::import::{ImporterError, text};

/// What is wrong, as the end of the sentence "geometry "x": …".
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// The operating system cannot read it.
    #[error("the file cannot be read")]
    Io(#[from] std::io::Error),
    /// The document is larger than any model.
    #[error("the document is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// An archive that would fill the memory.
    #[error("the archive unpacks to more than {limit} bytes; unpack it and check the .dae")]
    Bomb { limit: u64 },
    /// The archive is damaged or compressed by an unsupported method.
    #[error("the archive cannot be opened: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// The archive holds no document.
    #[error("the archive contains no .dae")]
    EmptyArchive,
    /// The XML is malformed, or declares entities, which may expand to any length.
    #[error("{}", text::explain_xml(.0))]
    Xml(#[from] roxmltree::Error),
    /// The root element is not `<COLLADA>`.
    #[error("the root element is <{found}>; expected <COLLADA>")]
    Root { found: String },
    /// A reference is dangling, or refers to another kind of element.
    #[error("{url:?} is not a <{what}> of this file")]
    Missing {
        url: String,
        /// The expected element.
        what: &'static str,
    },
    /// An element lacks an input.
    #[error("<{element}> has no input {semantic}")]
    NoInput {
        /// Such as `sampler`.
        element: &'static str,
        /// Such as `OUTPUT`.
        semantic: &'static str,
    },
    /// A word that should be a number.
    #[error("{word:?} in <{element}> is not a number")]
    NotANumber { word: String, element: String },
    /// Fewer numbers or names than an accessor promises.
    #[error("source {id:?} is shorter than its accessor says")]
    ShortSource { id: String },
    /// Lists whose lengths do not match.
    #[error("{what}")]
    Misfit { what: String },
    /// More than any model needs.
    #[error("the document requires more than {limit} {what}")]
    TooMuch {
        limit: usize,
        /// Such as `numbers`.
        what: &'static str,
    },
}

/// A problem and its location.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {why}")]
pub(super) struct Failure {
    /// Such as `animation "Walk"`.
    pub(super) location: String,
    pub(super) why: ReadError,
}

impl Failure {
    /// Located at `element`, or at its nearest ancestor that has an id.
    pub(super) fn at(element: roxmltree::Node<'_, '_>, why: ReadError) -> Self {
        Self {
            location: error_location(element),
            why,
        }
    }
}

impl<E: Into<ReadError>> From<E> for Failure {
    fn from(why: E) -> Self {
        Self {
            location: "document".to_owned(),
            why: why.into(),
        }
    }
}

impl From<Failure> for ImporterError {
    fn from(failure: Failure) -> Self {
        Self::parse(failure)
    }
}

/// `element`, or its nearest ancestor that has an id or a name, such as `animation "Walk"`.
pub(super) fn error_location(element: roxmltree::Node<'_, '_>) -> String {
    let named = element.ancestors().find_map(|element| {
        let name = element.attribute("id").or(element.attribute("name"))?;
        Some(format!("{} {name:?}", element.tag_name().name()))
    });
    named.unwrap_or_else(|| element.tag_name().name().to_owned())
}
