//! The scale of an armature: of a joint, or of a node above joints.

use glam::DMat3;

use crate::analysis::joints::is_below;
use crate::core::context::Context;
use crate::finding::Finding;
use crate::rig::{Asset, NodeId};

/// A scale that is not 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Along the axis where it is farthest from 1.
    pub(crate) factor: f64,
    /// Whether it is the same along all axes, except for rounding.
    pub(crate) uniform: bool,
}

/// How far a factor between units may be off, as a ratio: files write 39.37 for 39.3701.
pub(crate) const UNIT: f64 = 1e-4;

/// The square root of the smallest factor between common units, 2.54: a factor that is nearer to another than this is nearer to
/// it than to any other.
const NEAREST: f64 = 1.59;

impl Scale {
    /// The scale along an axis, divided by `unit`; `None` unless all are finite and above 0.
    pub(crate) fn of(linear: &DMat3, unit: f64) -> Option<Self> {
        let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
        let scales = columns.map(|column| column.length() / unit);
        let usable = scales.iter().all(|scale| scale.is_finite() && *scale > 0.0);
        let farthest = |a: f64, b: f64| if deviation(b) > deviation(a) { b } else { a };
        usable.then(|| {
            let factor = scales.into_iter().fold(1.0, farthest);
            let uniform = scales.iter().all(|scale| deviation(scale / factor) < UNIT);
            Self { factor, uniform }
        })
    }

    /// The scale of a node at rest. The file's top node may carry its unit.
    ///
    /// * `unit` – that unit, as [`applied_unit`] returns it.
    pub(crate) fn of_node(asset: &Asset, node: NodeId, unit: f64) -> Option<Self> {
        let node = asset.skeleton.get(node)?;
        let linear = DMat3::from_mat4(node.rest.to_matrix().as_dmat4());
        Self::of(&linear, if node.parent.is_none() { unit } else { 1.0 })
    }
}

/// As a factor: 2 and 0.5 are equally far from 1.
pub(crate) fn deviation(factor: f64) -> f64 {
    factor.max(1.0 / factor) - 1.0
}

/// The file's unit, which a COLLADA reader applies at the root.
pub(crate) fn applied_unit(asset: &Asset) -> f64 {
    let stated = asset.stated_space.and_then(|space| space.metres_per_unit);
    match (stated, asset.space.metres_per_unit) {
        (Some(stated), Some(given)) => stated / given,
        _ => 1.0,
    }
}

/// The factor by which the node that `cause` names scales the whole model, evenly; `None` if it does not.
pub(crate) fn scale_of_all(cx: &Context<'_>, cause: &Finding) -> Option<f64> {
    let (asset, node) = (cx.asset, cause.location.ids.node?);
    let skinned = asset.instances.iter().filter_map(|own| own.skin);
    let joints = skinned.flat_map(|skin| &asset[skin].joints).copied();
    let plain = asset.instances.iter().filter(|own| own.skin.is_none());
    let mut all = joints.chain(plain.map(|own| own.node));
    let factor = factor(cx, node)?;
    all.all(|own| own == node || is_below(asset, own, node))
        .then_some(factor)
}

/// Whether a joint is off by the factor of the scaled node that `cause` names, and is at it or below it.
///
/// * `finding` – its measure is a factor of 1 or more.
pub(crate) fn explains_factor(cx: &Context<'_>, cause: &Finding, finding: &Finding) -> bool {
    let nodes = [cause, finding].map(|own| own.location.ids.node);
    let [Some(node), Some(joint)] = nodes else {
        return false;
    };
    let (Some(factor), Some(measure)) = (factor(cx, node), finding.measure) else {
        return false;
    };
    let off = measure.value / factor.max(1.0 / factor);
    let is_near = deviation(off) < NEAREST - 1.0;
    is_near && (joint == node || is_below(cx.asset, joint, node))
}

/// As [`explains_factor`], of joints below the node only: its scale does not change its own translation.
pub(crate) fn explains_distance(cx: &Context<'_>, cause: &Finding, finding: &Finding) -> bool {
    cause.location.ids.node != finding.location.ids.node && explains_factor(cx, cause, finding)
}

fn factor(cx: &Context<'_>, node: NodeId) -> Option<f64> {
    let scale = Scale::of_node(cx.asset, node, applied_unit(cx.asset))?;
    scale.uniform.then_some(scale.factor)
}
