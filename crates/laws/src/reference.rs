//! The textbook formulas in f64, as pure functions.
//!
//! Except for dual quaternions, they share no arithmetic with the rest of the library, so that a comparison with them
//! is meaningful.

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};

use super::Body;
use crate::rig::{Blending, Influence, Key, SkinSlot, SkinningOptions, Span, Track};
use skincheck_rig::skinning;

/// The keys around a time and the position between them.
#[derive(Debug, Clone, Copy)]
pub struct SpanAt<'a, T> {
    /// The last key at or before the time.
    pub from: &'a Key<T>,
    /// The next key.
    pub to: &'a Key<T>,
    /// 0 at the first key, 1 at the second.
    pub phase: f64,
}

impl<T> SpanAt<'_, T> {
    /// The time between the two keys in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.to.time.0 - self.from.time.0
    }
}

/// The span of `track` that contains `time`, or the constant value before the first key, after the last and at jumps.
///
/// # Errors
///
/// The constant value.
///
/// # Panics
///
/// If `track` has no key; tracks of valid assets have one.
pub fn span_at<T: Copy>(track: &Track<T>, time: f64) -> Result<SpanAt<'_, T>, T> {
    let after = track.keys.iter().filter(|key| key.time.0 <= time).count();
    let (Some(from), Some(to)) = (track.keys[..after].last(), track.keys.get(after)) else {
        let held = track.keys[..after].last().or(track.keys.first());
        return Err(held.expect("a track has keys").value);
    };
    let seconds = to.time.0 - from.time.0;
    let phase = (time - from.time.0) / seconds;
    Ok(SpanAt { from, to, phase })
}

/// A rotation track at `time`, in seconds.
///
/// # Reference
///
/// K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985; glTF 2.0, appendix C.
#[must_use]
pub fn rotation(track: &Track<Quat>, time: f64) -> DQuat {
    let unit = |q: DQuat| q * (1.0 / q.length_squared().sqrt());
    let span = match span_at(track, time) {
        Ok(span) => span,
        Err(held) => return unit(held.as_dquat()),
    };
    let (from, to) = (span.from.value.as_dquat(), span.to.value.as_dquat());
    match &span.from.span {
        Span::Step => unit(from),
        Span::Linear => slerp(unit(from), unit(to), span.phase),
        Span::Cubic { leave, arrive } => {
            let [a, b, c, d] = hermite(span.phase, span.seconds());
            let value = from * a + leave.as_dquat() * b + to * c + arrive.as_dquat() * d;
            unit(value)
        }
    }
}

/// Spherical linear interpolation along the shorter arc between unit quaternions.
///
/// * `phase` – 0 at `from`, 1 at `to`.
#[must_use]
pub fn slerp(from: DQuat, to: DQuat, phase: f64) -> DQuat {
    let dot = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    let (to, dot) = if dot < 0.0 { (-to, -dot) } else { (to, dot) };
    let angle = libm::acos(dot.min(1.0));
    let blended = if angle < 1e-4 {
        from * (1.0 - phase) + to * phase
    } else {
        from * libm::sin((1.0 - phase) * angle) + to * libm::sin(phase * angle)
    };
    blended * (1.0 / blended.length_squared().sqrt())
}

/// A vector track at `time`, in seconds.
///
/// # Reference
///
/// glTF 2.0, appendix C.
#[must_use]
pub fn vector(track: &Track<Vec3>, time: f64) -> DVec3 {
    let span = match span_at(track, time) {
        Ok(span) => span,
        Err(held) => return held.as_dvec3(),
    };
    let (from, to) = (span.from.value.as_dvec3(), span.to.value.as_dvec3());
    match &span.from.span {
        Span::Step => from,
        Span::Linear => from * (1.0 - span.phase) + to * span.phase,
        Span::Cubic { leave, arrive } => {
            let [a, b, c, d] = hermite(span.phase, span.seconds());
            from * a + leave.as_dvec3() * b + to * c + arrive.as_dvec3() * d
        }
    }
}

/// The weights of the value and derivative at the start, and of those at the end.
///
/// # Reference
///
/// glTF 2.0, appendix C.5: tangents are scaled by the span's length in seconds.
fn hermite(t: f64, seconds: f64) -> [f64; 4] {
    [
        (1.0 + 2.0 * t) * (1.0 - t) * (1.0 - t),
        seconds * t * (1.0 - t) * (1.0 - t),
        t * t * (3.0 - 2.0 * t),
        seconds * t * t * (t - 1.0),
    ]
}

/// A sum of weights smaller than this fraction of the sum of magnitudes is not divided by.
const CANCELLED: f64 = 1.0 / 1024.0;

/// The weights of a vertex divided by their sum. Empty if the sum is 0, not finite, or has cancelled to less than
/// 1/1024 of the sum of magnitudes.
#[must_use]
pub fn normalize(influences: &[Influence]) -> Vec<(SkinSlot, f64)> {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for influence in influences {
        sum += f64::from(influence.weight);
        magnitude += f64::from(influence.weight).abs();
    }
    if !(sum.is_finite() && sum.abs() > CANCELLED * magnitude) {
        return Vec::new();
    }
    let share = |i: &Influence| (i.slot, f64::from(i.weight) / sum);
    influences.iter().map(share).collect()
}

/// The positions of `body` in world space: `Σ weight * world_from_joint * inverse_bind * vertex`, or for dual
/// quaternions the result of [`skinning::reference`].
///
/// # Reference
///
/// glTF 2.0 §3.7.3.3.
#[must_use]
pub fn skin(body: &Body) -> Vec<DVec3> {
    if body.blending != Blending::Linear {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = skinning::reference::deform(&asset, &body.pose(), &options);
        return meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions);
    }
    let vertices = body.positions.iter().enumerate();
    vertices
        .map(|(vertex, position)| {
            let images = rigid_images(body, vertex);
            if images.is_empty() {
                return body.node.as_dmat4().transform_point3(position.as_dvec3());
            }
            let mut sum = DVec3::ZERO;
            for (weight, image) in images {
                sum += image * weight;
            }
            sum
        })
        .collect()
}

/// The normalized weights of a vertex, and the position that each joint alone would give it.
#[must_use]
pub fn rigid_images(body: &Body, vertex: usize) -> Vec<(f64, DVec3)> {
    let position = body.positions[vertex].as_dvec3();
    let weights = normalize(body.influences.of(vertex));
    let image = |(joint, weight): (SkinSlot, f64)| {
        let world: DMat4 = body.joints[joint.index()].as_dmat4();
        let in_joint = body.inverse_binds[joint.index()]
            .as_dmat4()
            .transform_point3(position);
        (weight, world.transform_point3(in_joint))
    };
    weights.into_iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_cancel_are_not_divided_by_their_sum() {
        let normalized = |weights: [f32; 2]| {
            let influences = weights.map(|weight| Influence::new(SkinSlot(0), weight));
            normalize(&influences).len()
        };
        assert_eq!(normalized([3.0, -1.0]), 2);
        assert_eq!(normalized([1.0, -0.9999]), 0);
        assert_eq!(normalized([1.0, f32::INFINITY]), 0);
    }
}
