//! What an engine answers to a case, and what is expected of it: the same format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A case in all its poses.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Answer {
    /// Why the engine cannot answer, instead of poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsupported: Option<String>,
    /// One per time of the case, in its order.
    #[serde(default)]
    pub(crate) poses: Vec<Pose>,
}

/// A case at one time of its clip.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Pose {
    /// In seconds.
    pub(crate) time: f64,
    /// The largest error that the result may have in f32; only in what is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tolerance: Option<Tolerance>,
    /// All nodes of the file; `null` from an engine that answers with vertices alone.
    pub(crate) nodes: Option<Vec<Node>>,
    /// All primitives of all nodes with a mesh; `null` from an engine that answers with nodes alone.
    pub(crate) meshes: Option<Vec<Mesh>>,
}

/// Allowed errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Tolerance {
    /// Of each entry of a global transform.
    pub(crate) nodes: f64,
    /// Of the distance of a vertex.
    pub(crate) vertices: f64,
}

/// A posed node.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Node {
    /// As in the file, where names are unique.
    pub(crate) name: String,
    /// The global transform, column by column. A number that is not finite is `null`.
    pub(crate) world: Vec<Option<f64>>,
}

/// A posed primitive.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Mesh {
    /// The name of its node.
    pub(crate) node: String,
    /// Its number in the mesh.
    #[serde(default)]
    pub(crate) primitive: usize,
    /// One per vertex, in the order of the file and in world space. A number that is not finite is `null`.
    pub(crate) positions: Vec<Vec<Option<f64>>>,
}
