//! Animations: the channels of each clip and its morph weights, with times in seconds.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use russimp::sys::{
    aiAnimInterpolation, aiAnimInterpolation_aiAnimInterpolation_Step, aiAnimation,
    aiMeshMorphAnim, aiNodeAnim, aiQuatKey, aiScene, aiVectorKey,
};

use super::format;
use super::nodes::Nodes;
use super::raw::{self, Raw, quat, vec3};
use crate::hierarchy::DEFAULT_RATE;
use crate::lists::distinct;
use crate::log::{self, Log, Notes};
use crate::rig::{DefectKind, Format, Key, Location, NodeId, Span, TickRate, Track};
use crate::source::{Channel, Clip, Keys, clip_name};
use crate::units::Seconds;
use crate::vertices::f32_of;

/// Reads all animations.
pub(super) fn read_all(
    scene: Raw<'_, aiScene>,
    format: Format,
    hierarchy: &Nodes<'_>,
    log: &mut Log,
) -> Vec<Clip> {
    let animations = scene.animations().flatten().enumerate();
    animations
        .map(|(index, animation)| read(animation, index, format, hierarchy, log))
        .collect()
}

/// Reads animation number `index`.
fn read(
    animation: Raw<'_, aiAnimation>,
    index: usize,
    format: Format,
    hierarchy: &Nodes<'_>,
    log: &mut Log,
) -> Clip {
    let text = raw::text_of(&animation.mName);
    let name = clip_name(&text, index);
    let stated = animation.mTicksPerSecond;
    let rate = tick_rate(animation, format, &name, log);
    let ticks = Ticks {
        per_second: seconds_divisor(stated, rate),
    };
    let mut channels = channels(animation, ticks, hierarchy, &name, log);
    // assimp decomposes matrices: those of X files, and the rest transform of a node for what its channel omits.
    let driven = distinct(channels.iter().map(|channel| channel.node));
    let driven = driven.iter().map(|&node| &hierarchy.joints[node]);
    let sheared: Vec<&str> = driven
        .filter(|joint| joint.rest.is_sheared())
        .map(|joint| joint.name.as_str())
        .collect();
    let location = format!("clip {name:?}");
    if let Some(lost) = log::lost(&sheared) {
        let message = format!("drives parts of sheared matrices, {lost}");
        log.notes.add(&location, message);
    }
    let morphs = read_morph_channels(animation, ticks, hierarchy, &location, &mut log.notes);
    channels.extend(morphs);
    let duration = Some(animation.mDuration).filter(|_| format::states_duration(format));
    let end = duration.filter(|ticks| *ticks > 0.0);
    Clip {
        unnamed: is_made_up(&text),
        end: end
            .map(|end| ticks.seconds(end))
            .filter(|end| end.0.is_finite()),
        rate,
        channels,
        ..Clip::named(text)
    }
}

/// Whether assimp made up a name: it calls an animation without one `animation`, and may number it.
fn is_made_up(name: &str) -> bool {
    let number = name
        .strip_prefix("animation")
        .map(|rest| rest.strip_prefix('_').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The divisor of key times. For formats that count in seconds, assimp delivers milliseconds.
fn seconds_divisor(stated: f64, rate: TickRate) -> f64 {
    if rate == TickRate::SECONDS {
        stated
    } else {
        rate.used
    }
}

fn is_usable(rate: f64) -> bool {
    rate.is_finite() && rate > 0.0
}

/// The ticks per second of Direct3D's own reader where the file states none.
const DIRECT_X_RATE: f64 = 4800.0;

/// The frames per second of Source's `studiomdl`, unless its script says otherwise. The file cannot; assimp invents 25.
const SMD_RATE: f64 = 30.0;

/// The fewest ticks between two keys if they are ticks of [`DIRECT_X_RATE`]: 240 keys per second. Programs that do not write the rate
/// often count frames.
const FEWEST_TICKS: f64 = DIRECT_X_RATE / 240.0;

fn tick_rate(
    animation: Raw<'_, aiAnimation>,
    format: Format,
    clip: &str,
    log: &mut Log,
) -> TickRate {
    let stated = animation.mTicksPerSecond;
    let usable = is_usable(stated);
    if usable && format::counts_seconds(format) {
        return TickRate::SECONDS;
    }
    let frames = format::counts_frames(format);
    let (stated, used, reason) = match format {
        Format::Smd => (None, SMD_RATE, "the format states no rate".to_owned()),
        _ if usable => {
            return TickRate {
                stated: Some(stated),
                used: stated,
                frames,
            };
        }
        Format::DirectX if shortest_step(animation) >= FEWEST_TICKS => {
            let reason = "states no AnimTicksPerSecond".to_owned();
            (Some(stated), DIRECT_X_RATE, reason)
        }
        _ => {
            let reason = format!("states {stated} ticks per second");
            (Some(stated), DEFAULT_RATE, reason)
        }
    };
    let unit = if frames { "frames" } else { "ticks" };
    let message = format!("{reason}; {used} {unit} per second are assumed");
    log.notes.add(format!("clip {clip:?}"), message);
    TickRate {
        stated,
        used,
        frames,
    }
}

/// The fewest ticks between two keys of a node; infinite without two.
fn shortest_step(animation: Raw<'_, aiAnimation>) -> f64 {
    let mut shortest = f64::INFINITY;
    let mut see = |times: &mut dyn Iterator<Item = f64>| {
        let mut last = f64::NAN;
        for time in times {
            if time > last {
                shortest = shortest.min(time - last);
            }
            last = time;
        }
    };
    for channel in animation.channels().flatten() {
        see(&mut channel.position_keys().iter().map(|key| key.mTime));
        see(&mut channel.rotation_keys().iter().map(|key| key.mTime));
        see(&mut channel.scaling_keys().iter().map(|key| key.mTime));
    }
    shortest
}

/// The channels of all nodes that exist, in assimp's order.
fn channels(
    animation: Raw<'_, aiAnimation>,
    ticks: Ticks,
    hierarchy: &Nodes<'_>,
    clip: &str,
    log: &mut Log,
) -> Vec<Channel> {
    let mut channels = Vec::new();
    for node_anim in animation.channels().flatten() {
        let Some(joint) = target(node_anim, hierarchy, clip, log) else {
            continue;
        };
        let parts = [
            vector_track(node_anim.position_keys(), ticks).map(Keys::Translation),
            rotation_track(node_anim.rotation_keys(), ticks).map(Keys::Rotation),
            vector_track(node_anim.scaling_keys(), ticks).map(Keys::Scale),
        ]
        .into_iter()
        .flatten();
        channels.extend(parts.map(|keys| Channel::new(joint.index(), keys)));
    }
    channels
}

/// The node that assimp itself would animate: the first of that name.
fn target(
    channel: Raw<'_, aiNodeAnim>,
    hierarchy: &Nodes<'_>,
    clip: &str,
    log: &mut Log,
) -> Option<NodeId> {
    let name = raw::bytes_of(&channel.mNodeName);
    let named = hierarchy.named(&name);
    let name = raw::decode(&name);
    let noted = format!("clip {clip:?}");
    // An unnamed node cannot be referred to.
    if name.is_empty() || named.is_empty() {
        let message = format!("a channel drives {name:?}, which is not a node");
        let kind = DefectKind::TargetMissing;
        log.defects.add(kind, Location::clip(clip), message);
    }
    match named {
        [] => log.notes.add(
            noted,
            format!("skipped the channel of {name:?}, because no node has that name"),
        ),
        [_] => {}
        [_, ..] => {
            let count = named.len();
            log.notes.add(
                noted,
                format!("{count} nodes are named {name:?}; the first is animated"),
            );
        }
    }
    named.first().copied()
}

/// The most weights of one channel. assimp allows any number; more than this is not an animation but an attack.
const MAX_WEIGHTS: usize = 1 << 24;

/// Reads the morph channels of `animation`, in the order of the joints.
fn read_morph_channels(
    animation: Raw<'_, aiAnimation>,
    ticks: Ticks,
    hierarchy: &Nodes<'_>,
    location: &str,
    notes: &mut Notes,
) -> impl Iterator<Item = Channel> {
    let mut by_joint = BTreeMap::new();
    for channel in animation.morph_channels().flatten() {
        let joints = hierarchy.of_morph_channel(&raw::bytes_of(&channel.mName));
        if joints.is_empty() {
            let name = raw::text_of(&channel.mName);
            notes.add(
                location,
                format!("skipped the morph channel of {name:?}, because no mesh has that name"),
            );
        }
        let keys = keys(channel, ticks, location, notes);
        for joint in joints.into_iter().filter(|_| !keys.is_empty()) {
            by_joint.entry(joint).or_insert(keys.clone());
        }
    }
    let channels = by_joint.into_iter();
    channels.map(|(joint, keys)| Channel::new(joint.index(), Keys::Weights(Track { keys })))
}

impl Nodes<'_> {
    /// The joints that a morph channel called `name` drives. assimp's importers write the name of the node (glTF), the
    /// name of the node with `*` and the number of the geometry (FBX), or the name of the mesh.
    fn of_morph_channel(&self, name: &[u8]) -> Vec<NodeId> {
        let node = match name.iter().rposition(|&byte| byte == b'*') {
            Some(star) if self.named(name).is_empty() => &name[..star],
            _ => name,
        };
        match self.named(node).first() {
            Some(&joint) => vec![joint],
            None => self.with_mesh_named(name),
        }
    }
}

/// One value of one target.
struct Point {
    time: f64,
    weight: f32,
}

/// Keys with a weight for every target.
///
/// assimp's FBX importer writes a key wherever any target has one, and lists only the targets that do. Between its own
/// points a target's weight is linear, so the gaps are interpolated from those.
fn keys(
    channel: Raw<'_, aiMeshMorphAnim>,
    ticks: Ticks,
    location: &str,
    notes: &mut Notes,
) -> Vec<Key<Vec<f32>>> {
    let curves = curves(channel);
    let mut times: Vec<f64> = channel.keys().map(|key| key.mTime).collect();
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    times.dedup();
    let targets = curves
        .keys()
        .next_back()
        .map_or(0, |&last| last as usize + 1);
    if targets.saturating_mul(times.len()) > MAX_WEIGHTS {
        notes.add(location, "skipped an implausibly large morph channel");
        return Vec::new();
    }
    let key = |time: f64| Key {
        time: ticks.seconds(time),
        value: weights_at(&curves, targets, time),
        span: Span::Linear,
    };
    times.into_iter().map(key).collect()
}

/// The points of each target, in ascending order of time.
fn curves(channel: Raw<'_, aiMeshMorphAnim>) -> BTreeMap<u32, Vec<Point>> {
    let mut curves: BTreeMap<u32, Vec<Point>> = BTreeMap::new();
    for key in channel.keys().filter(|key| key.mTime.is_finite()) {
        for (&target, &weight) in key.targets().iter().zip(key.weights()) {
            curves.entry(target).or_default().push(Point {
                time: key.mTime,
                weight: f32_of(weight),
            });
        }
    }
    for curve in curves.values_mut() {
        curve.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
    curves
}

fn weights_at(curves: &BTreeMap<u32, Vec<Point>>, targets: usize, time: f64) -> Vec<f32> {
    let mut weights = vec![0.0; targets];
    for (&target, curve) in curves {
        weights[target as usize] = value_at(curve, time);
    }
    weights
}

fn value_at(curve: &[Point], time: f64) -> f32 {
    let after = curve.partition_point(|point| point.time < time);
    let (before, after) = curve.split_at(after);
    let (previous, next) = match (before.last(), after.first()) {
        (Some(previous), Some(next)) if next.time > time => (previous, next),
        (_, Some(only)) | (Some(only), None) => return only.weight,
        (None, None) => return 0.0,
    };
    let part = (time - previous.time) / (next.time - previous.time);
    let (from, to) = (f64::from(previous.weight), f64::from(next.weight));
    f32_of(from + (to - from) * part)
}

/// The conversion of ticks to seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticks {
    /// Greater than 0.
    pub(super) per_second: f64,
}

impl Ticks {
    /// The time of tick `ticks`.
    pub(super) fn seconds(self, ticks: f64) -> Seconds {
        Seconds(ticks / self.per_second)
    }
}

/// A track of translations or scales; `None` without keys.
pub(super) fn vector_track(keys: &[aiVectorKey], ticks: Ticks) -> Option<Track<Vec3>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: vec3(key.mValue),
        span: span(key.mInterpolation),
    });
    some(keys.collect())
}

/// Makes unit quaternions of all rotations that have a direction: M3D stores them in as few as 8 bits.
pub(super) fn normalize_rotations(clips: &mut [Clip]) {
    for channel in clips.iter_mut().flat_map(|clip| &mut clip.channels) {
        if let Keys::Rotation(track) = &mut channel.keys {
            for key in &mut track.keys {
                let unit = key.value.as_dquat().normalize().as_quat();
                if unit.is_finite() {
                    key.value = unit;
                }
            }
        }
    }
}

/// A track of rotations; `None` without keys.
fn rotation_track(keys: &[aiQuatKey], ticks: Ticks) -> Option<Track<Quat>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: quat(key.mValue),
        span: span(key.mInterpolation),
    });
    some(keys.collect())
}

fn some<T>(keys: Vec<Key<T>>) -> Option<Track<T>> {
    (!keys.is_empty()).then_some(Track { keys })
}

/// assimp delivers no tangents, so a cubic span looks like a linear one.
fn span<T>(interpolation: aiAnimInterpolation) -> Span<T> {
    if interpolation == aiAnimInterpolation_aiAnimInterpolation_Step {
        Span::Step
    } else {
        Span::Linear
    }
}

#[cfg(test)]
mod tests {
    use russimp::sys::{aiAnimInterpolation_aiAnimInterpolation_Linear, aiVector3D};

    use super::*;

    const TICKS: Ticks = Ticks { per_second: 10.0 };

    fn key(time: f64, x: f32, interpolation: aiAnimInterpolation) -> aiVectorKey {
        aiVectorKey {
            mTime: time,
            mValue: aiVector3D { x, y: 0.0, z: 0.0 },
            mInterpolation: interpolation,
        }
    }

    #[test]
    fn ticks_become_seconds_and_step_stays_step() {
        let step = key(5.0, 1.0, aiAnimInterpolation_aiAnimInterpolation_Step);
        let linear = key(10.0, 2.0, aiAnimInterpolation_aiAnimInterpolation_Linear);
        let keys = vector_track(&[step, linear], TICKS).unwrap().keys;
        assert_eq!((keys[0].time, keys[1].time), (Seconds(0.5), Seconds(1.0)));
        assert_eq!((&keys[0].span, &keys[1].span), (&Span::Step, &Span::Linear));
        assert_eq!(vector_track(&[], TICKS), None);
    }

    #[test]
    fn only_numbers_follow_a_name_that_assimp_made_up() {
        for name in ["animation", "animation_0", "animation_12", "animation3"] {
            assert!(is_made_up(name), "{name}");
        }
        for name in ["", "Walk", "animation_walk", "Animation"] {
            assert!(!is_made_up(name), "{name}");
        }
    }
}
