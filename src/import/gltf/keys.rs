//! The keys of a channel as the file has them, before they become a track.

use glam::{Quat, Vec3};

use super::json::Interpolation;
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// A key that does not know the next one yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawKey<T> {
    /// From 0, in the file's order.
    pub(super) number: usize,
    pub(super) time: f32,
    pub(super) value: T,
    /// In- and out-tangent (appendix C.5), of a spline.
    pub(super) tangents: Option<[T; 2]>,
}

/// What keys can drive.
pub(super) trait Value: Clone {
    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool;

    /// Whether two values mean the same.
    fn is_same(&self, other: &Self) -> bool;
}

impl Value for Vec3 {
    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Value for Quat {
    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }

    /// A quaternion and its negative are one rotation.
    fn is_same(&self, other: &Self) -> bool {
        self == other || *self == -*other
    }
}

impl Value for Vec<f32> {
    fn is_finite(&self) -> bool {
        self.iter().all(|number| number.is_finite())
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl<T: Value> RawKey<T> {
    /// Whether all its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        let tangents = self.tangents.iter().flatten();
        self.time.is_finite() && self.value.is_finite() && tangents.into_iter().all(T::is_finite)
    }
}

/// How many values belong to a key (appendix C.5: in-tangent, value, out-tangent).
pub(super) fn per_key(interpolation: Interpolation) -> usize {
    if interpolation == Interpolation::CubicSpline {
        3
    } else {
        1
    }
}

/// One key for each of `times`.
///
/// * `values` – [`per_key`] of them for each.
pub(super) fn raw_keys<T: Clone>(
    times: &[f32],
    values: &[T],
    interpolation: Interpolation,
) -> Vec<RawKey<T>> {
    let values = values.chunks_exact(per_key(interpolation));
    let key = |(number, (&time, values)): (usize, (&f32, &[T]))| {
        let (value, tangents) = match values {
            [arrive, value, leave] => (value, Some([arrive.clone(), leave.clone()])),
            [value, ..] => (value, None),
            [] => return None,
        };
        Some(RawKey {
            number,
            time,
            value: value.clone(),
            tangents,
        })
    };
    times
        .iter()
        .zip(values)
        .enumerate()
        .filter_map(key)
        .collect()
}

/// The track of `keys`, which are in order of time; `None` if there is none.
pub(super) fn track<T: Clone>(
    keys: Vec<RawKey<T>>,
    interpolation: Interpolation,
) -> Option<Track<T>> {
    let mut track: Vec<Key<T>> = Vec::with_capacity(keys.len());
    let mut keys = keys.into_iter().peekable();
    while let Some(key) = keys.next() {
        let arrive = keys.peek().and_then(|next| next.tangents.as_ref());
        let span = match (interpolation, key.tangents, arrive) {
            (Interpolation::Linear, ..) => Span::Linear,
            (Interpolation::CubicSpline, Some([_, leave]), Some([arrive, _])) => Span::Cubic {
                leave,
                arrive: arrive.clone(),
            },
            // Also the last key of a spline, which has no next one.
            _ => Span::Step,
        };
        track.push(Key {
            time: Seconds(key.time.into()),
            value: key.value,
            span,
        });
    }
    (!track.is_empty()).then_some(Track { keys: track })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spline_goes_on_to_the_next_key_that_is_left() {
        let values: Vec<Vec3> = (0_u8..9).map(|x| Vec3::X * f32::from(x)).collect();
        let interpolation = Interpolation::CubicSpline;
        let mut keys = raw_keys(&[0.0, 1.0, 2.0], &values, interpolation);
        keys.remove(1);
        let track = track(keys, interpolation).unwrap();
        assert_eq!(track.keys[0].value, Vec3::X);
        let (leave, arrive) = (Vec3::X * 2.0, Vec3::X * 6.0);
        assert_eq!(track.keys[0].span, Span::Cubic { leave, arrive });
        assert_eq!(track.keys[1].span, Span::Step);
    }

    #[test]
    fn a_rotation_is_the_same_as_its_negative() {
        let turn = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
        assert!(turn.is_same(&-turn) && !turn.is_same(&Quat::IDENTITY));
    }
}
