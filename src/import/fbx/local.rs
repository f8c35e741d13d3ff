//! Where a node stands in its parent, at rest and at a time of a stack.
//!
//! A node of inherit type 0 (`RrSs`) or 2 (`Rrs`) does not take its parent's scale in its matrix. Its place in the
//! parent still is scaled by it, and in type 0 so are its own axes (`ufbx.h`, `ufbx_inherit_mode`):
//!
//! ```text
//! translation · inherited(parent),  rotation,  scale · inherited(node that the scale comes from)
//! inherited(node) = scale of node · inherited(node that its scale comes from)
//! ```

use glam::{DQuat, DVec3};
use ufbx::{Anim, InheritMode, Node};

use super::math::{dquat, dvec3};
use crate::rig::Trs;

/// `UFBX_TRANSFORM_FLAG_EXPLICIT_INCLUDES` and one of `…_INCLUDE_ROTATION`, `…_INCLUDE_SCALE`: the binding has these
/// names, but not their numbers.
const ONLY_ROTATION: u32 = 0x4 | 0x20;
const ONLY_SCALE: u32 = 0x4 | 0x40;

/// A node's rest transform in the joint above it.
pub(super) struct Rest {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl Rest {
    pub(super) fn of(node: &Node) -> Self {
        let local = &node.local_transform;
        let (place, size) = factors(node, |scaled| dvec3(scaled.inherit_scale));
        Self {
            translation: dvec3(local.translation) * place,
            rotation: dquat(local.rotation),
            scale: dvec3(local.scale) * size,
        }
    }

    pub(super) fn whole(&self) -> Trs {
        Trs {
            translation: self.translation.as_vec3(),
            rotation: self.rotation.as_quat(),
            scale: self.scale.as_vec3(),
        }
    }

    /// Without its scale, and the scale alone.
    pub(super) fn split(&self) -> (Trs, Trs) {
        let place = Trs {
            scale: Trs::IDENTITY.scale,
            ..self.whole()
        };
        let scale = Trs {
            scale: self.scale.as_vec3(),
            ..Trs::IDENTITY
        };
        (place, scale)
    }
}

/// A node in an animation.
#[derive(Clone, Copy)]
pub(super) struct Local<'a> {
    anim: &'a Anim,
    node: &'a Node,
}

impl<'a> Local<'a> {
    pub(super) fn new(anim: &'a Anim, node: &'a Node) -> Self {
        Self { anim, node }
    }

    pub(super) fn translation(self, time: f64) -> DVec3 {
        let local = ufbx::evaluate_transform(self.anim, self.node, time);
        let (place, _) = factors(self.node, |scaled| self.inherited(scaled, time));
        dvec3(local.translation) * place
    }

    pub(super) fn rotation(self, time: f64) -> DQuat {
        let local = ufbx::evaluate_transform_flags(self.anim, self.node, time, ONLY_ROTATION);
        dquat(local.rotation)
    }

    pub(super) fn scale(self, time: f64) -> DVec3 {
        let (_, size) = factors(self.node, |scaled| self.inherited(scaled, time));
        self.own_scale(self.node, time) * size
    }

    fn own_scale(self, node: &Node, time: f64) -> DVec3 {
        let local = ufbx::evaluate_transform_flags(self.anim, node, time, ONLY_SCALE);
        dvec3(local.scale)
    }

    fn inherited(self, node: &Node, time: f64) -> DVec3 {
        let product = |scale: DVec3, node| scale * self.own_scale(node, time);
        chain(Some(node)).fold(DVec3::ONE, product)
    }
}

/// By what the translation and the scale of `node` are multiplied.
fn factors(node: &Node, inherited: impl Fn(&Node) -> DVec3) -> (DVec3, DVec3) {
    if node.inherit_mode == InheritMode::Normal {
        return (DVec3::ONE, DVec3::ONE);
    }
    let factor = |from: Option<&Node>| from.map_or(DVec3::ONE, &inherited);
    (
        factor(node.parent.as_deref()),
        factor(node.inherit_scale_node.as_deref()),
    )
}

/// The nodes whose scales make up what `node` hands on, itself first.
fn chain(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    std::iter::successors(node, |node| match node.inherit_mode {
        InheritMode::Normal => None,
        _ => node.inherit_scale_node.as_deref(),
    })
}

/// The nodes whose scales move `node`.
pub(super) fn movers(node: &Node) -> impl Iterator<Item = &Node> {
    let parent = node.parent.as_deref();
    chain(parent.filter(|_| node.inherit_mode != InheritMode::Normal))
}

/// The nodes whose scales scale `node`, without itself.
pub(super) fn scalers(node: &Node) -> impl Iterator<Item = &Node> {
    let from = node.inherit_scale_node.as_deref();
    chain(from.filter(|_| node.inherit_mode != InheritMode::Normal))
}
