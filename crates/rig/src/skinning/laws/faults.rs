//! A second, naive implementation of skinning with plantable faults.

use glam::{Mat3, Mat4, Vec3};

use super::*;
use crate::pose::ModelPose;
use crate::rig::{
    Asset, DeformedMesh, Influence, InstanceId, Mesh, MeshInstance, SkinningOptions, WeightPolicy,
};

/// A fault in one step of skinning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// `inverse_bind * world` instead of `world * inverse_bind`.
    SwappedProduct,
    /// Row-major matrices read as column-major.
    TransposedInverseBind,
    /// The influence's slot is used as a joint id.
    JointAsSlot,
    /// Only the first four influences count, and their weights are not normalized.
    FifthDropped,
    /// The file's weights are used where normalized ones are asked for.
    NotNormalized,
    /// The remaining influences are not scaled up for those that were cut.
    NormalizedBeforeCut,
    /// A vertex without weights is moved to Σ of nothing, the origin.
    WeightlessAtOrigin,
    /// The node of a skinned mesh moves it once more.
    NodeOnTop,
    /// Morph offsets are added in world space.
    MorphAfterSkinning,
    /// Normals are transformed by the 3x3 part instead of its inverse transpose.
    NormalsByMatrix,
    /// Cofactors are used without the sign of the determinant.
    MirroredNormals,
}

/// Skins `asset` with at most one fault.
fn naive(
    asset: &Asset,
    pose: &ModelPose,
    options: SkinningOptions,
    fault: Option<Fault>,
) -> Vec<DeformedMesh> {
    let instances = asset.instances.iter().enumerate();
    let skinned = instances.map(|(index, instance)| {
        let skinner = Skinner {
            asset,
            pose,
            options,
            fault,
            index,
            instance,
        };
        skinner.skin(asset.mesh_of(instance))
    });
    skinned.collect()
}

struct Skinner<'a> {
    asset: &'a Asset,
    pose: &'a ModelPose,
    options: SkinningOptions,
    fault: Option<Fault>,
    index: usize,
    instance: &'a MeshInstance,
}

impl Skinner<'_> {
    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn skin(&self, mesh: &Mesh) -> DeformedMesh {
        let weights = self
            .pose
            .morph_weights
            .get(self.index)
            .unwrap_or(&self.instance.morph_weights);
        let mut morphed = mesh.clone();
        if !self.is(Fault::MorphAfterSkinning) {
            add_targets(mesh, weights, &mut morphed);
        }
        let matrices: Vec<Mat4> = (0..mesh.positions.len())
            .map(|v| self.matrix(mesh.influences.of(v)))
            .collect();
        let apply = |list: &[Vec3], f: &dyn Fn(&Mat4, Vec3) -> Vec3| -> Vec<Vec3> {
            matrices
                .iter()
                .zip(list)
                .map(|(matrix, v)| f(matrix, *v))
                .collect()
        };
        let along = |matrix: &Mat4, v| matrix.transform_vector3(v).normalize();
        morphed.positions = apply(&morphed.positions, &Mat4::transform_point3);
        morphed.normals = apply(&morphed.normals, &|matrix, n| self.normal(matrix, n));
        morphed.tangents = apply(&morphed.tangents, &along);
        morphed.bitangents = apply(&morphed.bitangents, &along);
        if self.is(Fault::MorphAfterSkinning) {
            add_targets(mesh, weights, &mut morphed);
        }
        DeformedMesh {
            instance: InstanceId::from_index(self.index),
            positions: morphed.positions,
            normals: morphed.normals,
            tangents: morphed.tangents,
            bitangents: morphed.bitangents,
        }
    }

    fn normal(&self, matrix: &Mat4, normal: Vec3) -> Vec3 {
        let m = Mat3::from_mat4(*matrix);
        let by = match self.fault {
            Some(Fault::NormalsByMatrix) => m,
            Some(Fault::MirroredNormals) => m.inverse().transpose() * m.determinant(),
            _ => m.as_dmat3().inverse().transpose().as_mat3(),
        };
        (by * normal).normalize()
    }

    fn matrix(&self, influences: &[Influence]) -> Mat4 {
        let node = self.pose[self.instance.node];
        if self.instance.skin.is_none() {
            return node;
        }
        let weights = self.weights(influences);
        if weights.is_empty() && !self.is(Fault::WeightlessAtOrigin) {
            return node;
        }
        let mut sum = Mat4::ZERO;
        for influence in weights {
            sum += self.slot(influence.slot.index()) * influence.weight;
        }
        if self.is(Fault::NodeOnTop) {
            node * sum
        } else {
            sum
        }
    }

    fn slot(&self, slot: usize) -> Mat4 {
        let skin = &self.asset.skins[0];
        let joint = if self.is(Fault::JointAsSlot) {
            slot
        } else {
            skin.joints[slot].index()
        };
        let (world, inverse_bind) = (self.pose.nodes[joint], skin.inverse_bind_matrices[slot]);
        match self.fault {
            Some(Fault::SwappedProduct) => inverse_bind * world,
            Some(Fault::TransposedInverseBind) => world * inverse_bind.transpose(),
            _ => world * inverse_bind,
        }
    }

    fn weights(&self, influences: &[Influence]) -> Vec<Influence> {
        let mut kept = influences.to_vec();
        let limit = self
            .options
            .max_influences
            .map_or(usize::MAX, |n| n.get() as usize);
        let sum = |list: &[Influence]| list.iter().map(|i| i.weight).sum::<f32>();
        let of_file = sum(&kept);
        kept.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        kept.truncate(limit);
        if self.is(Fault::FifthDropped) {
            let normalized = influences.iter().take(4);
            kept = normalized.copied().collect();
        }
        let divisor = match (self.fault, self.options.weights) {
            (Some(Fault::NotNormalized), _) => 1.0,
            (Some(Fault::NormalizedBeforeCut | Fault::FifthDropped), _) => of_file,
            (_, WeightPolicy::Normalize) => sum(&kept),
            (_, WeightPolicy::AsIs) => sum(&kept) / of_file,
        };
        for influence in &mut kept {
            influence.weight /= divisor;
        }
        kept
    }
}

fn add_targets(mesh: &Mesh, weights: &[f32], to: &mut Mesh) {
    for (target, weight) in mesh.morph_targets.iter().zip(weights) {
        let add = |values: &mut [Vec3], offsets: &[Vec3]| {
            for (value, offset) in values.iter_mut().zip(offsets) {
                *value += *offset * *weight;
            }
        };
        add(&mut to.positions, &target.positions);
        add(&mut to.normals, &target.normals);
        add(&mut to.tangents, &target.tangents);
    }
}

fn with(fault: Fault) -> impl Deform {
    move |asset: &Asset, pose: &ModelPose, options: &SkinningOptions| {
        naive(asset, pose, *options, Some(fault))
    }
}

/// Without a fault, the naive implementation keeps the laws, so a failure is due to the fault. Its only weakness is
/// that morph targets do not rotate bitangents.
#[test]
fn skinning_without_a_fault_keeps_every_law() {
    let sound = |asset: &Asset, pose: &ModelPose, options: &SkinningOptions| {
        naive(asset, pose, *options, None)
    };
    joints_that_move_as_one_carry_all_vertices(sound).unwrap();
    rigid_motion_commutes_with_skinning(sound).unwrap();
    the_order_of_influences_does_not_matter(sound).unwrap();
    the_numbers_of_joints_and_slots_do_not_matter(sound).unwrap();
    a_rigid_vertex_follows_its_joint(sound).unwrap();
    f32_is_within_the_bound_of_f64(sound).unwrap();
    assert!(bitangents_are_those_of_f64(sound).is_err());
    normals_stay_perpendicular_to_the_surface(sound).unwrap();
}

#[test]
fn a_palette_with_its_factors_swapped_is_caught() {
    let fault = || with(Fault::SwappedProduct);
    assert!(a_rigid_vertex_follows_its_joint(fault()).is_err());
    assert!(rigid_motion_commutes_with_skinning(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn a_transposed_inverse_bind_matrix_is_caught() {
    let fault = || with(Fault::TransposedInverseBind);
    assert!(a_rigid_vertex_follows_its_joint(fault()).is_err());
    assert!(joints_that_move_as_one_carry_all_vertices(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn weights_indexed_by_joint_instead_of_slot_are_caught() {
    let fault = || with(Fault::JointAsSlot);
    assert!(a_rigid_vertex_follows_its_joint(fault()).is_err());
    assert!(the_numbers_of_joints_and_slots_do_not_matter(fault()).is_err());
}

#[test]
fn weights_beyond_the_fourth_silently_dropped_are_caught() {
    let fault = || with(Fault::FifthDropped);
    assert!(the_order_of_influences_does_not_matter(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn weights_that_are_not_normalized_are_caught() {
    let fault = || with(Fault::NotNormalized);
    assert!(joints_that_move_as_one_carry_all_vertices(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn weights_normalized_before_the_cut_and_not_after_are_caught() {
    let fault = || with(Fault::NormalizedBeforeCut);
    assert!(joints_that_move_as_one_carry_all_vertices(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn a_vertex_without_weights_left_at_the_origin_is_caught() {
    let fault = || with(Fault::WeightlessAtOrigin);
    assert!(a_rigid_vertex_follows_its_joint(fault()).is_err());
    assert!(rigid_motion_commutes_with_skinning(fault()).is_err());
}

#[test]
fn a_node_transform_on_top_of_the_skin_is_caught() {
    let fault = || with(Fault::NodeOnTop);
    assert!(rigid_motion_commutes_with_skinning(fault()).is_err());
    assert!(a_rigid_vertex_follows_its_joint(fault()).is_err());
}

#[test]
fn morph_targets_added_after_skinning_are_caught() {
    assert!(f32_is_within_the_bound_of_f64(with(Fault::MorphAfterSkinning)).is_err());
}

#[test]
fn normals_that_go_by_the_matrix_itself_are_caught() {
    let fault = || with(Fault::NormalsByMatrix);
    assert!(normals_stay_perpendicular_to_the_surface(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}

#[test]
fn normals_flipped_inside_out_by_a_mirror_are_caught() {
    let fault = || with(Fault::MirroredNormals);
    assert!(normals_stay_perpendicular_to_the_surface(fault()).is_err());
    assert!(f32_is_within_the_bound_of_f64(fault()).is_err());
}
