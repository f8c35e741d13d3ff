//! Parts of what a location names.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::asset::Origins;
use super::clip::TrackPart;
use super::humanoid::HumanBone;
use super::ids::SkinId;

/// A part of the subject of a location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Part {
    /// The target of a track, such as `rotation`.
    Track(TrackPart),
    /// A morph target of the mesh, such as `target 3`.
    Target(usize),
    /// An expression, such as `expression happy`.
    Expression(String),
    /// A bone of the humanoid, such as `leftHand`.
    Bone(HumanBone),
    /// A skin that has no name, such as `skins[2]`.
    Skin(SkinId),
    /// An accessor of a glTF document, such as `accessors[12]`.
    Accessor(u64),
    /// A buffer view of a glTF document, such as `bufferViews[3]`.
    BufferView(u64),
    /// The path of an object in a glTF document, such as `animations[0].channels[3]`.
    Path(String),
    /// Anything else: an attribute, a kind of difference, a property as the file names it.
    Words(Cow<'static, str>),
}

impl From<TrackPart> for Part {
    fn from(part: TrackPart) -> Self {
        Self::Track(part)
    }
}

impl From<&'static str> for Part {
    fn from(words: &'static str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for Part {
    fn from(words: String) -> Self {
        Self::Words(words.into())
    }
}

impl Part {
    /// The JSON pointer to an object of a glTF document; `None` if it is not one with an address of its own.
    #[doc(hidden)]
    #[must_use]
    pub fn pointer(&self) -> Option<String> {
        let is_object = matches!(self, Self::Path(_) | Self::Skin(_));
        is_object.then(|| Origins::pointer(&self.to_string()))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Track(part) => f.write_str(part.name()),
            Self::Target(index) => write!(f, "target {index}"),
            Self::Expression(name) => write!(f, "expression {name}"),
            Self::Bone(bone) => f.write_str(bone.name()),
            Self::Skin(id) => write!(f, "skins[{id}]"),
            Self::Accessor(index) => write!(f, "accessors[{index}]"),
            Self::BufferView(index) => write!(f, "bufferViews[{index}]"),
            Self::Path(path) => f.write_str(path),
            Self::Words(words) => f.write_str(words),
        }
    }
}
