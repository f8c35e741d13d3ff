//! Animated morph weights.

use std::collections::BTreeMap;

use russimp::sys::{aiAnimation, aiMeshMorphAnim};

use super::names;
use super::nodes::Nodes;
use super::raw::Raw;
use super::tracks::Ticks;
use crate::import::notes::Notes;
use crate::import::rounding::f32_of;
use crate::import::source::{Channel, Keys};
use crate::rig::{Key, NodeId, Span, Track};

/// The most weights of one channel. assimp allows any number; more than this is not an animation but an attack.
const MAX_WEIGHTS: usize = 1 << 24;

/// Reads the morph channels of `animation`, in the order of the joints.
pub(super) fn read(
    animation: Raw<'_, aiAnimation>,
    ticks: Ticks,
    hierarchy: &Nodes<'_>,
    location: &str,
    notes: &mut Notes,
) -> impl Iterator<Item = Channel> {
    let mut by_joint = BTreeMap::new();
    for channel in animation.morph_channels().flatten() {
        let joints = hierarchy.of_morph_channel(&names::bytes(&channel.mName));
        if joints.is_empty() {
            let name = names::text(&channel.mName);
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
