//! FBX's inherit types: whether a joint inherits its parent's scale.
//!
//! assimp concatenates matrices whatever the file says (`FBXConverter.cpp` never asks for `InheritType`), and so does
//! [`crate::rig`]. Where that makes a difference, the user is told.

use std::collections::BTreeSet;

use crate::rig::{Asset, Joint, JointId, Note};

/// `Rrs` in the FBX SDK: the parent's scale is not inherited; Maya's segment scale compensation.
pub(super) const WITHOUT_SCALE: i64 = 2;

/// Begins what assimp appends to the name of a node for a part of its transform.
const TAG: &str = "_$AssimpFbx$_";

/// Scales closer to 1 than this move nothing by as much as a millionth of its distance.
const UNIT: f32 = 1e-6;

/// Adds a note for each of the joints called as in `names` whose parent is scaled, at rest or in a clip.
pub(super) fn note(asset: &mut Asset, names: &BTreeSet<String>) {
    if names.is_empty() {
        return;
    }
    let scaled = scaled(asset);
    let joints = asset.skeleton.joints();
    let is_wrong =
        |joint: &&Joint| names.contains(&joint.name) && has_scaled_parent(joint, joints, &scaled);
    let notes = joints.iter().filter(is_wrong).map(|joint| Note {
        place: format!("joint {:?}", joint.name),
        message:
            "inherits the scale of its parent here, which the file asks it not to (inherit type 2)"
                .to_owned(),
    });
    let notes: Vec<Note> = notes.collect();
    asset.notes.extend(notes);
}

/// For each joint, whether it scales anything at any time.
fn scaled(asset: &Asset) -> Vec<bool> {
    let is_scale = |scale: glam::Vec3| {
        !(scale - glam::Vec3::ONE)
            .abs()
            .cmple(glam::Vec3::splat(UNIT))
            .all()
    };
    let rest = asset
        .skeleton
        .joints()
        .iter()
        .map(|joint| joint.rest.to_trs().scale);
    let mut scaled: Vec<bool> = rest.map(is_scale).collect();
    for channel in asset.clips.iter().flat_map(|clip| &clip.channels) {
        let mut keys = channel.scale.iter().flat_map(|track| &track.keys);
        scaled[channel.joint.index()] |= keys.any(|key| is_scale(key.value));
    }
    scaled
}

fn has_scaled_parent(joint: &Joint, joints: &[Joint], scaled: &[bool]) -> bool {
    let mut above = ancestors(joint, joints).skip_while(|id| model(*id, joints) == joint.name);
    let Some(parent) = above.next() else {
        return false;
    };
    let name = model(parent, joints);
    let parts = std::iter::once(parent).chain(above.take_while(|id| model(*id, joints) == name));
    parts.into_iter().any(|id| scaled[id.index()])
}

fn ancestors<'a>(joint: &Joint, joints: &'a [Joint]) -> impl Iterator<Item = JointId> + 'a {
    std::iter::successors(joint.parent, |id| joints[id.index()].parent)
}

/// The name of the model that a joint is a part of.
fn model(id: JointId, joints: &[Joint]) -> &str {
    let name = &joints[id.index()].name;
    name.split(TAG).next().unwrap_or(name)
}
