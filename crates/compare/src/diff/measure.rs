//! Measures distances of corresponding vertices over the samples of a clip.

use glam::Vec3;
use rayon::prelude::*;

use super::samples::Sample;
use super::side::{At, Frame, Side};
use crate::skinning::SkinningError;

/// The largest angle between normals that counts as equal, in degrees. An eight-bit octahedral normal is off by up to
/// one degree, and an exporter's own smoothing by a little more.
pub(super) const NORMAL_LIMIT: f64 = 5.0;

/// The samples are measured in this many parts, in parallel. The number does not depend on the machine.
const PARTS: usize = 16;

/// What is measured, and with which limits.
pub(super) struct Task<'a> {
    pub(super) sides: [&'a Side<'a>; 2],
    pub(super) pairs: &'a [[u32; 2]],
    /// The limit for the whole clip.
    pub(super) limit: f64,
    /// For each pair, a factor on its limit; empty if all are 1.
    pub(super) factors: Vec<f64>,
    /// Whether normals are compared.
    pub(super) normals: bool,
}

/// Distances over all samples.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) max: f64,
    /// The pair and the sample of the largest distance.
    pub(super) worst: Option<(usize, usize)>,
    pub(super) positions: [Vec3; 2],
    pub(super) p99: f64,
    pub(super) rms: f64,
    /// The largest distance as a multiple of the limit; up to 1 is within it.
    pub(super) used: f64,
    /// The largest distance and the root mean square at each sample.
    pub(super) over_time: Vec<[f64; 2]>,
    /// Each pair's largest distance.
    pub(super) of_pairs: Vec<f32>,
    /// The cosine of each pair's largest angle between normals; empty if not compared.
    pub(super) cosines: Vec<f32>,
}

impl Measured {
    /// The number of normals that differ where positions are within `limit`, and the largest angle there in degrees.
    pub(super) fn normals_off(&self, limit: f64) -> (usize, f64) {
        let least = libm::cos(NORMAL_LIMIT.to_radians());
        let pairs = self.cosines.iter().zip(&self.of_pairs);
        let in_place = pairs.filter(|(_, distance)| f64::from(**distance) <= limit);
        let (mut off, mut worst) = (0, 1.0_f32);
        for (cosine, _) in in_place {
            off += usize::from(f64::from(*cosine) < least);
            worst = worst.min(*cosine);
        }
        let angle = libm::acos(f64::from(worst.clamp(-1.0, 1.0)));
        (off, angle.to_degrees())
    }
}

impl Task<'_> {
    /// * `clips` – `None` for the rest pose, which has one sample.
    pub(super) fn measure(
        &self,
        clips: Option<[usize; 2]>,
        samples: &[Sample],
    ) -> Result<Measured, SkinningError> {
        let size = samples.len().div_ceil(PARTS).max(1);
        let parts: Vec<Part> = samples
            .par_chunks(size)
            .enumerate()
            .map(|(part, samples)| self.part(clips, samples, part * size))
            .collect::<Result<_, _>>()?;
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_else(|| Part::new(self));
        for part in parts {
            whole.add(part);
        }
        Ok(whole.finish())
    }

    /// A difference of a pair as a multiple of its limit.
    pub(super) fn share(&self, pair: usize, length: f64) -> f64 {
        let factor = self.factors.get(pair).copied().unwrap_or(1.0);
        length / self.limit / factor
    }

    fn part(
        &self,
        clips: Option<[usize; 2]>,
        samples: &[Sample],
        first: usize,
    ) -> Result<Part, SkinningError> {
        let mut part = Part::new(self);
        for (index, sample) in samples.iter().enumerate() {
            let frame = |side: usize| {
                self.sides[side].frame(At::of(clips, sample.times, side), self.normals)
            };
            part.see(self, [frame(0)?, frame(1)?], first + index);
        }
        Ok(part)
    }
}

/// Distances over some samples.
struct Part {
    measured: Measured,
    squares: f64,
    count: u64,
}

impl Part {
    fn new(task: &Task<'_>) -> Self {
        let count = task.pairs.len();
        Self {
            measured: Measured {
                max: 0.0,
                worst: None,
                positions: [Vec3::ZERO; 2],
                p99: 0.0,
                rms: 0.0,
                used: 0.0,
                over_time: Vec::new(),
                of_pairs: vec![0.0; count],
                cosines: vec![1.0; if task.normals { count } else { 0 }],
            },
            squares: 0.0,
            count: 0,
        }
    }

    fn see(&mut self, task: &Task<'_>, frames: [Frame; 2], sample: usize) {
        let [before, after] = frames;
        let measured = &mut self.measured;
        let (mut largest, mut squares) = (0.0_f64, 0.0);
        for (index, [a, b]) in task.pairs.iter().enumerate() {
            let [a, b] = [*a as usize, *b as usize];
            let points = [before.positions[a], after.positions[b]];
            let distance = distance(points);
            let wide = f64::from(distance);
            squares += wide * wide;
            largest = largest.max(wide);
            if distance > measured.of_pairs[index] {
                measured.of_pairs[index] = distance;
            }
            if wide > measured.max || measured.worst.is_none() {
                measured.max = wide;
                measured.worst = Some((index, sample));
                measured.positions = points;
            }
            measured.used = measured.used.max(task.share(index, wide));
            if let Some(least) = measured.cosines.get_mut(index) {
                let [a, b] = [before.normals[a], after.normals[b]];
                if a != Vec3::ZERO && b != Vec3::ZERO {
                    *least = least.min(a.dot(b));
                }
            }
        }
        self.squares += squares;
        self.count += task.pairs.len() as u64;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let count = task.pairs.len().max(1) as f64;
        measured.over_time.push([largest, (squares / count).sqrt()]);
    }

    fn add(&mut self, other: Self) {
        let (own, other_measured) = (&mut self.measured, other.measured);
        if other_measured.max > own.max {
            own.max = other_measured.max;
            own.worst = other_measured.worst;
            own.positions = other_measured.positions;
        }
        own.used = own.used.max(other_measured.used);
        own.over_time.extend(other_measured.over_time);
        for (own, other) in own.of_pairs.iter_mut().zip(other_measured.of_pairs) {
            *own = own.max(other);
        }
        for (own, other) in own.cosines.iter_mut().zip(other_measured.cosines) {
            *own = own.min(other);
        }
        self.squares += other.squares;
        self.count += other.count;
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn finish(mut self) -> Measured {
        let count = self.count.max(1);
        self.measured.rms = (self.squares / count as f64).sqrt();
        let mut farthest = self.measured.of_pairs.clone();
        let rank = farthest.len().saturating_sub(1 + farthest.len() / 100);
        if rank < farthest.len() {
            let (_, p99, _) = farthest.select_nth_unstable_by(rank, f32::total_cmp);
            self.measured.p99 = f64::from(*p99);
        }
        self.measured
    }
}

/// The distance of two points; 0 if neither is finite, infinite if one is not.
pub(super) fn distance([a, b]: [Vec3; 2]) -> f32 {
    match (a.is_finite(), b.is_finite()) {
        (true, true) => a.distance(b).min(f32::MAX),
        (false, false) => 0.0,
        _ => f32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::{rising, with_sides};

    #[test]
    fn each_pairs_largest_distance_may_be_at_any_sample() {
        let still = [(0.0, 0.0), (1.0, 0.0)];
        let late = [(0.0, 0.0), (0.9, 0.0), (0.95, 2.0), (1.0, 1.0)];
        let sources = [&still[..], &late].map(|keys| Source::from(rising(keys)));
        let samples: Vec<Sample> = (0..=40)
            .map(|index| Sample {
                times: [f64::from(index) / 40.0; 2],
                is_key: [false; 2],
            })
            .collect();
        let measured = with_sides(&sources, |sides| {
            let task = Task {
                sides,
                pairs: &[[0, 0], [1, 1], [2, 2]],
                limit: 0.5,
                factors: Vec::new(),
                normals: false,
            };
            task.measure(Some([0, 0]), &samples)
        });
        let measured = measured.expect("it can be skinned");
        assert!(
            measured
                .of_pairs
                .iter()
                .all(|apart| (apart - 2.0).abs() < 1e-5)
        );
        assert_eq!(measured.worst.map(|(_, sample)| sample), Some(38));
        assert!((measured.used - 4.0).abs() < 1e-4, "{}", measured.used);
    }
}
