//! `B207`: skinned-node-transform-ignored.

use std::collections::BTreeSet;

use glam::DMat4;

use super::spread;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, Offence, Rule, RuleMeta};
use crate::rig::{Bounds, Mesh, MeshInstance, Skin};

/// Of the diagonal; as B205, and for the same reasons.
const DISPLACEMENT: Limit = Limit {
    key: "displacement",
    default: 0.001,
    about: "displacement of the mesh's box, in diagonals",
};

declare_rule! {
    /// ## What it does
    /// Checks that the node of a skinned mesh in a glTF file has no transform (its own and its parents' together) that
    /// would put the mesh elsewhere than its joints do.
    ///
    /// A transform that the inverse bind matrices already have in them, as exporters write where armature and mesh have one
    /// parent, changes nothing and is right. Told is how far the corners of the mesh's box are apart; the limit is
    /// `displacement`, in diagonals.
    ///
    /// ## Why is this bad?
    /// In glTF only joints move a skinned mesh. Its node can be moved, turned and scaled in the editor, and nothing happens in
    /// a viewer that keeps to the specification, while one that does not applies the transform twice or in another place:
    /// the character stands somewhere else, lies on its back, or is a hundred times as large.
    ///
    /// ## How to fix
    /// - Blender: select mesh and armature, *Object → Apply → All Transforms*, or clear the mesh's transform relative to the
    ///   armature, and export again.
    /// - To move the character, move the root joint or a node above all joints.
    /// - Exporters: put skinned meshes at the root of the scene without a transform, and what was there into the inverse bind
    ///   matrices.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2; glTF-Validator `NODE_SKINNED_MESH_LOCAL_TRANSFORMS`, `NODE_SKINNED_MESH_NON_ROOT` (which ask only
    ///   whether there is a transform or a parent).
    SkinnedNodeTransformIgnored, "B207", "skinned-node-transform-ignored", Warning, limits: [DISPLACEMENT]
}

impl Rule for SkinnedNodeTransformIgnored {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.importer.split(' ').next() != Some("gltf") {
            return;
        }
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let worlds = spread::rest_worlds(cx.asset);
        let mut seen = BTreeSet::new();
        for instance in &cx.asset.instances {
            let Some(skin) = cx.asset.skin_of(instance) else {
                continue;
            };
            let is_new = seen.insert((instance.joint, instance.mesh));
            let ignored = ignored(cx.asset.mesh_of(instance), skin, instance, &worlds);
            let Some(distance) = ignored.filter(|distance| is_new && *distance > limit) else {
                continue;
            };
            let group = cx.mesh(instance).of_joint(cx.joint_name(instance.joint));
            out.add(Offence::above(&group, "node", distance, limit), |place| {
                let [distance, limit] = [distance, limit].map(|share| 100.0 * share);
                let message = format!(
                    "the node's transform has no effect, and would move the mesh by {distance:.2} % of the diagonal, limit {limit} %"
                );
                (place, message)
            });
        }
    }
}

/// How far the node's transform is from what it might be without being missed, in diagonals: from none, and from what any
/// one of the joints with weights does to the mesh at rest. `None` if that cannot be told.
fn ignored(mesh: &Mesh, skin: &Skin, instance: &MeshInstance, worlds: &[DMat4]) -> Option<f64> {
    let bounds = Bounds::of_f32(&mesh.positions);
    let corners = bounds.corners();
    let node = worlds[instance.joint.index()];
    let there = corners.map(|corner| node.transform_point3(corner));
    let diagonal = (there[7] - there[0]).length();
    let apart = |matrix: &DMat4| {
        let pairs = corners.iter().zip(&there);
        let distances =
            pairs.map(|(corner, there)| (matrix.transform_point3(*corner) - there).length());
        distances.fold(0.0, f64::max) / diagonal
    };
    let weighted = mesh
        .influences
        .all()
        .iter()
        .filter(|pull| pull.weight > 0.0);
    let slots: BTreeSet<usize> = weighted.map(|pull| pull.slot as usize).collect();
    let by_joints = slots.into_iter().map(|slot| {
        let world = worlds[skin.joints[slot].index()];
        apart(&(world * skin.inverse_bind_matrices[slot].as_dmat4()))
    });
    let of_joints = by_joints
        .filter(|distance| !distance.is_nan())
        .reduce(f64::min)?;
    Some(apart(&DMat4::IDENTITY).min(of_joints))
        .filter(|distance| !bounds.is_empty() && distance.is_finite())
}
