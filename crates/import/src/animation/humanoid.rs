//! Retargets a VRM animation: from the bones of its humanoid to those of the model's.
//!
//! # Reference
//!
//! `VRMC_vrm_animation` 1.0, *How to treat human bones*; `VRMC_vrm` 1.0, humanoid.md.

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};

use super::spaces::worlds;
use super::{AnimationError, MergeReport};
use crate::rig::{
    Asset, Channel, ExpressionChannel, ExpressionId, HumanBone, Humanoid, NodeId, Note, Skeleton,
    Span, Track, VrmVersion,
};
use crate::units::amount;

/// Replaces the clips of `asset` with those of `animation`, which states the humanoid `theirs`. A bone takes the rotation relative to
/// the rest pose in world space, and the hips their movement, scaled by the height of the hips. Expressions are driven if the model
/// states them.
///
/// # Errors
///
/// [`AnimationError::NoHumanoid`] for a model without a humanoid, and [`AnimationError::NoCommonBone`].
pub(super) fn retarget(
    asset: &mut Asset,
    animation: &Asset,
    theirs: &Humanoid,
) -> Result<MergeReport, AnimationError> {
    let ours = asset.humanoid.as_ref().ok_or(AnimationError::NoHumanoid)?;
    let turned = ours.version == VrmVersion::V0;
    let [their_worlds, our_worlds] = [&animation.skeleton, &asset.skeleton].map(worlds);
    let bones: Vec<Bone> = theirs
        .bones
        .iter()
        .filter_map(|(bone, node)| {
            let own = *ours.bones.get(bone)?;
            let their_rest = Rest::of(&animation.skeleton, &their_worlds, *node);
            let our_rest = Rest::of(&asset.skeleton, &our_worlds, own);
            Some(Bone::new(
                *bone,
                [*node, own],
                [their_rest, our_rest],
                turned,
            ))
        })
        .collect();
    let expressions = expressions(asset, theirs);
    let mut clips = animation.clips.clone();
    let mut dropped = 0;
    for clip in &mut clips {
        let others = clip.morph_channels.len() + clip.visibility_channels.len();
        let count = clip.channels.len() + others;
        clip.morph_channels.clear();
        clip.visibility_channels.clear();
        for channel in std::mem::take(&mut clip.channels) {
            if let Some(expression) = expressions.get(&channel.node) {
                let weight = channel.translation.map(|track| track.map(|place| place.x));
                let channel = weight.map(|weight| ExpressionChannel {
                    expression: *expression,
                    weight,
                });
                clip.expression_channels.extend(channel);
            } else if let Some(bone) = bones.iter().find(|bone| bone.theirs == channel.node) {
                clip.channels.extend(bone.retargeted(channel));
            }
        }
        dropped += count - clip.channels.len() - clip.expression_channels.len();
    }
    let moved = |bone: &&Bone| {
        let mut channels = clips.iter().flat_map(|clip| &clip.channels);
        channels.any(|channel| channel.node == bone.ours)
    };
    let names = bones.iter().filter(moved).map(|bone| bone.name.to_string());
    let report = MergeReport {
        matched: names.collect(),
        ..MergeReport::default()
    };
    let has_no_expression = clips.iter().all(|clip| clip.expression_channels.is_empty());
    if report.matched.is_empty() && has_no_expression {
        return Err(AnimationError::NoCommonBone);
    }
    if dropped > 0 {
        let note = "only rotations of bones that both humanoids have, the movement of the hips, and expressions that the model states \
                    are used";
        asset.notes.push(Note {
            location: "animation".into(),
            message: format!("{} skipped: {note}", amount(dropped, "channel")),
        });
    }
    asset.clips = clips;
    Ok(report)
}

/// The nodes of the animation that stand for expressions of the model.
fn expressions(asset: &Asset, theirs: &Humanoid) -> BTreeMap<NodeId, ExpressionId> {
    let known = |name: &String| {
        let mut own = asset.expressions.iter();
        own.position(|own| own.name == *name)
    };
    let named = theirs.expressions.iter();
    let expressions =
        named.filter_map(|(name, node)| Some((*node, ExpressionId::from_index(known(name)?))));
    expressions.collect()
}

/// Where a bone and the node above it are at rest: `world_from_node` of both.
struct Rest {
    own: DMat4,
    parent: DMat4,
}

impl Rest {
    fn of(skeleton: &Skeleton, worlds: &[DMat4], node: NodeId) -> Self {
        let parent = skeleton[node].parent;
        Self {
            own: worlds[node.index()],
            parent: parent.map_or(DMat4::IDENTITY, |parent| worlds[parent.index()]),
        }
    }
}

/// A bone that both humanoids have.
struct Bone {
    name: HumanBone,
    theirs: NodeId,
    ours: NodeId,
    /// What is left and right of a rotation of theirs, to make it one of ours.
    around: [DQuat; 2],
    /// `our_parent_from_their_parent`, for the movement of the hips.
    place: DMat4,
}

impl Bone {
    /// * `turned` – whether the model faces along −z.
    fn new(
        name: HumanBone,
        [theirs, ours]: [NodeId; 2],
        [their_rest, our_rest]: [Rest; 2],
        turned: bool,
    ) -> Self {
        let half_turn = if turned {
            DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0)
        } else {
            DQuat::IDENTITY
        };
        // The rotation in the world, between the axes of the model's parent and of its bone at rest.
        let left =
            rotation(&our_rest.parent).conjugate() * half_turn * rotation(&their_rest.parent);
        let right =
            rotation(&their_rest.own).conjugate() * half_turn.conjugate() * rotation(&our_rest.own);
        let scale = our_rest.own.w_axis.y / their_rest.own.w_axis.y;
        let scale = if scale.is_finite() && scale > 0.0 {
            scale
        } else {
            1.0
        };
        let moved =
            DMat4::from_scale_rotation_translation(DVec3::splat(scale), half_turn, DVec3::ZERO);
        Self {
            name,
            theirs,
            ours,
            around: [left, right],
            place: our_rest.parent.inverse() * moved * their_rest.parent,
        }
    }

    /// The channel of ours for one of theirs; `None` if nothing of it counts: scales, and translations of other bones than the hips.
    fn retargeted(&self, channel: Channel) -> Option<Channel> {
        let [left, right] = self.around;
        let rotation = channel.rotation.map(|mut track| {
            let turn = |rotation: &Quat| (left * rotation.as_dquat() * right).as_quat();
            map(&mut track, turn, turn);
            track
        });
        let translation = channel
            .translation
            .filter(|_| self.name == HumanBone::Hips)
            .map(|mut track| {
                let place = |point: &Vec3| self.place.transform_point3(point.as_dvec3()).as_vec3();
                let way = |vector: &Vec3| self.place.transform_vector3(vector.as_dvec3()).as_vec3();
                map(&mut track, place, way);
                track
            });
        let is_moved = rotation.is_some() || translation.is_some();
        is_moved.then_some(Channel {
            translation,
            rotation,
            ..Channel::of(self.ours)
        })
    }
}

/// Changes the values and the derivatives of all keys.
fn map<T>(track: &mut Track<T>, value: impl Fn(&T) -> T, derivative: impl Fn(&T) -> T) {
    for key in &mut track.keys {
        key.value = value(&key.value);
        if let Span::Cubic { leave, arrive } = &mut key.span {
            *leave = derivative(leave);
            *arrive = derivative(arrive);
        }
    }
}

fn rotation(matrix: &DMat4) -> DQuat {
    let (_, rotation, _) = matrix.to_scale_rotation_translation();
    if rotation.is_finite() {
        rotation
    } else {
        DQuat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::merge_clips;
    use crate::rig::{Clip, Expression, LocalTransform, Node, Override, Trs, VisibilityChannel};
    use crate::testing::held;
    use crate::units::Seconds;

    fn turn(axis: Vec3, degrees: f32) -> Quat {
        Quat::from_axis_angle(axis, degrees.to_radians())
    }

    fn node(name: &str, parent: Option<u32>, rest: LocalTransform) -> Node {
        Node {
            name: name.into(),
            parent: parent.map(NodeId),
            rest,
        }
    }

    fn of_nodes(nodes: Vec<Node>) -> Asset {
        Asset::of(Skeleton::new(nodes).expect("parents come first"))
    }

    /// The asset at the first keys of its first clip, as its rest pose.
    fn posed(asset: &Asset) -> Asset {
        let mut nodes = asset.skeleton.nodes().to_vec();
        for channel in &asset.clips[0].channels {
            let rest = &mut nodes[channel.node.index()].rest;
            let mut trs = rest.to_trs();
            let first = |track: &Track<Vec3>| track.keys[0].value;
            trs.translation = channel.translation.as_ref().map_or(trs.translation, first);
            let first = |track: &Track<Quat>| track.keys[0].value;
            trs.rotation = channel.rotation.as_ref().map_or(trs.rotation, first);
            *rest = LocalTransform::Trs(trs);
        }
        of_nodes(nodes)
    }

    /// Hips at this height, and a spine above, both with rest rotations of their own.
    fn humanoid(version: VrmVersion, height: f32, rests: [Quat; 2]) -> Asset {
        let rest = |translation, rotation| {
            LocalTransform::Trs(Trs {
                translation,
                rotation,
                ..Trs::IDENTITY
            })
        };
        let mut asset = of_nodes(vec![
            node("hips", None, rest(Vec3::Y * height, rests[0])),
            node("spine", Some(0), rest(Vec3::Y * 0.2, rests[1])),
        ]);
        let bones = [(HumanBone::Hips, NodeId(0)), (HumanBone::Spine, NodeId(1))];
        asset.humanoid = Some(Humanoid::of(version, bones.into()));
        asset
    }

    /// An animation that turns the spine by 90° about the world's x axis, and lifts the hips from 0.5 to 0.75.
    fn animation(rests: [Quat; 2]) -> Asset {
        let mut asset = humanoid(VrmVersion::Animation, 0.5, rests);
        let [hips, spine] = [rests[0].as_dquat(), rests[1].as_dquat()];
        let world = turn(Vec3::X, 90.0).as_dquat();
        // World rotation of the spine at rest, turned, relative to the hips.
        let turned = hips.conjugate() * world * hips * spine;
        asset.clips = vec![Clip {
            channels: vec![
                Channel {
                    translation: Some(held(Vec3::Y * 0.75)),
                    scale: Some(held(Vec3::ONE)),
                    ..Channel::of(NodeId(0))
                },
                Channel {
                    rotation: Some(held(turned.as_quat())),
                    translation: Some(held(Vec3::ONE)),
                    ..Channel::of(NodeId(1))
                },
            ],
            // Of a node that the model lacks.
            visibility_channels: vec![VisibilityChannel {
                node: NodeId(7),
                visible: held(false),
            }],
            ..Clip::new("Bow", Seconds(0.0))
        }];
        asset
    }

    #[test]
    fn a_bone_turns_alike_in_the_world_whatever_its_rest_pose() {
        let rests = [turn(Vec3::Y, 30.0), turn(Vec3::Z, 40.0)];
        let others = [turn(Vec3::X, -20.0), turn(Vec3::Y, 70.0)];
        // A model of version 0.x faces the other way.
        for (version, sense) in [(VrmVersion::V1, 1.0), (VrmVersion::V0, -1.0)] {
            let mut model = humanoid(version, 1.0, others);
            let at_rest = worlds(&model.skeleton)[1];
            let report = merge_clips(&mut model, animation(rests)).expect("both are humanoids");
            assert_eq!(report.matched, ["hips", "spine"]);
            assert_eq!(model.validate(), Ok(()));
            let posed = worlds(&posed(&model).skeleton);
            let hips = posed[0].w_axis.truncate();
            assert!((hips - DVec3::Y * 1.5).length() < 1e-5, "{hips}");
            let turned = turn(Vec3::X, sense * 90.0).as_dquat();
            for axis in Vec3::AXES {
                let before = at_rest.transform_vector3(axis.as_dvec3());
                let now = posed[1].transform_vector3(axis.as_dvec3());
                assert!(
                    (now - turned * before).length() < 1e-5,
                    "{version}, {axis}: {now}"
                );
            }
        }
    }

    #[test]
    fn expressions_are_driven_if_the_model_states_them() {
        let rests = [Quat::IDENTITY; 2];
        let mut nodes = humanoid(VrmVersion::V1, 1.0, rests)
            .skeleton
            .nodes()
            .to_vec();
        let control = |name| node(name, None, LocalTransform::Trs(Trs::IDENTITY));
        nodes.extend(["happy", "angry"].map(control));
        let mut face = of_nodes(nodes);
        face.humanoid = Some(Humanoid {
            expressions: [("happy".into(), NodeId(2)), ("angry".into(), NodeId(3))].into(),
            ..Humanoid::of(VrmVersion::Animation, BTreeMap::new())
        });
        let weight = |node| Channel {
            translation: Some(held(Vec3::new(0.5, 0.0, 9.0))),
            ..Channel::of(node)
        };
        face.clips = vec![Clip {
            channels: vec![weight(NodeId(2)), weight(NodeId(3))],
            ..Clip::new("Smile", Seconds(0.0))
        }];

        let mut model = humanoid(VrmVersion::V1, 1.0, rests);
        let none = merge_clips(&mut model, face.clone());
        assert_eq!(none, Err(AnimationError::NoCommonBone));
        model.expressions = vec![Expression {
            name: "happy".into(),
            is_binary: false,
            overrides: [Override::None; 3],
            binds: Vec::new(),
            material_binds: Vec::new(),
        }];
        merge_clips(&mut model, face).expect("it has the expression");
        let expected = [ExpressionChannel {
            expression: ExpressionId(0),
            weight: held(0.5),
        }];
        assert_eq!(model.clips[0].expression_channels, expected);
        assert_eq!(model.validate(), Ok(()));
        let skipped = model.notes.iter();
        let skipped = skipped.filter(|note| note.message.starts_with("1 channel skipped"));
        assert_eq!(skipped.count(), 1);
    }

    #[test]
    fn a_model_without_a_humanoid_or_a_common_bone_is_an_error() {
        let rests = [Quat::IDENTITY; 2];
        let mut plain = humanoid(VrmVersion::V1, 1.0, rests);
        plain.humanoid = None;
        let before = plain.clone();
        assert_eq!(
            merge_clips(&mut plain, animation(rests)),
            Err(AnimationError::NoHumanoid)
        );
        assert_eq!(plain, before);
        let mut other = humanoid(VrmVersion::V1, 1.0, rests);
        other.humanoid.as_mut().expect("it has one").bones = [(HumanBone::Jaw, NodeId(1))].into();
        assert_eq!(
            merge_clips(&mut other, animation(rests)),
            Err(AnimationError::NoCommonBone)
        );
    }
}
