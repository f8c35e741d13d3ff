//! Animations: which joint moves when, in seconds.

use std::collections::BTreeMap;

use russimp::sys::{aiAnimation, aiNodeAnim, aiScene};

use super::format::Format;
use super::morph_clips;
use super::names;
use super::nodes::Nodes;
use super::notes::Notes;
use super::raw::Raw;
use super::tracks::{Ticks, rotation_track, vector_track};
use crate::import::{keys, shear};
use crate::rig::{Channel, Clip, JointId, TickRate};
use crate::units::Seconds;

/// Ticks per second where the file says 0 or nothing sensible: what assimp's documentation and most readers take.
const DEFAULT_RATE: f64 = 25.0;

/// Reads all animations.
///
/// * `rate` – ticks per second that the file states, where assimp says something else.
pub(super) fn read_all(
    scene: Raw<'_, aiScene>,
    format: Format,
    rate: Option<f64>,
    hierarchy: &Nodes<'_>,
    notes: &mut Notes,
) -> Vec<Clip> {
    let animations = scene.animations().flatten().enumerate();
    animations
        .map(|(index, animation)| {
            let stated = rate.unwrap_or(animation.mTicksPerSecond);
            read(animation, index, stated, format, hierarchy, notes)
        })
        .collect()
}

/// As [`Clip::name`] has it.
pub(super) fn name_or_number(name: String, index: usize) -> String {
    if name.is_empty() {
        format!("animation_{index}")
    } else {
        name
    }
}

/// Reads animation number `index`, of `stated` ticks per second.
fn read(
    animation: Raw<'_, aiAnimation>,
    index: usize,
    stated: f64,
    format: Format,
    hierarchy: &Nodes<'_>,
    notes: &mut Notes,
) -> Clip {
    let name = name_or_number(names::text(&animation.mName), index);
    let place = format!("clip {name:?}");
    let rate = tick_rate(stated, format, &place, notes);
    let ticks = Ticks {
        per_second: seconds_divisor(stated, rate),
    };
    let mut clip = Clip {
        name,
        start: Seconds::ZERO,
        end: Seconds::ZERO,
        rate,
        channels: channels(animation, ticks, hierarchy, &place, notes),
        morph_channels: morph_clips::read(animation, ticks, hierarchy, &place, notes),
    };
    let duration = format.states_duration().then_some(animation.mDuration);
    clip.end = end(&clip, duration, ticks);
    // assimp takes matrices apart, those of X files and the rest of what a channel leaves alone.
    let driven = clip
        .channels
        .iter()
        .map(|channel| &hierarchy.joints[channel.joint.index()]);
    let sheared: Vec<&str> = driven
        .filter(|joint| joint.rest.is_sheared())
        .map(|joint| joint.name.as_str())
        .collect();
    if let Some(lost) = shear::lost(&sheared) {
        notes.add(&place, format!("drives parts of sheared matrices, {lost}"));
    }
    clip
}

/// What the keys are divided by. assimp hands out milliseconds for formats that count in seconds.
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

/// `stated` ticks per second, or the default.
pub(super) fn usable_rate(stated: f64) -> f64 {
    if is_usable(stated) {
        stated
    } else {
        DEFAULT_RATE
    }
}

fn tick_rate(stated: f64, format: Format, place: &str, notes: &mut Notes) -> TickRate {
    let usable = is_usable(stated);
    if usable && format.counts_seconds() {
        return TickRate::SECONDS;
    }
    if !usable {
        let message = format!("states {stated} ticks per second; {DEFAULT_RATE} are assumed");
        notes.add(place, message);
    }
    TickRate {
        stated: Some(stated),
        used: usable_rate(stated),
        frames: format.counts_frames(),
    }
}

/// The file's statement, or else the last key.
fn end(clip: &Clip, duration: Option<f64>, ticks: Ticks) -> Seconds {
    let stated = duration
        .filter(|ticks| *ticks > 0.0)
        .map(|d| ticks.seconds(d));
    let finite = stated.filter(|end| end.0.is_finite());
    finite.unwrap_or_else(|| keys::last(clip))
}

/// One channel a joint, in the order of the joints: assimp's glTF importer lists them in the order of a hash table.
fn channels(
    animation: Raw<'_, aiAnimation>,
    ticks: Ticks,
    hierarchy: &Nodes<'_>,
    place: &str,
    notes: &mut Notes,
) -> Vec<Channel> {
    let mut by_joint: BTreeMap<JointId, Channel> = BTreeMap::new();
    for node_anim in animation.channels().flatten() {
        let Some(joint) = target(node_anim, hierarchy, place, notes) else {
            continue;
        };
        let channel = channel(node_anim, joint, ticks, place, notes);
        match by_joint.entry(joint) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(channel);
            }
            std::collections::btree_map::Entry::Occupied(_) => {
                let name = &hierarchy.joints[joint.index()].name;
                notes.add(
                    place,
                    format!("left out a second channel of joint {name:?}"),
                );
            }
        }
    }
    let moving = |channel: &Channel| {
        channel.translation.is_some() || channel.rotation.is_some() || channel.scale.is_some()
    };
    by_joint.into_values().filter(moving).collect()
}

/// The node that assimp itself would take: the first of that name.
fn target(
    channel: Raw<'_, aiNodeAnim>,
    hierarchy: &Nodes<'_>,
    place: &str,
    notes: &mut Notes,
) -> Option<JointId> {
    let name = names::bytes(&channel.mNodeName);
    let named = hierarchy.named(&name);
    let name = names::decode(&name);
    match named {
        [] => notes.add(
            place,
            format!("left out the channel of {name:?}, because no node is called so"),
        ),
        [_] => {}
        [_, ..] => {
            let count = named.len();
            notes.add(
                place,
                format!("{count} nodes are called {name:?}; the first is animated"),
            );
        }
    }
    named.first().copied()
}

fn channel(
    channel: Raw<'_, aiNodeAnim>,
    joint: JointId,
    ticks: Ticks,
    place: &str,
    notes: &mut Notes,
) -> Channel {
    Channel {
        translation: vector_track(channel.position_keys(), ticks, place, notes),
        rotation: rotation_track(channel.rotation_keys(), ticks, place, notes),
        scale: vector_track(channel.scaling_keys(), ticks, place, notes),
        ..Channel::of(joint)
    }
}
