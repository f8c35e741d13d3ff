//! Positions of joints over a clip, the root and the ground, and what they are measured by.

use std::collections::BTreeSet;

use glam::{DVec3, Mat4};

use super::deformers::Probes;
use crate::lint::Context;
use crate::lint::analysis::deformation;
use crate::lint::analysis::joints;
use crate::lint::core::numbers::median;
use crate::names::matches;
use crate::pose::{ModelPose, Sampler, frame_rate, model_pose, rest, sample_finite};
use crate::rig::{Asset, Bounds, Clip, Keyed, NodeId, Span, TrackPart};
use crate::units::Seconds;

/// The sample times of a clip.
pub(super) struct Beat {
    /// In seconds, ascending.
    pub(super) times: Vec<f64>,
    /// The duration of a frame, in seconds.
    pub(super) frame: f64,
}

/// At most `most` sample times of `clip`: its frames if the file states their rate, because importers may have added
/// keys in between; else its keys, which are mostly baked at one per frame.
pub(super) fn beat(clip: &Clip, most: usize) -> Beat {
    if let Some(frame) = stated_frame(clip) {
        let times = frames(clip, frame).take(most).collect();
        return Beat { times, frame };
    }
    let mut times = key_times(clip);
    let frame = median_distance(&times).clamp(SHORTEST_FRAME, LONGEST_FRAME);
    times.truncate(most);
    Beat { times, frame }
}

/// `None` if the file does not count in frames.
pub(super) fn stated_frame(clip: &Clip) -> Option<f64> {
    let rate = frame_rate(clip);
    let counts_frames = clip.rate.stated.is_some() && (rate - clip.rate.used).abs() < 1e-9;
    counts_frames.then_some(1.0 / rate)
}

/// The times of the frames of `clip`.
pub(super) fn frames(clip: &Clip, frame: f64) -> impl Iterator<Item = f64> {
    let (start, end) = (clip.start.0, clip.end.0);
    let times = (0..u32::MAX).map(move |index| start + f64::from(index) * frame);
    // A last frame that rounding puts behind the end still counts.
    times.take_while(move |time| *time < end + 0.01 * frame)
}

/// Keys closer than at 1 kHz count as one: many tools write a jump as two close keys.
pub(super) const SAME_TIME: f64 = 1e-3;

/// The key times of `clip`; of keys that count as one, the last.
fn key_times(clip: &Clip) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::new();
    for time in clip.key_times() {
        match times.last_mut() {
            Some(last) if time.0 - *last < SAME_TIME => *last = time.0,
            _ => times.push(time.0),
        }
    }
    times
}

/// The shortest frame assumed, in seconds.
const SHORTEST_FRAME: f64 = 1.0 / 120.0;

fn median_distance(times: &[f64]) -> f64 {
    let apart = times.windows(2).map(|pair| pair[1] - pair[0]);
    median(apart.collect()).unwrap_or(LONGEST_FRAME)
}

/// The joints of `among` that `clip` moves only by interpolated keys: neither they nor their ancestors jump.
pub(super) fn gliding(asset: &Asset, clip: &Clip, among: &[bool]) -> Vec<NodeId> {
    let mut moves = vec![false; asset.skeleton.len()];
    let mut jumps = moves.clone();
    for driver in clip
        .drivers()
        .filter(|driver| driver.part != TrackPart::Weights)
    {
        moves[driver.joint.index()] = true;
        jumps[driver.joint.index()] |= leaps(driver.track);
    }
    for (joint, node) in asset.skeleton.iter() {
        if let Some(parent) = node.parent {
            moves[joint.index()] |= moves[parent.index()];
            jumps[joint.index()] |= jumps[parent.index()];
        }
    }
    let joints = joints::nodes(asset);
    let glides = |joint: &NodeId| {
        let index = joint.index();
        among[index] && moves[index] && !jumps[index]
    };
    joints.filter(glides).collect()
}

/// Whether a step changes the value. Importers also write steps between equal values.
fn leaps(track: &dyn Keyed) -> bool {
    let mut between = 0..track.count().saturating_sub(1);
    between.any(|key| {
        let mut pairs = track.value(key).iter().zip(track.value(key + 1));
        track.span(key) == Span::Step && pairs.any(|(from, to)| differ(*from, *to))
    })
}

/// By more than rounding.
fn differ(from: f32, to: f32) -> bool {
    (from - to).abs() > 1e-5 * from.abs().max(to.abs()).max(1.0)
}

/// World positions of the surface that follows a joint, one per sample time; NaN while the joint is hidden.
pub(super) struct JointPath {
    /// Of [`Probes::middle`].
    pub(super) middle: Vec<DVec3>,
    /// Of [`Probes::beside`].
    pub(super) beside: Vec<DVec3>,
    /// The square of the length of the joint's longest axis.
    sizes: Vec<f32>,
    /// The same at rest.
    rest_size: f32,
}

/// The paths of `joints`, in order. One pass over time evaluates the clip once for all of them.
///
/// * `probes` – of each joint of the model.
pub(super) fn joint_paths(
    asset: &Asset,
    clip: &Clip,
    times: &[f64],
    joints: &[NodeId],
    probes: &[Probes],
) -> Vec<JointPath> {
    let at_rest = model_pose(asset, &rest(asset));
    let new = |joint: &NodeId| JointPath::new(times.len(), &at_rest[*joint]);
    let mut joint_paths: Vec<JointPath> = joints.iter().map(new).collect();
    let mut sampler = Sampler::new(asset, clip);
    for time in times {
        let pose = model_pose(asset, &sampler.at_finite(Seconds(*time)));
        for (joint, path) in joints.iter().zip(&mut joint_paths) {
            path.add(&pose[*joint], probes[joint.index()]);
        }
    }
    joint_paths.iter_mut().for_each(JointPath::hide);
    joint_paths
}

/// A joint scaled below this fraction of its rest size is hidden, and its position does not matter.
const HIDDEN: f32 = 0.01;

/// A joint below this fraction of its largest size in the clip is hidden at rest: no faulty key scales a joint by so
/// much.
const HIDDEN_AT_REST: f32 = 0.002;

impl JointPath {
    /// The largest distance between the two points.
    pub(super) fn radius(&self) -> f64 {
        let pairs = self.middle.iter().zip(&self.beside);
        let apart = pairs.map(|(middle, beside)| middle.distance(*beside));
        apart.fold(0.0, f64::max)
    }

    fn new(times: usize, at_rest: &Mat4) -> Self {
        Self {
            rest_size: size(at_rest),
            middle: Vec::with_capacity(times),
            beside: Vec::with_capacity(times),
            sizes: Vec::with_capacity(times),
        }
    }

    fn add(&mut self, world: &Mat4, probes: Probes) {
        let at = |probe| world.transform_point3(probe).as_dvec3();
        self.middle.push(at(probes.middle));
        self.beside.push(at(probes.beside));
        self.sizes.push(size(world));
    }

    fn hide(&mut self) {
        let largest = self.sizes.iter().copied().fold(0.0, f32::max);
        let is_shown_at_rest = self.rest_size >= HIDDEN_AT_REST * HIDDEN_AT_REST * largest;
        let shown = if is_shown_at_rest {
            self.rest_size
        } else {
            largest
        };
        for (index, size) in self.sizes.iter().enumerate() {
            if *size < HIDDEN * HIDDEN * shown {
                self.middle[index] = DVec3::NAN;
                self.beside[index] = DVec3::NAN;
            }
        }
    }
}

/// The square of the length of the longest axis.
fn size(world: &Mat4) -> f32 {
    let axes = [world.x_axis, world.y_axis, world.z_axis];
    let squares = axes.map(|axis| axis.truncate().length_squared());
    squares.into_iter().fold(0.0, f32::max)
}

/// Whether one of `patterns` matches the name of `clip`.
pub(super) fn is_listed(patterns: &[String], clip: &Clip) -> bool {
    patterns.iter().any(|pattern| matches(pattern, &clip.name))
}

/// The joints that match one of `patterns`; for a pattern without `*`, the first.
pub(super) fn listed_joints(cx: &Context<'_>, patterns: &[String]) -> Vec<NodeId> {
    let skeleton = &cx.asset.skeleton;
    let all: BTreeSet<NodeId> = patterns
        .iter()
        .flat_map(|pattern| {
            let named = skeleton
                .iter()
                .filter(|(_, joint)| matches(pattern, &joint.name));
            let most = if pattern.contains('*') { usize::MAX } else { 1 };
            named.map(|(id, _)| id).take(most)
        })
        .collect();
    all.into_iter().collect()
}

/// The joint that carries the whole model: the configured one (the first of several), else the first joint of a skin
/// whose parent is in no skin, else the first that `clip` drives.
pub(super) fn root(cx: &Context<'_>, clip: &Clip) -> Option<NodeId> {
    if let Some(pattern) = &cx.settings.root {
        let named = listed_joints(cx, std::slice::from_ref(pattern));
        return named.first().copied();
    }
    let bound = cx.asset.bound_joints();
    // Parents come first, so the first bound joint has no bound ancestor.
    let root = bound.iter().position(|bound| *bound);
    let driven = clip.channels.iter().map(|channel| channel.node);
    root.map(NodeId::from_index).or_else(|| driven.min())
}

/// Every joint at `time`, in world space.
pub(super) fn pose_at(cx: &Context<'_>, clip: &Clip, time: Seconds) -> ModelPose {
    model_pose(cx.asset, &sample_finite(cx.asset, clip, time))
}

/// The component of `vector` along the ground.
pub(super) fn along_ground(cx: &Context<'_>, vector: DVec3) -> DVec3 {
    let up = cx.asset.space.up.unit();
    vector - up * vector.dot(up)
}

/// How far `root` travels along the ground from pose `first` to pose `last`.
pub(super) fn drift(cx: &Context<'_>, root: NodeId, [first, last]: [&ModelPose; 2]) -> DVec3 {
    along_ground(cx, origin(last, root) - origin(first, root))
}

/// The diagonal of the box around the skinned meshes (or all, if none is) in the rest pose, in the model's unit,
/// without strays; around the joints if there are no vertices. `None` if there is no box, or one without extent.
pub(super) fn diagonal(cx: &Context<'_>) -> Option<f64> {
    let usable = |size: &f64| size.is_finite() && *size > 0.0;
    let rest = deformation::rest(cx);
    let of_vertices = rest.map(|rest| rest.size).filter(usable);
    of_vertices.or_else(|| Some(of_joints(cx.asset)).filter(usable))
}

fn of_joints(asset: &Asset) -> f64 {
    let pose = model_pose(asset, &rest(asset));
    let joints = joints::nodes(asset);
    Bounds::of(joints.map(|joint| origin(&pose, joint))).diagonal()
}

/// The position of `joint` in the world; NaN if `pose` lacks it.
pub(super) fn origin(pose: &ModelPose, joint: NodeId) -> DVec3 {
    let world = pose.nodes.get(joint.index());
    world.map_or(DVec3::NAN, |world| world.w_axis.truncate().as_dvec3())
}

/// The longest frame that tools offer for games and film, in seconds: 24 per second.
pub(super) const LONGEST_FRAME: f64 = 1.0 / 24.0;

/// The seconds of a frame of `clip`: by its rate if the file states one, else [`LONGEST_FRAME`], so that nothing within
/// a frame counts as a frame late.
pub(super) fn frame_seconds(clip: &Clip) -> f64 {
    if clip.rate.stated.is_some() {
        1.0 / frame_rate(clip)
    } else {
        LONGEST_FRAME
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs::{asset_of, clip, named_joint};
    use crate::rig::{Channel, Key, LocalTransform, Span, TickRate, Track, Trs};

    /// A root and its child; the root is at each of `positions` a second apart, by steps.
    fn stepping(positions: [f32; 3]) -> (Asset, Clip) {
        let rest = LocalTransform::Trs(Trs::IDENTITY);
        let joints = vec![
            named_joint("root", None, rest),
            named_joint("child", Some(0), rest),
        ];
        let key = |(second, x)| Key {
            time: Seconds(second),
            value: Vec3::X * x,
            span: Span::Step,
        };
        let mut walk = clip("Walk", 0.0, 2.0);
        walk.channels.push(Channel {
            translation: Some(Track {
                keys: [0.0, 1.0, 2.0]
                    .into_iter()
                    .zip(positions)
                    .map(key)
                    .collect(),
            }),
            ..Channel::of(NodeId(0))
        });
        (asset_of(joints), walk)
    }

    #[test]
    fn a_joint_under_steps_does_not_glide() {
        let (asset, clip) = stepping([0.0, 1.0, 0.0]);
        assert!(gliding(&asset, &clip, &[true, true]).is_empty());
    }

    #[test]
    fn steps_that_lead_nowhere_are_none() {
        let (asset, clip) = stepping([1.0, 1.0, 1.000_001]);
        let both = [NodeId(0), NodeId(1)];
        assert_eq!(gliding(&asset, &clip, &[true, true]), both);
        assert_eq!(gliding(&asset, &clip, &[false, true]), both[1..]);
    }

    #[test]
    fn a_clip_of_frames_is_sampled_at_each_frame_up_to_the_limit() {
        let (_, mut clip) = stepping([0.0; 3]);
        assert_eq!(beat(&clip, 10).times, [0.0, 1.0, 2.0], "by its keys");
        clip.rate = TickRate {
            stated: Some(10.0),
            used: 10.0,
            frames: false,
        };
        assert_eq!(beat(&clip, 100).times.len(), 21);
        clip.end = Seconds(f64::MAX);
        assert_eq!(beat(&clip, 100).times.len(), 100);
    }
}
