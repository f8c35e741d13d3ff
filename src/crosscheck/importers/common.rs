//! The space that two models are compared in, and poses in it.

use glam::{DMat4, DVec3};

use super::tolerance;
use crate::pose::{self, Pose};
use crate::rig::{
    Asset, Bounds, DeformedMesh, LocalTransform, SkinningMethod, SkinningOptions, WeightPolicy,
};
use crate::skinning::{self, SkinningError};
use crate::units::Space;

/// A space to which both models are converted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Common {
    /// `common_from_world` of the first and the second importer.
    pub(super) from: [DMat4; 2],
    /// `None` if neither importer knows.
    pub(super) metres_per_unit: Option<f64>,
}

impl Common {
    /// The importers' space if both have the same, else +Y up and metres. If only one importer knows the unit, it is used for
    /// both.
    pub(super) fn of(spaces: [Space; 2]) -> Self {
        let [a, b] = spaces;
        let (unit_a, unit_b) = (
            a.metres_per_unit.or(b.metres_per_unit),
            b.metres_per_unit.or(a.metres_per_unit),
        );
        let is_same = a.up == b.up && a.front == b.front && unit_a == unit_b;
        if is_same {
            return Self {
                from: [DMat4::IDENTITY; 2],
                metres_per_unit: unit_a,
            };
        }
        let with = |space: Space, metres_per_unit| Space {
            metres_per_unit,
            ..space
        };
        let spaces = [with(a, unit_a), with(b, unit_b)];
        Self {
            from: spaces.map(|space| space.y_up_metres_from_self()),
            metres_per_unit: unit_a.map(|_| 1.0),
        }
    }
}

/// A model in a pose, in the common space.
pub(super) struct Posed {
    /// `parent_from_joint`, one per joint.
    pub(super) locals: Vec<DMat4>,
    /// `common_from_joint`, one per joint.
    pub(super) worlds: Vec<DMat4>,
    /// One list per instance.
    pub(super) morph_weights: Vec<Vec<f32>>,
}

impl Posed {
    /// Concatenates in f64, so that only the importers' rounding is compared.
    pub(super) fn new(asset: &Asset, pose: Pose, common_from_world: &DMat4) -> Self {
        let locals: Vec<DMat4> = pose.locals.iter().map(matrix).collect();
        let mut worlds: Vec<DMat4> = Vec::with_capacity(locals.len());
        for (joint, local) in asset.skeleton.nodes().iter().zip(&locals) {
            let parent = joint.parent.and_then(|parent| worlds.get(parent.index()));
            worlds.push(*parent.unwrap_or(common_from_world) * *local);
        }
        Self {
            locals,
            worlds,
            morph_weights: pose.morph_weights,
        }
    }
}

fn matrix(local: &LocalTransform) -> DMat4 {
    match local {
        LocalTransform::Trs(trs) => DMat4::from_scale_rotation_translation(
            trs.scale.as_dvec3(),
            trs.rotation.as_dquat(),
            trs.translation.as_dvec3(),
        ),
        LocalTransform::Matrix(matrix) => matrix.as_dmat4(),
    }
}

/// assimp does not read the skinning method, so the default is used for both; everything else that moves vertices is
/// compared.
const LINEAR: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::Normalize,
    max_influences: None,
    method: SkinningMethod::Linear,
};

/// Skinned positions of the vertices of all instances, one list per instance, in the common space.
pub(super) fn skinned(
    asset: &Asset,
    pose: &Pose,
    common_from_world: &DMat4,
) -> Result<Vec<Vec<DVec3>>, SkinningError> {
    let pose = pose::model_pose(asset, pose);
    let meshes = skinning::deform_positions(asset, &pose, &LINEAR)?;
    let points = |mesh: DeformedMesh| {
        let points = mesh.positions.into_iter();
        points.map(|point| common_from_world.transform_point3(point.as_dvec3()))
    };
    Ok(meshes
        .into_iter()
        .map(|mesh| points(mesh).collect())
        .collect())
}

/// The size of the model, and the precision of its positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Never 0.
    pub(super) diagonal: f64,
}

impl Scale {
    /// Computes it for a model that shows `points` in the rest pose and has joints at `joints`. A model without extent
    /// has the size of its unit.
    pub(super) fn of(points: Bounds, joints: Bounds) -> Self {
        let sizes = [points.diagonal(), joints.diagonal(), 1.0];
        let usable = |size: &f64| size.is_finite() && *size > 0.0;
        let diagonal = sizes.into_iter().find(usable).unwrap_or(1.0);
        Self { diagonal }
    }

    /// How far apart two positions with coordinates up to `reach` may be.
    pub(super) fn tolerance(self, reach: f64) -> f64 {
        let reach = if reach.is_finite() { reach } else { 0.0 };
        tolerance::positions(self.diagonal, reach)
    }
}

/// The distance of two points: 0 if neither is finite, infinite if one is not.
pub(super) fn distance(a: DVec3, b: DVec3) -> f64 {
    match (a.is_finite(), b.is_finite()) {
        (true, true) => (a - b).length(),
        (false, false) => 0.0,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SignedAxis;

    #[test]
    fn an_importer_that_converts_axes_meets_one_that_does_not() {
        let stated = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::MinusY,
            metres_per_unit: Some(0.01),
        };
        let common = Common::of([stated, Space::Y_UP_METRES]);
        let head = common.from[0].transform_point3(DVec3::new(0.0, 0.0, 180.0));
        assert!(head.abs_diff_eq(DVec3::new(0.0, 1.8, 0.0), 1e-12), "{head}");
        assert_eq!(common.from[1], DMat4::IDENTITY);
        assert_eq!(common.metres_per_unit, Some(1.0));
    }

    #[test]
    fn a_unit_that_only_one_importer_knows_is_the_others_too() {
        let inches = Space {
            metres_per_unit: Some(0.0254),
            ..Space::Y_UP
        };
        let common = Common::of([Space::Y_UP, inches]);
        assert_eq!(common.from, [DMat4::IDENTITY; 2]);
        assert_eq!(common.metres_per_unit, Some(0.0254));
    }

    #[test]
    fn nan_on_both_sides_is_equal() {
        let nan = DVec3::splat(f64::NAN);
        assert!(distance(nan, DVec3::INFINITY) <= 0.0);
        assert!(distance(nan, DVec3::ZERO).is_infinite());
    }
}
