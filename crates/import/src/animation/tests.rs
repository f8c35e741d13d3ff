use glam::{DMat4, Mat4, Quat, Vec3};
use proptest::prelude::*;

use super::*;
use crate::rig::strategies::transforms;
use crate::rig::{Channel, LocalTransform, MeshInstance, MorphChannel, Node, Skeleton, Skin, Trs};
use crate::testing::{empty_asset, held, messages};
use crate::units::{Seconds, Space, law};

/// `(name, parent, offset from the parent)`.
type Row<'a> = (&'a str, Option<u32>, [f32; 3]);

/// Joints without offsets.
fn flat<const N: usize>(joints: [(&str, Option<u32>); N]) -> [Row<'_>; N] {
    joints.map(|(name, parent)| (name, parent, [0.0; 3]))
}

fn skeleton(rows: &[Row<'_>]) -> Skeleton {
    let joint = |&(name, parent, offset): &Row<'_>| Node {
        name: name.into(),
        parent: parent.map(NodeId),
        rest: offset_by(offset),
    };
    Skeleton::new(rows.iter().map(joint).collect()).unwrap()
}

fn offset_by(offset: [f32; 3]) -> LocalTransform {
    LocalTransform::Trs(Trs {
        translation: offset.into(),
        ..Trs::IDENTITY
    })
}

fn model(rows: &[Row<'_>]) -> Asset {
    Asset {
        skeleton: skeleton(rows),
        ..empty_asset()
    }
}

fn channel(joint: u32, offset: [f32; 3]) -> Channel {
    Channel {
        translation: Some(held(offset.into())),
        rotation: Some(held(Quat::IDENTITY)),
        scale: Some(held(Vec3::ONE)),
        ..Channel::of(NodeId(joint))
    }
}

pub(super) fn clip(name: &str, channels: Vec<Channel>) -> Clip {
    Clip {
        channels,
        ..Clip::new(name, Seconds(1.0))
    }
}

fn animation(rows: &[Row<'_>], channels: Vec<Channel>) -> Asset {
    Asset {
        clips: vec![clip("walk", channels)],
        ..model(rows)
    }
}

pub(super) fn worlds(skeleton: &Skeleton, locals: &[LocalTransform]) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::new();
    for (joint, local) in skeleton.nodes().iter().zip(locals) {
        let local = local.to_matrix().as_dmat4();
        let above = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(above.map_or(local, |above| above * local));
    }
    worlds
}

fn rest_locals(skeleton: &Skeleton) -> Vec<LocalTransform> {
    skeleton.nodes().iter().map(|joint| joint.rest).collect()
}

/// The locals at the first key of the first clip.
pub(super) fn first_locals(asset: &Asset) -> Vec<LocalTransform> {
    let mut locals = rest_locals(&asset.skeleton);
    for channel in &asset.clips[0].channels {
        let local = &mut locals[channel.node.index()];
        let mut trs = local.to_trs();
        if let Some(track) = &channel.translation {
            trs.translation = track.keys[0].value;
        }
        if let Some(track) = &channel.rotation {
            trs.rotation = track.keys[0].value;
        }
        if let Some(track) = &channel.scale {
            trs.scale = track.keys[0].value;
        }
        *local = LocalTransform::Trs(trs);
    }
    locals
}

fn parent_name(asset: &Asset, name: &str) -> Option<String> {
    let id = asset.skeleton.find(name).unwrap();
    let parent = asset.skeleton.get(id).unwrap().parent?;
    Some(asset.skeleton.get(parent).unwrap().name.clone())
}

#[test]
fn the_clips_replace_those_of_the_model() {
    let mut asset = animation(&flat([("hip", None)]), vec![channel(0, [1.0; 3])]);
    asset.clips[0].name = "idle".into();
    let walk = animation(&flat([("hip", None)]), vec![channel(0, [2.0; 3])]);
    let report = merge_clips(&mut asset, walk).unwrap();
    let names: Vec<&str> = asset.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["walk"]);
    assert_eq!(report.matched, ["hip"]);
    assert_eq!(messages(&asset), ["its clips replace the model's (1)"]);
}

#[test]
fn channels_follow_the_names_not_the_order() {
    let mut asset = model(&flat([("hip", None), ("knee", Some(0))]));
    let rows = &flat([("root", None), ("knee", Some(0)), ("hip", None)]);
    let walk = animation(rows, vec![channel(1, [1.0; 3]), channel(2, [2.0; 3])]);
    merge_clips(&mut asset, walk).unwrap();
    let joints = asset.clips[0].channels.iter().map(|channel| channel.node.0);
    assert_eq!(joints.collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_namespace_and_case_may_differ_where_that_is_unambiguous() {
    let rows = &flat([
        ("mixamorig:Hips", None),
        ("Spine", Some(0)),
        ("arm", Some(1)),
        ("ARM", Some(1)),
    ]);
    let mut asset = model(rows);
    let rows = &flat([("Hips", None), ("rig|spine", Some(0)), ("Arm", Some(1))]);
    let channels = (0..3).map(|joint| channel(joint, [0.0; 3])).collect();
    let report = merge_clips(&mut asset, animation(rows, channels)).unwrap();
    assert_eq!(report.matched, ["Hips", "rig|spine"]);
    assert_eq!(report.unmatched, ["Arm"]);
    insta::assert_snapshot!(messages(&asset).join("\n"), @r#"
    the model lacks "Arm", whose motion is skipped
    "Hips" match only without namespaces
    "rig|spine" match only if case is ignored
    "#);
}

#[test]
fn an_exact_name_wins_over_one_without_its_namespace() {
    let mut asset = model(&flat([("a:hip", None), ("hip", None)]));
    let rows = &flat([("hip", None), ("a:hip", None)]);
    let walk = animation(rows, vec![channel(0, [0.0; 3]), channel(1, [0.0; 3])]);
    merge_clips(&mut asset, walk).unwrap();
    let joints = asset.clips[0].channels.iter().map(|channel| channel.node.0);
    assert_eq!(joints.collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_joint_without_a_name_among_named_ones_matches_nothing() {
    let rows = &flat([("", None), ("hip", None)]);
    let walk = animation(rows, vec![channel(0, [0.0; 3])]);
    assert!(merge_clips(&mut model(rows), walk).is_err());
}

#[test]
fn unnamed_joints_match_the_first_joints_of_the_model() {
    let mut asset = model(&flat([("hip", None), ("knee", Some(0)), ("mesh", None)]));
    let rows = &flat([("", None), ("", Some(0))]);
    merge_clips(&mut asset, animation(rows, vec![channel(1, [1.0; 3])])).unwrap();
    assert_eq!(asset.clips[0].channels[0].node, NodeId(1));
    let notes = asset.notes.iter();
    assert!(notes.clone().any(|note| note.message.contains("by order")));
    let hung_otherwise = flat([("", None); 2]);
    let too_many = flat([("", None); 4]);
    for rows in [&hung_otherwise[..], &too_many] {
        let walk = animation(rows, vec![channel(0, [0.0; 3])]);
        let error = merge_clips(&mut asset, walk).unwrap_err();
        assert!(matches!(error, AnimationError::Nameless { .. }), "{error}");
    }
}

#[test]
fn skeletons_without_a_common_joint_are_refused_with_a_suggestion() {
    let mut asset = model(&flat([("pelvis", None), ("left_knee", Some(0))]));
    let before = asset.clone();
    let rows = &flat([("Bip01", None), ("knee_left", Some(0)), ("pelvis", None)]);
    let walk = animation(rows, vec![channel(0, [0.0; 3]), channel(1, [0.0; 3])]);
    let error = merge_clips(&mut asset, walk).unwrap_err();
    insta::assert_snapshot!(error, @r#"no joint of the animation is in the model: the animation moves "Bip01", "knee_left", the model has "pelvis", "left_knee"; the most similar are its "knee_left" and the model's "left_knee""#);
    assert_eq!(asset, before);
}

#[test]
fn a_missing_bone_goes_between_its_neighbours() {
    // LearnOpenGL's case: the model merges the spine's two offsets into one, the animation file has them apart.
    let mut asset = model(&[("hip", None, [0.0; 3]), ("head", Some(0), [0.0, 3.0, 0.0])]);
    asset.skins.push(Skin {
        name: String::new(),
        joints: vec![NodeId(1), NodeId(0)],
        inverse_bind_matrices: vec![Mat4::IDENTITY; 2],
    });
    let rows: &[Row<'_>] = &[
        ("hip", None, [0.0; 3]),
        ("spine", Some(0), [0.0, 2.0, 0.0]),
        ("head", Some(1), [0.0, 1.0, 0.0]),
    ];
    let walk = animation(rows, vec![channel(1, [5.0, 2.0, 0.0])]);
    let report = merge_clips(&mut asset, walk).unwrap();
    assert_eq!(report.inserted, ["spine"]);
    assert_eq!(parent_name(&asset, "head").as_deref(), Some("spine"));
    assert_eq!(parent_name(&asset, "spine").as_deref(), Some("hip"));
    assert_eq!(asset.skins[0].joints, [NodeId(2), NodeId(0)]);
    let posed = worlds(&asset.skeleton, &first_locals(&asset));
    assert_eq!(posed[2].w_axis.truncate(), glam::DVec3::new(5.0, 3.0, 0.0));
}

#[test]
fn a_still_node_that_the_model_has_not_merged_is_not_inserted() {
    // The same offset on the joint itself in both files: the node above is the exporter's frame.
    let mut asset = model(&[("hip", None, [0.0, 1.0, 0.0])]);
    let rows: &[Row<'_>] = &[
        ("Armature", None, [0.0, 0.0, 9.0]),
        ("hip", Some(0), [0.0, 1.0, 0.0]),
    ];
    let report = merge_clips(&mut asset, animation(rows, vec![channel(1, [0.0; 3])])).unwrap();
    assert!(report.inserted.is_empty());
    assert_eq!(asset.skeleton.len(), 1);
}

#[test]
fn a_node_without_an_inverse_is_not_inserted() {
    let mut asset = model(&flat([("hip", None)]));
    let rows = &flat([("flat", None), ("hip", Some(0))]);
    let mut walk = animation(rows, vec![channel(0, [0.0; 3]), channel(1, [0.0; 3])]);
    let mut joints: Vec<Node> = walk.skeleton.nodes().to_vec();
    joints[0].rest = LocalTransform::Matrix(Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0)));
    walk.skeleton = Skeleton::new(joints).unwrap();
    let report = merge_clips(&mut asset, walk).unwrap();
    assert_eq!(report.unmatched, ["flat"]);
    insta::assert_snapshot!(messages(&asset).join("\n"), @r#"
    the model lacks "flat", whose motion is skipped
    "hip" has a different parent in the model; the motion may not fit
    "#);
}

#[test]
fn reparented_joints_are_reported() {
    let mut asset = model(&flat([("hip", None), ("spine", Some(0)), ("arm", Some(1))]));
    let rows = &flat([("hip", None), ("spine", Some(0)), ("arm", Some(0))]);
    merge_clips(&mut asset, animation(rows, vec![channel(2, [0.0; 3])])).unwrap();
    insta::assert_snapshot!(messages(&asset).join("\n"), @r#""arm" has a different parent in the model; the motion may not fit"#);
}

#[test]
fn another_unit_is_reported() {
    let mut asset = model(&flat([("hip", None)]));
    asset.space = Space::Y_UP_METRES;
    let walk = animation(&flat([("hip", None)]), vec![channel(0, [0.0; 3])]);
    merge_clips(&mut asset, walk).unwrap();
    insta::assert_snapshot!(messages(&asset).join("\n"), @"it is in units of unknown length with +Y up and +Z in front, the model in units of 1 m with +Y up and +Z in front; the keys are used unchanged");
}

#[test]
fn morph_weights_for_another_number_of_targets_are_skipped() {
    let mut asset = model(&flat([("face", None)]));
    asset.instances.push(MeshInstance {
        node: NodeId(0),
        mesh: crate::rig::MeshId(0),
        skin: None,
        morph_weights: vec![0.0; 2],
    });
    for (count, kept) in [(2, 1), (3, 0)] {
        let mut talk = animation(&flat([("face", None)]), Vec::new());
        talk.clips[0].morph_channels.push(MorphChannel {
            node: NodeId(0),
            weights: held(vec![0.5; count]),
        });
        merge_clips(&mut asset, talk).unwrap();
        assert_eq!(asset.clips[0].morph_channels.len(), kept, "{count} weights");
    }
}

#[test]
fn a_long_chain_of_missing_bones_is_fast() {
    let mut rows: Vec<Row<'_>> = vec![("hip", None, [0.0; 3])];
    rows.extend((0..50_000).map(|index| ("", Some(index), [0.0; 3])));
    let leaves: Vec<String> = (0..2_000).map(|index| format!("leaf{index}")).collect();
    let below = |parent| {
        leaves
            .iter()
            .map(move |name| (name.as_str(), Some(parent), [0.0; 3]))
    };
    rows.extend(below(50_000));
    let mut ours: Vec<Row<'_>> = vec![("hip", None, [0.0; 3])];
    ours.extend(below(0));
    let mut asset = model(&ours);
    let walk = animation(&rows, vec![channel(1, [0.0; 3]), channel(50_001, [0.0; 3])]);
    let report = merge_clips(&mut asset, walk).unwrap();
    assert_eq!(report.inserted.len(), 50_000);
}

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
type GeneratedJoint = (usize, bool, Trs, Trs);

fn nodes() -> impl Strategy<Value = Vec<GeneratedJoint>> {
    prop::collection::vec((any::<usize>(), any::<bool>(), trs(), trs()), 2..8)
}

/// A file in which every node is animated, and a model that has its nodes merged into those below.
fn pair(nodes: &[GeneratedJoint]) -> (Asset, Asset) {
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
fn is_in_model(nodes: &[GeneratedJoint], index: usize) -> bool {
    nodes[index].1 || index + 1 == nodes.len()
}

fn merged(nodes: &[GeneratedJoint], file: &Skeleton) -> Skeleton {
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

fn first_keys(nodes: &[GeneratedJoint]) -> Clip {
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

fn holds(law: impl Fn(Vec<GeneratedJoint>) -> Result<(), TestCaseError>) -> bool {
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
    let rests: Vec<_> = asset
        .skeleton
        .nodes()
        .iter()
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
        let name = &animation.skeleton[joint].name;
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

#[test]
fn the_parts_that_assimp_makes_of_a_node_are_named_once_as_people_know_it() {
    let names = [
        "Hips_$AssimpFbx$_Translation",
        "Hips_$AssimpFbx$_PreRotation",
        "Hips",
        "Tail",
    ]
    .map(str::to_owned);
    assert_eq!(listed(&names), r#"the pivot of "Hips", "Hips", "Tail""#);
}

#[test]
fn a_long_list_is_cut() {
    let names = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned);
    assert_eq!(listed(&names), r#""a", "b", "c", "d", "e" and 2 more"#);
    assert_eq!(listed(&[]), "none");
}
