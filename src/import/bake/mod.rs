//! Bakes a function of time into keys and spans, for curves of any kind.
//!
//! Keys stand at all times where the function may bend or jump. Between two of them it is constant, linear, or a cubic
//! through its values at the ends and thirds ([`fit`]); where that is farther off than the tolerance at other points, the
//! piece is halved. The stated bound is [`TOLERANCE`].

mod extent;
mod fit;
mod sample;

use self::fit::{Fit, Piece};
use crate::import::log::Log;
use crate::rig::{DefectKind, Key, Place, Span};
use crate::units::Seconds;

pub(super) use extent::Extent;
pub(super) use sample::{Sample, slerp};

/// Largest deviation of a baked value from the file's curves: in radians, in parts of the model's diagonal, of a scale
/// of 1, or of a morph's full weight.
///
/// A millionth of the diagonal is what a posed joint may be off. Joints hand on their deviations, twenty in a row in a
/// character; 5e-8 is a twentieth of it, and close to what f32 resolves (6e-8).
pub(super) const TOLERANCE: f64 = 5e-8;

/// How many keys all clips of a file may have: ten clips of 1000 frames with 300 joints are 9 million, and a few
/// hundred bytes of a file can ask for any number.
pub(super) const MOST_KEYS: usize = 1 << 24;

/// The shape of a value between two times, without sampling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// It stays the same.
    Constant,
    /// It is straight.
    Linear,
    /// Nothing.
    Curved,
}

/// How many keys may still be made.
#[derive(Debug)]
pub(super) struct Budget {
    keys: usize,
    is_spent: bool,
}

impl Default for Budget {
    /// That of a file.
    fn default() -> Self {
        Self {
            keys: MOST_KEYS,
            is_spent: false,
        }
    }
}

impl Budget {
    /// Whether there is room for `count` keys, which then is taken.
    pub(super) fn take(&mut self, count: usize) -> bool {
        let fits = count <= self.keys;
        self.keys -= if fits { count } else { 0 };
        self.is_spent |= !fits;
        fits
    }

    pub(super) fn left(&self) -> usize {
        self.keys
    }

    /// Says that more than what is left is asked for.
    pub(super) fn refuse(&mut self) {
        self.is_spent = true;
    }

    /// Whether more was asked for than there was, since the last call.
    fn was_exceeded(&mut self) -> bool {
        std::mem::take(&mut self.is_spent)
    }

    /// Tells of a clip that asked for more than there was.
    pub(super) fn report(&mut self, clip: &str, log: &mut Log) {
        if self.was_exceeded() {
            let message = format!(
                "needs more keys than the limit of {MOST_KEYS} per file, or {MOST_BETWEEN} between two keys of the file"
            );
            let defect = (DefectKind::InterpolationLost, Place::clip(clip));
            let noted = format!("clip {clip:?}");
            log.repaired(noted, defect, &message, "; it is not what the file says");
        }
    }
}

/// Keys that are made between two neighbours of a curve's times: a spline takes a handful, and a joint that turns a thousand
/// times some thousands. Only numbers without sense, such as an angle near the largest of f32, ask for more.
const MOST_BETWEEN: usize = 1 << 14;

/// A function of time that is smooth between `times`.
pub(super) struct Curve<'a, S> {
    /// The value at a time.
    pub(super) at: &'a dyn Fn(f64) -> S,
    /// Ascending, each once.
    pub(super) times: &'a [f64],
    /// Whether the value may differ on both sides of a time.
    pub(super) may_jump: bool,
    /// The shape between neighbouring times.
    pub(super) segment: &'a dyn Fn(f64, f64) -> Segment,
    /// Largest deviation between the times.
    pub(super) tolerance: f64,
}

/// Keys at all times of `curve`, and between them as many as it takes.
///
/// Where the value jumps, the last of the keys at that time counts from there on; where it still has the old value at
/// the very time, the new one has a key at the next number.
pub(super) fn bake<S: Sample>(curve: &Curve<'_, S>, budget: &mut Budget) -> Vec<Key<S::Key>> {
    let mut baker = Baker {
        curve,
        budget,
        left: 0,
        keys: Vec::with_capacity(curve.times.len()),
        last: None,
    };
    baker.run();
    baker.keys
}

struct Baker<'a, 'b, S: Sample> {
    curve: &'a Curve<'b, S>,
    budget: &'a mut Budget,
    /// How many keys may still be made between the current pair of times.
    left: usize,
    keys: Vec<Key<S::Key>>,
    /// The value that the next key joins: that of the last of `keys`, or of the end of its span.
    last: Option<S>,
}

impl<S: Sample> Baker<'_, '_, S> {
    fn run(&mut self) {
        let times = self.curve.times;
        let Some(&first) = times.first() else { return };
        let mut here = (self.curve.at)(first);
        for pair in times.windows(2) {
            self.push(pair[0], here);
            let next = (self.curve.at)(pair[1]);
            if self.curve.may_jump {
                self.between_jumps(pair[0], pair[1], &next);
            } else {
                self.between(pair[0], pair[1], next.clone());
            }
            here = next;
        }
        self.push(times[times.len() - 1], here);
    }

    /// From the last key to the next one at `end`, which is not pushed.
    fn between(&mut self, start: f64, end: f64, to: S) {
        match (self.curve.segment)(start, end) {
            Segment::Constant => {}
            Segment::Linear => self.set_span(Span::Linear, to),
            Segment::Curved => {
                self.left = MOST_BETWEEN;
                self.follow(start, end, to);
            }
        }
    }

    /// The same where the value may jump at either end.
    ///
    /// * `next` – the value at `end` itself.
    fn between_jumps(&mut self, start: f64, end: f64, next: &S) {
        // The nearest times inside: at `start` and `end` the function may have the value of either side.
        let (first, last) = (start.next_up(), end.next_down());
        if first >= last {
            return;
        }
        let jumps = |a: &S, b: &S| a.distance(b) > self.curve.tolerance;
        let from = (self.curve.at)(first);
        // It jumps right behind `start`: a second key there, at the next number.
        let leaps_off = self.last.as_ref().is_some_and(|last| jumps(last, &from));
        if leaps_off && self.budget.take(1) {
            self.push(first, from);
        }
        if (self.curve.segment)(start, end) == Segment::Constant {
            return;
        }
        let to = (self.curve.at)(last);
        self.between(start, end, to.clone());
        // It jumps at `end`: a key with the old value there, before the one with the new. A held value needs none,
        // because it jumps at the next key by itself.
        let holds = matches!(self.keys.last(), Some(key) if matches!(key.span, Span::Step));
        if jumps(&to, next) && !holds && self.budget.take(1) {
            self.push(end, to);
        }
    }

    /// With the value that the last key has, at `start`.
    fn follow(&mut self, start: f64, end: f64, to: S) {
        let Some(from) = self.last.clone() else {
            return;
        };
        self.fit(Piece {
            start,
            end,
            from,
            to,
        });
    }

    fn push(&mut self, time: f64, value: S) {
        let value = match &self.last {
            Some(last) => value.near(last),
            None => value,
        };
        self.keys.push(Key {
            time: Seconds(time),
            value: value.key(),
            span: Span::Step,
        });
        self.last = Some(value);
    }

    /// Says how the value runs from the last key to the end of `piece`, with more keys if need be.
    fn fit(&mut self, piece: Piece<S>) {
        let fit = Fit::of(piece, self.curve.at);
        let span = fit.span(self.curve.tolerance);
        if span.is_none() && fit.can_be_cut() && self.take_one() {
            return self.fit_halves(fit.piece);
        }
        // Too short to cut, or no more keys: the best of what can be said.
        let span = span.unwrap_or_else(|| fit.fallback());
        self.set_span(span, fit.piece.to);
    }

    /// Takes one of the keys left between the current pair of times; `false` if all are used.
    fn take_one(&mut self) -> bool {
        if self.left == 0 {
            self.budget.refuse();
            return false;
        }
        self.left -= 1;
        self.budget.take(1)
    }

    fn set_span(&mut self, span: Span<S::Key>, to: S) {
        if let Some(key) = self.keys.last_mut() {
            key.span = span;
        }
        self.last = Some(to);
    }

    fn fit_halves(&mut self, piece: Piece<S>) {
        // The first half first: `follow` goes on from where it ends, in the form (q or -q) that it ended in.
        let time = piece.start + (piece.end - piece.start) / 2.0;
        let middle = (self.curve.at)(time);
        self.fit(Piece {
            end: time,
            to: middle.clone(),
            ..piece.clone()
        });
        self.push(time, middle);
        self.follow(time, piece.end, piece.to);
    }
}

#[cfg(test)]
pub(super) mod tests;
