//! Animations: the channels of each clip, with times in seconds.

use std::collections::BTreeSet;

use russimp::sys::{aiAnimation, aiNodeAnim, aiScene};

use super::morph_clips;
use super::names;
use super::nodes::Nodes;
use super::raw::Raw;
use super::tracks::{Ticks, rotation_track, vector_track};
use crate::import::frames::DEFAULT_RATE;
use crate::import::log::Log;
use crate::import::shear;
use crate::import::source::{Channel, Clip, Keys, clip_name};
use crate::rig::Format;
use crate::rig::{DefectKind, Location, NodeId, TickRate};
use crate::units::Seconds;

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
    let name = clip_name(&names::text(&animation.mName), index);
    let stated = animation.mTicksPerSecond;
    let rate = tick_rate(stated, format, &name, log);
    let ticks = Ticks {
        per_second: seconds_divisor(stated, rate),
    };
    let mut channels = channels(animation, ticks, hierarchy, &name, log);
    // assimp decomposes matrices: those of X files, and the rest transform of a node for what its channel omits.
    let driven: BTreeSet<usize> = channels.iter().map(|channel| channel.node).collect();
    let driven = driven.iter().map(|&node| &hierarchy.joints[node]);
    let sheared: Vec<&str> = driven
        .filter(|joint| joint.rest.is_sheared())
        .map(|joint| joint.name.as_str())
        .collect();
    let location = format!("clip {name:?}");
    if let Some(lost) = shear::lost(&sheared) {
        let message = format!("drives parts of sheared matrices, {lost}");
        log.notes.add(&location, message);
    }
    let morphs = morph_clips::read(animation, ticks, hierarchy, &location, &mut log.notes);
    channels.extend(morphs);
    let duration = Some(animation.mDuration).filter(|_| format.states_duration());
    let end = duration.filter(|ticks| *ticks > 0.0);
    Clip {
        name,
        start: Seconds::ZERO,
        end: end
            .map(|end| ticks.seconds(end))
            .filter(|end| end.0.is_finite()),
        rate,
        channels,
    }
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

fn tick_rate(stated: f64, format: Format, clip: &str, log: &mut Log) -> TickRate {
    let usable = is_usable(stated);
    if usable && format.counts_seconds() {
        return TickRate::SECONDS;
    }
    if !usable {
        let message = format!("states {stated} ticks per second; {DEFAULT_RATE} are assumed");
        log.notes.add(format!("clip {clip:?}"), message);
    }
    TickRate {
        stated: Some(stated),
        used: if usable { stated } else { DEFAULT_RATE },
        frames: format.counts_frames(),
    }
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
        ];
        let parts = parts.into_iter().flatten();
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
    let name = names::bytes(&channel.mNodeName);
    let named = hierarchy.named(&name);
    let name = names::decode(&name);
    let noted = format!("clip {clip:?}");
    // An unnamed node cannot be referred to.
    if name.is_empty() || named.is_empty() {
        let message = format!("a channel is of {name:?}, which is no node");
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
