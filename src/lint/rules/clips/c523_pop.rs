//! `C523`: pop.

use std::collections::BTreeMap;

use super::keys::halfway;
use super::paths::diagonal;
use crate::lint::rules::clips::deformers::{Probes, deforming, probes};
use crate::lint::rules::clips::paths::{Beat, JointPath, beat, gliding, joint_paths};
use crate::lint::rules::clips::pops::{Found, Gap, Outlier, Path};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};
use crate::pose::{Pose, Sampler, model_pose};
use crate::rig::{Asset, Clip, LocalTransform, NodeId, Trs};
use crate::shown::escaped;
use crate::units::Seconds;

/// Four: the first and last frame of a kick, a blow or a landing deviate up to a third as far as the frame at its peak.
const TIMES_AROUND: Limit = Limit::new("times_around", 4.0, LimitRange::FROM_ZERO)
    .about("minimum ratio of a pop's deviation to that of the keys around it");

/// Two per cent: four centimetres within one frame on a person, which nobody overlooks.
const DIAGONALS: Limit = Limit::new("diagonals_per_frame", 0.02, LimitRange::FROM_ZERO)
    .about("minimum deviation of a pop from the path, in diagonals of the model per frame");

/// The most joint positions in all clips of a file: 40 clips of 1000 frames with 100 joints. The rest is not checked,
/// which bounds the work for any file.
const MOST_POSITIONS: usize = 1 << 22;

declare_rule! {
    Pop, "C523", "pop", Warning, limits = &[TIMES_AROUND, DIAGONALS]
}

impl Rule for Pop {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Clips => ["C510", "C532"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(size) = diagonal(cx) else {
            return;
        };
        let (deforming, probes) = (deforming(cx.asset), probes(cx.asset));
        let mut left = MOST_POSITIONS;
        for clip in &cx.asset.clips {
            let joints = gliding(cx.asset, clip, &deforming);
            if joints.is_empty() {
                continue;
            }
            let beat = beat(clip, left / cx.asset.skeleton.len().max(1));
            left -= beat.times.len() * cx.asset.skeleton.len();
            let walk = Walk {
                beat,
                size,
                probes: &probes,
            };
            judge(cx, clip, &joints, &walk, out);
        }
    }
}

/// How a clip is sampled.
struct Walk<'a> {
    beat: Beat,
    /// The diagonal of the model.
    size: f64,
    /// For each joint of the model.
    probes: &'a [Probes],
}

fn judge(cx: &Context<'_>, clip: &Clip, joints: &[NodeId], walk: &Walk<'_>, out: &mut Findings) {
    let outlier = Outlier {
        times_around: cx.limit(&Pop::META, &TIMES_AROUND),
        diagonals: cx.limit(&Pop::META, &DIAGONALS),
    };
    let (group, times) = (cx.clip(clip), &walk.beat.times);
    let joint_paths = joint_paths(cx.asset, clip, times, joints, walk.probes);
    let worst = worst(&joint_paths, walk, outlier);
    let leaping: BTreeMap<NodeId, Found> = joints
        .iter()
        .zip(worst)
        .filter_map(|(joint, found)| Some((*joint, found?)))
        .collect();
    let fastest = leaping
        .iter()
        .reduce(|a, b| if b.1.speed > a.1.speed { b } else { a });
    let Some((tip, found)) = fastest else {
        return;
    };
    let offence = Offence::above(&group, "joint", found.speed, outlier.diagonals);
    let joints: Vec<NodeId> = leaping.keys().copied().collect();
    let offence = offence.joints(&joints).at(Seconds(times[found.key]));
    out.add_many(offence, leaping.len(), |subject| {
        let top = cause(cx.asset, clip, *tip, walk, found.key);
        let subject = subject.of_joint(top).at(Seconds(times[found.key]));
        let follower = (top != *tip).then(|| cx.asset.skeleton.get(*tip)).flatten();
        (
            subject,
            message(found, follower.map(|joint| joint.name.as_str())),
        )
    });
}

/// The joint at or above `tip` whose own transform at `key` moves `tip` farthest from its position with the transforms
/// at the neighbouring keys; the topmost of equal ones.
fn cause(asset: &Asset, clip: &Clip, tip: NodeId, walk: &Walk<'_>, key: usize) -> NodeId {
    let times = &walk.beat.times;
    let sample = |key: usize| Sampler::new(asset, clip).at_finite(Seconds(times[key]));
    // A pop has at most two keys.
    let (before, after) = (sample(key - 1), sample((key + 2).min(times.len() - 1)));
    let mut pose = sample(key);
    let probes = walk.probes[tip.index()];
    let location = |pose: &Pose| {
        let world = &model_pose(asset, pose)[tip];
        [probes.middle, probes.beside].map(|probe| world.transform_point3(probe))
    };
    let popped = location(&pose);
    let parent = |joint: &NodeId| asset.skeleton.get(*joint)?.parent;
    let mut cause = (0.0, tip);
    for joint in std::iter::successors(Some(tip), parent) {
        let index = joint.index();
        let between = between(&before.locals[index], &after.locals[index]);
        let own = std::mem::replace(&mut pose.locals[index], between);
        let calm = location(&pose);
        pose.locals[index] = own;
        let [middle, beside] = [0, 1].map(|probe| popped[probe].distance(calm[probe]));
        let carried = middle.max(beside);
        // If they are equal except for rounding, the joint above counts.
        if carried > 0.0 && carried >= 0.999 * cause.0 {
            cause = (carried, joint);
        }
    }
    cause.1
}

/// The transform halfway between two.
fn between(a: &LocalTransform, b: &LocalTransform) -> LocalTransform {
    match (a, b) {
        (LocalTransform::Trs(a), LocalTransform::Trs(b)) => LocalTransform::Trs(Trs {
            translation: a.translation.midpoint(b.translation),
            rotation: halfway(a.rotation, b.rotation).as_quat(),
            scale: a.scale.midpoint(b.scale),
        }),
        (a, b) => LocalTransform::Matrix((a.to_matrix() + b.to_matrix()) * 0.5),
    }
}

/// The most keys whose gaps are in memory at once, some 100 bytes each.
const AT_ONCE: usize = 4096;

/// The fastest pop of each joint.
///
/// * `joint_paths` – one per joint.
fn worst(joint_paths: &[JointPath], walk: &Walk<'_>, outlier: Outlier) -> Vec<Option<Found>> {
    let times = &walk.beat.times;
    let mut worst: Vec<Option<Found>> = vec![None; joint_paths.len()];
    for start in (0..times.len()).step_by(AT_ONCE) {
        let gaps = Gap::all(times, walk.beat.frame, start..start + AT_ONCE);
        for (joint_path, worst) in joint_paths.iter().zip(&mut worst) {
            let pops = worst
                .iter()
                .copied()
                .chain(walk.pops(joint_path, &gaps, outlier));
            *worst = pops.reduce(Found::faster);
        }
    }
    worst
}

impl Walk<'_> {
    fn pops(&self, joint_path: &JointPath, gaps: &[Gap], outlier: Outlier) -> Vec<Found> {
        let rotates_far = 2.0 * joint_path.radius() > 0.5 * outlier.diagonals * self.size;
        // The rotation of a thinner part about its own axis is invisible.
        let beside = rotates_far.then_some(&joint_path.beside);
        let paths = std::iter::once(&joint_path.middle).chain(beside);
        let pops = paths.flat_map(|positions| {
            let path = Path {
                times: &self.beat.times,
                positions,
                frame: self.beat.frame,
                size: self.size,
            };
            path.pops(gaps, outlier)
        });
        pops.collect()
    }
}

/// * `follower` – the joint that jumps farthest, if it is not the named one.
fn message(found: &Found, follower: Option<&str>) -> String {
    let [speed, around] = [found.speed, found.around].map(|part| 100.0 * part);
    let leaps = match follower {
        Some(name) => format!(
            "pops off its path in a frame and back, moving joint \"{}\" by {speed:.1} % of the model's diagonal",
            escaped(name)
        ),
        None => {
            format!("pops {speed:.1} % of the model's diagonal off its path in a frame and back")
        }
    };
    format!("{leaps}; the keys around it deviate by {around:.2} %")
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::lint::testing::{arm, reported};
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Channel, LocalTransform, Skeleton, SkinSlot, Track};

    const ELBOW: NodeId = NodeId(1);

    /// Two seconds at 30 keys per second.
    fn track<T>(value: impl Fn(u16) -> T) -> Track<T> {
        Track::linear((0..=60).map(|key| (f64::from(key) / 30.0, value(key))))
    }

    /// The arm in a clip of `channels`.
    fn moving(channels: Vec<Channel>) -> Asset {
        let clip = Clip {
            channels,
            ..clip("Move", 0.0, 2.0)
        };
        Asset {
            clips: vec![clip],
            ..arm()
        }
    }

    /// `joint` sways about x, and is rotated by `more` at the middle key.
    fn rotating(joint: NodeId, more: Quat) -> Channel {
        let sway = |key: u16| 0.2 * libm::sinf(f32::from(key) * 0.1);
        let rotation =
            |key| Quat::from_rotation_x(sway(key)) * if key == 30 { more } else { Quat::IDENTITY };
        Channel {
            rotation: Some(track(rotation)),
            ..Channel::of(joint)
        }
    }

    #[test]
    fn a_limb_that_rotates_about_itself_leaps() {
        let by = |degrees: f32| rotating(ELBOW, Quat::from_rotation_y(degrees.to_radians()));
        let flipped = reported(&Pop, &moving(vec![by(120.0)]));
        assert_eq!(flipped.len(), 1);
        assert!(flipped[0].starts_with("joint \"elbow\", clip \"Move\" at 1 s: pops "));
        assert!(reported(&Pop, &moving(vec![by(5.0)])).is_empty());
    }

    #[test]
    fn the_topmost_joint_that_leaps_is_reported() {
        let reported = reported(
            &Pop,
            &moving(vec![rotating(NodeId(0), Quat::from_rotation_x(0.5))]),
        );
        assert_eq!(reported.len(), 1);
        let expected = "joint \"shoulder\", clip \"Move\" at 1 s: pops off its path in a frame and back, moving \
            joint \"elbow\" by ";
        assert!(reported[0].starts_with(expected), "{reported:?}");
    }

    #[test]
    fn a_joint_that_no_vertex_follows_may_leap() {
        let mut asset = moving(vec![rotating(NodeId(2), Quat::from_rotation_x(1.0))]);
        let mut joints = asset.skeleton.nodes().to_vec();
        let rest = LocalTransform::Matrix(glam::Mat4::from_translation(Vec3::X));
        joints.push(named_joint("target", None, rest));
        joints.push(named_joint("end", Some(2), rest));
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        asset.skins[0].joints.push(NodeId(3));
        asset.skins[0]
            .inverse_bind_matrices
            .push(glam::Mat4::IDENTITY);
        assert!(reported(&Pop, &asset).is_empty());
    }

    #[test]
    fn hidden_meshes_may_jump() {
        let hidden = |hides: fn(u16) -> bool| Channel {
            scale: Some(track(|key| {
                if hides(key) {
                    Vec3::splat(0.001)
                } else {
                    Vec3::ONE
                }
            })),
            ..rotating(ELBOW, Quat::from_rotation_x(1.0))
        };
        assert!(reported(&Pop, &moving(vec![hidden(|key| (28..33).contains(&key))])).is_empty());
        assert!(reported(&Pop, &moving(vec![hidden(|key| key != 30)])).is_empty());
        assert_eq!(reported(&Pop, &moving(vec![hidden(|_| false)])).len(), 1);
    }

    #[test]
    fn a_key_that_makes_a_joint_huge_hides_no_other() {
        let huge = |key| Vec3::splat(if key == 30 { 150.0 } else { 1.0 });
        let channel = Channel {
            scale: Some(track(huge)),
            ..rotating(ELBOW, Quat::IDENTITY)
        };
        assert_eq!(reported(&Pop, &moving(vec![channel])).len(), 1);
    }

    #[test]
    fn an_ancestor_that_leaps_farther_elsewhere_is_named_all_the_same() {
        let by = |key: u16| match key {
            15 => 0.5,
            45 => -0.6,
            _ => 0.0,
        };
        let rotation =
            |key| Quat::from_rotation_x(0.2 * libm::sinf(f32::from(key) * 0.1) + by(key));
        let shoulder = Channel {
            rotation: Some(track(rotation)),
            ..rotating(NodeId(0), Quat::IDENTITY)
        };
        // The elbow contributes less to the second pop and more to the first.
        let other = |key| Quat::from_rotation_x(if key == 45 { 0.3 } else { 0.0 });
        let elbow = Channel {
            rotation: Some(track(other)),
            ..rotating(ELBOW, Quat::IDENTITY)
        };
        let reported = reported(&Pop, &moving(vec![shoulder, elbow]));
        assert!(
            reported[0].starts_with("joint \"shoulder\", clip \"Move\" at "),
            "{reported:?}"
        );
    }

    #[test]
    fn a_wheel_that_flips_leaps_about_whatever_axis() {
        let mut wheel = arm();
        // Everything follows the elbow, which is in its middle.
        let follow = |_| [crate::rig::Influence::new(SkinSlot(1), 1.0)];
        let vertices = 0..wheel.meshes[0].positions.len();
        wheel.meshes[0].influences = crate::rig::Influences::from_vertices(vertices.map(follow));
        for axis in Vec3::AXES {
            let flip = rotating(ELBOW, Quat::from_axis_angle(axis, 2.0));
            let asset = Asset {
                clips: moving(vec![flip]).clips,
                ..wheel.clone()
            };
            assert_eq!(reported(&Pop, &asset).len(), 1, "{axis}");
        }
    }
}
