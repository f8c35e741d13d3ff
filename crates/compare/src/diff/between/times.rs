//! The times between keys at which two clips are compared.

use super::Curves;
use crate::diff::samples::{Sample, Samples};

/// Where what can be missed is below this fraction of the tolerance, the middle between two keys is enough.
const ENOUGH: f64 = 0.25;

/// The fewest times between two keys where more than that can be missed, and the most.
const FEWEST: usize = 3;
const MOST: usize = 24;

/// How closely two clips are compared between their keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::diff) enum Depth {
    /// Shows most differences.
    Coarse,
    /// Until less than [`ENOUGH`] of the tolerance can be missed.
    Fine,
}

/// Two neighbouring keys, and how they are compared between them.
struct Interval {
    /// On each side, at both ends. Where a track steps at the second key, the end is just before it.
    times: [[f64; 2]; 2],
    jumps: bool,
    /// What can be missed without a time between them.
    stray: f64,
    /// The number of times between them.
    count: usize,
}

impl Curves<'_> {
    /// The keys, and times between them.
    ///
    /// * `limit` – the tolerance.
    /// * `most` – the largest number of samples. If there are more keys, the first and the last are kept, and the others are thinned
    ///   evenly.
    pub(in crate::diff) fn samples(
        &self,
        keys: &Samples,
        depth: Depth,
        limit: f64,
        most: usize,
    ) -> Samples {
        let pairs = keys.list.iter().zip(keys.list.iter().skip(1));
        let mut intervals: Vec<Interval> = pairs
            .map(|(from, to)| self.interval([from, to], depth, ENOUGH * limit))
            .collect();
        let between: usize = intervals.iter().map(|own| own.count).sum();
        let jumps = intervals.iter().filter(|own| own.jumps).count();
        let all = keys.list.len() + jumps + between;
        if all > most {
            let room = most.saturating_sub(keys.list.len() + jumps);
            if room < intervals.len() {
                return self.thinned(keys, all, most);
            }
            for own in &mut intervals {
                own.count = (own.count * room / between).max(1);
            }
        }
        let mut list = Vec::with_capacity(all.min(most));
        let mut missed: f64 = 0.0;
        for (key, own) in keys.list.iter().zip(&intervals) {
            let start = list.len();
            list.push(*key);
            list.extend(own.fractions().map(|fraction| own.at(fraction)));
            if own.jumps {
                list.push(own.at(1.0));
            }
            let stray = match own.count {
                1 => own.stray,
                _ => self.missed(list[start..].iter().chain(
                    // Between the last of these and a step there is nothing.
                    (!own.jumps).then_some(&own.at(1.0)),
                )),
            };
            missed = missed.max(stray);
        }
        list.extend(keys.list.last());
        Samples {
            list,
            all,
            missed: Some(missed),
        }
    }

    fn interval(&self, [from, to]: [&Sample; 2], depth: Depth, enough: f64) -> Interval {
        let jumps = !self.is_same && self.jump(to.times);
        let times = [0, 1].map(|side: usize| {
            let [start, end] = [from.times[side], to.times[side]];
            [
                start,
                if jumps {
                    just_before(end).max(start)
                } else {
                    end
                },
            ]
        });
        let stray = self.stray(times);
        let count = match depth {
            _ if stray <= enough => 1,
            Depth::Coarse => FEWEST,
            Depth::Fine => wanted(stray / enough),
        };
        Interval {
            times,
            jumps,
            stray,
            count,
        }
    }

    /// What can be missed between neighbours.
    fn missed<'s>(&self, samples: impl Iterator<Item = &'s Sample>) -> f64 {
        let mut times: Option<[f64; 2]> = None;
        let mut missed: f64 = 0.0;
        for sample in samples {
            if let Some(last) = times.replace(sample.times) {
                let both = [0, 1].map(|side: usize| [last[side], sample.times[side]]);
                missed = missed.max(self.stray(both));
            }
        }
        missed
    }

    fn thinned(&self, keys: &Samples, all: usize, most: usize) -> Samples {
        let kept = keys.thinned(most);
        Samples {
            all,
            missed: Some(self.missed(kept.list.iter())),
            ..kept
        }
    }
}

/// A bound falls with the square of the distance of samples.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped"
)]
fn wanted(times_too_large: f64) -> usize {
    let count = times_too_large.sqrt().ceil();
    (count.min(f64::from(u8::MAX)) as usize).clamp(FEWEST, MOST)
}

/// The last time before a step that f32 distinguishes from it.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn just_before(time: f64) -> f64 {
    f64::from((time as f32).next_down())
}

impl Interval {
    /// The middle, or uneven fractions: differences of curves are often odd about the middle, and 0 there.
    fn fractions(&self) -> impl Iterator<Item = f64> + use<> {
        let count = self.count;
        (1..=count).map(move |index| {
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let [index, all] = [index as f64, count as f64];
            if count == 1 {
                0.5
            } else {
                (index - 0.3) / (all + 0.5)
            }
        })
    }

    fn at(&self, fraction: f64) -> Sample {
        let time = |[start, end]: [f64; 2]| start * (1.0 - fraction) + end * fraction;
        Sample {
            times: self.times.map(time),
            is_key: [false; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_times_are_symmetric_about_the_middle() {
        for count in FEWEST..=MOST {
            let interval = Interval {
                times: [[0.0, 1.0]; 2],
                jumps: false,
                stray: 0.0,
                count,
            };
            let fractions: Vec<f64> = interval.fractions().collect();
            assert!(fractions.is_sorted() && fractions[0] > 0.0 && fractions[count - 1] < 1.0);
            for a in &fractions {
                for b in &fractions {
                    assert!((a + b - 1.0).abs() > 1e-3, "{a} and {b} of {count}");
                }
            }
        }
    }
}
