//! How far a mesh reaches in a pose.

use glam::Vec3;

use crate::rig::{Bounds, DeformedMesh};

/// How far a mesh reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct Extent {
    /// Around the vertices that are somewhere.
    pub(super) bounds: Bounds,
    /// Whether all are.
    pub(super) finite: bool,
}

impl Extent {
    /// Of `mesh`, in world space.
    pub(in crate::lint) fn of(mesh: &DeformedMesh) -> Self {
        let places = mesh.positions.as_slice();
        let (bounds, finite) = around(places);
        Self {
            bounds: if finite {
                bounds
            } else {
                Bounds::of_f32(places)
            },
            finite,
        }
    }
}

/// The box around `places`, if all are finite, and whether they are. Two boxes are grown in turn, for one alone would have
/// each vertex wait for the one before.
fn around(places: &[Vec3]) -> (Bounds, bool) {
    let mut boxes = [[Vec3::INFINITY, Vec3::NEG_INFINITY]; 2];
    let mut zeros = [Vec3::ZERO; 2];
    // Spelled out: iterators over pairs are not inlined, and take most of the time.
    let (pairs, last) = places.as_chunks::<2>();
    for [a, b] in pairs {
        boxes = [grown(boxes[0], *a), grown(boxes[1], *b)];
        // A number times 0 is 0, unless it is none.
        zeros = [zeros[0] + *a * 0.0, zeros[1] + *b * 0.0];
    }
    for place in last {
        boxes[0] = grown(boxes[0], *place);
        zeros[0] += *place * 0.0;
    }
    let bounds = Bounds {
        low: boxes[0][0].min(boxes[1][0]).as_dvec3(),
        high: boxes[0][1].max(boxes[1][1]).as_dvec3(),
    };
    (bounds, zeros[0] + zeros[1] == Vec3::ZERO)
}

#[inline]
fn grown([low, high]: [Vec3; 2], place: Vec3) -> [Vec3; 2] {
    [low.min(place), high.max(place)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::InstanceId;

    fn extent(positions: Vec<Vec3>) -> Extent {
        Extent::of(&DeformedMesh {
            instance: InstanceId(0),
            positions,
            normals: vec![],
            tangents: vec![],
            bitangents: vec![],
        })
    }

    proptest! {
        #[test]
        fn the_box_is_that_of_all_places(places in prop::collection::vec(prop::array::uniform3(-9.0_f32..9.0), 0..20), bad in any::<bool>()) {
            let mut places: Vec<Vec3> = places.into_iter().map(Vec3::from).collect();
            let expected = Bounds::of_f32(&places);
            if bad {
                places.insert(places.len() / 2, Vec3::new(0.0, f32::INFINITY, 0.0));
            }
            let extent = extent(places);
            prop_assert_eq!((extent.bounds, extent.finite), (expected, !bad));
        }
    }
}
