//! Axis-aligned boxes.

use glam::{DVec3, Vec3};

use super::DeformedMesh;

/// The minimum axis-aligned box around points; non-finite points are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The minimum of each coordinate; infinite in an empty box.
    pub low: DVec3,
    /// The maximum of each coordinate; minus infinity in an empty box.
    pub high: DVec3,
}

impl Bounds {
    /// The box around no point.
    pub const EMPTY: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
    };

    /// The box around the finite ones of `points`.
    #[must_use]
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut bounds = Self::EMPTY;
        for point in points {
            bounds.include(point);
        }
        bounds
    }

    /// The box around the finite ones of `points`.
    #[must_use]
    pub fn of_f32<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        Self::of(points.into_iter().map(|point| point.as_dvec3()))
    }

    /// The box around the finite vertices of `meshes`, in world space.
    #[must_use]
    pub fn of_meshes<'a>(meshes: impl IntoIterator<Item = &'a DeformedMesh>) -> Self {
        Self::of_f32(meshes.into_iter().flat_map(|mesh| &mesh.positions))
    }

    /// Extends the box to contain `point`, if it is finite.
    pub fn include(&mut self, point: DVec3) {
        if point.is_finite() {
            self.low = self.low.min(point);
            self.high = self.high.max(point);
        }
    }

    /// The box around both.
    #[must_use]
    pub fn united(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether it contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// 0 for a single point or none; infinite if its square overflows.
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            (self.high - self.low).length()
        }
    }

    /// The size of a model, never 0: the diagonal of its visible meshes, or else of its joints. A model without extent
    /// has the size of its unit.
    #[must_use]
    pub fn size_of_model(points: Self, joints: Self) -> f64 {
        let is_usable = |size: &f64| size.is_finite() && *size > 0.0;
        let sizes = [points.diagonal(), joints.diagonal()];
        sizes.into_iter().find(is_usable).unwrap_or(1.0)
    }

    /// The largest coordinate by magnitude; 0 if empty.
    #[must_use]
    pub fn reach(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            self.low.abs().max(self.high.abs()).max_element()
        }
    }

    /// The eight corners, the lowest first and the highest last; the origin if empty.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        let ends = if self.is_empty() {
            [DVec3::ZERO; 2]
        } else {
            [self.low, self.high]
        };
        std::array::from_fn(|corner| {
            let end = |axis: usize| ends[(corner >> axis) & 1][axis];
            DVec3::new(end(0), end(1), end(2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: DVec3 = DVec3::splat(f64::NAN);

    #[test]
    fn nan_and_infinity_are_outside_every_box() {
        let bounds = Bounds::of([NOWHERE, DVec3::ONE, DVec3::INFINITY, DVec3::ZERO]);
        assert_eq!([bounds.low, bounds.high], [DVec3::ZERO, DVec3::ONE]);
        assert!((bounds.diagonal() - 3.0_f64.sqrt()).abs() < 1e-12);
        assert!(!bounds.is_empty());
    }

    #[test]
    fn a_model_has_the_size_of_its_points_or_joints_or_unit() {
        let [line, dot] = [
            Bounds::of([DVec3::ZERO, DVec3::X * 3.0]),
            Bounds::of([DVec3::X]),
        ];
        assert!((Bounds::size_of_model(line, dot) - 3.0).abs() < 1e-12);
        assert!((Bounds::size_of_model(dot, line) - 3.0).abs() < 1e-12);
        assert!((Bounds::size_of_model(Bounds::EMPTY, dot) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_has_no_size() {
        let nothing = Bounds::of([NOWHERE]);
        assert!(nothing.is_empty());
        assert_eq!(nothing, Bounds::EMPTY);
        assert!(nothing.diagonal() <= 0.0 && nothing.reach() <= 0.0);
        assert_eq!(nothing.corners(), [DVec3::ZERO; 8]);
    }

    #[test]
    fn corners_go_from_the_lowest_to_the_highest() {
        let (low, high) = (DVec3::new(-1.0, 2.0, -3.0), DVec3::new(4.0, 5.0, 6.0));
        let bounds = Bounds::of([DVec3::new(4.0, 2.0, 6.0), DVec3::new(-1.0, 5.0, -3.0)]);
        let corners = bounds.corners();
        assert_eq!([corners[0], corners[7]], [low, high]);
        assert_eq!(corners[1], DVec3::new(4.0, 2.0, -3.0));
        assert!((bounds.reach() - 6.0).abs() < 1e-12);
    }
}
