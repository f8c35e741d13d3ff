//! Single keys that do not fit the motion around them.

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
    /// Times the median speed.
    pub(super) times_median: f64,
    /// Diagonals per frame.
    pub(super) diagonals: f64,
}

/// A key that sticks out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Which time.
    pub(super) key: usize,
    /// How fast there or back, whichever is slower, in diagonals per frame.
    pub(super) speed: f64,
    /// The median speed of the path.
    pub(super) median: f64,
}

/// In frames: how soon a pop is over. A little more than two, for the rounding of times.
const SOON: f64 = 2.1;

/// In frames: a step that is shorter is a cut between two frames, whose speed means nothing.
const CUT: f64 = 0.5;

/// Up to which part of the speed of a pop the steps beside it may go. What has mass speeds up and slows down over several
/// frames: under an even acceleration the steps are as 1 : 3 : 5, so that beside the fastest there is one of a third of it.
const CALM: f64 = 0.25;

/// Up to which part of the way there it is still off afterwards. At the median speed, of which a pop is eight times, the
/// motion goes on for up to three frames in the meantime: 3/8.
const BACK: f64 = 0.5;

impl Path<'_> {
    /// The keys at which the path leaps away and, within two frames, back to where it was, while it is calm before and after.
    pub(super) fn pops(&self, outlier: Outlier) -> Vec<Found> {
        let speeds = self.speeds();
        let median = median(&speeds);
        let least = outlier.diagonals.max(outlier.times_median * median);
        let keys = 2..speeds.len().saturating_sub(1);
        keys.filter_map(|key| {
            let speed = [key, key + 1]
                .into_iter()
                .filter(|&back| back + 1 < speeds.len())
                .filter_map(|back| self.leap(&speeds, key, back))
                .fold(0.0, f64::max);
            (speed > least).then_some(Found { key, speed, median })
        })
        .collect()
    }

    /// The speed at which the path leaps to `key`, and away from key `back`, if it does so and all around is calm.
    ///
    /// * `key` – at least 2.
    /// * `back` – `key` or the next; there is a step after the one that it begins.
    fn leap(&self, speeds: &[f64], key: usize, back: usize) -> Option<f64> {
        let (there, home) = (key - 1, back);
        let speed = speeds[there].min(speeds[home]);
        let beside = [key - 2, back + 1].into_iter().chain(key..back);
        let calm = beside.into_iter().all(|step| speeds[step] <= CALM * speed);
        let soon = self.times[back + 1] - self.times[key] <= SOON * self.frame;
        let whole = [there, home]
            .into_iter()
            .all(|step| self.seconds(step) >= CUT * self.frame);
        let off = self.places[back + 1].distance(self.places[key - 1]);
        let is_back = off <= BACK * self.way(there).min(self.way(home));
        (calm && soon && whole && is_back).then_some(speed)
    }

    /// Of each step from a time to the next, in diagonals per frame.
    fn speeds(&self) -> Vec<f64> {
        let steps = 0..self.times.len().saturating_sub(1);
        let speed = |step| self.way(step) / self.seconds(step) * self.frame / self.size;
        steps.map(speed).collect()
    }

    fn way(&self, step: usize) -> f64 {
        self.places[step + 1].distance(self.places[step])
    }

    fn seconds(&self, step: usize) -> f64 {
        self.times[step + 1] - self.times[step]
    }
}

/// The lower one of two in the middle; 0 of none.
fn median(speeds: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = speeds
        .iter()
        .copied()
        .filter(|speed| speed.is_finite())
        .collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len().saturating_sub(1) / 2;
    sorted.get(middle).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
