//! Random numbers that follow from a seed, the same on every machine.

use glam::{DQuat, Quat, Vec3};

/// A stream of random numbers.
///
/// # Reference
///
/// G. Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014 (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// The stream of case `case` of a run with `seed`.
    pub(super) fn of(seed: u64, case: u32) -> Self {
        let mut stream = Self(seed ^ u64::from(case).wrapping_mul(0xD1B5_4A32_D192_ED03));
        stream.next();
        stream
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to 1, without 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From -1 to 1.
    #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
    pub(super) fn signed(&mut self) -> f32 {
        (2.0 * self.unit() - 1.0) as f32
    }

    /// Below `count`, which must not be 0.
    #[expect(clippy::cast_possible_truncation, reason = "below a usize")]
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(super) fn rotation(&mut self) -> Quat {
        let parts = [(); 4].map(|()| f64::from(self.signed()));
        let rotation = DQuat::from_array(parts);
        let length = rotation.length_squared().sqrt();
        if length > 0.1 {
            (rotation * (1.0 / length)).as_quat()
        } else {
            Quat::IDENTITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fill_the_range_from_zero_to_one() {
        let mut random = Random::of(1, 0);
        let units: Vec<f64> = (0..1000).map(|_| random.unit()).collect();
        assert!(units.iter().all(|unit| (0.0..1.0).contains(unit)));
        for tenth in 0..10 {
            let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
            assert!(units.iter().any(|unit| range.contains(unit)), "{range:?}");
        }
    }
}
