//! Transforms of texture coordinates (`KHR_texture_transform`).

use glam::Vec2;

/// A transform of texture coordinates: scale, rotation and offset, in this order (`KHR_texture_transform`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UvTransform {
    /// Added last, in units of the texture's size.
    pub(super) offset: Vec2,
    /// In radians; counter-clockwise for the viewer, as v grows downwards.
    pub(super) rotation: f32,
    /// Factor per axis.
    pub(super) scale: Vec2,
}

impl UvTransform {
    /// No change.
    pub(super) const IDENTITY: Self = Self {
        offset: Vec2::ZERO,
        rotation: 0.0,
        scale: Vec2::ONE,
    };

    /// The transform of a point, computed in f64 and rounded once.
    pub(super) fn map(self) -> impl Fn(Vec2) -> Vec2 {
        let (sin, cos) = libm::sincos(f64::from(self.rotation));
        let (scale, offset) = (self.scale.as_dvec2(), self.offset.as_dvec2());
        move |uv| {
            let scaled = uv.as_dvec2() * scale;
            let rotated = glam::DVec2::new(
                cos * scaled.x + sin * scaled.y,
                cos * scaled.y - sin * scaled.x,
            );
            (rotated + offset).as_vec2()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn the_example_of_the_extension_shows_the_lower_left_quarter_rotated_clockwise() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: FRAC_PI_2,
            scale: Vec2::splat(0.5),
        }
        .map();
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let expected = [(0.0, 1.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0)];
        for (corner, expected) in corners.into_iter().zip(expected) {
            let found = map(Vec2::from(corner));
            assert!(
                found.abs_diff_eq(Vec2::from(expected), 1e-6),
                "{corner:?} is at {found}"
            );
        }
    }

    #[test]
    fn the_other_example_flips_the_texture_upside_down() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: 0.0,
            scale: Vec2::new(1.0, -1.0),
        }
        .map();
        assert_eq!(map(Vec2::new(0.25, 0.75)), Vec2::new(0.25, 0.25));
    }

    #[test]
    fn scale_comes_before_rotation() {
        let map = UvTransform {
            offset: Vec2::ZERO,
            rotation: FRAC_PI_2,
            scale: Vec2::new(2.0, 3.0),
        }
        .map();
        assert!(map(Vec2::ONE).abs_diff_eq(Vec2::new(3.0, -2.0), 1e-6));
    }
}
