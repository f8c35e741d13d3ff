//! What clips drive of a face: expressions, and the gaze.

use std::iter::successors;

use glam::{DQuat, DVec3, Quat};

use super::Pose;
use super::interpolate::unit;
use super::track::sample_track;
use crate::rig::{
    Asset, Clip, GazeTarget, HumanBone, Humanoid, LocalTransform, LookAt, NodeId, RangeMap,
    Skeleton, VrmVersion,
};
use crate::units::Seconds;

/// Replaces the morph weights of expressions, and the rotations of the eyes, that `clip` drives.
///
/// # Reference
///
/// VRM 1.0, `VRMC_vrm`, lookAt.md: *Apply Yaw and Pitch to bone*, *to expression*.
pub(super) fn drive(pose: &mut Pose, asset: &Asset, clip: &Clip, time: Seconds) {
    let face = &clip.face;
    if face.is_empty() {
        return;
    }
    let mut weights = vec![0.0; asset.expressions.len()];
    for channel in &face.expressions {
        if let Some(weight) = sample_track(&channel.weight, time) {
            weights[channel.expression.index()] = weight;
        }
    }
    let mut is_weighed = !face.expressions.is_empty();
    let humanoid = asset.humanoid.as_ref();
    let looks = humanoid.and_then(|humanoid| Some((humanoid, humanoid.look_at?)));
    let gaze = face
        .gaze
        .as_ref()
        .and_then(|track| sample_track(track, time));
    if let (Some((humanoid, look_at)), Some(gaze)) = (looks, gaze) {
        let angles = Angles::of(gaze);
        match look_at.shown_by {
            GazeTarget::Eyes => rotate_eyes(pose, asset, humanoid, look_at, angles),
            GazeTarget::Expressions => {
                is_weighed = true;
                for (expression, weight) in asset.expressions.iter().zip(&mut weights) {
                    *weight = angles.weight(&expression.name, look_at).unwrap_or(*weight);
                }
            }
        }
    }
    if is_weighed {
        asset.weigh(&weights, &mut pose.morph_weights);
    }
}

/// The direction of a gaze, in degrees.
#[derive(Clone, Copy)]
struct Angles {
    /// Toward the left of the face.
    yaw: f64,
    /// Downward.
    pitch: f64,
}

impl Angles {
    fn of(gaze: Quat) -> Self {
        let way = gaze.as_dquat() * DVec3::Z;
        Self {
            yaw: libm::atan2(way.x, way.z).to_degrees(),
            pitch: libm::atan2(-way.y, libm::hypot(way.x, way.z)).to_degrees(),
        }
    }

    /// The weight of the expression called `name`; `None` if it shows no gaze.
    #[expect(clippy::cast_possible_truncation, reason = "weights are stored in f32")]
    fn weight(self, name: &str, look_at: LookAt) -> Option<f32> {
        let (map, angle) = match name {
            "lookLeft" => (look_at.outer, self.yaw),
            "lookRight" => (look_at.outer, -self.yaw),
            "lookDown" => (look_at.down, self.pitch),
            "lookUp" => (look_at.up, -self.pitch),
            _ => return None,
        };
        Some(map.map(angle.max(0.0)) as f32)
    }
}

fn rotate_eyes(
    pose: &mut Pose,
    asset: &Asset,
    humanoid: &Humanoid,
    look_at: LookAt,
    angles: Angles,
) {
    let pitch = mapped(angles.pitch, [look_at.down, look_at.up]);
    let eyes = [
        (HumanBone::LeftEye, [look_at.outer, look_at.inner]),
        (HumanBone::RightEye, [look_at.inner, look_at.outer]),
    ];
    for (bone, sides) in eyes {
        let Some(node) = humanoid.bones.get(&bone) else {
            continue;
        };
        let yaw = mapped(angles.yaw, sides);
        let mut turn = about(DVec3::Y, yaw) * about(DVec3::X, pitch);
        if humanoid.version == VrmVersion::V0 {
            // Those models face along −z.
            turn = DQuat::from_xyzw(-turn.x, turn.y, -turn.z, turn.w);
        }
        let rest = asset.skeleton[*node].rest.to_trs();
        let parent = asset.skeleton[*node]
            .parent
            .map_or(DQuat::IDENTITY, |id| world_rotation(&asset.skeleton, id));
        let rotation = parent.conjugate() * turn * parent * rest.rotation.as_dquat();
        if let (Some(local), Some(rotation)) = (pose.locals.get_mut(node.index()), unit(rotation)) {
            let mut trs = local.to_trs();
            trs.rotation = rotation.as_quat();
            *local = LocalTransform::Trs(trs);
        }
    }
}

/// An angle by the map of its sign: of positive angles, and of negative ones.
fn mapped(angle: f64, [positive, negative]: [RangeMap; 2]) -> f64 {
    let map = if angle > 0.0 { positive } else { negative };
    map.map(angle.abs()).copysign(angle)
}

/// The rotation by `angle` degrees; the same bits everywhere.
fn about(axis: DVec3, angle: f64) -> DQuat {
    let half = angle.to_radians() / 2.0;
    let axis = axis * libm::sin(half);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(half))
}

/// The rotation of a node at rest, relative to the model.
fn world_rotation(skeleton: &Skeleton, node: NodeId) -> DQuat {
    let chain = successors(Some(node), |id| skeleton[*id].parent);
    let rotations = chain.map(|id| skeleton[id].rest.to_trs().rotation.as_dquat());
    rotations.fold(DQuat::IDENTITY, |below, above| above * below)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose;
    use crate::rig::{
        AssetBuilder, Expression, ExpressionChannel, ExpressionId, Mesh, MorphTarget, Track, Trs,
    };

    const MAP: RangeMap = RangeMap {
        input_max: 90.0,
        output: 30.0,
    };

    /// A head that is turned at rest, with two eyes and the expressions `happy`, `lookLeft` and `lookUp`.
    fn head(version: VrmVersion, shown_by: GazeTarget) -> Asset {
        let mut rig = AssetBuilder::new();
        let turned = |rotation| Trs {
            rotation,
            ..Trs::IDENTITY
        };
        let head = rig.node("head", None, turned(Quat::from_rotation_x(0.5)));
        let eyes = ["left", "right"].map(|name| {
            let rest = turned(Quat::from_rotation_z(0.3));
            rig.node(name, Some(head), rest)
        });
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO],
            ..Mesh::default()
        });
        rig.attach(mesh, head);
        rig.clip("clip");
        let mut asset = rig.build().expect("the parts fit");
        let target = || MorphTarget {
            positions: vec![Vec3::X],
            ..MorphTarget::default()
        };
        asset.meshes[0].morph_targets = vec![target(), target(), target(), target()];
        asset.instances[0].morph_weights = vec![0.0, 0.0, 0.0, 0.25];
        let names = ["happy", "lookLeft", "lookUp"];
        let named = names.iter().enumerate();
        asset.expressions = named
            .map(|(index, name)| Expression::of_target(name, index))
            .collect();
        let bones = [
            (HumanBone::LeftEye, eyes[0]),
            (HumanBone::RightEye, eyes[1]),
        ];
        asset.humanoid = Some(Humanoid {
            look_at: Some(LookAt {
                shown_by,
                inner: MAP,
                outer: RangeMap {
                    output: 45.0,
                    ..MAP
                },
                down: MAP,
                up: RangeMap { output: 1.0, ..MAP },
            }),
            ..Humanoid::of(version, bones.into())
        });
        asset
    }

    fn sampled(asset: &Asset, time: f64) -> Pose {
        pose::sample(asset, &asset.clips[0], Seconds(time)).expect("the time is finite")
    }

    #[test]
    fn the_weights_of_expressions_follow_their_tracks() {
        let mut asset = head(VrmVersion::V1, GazeTarget::Eyes);
        asset.clips[0].face.expressions = vec![ExpressionChannel {
            expression: ExpressionId(0),
            weight: Track::linear([(0.0, 0.0), (1.0, 2.0)]),
        }];
        assert_eq!(asset.validate(), Ok(()));
        assert_eq!(
            sampled(&asset, 0.25).morph_weights,
            [[0.25, 0.0, 0.0, 0.25]]
        );
        // Weights above 1 count as 1.
        assert_eq!(sampled(&asset, 0.75).morph_weights, [[0.5, 0.0, 0.0, 0.25]]);
    }

    /// Where the eyes look in the model: +z, rotated as their nodes are since the rest pose.
    fn directions(asset: &Asset) -> [Vec3; 2] {
        let world = |pose: &Pose| {
            let posed = pose::model_pose(asset, pose);
            [1, 2].map(|node| posed.nodes[node].to_scale_rotation_translation().1)
        };
        let (rest, now) = (world(&pose::rest(asset)), world(&sampled(asset, 0.0)));
        [0, 1].map(|eye| now[eye] * rest[eye].conjugate() * Vec3::Z)
    }

    #[test]
    fn eyes_turn_by_the_mapped_angles_whatever_their_rest_pose() {
        for (version, sense) in [(VrmVersion::V1, 1.0), (VrmVersion::V0, -1.0)] {
            let mut asset = head(version, GazeTarget::Eyes);
            let half_left = Quat::from_rotation_y(45_f32.to_radians());
            asset.clips[0].face.gaze = Some(Track::linear([(0.0, half_left)]));
            // A model of version 0.x faces along −z, so that its left is −x; its direction then starts from −z.
            let [left, right] = directions(&asset);
            let expected = |degrees: f32| {
                let angle = degrees.to_radians();
                Vec3::new(angle.sin(), 0.0, angle.cos())
            };
            assert!(left.abs_diff_eq(expected(22.5), 1e-6), "{sense} {left}");
            assert!(right.abs_diff_eq(expected(15.0), 1e-6), "{sense} {right}");
            let down = Quat::from_rotation_x(90_f32.to_radians());
            asset.clips[0].face.gaze = Some(Track::linear([(0.0, down)]));
            let [left, right] = directions(&asset);
            let y = 30_f32.to_radians().sin();
            assert!((left.y + sense * y).abs() < 1e-6, "{left}");
            assert!((right.y + sense * y).abs() < 1e-6, "{right}");
        }
    }

    #[test]
    fn a_gaze_can_be_shown_by_expressions() {
        let mut asset = head(VrmVersion::V1, GazeTarget::Expressions);
        let up = Quat::from_rotation_x(-45_f32.to_radians());
        asset.clips[0].face.gaze = Some(Track::linear([(0.0, up)]));
        let pose = sampled(&asset, 0.0);
        assert_eq!(pose.locals, pose::rest(&asset).locals);
        let expected = [0.0, 0.0, 0.25, 0.25];
        let pairs = pose.morph_weights[0].iter().zip(expected);
        for (weight, expected) in pairs {
            assert!((weight - expected).abs() < 1e-6, "{weight}");
        }
    }

    #[test]
    fn a_map_ends_at_its_largest_input() {
        assert!((MAP.map(45.0) - 15.0).abs() < 1e-12);
        assert!((MAP.map(180.0) - 30.0).abs() < 1e-12);
        let still = RangeMap {
            input_max: 0.0,
            ..MAP
        };
        assert!(still.map(0.0).abs() < 1e-12);
        assert!((still.map(1.0) - 30.0).abs() < 1e-12);
    }
}
