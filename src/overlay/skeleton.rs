//! The skeleton that is drawn over a model.

use super::Overlay;
use crate::pose::ModelPose;
use crate::rig::{Asset, Node, NodeId};
use crate::shown::printable;

/// The nodes of a model that a drawn skeleton consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Joints {
    /// The joints that a skin binds; every node if nothing is bound.
    #[default]
    OfSkins,
    /// Every node: helpers, targets of inverse kinematics and meshes too.
    All,
}

/// The shown joints, each with a bone from the nearest shown joint above it.
///
/// * `pose` – of `asset`.
///
/// Returns positions in world space.
#[must_use]
pub fn skeleton(asset: &Asset, pose: &ModelPose, joints: Joints) -> Overlay {
    let mut shown = asset.bound_joints();
    if joints == Joints::All || !shown.contains(&true) {
        shown.fill(true);
    }
    let position = |joint: NodeId| pose.joints[joint.index()].w_axis.truncate();
    let mut overlay = Overlay::default();
    let mut shown_above: Vec<Option<NodeId>> = Vec::with_capacity(shown.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| {
            let direct = shown[parent.index()].then_some(parent);
            direct.or(shown_above[parent.index()])
        });
        shown_above.push(above);
        if shown[id.index()] {
            overlay.joints.push(position(id));
            overlay.names.push(name(id, joint));
            overlay
                .bones
                .extend(above.map(|above| [position(above), position(id)]));
        }
    }
    overlay
}

/// The name without a prefix such as `mixamorig:`, which all joints of a model share.
fn name(id: NodeId, node: &Node) -> String {
    let end = node.name.rfind([':', '|']).map_or(0, |colon| colon + 1);
    match &node.name[end..] {
        "" => format!("#{}", id.index()),
        bare => printable(bare),
    }
}
