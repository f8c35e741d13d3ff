//! Actions: the clips.

use std::collections::BTreeMap;

use super::cursor::Damage;
use super::examine;
use super::lists::{Action, Lists, Placed};
use crate::import::defects::Defects;
use crate::import::hierarchy::unit;
use crate::rig::{Channel, Clip, JointId, Key, Span, TickRate, Track, Trs};
use crate::units::Seconds;

/// Keys of all clips together, about 1 GiB.
const MOST_KEYS: u64 = 1 << 24;

/// Milliseconds in a second.
const MILLI: f64 = 1000.0;

/// The joint `placed` as parts of a transform.
///
/// # Errors
///
/// [`Damage`] if it names a vector that is not there.
pub(super) fn trs(lists: &Lists, placed: &Placed, place: &str) -> Result<Trs, Damage> {
    let vector = |number: Option<usize>| {
        let number = number.unwrap_or(usize::MAX);
        lists.vectors.get(number).ok_or_else(|| Damage::NotThere {
            place: place.to_owned(),
            what: "vector",
            number,
            count: lists.vectors.len(),
        })
    };
    Ok(Trs {
        translation: vector(placed.place)?.point(),
        rotation: unit(vector(placed.turn)?.turn()),
        ..Trs::IDENTITY
    })
}

/// All actions.
///
/// * `ids` – the joint of each bone.
/// * `rests` – where each bone is before a frame moves it.
///
/// # Errors
///
/// [`Damage`] if a frame names a bone or vector that is not there, or there are too many.
pub(super) fn clips(
    lists: &Lists,
    ids: &[JointId],
    rests: &[Trs],
    defects: &mut Defects,
) -> Result<Vec<Clip>, Damage> {
    let mut keys = 0;
    let mut clips = Vec::new();
    for (index, action) in lists.actions.iter().enumerate() {
        let moved = moved(action, index, ids.len())?;
        keys += (action.frames.len() as u64 + 1) * moved.len() as u64 * 2;
        if keys > MOST_KEYS {
            return Err(Damage::TooManyKeys(MOST_KEYS));
        }
        let clip = clip(lists, action, index, moved, ids, rests)?;
        examine::action(lists, action, &clip.name, defects);
        clips.push(clip);
    }
    Ok(clips)
}

/// The keys of the bones that an action moves.
type Keys = BTreeMap<usize, Vec<Key<Trs>>>;

fn moved(action: &Action, index: usize, bones: usize) -> Result<Keys, Damage> {
    let mut moved = Keys::new();
    for placed in action.frames.iter().flat_map(|(_, moved)| moved) {
        let number = placed.bone.unwrap_or(usize::MAX);
        if number >= bones {
            return Err(Damage::NotThere {
                place: format!("action {index}"),
                what: "bone",
                number,
                count: bones,
            });
        }
        moved.entry(number).or_default();
    }
    Ok(moved)
}

fn clip(
    lists: &Lists,
    action: &Action,
    index: usize,
    mut keys: Keys,
    ids: &[JointId],
    rests: &[Trs],
) -> Result<Clip, Damage> {
    let mut now: BTreeMap<usize, Trs> = keys.keys().map(|&bone| (bone, rests[bone])).collect();
    let mut last = 0;
    if action.frames.first().is_some_and(|(time, _)| *time > 0) {
        add_keys(&mut keys, &now, 0);
    }
    for (time, moved) in &action.frames {
        for placed in moved {
            let trs = trs(lists, placed, &format!("action {index}"))?;
            now.extend(placed.bone.map(|bone| (bone, trs)));
        }
        // Time does not run backwards.
        last = last.max(*time);
        add_keys(&mut keys, &now, last);
    }
    let mut channels: Vec<Channel> = keys
        .into_iter()
        .map(|(bone, keys)| channel(ids[bone], &keys))
        .collect();
    channels.sort_by_key(|channel| channel.joint);
    let name = match &*action.name {
        "" => format!("animation_{index}"),
        name => name.to_owned(),
    };
    Ok(Clip {
        name,
        start: Seconds::ZERO,
        end: seconds(last.max(action.milliseconds)),
        rate: TickRate::SECONDS,
        channels,
        morph_channels: Vec::new(),
    })
}

/// A key for every bone, moved or not: a bone stays where it is until the frame before it is moved again.
fn add_keys(keys: &mut Keys, now: &BTreeMap<usize, Trs>, time: u32) {
    for (keys, &value) in keys.values_mut().zip(now.values()) {
        keys.push(Key {
            time: seconds(time),
            value,
            span: Span::Linear,
        });
    }
}

fn channel(joint: JointId, keys: &[Key<Trs>]) -> Channel {
    fn track<T>(keys: &[Key<Trs>], part: impl Fn(&Trs) -> T) -> Track<T> {
        let key = |key: &Key<Trs>| Key {
            time: key.time,
            value: part(&key.value),
            span: Span::Linear,
        };
        let keys = keys.iter().map(key).collect();
        Track { keys }
    }
    Channel {
        translation: Some(track(keys, |trs| trs.translation)),
        rotation: Some(track(keys, |trs| trs.rotation)),
        ..Channel::of(joint)
    }
}

pub(super) fn seconds(milliseconds: u32) -> Seconds {
    Seconds(f64::from(milliseconds) / MILLI)
}
