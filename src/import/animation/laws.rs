//! What holds for every pair of a model and an animation file.

use glam::{DMat4, Vec3};
use proptest::prelude::*;

use super::tests::{clip, first_locals, rest_locals, worlds};
use super::*;
use crate::import::testing::{empty_asset, held};
use crate::rig::strategies::transforms;
use crate::rig::{Channel, LocalTransform, Node, Skeleton, Trs};
use crate::units::law;

/// Transforms have offsets below 2 and scales of 0.5 to 2 in chains of 8 at the most: entries stay below a few
/// thousand; f32 rounding, about a ten-millionth of that, occurs a few times.
const TOLERANCE: f64 = 1e-2;

type Merge = fn(&mut Asset, Asset) -> Result<MergeReport, AnimationError>;

/// With uniform scales, so that nothing is sheared.
fn trs() -> impl Strategy<Value = Trs> {
    (transforms(), 0.5_f32..2.0).prop_map(|(trs, scale)| Trs {
        scale: Vec3::splat(scale),
        ..trs
    })
}

/// A joint of the animation file: where it hangs, whether the model has it too, its rest transform and its first key.
type Row = (usize, bool, Trs, Trs);

fn nodes() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((any::<usize>(), any::<bool>(), trs(), trs()), 2..8)
}

/// A file in which every node is animated, and a model that has its nodes merged into those below.
fn pair(nodes: &[Row]) -> (Asset, Asset) {
    let parent = |index: usize| nodes[index].0.checked_rem(index).map(NodeId::from_index);
    let joints = nodes.iter().enumerate().map(|(index, node)| Node {
        name: format!("joint {index}"),
        parent: parent(index),
        rest: LocalTransform::Trs(node.2),
    });
    let file = Asset {
        skeleton: Skeleton::new(joints.collect()).unwrap(),
        clips: vec![first_keys(nodes)],
        ..empty_asset()
    };
    let model = Asset {
        skeleton: merged(nodes, &file.skeleton),
        ..empty_asset()
    };
    (model, file)
}

/// The last node is in the model in any case.
fn is_in_model(nodes: &[Row], index: usize) -> bool {
    nodes[index].1 || index + 1 == nodes.len()
}

fn merged(nodes: &[Row], file: &Skeleton) -> Skeleton {
    let mut joints: Vec<Node> = Vec::new();
    // For each node the model's joint that it is or is attached to, and its place there.
    let mut locations: Vec<(Option<NodeId>, DMat4)> = Vec::new();
    for (index, node) in file.nodes().iter().enumerate() {
        let above = node.parent.map(|parent| locations[parent.index()]);
        let (parent, above) = above.unwrap_or((None, DMat4::IDENTITY));
        let rest = above * node.rest.to_matrix().as_dmat4();
        if !is_in_model(nodes, index) {
            locations.push((parent, rest));
            continue;
        }
        joints.push(Node {
            name: node.name.clone(),
            parent,
            rest: LocalTransform::Matrix(rest.as_mat4()),
        });
        locations.push((Some(NodeId::from_index(joints.len() - 1)), DMat4::IDENTITY));
    }
    Skeleton::new(joints).unwrap()
}

fn first_keys(nodes: &[Row]) -> Clip {
    let channels = nodes.iter().enumerate().map(|(index, node)| Channel {
        translation: Some(held(node.3.translation)),
        rotation: Some(held(node.3.rotation)),
        scale: Some(held(node.3.scale)),
        ..Channel::of(NodeId::from_index(index))
    });
    clip("walk", channels.collect())
}

fn named(asset: &Asset, locals: &[LocalTransform], name: &str) -> DMat4 {
    let id = asset.skeleton.find(name).unwrap();
    worlds(&asset.skeleton, locals)[id.index()]
}

fn holds(law: impl Fn(Vec<Row>) -> Result<(), TestCaseError>) -> bool {
    law::holds(&nodes(), law).is_ok()
}

fn nothing_moves_at_rest(merge: Merge) -> bool {
    holds(|nodes| {
        let (before, file) = pair(&nodes);
        let mut after = before.clone();
        merge(&mut after, file).unwrap();
        for joint in before.skeleton.nodes() {
            let old = named(&before, &rest_locals(&before.skeleton), &joint.name);
            let new = named(&after, &rest_locals(&after.skeleton), &joint.name);
            prop_assert!(old.abs_diff_eq(new, TOLERANCE), "{}", joint.name);
        }
        Ok(())
    })
}

fn joints_move_as_in_the_animation_file(merge: Merge) -> bool {
    holds(|nodes| {
        let (mut asset, file) = pair(&nodes);
        let shared = asset.skeleton.clone();
        merge(&mut asset, file.clone()).unwrap();
        asset.validate().unwrap();
        for joint in shared.nodes() {
            let theirs = named(&file, &first_locals(&file), &joint.name);
            let ours = named(&asset, &first_locals(&asset), &joint.name);
            prop_assert!(theirs.abs_diff_eq(ours, TOLERANCE), "{}", joint.name);
        }
        Ok(())
    })
}

/// LearnOpenGL's own way: missing bones are appended, and what is attached to them keeps its rest transform.
fn without_compensation(
    asset: &mut Asset,
    animation: Asset,
) -> Result<MergeReport, AnimationError> {
    let rests = asset.skeleton.nodes().iter();
    let rests: Vec<_> = rests
        .map(|joint| (joint.name.clone(), joint.rest))
        .collect();
    let report = merge_clips(asset, animation)?;
    let mut joints: Vec<Node> = asset.skeleton.clone().into();
    for (name, rest) in rests {
        let joint = joints.iter_mut().find(|joint| joint.name == name);
        joint.unwrap().rest = rest;
    }
    asset.skeleton = Skeleton::new(joints).unwrap();
    Ok(report)
}

/// Channels by name, and no missing bones at all.
fn without_insertion(
    asset: &mut Asset,
    mut animation: Asset,
) -> Result<MergeReport, AnimationError> {
    if animation.clips.is_empty() {
        return Err(AnimationError::NoClips);
    }
    let ours = |joint: NodeId| {
        let name = &animation.skeleton.nodes()[joint.index()].name;
        asset.skeleton.find(name)
    };
    for clip in &mut animation.clips {
        clip.channels.retain_mut(|channel| {
            let known = ours(channel.node);
            known.inspect(|id| channel.node = *id).is_some()
        });
    }
    asset.clips = animation.clips;
    Ok(MergeReport::default())
}

#[test]
fn merging_moves_nothing_at_rest() {
    assert!(nothing_moves_at_rest(merge_clips));
}

#[test]
fn missing_bones_without_compensation_are_found_out() {
    assert!(!nothing_moves_at_rest(without_compensation));
}

#[test]
fn merged_joints_move_as_in_the_animation_file() {
    assert!(joints_move_as_in_the_animation_file(merge_clips));
}

#[test]
fn channels_without_missing_bones_are_found_out() {
    assert!(!joints_move_as_in_the_animation_file(without_insertion));
}
