//! What a track can hold, as far as baking needs to know.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use super::stack::largest;

/// A value in f64 that becomes one of a [`Track`](crate::rig::Track).
pub(super) trait Value: Clone {
    /// In the track.
    type Stored: PartialEq;

    /// The sum of the parts, each times its weight.
    fn sum(parts: &[(f64, &Self)]) -> Self;

    /// What a sum means: rotations at unit length.
    fn settled(self) -> Self;

    /// The same, in the form nearest to `before`: `q` and `-q` are one rotation.
    fn near(self, before: &Self) -> Self;

    /// As [`Span::Linear`](crate::rig::Span::Linear) has it.
    fn straight(from: &Self, to: &Self, phase: f64) -> Self;

    /// The largest difference; for rotations about the angle between, in radians.
    fn distance(&self, other: &Self) -> f64;

    /// What a distance is compared with.
    fn size(&self) -> f64;

    /// Rounded once.
    fn stored(&self) -> Self::Stored;
}

impl Value for DVec3 {
    type Stored = Vec3;

    fn sum(parts: &[(f64, &Self)]) -> Self {
        let scaled = parts.iter().map(|(weight, part)| **part * *weight);
        scaled.fold(Self::ZERO, |sum, part| sum + part)
    }

    fn settled(self) -> Self {
        self
    }

    fn near(self, _before: &Self) -> Self {
        self
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Self {
        *from + (*to - *from) * phase
    }

    fn distance(&self, other: &Self) -> f64 {
        (*self - *other).abs().max_element()
    }

    fn size(&self) -> f64 {
        self.abs().max_element()
    }

    fn stored(&self) -> Vec3 {
        self.as_vec3()
    }
}

impl Value for DQuat {
    type Stored = Quat;

    fn sum(parts: &[(f64, &Self)]) -> Self {
        let none = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let scaled = parts.iter().map(|(weight, part)| **part * *weight);
        scaled.fold(none, |sum, part| sum + part)
    }

    fn settled(self) -> Self {
        self * (1.0 / self.length_squared().sqrt())
    }

    fn near(self, before: &Self) -> Self {
        if self.dot(*before) < 0.0 { -self } else { self }
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Self {
        slerp(*from, to.near(from), phase)
    }

    fn distance(&self, other: &Self) -> f64 {
        2.0 * (*self - other.near(self)).length_squared().sqrt()
    }

    fn size(&self) -> f64 {
        1.0
    }

    fn stored(&self) -> Quat {
        self.as_quat()
    }
}

/// Number by number.
impl Value for DMat4 {
    type Stored = Mat4;

    fn sum(parts: &[(f64, &Self)]) -> Self {
        let scaled = parts.iter().map(|(weight, part)| **part * *weight);
        scaled.fold(Self::ZERO, |sum, part| sum + part)
    }

    fn settled(self) -> Self {
        self
    }

    fn near(self, _before: &Self) -> Self {
        self
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Self {
        *from + (*to - *from) * phase
    }

    /// Of the axes; translations count by their own size, for they may be a thousand times as large.
    fn distance(&self, other: &Self) -> f64 {
        let apart = *self - *other;
        let reach = other.w_axis.truncate().size().max(1.0);
        largest(&DMat3::from_mat4(apart)).max(apart.w_axis.truncate().size() / reach)
    }

    fn size(&self) -> f64 {
        largest(&DMat3::from_mat4(*self))
    }

    fn stored(&self) -> Mat4 {
        self.as_mat4()
    }
}

/// One weight a morph target.
impl Value for Vec<f64> {
    type Stored = Vec<f32>;

    fn sum(parts: &[(f64, &Self)]) -> Self {
        let width = parts.first().map_or(0, |(_, part)| part.len());
        let at = |index: usize| parts.iter().map(move |(weight, part)| weight * part[index]);
        (0..width).map(|index| at(index).sum()).collect()
    }

    fn settled(self) -> Self {
        self
    }

    fn near(self, _before: &Self) -> Self {
        self
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Self {
        let pairs = from.iter().zip(to);
        pairs.map(|(from, to)| from + (to - from) * phase).collect()
    }

    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.iter().zip(other);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn size(&self) -> f64 {
        self.iter().map(|weight| weight.abs()).fold(0.0, f64::max)
    }

    fn stored(&self) -> Vec<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32")]
        self.iter().map(|weight| *weight as f32).collect()
    }
}

/// Below this angle (radians) the sines are their arguments: the relative error is angle²/6 < 2e-13.
const SMALL_ANGLE: f64 = 1e-6;

/// The great arc between two unit quaternions (K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH
/// 1985), with an angle that is accurate for small ones, too.
fn slerp(from: DQuat, to: DQuat, phase: f64) -> DQuat {
    let length = |q: DQuat| q.length_squared().sqrt();
    let angle = 2.0 * libm::atan2(length(from - to), length(from + to));
    let way = if angle < SMALL_ANGLE {
        from * (1.0 - phase) + to * phase
    } else {
        from * libm::sin((1.0 - phase) * angle) + to * libm::sin(phase * angle)
    };
    way.settled()
}
