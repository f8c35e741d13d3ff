//! What the bound of rounding may be.

use super::*;
use crate::skinning::bound::MeshBound;

/// What rounding explains, in the place of [`bound::rounding`].
type Bound = fn(&Asset, &ModelPose) -> Vec<MeshBound>;

/// The bound explains rounding and nothing else. It is 2.2e-5 at the most over these rigs, whose vertices are up to 12
/// from the origin: 30 roundings of that, each by 2^-24.
fn rounding_is_all_that_is_explained(bound: Bound) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        for bound in bound(&rig.asset, &rig.model_pose()) {
            let largest = bound.positions.iter().copied().fold(0.0, f64::max);
            prop_assert!(largest > 0.0 && largest < 2.5e-5, "{}", largest);
        }
        Ok(())
    })
}

const ROUNDING: Bound = |asset, pose| {
    bound::rounding(asset, pose, &NORMALIZED).expect("the rigs of the laws are whole")
};

#[test]
fn the_bound_is_small() {
    rounding_is_all_that_is_explained(ROUNDING).unwrap();
}

fn each_bound(asset: &Asset, pose: &ModelPose, change: fn(f64) -> f64) -> Vec<MeshBound> {
    let mut bounds = ROUNDING(asset, pose);
    let positions = bounds.iter_mut().flat_map(|bound| &mut bound.positions);
    positions.for_each(|bound| *bound = change(*bound));
    bounds
}

#[test]
fn a_bound_of_whole_units_in_the_last_place_in_place_of_halves_is_caught() {
    let twice: Bound = |asset, pose| each_bound(asset, pose, |bound| 2.0 * bound);
    assert!(rounding_is_all_that_is_explained(twice).is_err());
}

#[test]
fn a_tolerance_in_place_of_a_bound_is_caught() {
    let tolerance: Bound = |asset, pose| each_bound(asset, pose, |_| 1e-4);
    assert!(rounding_is_all_that_is_explained(tolerance).is_err());
}

#[test]
fn a_bound_of_nothing_is_caught() {
    let nothing: Bound = |asset, pose| each_bound(asset, pose, |_| 0.0);
    assert!(rounding_is_all_that_is_explained(nothing).is_err());
}
