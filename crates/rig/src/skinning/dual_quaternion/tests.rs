//! What dual quaternions do, and whether mistakes in them would be seen.

use std::num::NonZeroU32;

use glam::{DVec3, Quat};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;
use crate::pose::rigs::{PosedRig, posed_rigs};
use crate::rig::{Asset, Blending, DeformedMesh, Influences, SkinningMethod, WeightPolicy};
use crate::skinning::bound::{self, Underflow};
use crate::skinning::{deform, reference};
use crate::units::law::check;

const DUAL: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::Normalize,
    max_influences: None,
    method: SkinningMethod::DualQuaternion,
};

/// Every result is within the bound of the reference.
fn within_the_bound(rig: &PosedRig, options: SkinningOptions) -> Result<(), TestCaseError> {
    let pose = rig.model_pose();
    let fast = deform(&rig.asset, &pose, &options).expect("the rig is whole");
    let exact = reference::deform(&rig.asset, &pose, &options).expect("the rig is whole");
    let bounds = bound::rounding(&rig.asset, &pose, &options, Underflow::Gradual);
    for ((fast, exact), bound) in fast
        .iter()
        .zip(&exact)
        .zip(&bounds.expect("the rig is whole"))
    {
        let lists = [
            (&fast.positions, &exact.positions, &bound.positions),
            (&fast.normals, &exact.normals, &bound.normals),
            (&fast.tangents, &exact.tangents, &bound.tangents),
            (&fast.bitangents, &exact.bitangents, &bound.bitangents),
        ];
        for (list, (fast, exact, bound)) in lists.into_iter().enumerate() {
            prop_assert_eq!(fast.len(), exact.len());
            for (vertex, (fast, exact)) in fast.iter().zip(exact).enumerate() {
                let off = fast.as_dvec3().distance(*exact);
                let near = off <= bound[vertex];
                prop_assert!(
                    near,
                    "list {list}, vertex {vertex}: {fast} != {exact}, {off} > {}",
                    bound[vertex]
                );
            }
        }
    }
    Ok(())
}

#[test]
fn all_attributes_are_within_the_bound_of_the_reference() {
    let verdict = check(&posed_rigs(), |rig| {
        for limit in [None, NonZeroU32::new(2)] {
            for weights in [WeightPolicy::Normalize, WeightPolicy::AsIs] {
                let options = SkinningOptions {
                    weights,
                    max_influences: limit,
                    ..DUAL
                };
                within_the_bound(&rig, options)?;
            }
        }
        Ok(())
    });
    verdict.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn shares_of_both_methods_are_within_the_bound_of_the_reference() {
    let rigs = (posed_rigs(), prop::collection::vec(0.0_f32..=1.0, 12));
    let verdict = check(&rigs, |(mut rig, shares)| {
        rig.asset.meshes[0].blending = Blending::Mixed(shares);
        within_the_bound(&rig, SkinningOptions::default())
    });
    verdict.unwrap_or_else(|error| panic!("{error}"));
}

/// Rounding moves no vertex of these rigs by more than 1e-2 where anything is promised, and something is promised for most.
#[test]
fn the_bound_promises_something() {
    let (mut all, mut small) = (0, 0);
    let mut runner = TestRunner::deterministic();
    for _ in 0..50 {
        let rig = posed_rigs()
            .new_tree(&mut runner)
            .expect("it rejects nothing")
            .current();
        let bounds = bound::rounding(&rig.asset, &rig.model_pose(), &DUAL, Underflow::Gradual);
        for bound in bounds
            .expect("the rig is whole")
            .iter()
            .flat_map(|mesh| &mesh.positions)
        {
            all += 1;
            small += usize::from(*bound < 1e-2);
        }
    }
    assert!(small * 10 > all * 9, "{small} of {all}");
}

/// Two joints at the origin, the second rotated by a right angle about z, and a vertex halfway between them.
fn twisted(weights: [f32; 2]) -> (Asset, crate::pose::ModelPose) {
    let mut rig = crate::rig::AssetBuilder::new();
    let quarter = Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt());
    let joints =
        [0, 1].map(|index| rig.node(&format!("joint {index}"), None, crate::rig::Trs::IDENTITY));
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::X],
        normals: vec![Vec3::X],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(joints[0], weights[0]), (joints[1], weights[1])]]);
    let asset = rig.build().expect("it is whole");
    let mut pose = crate::pose::bind(&asset);
    pose.nodes[joints[1].index()] = Mat4::from_quat(quarter);
    (asset, pose)
}

fn skinned(asset: &Asset, pose: &crate::pose::ModelPose, method: SkinningMethod) -> DeformedMesh {
    let options = SkinningOptions { method, ..DUAL };
    deform(asset, pose, &options)
        .expect("the rig is whole")
        .remove(0)
}

#[test]
fn a_twist_keeps_its_radius() {
    let (asset, pose) = twisted([0.5, 0.5]);
    let dual = skinned(&asset, &pose, SkinningMethod::DualQuaternion);
    let diagonal = Vec3::new(0.5_f32.sqrt(), 0.5_f32.sqrt(), 0.0);
    assert!(
        dual.positions[0].abs_diff_eq(diagonal, 1e-6),
        "{}",
        dual.positions[0]
    );
    assert!(dual.normals[0].abs_diff_eq(diagonal, 1e-6));
    let linear = skinned(&asset, &pose, SkinningMethod::Linear);
    assert!(linear.positions[0].abs_diff_eq(Vec3::new(0.5, 0.5, 0.0), 1e-6));
}

#[test]
fn a_share_blends_both_results() {
    let (mut asset, pose) = twisted([0.5, 0.5]);
    let ends = [SkinningMethod::Linear, SkinningMethod::DualQuaternion];
    let [linear, dual] = ends.map(|method| skinned(&asset, &pose, method).positions[0]);
    asset.meshes[0].blending = Blending::Mixed(vec![0.25]);
    let mixed = skinned(&asset, &pose, SkinningMethod::AsInFile);
    assert!(mixed.positions[0].abs_diff_eq(linear.lerp(dual, 0.25), 1e-6));
}

#[test]
fn either_sign_of_a_rotation_gives_the_same_vertex() {
    let (asset, pose) = twisted([0.75, 0.25]);
    let instance = |flipped: Option<usize>| {
        let mut slots: Vec<Slot> = asset.skins[0]
            .joints
            .iter()
            .map(|joint| Slot::of(&pose[*joint]))
            .collect();
        if let Some(flipped) = flipped {
            let rotation = &mut slots[flipped].rotation;
            (rotation.vector, rotation.scalar) = (-rotation.vector, -rotation.scalar);
        }
        let dual = DualQuaternions {
            mesh: &asset.meshes[0],
            options: DUAL,
            slots,
            world_from_node: Mat4::IDENTITY,
        };
        dual.moved(0, Vec3::X).position
    };
    assert_eq!(instance(Some(0)), instance(None));
    assert_eq!(instance(Some(1)), instance(None));
}

#[test]
fn a_joint_scaled_to_nothing_carries_its_vertices_along() {
    let (asset, mut pose) = twisted([0.5, 0.5]);
    pose.nodes[1] = Mat4::from_scale_rotation_translation(Vec3::ZERO, Quat::IDENTITY, Vec3::Y);
    let dual = skinned(&asset, &pose, SkinningMethod::DualQuaternion);
    assert_eq!(dual.positions[0], Vec3::new(0.5, 0.5, 0.0));
}

#[test]
fn weights_that_cancel_are_blended_linearly() {
    let (mut asset, mut pose) = twisted([1.0, 1.0]);
    let influences = [(0, 1.0), (1, -1.0)].map(|(joint, weight)| Influence {
        slot: crate::rig::SkinSlot(joint),
        weight,
    });
    asset.meshes[0].influences = Influences::from_vertices([influences]);
    pose.nodes[1] = Mat4::IDENTITY;
    let options = SkinningOptions {
        weights: WeightPolicy::AsIs,
        ..DUAL
    };
    let meshes = deform(&asset, &pose, &options).expect("the rig is whole");
    assert_eq!(meshes[0].positions, [Vec3::ZERO]);
}

#[test]
fn the_rotation_of_a_matrix_is_that_of_its_polar_decomposition() {
    let rotation = DQuat::from_xyzw(0.5, -0.5, 0.1, 0.7).normalize();
    let stretch = DMat3::from_cols(
        DVec3::new(2.0, 0.3, 0.0),
        DVec3::new(0.3, 1.0, -0.1),
        DVec3::new(0.0, -0.1, 0.5),
    );
    for sign in [1.0, -1.0] {
        let found = rotation_of(DMat3::from_quat(rotation) * stretch * sign);
        assert!(found.dot(rotation).abs() > 1.0 - 1e-14, "{found}");
    }
}

#[test]
fn the_rotation_of_a_matrix_does_not_depend_on_its_scale() {
    let expected = DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8);
    for scale in [1e-9, 1.0, 1e9] {
        let rotation = rotation_of(DMat3::from_quat(expected) * scale);
        assert!(rotation.abs_diff_eq(expected, 1e-12), "{scale}: {rotation}");
    }
}

#[test]
fn a_flat_matrix_has_no_rotation_in_the_reference() {
    let turned = DMat3::from_quat(DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8));
    let flat = turned * DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(reference::dual_quaternion_rotation(flat), DQuat::IDENTITY);
    assert_eq!(
        reference::dual_quaternion_rotation(DMat3::ZERO),
        DQuat::IDENTITY
    );
}

#[test]
fn weights_that_cancel_have_no_blend_in_the_reference() {
    let matrix = glam::DMat4::from_rotation_x(1.0);
    let cancelling = [(matrix, 1.0), (matrix, -1.0)];
    assert_eq!(
        reference::blend_dual_quaternions(&cancelling, DVec3::ONE),
        None
    );
    assert!(reference::blend_dual_quaternions(&cancelling[..1], DVec3::ONE).is_some());
}
