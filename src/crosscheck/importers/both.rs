//! Both importers' models in one space, and which of their parts correspond.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};

use super::matching::{Key, Matching};
use super::morphs::MorphOrder;
use super::posed::{Posed, skinned};
use super::tolerance::Scale;
use super::tree::Tree;
use crate::pose::{self, Pose};
use crate::rig::{Asset, Bounds};
use crate::skinning::SkinningError;
use crate::units::Space;

/// What all stages compare.
pub(super) struct Both<'a> {
    pub(super) matching: Matching<'a>,
    pub(super) morphs: MorphOrder,
    /// `common_from_world` of each.
    pub(super) common_from: [DMat4; 2],
    /// The unit of the common space; `None` if neither importer knows.
    pub(super) metres_per_unit: Option<f64>,
    pub(super) scale: Scale,
    /// The rest poses.
    pub(super) rest: [Posed; 2],
}

impl<'a> Both<'a> {
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices to skin.
    pub(super) fn new(a: &'a Asset, b: &'a Asset) -> Result<Self, SkinningError> {
        let (common_from, metres_per_unit) = common([a.space, b.space]);
        let [rest_a, rest_b] = [a, b].map(pose::rest);
        let points = skinned(a, &rest_a, &common_from[0])?;
        let rest = [
            Posed::new(a, rest_a, &common_from[0]),
            Posed::new(b, rest_b, &common_from[1]),
        ];
        let joints = rest[0].worlds.iter().map(|world| world.w_axis.truncate());
        let points = Bounds::of(points.into_iter().flatten());
        let scale = Scale::of(points, Bounds::of(joints));
        let matching = Matching::new(Tree::new(a, b), Tree::new(b, a));
        Ok(Self {
            morphs: MorphOrder::new(&matching),
            matching,
            common_from,
            metres_per_unit,
            scale,
            rest,
        })
    }

    pub(super) fn asset(&self, side: usize) -> &'a Asset {
        self.matching.trees[side].asset
    }

    /// A pose of importer `side`'s model, in the common space.
    pub(super) fn posed(&self, side: usize, pose: Pose) -> Posed {
        Posed::new(self.asset(side), pose, &self.common_from[side])
    }

    /// The morph weights of both, as [`MorphOrder::weights`] sorts them.
    pub(super) fn morph_weights(&self, posed: &[Posed; 2]) -> [BTreeMap<Key, Vec<f32>>; 2] {
        [0, 1].map(|side| {
            let weights = &posed[side].morph_weights;
            self.morphs.weights(&self.matching, side, weights)
        })
    }

    /// As [`skinned`], for importer `side`'s model.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices.
    pub(super) fn skinned(
        &self,
        side: usize,
        pose: &Pose,
    ) -> Result<Vec<Vec<DVec3>>, SkinningError> {
        skinned(self.asset(side), pose, &self.common_from[side])
    }
}

/// `common_from_world` of each importer, and the unit of the common space: the importers' space if both have the same, else
/// +Y up and metres.
fn common(spaces: [Space; 2]) -> ([DMat4; 2], Option<f64>) {
    let [a, b] = Space::with_shared_unit(spaces);
    if a == b {
        return ([DMat4::IDENTITY; 2], a.metres_per_unit);
    }
    (
        [a, b].map(|space| space.y_up_metres_from_self()),
        a.metres_per_unit.map(|_| 1.0),
    )
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
        let (from, metres_per_unit) = common([stated, Space::Y_UP_METRES]);
        let head = from[0].transform_point3(DVec3::new(0.0, 0.0, 180.0));
        assert!(head.abs_diff_eq(DVec3::new(0.0, 1.8, 0.0), 1e-12), "{head}");
        assert_eq!(from[1], DMat4::IDENTITY);
        assert_eq!(metres_per_unit, Some(1.0));
    }

    #[test]
    fn a_unit_that_only_one_importer_knows_is_the_others_too() {
        let inches = Space {
            metres_per_unit: Some(0.0254),
            ..Space::Y_UP
        };
        let both = ([DMat4::IDENTITY; 2], Some(0.0254));
        assert_eq!(common([Space::Y_UP, inches]), both);
    }
}
