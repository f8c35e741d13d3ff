//! Bakes a function of time into keys and spans, for curves of any kind.
//!
//! There are keys at all times where the function may have a kink or a jump. Between two of them, the function is constant,
//! linear, or a cubic through its values at the ends and thirds ([`fit`]). If the cubic deviates by more than the tolerance
//! at other points, the piece is halved. The stated bound is [`TOLERANCE`].

mod fit;

use glam::{DMat4, DVec3, DVec4};

use super::log::Log;
use super::source::Node;
use crate::rig::{Bounds, DefectKind, Key, Location, Mesh, MeshInstance, Span};
use crate::units::Seconds;
use fit::{Fit, Piece};

pub(super) use fit::{Sample, slerp};

/// Largest deviation of a baked value from the file's curves: in radians, relative to the model's diagonal, to a scale
/// of 1, or to a morph's full weight.
///
/// A posed joint may be off by a millionth of the diagonal. Deviations add up along a chain of joints, of which a character
/// has about twenty; 5e-8 is a twentieth of the millionth, and close to the resolution of f32 (6e-8).
pub(super) const TOLERANCE: f64 = 5e-8;

/// The most keys of all clips of a file. Ten clips of 1000 frames with 300 joints are 9 million; a few hundred bytes of a
/// file can ask for any number.
pub(super) const MOST_KEYS: usize = 1 << 24;

/// The shape of a value between two times, without sampling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// Constant.
    Constant,
    /// Linear.
    Linear,
    /// Unknown.
    Curved,
}

/// The number of keys that may still be made.
#[derive(Debug)]
pub(super) struct Budget {
    keys: usize,
    is_spent: bool,
}

impl Default for Budget {
    /// The budget of a file.
    fn default() -> Self {
        Self {
            keys: MOST_KEYS,
            is_spent: false,
        }
    }
}

impl Budget {
    /// Takes `count` keys from the budget, or none. Returns whether there were enough.
    pub(super) fn take(&mut self, count: usize) -> bool {
        let fits = count <= self.keys;
        self.keys -= if fits { count } else { 0 };
        self.is_spent |= !fits;
        fits
    }

    pub(super) fn left(&self) -> usize {
        self.keys
    }

    /// Records that more keys were asked for than are left.
    pub(super) fn refuse(&mut self) {
        self.is_spent = true;
    }

    /// Whether that happened since the last call.
    fn was_exceeded(&mut self) -> bool {
        std::mem::take(&mut self.is_spent)
    }

    /// Reports that a clip exceeded the budget.
    pub(super) fn report(&mut self, clip: &str, log: &mut Log) {
        if self.was_exceeded() {
            let message = format!(
                "needs more keys than the limit of {MOST_KEYS} per file, or {MOST_BETWEEN} between two keys of the file"
            );
            let defect = (DefectKind::InterpolationLost, Location::clip(clip));
            let noted = format!("clip {clip:?}");
            log.repaired(noted, defect, &message, "; it is not what the file says");
        }
    }
}

/// The most keys between two neighbouring times of a curve: a spline needs a handful, and a joint that rotates a thousand
/// times some thousands. Only senseless numbers, such as an angle near the largest f32, need more.
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

/// Keys at all times of `curve`, and as many between them as it takes.
///
/// At a jump there are two keys at one time, and the later one in the list holds from there on. If the function has the old
/// value at the very time, the key with the new value is at the next representable time.
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
    /// The value at the end of the last span, or of the last key if it has no span yet. The next key continues it.
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

    /// Adds the spans and keys from the last key to the next one at `end`, which is pushed later.
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

    /// The same if the value may jump at either end.
    ///
    /// * `next` – the value at `end` itself.
    fn between_jumps(&mut self, start: f64, end: f64, next: &S) {
        // Samples the nearest times inside: at `start` and `end` themselves, the function may have the value of either side.
        let (first, last) = (start.next_up(), end.next_down());
        if first >= last {
            return;
        }
        let jumps = |a: &S, b: &S| a.distance(b) > self.curve.tolerance;
        let from = (self.curve.at)(first);
        // A jump right behind `start` needs a second key, at the next representable time.
        let jumps_at_start = self.last.as_ref().is_some_and(|last| jumps(last, &from));
        if jumps_at_start && self.budget.take(1) {
            self.push(first, from);
        }
        if (self.curve.segment)(start, end) == Segment::Constant {
            return;
        }
        let to = (self.curve.at)(last);
        self.between(start, end, to.clone());
        // A jump at `end` needs a key with the old value there, before the one with the new value. A step needs none, because it
        // jumps at the next key anyway.
        let holds = matches!(self.keys.last(), Some(key) if matches!(key.span, Span::Step));
        if jumps(&to, next) && !holds && self.budget.take(1) {
            self.push(end, to);
        }
    }

    /// Fits the piece from the value of the last key, at `start`.
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

    /// Fits `piece` by one span, or by halves with keys between them.
    fn fit(&mut self, piece: Piece<S>) {
        let fit = Fit::of(piece, self.curve.at);
        let span = fit.span(self.curve.tolerance);
        if span.is_none() && fit.can_be_cut() && self.take_one() {
            return self.fit_halves(fit.piece);
        }
        // Too short to halve, or no keys left: an approximation has to do.
        let span = span.unwrap_or_else(|| fit.fallback());
        self.set_span(span, fit.piece.to);
    }

    /// Takes one of the keys left between the current times; `false` if there is none.
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
        // The first half first: `follow` continues from its end, with the sign (q or -q) that it ended with.
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

/// A model at rest.
pub(super) struct Extent {
    /// One per node.
    world_from_node: Vec<DMat4>,
    /// The diagonal of the box around the origin and all nodes and shown vertices at rest; 1 if that is 0 or not finite.
    diagonal: f64,
}

impl Extent {
    /// * `nodes` – each behind its parent.
    pub(super) fn new(nodes: &[Node], meshes: &[Mesh], instances: &[MeshInstance]) -> Self {
        let mut world_from_node: Vec<DMat4> = Vec::with_capacity(nodes.len());
        let mut bounds = Bounds::EMPTY;
        bounds.include(DVec3::ZERO);
        for node in nodes {
            let local = node.rest.to_matrix().as_dmat4();
            let world = node
                .parent
                .map_or(local, |parent| world_from_node[parent] * local);
            bounds.include(world.w_axis.truncate());
            world_from_node.push(world);
        }
        for instance in instances {
            let world = world_from_node[instance.node.index()];
            for position in &meshes[instance.mesh.index()].positions {
                bounds.include(world.transform_point3(position.as_dvec3()));
            }
        }
        let diagonal = Some(bounds.diagonal()).filter(|size| size.is_finite() && *size > 0.0);
        Self {
            world_from_node,
            diagonal: diagonal.unwrap_or(1.0),
        }
    }

    /// [`TOLERANCE`] for translations below node number `parent`, in its units.
    pub(super) fn tolerance(&self, parent: Option<usize>) -> f64 {
        let world = parent.map_or(DMat4::IDENTITY, |parent| self.world_from_node[parent]);
        // The longest axis bounds how far a unit below the parent reaches in the world, in any direction.
        let axes = [world.x_axis, world.y_axis, world.z_axis];
        let largest = axes.map(DVec4::length).into_iter().fold(0.0, f64::max);
        let scale = Some(largest).filter(|scale| scale.is_finite() && *scale > 0.0);
        TOLERANCE * self.diagonal / scale.unwrap_or(1.0)
    }
}

#[cfg(test)]
pub(super) mod tests;
