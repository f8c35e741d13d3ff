//! Values between two keys.
//!
//! All arithmetic is in f64 and rounds once, at the end; the trigonometry is the `libm` crate's, which gives the same
//! bits everywhere.

use glam::{DQuat, Mat4, Quat, Vec2, Vec3, Vec4};

/// The two ends of a span and the position between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Between<'a, T> {
    /// Value of the key at the start.
    pub(super) from: &'a T,
    /// Value of the key at the end.
    pub(super) to: &'a T,
    /// 0 at the start, 1 at the end.
    pub(super) phase: f64,
}

/// Derivatives per second at the ends of a cubic span, and its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tangents<'a, T> {
    /// At the start.
    pub(super) leave: &'a T,
    /// At the end.
    pub(super) arrive: &'a T,
    /// In seconds.
    pub(super) span: f64,
}

/// A value that clips can drive.
///
/// `None` means that the keys give no value: a rotation that is zero or not finite.
pub(super) trait Interpolate: Sized {
    /// The part of a linear interpolation that depends only on the two keys, kept for the next sample between them.
    type Path: std::fmt::Debug + Clone;

    /// The value at a key.
    fn at_key(&self) -> Option<Self>;

    /// Linear interpolation; for rotations, along the shortest great arc.
    ///
    /// * `path` – between these keys; computed if missing.
    fn linear(between: Between<'_, Self>, path: &mut Option<Self::Path>) -> Option<Self>;

    /// Cubic Hermite spline.
    fn cubic(between: Between<'_, Self>, tangents: Tangents<'_, Self>) -> Option<Self>;
}

macro_rules! vectors {
    ($($vector:ident: $widen:ident, $round:ident);+) => {
        $(
            impl Interpolate for $vector {
                type Path = ();

                fn at_key(&self) -> Option<Self> {
                    Some(*self)
                }

                fn linear(between: Between<'_, Self>, _way: &mut Option<()>) -> Option<Self> {
                    let (from, to) = (between.from.$widen(), between.to.$widen());
                    Some((from + (to - from) * between.phase).$round())
                }

                fn cubic(
                    between: Between<'_, Self>,
                    tangents: Tangents<'_, Self>,
                ) -> Option<Self> {
                    let basis = Hermite::at(between.phase, tangents.span);
                    let value = between.from.$widen() * basis.from
                        + tangents.leave.$widen() * basis.leave
                        + between.to.$widen() * basis.to
                        + tangents.arrive.$widen() * basis.arrive;
                    Some(value.$round())
                }
            }
        )+
    };
}

vectors! {
    Vec2: as_dvec2, as_vec2;
    Vec3: as_dvec3, as_vec3;
    Vec4: as_dvec4, as_vec4;
    // Element by element: each number of a `<matrix>` is a curve of its own (COLLADA 1.4.1, chapter 4, "Curve
    // Interpolation").
    Mat4: as_dmat4, as_mat4
}

impl Interpolate for f32 {
    type Path = ();

    fn at_key(&self) -> Option<Self> {
        Some(*self)
    }

    fn linear(between: Between<'_, Self>, _way: &mut Option<()>) -> Option<Self> {
        let (from, to) = (f64::from(*between.from), f64::from(*between.to));
        Some(to_f32(from + (to - from) * between.phase))
    }

    fn cubic(between: Between<'_, Self>, tangents: Tangents<'_, Self>) -> Option<Self> {
        let basis = Hermite::at(between.phase, tangents.span);
        let value = f64::from(*between.from) * basis.from
            + f64::from(*tangents.leave) * basis.leave
            + f64::from(*between.to) * basis.to
            + f64::from(*tangents.arrive) * basis.arrive;
        Some(to_f32(value))
    }
}

/// Booleans step, whatever the span.
impl Interpolate for bool {
    type Path = ();

    fn at_key(&self) -> Option<Self> {
        Some(*self)
    }

    fn linear(between: Between<'_, Self>, _way: &mut Option<()>) -> Option<Self> {
        Some(*between.from)
    }

    fn cubic(between: Between<'_, Self>, _tangents: Tangents<'_, Self>) -> Option<Self> {
        Some(*between.from)
    }
}

impl Interpolate for Quat {
    type Path = Arc;

    fn at_key(&self) -> Option<Self> {
        Some(unit(self.as_dquat())?.as_quat())
    }

    #[inline]
    fn linear(between: Between<'_, Self>, path: &mut Option<Arc>) -> Option<Self> {
        let arc = match path {
            Some(arc) => arc,
            None => path.insert(Arc::between(
                unit(between.from.as_dquat())?,
                unit(between.to.as_dquat())?,
            )),
        };
        Some(arc.at(between.phase).as_quat())
    }

    /// Where the spline passes too close to 0 to have a direction, the great arc between the keys replaces it.
    fn cubic(between: Between<'_, Self>, tangents: Tangents<'_, Self>) -> Option<Self> {
        let basis = Hermite::at(between.phase, tangents.span);
        let value = between.from.as_dquat() * basis.from
            + tangents.leave.as_dquat() * basis.leave
            + between.to.as_dquat() * basis.to
            + tangents.arrive.as_dquat() * basis.arrive;
        match unit(value) {
            Some(value) => Some(value.as_quat()),
            None => Self::linear(between, &mut None),
        }
    }
}

/// One weight per morph target; as many as the earlier key has. A weight that the later key lacks keeps its value.
impl Interpolate for Vec<f32> {
    type Path = ();

    fn at_key(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn linear(between: Between<'_, Self>, _way: &mut Option<()>) -> Option<Self> {
        let straight = |from: f64, to: f64| from + (to - from) * between.phase;
        let pairs = between.from.iter().enumerate();
        let values = pairs.map(|(target, &from)| {
            let to = between.to.get(target).copied().unwrap_or(from);
            to_f32(straight(f64::from(from), f64::from(to)))
        });
        Some(values.collect())
    }

    fn cubic(between: Between<'_, Self>, tangents: Tangents<'_, Self>) -> Option<Self> {
        let basis = Hermite::at(between.phase, tangents.span);
        let or = |list: &[f32], target: usize, otherwise| {
            f64::from(list.get(target).copied().unwrap_or(otherwise))
        };
        let values = between.from.iter().enumerate().map(|(target, &from)| {
            let value = f64::from(from) * basis.from
                + or(tangents.leave, target, 0.0) * basis.leave
                + or(between.to, target, from) * basis.to
                + or(tangents.arrive, target, 0.0) * basis.arrive;
            to_f32(value)
        });
        Some(values.collect())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32")]
fn to_f32(value: f64) -> f32 {
    value as f32
}

/// The weights of the four parts of a cubic Hermite spline.
///
/// # Reference
///
/// glTF 2.0, appendix C.5 "Cubic Spline Interpolation": tangents are scaled by the span's length.
struct Hermite {
    from: f64,
    leave: f64,
    to: f64,
    arrive: f64,
}

impl Hermite {
    fn at(phase: f64, span: f64) -> Self {
        let squared = phase * phase;
        let cubed = squared * phase;
        Self {
            from: 2.0 * cubed - 3.0 * squared + 1.0,
            leave: span * (cubed - 2.0 * squared + phase),
            to: 3.0 * squared - 2.0 * cubed,
            arrive: span * (cubed - squared),
        }
    }
}

/// Shortest quaternion with a meaningful direction: well above the rounding of f32 components of magnitude 1 (6e-8)
/// that cancelled.
const SHORTEST_ROTATION: f64 = 1e-6;

/// `rotation` at unit length; `None` if it is too short or not finite.
#[inline]
pub(super) fn unit(rotation: DQuat) -> Option<DQuat> {
    let length = rotation.length_squared().sqrt();
    (length.is_finite() && length > SHORTEST_ROTATION).then(|| rotation * (1.0 / length))
}

/// Below this angle (radians) the sines of slerp are their arguments: the relative error is angle²/6 < 2e-13.
const SMALL_ANGLE: f64 = 1e-6;

/// The shortest great arc between two unit quaternions, at constant angular speed.
///
/// `q` and `-q` are the same rotation; the nearer of the two is used. If the rotations are exactly 180° apart, both arcs are
/// equally short, and the signs in the file decide.
///
/// # Reference
///
/// K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985; W. Kahan, "How Futile are Mindless
/// Assessments of Roundoff in Floating-Point Computation?", 2006, §12, for the angle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    from: DQuat,
    to: DQuat,
    /// In radians, from 0 to π/2.
    angle: f64,
}

impl Arc {
    /// The angle is `2 atan2(|a - b|, |a + b|)`, which unlike `acos(a · b)` is accurate for small angles too.
    fn between(from: DQuat, to: DQuat) -> Self {
        let to = if from.dot(to) < 0.0 { -to } else { to };
        let length = |q: DQuat| q.length_squared().sqrt();
        let angle = 2.0 * libm::atan2(length(from - to), length(from + to));
        Self { from, to, angle }
    }

    /// * `phase` – 0 at the start, 1 at the end.
    #[inline]
    fn at(&self, phase: f64) -> DQuat {
        let Self { from, to, angle } = *self;
        let blended = if angle < SMALL_ANGLE {
            from * (1.0 - phase) + to * phase
        } else {
            let [before, after] = sines([(1.0 - phase) * angle, phase * angle]);
            from * before + to * after
        };
        unit(blended).unwrap_or(from)
    }
}

/// Arguments whose sine is the polynomial: for smaller ones libm returns the argument, for larger ones it first subtracts
/// multiples of π/2.
const POLYNOMIAL: std::ops::Range<f64> = 1e-7..0.785;

/// `libm::sin` of both, to the bit, without a call for most arguments. Computed together, they share registers.
///
/// # Reference
///
/// FreeBSD's msun, `k_sin.c`: coefficients of a minimax polynomial of degree 13 on 0 to π/4.
#[inline]
fn sines(angles: [f64; 2]) -> [f64; 2] {
    if !(POLYNOMIAL.contains(&angles[0]) && POLYNOMIAL.contains(&angles[1])) {
        return angles.map(libm::sin);
    }
    let mut sines = angles;
    for (sine, angle) in sines.iter_mut().zip(angles) {
        let square = angle * angle;
        let higher = 8.333_333_333_322_49e-3
            + square * (-1.984_126_982_985_795e-4 + square * 2.755_731_370_707_006_8e-6)
            + square
                * (square * square)
                * (-2.505_076_025_340_686_3e-8 + square * 1.589_690_995_211_55e-10);
        *sine = angle + square * angle * (-1.666_666_666_666_663_2e-1 + square * higher);
    }
    sines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(numbers: [f64; 2]) -> [u64; 2] {
        numbers.map(f64::to_bits)
    }

    #[test]
    fn sines_are_those_of_libm_to_the_bit() {
        for step in 0..1_000_000_u32 {
            let angle = f64::from(step) * 1.6e-6;
            assert_eq!(bits(sines([angle, 0.5])), bits([angle, 0.5].map(libm::sin)));
        }
        for angle in [0.0, 1e-300, 1e-9, 1e-7, 0.785, 0.786, 1.58] {
            for angles in [[angle, 0.5], [0.25, angle], [angle; 2]] {
                assert_eq!(
                    bits(sines(angles)),
                    bits(angles.map(libm::sin)),
                    "{angles:?}"
                );
            }
        }
    }
}
