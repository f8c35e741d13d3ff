//! From a motion that can be evaluated at any time to keys and spans that say the same.
//!
//! Between two neighbouring key times of the file, a motion is smooth. It is stated as it is where that can be said
//! (held, straight, cubic); elsewhere its time is halved until cubic pieces are near enough to it.

use super::value::Value;
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// How far a piece may be off, relative to the largest value of the track, or in radians: four times the rounding of
/// the f32 in which keys are kept, and half of what is promised.
const TOLERANCE: f64 = 5e-7;

/// A span of the file's is halved into this many pieces at most, and a document's into so many.
const SPAN_HALVINGS: usize = 1 << 12;
const DOCUMENT_HALVINGS: usize = 1 << 18;

/// A piece shorter than this (seconds) is as near as can be: where a curve stands upright, no piece is near in value.
const SHORTEST: f64 = 1e-9;

/// Whatever the length of a span, a piece is a half of a half at most so many times over.
const MAX_DEPTH: u32 = 64;

/// A piece of a rotation turns no further than this (degrees), so that no turn falls between two looks.
const MAX_TURN: f64 = 90.0;

/// Where a piece is looked at, beside its ends and [`THIRDS`]: a quartic is farthest from the cubic through its ends
/// and thirds near 1/8, 1/2 and 7/8.
const LOOKS: [f64; 5] = [0.125, 0.25, 0.5, 0.75, 0.875];

const THIRDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];

/// A value over time.
pub(super) trait Motion {
    /// Of the track.
    type Value: Value;

    /// Where it may kink or jump, ascending. Span `n` runs from time `n` to the next; without times nothing moves.
    fn times(&self) -> &[f64];

    /// The value in `span` at `time`, both ends included; behind the last time for the span behind it.
    fn at(&self, span: usize, time: f64) -> Self::Value;

    /// Whether the value is held throughout `span`, and jumps at its end.
    fn holds(&self, span: usize) -> bool;

    /// How many degrees it turns in `span` from one time to the other, back and forth.
    fn turn(&self, span: usize, start: f64, end: f64) -> f64;
}

/// How many pieces may be halved, and how many were left coarser than they should be.
#[derive(Debug)]
pub(super) struct Budget {
    of_document: usize,
    of_span: usize,
    pub(super) coarse: usize,
}

impl Default for Budget {
    /// For one document.
    fn default() -> Self {
        Self {
            of_document: DOCUMENT_HALVINGS,
            of_span: SPAN_HALVINGS,
            coarse: 0,
        }
    }
}

impl Budget {
    /// Whether a piece that should be halved may be, after `depth` halvings.
    fn allows(&mut self, depth: u32) -> bool {
        let allowed = depth < MAX_DEPTH && self.of_span > 0 && self.of_document > 0;
        if allowed {
            self.of_span -= 1;
            self.of_document -= 1;
        } else {
            self.coarse += 1;
        }
        allowed
    }
}

/// Keys of `motion`; a single one if it never changes.
pub(super) fn bake<M: Motion>(
    motion: &M,
    budget: &mut Budget,
) -> Track<<M::Value as Value>::Stored> {
    let mut baker = Baker {
        tolerance: TOLERANCE * size(motion),
        motion,
        budget,
        keys: Vec::new(),
        last: None,
    };
    let times = motion.times();
    for (span, pair) in times.windows(2).enumerate() {
        baker.span(span, pair[0], pair[1]);
    }
    let (span, end) = (times.len().saturating_sub(1), times.last());
    let end = end.copied().unwrap_or_default();
    let value = baker.begin(end, motion.at(span, end));
    baker.push(end, &value, Span::Linear);
    let mut keys = baker.keys;
    if is_constant(&keys) {
        keys.truncate(1);
    }
    Track { keys }
}

/// The largest value that a look meets.
fn size<M: Motion>(motion: &M) -> f64 {
    let times = motion.times();
    let spans = times.windows(2).enumerate().flat_map(|(span, pair)| {
        let phases = [0.0, THIRDS[0], THIRDS[1], 1.0].into_iter();
        phases.map(move |phase| (span, between(pair[0], pair[1], phase)))
    });
    let sizes = spans.map(|(span, time)| motion.at(span, time).size());
    sizes.fold(0.0, f64::max)
}

fn between(start: f64, end: f64, phase: f64) -> f64 {
    start + (end - start) * phase
}

fn is_constant<T: PartialEq>(keys: &[Key<T>]) -> bool {
    let still = |key: &Key<T>| !matches!(key.span, Span::Cubic { .. });
    keys.windows(2)
        .all(|pair| pair[0].value == pair[1].value && still(&pair[0]))
}

struct Baker<'a, M: Motion> {
    motion: &'a M,
    budget: &'a mut Budget,
    tolerance: f64,
    keys: Vec<Key<<M::Value as Value>::Stored>>,
    /// The end of the span before, and whether its value was held there.
    last: Option<(M::Value, bool)>,
}

/// A part of a span, its ends and what it looks like at [`THIRDS`] and [`LOOKS`].
struct Piece<V> {
    from: V,
    to: V,
    thirds: [V; 2],
    looks: [V; 5],
}

impl<M: Motion> Baker<'_, M> {
    fn span(&mut self, span: usize, start: f64, end: f64) {
        let value = self.begin(start, self.motion.at(span, start));
        if self.motion.holds(span) {
            self.push(start, &value, Span::Step);
            self.last = Some((value, true));
        } else {
            self.budget.of_span = SPAN_HALVINGS;
            self.piece(span, (start, end), value, 0);
        }
    }

    /// `value`, which holds from `time` on, in the form nearest to what comes before it. What runs elsewhere until then
    /// gets a key of its own at that time.
    fn begin(&mut self, time: f64, value: M::Value) -> M::Value {
        let Some((last, held)) = &self.last else {
            return value;
        };
        let value = value.near(last);
        if !held && last.distance(&value) > self.tolerance {
            let last = last.clone();
            self.push(time, &last, Span::Step);
        }
        value
    }

    /// * `from` – the value at the start.
    fn piece(&mut self, span: usize, (start, end): (f64, f64), from: M::Value, depth: u32) {
        let piece = self.look(span, start, end, from);
        let (spline, error) = piece.best(end - start, self.tolerance);
        let is_near = error <= self.tolerance && self.motion.turn(span, start, end) <= MAX_TURN;
        if is_near || end - start < SHORTEST || !self.budget.allows(depth) {
            self.push(start, &piece.from, spline);
            self.last = Some((piece.to, false));
            return;
        }
        let middle = f64::midpoint(start, end);
        self.piece(span, (start, middle), piece.from, depth + 1);
        let from = self.begin(middle, self.motion.at(span, middle));
        self.piece(span, (middle, end), from, depth + 1);
    }

    fn look(&self, span: usize, start: f64, end: f64, from: M::Value) -> Piece<M::Value> {
        let at = |phase| self.motion.at(span, between(start, end, phase));
        let first = at(THIRDS[0]).near(&from);
        let second = at(THIRDS[1]).near(&first);
        Piece {
            looks: LOOKS.map(at),
            to: self.motion.at(span, end).near(&second),
            thirds: [first, second],
            from,
        }
    }

    fn push(&mut self, time: f64, value: &M::Value, span: Span<<M::Value as Value>::Stored>) {
        self.keys.push(Key {
            time: Seconds(time),
            value: value.stored(),
            span,
        });
    }
}

impl<V: Value> Piece<V> {
    /// Straight if that is near enough, else the cubic through ends and thirds; and how far it is off.
    fn best(&self, length: f64, tolerance: f64) -> (Span<V::Stored>, f64) {
        let straight = self.error(|phase| V::straight(&self.from, &self.to, phase));
        if straight <= tolerance {
            return (Span::Linear, straight);
        }
        let [leave, arrive] = self.slopes();
        let bent = self.error(|phase| hermite([&self.from, &leave, &self.to, &arrive], phase));
        let stored = |slope: &V| V::sum(&[(1.0 / length, slope)]).stored();
        let span = Span::Cubic {
            leave: stored(&leave),
            arrive: stored(&arrive),
        };
        (span, bent)
    }

    fn error(&self, curve: impl Fn(f64) -> V) -> f64 {
        let looks = LOOKS.iter().zip(&self.looks);
        let looks = looks.chain(THIRDS.iter().zip(&self.thirds));
        let errors = looks.map(|(&phase, look)| look.distance(&curve(phase)));
        errors.fold(0.0, |worst, error| {
            if error.is_nan() {
                f64::INFINITY
            } else {
                f64::max(worst, error)
            }
        })
    }

    /// The derivatives at the ends, by the piece's length, of the cubic through ends and thirds.
    fn slopes(&self) -> [V; 2] {
        let slope = |near: &V, second: &V, third: &V, far: &V, sign: f64| {
            let weights = [-5.5, 9.0, -4.5, 1.0].map(|weight| weight * sign);
            V::sum(&[
                (weights[0], near),
                (weights[1], second),
                (weights[2], third),
                (weights[3], far),
            ])
        };
        let [first, second] = &self.thirds;
        [
            slope(&self.from, first, second, &self.to, 1.0),
            slope(&self.to, second, first, &self.from, -1.0),
        ]
    }
}

/// glTF 2.0, appendix C.5, for a span of length 1; from, leave, to, arrive.
fn hermite<V: Value>([from, leave, to, arrive]: [&V; 4], phase: f64) -> V {
    let squared = phase * phase;
    let cubed = squared * phase;
    V::sum(&[
        (2.0 * cubed - 3.0 * squared + 1.0, from),
        (cubed - 2.0 * squared + phase, leave),
        (3.0 * squared - 2.0 * cubed, to),
        (cubed - squared, arrive),
    ])
    .settled()
}

#[cfg(test)]
pub(super) mod tests;
