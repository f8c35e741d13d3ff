//! The model in its rest pose.

use glam::Vec3;

use crate::pose::{self, ModelPose};
use crate::rig::{Asset, DeformedMesh, SkinningOptions};
use crate::skinning::{self, SkinningError};

/// Where the model is in its rest pose, in world space.
#[derive(Debug)]
pub(in crate::lint) struct Rest {
    /// Every joint.
    pub(in crate::lint) pose: ModelPose,
    /// Around each instance; `None` for one without a vertex that is somewhere.
    pub(in crate::lint) boxes: Vec<Option<[Vec3; 2]>>,
    /// Of the box around all.
    pub(in crate::lint) diagonal: f64,
}

impl Rest {
    /// Of `asset`.
    pub(in crate::lint) fn of(asset: &Asset) -> Result<Self, SkinningError> {
        let pose = pose::model_pose(asset, &pose::rest(asset));
        let meshes = skinning::deform_positions(asset, &pose, &SkinningOptions::default())?;
        let boxes: Vec<_> = meshes.iter().map(|mesh| Extent::of(mesh).bounds).collect();
        let diagonal = boxes
            .iter()
            .flatten()
            .copied()
            .reduce(united)
            .map_or(0.0, diagonal);
        Ok(Self {
            pose,
            boxes,
            diagonal,
        })
    }
}

/// How far a mesh reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct Extent {
    /// Around the vertices that are somewhere; `None` if none is.
    pub(super) bounds: Option<[Vec3; 2]>,
    /// Whether all are.
    pub(super) finite: bool,
}

impl Extent {
    /// Of `mesh`, in world space.
    pub(in crate::lint) fn of(mesh: &DeformedMesh) -> Self {
        let places = mesh.positions.as_slice();
        // A number less itself is 0, unless it is none.
        let zero = places.iter().fold(Vec3::ZERO, |sum, p| sum + (*p - *p));
        let finite = zero == Vec3::ZERO;
        let bounds = if finite {
            around_finite(places)
        } else {
            let places = places.iter().filter(|place| place.is_finite());
            places.map(|place| [*place; 2]).reduce(united)
        };
        Self { bounds, finite }
    }
}

/// Four boxes are grown in turn, for one alone would have each vertex wait for the one before.
fn around_finite(places: &[Vec3]) -> Option<[Vec3; 2]> {
    let mut boxes = [[*places.first()?; 2]; 4];
    let fours = places.chunks_exact(4);
    for place in fours.remainder() {
        boxes[0] = united(boxes[0], [*place; 2]);
    }
    for four in fours {
        for (around, place) in boxes.iter_mut().zip(four) {
            *around = [around[0].min(*place), around[1].max(*place)];
        }
    }
    boxes.into_iter().reduce(united)
}

pub(super) fn united([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> [Vec3; 2] {
    [a.min(c), b.max(d)]
}

pub(super) fn diagonal([least, most]: [Vec3; 2]) -> f64 {
    (most.as_dvec3() - least.as_dvec3()).length()
}
