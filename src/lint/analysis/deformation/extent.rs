//! The extent of a mesh in a pose.

use glam::Vec3;

use crate::rig::Bounds;

/// The extent of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct Extent {
    /// Around the finite vertices.
    pub(in crate::lint) bounds: Bounds,
    /// Whether all vertices are finite.
    pub(in crate::lint) finite: bool,
}

impl Extent {
    /// The extent of the vertices at `positions`.
    pub(in crate::lint) fn of(positions: &[Vec3]) -> Self {
        let (bounds, finite) = around(positions);
        Self {
            bounds: if finite {
                bounds
            } else {
                Bounds::of_f32(positions)
            },
            finite,
        }
    }
}

/// Vertices per step: twelve numbers, which fill three registers of four.
const AT_ONCE: usize = 4;

/// Whether all `positions` are finite, and the box around them if they are.
///
/// Each lane keeps extremes of its own, so that the loop has no dependency between lanes and compiles to vector instructions.
fn around(positions: &[Vec3]) -> (Bounds, bool) {
    let (groups, last) = positions.as_chunks::<AT_ONCE>();
    let mut lows = [[f32::INFINITY; 3]; AT_ONCE];
    let mut highs = [[f32::NEG_INFINITY; 3]; AT_ONCE];
    let mut zeros = [[0.0; 3]; AT_ONCE];
    let mut take = |lane: usize, position: &Vec3| {
        let position = position.to_array();
        for axis in 0..3 {
            let (low, high) = (&mut lows[lane][axis], &mut highs[lane][axis]);
            *low = if position[axis] < *low {
                position[axis]
            } else {
                *low
            };
            *high = if position[axis] > *high {
                position[axis]
            } else {
                *high
            };
            // 0 for a finite number, NaN for others; NaN stays in the sum.
            zeros[lane][axis] += position[axis] * 0.0;
        }
    };
    for group in groups {
        for (lane, position) in group.iter().enumerate() {
            take(lane, position);
        }
    }
    for position in last {
        take(0, position);
    }
    let low = lows.map(Vec3::from).into_iter().reduce(Vec3::min);
    let high = highs.map(Vec3::from).into_iter().reduce(Vec3::max);
    let bounds = Bounds {
        low: low.unwrap_or(Vec3::INFINITY).as_dvec3(),
        high: high.unwrap_or(Vec3::NEG_INFINITY).as_dvec3(),
    };
    (bounds, zeros == [[0.0; 3]; AT_ONCE])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::strategies::vectors;

    proptest! {
        #[test]
        fn the_box_holds_all_finite_positions(mut positions in prop::collection::vec(vectors(9.0), 0..20), bad in any::<bool>()) {
            let expected = Bounds::of_f32(&positions);
            if bad {
                positions.insert(positions.len() / 2, Vec3::new(0.0, f32::INFINITY, 0.0));
            }
            let extent = Extent::of(&positions);
            prop_assert_eq!((extent.bounds, extent.finite), (expected, !bad));
        }
    }
}
