//! The sizes of everything that can deform, measured in every pose: enough to rule out most faults.

use glam::Vec3;

use crate::lint::analysis::deformation::pliant::Pliant;

/// A triangle as bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct AsBound {
    /// Of twice its area.
    pub(in crate::lint) square: f32,
    /// 1 over the squares of the lengths of its sides, the first from corner 0 to 1; 0 of one without a length.
    over_sides: [f32; 3],
}

/// A triangle in a pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct InPose {
    /// A vector across it, as long as twice its area.
    pub(in crate::lint) across: Vec3,
    /// Of the length of that.
    pub(in crate::lint) square: f32,
    /// How many times as long as bound the side is that is stretched most; the square of that. Sides that are NaN do not
    /// count.
    pub(in crate::lint) stretch: f32,
}

/// The triangles of `pliant`, in order, the vertices of their mesh at `places`.
pub(in crate::lint) fn as_bound(pliant: &Pliant, places: &[Vec3]) -> Vec<AsBound> {
    let over = |square: f32| if square > 0.0 { 1.0 / square } else { 0.0 };
    let corners = pliant.corners.iter();
    corners
        .map(|corners| {
            let sides = Sides::of(*corners, places);
            AsBound {
                square: sides.across().length_squared(),
                over_sides: sides.squares().map(over),
            }
        })
        .collect()
}

/// The same in a pose.
///
/// * `bound` – of [`as_bound`].
/// * `places` – one a kind of vertex.
pub(in crate::lint) fn in_pose(pliant: &Pliant, bound: &[AsBound], places: &[Vec3]) -> Vec<InPose> {
    let triangles = pliant.kinds.iter().zip(bound);
    triangles
        .map(|(corners, bound)| {
            let sides = Sides::of(*corners, places);
            let (across, [ab, bc, ca]) = (sides.across(), sides.squares());
            let [of_ab, of_bc, of_ca] = bound.over_sides;
            InPose {
                across,
                square: across.length_squared(),
                stretch: larger(ab * of_ab, larger(bc * of_bc, larger(ca * of_ca, 0.0))),
            }
        })
        .collect()
}

/// The larger of both; one instruction, unlike `max`, which tests for NaN twice.
#[inline]
fn larger(number: f32, than: f32) -> f32 {
    if number > than { number } else { than }
}

/// The sides of a triangle.
struct Sides {
    ab: Vec3,
    bc: Vec3,
    ac: Vec3,
}

impl Sides {
    #[inline]
    fn of([a, b, c]: [u32; 3], places: &[Vec3]) -> Self {
        let (a, b, c) = (places[a as usize], places[b as usize], places[c as usize]);
        Self {
            ab: b - a,
            bc: c - b,
            ac: c - a,
        }
    }

    /// As [`across`](super::shape::across) has it.
    #[inline]
    fn across(&self) -> Vec3 {
        self.ab.cross(self.ac)
    }

    /// Of their lengths, the first from corner 0 to 1.
    #[inline]
    fn squares(&self) -> [f32; 3] {
        [
            self.ab.length_squared(),
            self.bc.length_squared(),
            self.ac.length_squared(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pliant() -> Pliant {
        Pliant {
            corners: vec![[0, 1, 2]],
            kinds: vec![[0, 1, 2]],
            ..Pliant::default()
        }
    }

    /// Stretched along x to `stretch` times.
    fn stretched(corners: [Vec3; 3], stretch: f32) -> InPose {
        let bound = as_bound(&pliant(), &corners);
        let posed = corners.map(|place| place * Vec3::new(stretch, 1.0, 1.0));
        in_pose(&pliant(), &bound, &posed)[0]
    }

    #[track_caller]
    fn is_about(actual: f32, expected: f32) {
        assert!((actual - expected).abs() < 1e-6, "{actual} != {expected}");
    }

    #[test]
    fn the_side_that_is_stretched_most_counts() {
        let sizes = stretched([Vec3::ZERO, Vec3::X, Vec3::Y], 3.0);
        assert_eq!(sizes.across, Vec3::Z * 3.0);
        is_about(sizes.square, 9.0);
        is_about(sizes.stretch, 9.0);
    }

    #[test]
    fn sides_without_a_length_are_not_stretched() {
        let sizes = stretched([Vec3::X, Vec3::X, Vec3::Y], 3.0);
        is_about(sizes.stretch, 5.0);
        is_about(stretched([Vec3::X; 3], 3.0).stretch, 0.0);
    }

    #[test]
    fn a_corner_that_is_nowhere_hides_no_other() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let bound = as_bound(&pliant(), &corners);
        let posed = [Vec3::ZERO, Vec3::X * 3.0, Vec3::NAN];
        is_about(in_pose(&pliant(), &bound, &posed)[0].stretch, 9.0);
    }
}
