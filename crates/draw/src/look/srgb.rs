//! Between sRGB bytes and linear light, by tables that are exact in both directions.

use std::sync::LazyLock;

use glam::{Vec3, Vec4};

/// Parts of 0..1 whose first byte is known in advance. Thresholds are at least 1/3294 apart, so that no part holds two.
pub(crate) const BUCKETS: usize = 4096;

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(linear_from_srgb));
static NUMBERS: LazyLock<Tables> = LazyLock::new(|| Tables::new(|value| value));

/// Both directions. Get it once and keep the reference: the first use computes it.
#[derive(Debug)]
pub struct Tables {
    linear: [f32; 256],
    alpha: [f32; 256],
    /// `thresholds[c]` is the least light that rounds to a byte greater than `c`.
    thresholds: [f32; 256],
    /// Three more than there are, so that a kernel may read four bytes at each.
    first: [u8; BUCKETS + 4],
}

/// The shared tables.
#[must_use]
pub fn tables() -> &'static Tables {
    &TABLES
}

/// The tables of bytes that are no light but numbers, such as normals: a byte is 0..1 evenly.
#[must_use]
pub fn numbers() -> &'static Tables {
    &NUMBERS
}

impl Tables {
    /// * `curve` – from 0..1 of a byte to 0..1 of what it stands for.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "rounded to f32 on purpose"
    )]
    fn new(curve: fn(f64) -> f64) -> Self {
        let at = |value: f64| curve(value / 255.0) as f32;
        let mut tables = Self {
            linear: std::array::from_fn(|code| at(code as f64)),
            alpha: std::array::from_fn(|code| code as f32 / 255.0),
            thresholds: std::array::from_fn(|code| at(code as f64 + 0.5)),
            first: [0; BUCKETS + 4],
        };
        tables.thresholds[255] = f32::INFINITY;
        tables.first = std::array::from_fn(|bucket| {
            let light = (bucket as f64 / BUCKETS as f64) as f32;
            tables.thresholds.partition_point(|&least| light >= least) as u8
        });
        tables
    }

    /// Linear light (0..1) of an sRGB byte.
    #[inline]
    #[must_use]
    pub fn decode(&self, code: u8) -> f32 {
        self.linear[usize::from(code)]
    }

    /// Linear light (0..1) of every sRGB byte.
    #[must_use]
    pub fn light(&self) -> &[f32; 256] {
        &self.linear
    }

    /// What [`encode`](Self::encode) reads: the first byte of each part of 0..1, and the thresholds.
    #[must_use]
    pub(crate) fn codes(&self) -> (&[u8; BUCKETS + 4], &[f32; 256]) {
        (&self.first, &self.thresholds)
    }

    /// The opacity (0..1) of a byte of alpha.
    #[inline]
    #[must_use]
    pub fn alpha(&self, code: u8) -> f32 {
        self.alpha[usize::from(code)]
    }

    /// Linear light and opacity of a pixel (sRGB, straight alpha).
    #[inline]
    #[must_use]
    pub fn straight(&self, [r, g, b, a]: [u8; 4]) -> [f32; 4] {
        [
            self.decode(r),
            self.decode(g),
            self.decode(b),
            self.alpha(a),
        ]
    }

    /// Linear, premultiplied colour of a pixel (sRGB, straight alpha).
    #[must_use]
    pub fn premultiplied(&self, [r, g, b, a]: [u8; 4]) -> Vec4 {
        let alpha = self.alpha(a);
        let light = Vec3::from([r, g, b].map(|channel| self.decode(channel)));
        (light * alpha).extend(alpha)
    }

    /// The pixel (sRGB, straight alpha) nearest to `color`: linear, premultiplied.
    #[inline]
    #[must_use]
    pub fn pixel(&self, color: Vec4) -> [u8; 4] {
        let alpha = color.w;
        if alpha <= 0.0 {
            return [0; 4];
        }
        let straight = match alpha {
            1.0 => color.truncate(),
            _ => color.truncate() / alpha,
        };
        let code = |light: f32| self.encode(light);
        [
            code(straight.x),
            code(straight.y),
            code(straight.z),
            unorm(alpha),
        ]
    }

    /// The sRGB byte nearest to `light`; 0 for negative numbers and NaN, 255 above 1.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the conversion saturates, and NaN becomes 0"
    )]
    #[must_use]
    pub fn encode(&self, light: f32) -> u8 {
        let bucket = (light * BUCKETS as f32) as u32 as usize;
        let code = self.first[bucket.min(BUCKETS)];
        // No bucket holds two thresholds, and the last threshold is infinite.
        code.saturating_add(u8::from(light >= self.thresholds[usize::from(code)]))
    }
}

/// The nearest byte to `value` in 0..1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
#[must_use]
pub fn unorm(value: f32) -> u8 {
    (value * 255.0 + 0.5) as u8
}

/// # Reference
///
/// IEC 61966-2-1, the sRGB transfer function.
fn linear_from_srgb(value: f64) -> f64 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        libm::pow((value + 0.055) / 1.055, 2.4)
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "numbers of a test")]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_there_and_back() {
        for code in 0..=u8::MAX {
            assert_eq!(tables().encode(tables().decode(code)), code);
        }
    }

    #[test]
    fn no_bucket_holds_two_thresholds() {
        let steps = tables().first.windows(2);
        assert!(steps.clone().all(|pair| pair[1] - pair[0] <= 1));
        assert_eq!(tables().first[BUCKETS], u8::MAX);
    }

    #[test]
    fn light_rounds_to_the_nearest_byte() {
        for step in 0..100_000_u32 {
            let light = f64::from(step) / 100_000.0;
            let exact = if light <= 0.003_130_8 {
                light * 12.92
            } else {
                1.055 * libm::pow(light, 1.0 / 2.4) - 0.055
            } * 255.0;
            let code = f64::from(tables().encode(light as f32));
            // A byte and a half covers the rounding of `light` itself to f32.
            assert!(
                (code - exact).abs() < 0.5 + 1e-4,
                "{light}: {code} != {exact}"
            );
        }
    }

    #[test]
    fn light_out_of_range_is_black_or_white() {
        for light in [f32::NAN, -1.0, f32::NEG_INFINITY] {
            assert_eq!(tables().encode(light), 0);
        }
        for light in [1.0, 1.5, f32::INFINITY] {
            assert_eq!(tables().encode(light), 255);
        }
    }
}
