//! What can be wrong with keys, and how it is mended.

use glam::Quat;

use super::keys::{RawKey, Value};
use super::log::Log;
use crate::import::unit::{self, rounded};
use crate::rig::{DefectKind, Place};
use crate::units::Seconds;

/// The channel that keys belong to.
pub(super) struct Site<'a> {
    /// Clip, joint and part.
    pub(super) place: Place,
    /// The place of notes.
    pub(super) clip: &'a str,
    pub(super) log: &'a mut Log,
}

impl Site<'_> {
    fn note(&mut self, message: &str) {
        self.log.notes.add(self.clip, message);
    }

    /// * `time` – if it is a number.
    fn tell(&mut self, kind: DefectKind, time: f32, badness: f64, message: String) {
        let mut place = self.place.clone();
        place.time = time.is_finite().then(|| Seconds(time.into()));
        self.log.defects.add_worst(kind, place, 1, badness, message);
    }
}

/// Leaves out keys that are not finite, and puts the others in order of time.
///
/// * `is_step` – whether values are held from key to key, so that two at one time are no contradiction.
pub(super) fn mend<T: Value>(keys: &mut Vec<RawKey<T>>, is_step: bool, site: &mut Site<'_>) {
    leave_out_what_is_not_finite(keys, site);
    tell_order(keys, is_step, site);
    if !keys.is_sorted_by(|a, b| a.time <= b.time) {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        site.note("put keys in order of time");
    }
    if !is_step {
        tell_conflicts(keys, site);
    }
    for key in keys.iter().filter(|key| key.time < 0.0) {
        let message = format!("key {} is at {} s", key.number, seconds(key.time));
        let badness = -f64::from(key.time);
        site.tell(DefectKind::NegativeTime, key.time, badness, message);
    }
}

fn leave_out_what_is_not_finite<T: Value>(keys: &mut Vec<RawKey<T>>, site: &mut Site<'_>) {
    for key in keys.iter().filter(|key| !key.is_finite()) {
        let what = if key.time.is_finite() {
            ""
        } else {
            "the time of "
        };
        let message = format!("{what}key {} is NaN or infinite", key.number);
        site.tell(DefectKind::NonfiniteKey, key.time, 0.0, message);
        site.note(if key.time.is_finite() {
            "left out keys whose value is not a number"
        } else {
            "left out keys whose time is not a number"
        });
    }
    keys.retain(RawKey::is_finite);
}

/// Times have to increase; two keys at one time that contradict each other are told by [`tell_conflicts`].
fn tell_order<T: Value>(keys: &[RawKey<T>], is_step: bool, site: &mut Site<'_>) {
    for pair in keys.windows(2) {
        let [before, key] = pair else { continue };
        let late = f64::from(before.time) - f64::from(key.time);
        let is_conflict = !is_step && !key.value.is_same(&before.value);
        let message = if late > 0.0 {
            let [time, earlier] = two_seconds(key.time, before.time);
            format!(
                "key {} at {time} s comes after one at {earlier} s",
                key.number
            )
        } else if late == 0.0 && !is_conflict {
            let time = seconds(key.time);
            format!(
                "keys {} and {} are both at {time} s",
                before.number, key.number
            )
        } else {
            continue;
        };
        site.tell(DefectKind::UnorderedKeys, key.time, late, message);
    }
}

/// * `keys` – in order of time.
fn tell_conflicts<T: Value>(keys: &[RawKey<T>], site: &mut Site<'_>) {
    for pair in keys.windows(2) {
        let [before, key] = pair else { continue };
        let are_together = before.time >= key.time;
        if are_together && !key.value.is_same(&before.value) {
            let (first, second, time) = (before.number, key.number, seconds(key.time));
            let message = format!("keys {first} and {second} are both at {time} s and differ");
            site.tell(DefectKind::ConflictingKeys, key.time, 0.0, message);
        }
    }
}

/// Leaves out rotations without a direction, and makes unit quaternions of the others that are further from them than
/// storage explains.
pub(super) fn mend_rotations(keys: &mut Vec<RawKey<Quat>>, site: &mut Site<'_>) {
    keys.retain_mut(|key| {
        let length = unit::length(&key.value.to_array());
        let Some(off) = unit::excess(length, unit::ROTATION) else {
            return true;
        };
        let message = format!("rotation key {} has length {}", key.number, rounded(length));
        if length < unit::NO_ROTATION {
            site.tell(DefectKind::ZeroQuaternion, key.time, off, message);
            site.note("left out rotations without a direction");
            return false;
        }
        let message = format!("{message}, not 1");
        site.tell(DefectKind::NonunitKey, key.time, off, message);
        site.note("rotations that are no unit quaternions are taken as ones");
        scale(key, 1.0 / length);
        true
    });
}

fn scale(key: &mut RawKey<Quat>, factor: f64) {
    let scaled = |quat: Quat| (quat.as_dquat() * factor).as_quat();
    key.value = scaled(key.value);
    for tangent in key.tangents.iter_mut().flatten() {
        *tangent = scaled(*tangent);
    }
}

/// To a tenth of a millisecond, without trailing zeros.
fn seconds(time: f32) -> String {
    let text = format!("{time:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Two times in as many digits as tell them apart.
fn two_seconds(a: f32, b: f32) -> [String; 2] {
    let rounded = [a, b].map(seconds);
    if rounded[0] == rounded[1] {
        [a, b].map(|time| time.to_string())
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests;
