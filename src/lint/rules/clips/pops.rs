//! Finds single keys that do not fit the motion around them.

mod gaps;

use glam::DVec3;

pub(super) use gaps::Gap;

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
        let keys = gaps.chunk_by(|a, b| a.first == b.first);
        let keys = keys.filter_map(|gaps| {
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
        let (key, around) = (gap.first, around / self.size);
        is_calm.then_some(Found { key, speed, around })
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
        let off = gaps::inner(times.len()).map(|key| {
            let interpolated = Gap::new(times, key, key).interpolated_first(&positions);
            positions[key].distance(interpolated)
        });
        off.fold(0.0, f64::max)
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

#[cfg(test)]
mod tests;
