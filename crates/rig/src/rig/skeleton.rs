//! The hierarchy of nodes, and their transforms relative to their parents.

use std::ops::Index;

use glam::{DQuat, Mat3, Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::NodeId;

/// One node of the file's hierarchy, whether or not a skin binds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// As in the file; may be empty and need not be unique.
    pub name: String,
    /// `None` for a root. Always earlier in the list than this node.
    pub parent: Option<NodeId>,
    /// `parent_from_node` where no clip drives it.
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

    /// Hands the flag of each node down to all below it.
    ///
    /// * `flags` – one per node.
    #[doc(hidden)]
    pub fn hand_down(&self, flags: &mut [bool]) {
        for (index, node) in self.nodes.iter().enumerate() {
            flags[index] |= node.parent.is_some_and(|parent| flags[parent.index()]);
        }
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

/// # Panics
///
/// If the skeleton has no such node.
impl Index<NodeId> for Skeleton {
    type Output = Node;

    #[inline]
    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
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

/// Translation, rotation and scale; a point is scaled first and translated last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trs {
    /// In the parent's space and units.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Factor per axis.
    pub scale: Vec3,
}

impl Trs {
    /// No change.
    pub const IDENTITY: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// `T · R · S` as a matrix.
    #[must_use]
    #[inline]
    pub fn to_matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// `parent_from_node`, as the file gives it.
///
/// A matrix is kept unchanged, because a sheared one has no translation, rotation and scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum LocalTransform {
    /// Translation, rotation and scale, which clips can drive separately.
    Trs(Trs),
    /// A whole matrix.
    Matrix(Mat4),
}

impl LocalTransform {
    /// `parent_from_node`.
    #[must_use]
    #[inline]
    pub fn to_matrix(&self) -> Mat4 {
        match self {
            Self::Trs(trs) => trs.to_matrix(),
            Self::Matrix(matrix) => *matrix,
        }
    }

    /// Whether [`to_trs`](Self::to_trs) loses more than rounding: non-perpendicular axes, or the rotation of a flat matrix.
    #[must_use]
    pub fn is_sheared(&self) -> bool {
        let Self::Matrix(matrix) = self else {
            return false;
        };
        let lost = Mat3::from_mat4(decompose(matrix).to_matrix() - *matrix);
        largest(&lost) > SHEAR * largest(&Mat3::from_mat4(*matrix)).max(1.0)
    }

    /// The parts: exact for [`LocalTransform::Trs`], decomposed (and without shear) for a matrix.
    ///
    /// A mirroring matrix has its x scale negated. An axis of length 0 yields scale 0 and an arbitrary unit quaternion.
    #[must_use]
    #[inline]
    pub fn to_trs(&self) -> Trs {
        match self {
            Self::Trs(trs) => *trs,
            Self::Matrix(matrix) => decompose(matrix),
        }
    }
}

/// How far from a product of rotation and scale a matrix may be, relative to its largest number or 1, before it counts as
/// sheared: well above the rounding of six digits, or six decimals, in a file.
const SHEAR: f32 = 1e-5;

fn decompose(matrix: &Mat4) -> Trs {
    let axes = Mat3::from_mat4(*matrix);
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::length);
    let scale = Vec3::from_array(lengths) * Vec3::new(axes.determinant().signum(), 1.0, 1.0);
    let [x, y, z] = scale.recip().to_array();
    let rotation = Mat3::from_cols(axes.x_axis * x, axes.y_axis * y, axes.z_axis * z);
    let rotation = Quat::from_mat3(&rotation);
    let square = length_squared(rotation);
    let usable = rotation.is_finite() && square > 0.5;
    Trs {
        translation: matrix.w_axis.truncate(),
        rotation: if usable {
            rotation * square.sqrt().recip()
        } else {
            Quat::IDENTITY
        },
        scale,
    }
}

/// The square of the length of `rotation`, summed from left to right on every processor.
#[doc(hidden)]
#[must_use]
pub fn length_squared(rotation: Quat) -> f32 {
    let [x, y, z, w] = rotation.to_array();
    x * x + y * y + z * z + w * w
}

/// The angle of a unit quaternion in radians, from 0 to π.
///
/// Unlike `acos(w)`, the arc tangent is accurate for small angles too.
///
/// # Reference
///
/// W. Kahan, "How Futile are Mindless Assessments of Roundoff in Floating-Point Computation?", 2006, §12.
#[doc(hidden)]
#[must_use]
pub fn rotation_angle(rotation: DQuat) -> f64 {
    2.0 * libm::atan2(rotation.xyz().length(), rotation.w.abs())
}

/// The largest number without its sign.
fn largest(matrix: &Mat3) -> f32 {
    let numbers = matrix.to_cols_array().into_iter();
    numbers.map(f32::abs).fold(0.0, f32::max)
}

/// A node whose rotation follows another node.
///
/// # Reference
///
/// `VRMC_node_constraint` 1.0.
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

impl Constraint {
    /// Both nodes, to renumber them.
    #[doc(hidden)]
    pub fn nodes_mut(&mut self) -> [&mut NodeId; 2] {
        [&mut self.node, &mut self.source]
    }
}

/// How a node follows another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ConstraintKind {
    /// It copies the part of the source's rotation that is about this axis of its own, as twist bones do.
    Roll(Vec3),
    /// It points this axis of its own at the source.
    Aim(Vec3),
    /// It copies the source's rotation relative to the rest pose.
    Rotation,
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

    #[test]
    fn decomposing_a_mirrored_matrix_composes_back() {
        let trs = Trs {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            scale: Vec3::new(-2.0, 0.5, 3.0),
        };
        let matrix = trs.to_matrix();
        let back = LocalTransform::Matrix(matrix).to_trs().to_matrix();
        assert!(back.abs_diff_eq(matrix, 1e-5), "{back} != {matrix}");
    }

    #[test]
    fn only_axes_that_lean_are_sheared() {
        let rotation = Quat::from_xyzw(0.1, 0.7, -0.1, 0.7).normalize();
        let scale = Vec3::new(0.01, -0.02, 0.01);
        let mut matrix = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::X * 9000.0);
        assert!(!LocalTransform::Matrix(matrix).is_sheared());
        matrix.x_axis += 0.1 * matrix.y_axis;
        assert!(LocalTransform::Matrix(matrix).is_sheared());
        assert!(!LocalTransform::Trs(Trs::IDENTITY).is_sheared());
    }

    #[test]
    fn a_collapsed_axis_still_gives_a_unit_rotation() {
        let flat = Mat4::from_scale(Vec3::new(0.0, 1.0, 1.0));
        let trs = LocalTransform::Matrix(flat).to_trs();
        assert!(trs.rotation.is_normalized());
        assert!(trs.scale.is_finite());
    }
}
