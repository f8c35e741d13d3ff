//! The value of a curve at a time: what ufbx computes, but faster. Most spans need no search for the Bézier parameter.

use std::cell::Cell;
use std::ops::RangeInclusive;

use ufbx::{AnimCurve, ExtrapolationMode, Interpolation, Keyframe};

/// How far the handles of a cubic span may be from thirds of its duration for [`parameter`] to apply. Maya writes thirds,
/// 3ds Max 0.3332333.
const OFF_THIRDS: f64 = 1e-3;

/// Iterations of [`parameter`]. Each reduces the error to at most three thousandths.
const ROUNDS: usize = 4;

/// A curve, with the segment of the last time. Sampling in ascending order needs no search.
pub(super) struct Cursor<'a> {
    curve: &'a AnimCurve,
    /// The index of the first key after the last time.
    after: Cell<usize>,
    /// The segment from the key before to that key.
    segment: Cell<Segment>,
}

/// A segment between two keys.
#[derive(Clone, Copy)]
struct Segment {
    start: f64,
    end: f64,
    per_second: f64,
    course: Course,
}

#[derive(Clone, Copy)]
enum Course {
    /// Left to ufbx.
    Unknown,
    Constant(f64),
    /// The first value at the start itself, the second after it.
    Next(f64, f64),
    Linear(f64, f64),
    /// The Bézier's four values, and how far the two handles are off thirds of the duration.
    Cubic([f64; 4], [f64; 2]),
}

impl Segment {
    /// A segment that contains no time.
    const NONE: Self = Self {
        start: f64::INFINITY,
        end: f64::NEG_INFINITY,
        per_second: 0.0,
        course: Course::Unknown,
    };

    fn of(key: &Keyframe, next: &Keyframe) -> Self {
        let per_second = 1.0 / (next.time - key.time);
        let course = match key.interpolation {
            Interpolation::ConstantPrev => Course::Constant(key.value),
            Interpolation::ConstantNext => Course::Next(key.value, next.value),
            Interpolation::Linear => Course::Linear(key.value, next.value),
            Interpolation::Cubic => cubic(key, next, per_second),
        };
        Self {
            start: key.time,
            end: next.time,
            per_second,
            course,
        }
    }

    fn at(&self, time: f64) -> Option<f64> {
        let phase = (time - self.start) * self.per_second;
        Some(match self.course {
            Course::Unknown => return None,
            Course::Constant(value) => value,
            Course::Next(value, next) => {
                if time > self.start {
                    next
                } else {
                    value
                }
            }
            Course::Linear(from, to) => from * (1.0 - phase) + to * phase,
            Course::Cubic(values, off) => bezier(values, parameter(phase, off)),
        })
    }
}

fn cubic(key: &Keyframe, next: &Keyframe, per_second: f64) -> Course {
    let off = [
        f64::from(key.right.dx) * per_second - 1.0 / 3.0,
        1.0 / 3.0 - f64::from(next.left.dx) * per_second,
    ];
    let is_near = |off: &f64| off.abs() < OFF_THIRDS;
    if !off.iter().all(is_near) {
        return Course::Unknown;
    }
    let leave = key.value + f64::from(key.right.dy);
    let arrive = next.value - f64::from(next.left.dy);
    Course::Cubic([key.value, leave, arrive, next.value], off)
}

impl<'a> Cursor<'a> {
    pub(super) fn new(curve: &'a AnimCurve) -> Self {
        Self {
            curve,
            after: Cell::new(0),
            segment: Cell::new(Segment::NONE),
        }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        let mut segment = self.segment.get();
        if !(segment.start <= time && time < segment.end) {
            segment = self.seek(time);
            self.segment.set(segment);
        }
        let value = segment.at(time);
        value.unwrap_or_else(|| ufbx::evaluate_curve(self.curve, time, 0.0))
    }

    /// The segment that contains `time`; [`Segment::NONE`] outside the keys, where ufbx extrapolates.
    fn seek(&self, time: f64) -> Segment {
        let keys: &[Keyframe] = &self.curve.keyframes;
        let around = |after: usize| {
            let pair = (keys.get(after.checked_sub(1)?)?, keys.get(after)?);
            (pair.0.time <= time && time < pair.1.time).then_some(pair)
        };
        // Sampling mostly ascends, so the next segment is tried before a binary search.
        let mut after = self.after.get() + 1;
        if around(after).is_none() {
            after = keys.partition_point(|key| key.time <= time);
        }
        self.after.set(after);
        around(after).map_or(Segment::NONE, |(key, next)| Segment::of(key, next))
    }
}

/// The parameter t of a cubic Bézier at time `phase`, by fixed-point iteration.
///
/// * `first`, `second` – how far the handles are off their thirds.
///
/// With handles at thirds, time is t itself; otherwise `time(t) = t + 3 t (1 - t) ((1 - t) first + t second)`. Hence t is
/// the fixed point of `phase - 3 t (1 - t) (…)`. The slope of that function is below 3 [`OFF_THIRDS`], so the iteration
/// is a contraction and converges from any start; `phase` is within 1e-3 of the result.
fn parameter(phase: f64, [first, second]: [f64; 2]) -> f64 {
    let improved = |t: f64| phase - 3.0 * t * (1.0 - t) * ((1.0 - t) * first + t * second);
    (0..ROUNDS).fold(phase, |t, _| improved(t))
}

fn bezier([from, leave, arrive, to]: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    u * u * u * from + 3.0 * (u * u * t * leave + u * t * t * arrive) + t * t * t * to
}

/// Whether the value of `curve` changes past the keys.
pub(super) fn continues(curve: &AnimCurve) -> bool {
    let modes = [&curve.pre_extrapolation, &curve.post_extrapolation];
    curve.keyframes.count > 1
        && modes
            .iter()
            .any(|past| past.mode != ExtrapolationMode::Constant)
}

/// The keys of a curve, repeated forwards and backwards within a range.
pub(super) struct Repetition<'a> {
    curve: &'a AnimCurve,
    range: (f64, f64),
    /// The repetitions that reach into the range, as offsets in durations of the curve.
    rounds: RangeInclusive<i64>,
}

impl<'a> Repetition<'a> {
    /// The repetition of `curve` within `range`, in seconds; `None` if the curve does not continue past its keys.
    pub(super) fn new(curve: &'a AnimCurve, range: (f64, f64)) -> Option<Self> {
        let keys = (curve.min_time, curve.max_time);
        continues(curve).then(|| Self {
            curve,
            range,
            rounds: rounds(keys, range),
        })
    }

    /// An upper bound on the number of [times](Self::times), without enumerating them.
    pub(super) fn most_times(&self) -> usize {
        let (first, last) = (
            i128::from(*self.rounds.start()),
            i128::from(*self.rounds.end()),
        );
        let rounds = usize::try_from((last - first + 1).max(0)).unwrap_or(usize::MAX);
        let keys = self.curve.keyframes.count.saturating_mul(2);
        rounds.saturating_mul(keys).saturating_add(2)
    }

    /// The times of repeated keys beyond the curve's own, and the ends of the range.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        let (first, last) = (self.curve.min_time, self.curve.max_time);
        let past = self.rounds.clone().filter(|&round| round != 0);
        let repeated = past.flat_map(move |round| {
            #[expect(clippy::cast_precision_loss, reason = "fewer rounds than keys")]
            let shift = round as f64 * (last - first);
            let keys = self.curve.keyframes.iter();
            // Both forwards and mirrored. The mode decides which of them a round uses; a superfluous time only costs a key.
            keys.flat_map(move |key| [key.time + shift, first + last - key.time + shift])
        });
        let range = self.range;
        let inside = repeated.filter(move |time| (range.0..=range.1).contains(time));
        [range.0, range.1].into_iter().chain(inside)
    }
}

/// The rounds of the keys from `first` to `last` that lie between `start` and `end`; only round 0 if the keys have no
/// duration. Round n is shifted by n durations.
fn rounds((first, last): (f64, f64), (start, end): (f64, f64)) -> RangeInclusive<i64> {
    let duration = last - first;
    if !(duration > 0.0 && duration.is_finite()) {
        return 0..=0;
    }
    // Rounds that cover the time from the start to the first key, and from the last key to the end.
    let before = ((first - start) / duration).ceil().max(0.0);
    let after = ((end - last) / duration).ceil().max(0.0);
    // If the range is far from the keys, only the rounds that reach it.
    let earliest = ((start - last) / duration).floor();
    let latest = ((end - first) / duration).ceil();
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let rounds = (-before).max(earliest) as i64..=after.min(latest) as i64;
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::fbx::curves::Drivers;
    use crate::import::fbx::{asset, load};
    use crate::import::testing;

    #[test]
    fn the_parameter_is_the_root_of_the_beziers_time() {
        for (first, second) in [(0.0, 0.0), (-1e-4, 1e-4), (9e-4, -9e-4), (-9e-4, -9e-4)] {
            for step in 0..=16 {
                let phase = f64::from(step) / 16.0;
                let t = parameter(phase, [first, second]);
                let (x1, x2, u) = (1.0 / 3.0 + first, 2.0 / 3.0 + second, 1.0 - t);
                let time = 3.0 * u * u * t * x1 + 3.0 * u * t * t * x2 + t * t * t;
                assert!((time - phase).abs() < 1e-13, "{time} {phase}");
            }
        }
    }

    /// The fixture whose curve of two keys repeats, with these key times (46,186,158,000 ticks per second).
    fn repeating(times: &str) -> ufbx::SceneRoot {
        let text = testing::text("fbx/repeat.fbx");
        let text = testing::changed(&text, "0,46186158000", times);
        load::load(text.as_bytes()).unwrap()
    }

    fn times(scene: &ufbx::Scene, range: (f64, f64), most: usize) -> Option<Vec<f64>> {
        let nodes = scene.nodes.iter();
        let node = nodes.into_iter().find(|node| !node.is_root).unwrap();
        let anim = &scene.anim_stacks[0].anim;
        Drivers::of_translation(anim, node).times(range, most)
    }

    #[test]
    fn keys_come_again_in_every_round_of_the_range() {
        let scene = repeating("0,46186158000");
        let all = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        assert_eq!(times(&scene, (-2.0, 3.0), 100).unwrap(), all);
        assert_eq!(times(&scene, (0.0, 1.0), 100).unwrap(), [0.0, 1.0]);
    }

    #[test]
    fn more_rounds_than_may_be_are_counted_and_not_gathered() {
        let scene = repeating("0,1000");
        let curve = scene.anim_curves.iter().next().unwrap();
        let repetition = Repetition::new(curve, (0.0, 3.0)).unwrap();
        assert!(repetition.most_times() > 500_000_000);
        assert_eq!(times(&scene, (0.0, 3.0), 1 << 24), None);
    }

    #[test]
    fn a_range_far_from_the_keys_has_the_rounds_that_reach_it() {
        let scene = repeating("0,46186158000");
        let far = times(&scene, (1e15, 1e15 + 2.0), 100).unwrap();
        assert_eq!(far, [0.0, 1.0, 1e15, 1e15 + 1.0, 1e15 + 2.0]);
        let far = times(&scene, (-1e15 - 2.0, -1e15), 100).unwrap();
        assert_eq!(far, [-1e15 - 2.0, -1e15 - 1.0, -1e15, 0.0, 1.0]);
    }

    #[test]
    fn no_more_times_are_gathered_than_counted() {
        let scene = repeating("0,46186158000");
        let curve = scene.anim_curves.iter().next().unwrap();
        for range in [(0.0, 1.0), (-2.5, 3.5), (0.2, 0.8), (7.0, 7.5), (3.0, -3.0)] {
            let repetition = Repetition::new(curve, range).unwrap();
            let count = repetition.times().count();
            assert!(count <= repetition.most_times(), "{range:?}: {count}");
        }
    }

    #[test]
    fn ranges_and_keys_that_are_not_times_have_few_rounds_or_too_many_to_gather() {
        let (none, infinite) = (f64::NAN, f64::INFINITY);
        assert_eq!(rounds((0.0, 0.0), (0.0, 9.0)), 0..=0);
        assert_eq!(rounds((0.0, infinite), (0.0, 9.0)), 0..=0);
        assert_eq!(rounds((0.0, 1.0), (none, none)), 0..=0);
        let all = rounds((0.0, 1e-300), (-infinite, infinite));
        assert_eq!(all, -i64::MAX - 1..=i64::MAX);
    }

    #[test]
    fn a_clip_of_too_many_rounds_lacks_the_track_and_says_so() {
        let scene = repeating("0,1000");
        let asset = asset(&scene);
        assert_eq!(asset.clips[0].channels, []);
        let [note] = &asset.notes[..] else {
            panic!("{:?}", asset.notes)
        };
        assert_eq!(note.location, "clip \"Again\"");
        let expected = "more keys than the limit of 16777216";
        assert!(note.message.contains(expected), "{note:?}");
    }
}
