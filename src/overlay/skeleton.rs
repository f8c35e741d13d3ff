//! The skeleton that is drawn over a model.

use super::Overlay;
use crate::pose::ModelPose;
use crate::rig::{Asset, NodeId};

/// The joints that a skin binds, each with a bone from the nearest bound joint above it; every node if nothing is
/// bound.
///
/// * `pose` – of `asset`.
///
/// Returns positions in world space.
#[must_use]
pub fn skeleton(asset: &Asset, pose: &ModelPose) -> Overlay {
    let mut shown = asset.bound_joints();
    if !shown.contains(&true) {
        shown.fill(true);
    }
    let place = |joint: NodeId| pose.joints[joint.index()].w_axis.truncate();
    let mut overlay = Overlay::default();
    let mut shown_above: Vec<Option<NodeId>> = Vec::with_capacity(shown.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| {
            let direct = shown[parent.index()].then_some(parent);
            direct.or(shown_above[parent.index()])
        });
        shown_above.push(above);
        if shown[id.index()] {
            overlay.joints.push(place(id));
            overlay
                .bones
                .extend(above.map(|above| [place(above), place(id)]));
        }
    }
    overlay
}
