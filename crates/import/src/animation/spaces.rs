//! Converts another file's skeleton and keys to the model's axes and unit.
//!
//! A file converts its axes and unit in one of two ways: in a node at the top that rotates and scales everything below, or
//! in every joint. The rest poses show which: a joint that matches the model's in the converted world has kept its own axes
//! or unit.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use super::matching::Matching;
use crate::rig::{Asset, Channel, LocalTransform, Node, NodeId, Skeleton, Span, Track, Trs};
use crate::units::Space;

/// A change of space: a rotation that maps axes to axes, and a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    rotation: DMat3,
    factor: f64,
}

/// Converts skeleton and clips of `animation` to the space of `asset`.
///
/// Each joint has its own change of space. The axes are kept in all matched joints or in none, whichever brings the two rest
/// poses closer. The unit is kept or converted joint by joint. A node that the model lacks follows its parent. A local
/// transform becomes `change of parent · local · (change of joint)⁻¹`, so that the world transforms stay consistent.
///
/// Returns whether the spaces differ, as far as both files state them.
pub(super) fn convert(asset: &Asset, animation: &mut Asset, matching: &Matching) -> bool {
    let world = Change::between(animation.space, asset.space);
    if world == Change::NONE {
        return false;
    }
    let changes = Rests::of(asset, animation, matching, world).changes();
    let joints = animation.skeleton.iter().map(|(id, joint)| Node {
        rest: changes[id.index()].local(&joint.rest),
        ..joint.clone()
    });
    let converted = Skeleton::new(joints.collect());
    animation.skeleton = converted.expect("parents stay where they are");
    for clip in &mut animation.clips {
        for channel in &mut clip.channels {
            changes[channel.node.index()].keys(channel);
        }
    }
    true
}

impl Change {
    const NONE: Self = Self {
        rotation: DMat3::IDENTITY,
        factor: 1.0,
    };

    /// If only one side states a unit, both have it.
    fn between(from: Space, to: Space) -> Self {
        let axes = |space: Space| {
            let space = Space {
                metres_per_unit: None,
                ..space
            };
            DMat3::from_mat4(space.y_up_metres_from_self())
        };
        let units = from.metres_per_unit.zip(to.metres_per_unit);
        Self {
            rotation: axes(to).transpose() * axes(from),
            factor: units.map_or(1.0, |(from, to)| from / to),
        }
    }

    fn matrix(&self) -> DMat4 {
        DMat4::from_mat3(self.rotation * self.factor)
    }
}

/// The rest poses of model and animation file.
struct Rests<'a> {
    animation: &'a Skeleton,
    model: &'a Skeleton,
    matching: &'a Matching,
    /// World from each joint of the animation file.
    theirs: Vec<DMat4>,
    /// World from each joint of the model.
    ours: Vec<DMat4>,
    world: Change,
}

/// The changes of space above a joint and of the joint itself.
#[derive(Debug, Clone, Copy)]
struct Step {
    above: Change,
    own: Change,
}

impl<'a> Rests<'a> {
    fn of(asset: &'a Asset, animation: &'a Asset, matching: &'a Matching, world: Change) -> Self {
        Self {
            animation: &animation.skeleton,
            model: &asset.skeleton,
            matching,
            theirs: worlds(&animation.skeleton),
            ours: worlds(&asset.skeleton),
            world,
        }
    }

    /// One per joint of the animation file.
    fn changes(&self) -> Vec<Step> {
        let pairs = (0..self.theirs.len())
            .map(NodeId::from_index)
            .filter_map(|id| Some((Some(id), Some(self.matching.model_joint(id)?))));
        let votes: f64 = pairs.map(|pair| self.kept_axes(pair)).sum();
        let rotation = self.rotation(votes);
        let mut steps: Vec<Step> = Vec::with_capacity(self.theirs.len());
        for (id, joint) in self.animation.iter() {
            let matched = self.matching.model_joint(id);
            let above = match joint.parent {
                Some(parent) => steps[parent.index()].own,
                None => self.at_top(matched),
            };
            let own = matched.map(|model| Change {
                rotation,
                factor: self.factor((Some(id), Some(model))),
            });
            steps.push(Step {
                above,
                own: own.unwrap_or(above),
            });
        }
        steps
    }

    /// The change for the parent space of a root: the world's, unless the model has its own joint below a node that converts.
    fn at_top(&self, root: Option<NodeId>) -> Change {
        let parent = root.and_then(|root| self.model.get(root)?.parent);
        let pair = (None, parent);
        Change {
            rotation: self.rotation(self.kept_axes(pair)),
            factor: self.factor(pair),
        }
    }

    fn rotation(&self, votes: f64) -> DMat3 {
        if votes > 0.0 {
            DMat3::IDENTITY
        } else {
            self.world.rotation
        }
    }

    /// How much closer to the model's the axes of a joint are if they are kept than if they are converted; of the world for
    /// `None`.
    fn kept_axes(&self, (theirs, ours): (Option<NodeId>, Option<NodeId>)) -> f64 {
        let axes = |worlds: &[DMat4], joint: Option<NodeId>| {
            let world = joint.map_or(DMat4::IDENTITY, |joint| worlds[joint.index()]);
            let axes = [world.x_axis, world.y_axis, world.z_axis];
            let [x, y, z] = axes.map(|axis| axis.truncate().normalize_or_zero());
            DMat3::from_cols(x, y, z)
        };
        let ours = axes(&self.ours, ours);
        let kept = self.world.rotation * axes(&self.theirs, theirs);
        let converted = kept * self.world.rotation.transpose();
        let likeness = |theirs: DMat3| {
            let columns = [theirs.x_axis, theirs.y_axis, theirs.z_axis];
            let own = [ours.x_axis, ours.y_axis, ours.z_axis];
            let pairs = columns.into_iter().zip(own);
            pairs.map(|(theirs, ours)| theirs.dot(ours)).sum::<f64>()
        };
        let more = likeness(kept) - likeness(converted);
        if more.is_finite() { more } else { 0.0 }
    }

    /// 1 or the factor of the world, whichever is closer to the ratio of the joints' units in the world.
    fn factor(&self, (theirs, ours): (Option<NodeId>, Option<NodeId>)) -> f64 {
        let unit = |worlds: &[DMat4], joint: Option<NodeId>| {
            let volume = joint.map_or(1.0, |joint| {
                DMat3::from_mat4(worlds[joint.index()]).determinant().abs()
            });
            libm::cbrt(volume)
        };
        let factor = self.world.factor;
        let ratio = factor * unit(&self.theirs, theirs) / unit(&self.ours, ours);
        let away = |other: f64| libm::log(ratio / other).abs();
        if away(1.0) < away(factor) {
            1.0
        } else {
            factor
        }
    }
}

/// `world_from_joint` of every joint at rest.
pub(super) fn worlds(skeleton: &Skeleton) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.nodes() {
        let local = joint.rest.to_matrix().as_dmat4();
        let above = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(above.map_or(local, |above| above * local));
    }
    worlds
}

impl Step {
    fn local(&self, local: &LocalTransform) -> LocalTransform {
        match local {
            LocalTransform::Trs(trs) => LocalTransform::Trs(Trs {
                translation: self.translation(trs.translation),
                rotation: self.rotation(trs.rotation),
                scale: self.scale(trs.scale),
            }),
            LocalTransform::Matrix(matrix) => LocalTransform::Matrix(self.matrix(*matrix)),
        }
    }

    fn keys(&self, channel: &mut Channel) {
        map(channel.translation.as_mut(), |value| {
            self.translation(value)
        });
        map(channel.rotation.as_mut(), |value| self.rotation(value));
        map(channel.scale.as_mut(), |value| self.scale(value));
        map(channel.matrix.as_mut(), |value| self.matrix(value));
    }

    fn translation(&self, value: Vec3) -> Vec3 {
        (self.above.rotation * value.as_dvec3() * self.above.factor).as_vec3()
    }

    fn rotation(&self, value: Quat) -> Quat {
        let [above, own] = [self.above, self.own].map(|change| change.rotation);
        if above == DMat3::IDENTITY && own == above {
            return value;
        }
        let [above, own] = [above, own].map(|axes| DQuat::from_mat3(&axes));
        (above * value.as_dquat() * own.conjugate()).as_quat()
    }

    /// Scales axis by axis. The rotation maps axes to axes, so factors stay factors along an axis.
    fn scale(&self, value: Vec3) -> Vec3 {
        let axes = self.own.rotation;
        let axes = DMat3::from_cols(axes.x_axis.abs(), axes.y_axis.abs(), axes.z_axis.abs());
        let factor: DVec3 = axes * value.as_dvec3();
        (factor * (self.above.factor / self.own.factor)).as_vec3()
    }

    fn matrix(&self, value: Mat4) -> Mat4 {
        let own = self.own.matrix().inverse();
        (self.above.matrix() * value.as_dmat4() * own).as_mat4()
    }
}

/// Converts the values and their tangents, which is correct because the conversion is linear.
fn map<T: Copy>(track: Option<&mut Track<T>>, convert: impl Fn(T) -> T) {
    for key in track.into_iter().flat_map(|track| &mut track.keys) {
        key.value = convert(key.value);
        if let Span::Cubic { leave, arrive } = &mut key.span {
            (*leave, *arrive) = (convert(*leave), convert(*arrive));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::animation::merge_clips;
    use crate::animation::tests::{clip, first_locals, worlds};
    use crate::rig::Key;
    use crate::testing::empty_asset;
    use crate::units::{Seconds, SignedAxis};

    use super::*;

    /// +Z up, as 3ds Max and Blender have it, in centimetres.
    const MAX: Space = Space {
        up: SignedAxis::PlusZ,
        front: SignedAxis::MinusY,
        metres_per_unit: Some(0.01),
    };
    const CENTIMETRES: Space = Space {
        metres_per_unit: Some(0.01),
        ..Space::Y_UP_METRES
    };

    fn trs(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Trs {
        Trs {
            translation: translation.into(),
            rotation: Quat::from_array(rotation).normalize(),
            scale: scale.into(),
        }
    }

    /// A line of joints, at rest and at the first key.
    fn moving() -> Vec<(&'static str, Trs, Trs)> {
        let unrotated = [0.0, 0.0, 0.0, 1.0];
        let slanted = [0.1, 0.2, -0.3, 0.9];
        vec![
            (
                "hips",
                trs([0.0, 1.0, 0.1], [0.0, 0.1, 0.0, 1.0], [1.0; 3]),
                trs([0.5, 1.25, 0.3], slanted, [1.0, 1.5, 0.75]),
            ),
            (
                "spine",
                trs([0.0, 0.5, 0.0], unrotated, [1.0; 3]),
                trs([0.0, 0.5, 0.1], [0.4, 0.0, 0.1, 0.9], [1.0; 3]),
            ),
            (
                "head",
                trs([0.1, 0.25, 0.0], slanted, [1.0; 3]),
                trs([0.1, 0.25, 0.0], [0.0, 0.7, 0.0, 0.7], [2.0; 3]),
            ),
        ]
    }

    /// The rig in +Y up and metres, with its clip.
    fn rig() -> Asset {
        let joints = moving();
        let nodes = joints.iter().enumerate().map(|(index, (name, rest, _))| {
            let parent = index.checked_sub(1).map(NodeId::from_index);
            let (name, rest) = ((*name).to_owned(), LocalTransform::Trs(*rest));
            Node { name, parent, rest }
        });
        let channel = |(index, (_, _, posed)): (usize, &(_, _, Trs))| Channel {
            translation: Some(held(posed.translation)),
            rotation: Some(held(posed.rotation)),
            scale: Some(held(posed.scale)),
            ..Channel::of(NodeId::from_index(index))
        };
        let wave = clip("wave", joints.iter().enumerate().map(channel).collect());
        Asset {
            space: Space::Y_UP_METRES,
            skeleton: Skeleton::new(nodes.collect()).unwrap(),
            clips: vec![wave],
            ..empty_asset()
        }
    }

    fn held<T: Copy>(value: T) -> Track<T> {
        let span = Span::Cubic {
            leave: value,
            arrive: value,
        };
        let time = Seconds::ZERO;
        Track {
            keys: vec![Key { time, value, span }],
        }
    }

    /// `rig` in `space`, every joint converted.
    fn converted_in_all_joints(space: Space) -> Asset {
        let mut rig = rig();
        let change = Change::between(rig.space, space);
        let step = Step {
            above: change,
            own: change,
        };
        each(&mut rig, |_| step);
        rig.space = space;
        rig
    }

    /// `rig` in `space`, only the top converted, by its own transform.
    fn converted_at_the_top(space: Space) -> Asset {
        let mut rig = rig();
        let above = Change::between(rig.space, space);
        each(&mut rig, |joint| Step {
            above: if joint.index() == 0 {
                above
            } else {
                Change::NONE
            },
            own: Change::NONE,
        });
        rig.space = space;
        rig
    }

    fn each(rig: &mut Asset, step: impl Fn(NodeId) -> Step) {
        let joints = rig.skeleton.iter().map(|(id, joint)| Node {
            rest: step(id).local(&joint.rest),
            ..joint.clone()
        });
        rig.skeleton = Skeleton::new(joints.collect()).unwrap();
        for channel in &mut rig.clips[0].channels {
            step(channel.node).keys(channel);
        }
    }

    /// How far the joints of `model` under the clip of `file` are from where its own clip puts them.
    fn off(mut model: Asset, file: Asset) -> f64 {
        let own = model.clone();
        merge_clips(&mut model, file).unwrap();
        for channel in &model.clips[0].channels {
            let keys = channel.translation.iter().flat_map(|track| &track.keys);
            for key in keys {
                let Span::Cubic { leave, .. } = key.span else {
                    panic!("it was cubic")
                };
                assert_eq!(leave, key.value, "tangents are converted as values are");
            }
        }
        let [merged, own] =
            [&model, &own].map(|asset| worlds(&asset.skeleton, &first_locals(asset)));
        let pairs = merged.iter().zip(own);
        let apart = pairs.map(|(a, b)| (*a - b).to_cols_array());
        apart.flatten().map(f64::abs).fold(0.0, f64::max)
    }

    #[test]
    fn clips_in_another_unit_and_other_axes_move_the_model_as_its_own() {
        for space in [
            CENTIMETRES,
            MAX,
            Space {
                metres_per_unit: Some(1.0),
                ..MAX
            },
        ] {
            for file in [converted_in_all_joints(space), converted_at_the_top(space)] {
                let apart = off(rig(), file.clone());
                assert!(apart < 1e-5, "{apart} in {space:?}");
                let mut unstated = file;
                unstated.space = Space::Y_UP_METRES;
                let apart = off(rig(), unstated);
                assert!(
                    apart > 0.1,
                    "it is seen where nothing is converted: {apart}"
                );
            }
        }
    }

    #[test]
    fn a_model_in_another_space_accepts_clips_in_metres() {
        for model in [converted_in_all_joints(MAX), converted_at_the_top(MAX)] {
            let size = 100.0;
            let apart = off(model, rig());
            assert!(apart < 1e-5 * size, "{apart}");
        }
    }

    #[test]
    fn a_model_below_a_converting_node_uses_the_keys_unchanged() {
        let mut below = rig();
        let joints = below.skeleton.nodes().iter().map(|joint| Node {
            parent: Some(joint.parent.map_or(NodeId(0), |id| NodeId(id.0 + 1))),
            ..joint.clone()
        });
        let up = Trs {
            rotation: Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt()),
            scale: Vec3::splat(0.01),
            ..Trs::IDENTITY
        };
        let top = Node {
            name: "upright".into(),
            parent: None,
            rest: LocalTransform::Trs(up),
        };
        let joints: Vec<Node> = std::iter::once(top).chain(joints).collect();
        below.skeleton = Skeleton::new(joints).unwrap();
        for channel in &mut below.clips[0].channels {
            channel.node.0 += 1;
        }
        let file = Asset {
            space: MAX,
            ..rig()
        };
        let apart = off(below, file);
        assert!(apart < 1e-5, "{apart}");
    }

    #[test]
    fn a_unit_that_is_not_stated_is_not_converted() {
        let unknown = Space {
            metres_per_unit: None,
            ..MAX
        };
        let file = converted_in_all_joints(Space {
            metres_per_unit: Some(1.0),
            ..MAX
        });
        let apart = off(
            rig(),
            Asset {
                space: unknown,
                ..file
            },
        );
        assert!(apart < 1e-5, "{apart}");
    }
}
