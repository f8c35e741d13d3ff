//! `B207`: skinned-node-transform-ignored.

use glam::{DMat4, DQuat, DVec3, Mat4};

use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Bounds, Mesh, MeshId, MeshInstance, ReaderCode, Skin};
use crate::rules::bind::spread;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Relative to the diagonal; as for B205, for the same reasons.
const DISPLACEMENT: Limit = Limit::new("displacement", 0.001, LimitRange::FROM_ZERO)
    .about("displacement of the mesh's box, in diagonals");

const IGNORED: Gauge = Gauge::new("movement by an ignored transform", ReadingUnit::Diagonals);

declare_rule! {
    SkinnedNodeTransformIgnored, "B207", "skinned-node-transform-ignored", Warning, Proved,
    limits = &[DISPLACEMENT]
}

impl Rule for SkinnedNodeTransformIgnored {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.reader.code != ReaderCode::Gltf {
            return;
        }
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let worlds = spread::rest_worlds(cx.asset);
        let mut seen: Vec<Vec<MeshId>> = vec![Vec::new(); cx.asset.skeleton.len()];
        for instance in &cx.asset.instances {
            let Some(skin) = cx.asset.skin_of(instance) else {
                continue;
            };
            let meshes = &mut seen[instance.node.index()];
            let is_new = !meshes.contains(&instance.mesh);
            if is_new {
                meshes.push(instance.mesh);
            }
            let group = cx.joint(instance.node);
            if !is_moved(cx, instance, limit) {
                out.measure(IGNORED, [0.0, limit], || group.clone());
                continue;
            }
            let ignored = ignored(cx.asset.mesh_of(instance), skin, instance, &worlds, limit);
            let Some(distance) = ignored.filter(|_| is_new) else {
                continue;
            };
            out.measure(IGNORED, [distance, limit], || group.clone());
            if distance <= limit {
                continue;
            }
            out.add(Offence::above(&group, "mesh", distance, limit), |subject| {
                let (reported, limit) = reported(distance, limit);
                let message = format!(
                    "the node's transform, which is ignored, would move the mesh by {reported}, limit {limit} %"
                );
                (subject, message)
            });
        }
    }
}

/// A distance in diagonals for people, and its limit in percent.
fn reported(distance: f64, limit: f64) -> (String, String) {
    let [percent, limit] = percents(distance, limit, 2);
    let reported = if distance >= 1.0 {
        "more than its own size".to_owned()
    } else {
        format!("{percent} % of the diagonal")
    };
    (reported, limit)
}

/// Whether a node's own transform moves the box of its mesh by more than `limit`, in diagonals.
fn is_moved(cx: &Context<'_>, instance: &MeshInstance, limit: f64) -> bool {
    let joint = cx.asset.skeleton.get(instance.node);
    let own = joint
        .map_or(Mat4::IDENTITY, |joint| joint.rest.to_matrix())
        .as_dmat4();
    let corners = Bounds::of_f32(&cx.asset.mesh_of(instance).positions).corners();
    let allowed = limit * (corners[7] - corners[0]).length();
    let moved = |corner: &DVec3| own.transform_point3(*corner).distance(*corner);
    corners.iter().any(|corner| moved(corner) > allowed)
}

/// The distance, in diagonals, of the node's transform from the nearest harmless one: the identity, or the transform at
/// rest of any joint that determines the bound position. `None` if unknown.
fn ignored(
    mesh: &Mesh,
    skin: &Skin,
    instance: &MeshInstance,
    worlds: &[DMat4],
    limit: f64,
) -> Option<f64> {
    let bounds = Bounds::of_f32(&mesh.positions);
    let corners = bounds.corners();
    let node = worlds[instance.node.index()];
    let diagonal = (node * (corners[7] - corners[0]).extend(0.0)).length();
    let apart = |a: &DMat4, b: &DMat4| {
        let at = |matrix: &DMat4, corner| matrix.transform_point3(corner);
        let distances = corners.map(|corner| (at(a, corner) - at(b, corner)).length());
        distances.into_iter().fold(0.0, f64::max) / diagonal
    };
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let by_joints: Vec<DMat4> = slots
        .map(|(joint, inverse)| worlds[joint.index()] * inverse.as_dmat4())
        .collect();
    let bound = bound(mesh, &by_joints, |a, b| apart(a, b) <= limit);
    let distances = bound.iter().map(|by_joint| {
        let node = if mesh.quantized {
            node * dequantization(&node, by_joint)
        } else {
            node
        };
        apart(by_joint, &node)
    });
    let of_joints = distances
        .filter(|distance| !distance.is_nan())
        .reduce(f64::min)?;
    Some(apart(&DMat4::IDENTITY, &node).min(of_joints))
        .filter(|distance| !bounds.is_empty() && distance.is_finite())
}

/// The transform that dequantizes a mesh, a uniform scale and a translation, if `by_joint` differs from the mesh's node
/// by such a transform.
fn dequantization(node: &DMat4, by_joint: &DMat4) -> DMat4 {
    let between = node.inverse() * by_joint;
    let [x, y, z] = [between.x_axis.x, between.y_axis.y, between.z_axis.z];
    let scale = DVec3::splat((x + y + z) / 3.0);
    DMat4::from_scale_rotation_translation(scale, DQuat::IDENTITY, between.w_axis.truncate())
}

/// The transforms of slots that may show where a mesh was bound. If the slots with weights agree, only they count,
/// whatever matrices the other slots have. If the rest pose is not the bind pose, all slots count: the root may be the
/// only joint that is still in the bind pose.
fn bound(mesh: &Mesh, by_slots: &[DMat4], is_same: impl Fn(&DMat4, &DMat4) -> bool) -> Vec<DMat4> {
    let influences = mesh
        .influences
        .all()
        .iter()
        .filter(|influence| influence.weight > 0.0);
    let mut is_weighted = vec![false; by_slots.len()];
    for influence in influences {
        is_weighted[influence.slot.index()] = true;
    }
    let slots = by_slots.iter().zip(is_weighted);
    let weighted = slots.filter(|(_, is_weighted)| *is_weighted);
    let weighted: Vec<DMat4> = weighted.map(|(slot, _)| *slot).collect();
    let Some((first, others)) = weighted.split_first() else {
        return by_slots.to_vec();
    };
    if others.iter().all(|other| is_same(first, other)) {
        weighted
    } else {
        by_slots.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat, Vec3};

    use super::*;
    use crate::pose::rigs::named_joint;
    use crate::rig::{Asset, Format, LocalTransform, NodeId, Reader, Skeleton};
    use crate::testing::{arm, findings};

    /// The arm below a root that moves no vertex. It was bound while its own node stood at `node`, and it is bent at
    /// rest.
    fn bent_arm(node: Mat4) -> Asset {
        let mut asset = arm();
        asset.format = Format::Gltf;
        asset.reader = Reader::own(ReaderCode::Gltf, "");
        let mut joints = vec![
            named_joint("root", None, LocalTransform::Matrix(node)),
            named_joint("tube", None, LocalTransform::Matrix(node)),
        ];
        for joint in asset.skeleton.nodes() {
            let bent = Mat4::from_quat(Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
            let parent = Some(joint.parent.map_or(0, |_| 2));
            let rest = LocalTransform::Matrix(joint.rest.to_matrix() * bent);
            joints.push(named_joint(&joint.name, parent, rest));
        }
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        let skin = &mut asset.skins[0];
        skin.joints = [2, 3, 0].map(NodeId).to_vec();
        skin.inverse_bind_matrices.push(Mat4::IDENTITY);
        asset.instances[0].node = NodeId(1);
        asset
    }

    fn fires(asset: &Asset) -> bool {
        !findings(asset, &SkinnedNodeTransformIgnored).is_empty()
    }

    #[test]
    fn a_transform_that_the_binding_has_in_it_is_right_however_the_arm_rests() {
        let there = Mat4::from_translation(Vec3::new(3.0, 2.0, 1.0));
        assert!(!fires(&bent_arm(there)));
    }

    #[test]
    fn the_bind_of_a_joint_without_weights_excuses_nothing() {
        let mut asset = bent_arm(Mat4::IDENTITY);
        let there = LocalTransform::Matrix(Mat4::from_translation(Vec3::X));
        let mut joints = asset.skeleton.nodes().to_vec();
        // The arm rests in its bind pose, at the origin; only the first joint is where the mesh's node is.
        let arm = arm();
        for (joint, bound) in joints[2..].iter_mut().zip(arm.skeleton.nodes()) {
            joint.rest = bound.rest;
        }
        joints[1].rest = there;
        joints.push(named_joint("filler", None, there));
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        asset.skins[0].joints[2] = NodeId(4);
        assert!(fires(&asset));
    }

    #[test]
    fn dequantization_excuses_no_other_transform() {
        let quantized = |rotation: Quat| {
            let there = Mat4::from_translation(Vec3::new(3.0, 2.0, 1.0));
            let mut asset = bent_arm(there);
            let (scale, shift) = (Vec3::splat(0.5), Vec3::new(0.0, 1.0, 0.0));
            let by = Mat4::from_scale_rotation_translation(scale, rotation, shift);
            let mesh = &mut asset.meshes[0];
            mesh.quantized = true;
            for position in &mut mesh.positions {
                *position = by.inverse().transform_point3(*position);
            }
            for inverse in &mut asset.skins[0].inverse_bind_matrices {
                *inverse *= by;
            }
            asset
        };
        let mut asset = quantized(Quat::IDENTITY);
        assert!(!fires(&asset));
        asset.meshes[0].quantized = false;
        assert!(fires(&asset));
        assert!(fires(&quantized(Quat::from_rotation_x(0.5))));
    }

    #[test]
    fn one_that_it_has_not_is_reported_for_a_bent_arm_too() {
        let mut asset = bent_arm(Mat4::IDENTITY);
        let mut joints = asset.skeleton.nodes().to_vec();
        joints[1].rest = LocalTransform::Matrix(Mat4::from_translation(Vec3::X));
        asset.skeleton = Skeleton::new(joints).expect("as before");
        assert!(fires(&asset));
    }
}
