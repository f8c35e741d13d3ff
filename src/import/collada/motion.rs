//! A node's stack with the curves that drive it.

use std::ops::Range;

use super::curve::Curve;
use super::frames::Frames;
use super::stack::{Kind, Stack};
use crate::import::bake::Segment;

/// The driver of a step of a stack.
#[derive(Debug, Clone)]
pub(super) struct Drive {
    /// The index of the step in the stack.
    pub(super) step: usize,
    /// Its driver.
    pub(super) driver: Driver,
}

/// The driver of a step.
#[derive(Debug, Clone)]
pub(super) enum Driver {
    /// One of its numbers.
    Number {
        /// Its index.
        index: usize,
        /// Its curve.
        curve: Curve,
    },
    /// A whole matrix.
    Frames(Frames),
}

impl Drive {
    /// Whether it drives only numbers of `step` that are in `numbers`.
    pub(super) fn is_within(&self, step: usize, numbers: &Range<usize>) -> bool {
        let within = match &self.driver {
            Driver::Number { index, .. } => numbers.contains(index),
            Driver::Frames(_) => numbers.len() == 16,
        };
        self.step == step && within
    }

    /// The times of its keys.
    pub(super) fn times(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.driver {
            Driver::Number { curve, .. } => Box::new(curve.times()),
            Driver::Frames(frames) => Box::new(frames.times()),
        }
    }

    /// Writes its value at `time` into `stack`; at a jump, the value after it.
    fn apply(&self, stack: &mut Stack, time: f64) {
        let numbers = &mut stack.steps[self.step].numbers;
        match &self.driver {
            Driver::Number { index, curve } => numbers[*index] = curve.segment(time).at(time),
            Driver::Frames(frames) => {
                *numbers = frames.at(time).transpose().to_cols_array();
            }
        }
    }

    /// Whether its value changes from `time` on, up to its next key.
    fn moves(&self, time: f64) -> bool {
        match &self.driver {
            Driver::Number { curve, .. } => curve.segment(time).moves(),
            Driver::Frames(frames) => frames.moves(time),
        }
    }
}

/// A stack with the drives of some of its steps.
pub(super) struct Motion<'a> {
    stack: &'a Stack,
    drives: Vec<&'a Drive>,
    /// The times of all keys, ascending, each once.
    pub(super) times: Vec<f64>,
}

impl<'a> Motion<'a> {
    /// * `kind` – of the steps that determine the part in question, if the parts do not mix.
    pub(super) fn new(stack: &'a Stack, drives: &'a [Drive], kind: Kind) -> Self {
        let mixed = !stack.is_by_parts();
        let matters = |drive: &&Drive| mixed || stack.steps[drive.step].kind == kind;
        Self::under(stack, drives.iter().filter(matters).collect())
    }

    /// The whole transform, if translation, rotation and scale cannot express it at all times.
    pub(super) fn sheared(stack: &'a Stack, drives: &'a [Drive]) -> Option<Self> {
        if stack.is_by_parts() {
            return None;
        }
        let whole = Self::under(stack, drives.iter().collect());
        whole.is_sheared().then_some(whole)
    }

    fn under(stack: &'a Stack, drives: Vec<&'a Drive>) -> Self {
        Self {
            stack,
            times: times(drives.iter().copied()),
            drives,
        }
    }

    /// The stack at `time`.
    pub(super) fn at(&self, time: f64) -> Stack {
        let mut stack = self.stack.clone();
        for drive in &self.drives {
            drive.apply(&mut stack, time);
        }
        stack
    }

    /// The shape of the segment from `start` to the next time.
    pub(super) fn segment(&self, start: f64) -> Segment {
        if self.drives.iter().any(|drive| drive.moves(start)) {
            Segment::Curved
        } else {
            Segment::Constant
        }
    }

    /// Whether the stack is sheared at a key, or a quarter, half or three quarters of the way to the next.
    fn is_sheared(&self) -> bool {
        let next = self.times.iter().skip(1).chain(self.times.last());
        let is_sheared = |time| {
            let stack = self.at(time);
            stack.parts().lose_shear_of(&stack.matrix())
        };
        self.times.iter().zip(next).any(|(start, end)| {
            let mut quarters = [0.0, 0.25, 0.5, 0.75].into_iter();
            quarters.any(|phase| is_sheared(start + (end - start) * phase))
        })
    }
}

/// The times of all keys, ascending, each once.
pub(super) fn times<'a>(drives: impl Iterator<Item = &'a Drive>) -> Vec<f64> {
    let mut times: Vec<f64> = drives.flat_map(Drive::times).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
