//! `C539`: backward-joint.

use glam::{DMat3, DVec3};

use super::paths::{origin, pose_at};
use crate::analysis::joints;
use crate::analysis::naming::{Pairs, speaks_of};
use crate::core::numbers::beside;
use crate::facing::{self, Clue};
use crate::pose::ModelPose;
use crate::rig::{Clip, NodeId};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Knees and elbows stretch beyond a straight limb by 10° at most.
const DEGREES: Limit = Limit::new("degrees", 20.0, LimitRange::DEGREES)
    .about("minimum bend of knees or elbows in the wrong direction, in degrees");

/// A joint that ever bends this far in the right direction, in degrees, is a hinge of another kind.
const RIGHT: f64 = 10.0;

/// The sample times of each clip.
const SAMPLES: u32 = 24;

declare_rule! {
    BackwardJoint, "C539", "backward-joint", Hint, Judged, limits = &[DEGREES]
}

impl Rule for BackwardJoint {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let clue = facing::of(cx.asset);
        // Names of sides may be exchanged, and the head of an animal says nothing of its legs.
        let is_known = matches!(clue.clue, Some(Clue::Toes | Clue::Feet | Clue::Face));
        if !is_known || cx.asset.clips.is_empty() {
            return;
        }
        let front = clue.front.unit();
        let limit = cx.limit(&Self::META, &DEGREES);
        let knees = Hinges::of(cx, &["foot", "ankle"], front);
        let elbows = Hinges::of(cx, &["hand", "wrist"], -front);
        let [knees, elbows] =
            [knees, elbows].map(|own| own.map_or_else(Vec::new, |own| own.bends(cx)));
        let is_wrong =
            |bends: &[Bends]| !bends.is_empty() && bends.iter().all(|own| own.are_wrong(limit));
        // Alone, elbows speak of a front that is the back, or of upper arms without a twist, as from positions alone.
        if is_wrong(&knees) {
            let elbows = if is_wrong(&elbows) {
                elbows
            } else {
                Vec::new()
            };
            report(cx, &knees, &elbows, limit, out);
        }
    }
}

fn report(
    cx: &Context<'_>,
    knees: &[Bends<'_>],
    elbows: &[Bends<'_>],
    limit: f64,
    out: &mut Findings,
) {
    let Some((worst, (clip, time))) = worst(knees).and_then(|own| Some((own, own.worst?))) else {
        return;
    };
    let homes = joints::Homes::of(cx);
    let group = homes.location(worst.joint).clone();
    let joints: Vec<NodeId> = knees.iter().chain(elbows).map(|own| own.joint).collect();
    let offence = Offence {
        covers_all: true,
        ..Offence::above(&group, "joint", worst.wrong, limit)
    };
    out.add_many(offence.joints(&joints), joints.len(), |_| {
        let degrees = |bends: &Bends<'_>| beside(bends.wrong, limit, 0);
        let elbows = self::worst(elbows).map_or_else(String::new, |own| {
            format!(", both elbows backward by up to {}°", degrees(own))
        });
        let message = format!(
            "both knees bend forward by up to {}°{elbows}, and the other way in no clip: do the keys belong to another hand or front?",
            degrees(worst)
        );
        (cx.clip(clip).joint_id(worst.joint).at(time), message)
    });
}

fn worst<'a, 'b>(bends: &'b [Bends<'a>]) -> Option<&'b Bends<'a>> {
    bends
        .iter()
        .reduce(|a, b| if b.wrong > a.wrong { b } else { a })
}

/// The knees or elbows of both sides.
struct Hinges([Hinge; 2]);

/// A joint between two bones.
struct Hinge {
    /// The joint above, itself and the joint below.
    joints: [NodeId; 3],
    /// The direction in which it does not bend, in the space of the joint above.
    wrong: DVec3,
}

/// How far a hinge bends in all clips.
struct Bends<'a> {
    joint: NodeId,
    /// In the wrong direction, in degrees.
    wrong: f64,
    /// In the right one.
    right: f64,
    /// Where it bends farthest in the wrong one.
    worst: Option<(&'a Clip, Seconds)>,
}

impl Bends<'_> {
    fn are_wrong(&self, limit: f64) -> bool {
        self.wrong > limit && self.right < RIGHT
    }
}

impl Hinges {
    /// The joints above the only pair of joints with these `words` in their names. `None` if there are other pairs, as of an animal.
    fn of(cx: &Context<'_>, words: &[&str], wrong: DVec3) -> Option<Self> {
        let parents = joints::bound_parents(cx.asset);
        let is_end = |joint: NodeId| speaks_of(words, cx.joint_name(joint));
        let is_first = |joint: NodeId| parents[joint.index()].is_some_and(|parent| !is_end(parent));
        let mut sides: Vec<[NodeId; 2]> = cx
            .get::<Pairs>()
            .all()
            .map(|pair| [pair.left, pair.right])
            .filter(|sides| sides.iter().all(|joint| is_end(*joint) && is_first(*joint)))
            .collect();
        sides.sort_unstable();
        sides.dedup();
        let [sides] = sides[..] else { return None };
        let bound = facing::bind_pose(cx.asset);
        let hinge = |end: NodeId| {
            let middle = parents[end.index()]?;
            let upper = parents[middle.index()]?;
            let linear = DMat3::from_mat4(bound[upper.index()].as_dmat4());
            Some(Hinge {
                joints: [upper, middle, end],
                wrong: linear.inverse() * wrong,
            })
        };
        let [left, right] = sides.map(hinge);
        Some(Self([left?, right?]))
    }

    fn bends<'a>(&self, cx: &Context<'a>) -> Vec<Bends<'a>> {
        let mut bends = self.0.each_ref().map(|hinge| Bends {
            joint: hinge.joints[1],
            wrong: 0.0,
            right: 0.0,
            worst: None,
        });
        for clip in &cx.asset.clips {
            for sample in 0..=SAMPLES {
                let part = f64::from(sample) / f64::from(SAMPLES);
                let time = Seconds(clip.start.0 + part * clip.duration().0);
                let pose = pose_at(cx, clip, time);
                for (hinge, own) in self.0.iter().zip(&mut bends) {
                    let degrees = hinge.bend(&pose);
                    if degrees > own.wrong {
                        (own.wrong, own.worst) = (degrees, Some((clip, time)));
                    }
                    own.right = own.right.max(-degrees);
                }
            }
        }
        bends.into()
    }
}

impl Hinge {
    /// How far it bends in the wrong direction in a pose, in degrees; below 0 in the right one.
    fn bend(&self, pose: &ModelPose) -> f64 {
        let [upper, middle, end] = self.joints.map(|joint| origin(pose, joint));
        let along = (middle - upper).normalize_or_zero();
        let below = (end - middle).normalize_or_zero();
        let wrong = DMat3::from_mat4(pose[self.joints[0]].as_dmat4()) * self.wrong;
        let wrong = wrong.reject_from(along).normalize_or_zero();
        libm::atan2(below.dot(wrong), below.dot(along)).to_degrees()
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{Asset, AssetBuilder, Channel, Mesh, Track, Trs};
    use crate::testing::findings;

    /// Names, and places in the one above.
    type Chain = [(&'static str, [f32; 3]); 4];

    /// Two legs with toes in front and two arms, whose knees and elbows bend by these degrees, forward if above 0.
    fn body(knees: f32, elbows: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let mut clip = Clip::new("Walk", Seconds(1.0));
        let at = |position: [f32; 3]| Trs {
            translation: Vec3::from(position),
            ..Trs::IDENTITY
        };
        let hips = rig.node("Hips", None, at([0.0, 1.0, 0.0]));
        let mut joints = vec![hips];
        for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
            let chains: [(f32, Chain); 2] = [
                (
                    -knees,
                    [
                        ("UpLeg", [x * 0.1, 0.0, 0.0]),
                        ("Leg", [0.0, -0.45, 0.0]),
                        ("Foot", [0.0, -0.45, 0.0]),
                        ("Toe", [0.0, -0.05, 0.2]),
                    ],
                ),
                (
                    -elbows,
                    [
                        ("Arm", [x * 0.2, 0.5, 0.0]),
                        ("ForeArm", [0.0, -0.3, 0.0]),
                        ("Hand", [0.0, -0.3, 0.0]),
                        ("Palm", [0.0, -0.1, 0.0]),
                    ],
                ),
            ];
            for (degrees, chain) in chains {
                let mut above = hips;
                for (index, (name, offset)) in chain.into_iter().enumerate() {
                    above = rig.node(&format!("{side}{name}"), Some(above), at(offset));
                    joints.push(above);
                    if index == 1 {
                        let bent = Quat::from_rotation_x(degrees.to_radians());
                        clip.channels.push(Channel {
                            rotation: Some(Track::linear([(0.0, Quat::IDENTITY), (1.0, bent)])),
                            ..Channel::of(above)
                        });
                    }
                }
            }
        }
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO; joints.len()],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, joints.iter().map(|joint| [(*joint, 1.0)]));
        Asset {
            clips: vec![clip],
            ..rig.build().expect("it is a rig")
        }
    }

    #[test]
    fn knees_that_bend_forward_and_elbows_that_bend_backward_are_reported() {
        let count = |knees: f32, elbows: f32| {
            let found = findings(&body(knees, elbows), &BackwardJoint);
            found.iter().map(|own| own.count).sum::<usize>()
        };
        assert_eq!(count(-45.0, 45.0), 0, "as they should");
        assert_eq!(count(45.0, -45.0), 4);
        assert_eq!(count(45.0, 45.0), 2);
        assert_eq!(count(0.0, -45.0), 0, "the front may be the back");
        assert_eq!(count(-45.0, -45.0), 0, "arms without a twist");
        assert_eq!(count(8.0, 0.0), 0, "a straight leg");
    }

    #[test]
    fn a_knee_that_bends_both_ways_is_a_hinge_of_another_kind() {
        let mut asset = body(45.0, 0.0);
        asset.clips.extend(body(-45.0, 0.0).clips);
        assert_eq!(findings(&asset, &BackwardJoint), []);
    }
}
