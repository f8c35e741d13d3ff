//! Finds single keys that do not fit the motion around them.

use std::ops::Range;

use glam::DVec3;

/// Positions of a joint over time, and the size of its model.
pub(super) struct Path<'a> {
    /// In seconds, ascending and well separated.
    pub(super) times: &'a [f64],
    /// One a time, in the unit of `size`.
    pub(super) positions: &'a [DVec3],
    /// The duration of a frame, in seconds.
    pub(super) frame: f64,
    /// The diagonal of the model.
    pub(super) size: f64,
}

/// The definition of an outlier.
#[derive(Clone, Copy)]
pub(super) struct Outlier {
    /// Ratio to the deviation of the keys around it.
    pub(super) times_around: f64,
    /// Diagonals per frame.
    pub(super) diagonals: f64,
}

/// A key that sticks out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Which time.
    pub(super) key: usize,
    /// The deviation over the time to get there or back, whichever is longer; in diagonals per frame.
    pub(super) speed: f64,
    /// The largest deviation of the keys around it, in diagonals.
    pub(super) around: f64,
}

impl Found {
    /// The faster of two; the first of equal ones.
    pub(super) fn faster(self, other: Self) -> Self {
        if other.speed > self.speed {
            other
        } else {
            self
        }
    }
}

/// The number of keys before and after a pop that must be on their path.
const AROUND: usize = 5;

impl Path<'_> {
    /// The keys at which the joint leaps off its path and back within two frames, while all keys around them are on the
    /// path, however fast.
    ///
    /// * `gaps` – of the times, and the frame.
    pub(super) fn pops(&self, gaps: &[Gap], outlier: Outlier) -> Vec<Found> {
        let keys = gaps.chunk_by(|a, b| a.first == b.first).filter_map(|gaps| {
            let leaps = gaps.iter().filter_map(|gap| self.leap(gap, outlier));
            leaps.reduce(Found::faster)
        });
        keys.collect()
    }

    /// The finding if the keys of `gap` are off the path from the keys before to the keys after.
    fn leap(&self, gap: &Gap, outlier: Outlier) -> Option<Found> {
        let off = self.off(gap, outlier)?;
        let pace = off / gap.longest;
        let speed = pace * self.frame / self.size;
        let beside = Beside::of(self, gap);
        let leaps = speed.is_finite() && speed > outlier.diagonals;
        if !leaps || beside.fastest() > pace {
            return None;
        }
        let around = self.off_around(gap).max(beside.burst() * gap.longest);
        let is_calm = outlier.times_around * around <= off;
        let is_reset = outlier.times_around * self.off_straight(gap) <= off;
        let (key, around) = (gap.first, around / self.size);
        (is_calm && !is_reset).then_some(Found { key, speed, around })
    }

    /// The least deviation of the keys of `gap` from their path, if that may be a leap.
    fn off(&self, gap: &Gap, outlier: Outlier) -> Option<f64> {
        // A little less than `leap` requires, so that rounding rules out no leap.
        let least = 0.999 * outlier.diagonals * self.size / self.frame * gap.longest;
        let off = |key: usize, interpolated: DVec3| {
            let square = self.positions[key].distance_squared(interpolated);
            (square >= least * least && square.is_finite()).then(|| square.sqrt())
        };
        let first = off(gap.first, gap.interpolated_first(self.positions))?;
        if gap.last == gap.first {
            return Some(first);
        }
        let [_, last] = gap.interpolated(self.positions);
        Some(first.min(off(gap.last, last)?))
    }

    /// The largest deviation of the keys around `gap` from their path, with the keys in it moved onto theirs.
    fn off_around(&self, gap: &Gap) -> f64 {
        let start = gap.first.saturating_sub(AROUND + 2);
        let end = (gap.last + AROUND + 3).min(self.times.len());
        let (times, mut positions) = (&self.times[start..end], self.positions[start..end].to_vec());
        let [first, last] = gap.interpolated(self.positions);
        positions[gap.first - start] = first;
        positions[gap.last - start] = last;
        let off = inner(times.len()).map(|key| {
            let interpolated = Gap::new(times, key, key).interpolated_first(&positions);
            positions[key].distance(interpolated)
        });
        off.fold(0.0, f64::max)
    }

    /// How far the key of `gap` is from where the two keys before or the two after lead, whichever is less. A key that
    /// continues a motion which then starts anew, such as the flight of a shot, does not pop.
    fn off_straight(&self, gap: &Gap) -> f64 {
        let off = |key: usize, [from, to]: [usize; 2]| {
            let part = self.seconds(from, key) / self.seconds(from, to);
            let straight = self.positions[from].lerp(self.positions[to], part);
            straight.distance(self.positions[key])
        };
        let (first, last) = (gap.first, gap.last);
        off(first, [first - 2, first - 1]).min(off(last, [last + 2, last + 1]))
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
    fn of(path: &Path<'_>, gap: &Gap) -> Self {
        let (first, last) = (gap.first - 1, gap.last + 1);
        let velocity = |from: usize, to: usize| {
            (path.positions[to] - path.positions[from]) / path.seconds(from, to)
        };
        Self {
            before: velocity(first - 1, first),
            past: velocity(first, last),
            after: velocity(last, last + 1),
        }
    }

    /// Where a limb stops, starts or turns abruptly, the corner deviates from the path by less than the fastest step.
    fn fastest(&self) -> f64 {
        let speeds = [self.before, self.past, self.after].map(DVec3::length);
        speeds.into_iter().fold(0.0, f64::max)
    }

    /// How much faster the limb is past the gap than beside it: in a blow of two frames it may be anywhere in between.
    fn burst(&self) -> f64 {
        self.past.distance(0.5 * (self.before + self.after))
    }
}

/// The longest pop, in frames: a little more than two, to allow for rounding of times.
const SOON: f64 = 2.1;

/// The shortest step, in frames: a shorter one is a cut between two frames, whose speed is meaningless.
const CUT: f64 = 0.5;

/// One or two keys, and the path from the keys before to the keys after.
pub(super) struct Gap {
    /// The key, or the first of the two.
    first: usize,
    /// The same, or the second.
    last: usize,
    /// The time to get there or back, whichever is longer; in seconds.
    longest: f64,
    /// For each key, the coefficients of the two keys before and the two after in its position on their path.
    parts: [[f64; 4]; 2],
}

/// The keys with two more on either side.
fn inner(keys: usize) -> Range<usize> {
    2..keys.saturating_sub(2)
}

impl Gap {
    /// Gaps that are short enough and not cuts, in the order of their first keys.
    ///
    /// * `times` – of the keys, in seconds.
    /// * `frame` – in seconds.
    /// * `firsts` – candidates for the first key; may extend past the last one.
    pub(super) fn all(times: &[f64], frame: f64, firsts: Range<usize>) -> Vec<Self> {
        let inner = inner(times.len());
        let firsts = firsts.start.max(inner.start)..firsts.end.min(inner.end);
        let gaps = firsts
            .flat_map(|first| [(first, first), (first, first + 1)])
            .filter(|(_, last)| inner.contains(last));
        let is_short = |&(first, last): &(usize, usize)| {
            let [there, home] = steps(times, first, last);
            let is_soon = times[last + 1] - times[first] <= SOON * frame && there <= SOON * frame;
            is_soon && there.min(home) >= CUT * frame
        };
        let gaps = gaps.filter(is_short);
        gaps.map(|(first, last)| Self::new(times, first, last))
            .collect()
    }

    /// * `first`, `last` – two keys at least from either end.
    fn new(times: &[f64], first: usize, last: usize) -> Self {
        let [there, home] = steps(times, first, last);
        Self {
            first,
            last,
            longest: there.max(home),
            parts: [first, last].map(|key| parts(times, (first, last), key)),
        }
    }

    /// The positions of its first and last key on the path.
    fn interpolated(&self, positions: &[DVec3]) -> [DVec3; 2] {
        [
            self.interpolated_first(positions),
            self.position(1, positions),
        ]
    }

    /// The position of its first key on the path.
    #[inline]
    fn interpolated_first(&self, positions: &[DVec3]) -> DVec3 {
        self.position(0, positions)
    }

    #[inline]
    fn position(&self, key: usize, positions: &[DVec3]) -> DVec3 {
        let [a, b, c, d] = through((self.first, self.last));
        let [of_a, of_b, of_c, of_d] = self.parts[key];
        positions[a] * of_a + positions[b] * of_b + positions[c] * of_c + positions[d] * of_d
    }
}

/// The times to get there and back.
fn steps(times: &[f64], first: usize, last: usize) -> [f64; 2] {
    [
        times[first] - times[first - 1],
        times[last + 1] - times[last],
    ]
}

fn through((first, last): (usize, usize)) -> [usize; 4] {
    [first - 2, first - 1, last + 1, last + 2]
}

/// The Lagrange coefficients of the cubic curve through the keys around a gap, at the time of `key`. They depend on times
/// alone, hence are the same for all joints.
fn parts(times: &[f64], gap: (usize, usize), key: usize) -> [f64; 4] {
    let through = through(gap);
    through.map(|of| {
        let others = through.iter().filter(|other| **other != of);
        let [at, of] = [key, of].map(|key| times[key]);
        let factors = others.map(|other| (at - times[*other]) / (of - times[*other]));
        factors.product()
    })
}

#[cfg(test)]
mod tests;
