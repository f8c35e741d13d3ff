//! `D608`: static-bounds-too-small.

use crate::analysis::deformation::rest;
use crate::core::reading::{Gauge, ReadingUnit};
use glam::DVec3;

use crate::core::numbers::diagonals_beside;
use crate::rig::{Bounds, MeshInstance, NodeId};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Source, Through,
    declare_rule, follows,
};

/// Engines that derive bounds from the rest pose allow about this margin; a swinging arm stays within it.
const MARGIN: Limit = Limit::new("margin", 0.25, LimitRange::FROM_ZERO)
    .about("maximum distance of the mesh beyond its box at rest, over the box's diagonal");

const BEYOND: Gauge = Gauge::new("distance from the box at rest", ReadingUnit::Diagonals);

declare_rule! {
    StaticBoundsTooSmall, "D608", "static-bounds-too-small", Info, Proved, limits = &[MARGIN]
}

impl Rule for StaticBoundsTooSmall {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Mended => ["B211", "C530", "C531"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        // Poses of the range of motion appear in no clip, and so in no scene.
        if !matches!(sample.source, Source::Clip(..)) {
            return;
        }
        let limit = cx.limit(&Self::META, &MARGIN);
        let Some(rest) = rest(cx) else {
            return;
        };
        for (posed, extent) in sample.meshes.iter().zip(sample.extents()) {
            let index = posed.instance.index();
            let (instance, bounds) = (&cx.asset.instances[index], &rest.boxes[index]);
            let now = extent.bounds;
            let Some(root) = root(cx, instance).filter(|_| !bounds.is_empty() && !now.is_empty())
            else {
                continue;
            };
            let [before, after] = [&rest.pose, sample.pose].map(|pose| pose[root]);
            let moved = (after.w_axis - before.w_axis).truncate().as_dvec3();
            let beyond = beyond(bounds, moved, &now) / bounds.diagonal();
            out.measure(BEYOND, [beyond, limit], || cx.mesh(instance));
            // Other rules report infinite positions, and a point has no margin.
            if beyond > limit && beyond.is_finite() {
                let group = cx.mesh(instance);
                out.add(Offence::above(&group, "mesh", beyond, limit), |subject| {
                    let [beyond, limit] = diagonals_beside(beyond, limit, 1);
                    let words = format!("leaves its rest-pose box by {beyond}, limit {limit} %");
                    (sample.location(subject), words)
                });
            }
        }
    }
}

/// The first joint of the skin, parents first.
fn root(cx: &Context<'_>, instance: &MeshInstance) -> Option<NodeId> {
    cx.asset.skin_of(instance)?.joints.iter().min().copied()
}

/// How far `now` extends beyond `bounds`, after `moved`.
fn beyond(bounds: &Bounds, moved: DVec3, now: &Bounds) -> f64 {
    let [below, above] = [bounds.low + moved - now.low, now.high - bounds.high - moved];
    below.max(above).max_element().max(0.0)
}
