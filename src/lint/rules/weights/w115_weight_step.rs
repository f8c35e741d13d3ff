//! `W115`: weight-step.

use crate::lint::analysis::joints;
use crate::lint::analysis::topology::{Topology, topology};
use crate::lint::analysis::weighting::{self, Weighting};
use crate::lint::core::numbers::{as_f64, beside};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};
use crate::rig::SkinSlot;
use crate::shown::escaped;

/// Nearly the whole weight: smooth weights need at least two edges from one joint to the next, so a coarse mesh has
/// steps of about 0.5 at its joints.
const STEP: Limit =
    Limit::new("step", 0.9, LimitRange::PART).about("change of a joint's weight across an edge");

/// A mesh counts as made of rigid pieces, where steps are intended, if at least this fraction of the edges across which
/// weights change are steps.
const RIGID: Limit = Limit::new("rigid", 0.25, LimitRange::PART)
    .about("minimum share of steps, among edges with a change, of a mesh made of rigid pieces");

/// The smallest change that counts: more than rounding to 8 bits.
const CHANGE: f64 = 0.01;

declare_rule! {
    WeightStep, "W115", "weight-step", Info, limits = &[STEP, RIGID], attribute = Some("WEIGHTS_0")
}

impl Rule for WeightStep {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Vertices => ["W104", "W105", "W114"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &STEP);
        let rigid = cx.limit(&Self::META, &RIGID);
        for skinned in joints::skinned(cx.asset) {
            let weights = weighting::weighting(cx, skinned.instance.mesh);
            let topology = topology(cx, skinned.instance.mesh);
            let changes = changes(topology, weights);
            let steps = changes
                .iter()
                .filter(|change| change.by.abs() > limit)
                .count();
            if as_f64(steps) >= rigid * as_f64(changes.len()) {
                continue;
            }
            let group = cx.mesh(skinned.instance);
            for change in changes {
                let by = change.by.abs();
                if by <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "edge", by, limit);
                out.add(offence.vertices(&change.vertices), |subject| {
                    let joint = cx.joint_name(skinned.skin.joints[change.joint.index()]);
                    let [from, to] = change.vertices;
                    let by = beside(by, limit, 2);
                    let message = format!(
                        "the weight of joint \"{}\" differs by {by} from the neighbouring vertex {to}, limit {limit}",
                        escaped(joint)
                    );
                    let joint = Some(change.joint);
                    (cx.at_weight(subject, skinned.instance, from as usize, joint), message)
                });
            }
        }
    }
}

/// The joint whose weight changes most across an edge.
struct Change {
    vertices: [u32; 2],
    joint: SkinSlot,
    by: f64,
}

/// The change across each edge where weights change.
fn changes(topology: &Topology, weights: &Weighting) -> Vec<Change> {
    let change = |&vertices: &[u32; 2]| {
        let [from, to] = vertices.map(|vertex| weights.at(vertex as usize));
        if from.is_empty() || to.is_empty() || from == to {
            return None;
        }
        let largest =
            weighting::differences(from, to).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let (joint, by) = largest.filter(|(_, by)| by.abs() > CHANGE)?;
        Some(Change {
            vertices,
            joint,
            by,
        })
    };
    topology.edges.iter().filter_map(change).collect()
}
