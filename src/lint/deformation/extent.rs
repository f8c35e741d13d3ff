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
        // A number times 0 is 0, unless it is none.
        let zero = places.iter().fold(Vec3::ZERO, |sum, p| sum + *p * 0.0);
        let finite = zero == Vec3::ZERO;
        let bounds = if finite {
            Bounds::of_f32(&around(places))
        } else {
            Bounds::of_f32(places)
        };
        Self { bounds, finite }
    }
}

/// Two corners of the box around `places`, or none. Four boxes are grown in turn, for one alone would have each vertex wait
/// for the one before.
fn around(places: &[Vec3]) -> Vec<Vec3> {
    let Some(first) = places.first() else {
        return Vec::new();
    };
    let mut boxes = [[*first; 2]; 4];
    let fours = places.chunks_exact(4);
    for place in fours.remainder() {
        boxes[0] = grown(boxes[0], *place);
    }
    for four in fours {
        for (around, place) in boxes.iter_mut().zip(four) {
            *around = grown(*around, *place);
        }
    }
    boxes.concat()
}

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
