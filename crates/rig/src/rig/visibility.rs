//! Which nodes clips show and hide, and which meshes a pose shows.

use serde::{Deserialize, Serialize};

use super::{InstanceId, NodeId, Track};

/// Shows and hides a node and all below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VisibilityChannel {
    /// Which node.
    pub node: NodeId,
    /// Whether the node is visible; always steps.
    pub visible: Track<bool>,
}

/// Which mesh instances a pose shows. The default shows all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visibility {
    /// For each instance of the asset, whether it is hidden. Those beyond its end are not.
    pub hidden: Vec<bool>,
}

impl Visibility {
    /// Whether `instance` is drawn.
    #[must_use]
    #[inline]
    pub fn shows(&self, instance: InstanceId) -> bool {
        !self
            .hidden
            .get(instance.index())
            .is_some_and(|hidden| *hidden)
    }

    /// Draws `instance` no more.
    pub fn hide(&mut self, instance: InstanceId) {
        if self.hidden.len() <= instance.index() {
            self.hidden.resize(instance.index() + 1, false);
        }
        self.hidden[instance.index()] = true;
    }
}
