//! `C532`: component-order.

use std::collections::BTreeMap;

use glam::{DQuat, Quat};

use crate::lint::analysis::naming::{Pair, Pairs};
use crate::lint::core::numbers::{as_f64, beside};
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};
use crate::rig::{Asset, ChannelId, Key, LocalTransform, NodeId, Track, TrackPart};

/// A joint that is closer than this to its poses elsewhere, on average, may just be posed so.
const DEGREES: Limit = Limit::new("degrees", 20.0, LimitRange::DEGREES).about(
    "minimum mean distance of a track from the joint's poses in other clips and at rest, in degrees",
);

/// How much nearer the keys must be under another order or with another sign, as a ratio. By chance, a pose that is
/// unlike all others hardly becomes like one of them.
const NEARER: f64 = 0.2;

/// Fewer other clips do not show how far a joint bends.
const FEWEST_CLIPS: usize = 2;

/// Fewer joints of a clip with a component negated are posed, rather than misread, unless less than this part of their distance is
/// left. Of real thumbs, wrists and feet that bend the other way, a sixth is.
const FEWEST_JOINTS: usize = 3;
const SAME: f64 = 0.1;

/// A limb bent the other way, as in an animal that kneels, resembles a negated component: beyond so many limits it is one.
const BENT: f64 = 1.3;

declare_rule! {
    ComponentOrder, "C532", "component-order", Warning, limits = &[DEGREES]
}

/// A rest rotation of more than a right angle is near others in either order.
const PLAIN: f32 = 0.7;

/// Cosines of half of 120°, 75° and 50°.
const FAR: f64 = 0.5;
const NEAR: f64 = 0.79;
const MEAN: f64 = 0.906;

impl Rule for ComponentOrder {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        let carrying = carrying(cx.asset);
        let (poses, pairs) = (Poses::of(cx.asset), cx.get::<Pairs>());
        for (index, clip) in cx.asset.clips.iter().enumerate() {
            let group = cx.clip(clip);
            let mut misread = Vec::new();
            let channels = clip.channels.iter();
            for channel in channels.filter(|channel| carrying[channel.node.index()]) {
                let Some(track) = &channel.rotation else {
                    continue;
                };
                let id = ChannelId {
                    node: channel.node,
                    path: TrackPart::Rotation,
                };
                if is_w_first(cx, channel.node, track) {
                    let offence = Offence::of(&group, "joint").joint(channel.node);
                    out.add(offence, |subject| {
                        let message = "its quaternions seem to be in the order w, x, y, z";
                        (subject.of_channel(id), message.to_owned())
                    });
                } else if let Some(found) = poses.misread(channel.node, index, limit) {
                    misread.push((id, found));
                }
            }
            let are_few = misread.len() < FEWEST_JOINTS;
            let are_pair = are_pair(&misread, pairs);
            for (id, found) in misread {
                let offence = Offence::above(&group, "joint", found.degrees, limit);
                let is_posed = are_pair || are_few && found.rest > SAME;
                let is_minor = is_posed && found.spelling != W_FIRST;
                let offence = offence.info_if(is_minor);
                out.add(offence.joint(id.node), |subject| {
                    let (degrees, spelling) = (beside(found.degrees, limit, 0), found.spelling);
                    let message = format!(
                        "is on average {degrees}° away from the poses in the other clips, but matches them {spelling}"
                    );
                    (subject.of_channel(id), message)
                });
            }
        }
    }
}

/// A track that is like the joint's poses in other clips only if it is read otherwise.
struct Misread {
    /// Its mean distance from them.
    degrees: f64,
    /// How to read it, in words.
    spelling: &'static str,
    /// The distance that is left then, as a part.
    rest: f64,
}

/// Whether just a limb and its counterpart seem misread: both are posed, as in an animal that kneels.
fn are_pair(misread: &[(ChannelId, Misread)], pairs: &Pairs) -> bool {
    let [(a, _), (b, _)] = misread else {
        return false;
    };
    let joints = [a.node, b.node];
    let are_these = |pair: &Pair| joints.contains(&pair.left) && joints.contains(&pair.right);
    pairs.all().any(are_these)
}

/// Whether a track is flipped at all of its keys, unless its quaternions are read in the order w, x, y, z.
fn is_w_first(cx: &Context<'_>, joint: NodeId, track: &Track<Quat>) -> bool {
    let node = cx.asset.skeleton.get(joint);
    let Some(LocalTransform::Trs(rest)) = node.map(|node| node.rest) else {
        return false;
    };
    let moved = |key: &Key<Quat>| {
        let [x, y, z, w] = key.value.to_array();
        let to_rest = |value: Quat| {
            let value = value.as_dquat().normalize();
            value.dot(rest.rotation.as_dquat()).abs()
        };
        let [own, moved] = [[x, y, z, w], [y, z, w, x]]
            .map(Quat::from_array)
            .map(to_rest);
        let is_plain = rest.rotation.w.abs() > PLAIN;
        (is_plain && own < FAR && moved > NEAR).then_some(moved)
    };
    let count = track.keys.len();
    let moved: Option<Vec<f64>> = track.keys.iter().map(moved).collect();
    let mean = |all: Vec<f64>| all.iter().sum::<f64>() / as_f64(count);
    count > 2 && moved.map(mean).is_some_and(|mean| mean > MEAN)
}

/// The rotations of each joint in each clip that rotates it, thinned.
struct Poses {
    /// By joint: the index of the clip, and its keys.
    by_clip: BTreeMap<NodeId, Vec<(usize, Vec<DQuat>)>>,
    rest: Vec<DQuat>,
}

/// About this many keys of all clips of a joint are compared, and at least [`FEWEST_KEYS`] per clip.
const MOST_KEYS: usize = 256;
const FEWEST_KEYS: usize = 4;

/// From the components as they are read to those that were meant.
type Spelling = fn([f64; 4]) -> [f64; 4];

const W_FIRST: &str = "in the order w, x, y, z";

/// Ways to misread a quaternion, each with how to read it instead.
const SPELLINGS: [(&str, Spelling); 5] = [
    (W_FIRST, |[x, y, z, w]| [y, z, w, x]),
    ("with x negated", |[x, y, z, w]| [-x, y, z, w]),
    ("with y negated", |[x, y, z, w]| [x, -y, z, w]),
    ("with z negated", |[x, y, z, w]| [x, y, -z, w]),
    ("with w negated", |[x, y, z, w]| [x, y, z, -w]),
];

impl Poses {
    fn of(asset: &Asset) -> Self {
        let mut by_clip: BTreeMap<NodeId, Vec<(usize, Vec<DQuat>)>> = BTreeMap::new();
        let most = (MOST_KEYS / asset.clips.len().max(1)).max(FEWEST_KEYS);
        for (index, clip) in asset.clips.iter().enumerate() {
            for channel in &clip.channels {
                let Some(track) = &channel.rotation else {
                    continue;
                };
                let step = track.keys.len().div_ceil(most).max(1);
                let keys = track
                    .keys
                    .iter()
                    .step_by(step)
                    .map(|key| key.value.as_dquat().normalize())
                    .collect();
                by_clip.entry(channel.node).or_default().push((index, keys));
            }
        }
        let rest = asset.skeleton.nodes().iter();
        Self {
            by_clip,
            rest: rest
                .map(|node| node.rest.to_trs().rotation.as_dquat())
                .collect(),
        }
    }

    /// Whether a joint is far from its poses in the other clips and would be near if read otherwise.
    fn misread(&self, joint: NodeId, clip: usize, limit: f64) -> Option<Misread> {
        let clips = self.by_clip.get(&joint)?;
        let (_, own) = clips.iter().find(|(index, _)| *index == clip)?;
        let others = clips.iter().filter(|(index, _)| *index != clip);
        if own.len() < 3 || others.clone().count() < FEWEST_CLIPS {
            return None;
        }
        let others: Vec<DQuat> = others
            .flat_map(|(_, keys)| keys)
            .copied()
            .chain([self.rest[joint.index()]])
            .collect();
        let distance = |read: Spelling| {
            let nearest = |key: &DQuat| {
                let key = DQuat::from_array(read(key.to_array()));
                let cosines = others.iter().map(|other| key.dot(*other).abs());
                libm::acos(cosines.fold(0.0, f64::max).min(1.0))
            };
            2.0 * own.iter().map(nearest).sum::<f64>().to_degrees() / as_f64(own.len())
        };
        let off = distance(|key| key);
        if off.is_nan() || off <= limit {
            return None;
        }
        // The first is another order.
        let count = if off > BENT * limit {
            SPELLINGS.len()
        } else {
            1
        };
        let mut spellings = SPELLINGS[..count].iter();
        spellings.find_map(|(spelling, read)| {
            let rest = distance(*read) / off;
            (rest < NEARER).then_some(Misread {
                degrees: off,
                spelling,
                rest,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::finding::Level;
    use crate::lint::testing::{arm, findings};
    use crate::pose::rigs::{asset_of, clip, named_joint};
    use crate::rig::{Channel, Influence, Influences, SkinSlot, Trs};

    /// The levels of the findings on four joints that rotate about y by 40° to 60° in two clips; in a third one, those of
    /// `backwards` rotate the other way, `apart` degrees beyond.
    fn kneeling(backwards: &[usize], apart: f32) -> Vec<Level> {
        let still = LocalTransform::Trs(Trs::IDENTITY);
        let joints = ["hip", "leg.L", "leg.R", "foot.R"].map(|name| named_joint(name, None, still));
        let mut asset = Asset {
            skeleton: asset_of(joints.into()).skeleton,
            ..arm()
        };
        asset.skins[0].joints = (0..4).map(NodeId).collect();
        asset.skins[0].inverse_bind_matrices = [0.0, 1.0, -1.0, -1.0]
            .map(|x| Mat4::from_translation(Vec3::X * -x))
            .into();
        let lists = (0..asset.meshes[0].positions.len()).map(|vertex| {
            let slot = SkinSlot::from_index(vertex % 4);
            [Influence::new(slot, 1.0)]
        });
        asset.meshes[0].influences = Influences::from_vertices(lists.collect::<Vec<_>>());
        for name in ["stand", "walk", "kneel"] {
            let mut clip = clip(name, 0.0, 1.0);
            let channels = (0..4).map(|joint| {
                let is_backwards = name == "kneel" && backwards.contains(&joint);
                let keys = [(0.0, 40.0_f32), (0.5, 50.0), (1.0, 60.0)].map(|(time, degrees)| {
                    let degrees = if is_backwards {
                        -degrees - apart
                    } else {
                        degrees
                    };
                    (time, Quat::from_rotation_y(degrees.to_radians()))
                });
                Channel {
                    rotation: Some(Track::linear(keys)),
                    ..Channel::of(NodeId::from_index(joint))
                }
            });
            clip.channels = channels.collect();
            asset.clips.push(clip);
        }
        let found = findings(&asset, &ComponentOrder);
        found.iter().map(|found| found.level).collect()
    }

    #[test]
    fn one_or_two_joints_that_bend_the_other_way_may_be_posed() {
        assert_eq!(kneeling(&[], 0.0), []);
        assert_eq!(kneeling(&[1], 0.0), [Level::Warning]);
        assert_eq!(kneeling(&[1], 15.0), [Level::Info]);
        assert_eq!(kneeling(&[1, 2], 0.0), [Level::Info]);
        assert_eq!(kneeling(&[1, 3], 0.0), [Level::Warning]);
        assert_eq!(kneeling(&[0, 1, 2], 15.0), [Level::Warning]);
    }
}
