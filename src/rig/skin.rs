//! Which joints deform a mesh.

use glam::Mat4;
use serde::{Deserialize, Serialize};

use super::JointId;

/// Joints that a mesh is bound to. A palette slot is a position in [`Skin::joints`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// As in the file; may be empty.
    pub name: String,
    /// One joint a slot.
    pub joints: Vec<JointId>,
    /// `joint_from_mesh` at bind time, one per slot.
    pub inverse_bind_matrices: Vec<Mat4>,
}
