//! A node's stack under the curves that drive it.

use std::ops::Range;

use super::bake::Motion;
use super::curve::{Curve, Segment};
use super::frames::{Frame, Frames};
use super::stack::{Kind, Parts, Stack};
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
    fn stretch(&self, time: f64) -> Stretch {
        let course = match &self.driver {
            Driver::Number { index, curve } => Course::Number {
                index: *index,
                segment: curve.segment(time),
            },
            Driver::Frames(frames) => {
                let (from, to) = frames.around(time);
                Course::Frames { from, to }
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

/// One part of a stack's transform over time.
pub(super) struct PartMotion<'a, V> {
    stack: &'a Stack,
    drives: Vec<&'a Drive>,
    part: fn(&Parts) -> V,
    times: Vec<f64>,
}

/// A drive between two neighbouring times.
struct Stretch {
    step: usize,
    course: Course,
}

enum Course {
    Number { index: usize, segment: Segment },
    Frames { from: Frame, to: Option<Frame> },
}

impl<'a, V> PartMotion<'a, V> {
    /// The part that `part` takes of all parts.
    ///
    /// * `kind` – of the steps that alone make this part, where parts do not mix.
    pub(super) fn new(
        stack: &'a Stack,
        drives: &'a [Drive],
        kind: Kind,
        part: fn(&Parts) -> V,
    ) -> Self {
        let mixed = !stack.is_by_parts();
        let matters = |drive: &&Drive| mixed || stack.steps[drive.step].kind == kind;
        let drives: Vec<&Drive> = drives.iter().filter(matters).collect();
        Self {
            stack,
            part,
            times: times(drives.iter().copied()),
            drives,
        }
    }

    fn stretches(&self, span: usize) -> impl Iterator<Item = Stretch> {
        let time = self.times.get(span).copied();
        let drives = self.drives.iter();
        drives.filter_map(move |drive| Some(drive.stretch(time?)))
    }

    /// Whether parts cannot say what the stack is at a key.
    pub(super) fn is_sheared(&self) -> bool {
        let mut times = self.times.iter().enumerate();
        !self.stack.is_by_parts()
            && times.any(|(span, time)| {
                let stack = self.stack_at(span, *time);
                stack.parts().lose_shear_of(&stack.matrix())
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

impl<V: Value> Motion for PartMotion<'_, V> {
    type Value = V;

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn at(&self, span: usize, time: f64) -> V {
        (self.part)(&self.stack_at(span, time).parts())
    }

    fn holds(&self, span: usize) -> bool {
        self.stretches(span).any(|stretch| stretch.steps())
            && !self.stretches(span).any(|stretch| stretch.moves())
    }

    fn turn(&self, span: usize, start: f64, end: f64) -> f64 {
        let turns = |stretch: Stretch| match &stretch.course {
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

impl Stretch {
    fn drive(&self, stack: &mut Stack, time: f64) {
        let numbers = &mut stack.steps[self.step].numbers;
        match &self.course {
            Course::Number { index, segment } => numbers[*index] = segment.at(time),
            Course::Frames { from, to } => {
                *numbers = Frame::between(from, to.as_ref(), time)
                    .matrix()
                    .transpose()
                    .to_cols_array();
            }
        }
    }

    fn moves(&self) -> bool {
        match &self.course {
            Course::Number { segment, .. } => segment.moves(),
            Course::Frames { from, to } => to.is_some() && !from.held,
        }
    }

    fn steps(&self) -> bool {
        match &self.course {
            Course::Number { segment, .. } => segment.steps(),
            Course::Frames { from, to } => to.is_some() && from.held,
        }
    }
}
