//! `W119`: exchanged-weights.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use crate::lint::analysis::joints::{self, Centres};
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::rules::weights::sides::{Pair, pairs};
use crate::lint::{Context, Findings, Rule};
use crate::rig::NodeId;

/// How much nearer to its counterpart than to its own joint the surface must be, as a ratio of distances. For sides
/// that are not exchanged, the ratio is above 1.
const NEARER: f64 = 0.5;

declare_rule! {
    /// ## What it does
    /// Looks for left and right joints, such as `LeftArm` and `RightArm`, that move each other's vertices.
    ///
    /// The rule computes, in the bind pose, the weighted centre of each joint's vertices. It reports a pair if both
    /// centres together are twice as close to the other joint as to their own. If the joints themselves are exchanged,
    /// `H314` reports that.
    ///
    /// ## Why is this bad?
    /// The left arm moves when the right one should. Both are torn off at the shoulder as soon as one side moves alone.
    ///
    /// ## How to fix
    /// - Exchange the weights of the two joints.
    /// - Blender: swap the names of the two vertex groups. *Mirror Vertex Group* with *Flip Group Names* does this for
    ///   all groups.
    /// - Maya: *Skin → Mirror Skin Weights* with *Influence Association: Label* instead of *Closest Joint*.
    /// - Exporters: look up joints by name, not by their position in the other side's list.
    ///
    /// ## References
    /// - Blender manual, "Bone Naming Conventions".
    ExchangedWeights, "W119", "exchanged-weights", Warning
}

impl Rule for ExchangedWeights {
    fn follows_from(&self) -> &'static [Follows] {
        &const { Through::Model.each(["H314"]) }
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut wrong = BTreeMap::new();
        for (index, skin) in cx.asset.skins.iter().enumerate() {
            let centre = |joint: NodeId| {
                let slot = skin.joints.iter().position(|own| *own == joint)?;
                cx.get::<Centres>().0[index][slot]
            };
            for pair in pairs(cx, skin) {
                if is_exchanged(&pair, [pair.left, pair.right].map(centre)) {
                    wrong.insert(pair.left, pair.right);
                }
            }
        }
        joints::report_by_skin(cx, out, wrong.keys().copied(), |left| {
            let right = cx.joint_name(wrong[&left]);
            format!("moves the vertices of joint {right:?}, and that joint moves the vertices here")
        });
    }
}

/// * `centres` – of the vertices that follow the two joints.
fn is_exchanged(pair: &Pair, centres: [Option<DVec3>; 2]) -> bool {
    let [Some(left), Some(right)] = centres else {
        return false;
    };
    let [to_left, to_right] = pair.bound.map(Vec3::as_dvec3);
    let straight = left.distance(to_left) + right.distance(to_right);
    let crossed = left.distance(to_right) + right.distance(to_left);
    crossed < NEARER * straight
}
