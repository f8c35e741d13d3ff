//! The origins of an asset's parts in its file.

use serde::{Deserialize, Serialize};

use super::NodeId;

/// The origins of the parts of an [`Asset`](super::Asset) in its file: a JSON pointer in glTF, such as `/nodes/3`;
/// class, name and number of an object in FBX, such as `Model::Arm#2067543504`; the id of an element in COLLADA, such
/// as `#Arm`.
///
/// The lists are as long as those of the asset, or empty if the format has no origins for them. An entry is empty if the
/// importer made the part itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The origins of the skeleton's nodes.
    pub nodes: Vec<String>,
    /// The origins of the meshes.
    pub meshes: Vec<String>,
    /// The origins of the skins.
    pub skins: Vec<String>,
    /// The origins of the materials.
    pub materials: Vec<String>,
    /// The origins of the clips.
    pub clips: Vec<String>,
    /// The origins of the channels of each clip, where they have one.
    pub channels: Vec<Vec<ChannelOrigin>>,
}

/// The origin of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelOrigin {
    /// The node.
    pub node: NodeId,
    /// Such as `rotation`.
    pub part: String,
    /// Such as `/animations/1/channels/7`.
    pub origin: String,
}

impl Origins {
    /// The JSON pointer to a `part` of a glTF document, such as `skins[0].joints[3]`.
    ///
    /// # Reference
    ///
    /// RFC 6901.
    #[must_use]
    pub fn pointer(part: &str) -> String {
        let steps = part
            .split(['.', '['])
            .map(|step| step.trim_end_matches(']'));
        steps.fold(String::new(), |pointer, step| {
            pointer + "/" + &escaped(step)
        })
    }
}

/// `name` as one step of a JSON pointer, or of a path of nodes.
#[must_use]
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
