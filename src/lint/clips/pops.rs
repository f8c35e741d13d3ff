//! Single keys that do not fit the motion around them.

use std::ops::{Range, RangeInclusive};

use glam::DVec3;

/// Where a joint is at each of some times, and how large what it belongs to is.
pub(super) struct Path<'a> {
    /// In seconds, ascending, each a good deal later than the one before.
    pub(super) times: &'a [f64],
    /// One a time, in the unit of `size`.
    pub(super) places: &'a [DVec3],
    /// Of a frame, in seconds.
    pub(super) frame: f64,
    /// The diagonal of the model.
    pub(super) size: f64,
}

/// What an outlier is.
#[derive(Clone, Copy)]
pub(super) struct Outlier {
    /// Times what the keys around it are off their way.
    pub(super) times_around: f64,
    /// Diagonals per frame.
    pub(super) diagonals: f64,
}

/// A key that sticks out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Which time.
    pub(super) key: usize,
    /// How far off the way, by how long it takes to get there or back, whichever is longer; in diagonals per frame.
    pub(super) speed: f64,
    /// How far the keys around it are off at the most, in diagonals.
    pub(super) around: f64,
}

/// In frames: how soon a pop is over. A little more than two, for the rounding of times.
const SOON: f64 = 2.1;

/// In frames: a step that is shorter is a cut between two frames, whose speed means nothing.
const CUT: f64 = 0.5;

/// How many keys before and after a pop have to be on their way.
const AROUND: usize = 5;

impl Path<'_> {
    /// The keys at which the path leaps away and, within two frames, back to its way, on which all keys around them are,
    /// however fast.
    pub(super) fn pops(&self, outlier: Outlier) -> Vec<Found> {
        let fastest = |a: Found, b: Found| if b.speed > a.speed { b } else { a };
        let keys = self.inner().filter_map(|key| {
            let gaps = [key..=key, key..=key + 1].into_iter();
            let leaps = gaps.filter_map(|gap| self.leap(&gap, outlier));
            leaps.reduce(fastest)
        });
        keys.collect()
    }

    /// The keys with two more on either side.
    fn inner(&self) -> Range<usize> {
        2..self.times.len().saturating_sub(2)
    }

    /// What is found if the keys of `gap` are off the way that leads from the keys before to those after them.
    fn leap(&self, gap: &RangeInclusive<usize>, outlier: Outlier) -> Option<Found> {
        let (first, last) = (*gap.start(), *gap.end());
        if !self.inner().contains(&last) {
            return None;
        }
        let off = gap
            .clone()
            .map(|key| self.places[key].distance(self.way(gap, key)));
        let off = off.fold(f64::INFINITY, f64::min);
        let [there, home] = [(first - 1, first), (last, last + 1)].map(|(a, b)| self.seconds(a, b));
        let longest = there.max(home);
        let pace = off / longest;
        let speed = pace * self.frame / self.size;
        let leaps = speed.is_finite() && speed > outlier.diagonals;
        let is_short = self.seconds(first, last + 1) <= SOON * self.frame
            && there.min(home) >= CUT * self.frame;
        let beside = Beside::of(self, gap);
        if !(leaps && is_short && beside.fastest() <= pace) {
            return None;
        }
        let around = self.off_around(gap).max(beside.burst() * longest);
        let is_calm = outlier.times_around * around <= off;
        let (key, around) = (first, around / self.size);
        is_calm.then_some(Found { key, speed, around })
    }

    /// How far the keys around `gap` are off their way at the most, once those in it are on theirs.
    fn off_around(&self, gap: &RangeInclusive<usize>) -> f64 {
        let (first, last) = (*gap.start(), *gap.end());
        let start = first.saturating_sub(AROUND + 2);
        let end = (last + AROUND + 3).min(self.times.len());
        let mut places = self.places[start..end].to_vec();
        for key in gap.clone() {
            places[key - start] = self.way(gap, key);
        }
        let around = Path {
            times: &self.times[start..end],
            places: &places,
            ..*self
        };
        let keys = around.inner();
        let off = keys.map(|key| places[key].distance(around.way(&(key..=key), key)));
        off.fold(0.0, f64::max)
    }

    /// The way: where the cubic curve through the two keys before and after `gap` is at the time of `key`.
    fn way(&self, gap: &RangeInclusive<usize>, key: usize) -> DVec3 {
        let (first, last) = (*gap.start(), *gap.end());
        let through = [first - 2, first - 1, last + 1, last + 2];
        let part = |of: usize| {
            let others = through.iter().filter(|other| **other != of);
            let [at, of] = [key, of].map(|key| self.times[key]);
            let factors = others.map(|other| (at - self.times[*other]) / (of - self.times[*other]));
            factors.product::<f64>()
        };
        let parts = through.map(|of| self.places[of] * part(of));
        parts.into_iter().sum()
    }

    fn seconds(&self, from: usize, to: usize) -> f64 {
        self.times[to] - self.times[from]
    }
}

/// The velocities beside a gap.
struct Beside {
    before: DVec3,
    past: DVec3,
    after: DVec3,
}

impl Beside {
    fn of(path: &Path<'_>, gap: &RangeInclusive<usize>) -> Self {
        let (first, last) = (gap.start() - 1, gap.end() + 1);
        let velocity =
            |from: usize, to: usize| (path.places[to] - path.places[from]) / path.seconds(from, to);
        Self {
            before: velocity(first - 1, first),
            past: velocity(first, last),
            after: velocity(last, last + 1),
        }
    }

    /// Where a limb stops, starts or turns at once, the corner is off the way by less than the fastest step.
    fn fastest(&self) -> f64 {
        let speeds = [self.before, self.past, self.after].map(DVec3::length);
        speeds.into_iter().fold(0.0, f64::max)
    }

    /// By how much the limb is faster past the gap than beside it: in a blow of two frames it may be anywhere in between.
    fn burst(&self) -> f64 {
        self.past.distance(0.5 * (self.before + self.after))
    }
}

#[cfg(test)]
mod tests;
