//! `B209`: scaled-armature.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, Mat4, Vec3};

use super::spread;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Asset, Channel, Clip, JointId, Skin};

/// How far a factor may be from 1. A chain of some hundred products of f32 is off by 1e-5, and files of text by 1e-4; the
/// factors between units that people use are 2.54 and more.
const DEVIATION: Limit = Limit {
    key: "deviation",
    default: 0.001,
    range: LimitRange::FROM_ZERO,
    about: "how far a scale, or 1 divided by it, may be above 1",
};

declare_rule! {
    /// ## What it does
    /// Checks that what the skeleton hangs on has no scale in the rest pose: the nodes above the joints of a skin, and its
    /// root joints.
    ///
    /// A scale that others above or below it undo is right, and so is one that clips change, and the unit of a COLLADA file,
    /// which its readers apply at the root. The factors, or 1 divided by them, may be above 1 by `deviation` (0.001): 2 and 0.5
    /// are as far off.
    ///
    /// ## Why is this bad?
    /// The bind pose has the scale in it, so at first all looks right. But what is attached to a joint (a sword, a hat, a
    /// particle system) is a hundred times too large or too small; root motion, physics and inverse kinematics count in
    /// other units than the scene; and engines that drop the scale of nodes which are no joints show a giant or nothing.
    ///
    /// ## How to fix
    /// - Blender: model in metres, *Object → Apply → Scale* on armature and meshes (and scale the location curves of actions
    ///   along); in FBX export, *Apply Scalings: FBX Units Scale* leaves the armature at 1 where *FBX All* and *All Local*
    ///   write 100 or 0.01 onto it.
    /// - Maya: *Modify → Freeze Transformations* on the group above the skeleton before binding; set the working unit to that
    ///   of the engine.
    /// - Mixamo and the like: bring the model to the size that you need before uploading.
    ///
    /// ## References
    /// - Blender manual, "FBX", *Apply Scalings*; Unity manual, "Model Import Settings", *Convert Units*.
    ScaledArmature, "B209", "scaled-armature", Warning, limits: [DEVIATION]
}

impl Rule for ScaledArmature {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEVIATION);
        let worlds = spread::rest_worlds(cx.asset);
        let unit = applied_unit(cx.asset);
        let mut told: BTreeMap<JointId, f64> = BTreeMap::new();
        for root in cx.asset.skins.iter().flat_map(|skin| roots(cx.asset, skin)) {
            let factor = farthest_from_one(&DMat3::from_mat4(worlds[root.index()]), unit);
            if !factor.is_some_and(|factor| deviation(factor) > limit) {
                continue;
            }
            let Some((node, factor)) = culprit(cx.asset, root, unit) else {
                continue;
            };
            if deviation(factor) > limit && !is_animated(cx.asset, node) {
                told.entry(node).or_insert(factor);
            }
        }
        for (node, factor) in told {
            let group = cx.joint(node);
            let offence = Offence::above(&group, "node", deviation(factor), limit);
            out.add(offence, |place| {
                let factor = rounded(factor);
                (place, format!("scales the skeleton below it by {factor}"))
            });
        }
    }
}

/// The joints of a skin that hang on no other joint of it but move some. A lone joint (a lid, a wheel) is what scale is for.
fn roots(asset: &Asset, skin: &Skin) -> Vec<JointId> {
    let joints = asset.skeleton.joints();
    let own: BTreeSet<JointId> = skin.joints.iter().copied().collect();
    // For each joint the topmost joint of the skin on the way up to it.
    let mut topmost: Vec<Option<JointId>> = Vec::with_capacity(joints.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| topmost[parent.index()]);
        topmost.push(above.or_else(|| own.contains(&id).then_some(id)));
    }
    let below = own
        .iter()
        .filter_map(|id| topmost[id.index()].filter(|top| top != id));
    let moving: BTreeSet<JointId> = below.collect();
    moving.into_iter().collect()
}

/// What a reader of COLLADA has put onto the root: the unit of the file.
fn applied_unit(asset: &Asset) -> f64 {
    let stated = asset.stated_space.and_then(|space| space.metres_per_unit);
    match (stated, asset.space.metres_per_unit) {
        (Some(stated), Some(given)) => stated / given,
        _ => 1.0,
    }
}

/// Of the scales along the three axes, less `unit`, the one that is farthest from 1; `None` if they are not all finite and
/// above 0.
fn farthest_from_one(linear: &DMat3, unit: f64) -> Option<f64> {
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let scales = columns.map(|column| column.length() / unit);
    let usable = scales.iter().all(|scale| scale.is_finite() && *scale > 0.0);
    let farthest = |a: f64, b: f64| if deviation(b) > deviation(a) { b } else { a };
    usable.then(|| scales.into_iter().fold(1.0, farthest))
}

/// As a factor: 2 and 0.5 are as far from 1.
fn deviation(factor: f64) -> f64 {
    factor.max(1.0 / factor) - 1.0
}

/// Of the node `root` and those above it, the one with the scale that is farthest from 1. The top of the file may have the
/// unit of the file on it.
fn culprit(asset: &Asset, root: JointId, unit: f64) -> Option<(JointId, f64)> {
    let mut worst: Option<(JointId, f64)> = None;
    let mut next = Some(root);
    while let Some(id) = next {
        let joint = asset.skeleton.get(id)?;
        let unit = if joint.parent.is_none() { unit } else { 1.0 };
        let linear = DMat3::from_mat4(joint.rest.to_matrix().as_dmat4());
        let factor = farthest_from_one(&linear, unit)?;
        if worst.is_none_or(|(_, worst)| deviation(factor) > deviation(worst)) {
            worst = Some((id, factor));
        }
        next = joint.parent;
    }
    worst
}

/// Whether a clip gives the node several scales.
fn is_animated(asset: &Asset, node: JointId) -> bool {
    let varies = |clip: &Clip| {
        let channel = clip.channels.iter().find(|channel| channel.joint == node);
        let scales = channel.map(scales).unwrap_or_default();
        let varies = |scale: &Vec3| !scale.abs_diff_eq(scales[0], 1e-4 * scales[0].length());
        scales.iter().any(varies)
    };
    asset.clips.iter().any(varies)
}

/// The keys of its scale; of a matrix the lengths of its axes.
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
    if factor >= 100.0 {
        format!("{factor:.0}")
    } else if factor >= 0.01 {
        let text = format!("{factor:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{factor:.2e}")
    }
}
