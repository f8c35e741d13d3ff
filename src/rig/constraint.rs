//! Nodes that follow other nodes (`VRMC_node_constraint` 1.0).

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::NodeId;

/// A node whose rotation follows another node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// The node that is rotated.
    pub node: NodeId,
    /// The node that it follows; another one.
    pub source: NodeId,
    /// How it follows.
    pub kind: ConstraintKind,
    /// From 0 (the rest rotation) to 1.
    pub weight: f32,
}

/// How a node follows another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ConstraintKind {
    /// It takes the part of the source's rotation that is about this axis of its own, as twist bones do.
    Roll(Vec3),
    /// It points this axis of its own at the source.
    Aim(Vec3),
    /// It takes the source's rotation relative to the rest pose.
    Rotation,
}
