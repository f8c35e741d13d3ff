//! Faults by family, each in strengths from invisible to obvious.

mod bind;
mod clips;
mod hierarchy;
mod morph;
mod placement;
mod scene;
mod surface;
mod weights;

use glam::{Quat, Vec3};
use skincheck::rig::{
    Asset, Clip, Influence, Influences, LocalTransform, NodeId, Skeleton, Span, Trs,
};

/// A class of faults.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    /// The rules for this class.
    pub(crate) expected: &'static [&'static str],
    /// Ascending, in the unit that the name states.
    pub(crate) strengths: &'static [f32],
    /// Whether it may be meant, although a rule for it is proved in other cases.
    pub(crate) may_be_meant: bool,
    /// The least visible strength. Below it, no hint is due.
    pub(crate) seen: f32,
    /// Plants the fault; returns `false` if the model has nothing to plant it in.
    pub(crate) plant: fn(&mut Asset, f32) -> bool,
}

impl Class {
    /// A fault that is either present or not.
    const fn of(name: &'static str, expected: &'static [&'static str]) -> Self {
        Self {
            name,
            expected,
            strengths: &[1.0],
            seen: 1.0,
            may_be_meant: false,
            plant: |_, _| false,
        }
    }

    /// A fault of several strengths.
    const fn seen_from(self, seen: f32, strengths: &'static [f32]) -> Self {
        Self {
            strengths,
            seen,
            ..self
        }
    }

    /// A fault that the file does not prove.
    const fn that_may_be_meant(self) -> Self {
        Self {
            may_be_meant: true,
            ..self
        }
    }

    const fn planted(self, plant: fn(&mut Asset, f32) -> bool) -> Self {
        Self { plant, ..self }
    }
}

/// The classes of each family.
pub(crate) const FAMILIES: &[(&str, &[Class])] = &[
    ("weights", weights::CLASSES),
    ("bind", bind::CLASSES),
    ("hierarchy", hierarchy::CLASSES),
    ("clips", clips::CLASSES),
    ("surface", surface::CLASSES),
    ("scene", scene::CLASSES),
    ("morph", morph::CLASSES),
    ("units and axes", placement::CLASSES),
];

/// The families whose faults can be planted in any character.
pub(crate) const REAL: &[(&str, &[Class])] = &[
    ("weights", weights::CLASSES),
    ("clips", clips::CLASSES),
    ("surface", surface::CLASSES),
    ("units and axes", placement::CLASSES),
];

/// Rewrites the influences of each vertex of the first mesh.
fn reweigh(asset: &mut Asset, mut change: impl FnMut(usize, &mut Vec<Influence>)) {
    let mesh = &mut asset.meshes[0];
    let lists = mesh.influences.iter().enumerate().map(|(vertex, list)| {
        let mut list = list.to_vec();
        change(vertex, &mut list);
        list
    });
    mesh.influences = Influences::from_vertices(lists.collect::<Vec<_>>());
}

/// The vertices that only one slot moves.
fn owned(asset: &Asset, slot: u32) -> Vec<usize> {
    let lists = asset.meshes[0].influences.iter().enumerate();
    let owned = lists.filter(|(_, list)| list.len() == 1 && list[0].slot.0 == slot);
    owned.map(|(vertex, _)| vertex).collect()
}

/// A joint in the middle of a limb: the last one of the skin with a bound parent, grandparent and child that moves
/// vertices alone, and that the first clip rotates.
fn middle(asset: &Asset) -> usize {
    limb(asset).expect("every model has a limb")
}

/// The same; `None` if a model has no limb.
pub(super) fn limb(asset: &Asset) -> Option<usize> {
    let bound = asset.bound_joints();
    let joints = asset.skeleton.nodes();
    let above = |joint: usize| joints[joint].parent.map(NodeId::index);
    let is_inner = |joint: usize| {
        let parent = above(joint).filter(|parent| bound[*parent]);
        let grandparent = parent.and_then(above);
        grandparent.is_some() && child(asset, joint).is_some()
    };
    let rotates = |joint: usize| {
        let mut driven = asset.clips.iter().take(1).flat_map(|clip| &clip.channels);
        let is_turned = driven.any(|own| own.node.index() == joint && own.rotation.is_some());
        is_turned || asset.clips.is_empty()
    };
    let skin = asset.skins.first()?;
    let slots = skin.joints.iter().enumerate();
    let inner = slots.filter(|(_, joint)| is_inner(joint.index()));
    let usable = inner
        .filter(|(slot, joint)| owned(asset, *slot as u32).len() > 3 && rotates(joint.index()));
    let joints = usable.map(|(_, joint)| joint.index());
    joints.max_by_key(|joint| (is_keyed(asset, *joint), *joint))
}

/// Whether the first clip has many keys for a joint.
fn is_keyed(asset: &Asset, joint: usize) -> bool {
    let channels = asset.clips.iter().take(1).flat_map(|clip| &clip.channels);
    let mut own = channels.filter(|channel| channel.node.index() == joint);
    own.any(|channel| matches!(&channel.rotation, Some(track) if track.keys.len() >= MANY_KEYS))
}

/// The fewest keys that show a frame which is unlike those beside it.
const MANY_KEYS: usize = 8;

/// The slot of a joint of the first skin.
fn slot(asset: &Asset, joint: usize) -> u32 {
    let mut joints = asset.skins[0].joints.iter();
    let slot = joints.position(|own| own.index() == joint);
    slot.expect("the skin binds it") as u32
}

/// The first child of a joint that the first skin binds.
fn child(asset: &Asset, joint: usize) -> Option<usize> {
    let joints = asset.skeleton.nodes();
    let bound = asset.skins[0].joints.iter().map(|own| own.index());
    let below = bound.filter(|own| joints[*own].parent == Some(NodeId::from_index(joint)));
    below.min()
}

/// The joints below `top`, and itself.
fn below(asset: &Asset, top: usize) -> Vec<usize> {
    let mut below = vec![top];
    for (joint, node) in asset.skeleton.iter() {
        if node
            .parent
            .is_some_and(|parent| below.contains(&parent.index()))
        {
            below.push(joint.index());
        }
    }
    below
}

/// The joint of the skin farthest from `joint` in the bind pose.
fn farthest(asset: &Asset, joint: usize) -> usize {
    let heads = heads(asset);
    let own = slot(asset, joint) as usize;
    let distance = |other: &usize| heads[*other].distance(heads[own]);
    let all = 0..heads.len();
    let farthest = all.max_by(|a, b| distance(a).total_cmp(&distance(b)));
    asset.skins[0].joints[farthest.expect("a skin has joints")].index()
}

/// The position of each joint of the skin in the bind pose, by slot.
fn heads(asset: &Asset) -> Vec<Vec3> {
    let inverse = asset.skins[0].inverse_bind_matrices.iter();
    inverse
        .map(|matrix| matrix.inverse().w_axis.truncate())
        .collect()
}

/// The diagonal of the first mesh.
fn diagonal(asset: &Asset) -> f32 {
    let positions = asset.meshes[0].positions.iter().copied();
    let (low, high) = positions.fold((Vec3::MAX, Vec3::MIN), |(low, high), position| {
        (low.min(position), high.max(position))
    });
    low.distance(high)
}

/// Changes a joint's name, parent or rest transform.
fn rejoint(asset: &mut Asset, joint: usize, change: impl FnOnce(&mut skincheck::rig::Node)) {
    let mut joints = asset.skeleton.nodes().to_vec();
    change(&mut joints[joint]);
    asset.skeleton = Skeleton::new(joints).expect("parents come first");
}

/// Changes the joint in the middle of a limb.
fn change_middle(asset: &mut Asset, change: impl FnOnce(&mut skincheck::rig::Node)) -> bool {
    let joint = middle(asset);
    rejoint(asset, joint, change);
    true
}

/// Drops the tracks of a joint.
fn drop_tracks(asset: &mut Asset, joint: usize) {
    for clip in &mut asset.clips {
        clip.channels
            .retain(|channel| channel.node.index() != joint);
    }
}

fn trs(transform: &mut LocalTransform) -> &mut Trs {
    if let LocalTransform::Matrix(_) = transform {
        *transform = LocalTransform::Trs(transform.to_trs());
    }
    match transform {
        LocalTransform::Trs(trs) => trs,
        LocalTransform::Matrix(_) => unreachable!("it was made of parts above"),
    }
}

/// Changes the rotation keys of the joint in the middle of a limb in the first clip; `change` receives the index of the
/// key, their number, and the value.
fn rekey(asset: &mut Asset, change: impl Fn(usize, usize, &mut Quat)) -> bool {
    let joint = middle(asset);
    let Some(clip) = asset.clips.first_mut() else {
        return false;
    };
    let Some(track) = rotation(clip, joint) else {
        return false;
    };
    let count = track.keys.len();
    let mut before: Option<&mut Span<Quat>> = None;
    for (number, key) in track.keys.iter_mut().enumerate() {
        let old = key.value;
        change(number, count, &mut key.value);
        // The tangents on both sides of a key turn with it.
        let turn = old.inverse() * key.value;
        if let Some(Span::Cubic { arrive, .. }) = before {
            *arrive *= turn;
        }
        if let Span::Cubic { leave, .. } = &mut key.span {
            *leave *= turn;
        }
        before = Some(&mut key.span);
    }
    true
}

fn rotation(clip: &mut Clip, joint: usize) -> Option<&mut skincheck::rig::Track<Quat>> {
    let id = NodeId::from_index(joint);
    let mut channels = clip.channels.iter_mut();
    channels
        .find(|channel| channel.node == id)?
        .rotation
        .as_mut()
}

/// A number from -1 to 1 derived from `seed`.
fn noise(seed: usize) -> f32 {
    let mixed = (seed as u32)
        .wrapping_mul(2_654_435_761)
        .rotate_left(13)
        .wrapping_mul(40_503);
    mixed as f32 / (u32::MAX / 2) as f32 - 1.0
}
