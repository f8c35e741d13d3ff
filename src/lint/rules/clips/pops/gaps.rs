//! Selects keys that may pop, by their times alone.

use std::ops::Range;

use glam::DVec3;

/// The longest pop, in frames: a little more than two, to allow for rounding of times.
const SOON: f64 = 2.1;

/// The shortest step, in frames: a shorter one is a cut between two frames, whose speed is meaningless.
const CUT: f64 = 0.5;

/// One or two keys, and the path from the keys before to the keys after.
pub(in super::super) struct Gap {
    /// The key, or the first of the two.
    pub(super) first: usize,
    /// The same, or the second.
    pub(super) last: usize,
    /// The time to get there or back, whichever is longer; in seconds.
    pub(super) longest: f64,
    /// For each key, the coefficients of the two keys before and the two after in its position on their path.
    parts: [[f64; 4]; 2],
}

/// The keys with two more on either side.
pub(super) fn inner(keys: usize) -> Range<usize> {
    2..keys.saturating_sub(2)
}

impl Gap {
    /// Gaps that are short enough and not cuts, in the order of their first keys.
    ///
    /// * `times` – of the keys, in seconds.
    /// * `frame` – in seconds.
    /// * `firsts` – candidates for the first key; may extend past the last one.
    pub(in super::super) fn all(times: &[f64], frame: f64, firsts: Range<usize>) -> Vec<Self> {
        let inner = inner(times.len());
        let firsts = firsts.start.max(inner.start)..firsts.end.min(inner.end);
        let gaps = firsts.flat_map(|first| [(first, first), (first, first + 1)]);
        let gaps = gaps.filter(|(_, last)| inner.contains(last));
        let is_short = |&(first, last): &(usize, usize)| {
            let [there, home] = steps(times, first, last);
            times[last + 1] - times[first] <= SOON * frame && there.min(home) >= CUT * frame
        };
        let gaps = gaps.filter(is_short);
        gaps.map(|(first, last)| Self::new(times, first, last))
            .collect()
    }

    /// * `first`, `last` – two keys at least from either end.
    pub(super) fn new(times: &[f64], first: usize, last: usize) -> Self {
        let [there, home] = steps(times, first, last);
        Self {
            first,
            last,
            longest: there.max(home),
            parts: [first, last].map(|key| parts(times, (first, last), key)),
        }
    }

    /// The positions of its first and last key on the path.
    pub(super) fn interpolated(&self, positions: &[DVec3]) -> [DVec3; 2] {
        [
            self.interpolated_first(positions),
            self.position(1, positions),
        ]
    }

    /// The position of its first key on the path.
    #[inline]
    pub(super) fn interpolated_first(&self, positions: &[DVec3]) -> DVec3 {
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
mod tests {
    use super::*;

    /// The first and the last keys.
    fn gaps(times: &[f64]) -> Vec<[usize; 2]> {
        let gaps = Gap::all(times, 1.0, 0..times.len()).into_iter();
        gaps.map(|gap| [gap.first, gap.last]).collect()
    }

    #[test]
    fn one_key_or_two_are_a_gap_where_frames_follow_each_other() {
        assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.0]), [[2, 2]]);
        let of_six = [[2, 2], [2, 3], [3, 3]];
        assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), of_six);
        assert!(gaps(&[0.0, 1.0, 2.0]).is_empty());
    }

    #[test]
    fn parts_of_the_keys_have_the_gaps_of_the_whole() {
        let times: Vec<f64> = (0..20).map(f64::from).collect();
        let firsts = |range| {
            let gaps = Gap::all(&times, 1.0, range).into_iter();
            gaps.map(|gap| [gap.first, gap.last]).collect::<Vec<_>>()
        };
        let parts = [0..7, 7..14, 14..21].map(firsts).concat();
        assert_eq!(parts, gaps(&times));
    }

    #[test]
    fn cuts_and_long_waits_are_none() {
        assert!(gaps(&[0.0, 1.0, 1.1, 2.0, 3.0]).is_empty());
        assert!(gaps(&[0.0, 1.0, 2.0, 4.2, 5.0]).is_empty());
    }

    #[test]
    fn cubic_motion_counts_as_motion() {
        let times = [0.0, 0.7, 1.0, 1.4, 2.0, 2.5];
        let positions = times.map(|t: f64| DVec3::new(t * t * t - 2.0 * t, t, 1.0));
        let interpolated = Gap::new(&times, 2, 3).interpolated(&positions);
        assert!(
            interpolated[0].distance(positions[2]) < 1e-12
                && interpolated[1].distance(positions[3]) < 1e-12
        );
    }
}
