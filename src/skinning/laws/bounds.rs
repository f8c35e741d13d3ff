//! Laws of the rounding bound.

use super::*;
use crate::skinning::bound::{MeshBound, Underflow};

/// Stands in for [`bound::rounding`].
type Bound = fn(&Asset, &ModelPose) -> Vec<MeshBound>;

/// The bound allows for rounding and nothing else. Over these rigs, with vertices up to 12 from the origin, it is at
/// most 1.9e-5: 30 roundings of that distance, each by 2^-24.
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
    bound::rounding(asset, pose, &NORMALIZED, Underflow::Gradual)
        .expect("the rigs of the laws are whole")
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
fn a_bound_of_whole_units_in_the_last_place_instead_of_halves_is_caught() {
    let twice: Bound = |asset, pose| each_bound(asset, pose, |bound| 2.0 * bound);
    assert!(rounding_is_all_that_is_explained(twice).is_err());
}

#[test]
fn a_tolerance_instead_of_a_bound_is_caught() {
    let tolerance: Bound = |asset, pose| each_bound(asset, pose, |_| 1e-4);
    assert!(rounding_is_all_that_is_explained(tolerance).is_err());
}

#[test]
fn a_bound_of_nothing_is_caught() {
    let nothing: Bound = |asset, pose| each_bound(asset, pose, |_| 0.0);
    assert!(rounding_is_all_that_is_explained(nothing).is_err());
}

/// Skins as a shader may: each influence moves the vertex on its own, through joint space, and weights are divided
/// last.
fn vertex_by_vertex(asset: &Asset, pose: &ModelPose, divided: bool) -> Vec<DeformedMesh> {
    let mut meshes = real(asset, pose, &NORMALIZED);
    let (mesh, skin) = (&asset.meshes[0], &asset.skins[0]);
    for (vertex, position) in meshes[0].positions.iter_mut().enumerate() {
        let influences = mesh.influences.of(vertex);
        let total: f32 = influences.iter().map(|influence| influence.weight).sum();
        if total == 0.0 {
            continue;
        }
        let mut sum = Vec3::ZERO;
        for influence in influences {
            let slot = influence.joint.index();
            let world = pose.joints[skin.joints[slot].index()];
            let in_joint =
                skin.inverse_bind_matrices[slot].transform_point3(mesh.positions[vertex]);
            sum += world.transform_point3(in_joint) * influence.weight;
        }
        *position = if divided { sum / total } else { sum };
    }
    meshes
}

/// As the law of the bound, for rigs whose targets are at rest.
fn another_order_is_within_the_bound(divided: bool) -> Verdict<PosedRig> {
    check(&posed_rigs(), |mut rig| {
        let mut pose = rig.model_pose();
        pose.morph_weights.clear();
        let instances = rig.asset.instances.iter_mut();
        instances.for_each(|instance| instance.morph_weights.fill(0.0));
        let fast = vertex_by_vertex(&rig.asset, &pose, divided);
        let exact = reference::deform(&rig.asset, &pose, &NORMALIZED).expect("as the fast one");
        let bound = ROUNDING(&rig.asset, &pose);
        within(&fast[0].positions, &exact[0].positions, &bound[0].positions)
    })
}

#[test]
fn the_bound_holds_for_another_order_of_operations() {
    another_order_is_within_the_bound(true).unwrap();
    assert!(another_order_is_within_the_bound(false).is_err());
}

#[test]
fn where_f32_may_overflow_nothing_is_promised() {
    let verdict = check(&posed_rigs(), |mut rig| {
        let positions = rig
            .asset
            .meshes
            .iter_mut()
            .flat_map(|mesh| &mut mesh.positions);
        positions.for_each(|position| *position *= f32::MAX / 16.0);
        let pose = rig.model_pose();
        let fast = real(&rig.asset, &pose, &NORMALIZED);
        let exact = reference::deform(&rig.asset, &pose, &NORMALIZED).expect("as the fast one");
        for ((fast, exact), bound) in fast.iter().zip(&exact).zip(ROUNDING(&rig.asset, &pose)) {
            for ((fast, exact), bound) in fast
                .positions
                .iter()
                .zip(&exact.positions)
                .zip(bound.positions)
            {
                let kept = bound == f64::INFINITY || fast.as_dvec3().distance(*exact) <= bound;
                prop_assert!(kept, "{} != {}", fast, exact);
            }
        }
        Ok(())
    });
    verdict.unwrap();
}
