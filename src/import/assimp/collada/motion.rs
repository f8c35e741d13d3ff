//! A node's stack under the curves that drive it.

use std::ops::Range;

use glam::DMat4;

use super::bake::Motion;
use super::curve::{Curve, Segment};
use super::frames::{Frame, Frames};
use super::stack::{Kind, Stack};
use super::value::Value;

/// What drives a step of a stack.
#[derive(Debug, Clone)]
pub(super) struct Drive {
    /// Its number in the stack.
    pub(super) step: usize,
    /// By what.
    pub(super) driver: Driver,
}

/// What drives a step.
#[derive(Debug, Clone)]
pub(super) enum Driver {
    /// One of its numbers.
    Number {
        /// Which.
        index: usize,
        /// By what.
        curve: Curve,
    },
    /// A whole matrix.
    Frames(Frames),
}

impl Drive {
    /// How it goes on from `time`.
    fn stretch(&self, time: f64) -> Stretch<'_> {
        let course = match &self.driver {
            Driver::Number { index, curve } => Course::Number {
                index: *index,
                segment: curve.segment(time),
            },
            Driver::Frames(frames) => {
                let (from, to) = frames.around(time);
                Course::Frames { frames, from, to }
            }
        };
        Stretch {
            step: self.step,
            course,
        }
    }

    /// Whether it drives numbers of `step` that are all in `numbers`.
    pub(super) fn is_within(&self, step: usize, numbers: &Range<usize>) -> bool {
        let within = match &self.driver {
            Driver::Number { index, .. } => numbers.contains(index),
            Driver::Frames(_) => numbers.len() == 16,
        };
        self.step == step && within
    }

    /// When its keys are.
    pub(super) fn times(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.driver {
            Driver::Number { curve, .. } => Box::new(curve.times()),
            Driver::Frames(frames) => Box::new(frames.times()),
        }
    }
}

/// A stack's transform over time, or a part of it.
pub(super) struct PartMotion<'a, V> {
    stack: &'a Stack,
    drives: Vec<&'a Drive>,
    part: fn(&Stack) -> V,
    times: Vec<f64>,
}

/// A drive between two neighbouring times.
struct Stretch<'a> {
    step: usize,
    course: Course<'a>,
}

enum Course<'a> {
    Number {
        index: usize,
        segment: Segment,
    },
    Frames {
        frames: &'a Frames,
        from: &'a Frame,
        to: Option<&'a Frame>,
    },
}

impl<'a, V> PartMotion<'a, V> {
    /// The part that `part` takes of the stack.
    ///
    /// * `kind` – of the steps that alone make this part, where parts do not mix.
    pub(super) fn new(
        stack: &'a Stack,
        drives: &'a [Drive],
        kind: Kind,
        part: fn(&Stack) -> V,
    ) -> Self {
        let mixed = !stack.is_by_parts();
        let matters = |drive: &&Drive| mixed || stack.steps[drive.step].kind == kind;
        Self::under(stack, drives.iter().filter(matters).collect(), part)
    }

    fn under(stack: &'a Stack, drives: Vec<&'a Drive>, part: fn(&Stack) -> V) -> Self {
        Self {
            stack,
            part,
            times: times(drives.iter().copied()),
            drives,
        }
    }

    fn stretches(&self, span: usize) -> impl Iterator<Item = Stretch<'_>> {
        let time = self.times.get(span).copied();
        let drives = self.drives.iter();
        drives.filter_map(move |drive| Some(drive.stretch(time?)))
    }

    /// Whether parts cannot say what the stack is at a key, or a quarter, half or three quarters of the way to the next.
    fn is_sheared(&self) -> bool {
        let next = self.times.iter().skip(1).chain(self.times.last());
        let mut spans = self.times.iter().zip(next).enumerate();
        let is_sheared = |span, time| {
            let stack = self.stack_at(span, time);
            stack.parts().lose_shear_of(&stack.matrix())
        };
        spans.any(|(span, (start, end))| {
            let mut quarters = [0.0, 0.25, 0.5, 0.75].into_iter();
            quarters.any(|phase| is_sheared(span, start + (end - start) * phase))
        })
    }

    /// The stack in `span` at `time`.
    fn stack_at(&self, span: usize, time: f64) -> Stack {
        let mut stack = self.stack.clone();
        for stretch in self.stretches(span) {
            stretch.drive(&mut stack, time);
        }
        stack
    }
}

/// The times of all keys, ascending, each once.
pub(super) fn times<'a>(drives: impl Iterator<Item = &'a Drive>) -> Vec<f64> {
    let mut times: Vec<f64> = drives.flat_map(Drive::times).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

impl<'a> PartMotion<'a, DMat4> {
    /// The whole transform, if parts cannot say it at all times.
    pub(super) fn sheared(stack: &'a Stack, drives: &'a [Drive]) -> Option<Self> {
        if stack.is_by_parts() {
            return None;
        }
        let whole = Self::under(stack, drives.iter().collect(), Stack::matrix);
        whole.is_sheared().then_some(whole)
    }
}

impl<V: Value> Motion for PartMotion<'_, V> {
    type Value = V;

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn at(&self, span: usize, time: f64) -> V {
        (self.part)(&self.stack_at(span, time))
    }

    fn holds(&self, span: usize) -> bool {
        self.stretches(span).any(|stretch| stretch.steps())
            && !self.stretches(span).any(|stretch| stretch.moves())
    }

    fn turn(&self, span: usize, start: f64, end: f64) -> f64 {
        let turns = |stretch: Stretch<'_>| match &stretch.course {
            Course::Number { index: 3, segment } => {
                let is_rotation = self.stack.steps[stretch.step].kind == Kind::Rotate;
                if is_rotation {
                    segment.travel(start, end)
                } else {
                    0.0
                }
            }
            _ => 0.0,
        };
        self.stretches(span).map(turns).sum()
    }
}

impl Stretch<'_> {
    fn drive(&self, stack: &mut Stack, time: f64) {
        let numbers = &mut stack.steps[self.step].numbers;
        match &self.course {
            Course::Number { index, segment } => numbers[*index] = segment.at(time),
            Course::Frames { frames, from, to } => {
                let matrix = frames.between(from, *to, time);
                *numbers = matrix.transpose().to_cols_array();
            }
        }
    }

    fn moves(&self) -> bool {
        match &self.course {
            Course::Number { segment, .. } => segment.moves(),
            Course::Frames { from, to, .. } => to.is_some() && !from.held,
        }
    }

    fn steps(&self) -> bool {
        match &self.course {
            Course::Number { segment, .. } => segment.steps(),
            Course::Frames { from, to, .. } => to.is_some() && from.held,
        }
    }
}
