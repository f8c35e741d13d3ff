//! `H307`: plain-node-between-joints.

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Rule};
use crate::rig::JointId;

declare_rule! {
    /// ## What it does
    /// Checks that no node that is no joint lies between two joints of a glTF file.
    ///
    /// Other formats list in a skin only the joints that have weights, so that there a joint without any looks like a plain
    /// node; the rule has nothing to say about them.
    ///
    /// ## Why is this bad?
    /// Skeletons of engines hold joints alone. Some turn the node into a bone, so that the number of bones and their
    /// indices are others than in the file; some leave it out together with its transform, and the joints below stand,
    /// or swing, in a wrong place.
    ///
    /// ## How to fix
    /// - Blender: a bone without *Deform* between others was left out by *Only Deform Bones*; parent the bone below to the
    ///   one above, or export all bones.
    /// - Maya: ungroup transforms that lie between joints (constraint groups, offset groups).
    /// - Exporters: list every node between two joints among the joints of the skin.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 "Joint Hierarchy".
    PlainNodeBetweenJoints, "H307", "plain-node-between-joints", Warning
}

impl Rule for PlainNodeBetweenJoints {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if !cx.asset.importer.starts_with("gltf") {
            return;
        }
        let (skeletal, bound) = (joints::skeletal(cx.asset), cx.asset.bound_joints());
        let all = (0..skeletal.len()).map(JointId::from_index);
        let plain = all.filter(|joint| skeletal[joint.index()] && !bound[joint.index()]);
        joints::tell_by_skin(cx, out, plain, |_| {
            "lies between two joints, and is none itself".to_owned()
        });
    }
}
