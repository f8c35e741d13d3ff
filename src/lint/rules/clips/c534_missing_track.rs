//! `C534`: missing-track.

use std::collections::BTreeMap;

use crate::lint::analysis::joints;
use crate::lint::analysis::naming::Pairs;
use crate::lint::core::numbers::beside;
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};
use crate::rig::{Channel, Clip, NodeId, rotation_angle};

/// A joint that swings less may rest in a clip unnoticed.
const DEGREES: Limit = Limit::new("degrees", 5.0, LimitRange::FROM_ZERO)
    .about("minimum rotation in every other clip, in degrees");

/// A clip that omits several joints, and more than one in this many of the joints that all others animate, is a partial
/// clip on purpose, such as a wave of one arm for layering.
const ONE_IN: usize = 5;

/// The neighbours of the joint move in the clip if they swing by more, in degrees.
const MOVES: f64 = 1.0;

/// The limbs of the two sides move alike if their swings differ by less than this factor, as in a walk or a run. An animator who
/// moves them by more than a quarter differently in any clip, moves each on its own, and may hold one.
const ALIKE: f64 = 1.25;

/// No limb has so many joints. In a hostile file, a chain may have all.
const LONGEST: usize = 64;

/// A track that swings by less is constant, in degrees.
const CONSTANT: f64 = 0.05;

declare_rule! {
    MissingTrack, "C534", "missing-track", Warning, limits = &[DEGREES]
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
        let counterparts = cx.get::<Pairs>().counterparts();
        let others = clips.len() - 1;
        let drivers = Drivers::of(&clips);
        for (index, clip) in cx.asset.clips.iter().enumerate() {
            let own = &clips[index];
            let missing = drivers.by_all_but(own, others);
            let is_partial = missing.len() * ONE_IN > drivers.by_all(clips.len()) + missing.len();
            let is_partial = missing.len() > 1 && is_partial;
            let moves = |joint: NodeId| own.get(&joint).is_some_and(|swing| *swing > MOVES);
            let is_between = |joint: NodeId| {
                let above = parents[joint.index()].is_some_and(moves);
                let below = parents.iter().enumerate().any(|(child, parent)| {
                    *parent == Some(joint) && moves(NodeId::from_index(child))
                });
                above && below
            };
            // Whether the joint on the other side moves here, and everywhere else about as much as this one.
            let is_one_sided = |joint: NodeId| {
                let Some(other) = counterparts.get(&joint) else {
                    return false;
                };
                // Up the limb: an arm that swings more than the other moves its hand on its own, too.
                let parent = |own: &NodeId| cx.asset.skeleton[*own].parent;
                let is_held = own.contains_key(&joint);
                let (joints, factor) = if is_held { (LONGEST, ALIKE) } else { (1, 2.0) };
                let limb: Vec<_> = std::iter::successors(Some(joint), parent)
                    .take(joints)
                    .filter_map(|own| Some((own, *counterparts.get(&own)?)))
                    .collect();
                let alike = |clip: &Swings| {
                    limb.iter()
                        .all(|(own, other)| match (clip.get(own), clip.get(other)) {
                            (Some(own), Some(other)) => own.max(*other) < factor * own.min(*other),
                            _ => *own != joint,
                        })
                };
                let elsewhere = clips
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index);
                others > 1
                    && own.get(other).is_some_and(|swing| *swing > 2.0 * limit)
                    && elsewhere.map(|(_, clip)| clip).all(alike)
            };
            let constant = own
                .iter()
                .filter(|(_, swing)| **swing < CONSTANT)
                .filter_map(|(joint, _)| {
                    let mut elsewhere = clips.iter().enumerate();
                    let least = elsewhere.try_fold(f64::INFINITY, |least, (other, clip)| {
                        let swing = if other == index {
                            Some(&f64::INFINITY)
                        } else {
                            clip.get(joint)
                        };
                        swing.map(|swing| swing.min(least))
                    });
                    Some((*joint, least?))
                })
                .filter(|(joint, _)| is_one_sided(*joint));
            let absent = missing
                .into_iter()
                .filter(|_| !is_partial)
                .filter(|(joint, _)| is_between(*joint) || is_one_sided(*joint));
            let group = cx.clip(clip);
            for (joint, swing) in absent.chain(constant) {
                if swing <= limit || !carrying[joint.index()] {
                    continue;
                }
                let offence = Offence::above(&group, "joint", swing, limit);
                out.add(offence.joint(joint), |subject| {
                    let what = if own.contains_key(&joint) {
                        "does not rotate"
                    } else {
                        "has no rotation"
                    };
                    let elsewhere = match others {
                        1 => "the other clip".to_owned(),
                        others => format!("each of the {others} others"),
                    };
                    let message = format!(
                        "{what} in this clip, but rotates by {}° or more in {elsewhere}",
                        beside(swing, limit, 0)
                    );
                    (subject.of_joint(joint), message)
                });
            }
        }
    }
}

/// The joints that a clip rotates, with the largest angle from their first keys, in degrees.
type Swings = BTreeMap<NodeId, f64>;

/// For each joint, the number of clips that rotate it, and its least swing in any of them.
struct Drivers(BTreeMap<NodeId, (usize, f64)>);

impl Drivers {
    fn of(clips: &[Swings]) -> Self {
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
    fn by_all_but(&self, own: &Swings, others: usize) -> Vec<(NodeId, f64)> {
        let missing = self.0.iter();
        let missing =
            missing.filter(|(joint, (count, _))| *count == others && !own.contains_key(joint));
        missing
            .map(|(joint, (_, least))| (*joint, *least))
            .collect()
    }
}

/// The swings of a clip.
fn swings(clip: &Clip) -> Swings {
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

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat};

    use super::*;
    use crate::lint::testing::{arm, reported};
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Asset, Influence, Influences, Skeleton, SkinSlot, Track};

    /// Three clips that swing both arms and hands by 60°, the left arm by `left` in the second, and the left hand not at all in
    /// the first.
    fn waving(left: f32) -> Asset {
        let mut asset = arm();
        let rest = asset.skeleton[NodeId(0)].rest;
        let names = ["arm.L", "arm.R", "hand.L", "hand.R"];
        let parents = [None, None, Some(0), Some(1)];
        let joints = names
            .iter()
            .zip(parents)
            .map(|(name, parent)| named_joint(name, parent, rest));
        asset.skeleton = Skeleton::new(joints.collect()).expect("parents come first");
        asset.skins[0].joints = (0..4).map(NodeId).collect();
        let bind = |x: f32| Mat4::from_translation(glam::Vec3::X * x);
        asset.skins[0].inverse_bind_matrices = [1.0, -1.0, 1.0, -1.0].map(bind).to_vec();
        let mesh = &mut asset.meshes[0];
        let follow = |vertex: usize| [Influence::new(SkinSlot::from_index(vertex % 4), 1.0)];
        mesh.influences = Influences::from_vertices((0..mesh.positions.len()).map(follow));
        for number in 0..3_u8 {
            let mut own = clip(&format!("clip {number}"), 0.0, 1.0);
            for (joint, name) in (0..4).map(NodeId).zip(names) {
                let degrees = match (number, name) {
                    (0, "hand.L") => 0.0,
                    (1, "arm.L") => left,
                    _ => 60.0_f32,
                };
                let swing = Quat::from_rotation_z(degrees.to_radians());
                own.channels.push(Channel {
                    rotation: Some(Track::linear([(0.0, Quat::IDENTITY), (1.0, swing)])),
                    ..Channel::of(joint)
                });
            }
            asset.clips.push(own);
        }
        asset
    }

    #[test]
    fn a_hand_is_held_where_the_sides_move_on_their_own() {
        for (left, count) in [(60.0, 1), (70.0, 1), (90.0, 0)] {
            assert_eq!(
                reported(&MissingTrack, &waving(left)).len(),
                count,
                "{left}"
            );
        }
    }
}
