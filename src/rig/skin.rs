//! The joints that deform a mesh.

use glam::Mat4;
use serde::{Deserialize, Serialize};

use super::NodeId;

/// The joints that a mesh is bound to. A [`JointId`](super::JointId) is an index into [`Skin::joints`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// As in the file; may be empty.
    pub name: String,
    /// The node of each joint.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` at bind time, one per joint.
    pub inverse_bind_matrices: Vec<Mat4>,
}
