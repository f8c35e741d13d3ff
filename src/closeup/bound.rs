//! The bind pose where the model rests, to compare with.

use glam::{DMat4, Mat4};

use crate::pose::{self, ModelPose};
use crate::rig::{Asset, NodeId, Skin};

/// The most joints of a skin that may place it.
const MOST_ANCHORS: usize = 32;

/// The pose in which the skins were bound, each moved as a whole so that most of its joints are where they rest: skins are bound in the
/// spaces of their meshes, which may lie on their backs or beside each other.
pub(super) fn in_place(asset: &Asset) -> ModelPose {
    let rest = pose::model_pose(asset, &pose::rest(asset));
    let mut pose = pose::bind(asset);
    let mut placed: Vec<Option<Mat4>> = vec![None; pose.nodes.len()];
    for skin in &asset.skins {
        let joints = bound(skin);
        let Some(world_from_bound) = placement(&joints, &rest) else {
            continue;
        };
        for (joint, bound) in joints {
            let world = (world_from_bound * bound).as_mat4();
            placed[joint.index()].get_or_insert(world);
        }
    }
    for (index, node) in asset.skeleton.nodes().iter().enumerate() {
        let parent = node.parent.map_or(Mat4::IDENTITY, |parent| pose[parent]);
        pose.nodes[index] = placed[index].unwrap_or_else(|| parent * node.rest.to_matrix());
    }
    pose
}

/// The joints of a skin where it was bound.
fn bound(skin: &Skin) -> Vec<(NodeId, DMat4)> {
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let bound = slots.map(|(joint, inverse)| (*joint, inverse.as_dmat4().inverse()));
    bound.filter(|(_, bound)| bound.is_finite()).collect()
}

/// The transform that leaves the joints nearest to where they rest: that of one of them.
fn placement(joints: &[(NodeId, DMat4)], rest: &ModelPose) -> Option<DMat4> {
    let off = |placement: &DMat4| -> f64 {
        let apart = joints.iter().map(|(joint, bound)| {
            let there = rest[*joint].w_axis.truncate().as_dvec3();
            placement
                .transform_point3(bound.w_axis.truncate())
                .distance(there)
        });
        apart.sum()
    };
    let step = joints.len().div_ceil(MOST_ANCHORS).max(1);
    let anchors = joints.iter().step_by(step);
    let placements = anchors.map(|(joint, bound)| rest[*joint].as_dmat4() * bound.inverse());
    let usable = placements.filter(DMat4::is_finite);
    usable.min_by(|a, b| off(a).total_cmp(&off(b)))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// A mesh that was bound on its back, and stands upright at rest but for one joint.
    #[test]
    fn the_bind_pose_is_where_most_joints_rest() {
        let mut rig = AssetBuilder::new();
        let up = Trs {
            translation: Vec3::Y,
            ..Trs::IDENTITY
        };
        let mut joints = vec![rig.node("root", None, Trs::IDENTITY)];
        for name in ["spine", "neck", "head"] {
            joints.push(rig.node(name, joints.last().copied(), up));
        }
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO; 4],
            ..Mesh::default()
        });
        let weights: Vec<_> = joints.iter().map(|joint| [(*joint, 1.0)]).collect();
        rig.skin(mesh, weights);
        let mut asset = rig.build().expect("it is whole");
        let on_back =
            Mat4::from_rotation_translation(Quat::from_rotation_x(1.5), Vec3::new(7.0, 0.0, 0.0));
        let moved = Mat4::from_translation(Vec3::X);
        for (slot, inverse) in asset.skins[0].inverse_bind_matrices.iter_mut().enumerate() {
            let off = if slot == 3 { moved } else { Mat4::IDENTITY };
            *inverse = off * *inverse * on_back.as_dmat4().inverse().as_mat4();
        }
        let (rest, bound) = (
            pose::model_pose(&asset, &pose::rest(&asset)),
            in_place(&asset),
        );
        for joint in &joints[..3] {
            assert!(rest[*joint].abs_diff_eq(bound[*joint], 1e-4), "{joint:?}");
        }
        let off = rest[joints[3]].w_axis.distance(bound[joints[3]].w_axis);
        assert!((off - 1.0).abs() < 1e-4, "{off}");
    }
}
