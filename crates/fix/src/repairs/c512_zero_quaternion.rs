//! `C512`: a rotation key of length 0 becomes the rotation between its neighbours at its time, as if it were not there.

use glam::Quat;

use super::keys::{Interpolation, Rotations, each_rotation, length};
use super::{Changed, Job};
use crate::import::unit::NO_DIRECTION;
use crate::pose::rotation_at;
use crate::rig::Track;
use crate::units::Seconds;

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_rotation(job, |keys, changed| {
        let is_zero: Vec<bool> = (0..keys.times.len())
            .map(|key| length(keys.value(key)) < NO_DIRECTION)
            .collect();
        if is_zero.contains(&true) && keys.interpolation == Interpolation::Cubic {
            changed.leave("a cubic curve has no value at a key of length 0");
            return 0;
        }
        let mut count = 0;
        for key in (0..is_zero.len()).filter(|key| is_zero[*key]) {
            let before = (0..key).rfind(|other| !is_zero[*other]);
            let after = (key + 1..is_zero.len()).find(|other| !is_zero[*other]);
            let value = match (before, after) {
                (None, None) => {
                    changed.leave("no key of the track has a rotation");
                    return 0;
                }
                (Some(only), None) | (None, Some(only)) => keys.value(only),
                (Some(before), Some(_)) if keys.interpolation == Interpolation::Step => {
                    keys.value(before)
                }
                (Some(before), Some(after)) => between(keys, before, key, after),
            };
            keys.values[key] = value;
            count += 1;
        }
        count
    })
}

/// The rotation at the time of `key`, between two other keys.
fn between(keys: &Rotations<'_>, before: usize, key: usize, after: usize) -> [f64; 4] {
    let unit = |key: usize| {
        let value = keys.value(key);
        let length = length(value);
        #[expect(clippy::cast_possible_truncation, reason = "rotations are f32")]
        Quat::from_array(value.map(|number| (number / length) as f32))
    };
    let ends = [before, after].map(|key| (keys.times[key], unit(key)));
    let track = Track::linear(ends);
    let rotation = rotation_at(&track, Seconds(keys.times[key]));
    rotation.unwrap_or_default().to_array().map(f64::from)
}
