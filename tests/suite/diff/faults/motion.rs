//! Faults of clips.

use glam::{Quat, Vec3};
use skincheck::diff::Kind::{
    ClipMissing, ClipRange, ClipRenamed, Interpolation, Keys, KeysMissing, Resampled, RootMotion,
    Timing,
};
use skincheck::rig::Span;
use skincheck::units::Seconds;

use super::bases::{growing_head, rooted, splined_arm};
use super::fault;
use crate::diff::edit::{
    Held, Kept, Retimed, channel, eased, id, resample, rotation, rotations, tracks,
};
use crate::diff::walker;

pub(in crate::diff) const FAULTS: &[super::Fault] = &[
    fault("a scale track is dropped", growing_head)
        .shows(&[KeysMissing])
        .planted(|asset| channel(asset, "Head").scale = None),
    fault("a rotation track is dropped", walker)
        .shows(&[KeysMissing])
        .planted(|asset| channel(asset, "LeftLowerLeg").rotation = None),
    fault("a rotation track keeps its first value", walker)
        .shows(&[KeysMissing])
        .planted(|asset| {
            let track = channel(asset, "LeftLowerLeg").rotation.as_mut();
            let keys = &mut track.expect("it is rotated").keys;
            let first = keys[0].value;
            for key in keys.iter_mut() {
                key.value = first;
            }
        }),
    fault("a rotation track is cut to two equal keys", walker)
        .shows(&[KeysMissing])
        .planted(|asset| {
            let track = channel(asset, "LeftLowerLeg").rotation.as_mut();
            let keys = &mut track.expect("it is rotated").keys;
            keys.drain(1..keys.len() - 1);
            keys[1].value = keys[0].value;
        }),
    fault("a channel names another joint", walker)
        .shows(&[Keys, KeysMissing])
        .planted(|asset| {
            let hand = id(asset, "LeftHand");
            asset.clips[0]
                .channels
                .retain(|channel| channel.node != hand);
            channel(asset, "LeftLowerLeg").node = hand;
        }),
    fault("root motion is dropped", walker)
        .shows(&[RootMotion])
        .planted(|asset| channel(asset, "Hips").translation = None),
    fault(
        "root motion below a joint that stands still is dropped",
        rooted,
    )
    .shows(&[RootMotion])
    .planted(|asset| channel(asset, "Hips").translation = None),
    fault("the clip is resampled at 10 Hz", walker)
        .shows(&[Resampled])
        .planted(|asset| {
            let times: Vec<f64> = (0..=10).map(|index| f64::from(index) / 10.0).collect();
            resample(asset, &times);
        }),
    fault("keys are shifted by a frame", walker)
        .shows(&[Timing])
        .planted(|asset| {
            tracks(asset, &Retimed(|time| time + 1.0 / 24.0));
            asset.clips[0].start = Seconds(1.0 / 24.0);
            asset.clips[0].end = Seconds(25.0 / 24.0);
        }),
    fault("24 frames per second are taken for 30", walker)
        .shows(&[Timing])
        .planted(|asset| {
            tracks(asset, &Retimed(|time| time * 0.8));
            asset.clips[0].end = Seconds(0.8);
        }),
    fault("linear keys are written as steps", walker)
        .shows(&[Interpolation])
        .planted(|asset| tracks(asset, &Held)),
    fault("every span eases in and out", walker)
        .shows(&[Interpolation])
        .planted(eased),
    fault("splines are written as lines", splined_arm)
        .shows(&[Interpolation])
        .planted(|asset| {
            for arm in ["LeftUpperArm", "RightUpperArm"] {
                let track = channel(asset, arm)
                    .rotation
                    .as_mut()
                    .expect("it is rotated");
                for key in &mut track.keys {
                    key.span = Span::Linear;
                }
            }
        }),
    fault(
        "every other quaternion of a spline has the other sign",
        splined_arm,
    )
    .shows(&[Interpolation])
    .planted(|asset| {
        rotations(asset, "LeftUpperArm", |index, _, value| {
            if index % 2 == 1 { -value } else { value }
        });
    }),
    fault("the last key is dropped", walker)
        .shows(&[ClipRange])
        .planted(|asset| {
            tracks(asset, &Kept(|time| time < 0.99));
            asset.clips[0].end = Seconds(23.0 / 24.0);
        }),
    fault("the first keys are dropped", walker)
        .shows(&[KeysMissing])
        .planted(|asset| tracks(asset, &Kept(|time| time > 0.15))),
    fault("a constant is added to the keys of a joint", walker)
        .shows(&[Keys])
        .planted(|asset| {
            rotations(asset, "LeftUpperArm", |_, _, value| {
                value * rotation(Vec3::Z, 10.0)
            });
        }),
    fault("keys of a joint swing too far", walker)
        .shows(&[Keys])
        .planted(|asset| {
            rotations(asset, "LeftUpperArm", |_, time, value| {
                value * rotation(Vec3::X, 20.0 * (time * 9.0).sin() as f32)
            });
        }),
    fault("rotations are conjugated", walker)
        .shows(&[Keys])
        .planted(|asset| rotations(asset, "LeftUpperLeg", |_, _, value: Quat| value.conjugate())),
    fault("a clip is missing", walker)
        .shows(&[ClipMissing])
        .planted(|asset| asset.clips.clear()),
    fault("a clip has another name", walker)
        .shows(&[ClipRenamed])
        .planted(|asset| asset.clips[0].name = "Take 001".into()),
];
