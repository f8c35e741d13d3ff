//! The hierarchy of joints.

use serde::{Deserialize, Serialize};

use super::{JointId, LocalTransform};

/// One node of the file's hierarchy. Every node is a joint here, whether or not a skin binds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// As in the file; may be empty and need not be unique.
    pub name: String,
    /// `None` for a root. Always earlier in the list than this joint.
    pub parent: Option<JointId>,
    /// `parent_from_joint` where no clip drives it.
    pub rest: LocalTransform,
}

/// All joints, parents before their children.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Joint>", into = "Vec<Joint>")]
pub struct Skeleton {
    joints: Vec<Joint>,
}

/// A list of joints that is not a [`Skeleton`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// A parent does not come before its child.
    #[error("joint {joint} names joint {parent} as its parent, which must come before it")]
    ParentNotBefore {
        /// The child.
        joint: JointId,
        /// Its alleged parent.
        parent: JointId,
    },
}

impl Skeleton {
    /// A skeleton of `joints`, parents first.
    ///
    /// # Errors
    ///
    /// [`SkeletonError::ParentNotBefore`] if a parent comes after its child, which also rules out cycles.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        for (index, joint) in joints.iter().enumerate() {
            match joint.parent {
                Some(parent) if parent.index() >= index => {
                    let joint = JointId::from_index(index);
                    return Err(SkeletonError::ParentNotBefore { joint, parent });
                }
                _ => {}
            }
        }
        Ok(Self { joints })
    }

    /// The joints, parents first.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joints with their ids, parents first.
    pub fn iter(&self) -> impl Iterator<Item = (JointId, &Joint)> {
        let ids = (0..self.joints.len()).map(JointId::from_index);
        ids.zip(&self.joints)
    }

    /// The number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The joint `id`, if there is one.
    #[must_use]
    pub fn get(&self, id: JointId) -> Option<&Joint> {
        self.joints.get(id.index())
    }

    /// The first joint called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.joints
            .iter()
            .position(|joint| joint.name == name)
            .map(JointId::from_index)
    }
}

impl TryFrom<Vec<Joint>> for Skeleton {
    type Error = SkeletonError;

    fn try_from(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        Self::new(joints)
    }
}

impl From<Skeleton> for Vec<Joint> {
    fn from(skeleton: Skeleton) -> Self {
        skeleton.joints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Trs;

    #[test]
    fn a_joint_that_is_its_own_parent_is_refused() {
        let joint = Joint {
            name: "loop".into(),
            parent: Some(JointId(0)),
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let error = Skeleton::new(vec![joint]).unwrap_err();
        assert_eq!(
            error,
            SkeletonError::ParentNotBefore {
                joint: JointId(0),
                parent: JointId(0)
            }
        );
    }
}
