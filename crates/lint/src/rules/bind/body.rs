//! Which joints are those of a creature's head and feet, by their names.

use glam::DVec3;

use crate::Context;
use crate::analysis::deformation::rest;
use crate::analysis::naming::words;
use crate::core::numbers::as_f64;
use crate::pose::ModelPose;
use crate::rig::NodeId;

/// The joints of a skin that are named after parts of a body.
pub(super) struct Body {
    heads: Vec<NodeId>,
    feet: Vec<NodeId>,
    legs: Vec<NodeId>,
    hands: Vec<NodeId>,
    /// Whether it has wings or fins.
    flies: bool,
}

impl Body {
    /// Finds them.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        let bound = cx.asset.bound_joints();
        let joints = cx.asset.skeleton.iter().filter(|(id, _)| bound[id.index()]);
        let named: Vec<(NodeId, Vec<String>)> = joints
            .map(|(id, _)| {
                let words = words(cx.joint_name(id)).into_iter();
                (id, words.map(str::to_lowercase).collect())
            })
            .collect();
        let with = |own: &[&str]| -> Vec<NodeId> {
            let has = |words: &[String]| words.iter().any(|word| own.contains(&&**word));
            let found = named.iter().filter(|(_, words)| has(words));
            found.map(|(id, _)| *id).collect()
        };
        Self {
            heads: with(&["head"]),
            feet: with(&["foot", "feet", "toe", "toes", "paw", "hoof"]),
            legs: with(&["leg", "thigh", "calf", "shin", "knee"]),
            hands: with(&["hand", "arm", "wrist", "wing"]),
            flies: !with(&["wing", "wings", "fin", "fins", "flipper", "fluke"]).is_empty(),
        }
    }

    /// Whether there is a head, and legs to stand on.
    pub(super) fn is_creature(&self) -> bool {
        let has_legs = !self.legs.is_empty() && !self.hands.is_empty();
        !self.heads.is_empty() && (!self.feet.is_empty() || has_legs)
    }

    /// Whether it may fly or swim, with its feet behind it.
    pub(super) fn flies(&self) -> bool {
        self.flies
    }

    /// From the middle of the feet to that of the heads, in the world; `None` without either.
    pub(super) fn feet_to_head(&self, pose: &ModelPose) -> Option<DVec3> {
        let middle = |joints: &[NodeId]| {
            let sum = joints
                .iter()
                .map(|joint| pose[*joint].w_axis.truncate().as_dvec3());
            let middle = sum.sum::<DVec3>() / as_f64(joints.len());
            middle.is_finite().then_some(middle)
        };
        let along = middle(&self.heads)? - middle(&self.feet)?;
        (along.length() > 0.0).then_some(along)
    }
}

/// Height of the model at rest, in metres; `None` if there is no vertex.
pub(super) fn metres_high(cx: &Context<'_>) -> Option<f64> {
    let whole = rest(cx)?.whole;
    let height = cx.asset.space.up.unit().dot(whole.high - whole.low).abs();
    let metres = cx.asset.space.metres_per_unit.unwrap_or(1.0);
    (!whole.is_empty()).then_some(height * metres)
}
