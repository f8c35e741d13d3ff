//! How far the length of a unit vector in a file may be from 1.

use crate::units::without_trailing_zeros;

/// How far from 1 the length of a rotation may be: three components in signed bytes, each off by half a step,
/// which glTF-Validator allows too.
pub const ROTATION: f64 = 0.00769;

/// How far from 1 the length of a normal may be, likewise.
pub const NORMAL: f64 = 0.00674;

/// Below this length a vector has no direction: in signed bytes, no component of it would differ from 0.
pub const NO_DIRECTION: f64 = 0.5 / 127.0;

/// The length of a vector, without overflow or underflow.
pub(super) fn length(components: &[f32]) -> f64 {
    length_squared(components).sqrt()
}

fn length_squared(components: &[f32]) -> f64 {
    let components = components.iter().copied().map(f64::from);
    components.map(|component| component * component).sum()
}

/// Whether the length of a vector is surely no further than `limit` from 1: a test of the squared length, which saves the
/// square root of [`excess`] for the many valid ones. (1 - l)² < 1 - l and (1 + l)² > 1 + l for 0 < l < 1.
pub(super) fn is_nearly(components: &[f32], limit: f64) -> bool {
    (length_squared(components) - 1.0).abs() < limit
}

/// How far `length` is from 1, if that is more than `limit`; `None` for NaN.
pub(super) fn excess(length: f64, limit: f64) -> Option<f64> {
    let off = (length - 1.0).abs();
    (off > limit && off.is_finite()).then_some(off)
}

/// A length in a message, with as many digits as distinguish it from 1.
pub(super) fn rounded(length: f64) -> String {
    if (1e-3..1e4).contains(&length) {
        without_trailing_zeros(&format!("{length:.4}")).to_owned()
    } else if length == 0.0 {
        "0".to_owned()
    } else {
        format!("{length:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_at_the_limit_is_fine_and_one_past_it_is_not() {
        assert_eq!(excess(1.0 + 0.0076, ROTATION), None);
        assert!(excess(1.0 + 0.0078, ROTATION).is_some());
        assert!(excess(1.0 - 0.0078, ROTATION).is_some());
        assert_eq!(excess(f64::NAN, ROTATION), None);
        assert_eq!(excess(f64::INFINITY, ROTATION), None);
    }

    #[test]
    fn a_nearly_unit_vector_is_within_the_limit() {
        for step in 0..2000_u16 {
            let length = 0.98 + f32::from(step) * 2e-5;
            if is_nearly(&[length], NORMAL) {
                assert_eq!(excess(f64::from(length), NORMAL), None, "{length}");
            }
        }
        assert!(is_nearly(&[0.6, 0.0, 0.8], NORMAL) && !is_nearly(&[f32::NAN], NORMAL));
    }

    #[test]
    fn lengths_read_as_people_write_them() {
        let reported = [1.1, 0.98765, 0.0, 1e-9, 1e20].map(rounded);
        assert_eq!(reported, ["1.1", "0.9877", "0", "1.0e-9", "1.0e20"]);
    }

    #[test]
    fn lengths_of_large_and_small_vectors_are_numbers() {
        assert!(length(&[f32::MAX; 4]).is_finite());
        assert!(length(&[1e-30, 0.0, 0.0]) > 0.0);
    }
}
