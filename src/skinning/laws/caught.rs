//! Every law is broken by a fault.

use super::faults::{Fault, naive};
use super::*;

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
