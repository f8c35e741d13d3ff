//! `C523`: pop.

use glam::{Quat, Vec3};

use super::keys::{apart, halfway, on_beat};
use super::paths::{LONGEST_FRAME, diagonal, origin};
use crate::core::names::edges;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::{ModelPose, model_pose, rest, rotation_at, vector_at};
use crate::rig::{Asset, Channel, Key, NodeId};
use crate::rules::clips::deformers::carrying;
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Eight: the first and last frame of a kick, a blow or a landing deviate up to a third as far as the frame at its peak, and
/// those of a bite that opens within a frame and closes in three a sixth.
const TIMES_AROUND: Limit = Limit::new("times_around", 8.0, LimitRange::FROM_ZERO)
    .about("minimum ratio of a pop's deviation to that of the keys around it");

/// Two per cent: four centimetres within one frame on a person, which nobody overlooks.
const DIAGONALS: Limit = Limit::new("diagonals", 0.02, LimitRange::FROM_ZERO)
    .about("minimum deviation of a pop from its path, in diagonals of the model");

/// An eased move doubles its steps from key to key up to its peak. A pop is farther than so many of the steps beside it.
const TIMES_BESIDE: f64 = 2.5;

/// The number of keys before and after a pop that must be on their path.
const AROUND: usize = 5;

/// The longest time from the key before a pop to the key after it, in seconds: two frames.
const SOON: f64 = 2.1 * LONGEST_FRAME;

/// A joint that is scaled below this fraction of its rest scale is hidden, and may jump.
const HIDDEN: f32 = 0.01;

/// Less than this part of the limit is not measured: the keys of most motions are off a straight path by a little.
const MEASURED: f64 = 0.25;

const OFF: Gauge = Gauge::new("deviation of a key from its path", ReadingUnit::Diagonals);

declare_rule! {
    Pop, "C523", "pop", Hint, Judged, on_request = true, limits = &[TIMES_AROUND, DIAGONALS]
}

impl Rule for Pop {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(size) = diagonal(cx) else {
            return;
        };
        let limits = [TIMES_AROUND, DIAGONALS].map(|limit| cx.limit(&Self::META, &limit));
        let carrying = carrying(cx.asset);
        let at_rest = model_pose(cx.asset, &rest(cx.asset));
        let levers = levers(cx.asset, &carrying, &at_rest);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for channel in &clip.channels {
                let joint = channel.node;
                if !carrying[joint.index()] || hides(cx.asset, channel) {
                    continue;
                }
                let lever = levers[joint.index()].min(size) / size;
                let rotated = channel.rotation.as_ref().and_then(|track| {
                    let between = |a: Quat, b: Quat| lever * apart(a, b);
                    let middle = |a, b| halfway(a, b).as_quat();
                    pop(&on_beat(track, clip, rotation_at)?, between, middle, limits)
                });
                let unit = unit_above(cx.asset, &at_rest, joint) / size;
                let moved = channel.translation.as_ref().and_then(|track| {
                    let between = |a: Vec3, b: Vec3| unit * f64::from(a.distance(b));
                    pop(
                        &on_beat(track, clip, vector_at)?,
                        between,
                        Vec3::midpoint,
                        limits,
                    )
                });
                let pops = rotated.into_iter().chain(moved);
                let Some(pop) = pops.reduce(Popped::farther) else {
                    continue;
                };
                out.measure(OFF, [pop.off, limits[1]], || {
                    group.clone().joint_id(joint).at(pop.time)
                });
                if pop.off <= limits[1] {
                    continue;
                }
                let offence = Offence::above(&group, "joint", pop.off, limits[1]);
                out.add(offence.joint(joint).at(pop.time), |subject| {
                    let [off, around] = [pop.off, pop.around].map(|part| 100.0 * part);
                    let message = format!(
                        "pops {off:.1} % of the model's diagonal off its path in a frame and back; the keys around it deviate \
                         by {around:.2} %"
                    );
                    (subject.joint_id(joint).at(pop.time), message)
                });
            }
        }
    }
}

/// Whether `channel` hides its joint by a scale.
fn hides(asset: &Asset, channel: &Channel) -> bool {
    let shown = asset.skeleton[channel.node].rest.to_trs().scale;
    let least = HIDDEN * shown.abs().max_element();
    let mut keys = channel.scale.iter().flat_map(|track| &track.keys);
    keys.any(|key| key.value.abs().max_element() < least)
}

/// How far from each joint the end of the longest chain below it is that carries a surface; half the length of its own
/// bone if there is none.
fn levers(asset: &Asset, carrying: &[bool], at_rest: &ModelPose) -> Vec<f64> {
    let mut levers = vec![0.0_f64; carrying.len()];
    let edges: Vec<_> = edges(asset).filter(|(joint, _)| carrying[*joint]).collect();
    // Children first: a lever is complete before it lengthens its parent's.
    for (joint, parent) in edges.into_iter().rev() {
        let [own, above] = [joint, parent].map(|node| origin(at_rest, NodeId::from_index(node)));
        let long = own.distance(above);
        levers[joint] = levers[joint].max(0.5 * long);
        levers[parent] = levers[parent].max(long + levers[joint]);
    }
    levers
}

/// The length of a unit of `joint`'s translation in the world.
fn unit_above(asset: &Asset, at_rest: &ModelPose, joint: NodeId) -> f64 {
    let parent = asset.skeleton[joint].parent;
    parent.map_or(1.0, |parent| {
        let axes = glam::DMat3::from_mat4(at_rest[parent].as_dmat4());
        axes.determinant().abs().cbrt()
    })
}

/// A key that is off its path.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Popped {
    time: Seconds,
    /// Its distance from the middle of its neighbours, in diagonals.
    off: f64,
    /// The largest distance of the keys around it from the middle of theirs, with the key itself put in its middle.
    around: f64,
}

impl Popped {
    /// The farther of two; the first of equal ones.
    fn farther(self, other: Self) -> Self {
        if other.off > self.off { other } else { self }
    }
}

/// The key that leaves its path farthest for a frame, by a good part of the limit, while all keys around it are on theirs. In a kick, a bite or a blow,
/// the keys before and after the peak lead to it.
///
/// * `apart` – the distance between two values, in diagonals.
/// * `middle` – the value halfway between two.
fn pop<T: Copy>(
    keys: &[Key<T>],
    apart: impl Fn(T, T) -> f64,
    middle: impl Fn(T, T) -> T,
    [times_around, limit]: [f64; 2],
) -> Option<Popped> {
    let inner = 2..keys.len().saturating_sub(2);
    let pops = inner.filter_map(|key| {
        let [first, before, own, after, last] =
            [0, 1, 2, 3, 4].map(|next| keys[key + next - 2].value);
        let is_soon = keys[key + 1].time.0 - keys[key - 1].time.0 <= SOON;
        let calm = middle(before, after);
        let off = apart(own, calm);
        if !(is_soon && off > MEASURED * limit && off.is_finite()) {
            return None;
        }
        let start = key.saturating_sub(AROUND + 1);
        let end = (key + AROUND + 2).min(keys.len());
        let mut around: Vec<T> = keys[start..end].iter().map(|key| key.value).collect();
        around[key - start] = calm;
        let around = around
            .windows(3)
            .map(|keys| apart(keys[1], middle(keys[0], keys[2])));
        let around = around.fold(0.0, f64::max);
        let beside = [
            apart(first, before),
            apart(before, after) / 2.0,
            apart(after, last),
        ];
        let beside = beside.into_iter().fold(0.0, f64::max);
        let is_alone = times_around * around <= off && TIMES_BESIDE * beside <= off;
        let time = keys[key].time;
        is_alone.then_some(Popped { time, off, around })
    });
    pops.reduce(Popped::farther)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Channel, Clip, LocalTransform, Skeleton, SkinSlot, Track};
    use crate::testing::{arm, reported};

    const ELBOW: NodeId = NodeId(1);

    /// Two seconds at 30 keys per second.
    fn track<T>(value: impl Fn(u16) -> T) -> Track<T> {
        Track::linear((0..=60).map(|key| (f64::from(key) / 30.0, value(key))))
    }

    /// The arm in a clip of `channels`.
    fn moving(channels: Vec<Channel>) -> Asset {
        let clip = Clip {
            channels,
            ..clip("Move", 0.0, 2.0)
        };
        Asset {
            clips: vec![clip],
            ..arm()
        }
    }

    /// `joint` sways about x, and is rotated by `more` at the middle key.
    fn rotating(joint: NodeId, more: Quat) -> Channel {
        let sway = |key: u16| 0.2 * libm::sinf(f32::from(key) * 0.1);
        let rotation =
            |key| Quat::from_rotation_x(sway(key)) * if key == 30 { more } else { Quat::IDENTITY };
        Channel {
            rotation: Some(track(rotation)),
            ..Channel::of(joint)
        }
    }

    /// The key that sticks out of heights in diagonals, one per frame.
    fn popped(heights: &[f64]) -> Option<usize> {
        popped_at(heights, 1.0)
    }

    /// The same, with keys every `frames` frames.
    fn popped_at(heights: &[f64], frames: f64) -> Option<usize> {
        let times = (0_u32..).map(|key| f64::from(key) * frames / 30.0);
        let track = Track::linear(times.zip(heights.iter().copied()));
        let apart = |a: f64, b: f64| (a - b).abs();
        let limits = [TIMES_AROUND, DIAGONALS].map(|limit| limit.default);
        let found = pop(&track.keys, apart, f64::midpoint, limits)?;
        let found = Some(found).filter(|found| found.off > limits[1])?;
        track.keys.iter().position(|key| key.time == found.time)
    }

    /// A second of swaying by a tenth of a diagonal, with `change` at its middle frames.
    fn swaying(change: &[f64]) -> Vec<f64> {
        let sway = |frame: u32| 0.05 * (f64::from(frame) * std::f64::consts::TAU / 60.0).sin();
        let mut heights: Vec<f64> = (0..60).map(sway).collect();
        for (height, change) in heights[30..].iter_mut().zip(change) {
            *height += change;
        }
        heights
    }

    #[test]
    fn one_key_off_the_way_pops() {
        for change in [0.2, -0.2] {
            assert_eq!(popped(&swaying(&[change])), Some(30));
        }
        assert_eq!(popped(&[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0]), Some(3));
    }

    #[test]
    fn a_joint_that_stays_elsewhere_or_is_barely_off_does_not_pop() {
        for change in [&[0.2; 2][..], &[0.2; 3], &[0.2; 40], &[0.015]] {
            assert_eq!(popped(&swaying(change)), None, "{change:?}");
        }
    }

    #[test]
    fn the_peak_of_a_move_does_not_pop() {
        let kick = |frames: u32| -> Vec<f64> {
            let phase = |frame: u32| f64::from(frame) / f64::from(frames);
            (1..frames)
                .map(|frame| 0.4 * (phase(frame) * std::f64::consts::PI).sin())
                .collect()
        };
        for frames in 4..20 {
            assert_eq!(popped(&swaying(&kick(frames))), None, "{frames} frames");
        }
        let bite = [0.01, 0.03, 0.07, 0.15, 0.31, 0.15, 0.07, 0.03, 0.01];
        assert_eq!(popped(&swaying(&bite)), None);
        // Opens within a frame, and closes the more slowly the farther it has closed.
        let snap = [0.31, 0.068, 0.012];
        assert_eq!(popped(&swaying(&snap)), None);
        for up in 3..8 {
            let held = [0.3; 2];
            let part = |key: i32| 0.3 * (f64::from(key) / f64::from(up)).powi(3);
            let ease: Vec<f64> = (1..up)
                .map(part)
                .chain(held)
                .chain([0.2, 0.1, 0.03])
                .collect();
            assert_eq!(popped(&swaying(&ease)), None, "{up} keys up");
        }
        let strike = [-0.02, -0.05, -0.08, 0.3, 0.35, 0.33, 0.25, 0.15, 0.07, 0.02];
        assert_eq!(popped(&swaying(&strike)), None);
        let jump: Vec<f64> = (0..10).map(|f| 0.01 * f64::from(f * (10 - f))).collect();
        assert_eq!(popped(&swaying(&jump)), None);
        let flown = |last| popped(&[0.0, 0.0, 0.0, 0.0, 0.1, 0.2, last, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!([flown(0.3), flown(-0.9)], [None, Some(6)]);
    }

    #[test]
    fn a_limb_that_stops_starts_or_reverses_abruptly_does_not_pop() {
        let times = (-20..20).map(f64::from);
        let corners: [fn(f64) -> f64; 4] = [
            |time| 0.3 * time.min(0.0),
            |time| 0.3 * time.max(0.0),
            |time| 0.3 * time.abs(),
            |time| if time < 0.0 { 0.0 } else { 0.5 },
        ];
        for (number, corner) in corners.into_iter().enumerate() {
            let heights: Vec<f64> = times.clone().map(corner).collect();
            assert_eq!(popped(&heights), None, "{number}");
        }
    }

    #[test]
    fn a_blow_that_swings_beyond_its_aim_does_not_pop() {
        let mut blow = [[0.0; 8], [0.3; 8]].concat();
        blow[8] = 0.5;
        assert_eq!(popped(&blow), None);
    }

    #[test]
    fn steady_jitter_and_a_spinning_rotor_do_not_pop() {
        let hammer: Vec<f64> = (0..40)
            .map(|f| if f % 2 == 0 { 0.0 } else { 0.1 })
            .collect();
        assert_eq!(popped(&hammer), None);
        let rotor: Vec<f64> = (0..40).map(|f| f64::from(f % 3) * 0.1).collect();
        assert_eq!(popped(&rotor), None);
    }

    #[test]
    fn keys_far_apart_in_time_are_not_pops() {
        let heights = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0];
        assert_eq!(popped_at(&heights, 6.0), None);
    }

    #[test]
    fn nan_is_not_a_pop() {
        let mut heights = swaying(&[f64::NAN]);
        assert_eq!(popped(&heights), None);
        heights[40] = f64::INFINITY;
        assert_eq!(popped(&heights), None);
        for few in 0..4 {
            assert_eq!(popped(&heights[..few]), None);
        }
    }

    #[test]
    fn a_limb_that_rotates_about_itself_leaps() {
        let by = |degrees: f32| rotating(ELBOW, Quat::from_rotation_y(degrees.to_radians()));
        let flipped = reported(&Pop, &moving(vec![by(120.0)]));
        assert_eq!(flipped.len(), 1);
        assert!(flipped[0].starts_with("joint \"elbow\", clip \"Move\" at 1 s (frame 30): pops "));
        assert!(reported(&Pop, &moving(vec![by(4.0)])).is_empty());
    }

    #[test]
    fn the_topmost_joint_that_leaps_is_reported() {
        let reported = reported(
            &Pop,
            &moving(vec![rotating(NodeId(0), Quat::from_rotation_x(0.5))]),
        );
        assert_eq!(reported.len(), 1);
        let expected = "joint \"shoulder\", clip \"Move\" at 1 s (frame 30): pops ";
        assert!(reported[0].starts_with(expected), "{reported:?}");
    }

    #[test]
    fn a_joint_that_no_vertex_follows_may_leap() {
        let mut asset = moving(vec![rotating(NodeId(2), Quat::from_rotation_x(1.0))]);
        let mut joints = asset.skeleton.nodes().to_vec();
        let rest = LocalTransform::Matrix(glam::Mat4::from_translation(Vec3::X));
        joints.push(named_joint("target", None, rest));
        joints.push(named_joint("end", Some(2), rest));
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        asset.skins[0].joints.push(NodeId(3));
        asset.skins[0]
            .inverse_bind_matrices
            .push(glam::Mat4::IDENTITY);
        assert!(reported(&Pop, &asset).is_empty());
    }

    #[test]
    fn hidden_meshes_may_jump() {
        let hidden = |hides: fn(u16) -> bool| Channel {
            scale: Some(track(|key| {
                if hides(key) {
                    Vec3::splat(0.001)
                } else {
                    Vec3::ONE
                }
            })),
            ..rotating(ELBOW, Quat::from_rotation_x(1.0))
        };
        assert!(reported(&Pop, &moving(vec![hidden(|key| (28..33).contains(&key))])).is_empty());
        assert!(reported(&Pop, &moving(vec![hidden(|key| key != 30)])).is_empty());
        assert_eq!(reported(&Pop, &moving(vec![hidden(|_| false)])).len(), 1);
    }

    #[test]
    fn an_ancestor_that_leaps_farther_elsewhere_is_named_all_the_same() {
        let by = |key: u16| match key {
            15 => 0.5,
            45 => -0.6,
            _ => 0.0,
        };
        let rotation =
            |key| Quat::from_rotation_x(0.2 * libm::sinf(f32::from(key) * 0.1) + by(key));
        let shoulder = Channel {
            rotation: Some(track(rotation)),
            ..rotating(NodeId(0), Quat::IDENTITY)
        };
        // The elbow contributes less to the second pop and more to the first.
        let other = |key| Quat::from_rotation_x(if key == 45 { 0.3 } else { 0.0 });
        let elbow = Channel {
            rotation: Some(track(other)),
            ..rotating(ELBOW, Quat::IDENTITY)
        };
        let reported = reported(&Pop, &moving(vec![shoulder, elbow]));
        assert!(
            reported[0].starts_with("joint \"shoulder\", clip \"Move\" at "),
            "{reported:?}"
        );
    }

    #[test]
    fn a_wheel_that_flips_leaps_about_whatever_axis() {
        let mut wheel = arm();
        // Everything follows the elbow, which is in its middle.
        let follow = |_| [crate::rig::Influence::new(SkinSlot(1), 1.0)];
        let vertices = 0..wheel.meshes[0].positions.len();
        wheel.meshes[0].influences = crate::rig::Influences::from_vertices(vertices.map(follow));
        for axis in Vec3::AXES {
            let flip = rotating(ELBOW, Quat::from_axis_angle(axis, 2.0));
            let asset = Asset {
                clips: moving(vec![flip]).clips,
                ..wheel.clone()
            };
            assert_eq!(reported(&Pop, &asset).len(), 1, "{axis}");
        }
    }
}
