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
//! A node of inherit type 0 (`RrSs`) or 2 (`Rrs`) does not take its parent's scale in its matrix. Its place in the
//! parent still is scaled by it, and in type 0 so are its own axes (`ufbx.h`, `ufbx_inherit_mode`):
//!
//! ```text
//! translation · inherited(parent),  rotation,  scale · inherited(node that the scale comes from)
//! inherited(node) = scale of node · inherited(node that its scale comes from)
//! ```

use glam::{DQuat, DVec3};
use ufbx::{Anim, Node, RotationOrder};

use super::curves::{ROTATION, SCALING, TRANSLATION};
use super::euler;
use super::inherit::{movers, scalers};
use super::property::Property;
use crate::rig::Trs;

/// A node in an animation, or at rest.
pub(super) struct Local<'a> {
    order: RotationOrder,
    translation: Property<'a>,
    before: Turn<'a>,
    rotation: Property<'a>,
    after: Turn<'a>,
    scaling: Property<'a>,
    pivots: Option<Pivots<'a>>,
    /// The scales that multiply the translation.
    movers: Vec<Property<'a>>,
    /// The scales that multiply the scale.
    scalers: Vec<Property<'a>>,
}

/// A rotation that hardly any file animates.
enum Turn<'a> {
    Still(DQuat),
    Moving(Box<Property<'a>>),
}

impl<'a> Turn<'a> {
    fn of(angles: Property<'a>) -> Self {
        match angles {
            Property::Still(angles) => Self::Still(euler::rotation(angles, RotationOrder::Xyz)),
            moving => Self::Moving(Box::new(moving)),
        }
    }

    fn at(&self, time: f64) -> DQuat {
        match self {
            Self::Still(rotation) => *rotation,
            Self::Moving(angles) => euler::rotation(angles.at(time), RotationOrder::Xyz),
        }
    }
}

/// Points about which a node turns and grows.
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
        let turned = |name| {
            if node.use_rotation_space {
                Turn::of(of(name, DVec3::ZERO))
            } else {
                Turn::Still(DQuat::IDENTITY)
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
            before: turned("PreRotation"),
            rotation: of(ROTATION, DVec3::ZERO),
            after: turned("PostRotation"),
            scaling: of(SCALING, DVec3::ONE),
            pivots: Pivots::of(anim, node),
            movers: movers(node).map(scale_of).collect(),
            scalers: scalers(node).map(scale_of).collect(),
        }
    }

    pub(super) fn translation(&self, time: f64) -> DVec3 {
        let mut translation = self.translation.at(time);
        if let Some(pivots) = &self.pivots {
            // The formula above, applied to the origin: Sp · S · Sp⁻¹ moves it by Sp - S Sp, So adds to that, and R turns
            // what is left about Rp.
            let about = pivots.rotation.at(time);
            let grown_about = pivots.scaling.at(time);
            let grown = grown_about - self.scaling.at(time) * grown_about;
            let inner = grown + pivots.scaling_offset.at(time) - about;
            let turned = self.rotation(time) * inner;
            translation += pivots.rotation_offset.at(time) + about + turned;
        }
        translation * product(&self.movers, time)
    }

    pub(super) fn rotation(&self, time: f64) -> DQuat {
        let own = euler::rotation(self.rotation.at(time), self.order);
        self.before.at(time) * own * self.after.at(time).conjugate()
    }

    pub(super) fn scale(&self, time: f64) -> DVec3 {
        self.scaling.at(time) * product(&self.scalers, time)
    }

    /// Whether the translation is but a property.
    pub(super) fn moves_directly(&self) -> bool {
        self.pivots.is_none() && self.movers.is_empty() && self.translation.is_direct()
    }

    /// Whether the scale is but a property.
    pub(super) fn scales_directly(&self) -> bool {
        self.scalers.is_empty() && self.scaling.is_direct()
    }

    /// At time 0, which is any time for a node at rest.
    pub(super) fn trs(&self) -> Trs {
        Trs {
            translation: self.translation(0.0).as_vec3(),
            rotation: self.rotation(0.0).as_quat(),
            scale: self.scale(0.0).as_vec3(),
        }
    }
}

impl<'a> Pivots<'a> {
    /// `None` if all are where the node is.
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

/// The geometric transform of `node`: where its meshes are in it.
pub(super) fn geometric(node: &Node) -> Trs {
    let of = |name, default| Property::of(None, &node.element, name, default).at(0.0);
    let rotation = of("GeometricRotation", DVec3::ZERO);
    Trs {
        translation: of("GeometricTranslation", DVec3::ZERO).as_vec3(),
        rotation: euler::rotation(rotation, RotationOrder::Xyz).as_quat(),
        scale: of("GeometricScaling", DVec3::ONE).as_vec3(),
    }
}
