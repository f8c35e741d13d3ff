//! A node's transform in its parent, at rest and at a time of a stack.
//!
//! # Reference
//!
//! FBX SDK, "Computing transformation matrices": with translation T, rotation R (between pre- and post-rotation), scale
//! S, pivots p and offsets o of rotation and scaling,
//!
//! ```text
//! parent_from_node = T · Ro · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · So · Sp · S · Sp⁻¹
//! ```
//!
//! The matrix of a node of inherit type 0 (`RrSs`) or 2 (`Rrs`) does not contain its parent's scale. That scale still
//! multiplies its translation, and in type 0 also its own scale (`ufbx.h`, `ufbx_inherit_mode`):
//!
//! ```text
//! translation · inherited(parent),  rotation,  scale · inherited(node that the scale comes from)
//! inherited(node) = scale of node · inherited(node that its scale comes from)
//! ```

use glam::{DQuat, DVec3};
use ufbx::{Anim, InheritMode, Node, RotationOrder};

use super::evaluate::{ROTATION, SCALING, TRANSLATION};
use super::property::Property;
use crate::rig::Trs;

/// A node in an animation, or at rest.
pub(super) struct Local<'a> {
    order: RotationOrder,
    translation: Property<'a>,
    before: FixedRotation<'a>,
    rotation: Property<'a>,
    after: FixedRotation<'a>,
    scaling: Property<'a>,
    pivots: Option<Pivots<'a>>,
    /// The scales that multiply the translation.
    movers: Vec<Property<'a>>,
    /// The scales that multiply the scale.
    scalers: Vec<Property<'a>>,
}

/// A rotation that hardly any file animates.
enum FixedRotation<'a> {
    Constant(DQuat),
    Animated(Box<Property<'a>>),
}

impl<'a> FixedRotation<'a> {
    fn of(angles: Property<'a>) -> Self {
        match angles {
            Property::Constant(angles) => {
                Self::Constant(euler_rotation(angles, RotationOrder::Xyz))
            }
            moving => Self::Animated(Box::new(moving)),
        }
    }

    fn at(&self, time: f64) -> DQuat {
        match self {
            Self::Constant(rotation) => *rotation,
            Self::Animated(angles) => euler_rotation(angles.at(time), RotationOrder::Xyz),
        }
    }
}

/// The points about which a node rotates and scales.
struct Pivots<'a> {
    rotation: Property<'a>,
    rotation_offset: Property<'a>,
    scaling: Property<'a>,
    scaling_offset: Property<'a>,
}

impl<'a> Local<'a> {
    /// * `anim` – `None` for the rest pose.
    pub(super) fn new(anim: Option<&'a Anim>, node: &'a Node) -> Self {
        let of = |name, default| Property::of(anim, &node.element, name, default);
        // Pre- and post-rotation, and the order of the angles, hold only where RotationActive is set.
        let fixed = |name| {
            if node.use_rotation_space {
                FixedRotation::of(of(name, DVec3::ZERO))
            } else {
                FixedRotation::Constant(DQuat::IDENTITY)
            }
        };
        let scale_of = |node: &'a Node| Property::of(anim, &node.element, SCALING, DVec3::ONE);
        Self {
            order: if node.use_rotation_space {
                node.rotation_order
            } else {
                RotationOrder::Xyz
            },
            translation: of(TRANSLATION, DVec3::ZERO),
            before: fixed("PreRotation"),
            rotation: of(ROTATION, DVec3::ZERO),
            after: fixed("PostRotation"),
            scaling: of(SCALING, DVec3::ONE),
            pivots: Pivots::of(anim, node),
            movers: movers(node).map(scale_of).collect(),
            scalers: scalers(node).map(scale_of).collect(),
        }
    }

    pub(super) fn translation(&self, time: f64) -> DVec3 {
        let mut translation = self.translation.at(time);
        if let Some(pivots) = &self.pivots {
            // The formula above, applied to the origin from right to left: Sp · S · Sp⁻¹ moves it by Sp - S Sp, So and
            // Rp⁻¹ shift it, the rotations rotate it, and Rp, Ro and T shift it again.
            let rotation_pivot = pivots.rotation.at(time);
            let scaling_pivot = pivots.scaling.at(time);
            let scaled = scaling_pivot - self.scaling.at(time) * scaling_pivot;
            let inner = scaled + pivots.scaling_offset.at(time) - rotation_pivot;
            let rotated = self.rotation(time) * inner;
            translation += pivots.rotation_offset.at(time) + rotation_pivot + rotated;
        }
        translation * product(&self.movers, time)
    }

    pub(super) fn rotation(&self, time: f64) -> DQuat {
        let own = euler_rotation(self.rotation.at(time), self.order);
        self.before.at(time) * own * self.after.at(time).conjugate()
    }

    pub(super) fn scale(&self, time: f64) -> DVec3 {
        self.scaling.at(time) * product(&self.scalers, time)
    }

    /// Whether the translation is that of the property alone.
    pub(super) fn moves_directly(&self) -> bool {
        self.pivots.is_none() && self.movers.is_empty() && self.translation.is_direct()
    }

    /// Whether the scale is that of the property alone.
    pub(super) fn scales_directly(&self) -> bool {
        self.scalers.is_empty() && self.scaling.is_direct()
    }

    /// The transform at time 0; a node at rest has it at every time.
    pub(super) fn trs(&self) -> Trs {
        Trs {
            translation: self.translation(0.0).as_vec3(),
            rotation: self.rotation(0.0).as_quat(),
            scale: self.scale(0.0).as_vec3(),
        }
    }
}

impl<'a> Pivots<'a> {
    /// `None` if all are always 0.
    fn of(anim: Option<&'a Anim>, node: &'a Node) -> Option<Self> {
        let of = |name| Property::of(anim, &node.element, name, DVec3::ZERO);
        let pivots = Self {
            rotation: of("RotationPivot"),
            rotation_offset: of("RotationOffset"),
            scaling: of("ScalingPivot"),
            scaling_offset: of("ScalingOffset"),
        };
        let all = [
            &pivots.rotation,
            &pivots.rotation_offset,
            &pivots.scaling,
            &pivots.scaling_offset,
        ];
        let is_anywhere = all.iter().any(|point| !point.is_zero());
        is_anywhere.then_some(pivots)
    }
}

fn product(scales: &[Property<'_>], time: f64) -> DVec3 {
    let scales = scales.iter().map(|scale| scale.at(time));
    scales.fold(DVec3::ONE, |product, scale| product * scale)
}

/// The geometric transform of `node`: from its meshes to the node. Children do not inherit it.
pub(super) fn geometric(node: &Node) -> Trs {
    let of = |name, default| Property::of(None, &node.element, name, default).at(0.0);
    let rotation = of("GeometricRotation", DVec3::ZERO);
    Trs {
        translation: of("GeometricTranslation", DVec3::ZERO).as_vec3(),
        rotation: euler_rotation(rotation, RotationOrder::Xyz).as_quat(),
        scale: of("GeometricScaling", DVec3::ONE).as_vec3(),
    }
}

/// The nodes whose scales multiply to the scale that `node` passes on: itself first, then up to the first node with
/// normal inheritance.
fn chain(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    std::iter::successors(node, |node| match node.inherit_mode {
        InheritMode::Normal => None,
        _ => node.inherit_scale_node.as_deref(),
    })
}

/// The nodes whose scales multiply the translation of `node`.
pub(super) fn movers(node: &Node) -> impl Iterator<Item = &Node> {
    let parent = node.parent.as_deref();
    chain(parent.filter(|_| node.inherit_mode != InheritMode::Normal))
}

/// The nodes whose scales multiply the scale of `node`, without itself.
pub(super) fn scalers(node: &Node) -> impl Iterator<Item = &Node> {
    let from = node.inherit_scale_node.as_deref();
    chain(from.filter(|_| node.inherit_mode != InheritMode::Normal))
}

/// The rotation by `degrees` about the axes x, y and z, the first of `order` first.
///
/// The sines are those of the `libm` crate, which has the same bits on every platform. The "spheric" order has no
/// formula and is read as no rotation.
///
/// # Reference
///
/// FBX SDK, `EFbxRotationOrder`.
fn euler_rotation(degrees: DVec3, order: RotationOrder) -> DQuat {
    if degrees == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    let x = about(DVec3::X, degrees.x);
    let y = about(DVec3::Y, degrees.y);
    let z = about(DVec3::Z, degrees.z);
    match order {
        RotationOrder::Xyz => z * y * x,
        RotationOrder::Xzy => y * z * x,
        RotationOrder::Yzx => x * z * y,
        RotationOrder::Yxz => z * x * y,
        RotationOrder::Zxy => y * x * z,
        RotationOrder::Zyx => x * y * z,
        RotationOrder::Spheric => DQuat::IDENTITY,
    }
}

fn about(axis: DVec3, degrees: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(degrees.to_radians() * 0.5);
    let vector = axis * sine;
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_that_of_ufbx() {
        let orders = [
            RotationOrder::Xyz,
            RotationOrder::Xzy,
            RotationOrder::Yzx,
            RotationOrder::Yxz,
            RotationOrder::Zxy,
            RotationOrder::Zyx,
            RotationOrder::Spheric,
        ];
        let (x, y, z) = (20.0, -70.0, 200.0);
        for order in orders {
            let ours = euler_rotation(DVec3::new(x, y, z), order);
            let theirs = ufbx::euler_to_quat(ufbx::Vec3 { x, y, z }, order);
            let theirs = DQuat::from_xyzw(theirs.x, theirs.y, theirs.z, theirs.w);
            assert!(
                ours.abs_diff_eq(theirs, 1e-15),
                "{order:?}: {ours} {theirs}"
            );
        }
    }
}
