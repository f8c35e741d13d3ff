//! `C523`: pop.

use std::collections::BTreeMap;

use super::deformers::{Probes, deforming, probes};
use super::extent::diagonal;
use super::paths::{Beat, Way, beat, gliding, ways};
use super::pops::{Found, Gap, Outlier, Path};
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Asset, Clip, JointId};
use crate::shown::escaped;
use crate::units::Seconds;

/// Four: the first and last frame of a kick, a blow or a landing are up to a third as far off as the frame at its height.
const TIMES_AROUND: Limit = Limit {
    key: "times_around",
    default: 4.0,
    range: LimitRange::FROM_ZERO,
    about: "how many times as far off its way a pop is as the keys around it",
};

/// Two per cent: four centimetres within a frame on a person, which nobody overlooks.
const DIAGONALS: Limit = Limit {
    key: "diagonals_per_frame",
    default: 0.02,
    range: LimitRange::FROM_ZERO,
    about: "how fast a pop leaves the way at least, in diagonals of the model per frame",
};

/// How many places of joints are looked at in all clips of a file: 40 clips of 1000 frames with 100 joints. Further clips, and
/// the rest of the one in which they run out, go unjudged; the work is bounded whatever is in the file.
const MOST_PLACES: usize = 1 << 22;

declare_rule! {
    /// ## What it does
    /// Checks that no joint leaps off its way and back within two frames, in the midst of a motion that is smooth without them.
    ///
    /// ## Why is this bad?
    /// For one frame the limb is somewhere else, and the eye catches it at once: a key that was set by mistake, an IK solution
    /// that tipped over, an Euler flip that was baked, a dropped sample of the motion capture.
    ///
    /// ## How to fix
    /// - Delete the key at the time that is named, for the joint and its ancestors, and let the curve run through.
    /// - Blender: *Discontinuity (Euler) Filter*, or *Smooth* in the graph editor; move the pole target of an IK chain that tips.
    /// - Maya: *Curves → Euler Filter*; MotionBuilder: the peak removal filter.
    /// - Exporters: sample on whole frames, and negate quaternions that flip before interpolating.
    ///
    /// The way of a joint past a key, or past two that follow each other within two frames, is the cubic curve through the two
    /// keys before and the two after. A pop is off it by at least `diagonals_per_frame` (0.02), by at least as much as the
    /// joint moves in each step beside it, and by `times_around` (4) times as much as any of the five keys before and after is
    /// off its own way once the pop is taken out, or as the joint is faster past the pop than beside it; so that a kick, a jump
    /// or a blow is none, however fast. Joints that vertices follow count, by two places in the world: the middle of what follows
    /// them, and one beside it, which leaps where a limb is turned about itself. They are looked at in each frame, or at the
    /// clip's keys where the file does not say how many frames make a second. The topmost joint that leaps at a time is told,
    /// for it or what is above it has the key. Joints with stepped keys, their own or an ancestor's, are left out, for they are
    /// meant to leap, and so is what is hidden by a scale below a hundredth of that at rest. Four million places of joints are
    /// looked at in a file, and no more.
    ///
    /// ## References
    /// - L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", SIGGRAPH 2002, on continuity of motions.
    Pop, "C523", "pop", Warning, limits: [TIMES_AROUND, DIAGONALS]
}

impl Rule for Pop {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(size) = diagonal(cx) else {
            return;
        };
        let (deforming, probes) = (deforming(cx.asset), probes(cx.asset));
        let mut left = MOST_PLACES;
        for clip in &cx.asset.clips {
            let joints = gliding(cx.asset, clip, &deforming);
            if joints.is_empty() {
                continue;
            }
            let beat = beat(clip, left / cx.asset.skeleton.len().max(1));
            left -= beat.moments.len() * cx.asset.skeleton.len();
            let walk = Walk {
                beat,
                size,
                probes: &probes,
            };
            judge(cx, clip, &joints, &walk, out);
        }
    }
}

/// How a clip is looked at.
struct Walk<'a> {
    beat: Beat,
    /// The diagonal of the model.
    size: f64,
    /// For each joint of the model.
    probes: &'a [Probes],
}

fn judge(cx: &Context<'_>, clip: &Clip, joints: &[JointId], walk: &Walk<'_>, out: &mut Findings) {
    let outlier = Outlier {
        times_around: cx.limit(&Pop::META, &TIMES_AROUND),
        diagonals: cx.limit(&Pop::META, &DIAGONALS),
    };
    let (group, moments) = (cx.clip(clip), &walk.beat.moments);
    let ways = ways(cx.asset, clip, moments, joints, walk.probes);
    let worst = worst(&ways, walk, outlier);
    let leaping: BTreeMap<JointId, Found> = joints
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
    out.add_many(offence, leaping.len(), |place| {
        let leaps = |joint: &JointId| {
            let way = joints.binary_search(joint).ok().map(|place| &ways[place]);
            way.is_some_and(|way| walk.leaps_about(way, found.key, outlier))
        };
        let top = topmost(cx.asset, *tip, leaps);
        let place = cx.at_joint(place, top).at(Seconds(moments[found.key]));
        let follower = (top != *tip).then(|| cx.asset.skeleton.get(*tip)).flatten();
        (
            place,
            message(found, follower.map(|joint| joint.name.as_str())),
        )
    });
}

/// The farthest ancestor of `tip` that leaps as well; or `tip` itself.
fn topmost(asset: &Asset, tip: JointId, leaps: impl FnMut(&JointId) -> bool) -> JointId {
    let parent = |joint: &JointId| asset.skeleton.get(*joint)?.parent;
    let line = std::iter::successors(Some(tip), parent);
    line.filter(leaps).last().unwrap_or(tip)
}

/// Keys whose gaps are held at once, some 100 bytes each.
const AT_ONCE: usize = 4096;

/// The fastest pop of each joint.
///
/// * `ways` – one a joint.
fn worst(ways: &[Way], walk: &Walk<'_>, outlier: Outlier) -> Vec<Option<Found>> {
    let times = &walk.beat.moments;
    let mut worst: Vec<Option<Found>> = vec![None; ways.len()];
    for start in (0..times.len()).step_by(AT_ONCE) {
        let gaps = Gap::all(times, walk.beat.frame, start..start + AT_ONCE);
        for (way, worst) in ways.iter().zip(&mut worst) {
            let pops = worst.iter().copied().chain(walk.pops(way, &gaps, outlier));
            *worst = pops.reduce(Found::faster);
        }
    }
    worst
}

impl Walk<'_> {
    fn pops(&self, way: &Way, gaps: &[Gap], outlier: Outlier) -> Vec<Found> {
        let turns_far = 2.0 * way.radius() > 0.5 * outlier.diagonals * self.size;
        // What is thinner shows no turn about itself.
        let beside = turns_far.then_some(&way.beside);
        let paths = std::iter::once(&way.middle).chain(beside);
        let pops = paths.flat_map(|places| {
            let path = Path {
                times: &self.beat.moments,
                places,
                frame: self.beat.frame,
                size: self.size,
            };
            path.pops(gaps, outlier)
        });
        pops.collect()
    }

    /// Whether it leaps at `key` or one beside it.
    fn leaps_about(&self, way: &Way, key: usize, outlier: Outlier) -> bool {
        let near = key.saturating_sub(1)..key + 2;
        let gaps = Gap::all(&self.beat.moments, self.beat.frame, near);
        !self.pops(way, &gaps, outlier).is_empty()
    }
}

/// * `follower` – the joint that leaps farthest, where it is another than the one that is named.
fn message(found: &Found, follower: Option<&str>) -> String {
    let [speed, around] = [found.speed, found.around].map(|part| 100.0 * part);
    let leaps = match follower {
        Some(name) => format!(
            "leaps off its way in a frame and back, and with it joint \"{}\" by {speed:.1} % of the model's diagonal",
            escaped(name)
        ),
        None => {
            format!("leaps {speed:.1} % of the model's diagonal off its way in a frame and back")
        }
    };
    format!("{leaps}, where the keys around it are off by {around:.2} %")
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::super::testing::told;
    use super::*;
    use crate::lint::testing::arm;
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Channel, Key, LocalTransform, Skeleton, Span, Track};

    const ELBOW: JointId = JointId(1);

    /// Two seconds at 30 keys a second.
    fn track<T>(value: impl Fn(u16) -> T) -> Track<T> {
        let key = |key| Key {
            time: Seconds(f64::from(key) / 30.0),
            value: value(key),
            span: Span::Linear,
        };
        Track {
            keys: (0..=60).map(key).collect(),
        }
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

    /// `joint` sways about x, and is turned by `more` at the key in the middle.
    fn turning(joint: JointId, more: Quat) -> Channel {
        let sway = |key: u16| 0.2 * libm::sinf(f32::from(key) * 0.1);
        let turn =
            |key| Quat::from_rotation_x(sway(key)) * if key == 30 { more } else { Quat::IDENTITY };
        Channel {
            rotation: Some(track(turn)),
            ..Channel::of(joint)
        }
    }

    #[test]
    fn a_limb_that_is_turned_about_itself_leaps() {
        let by = |degrees: f32| turning(ELBOW, Quat::from_rotation_y(degrees.to_radians()));
        let flipped = told(&Pop, &moving(vec![by(120.0)]));
        assert_eq!(flipped.len(), 1);
        assert!(flipped[0].starts_with("joint \"elbow\", clip \"Move\" at 1 s: leaps "));
        assert!(told(&Pop, &moving(vec![by(5.0)])).is_empty());
    }

    #[test]
    fn the_topmost_joint_that_leaps_is_told() {
        let told = told(
            &Pop,
            &moving(vec![turning(JointId(0), Quat::from_rotation_x(0.5))]),
        );
        assert_eq!(told.len(), 1);
        let expected = "joint \"shoulder\", clip \"Move\" at 1 s: leaps off its way in a frame and back, and with it \
            joint \"elbow\" by ";
        assert!(told[0].starts_with(expected), "{told:?}");
    }

    #[test]
    fn a_joint_that_no_vertex_follows_may_leap() {
        let mut asset = moving(vec![turning(JointId(2), Quat::from_rotation_x(1.0))]);
        let mut joints = asset.skeleton.joints().to_vec();
        let rest = LocalTransform::Matrix(glam::Mat4::from_translation(Vec3::X));
        joints.push(named_joint("target", None, rest));
        joints.push(named_joint("end", Some(2), rest));
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        asset.skins[0].joints.push(JointId(3));
        asset.skins[0]
            .inverse_bind_matrices
            .push(glam::Mat4::IDENTITY);
        assert!(told(&Pop, &asset).is_empty());
    }

    #[test]
    fn what_is_hidden_may_leap_and_come_and_go() {
        let hidden = |hides: fn(u16) -> bool| Channel {
            scale: Some(track(|key| {
                if hides(key) {
                    Vec3::splat(0.001)
                } else {
                    Vec3::ONE
                }
            })),
            ..turning(ELBOW, Quat::from_rotation_x(1.0))
        };
        assert!(told(&Pop, &moving(vec![hidden(|key| (28..33).contains(&key))])).is_empty());
        assert!(told(&Pop, &moving(vec![hidden(|key| key != 30)])).is_empty());
        assert_eq!(told(&Pop, &moving(vec![hidden(|_| false)])).len(), 1);
    }

    #[test]
    fn a_key_that_makes_a_joint_huge_hides_no_other() {
        let huge = |key| Vec3::splat(if key == 30 { 150.0 } else { 1.0 });
        let channel = Channel {
            scale: Some(track(huge)),
            ..turning(ELBOW, Quat::IDENTITY)
        };
        assert_eq!(told(&Pop, &moving(vec![channel])).len(), 1);
    }

    #[test]
    fn an_ancestor_that_leaps_farther_elsewhere_is_named_all_the_same() {
        let by = |key: u16| match key {
            15 => 0.5,
            45 => -0.6,
            _ => 0.0,
        };
        let turn = |key| Quat::from_rotation_x(0.2 * libm::sinf(f32::from(key) * 0.1) + by(key));
        let shoulder = Channel {
            rotation: Some(track(turn)),
            ..turning(JointId(0), Quat::IDENTITY)
        };
        // The elbow makes less of the second pop and more of the first.
        let other = |key| Quat::from_rotation_x(if key == 45 { 0.3 } else { 0.0 });
        let elbow = Channel {
            rotation: Some(track(other)),
            ..turning(ELBOW, Quat::IDENTITY)
        };
        let told = told(&Pop, &moving(vec![shoulder, elbow]));
        assert!(
            told[0].starts_with("joint \"shoulder\", clip \"Move\" at "),
            "{told:?}"
        );
    }

    #[test]
    fn a_wheel_that_flips_leaps_about_whatever_axis() {
        let mut wheel = arm();
        // All follows the elbow, which is in the middle of it.
        let follow = |_| {
            [crate::rig::Influence {
                slot: 1,
                weight: 1.0,
            }]
        };
        let vertices = 0..wheel.meshes[0].positions.len();
        wheel.meshes[0].influences = crate::rig::Influences::from_vertices(vertices.map(follow));
        for axis in Vec3::AXES {
            let flip = turning(ELBOW, Quat::from_axis_angle(axis, 2.0));
            let asset = Asset {
                clips: moving(vec![flip]).clips,
                ..wheel.clone()
            };
            assert_eq!(told(&Pop, &asset).len(), 1, "{axis}");
        }
    }
}
