//! The argument of a mode.

use std::sync::Arc;

use super::measured::Measured;
use crate::rig::NodeId;

/// The argument of a mode.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    Nothing,
    /// In ascending order.
    Joints(Arc<[NodeId]>),
    /// Numbers that are not measured yet, with the text after the colon; see [`Show::measured`](super::Show::measured).
    Unmeasured(Arc<str>),
    Measured(Arc<Measured>),
}
