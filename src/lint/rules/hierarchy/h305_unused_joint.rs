//! `H305`: unused-joint.

use crate::lint::analysis::joints;
use crate::lint::rules::hierarchy::end_bone;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Rule};
use crate::rig::{Asset, NodeId};

declare_rule! {
    /// ## What it does
    /// Lists the joints of a skin that influence no vertex and have no such joint below them.
    ///
    /// A joint with a rigid mesh attached, such as a helmet, is in use. `H306` reports end bones.
    ///
    /// ## Why is this bad?
    /// Each unused joint costs a palette entry, an animation track and a matrix per frame, without a visible effect.
    /// Sockets for objects in a game are intended. Exported controllers and inverse kinematics targets are not.
    ///
    /// ## How to fix
    /// - Exclude unused joints from the export.
    /// - Blender: switch off *Deform* of control bones, and export with *Only Deform Bones*.
    /// - Maya: *Skin → Edit Influences → Remove Unused Influences*; export the joint hierarchy without the control rig.
    /// - Leave sockets as they are, and switch the rule off for such files.
    ///
    /// ## References
    /// - Unreal Engine, skeletal mesh reduction settings: "Bones to Remove".
    UnusedJoint, "H305", "unused-joint", Info
}

impl Rule for UnusedJoint {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let followed = joints::followed(cx.asset);
        // If no vertex has weights at all, B208 reports that.
        if !followed.contains(&true) {
            return;
        }
        let (needed, bound) = (needed(cx.asset, followed), cx.asset.bound_joints());
        let unused = |joint: &NodeId| {
            let index = joint.index();
            bound[index] && !needed[index] && !end_bone::is_end(cx, *joint)
        };
        let all = (0..cx.asset.skeleton.len()).map(NodeId::from_index);
        joints::report_by_skin(cx, out, all.filter(unused), |_| {
            "neither it nor any joint below it has weights".to_owned()
        });
    }
}

/// Joints with something visible attached.
fn needed(asset: &Asset, followed: Vec<bool>) -> Vec<bool> {
    let mut needed = followed;
    for instance in asset
        .instances
        .iter()
        .filter(|instance| instance.skin.is_none())
    {
        needed[instance.node.index()] = true;
    }
    joints::add_ancestors(asset, &mut needed);
    needed
}
