//! `H323`: joint-outside-mesh.

use glam::DVec3;

use crate::analysis::deformation::rest;
use crate::analysis::joints;
use crate::analysis::naming::is_end;
use crate::analysis::solid::Solid;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::NodeId;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// A shoulder that lies in the armpit is some 5 cm outside, a sixth of an upper arm. Joints of robots between two plates,
/// and of cloth beside its surface, are nearer than that.
const BONES: Limit = Limit::new("bones", 0.25, LimitRange::FROM_ZERO)
    .about("maximum distance of a joint outside of the surface, in lengths of its longest bone");

/// Nearer than this part of the limit to the surface, a joint is not measured.
const MEASURED: f64 = 0.25;

const OUTSIDE: Gauge = Gauge::new(
    "distance of a joint outside, in its longest bone",
    ReadingUnit::Times,
);

declare_rule! {
    JointOutsideMesh, "H323", "joint-outside-mesh", Hint, Judged, on_request = true, limits = &[BONES]
}

impl Rule for JointOutsideMesh {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["B214", "B211"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(rest) = rest(cx) else {
            return;
        };
        let (limit, solid) = (cx.limit(&Self::META, &BONES), cx.get::<Solid>());
        let (followed, parents) = (joints::followed(cx.asset), joints::bound_parents(cx.asset));
        let place = |node: NodeId| rest.pose.nodes[node.index()].w_axis.truncate().as_dvec3();
        let mut longest = vec![0.0_f64; parents.len()];
        let nodes = || joints::nodes(cx.asset);
        for node in nodes().filter(|node| followed[node.index()]) {
            if let Some(parent) = parents[node.index()] {
                let length = place(node).distance(place(parent));
                for end in [node, parent] {
                    longest[end.index()] = longest[end.index()].max(length);
                }
            }
        }
        let homes = joints::Homes::of(cx);
        for node in nodes().filter(|node| followed[node.index()]) {
            if cx.deadline.has_passed() {
                return;
            }
            let is_topmost = parents[node.index()].is_none();
            let length = longest[node.index()];
            if is_topmost || is_end(cx, node) || length <= 0.0 {
                continue;
            }
            if let Some(away) = outside(solid, place(node), MEASURED * limit * length) {
                out.measure(OUTSIDE, [away / length, limit], || {
                    homes.location(node).clone().joint_id(node)
                });
                if away <= limit * length {
                    continue;
                }
                let offence = Offence::above(homes.location(node), "joint", away / length, limit);
                out.add(offence, |subject| {
                    let away = beside(away / length, limit, 2);
                    let message = format!(
                        "is outside of the surface, {away} lengths of its longest bone away from it, limit {limit}"
                    );
                    (subject.joint_id(node), message)
                });
            }
        }
    }
}

/// The distance of a point outside of the surface, if it is more than `limit`.
fn outside(solid: &Solid, point: DVec3, limit: f64) -> Option<f64> {
    let distance = solid.distance(point)?;
    (distance > limit && !solid.contains(point)).then_some(distance)
}
