//! Why a document's clips are not read.

use roxmltree::Node;

/// What is not understood, as the end of the sentence "… is not understood: ".
#[derive(Debug, thiserror::Error)]
pub(super) enum Unclear {
    /// The file cannot be read a second time.
    #[error("the file cannot be read")]
    Io(#[from] std::io::Error),
    /// The file is larger than any document of sense.
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// What is read at most.
        limit: u64,
    },
    /// The archive is damaged or compressed in an unusual way.
    #[error("the archive cannot be opened: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// The archive holds no document.
    #[error("the archive holds no .dae")]
    EmptyArchive,
    /// The XML is refused; also for a DTD, which COLLADA has no use for and attackers do.
    #[error("{0}")]
    Xml(#[from] roxmltree::Error),
    /// The nodes are not those that assimp made joints of.
    #[error("the nodes of the file are not the joints that assimp found")]
    OtherNodes,
    /// A reference leads nowhere, or to something else.
    #[error("{url:?} is no {what} of this file")]
    Missing {
        /// As in the file.
        url: String,
        /// Which element was wanted.
        what: &'static str,
    },
    /// A sampler without one of its inputs.
    #[error("a sampler has no {semantic}")]
    NoInput {
        /// Such as `OUTPUT`.
        semantic: &'static str,
    },
    /// A word that should be a number.
    #[error("{word:?} is no number")]
    NotANumber {
        /// As in the file.
        word: String,
    },
    /// NaN or infinite.
    #[error("a key's time or value is not finite")]
    NotFinite,
    /// Fewer numbers or names than an accessor promises.
    #[error("source {id:?} is shorter than its accessor says")]
    ShortSource {
        /// Of the source.
        id: String,
    },
    /// Inputs of a sampler that do not fit each other or the channel's target.
    #[error("{what}")]
    Misfit {
        /// What does not fit.
        what: String,
    },
    /// A key before its predecessor.
    #[error("the keys are not in order of time")]
    Disorder,
    /// More numbers than a clip of sense could ask for.
    #[error("the animations ask for more than {limit} numbers")]
    TooMuch {
        /// What is read at most.
        limit: usize,
    },
}

/// Where something is not understood, and why.
#[derive(Debug)]
pub(super) struct Failure {
    /// Such as `animation "Walk"`.
    pub(super) place: String,
    pub(super) why: Unclear,
}

impl Failure {
    /// In the animation or clip that `element` is in or is.
    pub(super) fn at(element: Node<'_, '_>, why: Unclear) -> Self {
        Self {
            place: place(element),
            why,
        }
    }
}

impl<E: Into<Unclear>> From<E> for Failure {
    fn from(why: E) -> Self {
        Self {
            place: "file".to_owned(),
            why: why.into(),
        }
    }
}

/// The animation or clip that `element` is in or is, in words.
pub(super) fn place(element: Node<'_, '_>) -> String {
    let mut around = element.ancestors();
    let found = around.find_map(|element| {
        let kind = match element.tag_name().name() {
            "animation" => "animation",
            "animation_clip" => "clip",
            _ => return None,
        };
        let name = element.attribute("id").or(element.attribute("name"))?;
        Some(format!("{kind} {name:?}"))
    });
    found.unwrap_or_else(|| "an animation without a name".to_owned())
}
