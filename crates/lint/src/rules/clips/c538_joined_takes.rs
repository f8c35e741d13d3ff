//! `C538`: joined-takes.

use super::c501_empty_clip::is_empty;
use super::c528_jump::limits;
use super::cuts::{Stepped, cuts};
use super::keys::dense;
use crate::units::Seconds;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    JoinedTakes, "C538", "joined-takes", Info, Judged
}

impl Rule for JoinedTakes {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut clips = cx.asset.clips.iter().filter(|clip| !is_empty(clip));
        let (Some(clip), None) = (clips.next(), clips.next()) else {
            return;
        };
        let tracks = dense(cx, clip);
        let group = cx.clip(clip);
        for ends in cuts(&Stepped::all(&tracks), limits(cx)) {
            let [start, end] = ends.map(Seconds);
            let offence = Offence::of(&group, "cut");
            out.add(offence.at(start), |subject| {
                let message = "most joints jump in the next frame: do two takes meet here?";
                (subject.at(start), message.to_owned())
            });
            // The end is listed, but not counted.
            out.add_many(offence.at(end), 0, |subject| (subject, String::new()));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::finding::{Cause, Finding, Level};
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Asset, Channel, LocalTransform, NodeId, Skeleton, Track};
    use crate::testing::arm;
    use crate::{Settings, check};

    /// The arm with two more joints in its skin, at 24 keys per second, each rotated by a degree per frame and by `degrees`
    /// in the frame after key 12; and the elbow in the frame after key 18 by `elbow`.
    fn asset(degrees: f32, elbow: f32) -> Asset {
        let mut asset = arm();
        let mut joints = asset.skeleton.nodes().to_vec();
        for (name, parent) in [("hand", 1), ("finger", 2)] {
            let rest = LocalTransform::Matrix(glam::Mat4::from_translation(glam::Vec3::Y * 0.1));
            joints.push(named_joint(name, Some(parent), rest));
        }
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        let skin = &mut asset.skins[0];
        skin.joints.extend([NodeId(2), NodeId(3)]);
        let own = skin.inverse_bind_matrices[1];
        skin.inverse_bind_matrices.extend([own, own]);
        let rotations = |joint: u32| {
            let mut sum = 0.0_f32;
            let keys = (0..24).map(|key| {
                sum += match key {
                    13 => degrees,
                    19 if joint == 1 => elbow,
                    _ => 1.0,
                };
                (
                    f64::from(key) / 24.0,
                    Quat::from_rotation_x(sum.to_radians()),
                )
            });
            Track::linear(keys.collect::<Vec<_>>())
        };
        let channels = (0..4).map(|joint| Channel {
            rotation: Some(rotations(joint)),
            ..Channel::of(NodeId(joint))
        });
        asset.clips.push(crate::rig::Clip {
            channels: channels.collect(),
            ..clip("All", 0.0, 23.0 / 24.0)
        });
        asset
    }

    fn of<'a>(findings: &'a [Finding], code: &str) -> Vec<&'a Finding> {
        findings.iter().filter(|own| own.code.0 == code).collect()
    }

    fn checked(asset: &Asset) -> Vec<Finding> {
        let settings = Settings {
            asked: [crate::finding::Code("C528")].into(),
            ..Settings::default()
        };
        check(&Context::new(asset, "model.gltf".as_ref(), &settings)).findings
    }

    #[test]
    fn half_a_turn_between_takes_follows_from_their_boundary() {
        let findings = checked(&asset(179.5, 1.0));
        let joined = of(&findings, "C538");
        assert_eq!(joined.len(), 1, "{findings:?}");
        assert_eq!((joined[0].count, joined[0].level), (1, Level::Info));
        let times: Vec<f64> = joined[0].affected.clips[0]
            .times
            .iter()
            .map(|t| t.0)
            .collect();
        assert_eq!(times, [0.5, 13.0 / 24.0]);
        let half = of(&findings, "C514");
        assert_eq!(half.len(), 1);
        assert!(joined[0].explains(half[0]), "{half:?}");
        assert_eq!(half[0].level, Level::Hint);
    }

    #[test]
    fn a_fault_elsewhere_in_a_clip_of_several_takes_stands_alone() {
        let findings = checked(&asset(60.0, 179.5));
        assert_eq!(of(&findings, "C538").len(), 1);
        let causes: Vec<&Option<Cause>> =
            of(&findings, "C514").iter().map(|own| &own.cause).collect();
        assert_eq!(causes, [&None]);
        assert_eq!(of(&findings, "C528").len(), 1, "the jump is not at the cut");
    }

    #[test]
    fn a_pose_that_only_exists_between_two_takes_follows_from_their_boundary() {
        let mut asset = asset(60.0, 1.0);
        // From 94° one way to 107° the other way, the shorter arc is through half a turn.
        let twist = (0..24_u8).map(|key| {
            let degrees = f32::from(key) + if key < 13 { -106.0 } else { 94.0 };
            let rotation = Quat::from_rotation_y(degrees.to_radians());
            (f64::from(key) / 24.0, rotation)
        });
        asset.clips[0].channels[1].rotation = Some(Track::linear(twist));
        let findings = checked(&asset);
        let joined = of(&findings, "C538");
        let pinched = of(&findings, "D610");
        assert_eq!(pinched.len(), 1, "{findings:?}");
        assert!(joined[0].explains(pinched[0]), "{pinched:?}");
        assert_eq!(pinched[0].level, Level::Hint);
    }
}
