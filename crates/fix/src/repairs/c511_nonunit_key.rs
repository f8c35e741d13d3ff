//! `C511`: a rotation key is scaled to length 1, with its tangents.

use super::keys::{each_rotation, length};
use super::{Changed, Job};
use crate::import::unit::{NO_DIRECTION, ROTATION};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_rotation(job, |keys, _| {
        let mut count = 0;
        for key in 0..keys.times.len() {
            let length = length(keys.value(key));
            let is_off =
                (length - 1.0).abs() > ROTATION && length >= NO_DIRECTION && length.is_finite();
            if !is_off {
                continue;
            }
            let own = keys.of(key);
            for number in keys.values[own].as_flattened_mut() {
                *number /= length;
            }
            count += 1;
        }
        count
    })
}
