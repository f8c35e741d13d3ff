//! `C533`: wild-morph-weight.

use super::paths::LONGEST_FRAME;
use crate::core::numbers::sensible;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Driver, Location, TrackPart};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Weights run from 0 to 1; artists overdrive them to 2 or 3. Percentages exceed 10 as soon as the target is visible.
const LARGEST: Limit = Limit::new("largest", 10.0, LimitRange::FROM_ZERO)
    .about("maximum absolute weight of a morph target");

/// An eye takes at least two frames to close.
const LEAP: Limit = Limit::new("leap", 0.4, LimitRange::FROM_ZERO)
    .about("minimum distance of a key from both of its neighbours that is a pop");

const SIZE: Gauge = Gauge::new("weight of a morph target", ReadingUnit::Weight);
const POP: Gauge = Gauge::new("pop of a morph target", ReadingUnit::Weight);

declare_rule! {
    WildMorphWeight, "C533", "wild-morph-weight", Hint, Judged, limits = &[LARGEST, LEAP]
}

impl Rule for WildMorphWeight {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [largest, leap] = [LARGEST, LEAP].map(|limit| cx.limit(&Self::META, &limit));
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip
                .drivers()
                .filter(|driver| driver.part == TrackPart::Weights)
            {
                let subject = |subject: Location, key| {
                    subject
                        .channel_id(driver.channel())
                        .at(Seconds(driver.track.time(key)))
                };
                for (key, target, value) in values(&driver) {
                    let size = f64::from(value.abs());
                    out.measure(SIZE, [size, largest], || subject(group.clone(), key));
                    let off = pop(&driver, key, target).unwrap_or_default();
                    if size <= largest {
                        out.measure(POP, [off, leap], || subject(group.clone(), key));
                    }
                    if size > largest {
                        out.add(Offence::above(&group, "weight", size, largest), |group| {
                            let size = sensible(size, 4);
                            let message =
                                format!("target {target} has the weight {size}: in percent?");
                            (subject(group, key), message)
                        });
                    } else if off > leap {
                        out.add(Offence::above(&group, "weight", off, leap), |group| {
                            let off = sensible(off, 2);
                            let message =
                                format!("target {target} pops by {off} for one frame and back");
                            (subject(group, key), message)
                        });
                    }
                }
            }
        }
    }
}

/// The index of a key, the index of a target, and its weight.
fn values<'a>(driver: &'a Driver<'_>) -> impl Iterator<Item = (usize, usize, f32)> + use<'a> {
    let keys = 0..driver.track.count();
    keys.flat_map(|key| {
        let weights = driver.track.value(key).iter().enumerate();
        weights.map(move |(target, weight)| (key, target, *weight))
    })
}

/// How far a key is from its neighbours, if these and the next ones beyond are alike and the key lasts one frame.
fn pop(driver: &Driver<'_>, key: usize, target: usize) -> Option<f64> {
    let track = driver.track;
    let (first, last) = (key.checked_sub(2)?, key + 2);
    if last >= track.count() || track.time(key + 1) - track.time(key - 1) > 2.1 * LONGEST_FRAME {
        return None;
    }
    let value = |key: usize| f64::from(track.value(key)[target]);
    let off = (value(key) - value(key - 1))
        .abs()
        .min((value(key) - value(key + 1)).abs());
    let calm = [(first, key - 1), (key - 1, key + 1), (key + 1, last)];
    let is_calm = calm
        .iter()
        .all(|(a, b)| (value(*a) - value(*b)).abs() < 0.1 * off);
    is_calm.then_some(off)
}
