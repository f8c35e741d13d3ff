//! FBX's inherit types: whether a joint inherits its parent's scale.
//!
//! assimp concatenates matrices whatever the file says (`FBXConverter.cpp` never asks for `InheritType`), and so does
//! [`crate::rig`]. Where that makes a difference, the user is told.

use std::collections::BTreeSet;

use glam::Vec3;

use crate::rig::{Asset, Joint, JointId, Note};

/// `Rrs` in the FBX SDK: the parent's scale is not inherited; Maya's segment scale compensation.
pub(super) const WITHOUT_SCALE: i64 = 2;

/// `RrSs` in the FBX SDK: all rotations first, then all scales, so that a scale acts along the axes of the joint itself.
/// The same as concatenated matrices unless a joint above is scaled non-uniformly.
pub(super) const OWN_AXES: i64 = 0;

/// Begins what assimp appends to the name of a node for a part of its transform.
const TAG: &str = "_$AssimpFbx$_";

/// Scales closer to 1 than this move nothing by as much as a millionth of its distance.
const UNIT: f32 = 1e-6;

/// Adds a note for each of the joints called as in `names` whose parent is scaled, at rest or in a clip.
pub(super) fn note(asset: &mut Asset, names: &BTreeSet<String>) {
    if names.is_empty() {
        return;
    }
    let scaled = scaled(asset, |scale| differ(scale, Vec3::ONE));
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

/// Adds a note for each of the joints called as in `names` that has one above it which is scaled non-uniformly, at rest
/// or in a clip.
pub(super) fn note_own_axes(asset: &mut Asset, names: &BTreeSet<String>) {
    if names.is_empty() {
        return;
    }
    let uneven = scaled(asset, |scale| differ(scale, Vec3::splat(scale.x)));
    let joints = asset.skeleton.joints();
    let mut below = vec![false; joints.len()];
    let mut notes = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let Some(parent) = joint.parent else { continue };
        // The parts of a model's own transform hand on what they were handed.
        let own = model(parent, joints) == joint.name.split(TAG).next().unwrap_or_default();
        below[index] = below[parent.index()] || (uneven[parent.index()] && !own);
        if below[index] && names.contains(&joint.name) {
            notes.push(Note {
                place: format!("joint {:?}", joint.name),
                message: "a non-uniform scale above acts along the axes of the scaled joint here, where the file asks for those of this one (inherit type 0)".to_owned(),
            });
        }
    }
    asset.notes.extend(notes);
}

fn differ(a: Vec3, b: Vec3) -> bool {
    !(a - b).abs().cmple(Vec3::splat(UNIT)).all()
}

/// For each joint, whether its scale is one of those at any time.
fn scaled(asset: &Asset, is_scale: fn(Vec3) -> bool) -> Vec<bool> {
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
