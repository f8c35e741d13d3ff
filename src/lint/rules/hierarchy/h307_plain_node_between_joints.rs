//! `H307`: plain-node-between-joints.

use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Rule, declare_rule};
use crate::rig::Format;

declare_rule! {
    /// ## What it does
    /// Checks that no plain node lies between two joints of a glTF file.
    ///
    /// In other formats, a skin lists only joints with weights, so a joint without weights looks like a plain node. The
    /// rule does not apply to these formats.
    ///
    /// ## Why is this bad?
    /// Engine skeletons contain only joints. Some engines turn the node into a bone, which changes the number and
    /// indices of bones. Others drop it together with its transform, and the joints below it are in the wrong position.
    ///
    /// ## How to fix
    /// - Make the node between the joints a joint of the skin.
    /// - Blender: *Only Deform Bones* left out a bone without *Deform* between others. Parent the bone below to the one
    ///   above, or export all bones.
    /// - Maya: ungroup transforms that lie between joints (constraint groups, offset groups).
    /// - Exporters: list every node between two joints among the skin's joints.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 "Joint Hierarchy".
    PlainNodeBetweenJoints, "H307", "plain-node-between-joints", Warning
}

impl Rule for PlainNodeBetweenJoints {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.format != Format::Gltf {
            return;
        }
        let (skeletal, bound) = (joints::skeletal(cx.asset), cx.asset.bound_joints());
        let all = joints::nodes(cx.asset);
        let plain = all.filter(|joint| skeletal[joint.index()] && !bound[joint.index()]);
        joints::report_by_skin(cx, out, plain, |_| {
            "lies between two joints but is not a joint".to_owned()
        });
    }
}
