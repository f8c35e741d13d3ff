//! Properties of skinning for any rig.

mod faults;

use std::num::NonZeroU32;

use glam::{DMat3, Mat4, Quat, Vec3};
use proptest::prelude::*;

use super::bound::{MeshBound, Underflow};
use super::*;
use crate::pose::rigs::{PosedRig, posed_rigs};
use crate::rig::{
    Influence, Influences, Node, NodeId, Skeleton, Skin, SkinSlot, SkinningMethod, SkinningOptions,
    WeightPolicy,
};
use crate::units::law::{Verdict, check};

/// An implementation of skinning.
trait Deform: Fn(&Asset, &ModelPose, &SkinningOptions) -> Vec<DeformedMesh> {}
impl<F: Fn(&Asset, &ModelPose, &SkinningOptions) -> Vec<DeformedMesh>> Deform for F {}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "as the function under test"
)]
fn real(asset: &Asset, pose: &ModelPose, options: &SkinningOptions) -> Vec<DeformedMesh> {
    deform(asset, pose, options).expect("the rigs of the laws are whole")
}

const NORMALIZED: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::Normalize,
    max_influences: None,
    method: SkinningMethod::Linear,
};

fn limited(weights: WeightPolicy, limit: u32) -> SkinningOptions {
    SkinningOptions {
        weights,
        max_influences: NonZeroU32::new(limit),
        ..SkinningOptions::default()
    }
}

/// All combinations that make a difference: no limit (0), and limits below and above what vertices have.
fn all_options() -> Vec<SkinningOptions> {
    let policies = [WeightPolicy::Normalize, WeightPolicy::AsIs];
    let limits = |weights| [0, 1, 4].map(|limit| limited(weights, limit));
    policies.into_iter().flat_map(limits).collect()
}

/// Distances of the rigs' vertices are below 100, and their f32 errors below 1e-5 of that.
const NEAR: f32 = 1e-3;

fn near(a: &[Vec3], b: &[Vec3]) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.len(), b.len());
    for (vertex, (a, b)) in a.iter().zip(b).enumerate() {
        prop_assert!(a.abs_diff_eq(*b, NEAR), "vertex {}: {} != {}", vertex, a, b);
    }
    Ok(())
}

/// Where all joints move as one, every vertex moves so, whatever its weights; the weights are a partition of unity.
fn joints_that_move_as_one_carry_all_vertices(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |mut rig| {
        let skin = rig.asset.skins[0].clone();
        let mut pose = rig.model_pose();
        let motion = pose.nodes[0];
        for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
            pose.nodes[joint.index()] = motion * joint_from_mesh.inverse();
        }
        pose.morph_weights.clear();
        rig.asset.instances.truncate(1);
        let mesh = &rig.asset.meshes[0];
        for options in [NORMALIZED, limited(WeightPolicy::Normalize, 4)] {
            let deformed = deform(&rig.asset, &pose, &options);
            for (vertex, influences) in mesh.influences.iter().enumerate() {
                let expected = motion.transform_point3(mesh.positions[vertex]);
                let actual = deformed[0].positions[vertex];
                let carried = influences.is_empty() || actual.abs_diff_eq(expected, NEAR);
                prop_assert!(carried, "vertex {}: {} != {}", vertex, actual, expected);
            }
        }
        Ok(())
    })
}

/// To move the whole rig rigidly and to move its skinned vertices rigidly is the same.
fn rigid_motion_commutes_with_skinning(deform: impl Deform) -> Verdict<PosedRig> {
    let rotation = Quat::from_xyzw(0.5, -0.1, 0.7, 0.5).normalize();
    let motion = Mat4::from_rotation_translation(rotation, Vec3::new(1.0, -2.0, 3.0));
    check(&posed_rigs(), |rig| {
        let before = rig.model_pose();
        let mut after = before.clone();
        after
            .nodes
            .iter_mut()
            .for_each(|world| *world = motion * *world);
        let before = deform(&rig.asset, &before, &NORMALIZED);
        let after = deform(&rig.asset, &after, &NORMALIZED);
        for (before, after) in before.iter().zip(&after) {
            let moved = |list: &[Vec3], f: fn(&Mat4, Vec3) -> Vec3| -> Vec<Vec3> {
                list.iter().map(|v| f(&motion, *v)).collect()
            };
            near(
                &after.positions,
                &moved(&before.positions, Mat4::transform_point3),
            )?;
        }
        Ok(())
    })
}

fn the_order_of_influences_does_not_matter(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let mut reversed = rig.asset.clone();
        let lists: Vec<Vec<Influence>> = rig.asset.meshes[0]
            .influences
            .iter()
            .map(|list| list.iter().rev().copied().collect())
            .collect();
        reversed.meshes[0].influences = Influences::from_vertices(lists);
        let pose = rig.model_pose();
        for options in all_options() {
            let before = deform(&rig.asset, &pose, &options);
            let after = deform(&reversed, &pose, &options);
            near(&before[0].positions, &after[0].positions)?;
        }
        Ok(())
    })
}

/// The rig with other joints put before all others, so that every joint has another id, and its skin's slots reversed.
fn renumbered(rig: &PosedRig, pose: &ModelPose) -> (Asset, ModelPose) {
    let (mut asset, mut pose) = (rig.asset.clone(), pose.clone());
    let shift = |joint: NodeId| NodeId(joint.0 + 1);
    let mut joints = vec![Node {
        name: "new".into(),
        parent: None,
        rest: crate::rig::LocalTransform::Matrix(Mat4::IDENTITY),
    }];
    joints.extend(asset.skeleton.nodes().iter().map(|joint| Node {
        parent: joint.parent.map(shift),
        ..joint.clone()
    }));
    asset.skeleton = Skeleton::new(joints).expect("parents stay before their children");
    pose.nodes.insert(0, Mat4::IDENTITY);
    for instance in &mut asset.instances {
        instance.node = shift(instance.node);
    }
    let Skin {
        joints,
        inverse_bind_matrices,
        ..
    } = &mut asset.skins[0];
    for joint in joints.iter_mut() {
        *joint = shift(*joint);
    }
    joints.reverse();
    inverse_bind_matrices.reverse();
    let last = u32::try_from(joints.len() - 1).expect("there are few joints");
    let lists = rig.asset.meshes[0].influences.iter();
    let flip = |influence: &Influence| Influence {
        slot: SkinSlot(last - influence.slot.0),
        ..*influence
    };
    let lists: Vec<Vec<Influence>> = lists.map(|list| list.iter().map(flip).collect()).collect();
    asset.meshes[0].influences = Influences::from_vertices(lists);
    (asset, pose)
}

fn the_numbers_of_joints_and_slots_do_not_matter(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let pose = rig.model_pose();
        let (asset, renumbered_pose) = renumbered(&rig, &pose);
        let before = deform(&rig.asset, &pose, &NORMALIZED);
        let after = deform(&asset, &renumbered_pose, &NORMALIZED);
        prop_assert_eq!(before, after);
        Ok(())
    })
}

/// A vertex of one influence keeps its point in that joint, and one without influences its point in the node.
fn a_rigid_vertex_follows_its_joint(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let mut pose = rig.model_pose();
        pose.morph_weights.clear();
        let deformed = deform(&rig.asset, &pose, &NORMALIZED);
        let (mesh, skin) = (&rig.asset.meshes[0], &rig.asset.skins[0]);
        let node = pose.nodes[rig.asset.instances[0].node.index()];
        for (vertex, influences) in mesh.influences.iter().enumerate() {
            let point = mesh.positions[vertex];
            let expected = match influences {
                [] => node.transform_point3(point),
                [only] => {
                    let slot = only.slot.index();
                    let in_joint = skin.inverse_bind_matrices[slot].transform_point3(point);
                    pose.nodes[skin.joints[slot].index()].transform_point3(in_joint)
                }
                _ => continue,
            };
            let actual = deformed[0].positions[vertex];
            prop_assert!(
                actual.abs_diff_eq(expected, NEAR),
                "{} != {}",
                actual,
                expected
            );
        }
        Ok(())
    })
}

/// With every way to treat weights, no vertex is farther from the f64 reference than rounding explains.
fn f32_is_within_the_bound_of_f64(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let pose = rig.model_pose();
        for options in all_options() {
            let fast = deform(&rig.asset, &pose, &options);
            let exact = reference::deform(&rig.asset, &pose, &options).expect("as the fast one");
            let bound = bound::rounding(&rig.asset, &pose, &options, Underflow::Gradual)
                .expect("as the fast one");
            for ((fast, exact), bound) in fast.iter().zip(&exact).zip(&bound) {
                within(&fast.positions, &exact.positions, &bound.positions)?;
                within(&fast.normals, &exact.normals, &bound.normals)?;
                within(&fast.tangents, &exact.tangents, &bound.tangents)?;
            }
        }
        Ok(())
    })
}

/// Apart from the other attributes, because the planted faults' implementation does not rotation bitangents.
fn bitangents_are_those_of_f64(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let pose = rig.model_pose();
        let fast = deform(&rig.asset, &pose, &NORMALIZED);
        let exact = reference::deform(&rig.asset, &pose, &NORMALIZED).expect("as the fast one");
        let bound = bound::rounding(&rig.asset, &pose, &NORMALIZED, Underflow::Gradual)
            .expect("as the fast one");
        for ((fast, exact), bound) in fast.iter().zip(&exact).zip(&bound) {
            within(&fast.bitangents, &exact.bitangents, &bound.bitangents)?;
        }
        Ok(())
    })
}

fn within(fast: &[Vec3], exact: &[glam::DVec3], bound: &[f64]) -> Result<(), TestCaseError> {
    prop_assert_eq!((fast.len(), exact.len()), (bound.len(), bound.len()));
    for (vertex, ((fast, exact), bound)) in fast.iter().zip(exact).zip(bound).enumerate() {
        let apart = fast.as_dvec3().distance(*exact);
        prop_assert!(apart <= *bound, "vertex {}: {} > {}", vertex, apart, bound);
    }
    Ok(())
}

/// A rigid vertex's normal stays perpendicular to its tangent and bitangent, of unit length, and on the same side of the
/// surface: where space is mirrored, the rotation from tangent to bitangent flips and the normal does not.
fn normals_stay_perpendicular_to_the_surface(deform: impl Deform) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let mut pose = rig.model_pose();
        pose.morph_weights.clear();
        let deformed = &deform(&rig.asset, &pose, &NORMALIZED)[1];
        let world = pose.nodes[rig.asset.instances[1].node.index()];
        let mirrored = DMat3::from_mat4(world.as_dmat4()).determinant().signum();
        for vertex in 0..deformed.normals.len() {
            let normal = deformed.normals[vertex].as_dvec3();
            let tangent = deformed.tangents[vertex].as_dvec3();
            let bitangent = deformed.bitangents[vertex].as_dvec3();
            prop_assert!((normal.length() - 1.0).abs() < 1e-6);
            prop_assert!(normal.dot(tangent).abs() < 1e-4, "{}", normal.dot(tangent));
            prop_assert!(
                normal.dot(bitangent).abs() < 1e-4,
                "{}",
                normal.dot(bitangent)
            );
            prop_assert!(normal.dot(tangent.cross(bitangent)) * mirrored > 0.0);
        }
        Ok(())
    })
}

#[test]
fn skinning_keeps_every_law() {
    joints_that_move_as_one_carry_all_vertices(real).unwrap();
    rigid_motion_commutes_with_skinning(real).unwrap();
    the_order_of_influences_does_not_matter(real).unwrap();
    the_numbers_of_joints_and_slots_do_not_matter(real).unwrap();
    a_rigid_vertex_follows_its_joint(real).unwrap();
    f32_is_within_the_bound_of_f64(real).unwrap();
    bitangents_are_those_of_f64(real).unwrap();
    normals_stay_perpendicular_to_the_surface(real).unwrap();
}

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
            let slot = influence.slot.index();
            let world = pose.nodes[skin.joints[slot].index()];
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
