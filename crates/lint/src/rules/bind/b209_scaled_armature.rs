//! `B209`: scaled-armature.

use glam::{DMat3, DVec3, Mat4, Vec3};

use crate::analysis::armature::{Scale, UNIT, applied_unit, deviation};
use crate::analysis::{joints, mending};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::lists::distinct;
use crate::rig::{Asset, Channel, Clip, NodeId, Skin};
use crate::rules::bind::spread;
use crate::units::{LengthUnit, without_trailing_zeros};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// How far a factor may be from 1. A chain of some hundred f32 products is off by 1e-5, and text files by 1e-4; factors
/// between common units are 2.54 and more.
const DEVIATION: Limit = Limit::new("deviation", 0.001, LimitRange::FROM_ZERO)
    .about("maximum deviation of a scale, or of its reciprocal, from 1");

/// A scale that is closer to 1 is visible only beside another model.
const SLIGHT: f64 = 0.05;

const SCALE: Gauge = Gauge::new("scale of the skeleton, off 1", ReadingUnit::Part);

declare_rule! {
    ScaledArmature, "B209", "scaled-armature", Warning, Judged, limits = &[DEVIATION]
}

impl Rule for ScaledArmature {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let node = finding.location.ids.node?;
        let is_root = cx.asset.skeleton[node].parent.is_none();
        let unit = if is_root { applied_unit(cx.asset) } else { 1.0 };
        let scale = DVec3::splat(unit).as_vec3();
        let mut asset = mending::with_rests(cx.asset, |own, rest| {
            (own == node).then(|| mending::rescaled(rest, scale))
        })?;
        for clip in &mut asset.clips {
            for channel in clip.channels.iter_mut().filter(|own| own.node == node) {
                channel.scale = None;
            }
        }
        Some(asset)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEVIATION);
        let worlds = spread::rest_worlds(cx.asset);
        let unit = applied_unit(cx.asset);
        let mut reported: Vec<Option<Scale>> = vec![None; cx.asset.skeleton.len()];
        for root in cx.asset.skins.iter().flat_map(|skin| roots(cx.asset, skin)) {
            let factor = Scale::of(&DMat3::from_mat4(worlds[root.index()]), unit);
            let Some(off) = factor.map(|scale| deviation(scale.factor)) else {
                continue;
            };
            if off <= limit {
                out.measure(SCALE, [off, limit], || cx.joint(root));
                continue;
            }
            let Some((node, scale)) = culprit(cx.asset, root, unit) else {
                continue;
            };
            if deviation(scale.factor) > limit && !is_animated(cx.asset, node) {
                reported[node.index()].get_or_insert(scale);
            }
        }
        for (node, scale) in joints::nodes(cx.asset).zip(reported) {
            let Some(scale) = scale else { continue };
            let group = cx.joint(node);
            let deviation = deviation(scale.factor);
            out.measure(SCALE, [deviation, limit], || group.clone());
            let offence = Offence::above(&group, "node", deviation, limit);
            let is_minor = is_of_units(scale) || deviation < SLIGHT;
            out.add(offence.info_if(is_minor), |subject| {
                let factor = rounded(scale.factor);
                (subject, format!("scales the skeleton below it by {factor}"))
            });
        }
    }
}

/// The topmost joints of a skin that have other joints below them. A lone joint (a lid, a wheel) may have a scale.
fn roots(asset: &Asset, skin: &Skin) -> Vec<NodeId> {
    let own = joints::flags(asset, skin.joints.iter().copied());
    // For each joint, its topmost ancestor in the skin.
    let mut topmost: Vec<Option<NodeId>> = Vec::with_capacity(own.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| topmost[parent.index()]);
        topmost.push(above.or_else(|| own[id.index()].then_some(id)));
    }
    let below = skin.joints.iter();
    distinct(below.filter_map(|id| topmost[id.index()].filter(|top| top != id)))
}

/// Whether a scale converts between units of length.
fn is_of_units(scale: Scale) -> bool {
    let units = LengthUnit::ALL.map(LengthUnit::metres);
    let is_ratio = |from: f64, to: f64| deviation(scale.factor * from / to) < UNIT;
    scale.uniform
        && units
            .iter()
            .any(|from| units.iter().any(|to| is_ratio(*from, *to)))
}

/// The node with the scale farthest from 1, among `root` and its ancestors.
fn culprit(asset: &Asset, root: NodeId, unit: f64) -> Option<(NodeId, Scale)> {
    let mut worst: Option<(NodeId, Scale)> = None;
    let mut next = Some(root);
    while let Some(id) = next {
        let scale = Scale::of_node(asset, id, unit)?;
        if worst.is_none_or(|(_, worst)| deviation(scale.factor) > deviation(worst.factor)) {
            worst = Some((id, scale));
        }
        next = asset.skeleton.get(id)?.parent;
    }
    worst
}

/// Whether a clip changes the node's scale.
fn is_animated(asset: &Asset, node: NodeId) -> bool {
    let varies = |clip: &Clip| {
        let scales = clip.channel_of(node).map(scales).unwrap_or_default();
        let varies = |scale: &Vec3| !scale.abs_diff_eq(scales[0], 1e-4 * scales[0].length());
        scales.iter().any(varies)
    };
    asset.clips.iter().any(varies)
}

/// The keys of the node's scale; for a matrix, the lengths of its axes.
fn scales(channel: &Channel) -> Vec<Vec3> {
    let lengths = |matrix: Mat4| {
        let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        Vec3::from(axes.map(|axis| axis.truncate().length()))
    };
    let parts = channel.scale.iter().flat_map(|track| &track.keys);
    let whole = channel.matrix.iter().flat_map(|track| &track.keys);
    let parts = parts.map(|key| key.value);
    parts.chain(whole.map(|key| lengths(key.value))).collect()
}

/// To three digits, for people.
fn rounded(factor: f64) -> String {
    if factor > 1e6 {
        "more than a million".to_owned()
    } else if factor >= 100.0 {
        format!("{factor:.0}")
    } else if factor >= 0.01 {
        without_trailing_zeros(&format!("{factor:.4}")).to_owned()
    } else {
        format!("{factor:.2e}")
    }
}
