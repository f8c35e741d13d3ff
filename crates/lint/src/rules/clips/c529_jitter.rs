//! `C529`: jitter.

use glam::DVec3;

use super::keys::{Dense, dense, halfway};
use crate::core::numbers::{as_f64, beside, median};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::rotation_angle;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// 1.25° are 1.5 cm at the end of a leg, 30 times a second. No real clip that was measured jitters by half of that.
const DEGREES: Limit = Limit::new("degrees", 1.25, LimitRange::DEGREES).about(
    "minimum distance of a key from the middle of its neighbours that counts as jitter, in degrees",
);

/// The mean cosine between the distances of successive keys from the middle of their neighbours. It is -1 for a track that
/// alternates, and near -0.5 for independent noise in each key (whose second differences have a correlation of -2/3). It is
/// above 0 for a motion whose keys are dense enough to follow it.
const AGAINST: f64 = -0.25;

/// The mean of a few keys is below that by chance, as in a cycle of a run in twelve keys. It must be lower by so many standard
/// errors, each of which is 1 / √n for n cosines of ±1.
const ERRORS: f64 = 1.2;

/// The fewest keys with neighbours a frame away: those of ten keys without gaps.
const FEWEST: usize = 8;

const JITTER: Gauge = Gauge::new("jitter", ReadingUnit::Degrees);

declare_rule! {
    Jitter, "C529", "jitter", Hint, Judged, on_request = true, limits = &[DEGREES]
}

impl Rule for Jitter {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for track in dense(cx, clip) {
                let Some(degrees) = jitter(&track) else {
                    continue;
                };
                out.measure(JITTER, [degrees, limit], || {
                    group.clone().joint_id(track.joint)
                });
                if degrees <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "joint", degrees, limit);
                out.add(offence.joint(track.joint), |subject| {
                    let degrees = beside(degrees, limit, 1);
                    let message = format!("jitters by {degrees}° from key to key");
                    (subject.joint_id(track.joint), message)
                });
            }
        }
    }
}

/// The time of each key with neighbours a frame before and after, and how far it is from their middle, as a rotation vector.
fn off(track: &Dense<'_>) -> Vec<(f64, DVec3)> {
    let off = |keys: &[crate::rig::Key<glam::Quat>]| {
        let middle = halfway(keys[0].value, keys[2].value);
        let mut rotation = middle.conjugate() * keys[1].value.as_dquat();
        if rotation.w < 0.0 {
            rotation = -rotation;
        }
        let off = rotation.xyz().normalize_or_zero() * rotation_angle(rotation);
        (keys[1].time.0, off)
    };
    // Between keys that are farther apart, a limb has the time to move there and back.
    let is_even = |keys: &&[crate::rig::Key<glam::Quat>]| {
        let mut steps = keys.windows(2);
        steps.all(|pair| pair[1].time.0 - pair[0].time.0 <= 1.5 * track.frame)
    };
    track.keys.windows(3).filter(is_even).map(off).collect()
}

/// The median distance of keys from the middle of their neighbours, if successive keys are off to opposite sides.
fn jitter(track: &Dense<'_>) -> Option<f64> {
    let off: Vec<DVec3> = off(track).into_iter().map(|(_, off)| off).collect();
    if off.len() < FEWEST {
        return None;
    }
    let median = median(off.iter().map(|off| off.length().to_degrees()).collect())?;
    // Each pair counts the same, so that single pops and hits weigh little.
    let cosine = |pair: &[DVec3]| pair[0].normalize_or_zero().dot(pair[1].normalize_or_zero());
    let sum: f64 = off.windows(2).map(cosine).sum();
    let count = as_f64(off.len() - 1);
    let is_noise = sum < AGAINST * count - ERRORS * count.sqrt();
    is_noise.then_some(median)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::rig::Track;
    use crate::testing::{arm, reported, rotating};

    /// What is said of an elbow that is bent by `degrees`, one angle per frame.
    fn bent(degrees: &[f32]) -> Vec<String> {
        let mut asset = rotating(arm(), Quat::IDENTITY);
        let times = (0_u8..).map(|frame| f64::from(frame) / 24.0);
        let keys = degrees
            .iter()
            .map(|degrees| Quat::from_rotation_z(degrees.to_radians()));
        asset.clips[0].channels[0].rotation = Some(Track::linear(times.zip(keys)));
        reported(&Jitter, &asset)
    }

    #[test]
    fn a_quick_stride_in_few_keys_does_not_jitter() {
        // The foot of a runner, half a second of a game's clip.
        let stride = [-18_i8, -10, -8, 16, -28, -37, -60, -78, -75, -51, -25, -18];
        assert!(bent(&stride.map(f32::from)).is_empty());
        let shaking: Vec<f32> = (0_u8..12).map(|key| f32::from(key % 2) * 6.0).collect();
        assert_eq!(bent(&shaking).len(), 1);
    }

    #[test]
    fn a_swing_whose_keys_are_stored_twice_does_not_jitter() {
        let mut asset = rotating(arm(), Quat::IDENTITY);
        // As in a file of which 44 % of the keys repeat the time of the one before.
        let frames = (0_u8..24).flat_map(|frame| vec![frame; if frame % 5 == 0 { 1 } else { 2 }]);
        let keys = frames.map(|frame| {
            let degrees = 14.0 * f32::from(frame);
            let rotation = Quat::from_rotation_z(degrees.to_radians());
            (f64::from(frame) / 24.0, rotation)
        });
        asset.clips[0].channels[0].rotation = Some(Track::linear(keys));
        assert!(reported(&Jitter, &asset).is_empty());
    }

    #[test]
    fn kicks_between_keys_that_are_far_apart_are_no_jitter() {
        let jitters = |apart: f64| {
            let kicks = (0_u8..20).map(|key| {
                let degrees = 20.0 * f32::from(key % 2);
                (
                    f64::from(key) * apart,
                    Quat::from_rotation_z(degrees.to_radians()),
                )
            });
            // Then a whirl with a key on every frame.
            let sides = [
                glam::Vec3::X,
                glam::Vec3::Y,
                glam::Vec3::NEG_X,
                glam::Vec3::NEG_Y,
            ];
            let whirl = (0_u8..24).map(|frame| {
                let side = sides[usize::from(frame % 4)] * 0.05;
                (
                    f64::from(frame) + 20.0 * apart,
                    Quat::from_scaled_axis(side),
                )
            });
            let keys = kicks
                .chain(whirl)
                .map(|(frame, rotation)| (frame / 24.0, rotation));
            let mut asset = rotating(arm(), Quat::IDENTITY);
            asset.clips[0].channels[0].rotation = Some(Track::linear(keys));
            reported(&Jitter, &asset).len()
        };
        assert_eq!(jitters(1.0), 1);
        assert_eq!(jitters(8.0), 0);
    }
}
