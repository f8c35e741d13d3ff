//! `C515`: cubic-degenerate.

use super::paths::diagonal;
use crate::core::numbers::beside;
use crate::pose::{model_pose, rest};
use crate::rig::{Clip, Driver, Location, Span, TrackPart};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta, declare_rule};

/// A quarter. At a quaternion of length `l`, the joint rotates `1/l` times as fast as the curve runs, so four times. A
/// curve between keys up to 180° apart that does not bend inwards stays above 0.7.
const SHORTEST: Limit = Limit::new("length", 0.25, LimitRange::PART)
    .about("minimum length of the quaternion between two keys of length 1");

/// The distance between the keys, by the definition of the fault. On an even motion, tangents that are 20 times too
/// long reach it; per frame instead of per second, they are at least 24 times too long.
const FARTHEST: Limit = Limit::new("overshoot", 1.0, LimitRange::FROM_ZERO).about(
    "maximum deviation of a curve from its two keys, in distances between neighbouring keys",
);

declare_rule! {
    CubicDegenerate, "C515", "cubic-degenerate", Warning, Proved, limits = &[SHORTEST, FARTHEST]
}

impl Rule for CubicDegenerate {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            for driver in clip.drivers() {
                for curve in curves(&driver) {
                    judge(cx, clip, &driver, &curve, out);
                }
            }
        }
    }
}

/// Two degrees, or a fiftieth of a scale: less is hardly visible in motion.
const ANGLE: f64 = 2.0;
const PART: f64 = 0.02;

/// A fifth of a percent of the model: 4 mm on a person.
const MOVE: f64 = 0.002;

/// Whether an overshoot by `distance`, in the unit of the track, can be seen.
fn is_seen(cx: &Context<'_>, driver: &Driver<'_>, distance: f64) -> bool {
    match driver.part {
        // Quaternions of rotations by an angle apart are 2 sin(angle / 4) apart.
        TrackPart::Rotation => distance > 2.0 * libm::sin(ANGLE.to_radians() / 4.0),
        TrackPart::Translation => diagonal(cx).is_none_or(|size| {
            let parent = cx
                .asset
                .skeleton
                .get(driver.joint)
                .and_then(|joint| joint.parent);
            let rest = model_pose(cx.asset, &rest(cx.asset));
            let world = parent.map(|parent| rest[parent]);
            let scale = world.map_or(1.0, |world| world.x_axis.truncate().length());
            distance * f64::from(scale) > MOVE * size
        }),
        _ => distance > PART,
    }
}

fn judge(
    cx: &Context<'_>,
    clip: &Clip,
    driver: &Driver<'_>,
    curve: &Curve<'_>,
    out: &mut Findings,
) {
    const META: &RuleMeta = &CubicDegenerate::META;
    let (shortest, farthest) = (cx.limit(META, &SHORTEST), cx.limit(META, &FARTHEST));
    let subject = |subject: Location| {
        subject
            .channel_id(driver.channel())
            .at(Seconds(curve.start))
    };
    let group = cx.clip(clip);
    let Run {
        shortest: length,
        overshoot,
        farthest: distance,
    } = curve.run();
    if length < shortest {
        out.add(Offence::below(&group, "span", length, shortest), |group| {
            let length = beside(length, shortest, 2);
            let message = format!("the quaternion shrinks to {length} on the way to the next key");
            (subject(group), message)
        });
    } else if overshoot > farthest && is_seen(cx, driver, distance) {
        // A bouncing limb may be meant, so only a quaternion near 0 is certain.
        if overshoot.is_infinite() {
            out.add(Offence::of(&group, "span").hint_if(true), |group| {
                let message = "overshoots, although all keys of the track are equal";
                (subject(group), message.to_owned())
            });
            return;
        }
        let offence = Offence::above(&group, "span", overshoot, farthest).hint_if(true);
        out.add(offence, |group| {
            let overshoot = beside(overshoot, farthest, 1);
            let message = format!("overshoots by {overshoot}× the distance to the next key");
            (subject(group), message)
        });
    }
}

/// Samples of a span: its extremes are at most half a step, 1/32 of the span, from one of them.
const STEPS: u32 = 16;

/// Relative difference below which two keys are equal except for rounding: sixteen units in the last place of an f32.
const ROUNDING: f64 = 2e-6;

/// Fewer spans between equal keys do not show that a track is meant to be still.
const STILL: usize = 2;

/// One cubic span of a track.
struct Curve<'a> {
    /// Time of its first key, in seconds.
    start: f64,
    /// Whether its points are normalized.
    is_rotation: bool,
    seconds: f64,
    from: &'a [f32],
    leave: &'a [f32],
    to: &'a [f32],
    arrive: &'a [f32],
    /// The longest distance between its two keys, and from these to their neighbours.
    distance: f64,
    /// Whether it leaves keys that are all the same, in a wave: to the one side and then to the other. A bump to one
    /// side, as of a ball that bounces, is intended.
    is_idle_wave: bool,
}

/// The cubic spans of a track.
fn curves<'a>(driver: &Driver<'a>) -> impl Iterator<Item = Curve<'a>> {
    let (track, is_rotation) = (driver.track, driver.part == TrackPart::Rotation);
    let spans = track.count().saturating_sub(1);
    let between = move |key: usize| distance(track.value(key), track.value(key + 1), is_rotation);
    let equal = |key: usize| between(key) <= ROUNDING * size(wide(track.value(key)));
    let is_still = spans >= STILL && (0..spans).all(equal);
    (0..spans).filter_map(move |key| {
        let Span::Cubic { leave, arrive } = track.span(key) else {
            return None;
        };
        let around = key.saturating_sub(1)..(key + 2).min(spans);
        Some(Curve {
            start: track.time(key),
            is_rotation,
            seconds: track.time(key + 1) - track.time(key),
            from: track.value(key),
            leave,
            to: track.value(key + 1),
            arrive,
            distance: around.map(between).fold(0.0, f64::max),
            is_idle_wave: is_still && along(leave, arrive) > 0.0,
        })
    })
}

/// How far two tangents point the same way.
fn along(leave: &[f32], arrive: &[f32]) -> f64 {
    wide(leave).zip(wide(arrive)).map(|(a, b)| a * b).sum()
}

/// The shape of a curve between its keys.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    /// The shortest length of the quaternion; infinite if the values, or the keys, are not rotations.
    shortest: f64,
    /// How far it moves from the nearer of its keys, as a multiple of their distance. If that is 0: infinite for a wave
    /// of a still track, else 0.
    overshoot: f64,
    /// The same in the unit of the track; for rotations, the distance of the quaternions.
    farthest: f64,
}

impl Curve<'_> {
    /// Its shape.
    fn run(&self) -> Run {
        let is_apart = self.distance > ROUNDING * size(wide(self.from).chain(wide(self.to)));
        let is_measured = is_apart || self.is_idle_wave;
        let is_judged = self.is_rotation && self.is_usable();
        let mut run = Run {
            shortest: f64::INFINITY,
            overshoot: 0.0,
            farthest: 0.0,
        };
        if !(is_measured || is_judged) {
            return run;
        }
        let (mut point, mut farthest) = (Vec::with_capacity(self.from.len()), 0.0_f64);
        for phase in points() {
            point.clear();
            point.extend(self.at(phase));
            let length = size(point.iter().copied());
            if is_judged {
                run.shortest = run.shortest.min(length);
            }
            if is_measured {
                farthest = farthest.max(self.off(&point, length));
            }
        }
        if is_measured {
            run.overshoot = if is_apart {
                farthest / self.distance
            } else {
                f64::INFINITY
            };
            run.farthest = farthest;
        }
        run
    }

    /// Whether both keys are rotations.
    fn is_usable(&self) -> bool {
        [self.from, self.to].iter().all(|key| size(wide(key)) > 0.5)
    }

    /// The distance of a point to the nearer key.
    fn off(&self, point: &[f64], length: f64) -> f64 {
        let length = if self.is_rotation { length } else { 1.0 };
        let to = |key: &[f32]| {
            let between = |sign: f64| {
                let points = point.iter().zip(wide(key));
                size(points.map(|(x, key)| x / length - sign * key))
            };
            if self.is_rotation {
                between(1.0).min(between(-1.0))
            } else {
                between(1.0)
            }
        };
        to(self.from).min(to(self.to))
    }

    /// The spline at `phase` from 0 to 1, by glTF 2.0, appendix C.5.
    fn at(&self, phase: f64) -> impl Iterator<Item = f64> {
        let (squared, cubed) = (phase * phase, phase * phase * phase);
        let [at_from, at_leave, at_to, at_arrive] = [
            2.0 * cubed - 3.0 * squared + 1.0,
            self.seconds * (cubed - 2.0 * squared + phase),
            3.0 * squared - 2.0 * cubed,
            self.seconds * (cubed - squared),
        ];
        let ends = self.from.iter().zip(self.to);
        let tangents = self.leave.iter().zip(self.arrive);
        ends.zip(tangents)
            .map(move |((from, to), (leave, arrive))| {
                // Spelled out: `map` of an array is not inlined, and takes most of the time.
                f64::from(*from) * at_from
                    + f64::from(*leave) * at_leave
                    + f64::from(*to) * at_to
                    + f64::from(*arrive) * at_arrive
            })
    }
}

fn points() -> impl Iterator<Item = f64> {
    (1..STEPS).map(|step| f64::from(step) / f64::from(STEPS))
}

/// The distance between two keys; for rotations, of either sign.
fn distance(from: &[f32], to: &[f32], is_rotation: bool) -> f64 {
    let between = |sign: f32| {
        let pairs = from.iter().zip(to);
        size(pairs.map(|(from, to)| f64::from(*from) - f64::from(sign * to)))
    };
    if is_rotation {
        between(1.0).min(between(-1.0))
    } else {
        between(1.0)
    }
}

fn wide(numbers: &[f32]) -> impl Iterator<Item = f64> {
    numbers.iter().map(|number| f64::from(*number))
}

fn size(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::finding::Level;
    use crate::pose::rigs::clip;
    use crate::rig::{Asset, Channel, Key, Keyed, NodeId, Track};
    use crate::testing::{arm, findings};
    use crate::units::Seconds;

    /// `(value, tangent)`, a second apart.
    fn overshoots(part: TrackPart, keys: &[(f32, f32)]) -> Vec<f64> {
        let key = |(second, &(value, leave)): (u32, &(f32, f32))| Key {
            time: Seconds(f64::from(second)),
            value: Vec3::new(value, 0.0, 0.0),
            span: Span::Cubic {
                leave: Vec3::new(leave, 0.0, 0.0),
                arrive: Vec3::new(
                    keys.get(second as usize + 1).map_or(0.0, |key| key.1),
                    0.0,
                    0.0,
                ),
            },
        };
        let track = Track {
            keys: (0..).zip(keys).map(key).collect(),
        };
        let driver = Driver {
            joint: NodeId(0),
            part,
            track: &track as &dyn Keyed,
        };
        curves(&driver).map(|curve| curve.run().overshoot).collect()
    }

    #[test]
    fn an_even_motion_does_not_overshoot() {
        let even = overshoots(
            TrackPart::Translation,
            &[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)],
        );
        assert!(even.iter().all(|overshoot| *overshoot <= 0.5), "{even:?}");
    }

    #[test]
    fn an_ease_and_a_swing_stay_below_the_way() {
        for keys in [
            [(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)],
            [(0.0, 3.0), (1.0, 0.0), (0.0, -3.0)],
        ] {
            let eased = overshoots(TrackPart::Translation, &keys);
            assert!(eased.iter().all(|overshoot| *overshoot < 1.0), "{eased:?}");
        }
    }

    #[test]
    fn tangents_per_frame_instead_of_second_overshoot() {
        let wild = overshoots(
            TrackPart::Translation,
            &[(0.0, 30.0), (1.0, 30.0), (2.0, 30.0)],
        );
        assert!(wild.iter().all(|overshoot| *overshoot > 1.0), "{wild:?}");
    }

    #[test]
    fn a_bump_between_equal_keys_is_meant() {
        let bump = overshoots(
            TrackPart::Translation,
            &[(1.0, 2.0), (1.0, -2.0), (1.0, 2.0)],
        );
        assert_eq!(bump, [0.0, 0.0]);
    }

    #[test]
    fn a_still_track_that_waves_overshoots() {
        let wave = [(1.0, 2.0), (1.0, 2.0), (1.0, 2.0)];
        let waves = overshoots(TrackPart::Translation, &wave);
        assert_eq!(waves, [f64::INFINITY; 2]);
        // Two keys alone may be the ends of a breath.
        assert_eq!(overshoots(TrackPart::Translation, &wave[..2]), [0.0]);
    }

    #[test]
    fn nan_does_not_overshoot() {
        let broken = overshoots(
            TrackPart::Scale,
            &[(0.0, f32::NAN), (1.0, 0.0), (f32::NAN, 0.0)],
        );
        assert!(
            broken.iter().all(|overshoot| *overshoot <= 1.0),
            "{broken:?}"
        );
    }

    /// The levels of a curve from rest to `to` that starts with the tangent `leave`.
    fn levels(to: Quat, leave: Quat) -> Vec<Level> {
        let key = |time, value| Key {
            time: Seconds(time),
            value,
            span: Span::Cubic {
                leave,
                arrive: Quat::from_array([0.0; 4]),
            },
        };
        let mut turn = clip("turn", 0.0, 1.0);
        turn.channels.push(Channel {
            rotation: Some(Track {
                keys: vec![key(0.0, Quat::IDENTITY), key(1.0, to)],
            }),
            ..Channel::of(NodeId(1))
        });
        let asset = Asset {
            clips: vec![turn],
            ..arm()
        };
        let found = findings(&asset, &CubicDegenerate);
        found.iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn only_a_quaternion_near_zero_is_certain() {
        let (still, bent) = (Quat::from_array([0.0; 4]), Quat::from_rotation_z(0.4));
        assert_eq!(levels(bent, still), []);
        assert_eq!(levels(-Quat::IDENTITY, still), [Level::Warning]);
        let swinging = Quat::from_array([0.0, 0.0, -6.0, 0.0]);
        assert_eq!(levels(bent, swinging), [Level::Hint]);
    }
}
