//! `C534`: missing-track.

use std::collections::BTreeMap;

use crate::lint::analysis::joints;
use crate::lint::core::numbers::beside;
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::{Channel, Clip, NodeId, rotation_angle};

/// A joint that swings less may rest in a clip unnoticed.
const DEGREES: Limit = Limit::new("degrees", 5.0, LimitRange::FROM_ZERO)
    .about("minimum rotation in every other clip, in degrees");

/// A clip that omits several joints, and more than one in this many of the joints that all others animate, is a partial
/// clip on purpose, such as a wave of one arm for layering.
const ONE_IN: usize = 5;

/// The neighbours of the joint move in the clip if they swing by more, in degrees.
const MOVES: f64 = 1.0;

declare_rule! {
    /// ## What it does
    /// Looks for joints without a track in one clip, although it moves the joint above and one below, and every other
    /// clip rotates the joint by more than `degrees` (5).
    ///
    /// A clip that lacks more than a fifth of these joints is skipped, because it is meant to be layered over another
    /// clip.
    ///
    /// ## Why is this bad?
    /// The joint stays at rest, or in the pose of the previous clip. For example, a knee is stiff in the walk, and bent
    /// when the walk follows the run.
    ///
    /// ## How to fix
    /// - Key the joint in this clip too.
    /// - Blender: *Bake Action* with *Visual Keying* for all bones before exporting; do not delete channels whose group is
    ///   muted.
    /// - Exporters: omit a constant channel only if its value is the node's rest value.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: what no channel drives keeps the node's own value.
    MissingTrack, "C534", "missing-track", Warning, limits: [DEGREES]
}

impl Rule for MissingTrack {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        let clips: Vec<_> = cx.asset.clips.iter().map(swings).collect();
        if clips.len() < 2 {
            return;
        }
        let carrying = carrying(cx.asset);
        let parents = joints::bound_parents(cx.asset);
        let others = clips.len() - 1;
        let drivers = Drivers::of(&clips);
        for (clip, own) in cx.asset.clips.iter().zip(&clips) {
            let missing = drivers.by_all_but(own, others);
            let is_partial = missing.len() * ONE_IN > drivers.by_all(clips.len()) + missing.len();
            if missing.len() > 1 && is_partial {
                continue;
            }
            let moves = |joint: NodeId| own.get(&joint).is_some_and(|swing| *swing > MOVES);
            let is_between = |joint: NodeId| {
                let above = parents[joint.index()].is_some_and(moves);
                let below = parents.iter().enumerate().any(|(child, parent)| {
                    *parent == Some(joint) && moves(NodeId::from_index(child))
                });
                above && below
            };
            let group = cx.clip(clip);
            for (joint, swing) in missing {
                if swing <= limit || !carrying[joint.index()] || !is_between(joint) {
                    continue;
                }
                let offence = Offence::above(&group, "joint", swing, limit);
                out.add(offence.joint(joint), |location| {
                    let elsewhere = match others {
                        1 => "the other clip".to_owned(),
                        others => format!("each of the {others} others"),
                    };
                    let message = format!(
                        "has no rotation in this clip, and swings by {}° or more in {elsewhere}",
                        beside(swing, limit, 0)
                    );
                    (joints::at(cx, location, joint), message)
                });
            }
        }
    }
}

/// For each joint, the number of clips that rotate it, and its least swing in any of them.
struct Drivers(BTreeMap<NodeId, (usize, f64)>);

impl Drivers {
    fn of(clips: &[BTreeMap<NodeId, f64>]) -> Self {
        let mut drivers = BTreeMap::new();
        for (joint, swing) in clips.iter().flatten() {
            let (count, least) = drivers.entry(*joint).or_insert((0, f64::INFINITY));
            *count += 1;
            *least = swing.min(*least);
        }
        Self(drivers)
    }

    /// The number of joints that all `clips` rotate.
    fn by_all(&self, clips: usize) -> usize {
        self.0.values().filter(|(count, _)| *count == clips).count()
    }

    /// The joints that all `others` rotate and `own` does not, with their least swing.
    fn by_all_but(&self, own: &BTreeMap<NodeId, f64>, others: usize) -> Vec<(NodeId, f64)> {
        let missing = self.0.iter();
        let missing =
            missing.filter(|(joint, (count, _))| *count == others && !own.contains_key(joint));
        missing
            .map(|(joint, (_, least))| (*joint, *least))
            .collect()
    }
}

/// The joints that a clip rotates, with the largest angle from their first keys, in degrees.
fn swings(clip: &Clip) -> BTreeMap<NodeId, f64> {
    let swing = |channel: &Channel| {
        let keys = &channel.rotation.as_ref()?.keys;
        let first = keys.first()?.value;
        let angles = keys.iter().map(|key| {
            let rotation = first.as_dquat().conjugate() * key.value.as_dquat();
            rotation_angle(rotation).to_degrees()
        });
        let swing = angles.fold(0.0, f64::max);
        swing.is_finite().then_some((channel.node, swing))
    };
    let driven = clip.channels.iter();
    let whole = driven.clone().filter(|channel| channel.matrix.is_some());
    // Matrix tracks count as animating the joint, without a known swing.
    let whole = whole.map(|channel| (channel.node, 0.0));
    driven.filter_map(swing).chain(whole).collect()
}
