//! The hierarchy of nodes.

use serde::{Deserialize, Serialize};

use super::{LocalTransform, NodeId};

/// One node of the file's hierarchy, whether or not a skin binds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// As in the file; may be empty and need not be unique.
    pub name: String,
    /// `None` for a root. Always earlier in the list than this node.
    pub parent: Option<NodeId>,
    /// `parent_from_joint` where no clip drives it.
    pub rest: LocalTransform,
}

/// All nodes, parents before their children.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Node>", into = "Vec<Node>")]
pub struct Skeleton {
    nodes: Vec<Node>,
}

/// A list of nodes that is not a [`Skeleton`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// A parent does not come before its child.
    #[error("joint {joint} names joint {parent} as its parent, which must come before it")]
    ParentNotBefore {
        /// The child.
        joint: NodeId,
        /// Its supposed parent.
        parent: NodeId,
    },
}

impl Skeleton {
    /// A skeleton of `nodes`, parents first.
    ///
    /// # Errors
    ///
    /// [`SkeletonError::ParentNotBefore`] if a parent comes after its child, which also rules out cycles.
    pub fn new(nodes: Vec<Node>) -> Result<Self, SkeletonError> {
        for (index, joint) in nodes.iter().enumerate() {
            match joint.parent {
                Some(parent) if parent.index() >= index => {
                    let joint = NodeId::from_index(index);
                    return Err(SkeletonError::ParentNotBefore { joint, parent });
                }
                _ => {}
            }
        }
        Ok(Self { nodes })
    }

    /// The nodes, parents first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes with their ids, parents first.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let ids = (0..self.nodes.len()).map(NodeId::from_index);
        ids.zip(&self.nodes)
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node `id`, if there is one.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The first node named `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.nodes
            .iter()
            .position(|joint| joint.name == name)
            .map(NodeId::from_index)
    }
}

impl TryFrom<Vec<Node>> for Skeleton {
    type Error = SkeletonError;

    fn try_from(nodes: Vec<Node>) -> Result<Self, SkeletonError> {
        Self::new(nodes)
    }
}

impl From<Skeleton> for Vec<Node> {
    fn from(skeleton: Skeleton) -> Self {
        skeleton.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Trs;

    #[test]
    fn a_joint_that_is_its_own_parent_is_refused() {
        let joint = Node {
            name: "loop".into(),
            parent: Some(NodeId(0)),
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let error = Skeleton::new(vec![joint]).unwrap_err();
        assert_eq!(
            error,
            SkeletonError::ParentNotBefore {
                joint: NodeId(0),
                parent: NodeId(0)
            }
        );
    }
}
