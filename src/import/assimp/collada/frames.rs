//! Whole matrices as keys.

use glam::{DMat4, DVec3, Mat4};

use super::sampler::Sampler;
use super::stack::Parts;
use super::value::Value;
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// Matrices, held or straight in between: part by part where parts can say them all, as the sum of two rotations is none
/// and all programs that read COLLADA do so; number by number, as the format has it, where one is sheared.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Whether a matrix is more than its parts can say.
    pub(super) sheared: bool,
}

/// A matrix at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    time: f64,
    matrix: DMat4,
    parts: Parts,
    /// Until the next.
    pub(super) held: bool,
}

impl Frames {
    /// Of a sampler with at least 16 numbers a key.
    pub(super) fn read(sampler: &Sampler) -> Self {
        let mut frames = Self {
            frames: Vec::new(),
            sheared: false,
        };
        for (time, numbers, held) in sampler.rows() {
            let matrix = DMat4::from_cols_slice(numbers).transpose();
            let mut parts = Parts::of(&matrix);
            frames.sheared |= parts.lose_shear_of(&matrix);
            if let Some(before) = frames.frames.last() {
                parts.rotation = parts.rotation.near(&before.parts.rotation);
            }
            frames.frames.push(Frame {
                time,
                matrix,
                parts,
                held,
            });
        }
        frames
    }

    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        self.frames.iter().map(|frame| frame.time)
    }

    /// The frame that holds from `time` on, and the next if it is between two.
    pub(super) fn around(&self, time: f64) -> (&Frame, Option<&Frame>) {
        let after = self.frames.partition_point(|frame| frame.time <= time);
        match after.checked_sub(1) {
            Some(from) => (&self.frames[from], self.frames.get(after)),
            None => (&self.frames[0], None),
        }
    }

    /// The whole frames as a track; a single key if it never changes.
    pub(super) fn whole(&self) -> Track<Mat4> {
        self.track(|frame| frame.matrix)
    }

    /// A part of the frames as a track; a single key if it never changes.
    pub(super) fn part<V: Value>(&self, part: impl Fn(&Parts) -> V) -> Track<V::Stored> {
        self.track(|frame| part(&frame.parts))
    }

    fn track<V: Value>(&self, value: impl Fn(&Frame) -> V) -> Track<V::Stored> {
        let key = |frame: &Frame| Key {
            time: Seconds(frame.time),
            value: value(frame).stored(),
            span: if frame.held { Span::Step } else { Span::Linear },
        };
        let mut keys: Vec<_> = self.frames.iter().map(key).collect();
        if keys.windows(2).all(|pair| pair[0].value == pair[1].value) {
            keys.truncate(1);
        }
        Track { keys }
    }

    /// The transform at `time`, from `from` to `to`, which are of these.
    pub(super) fn between(&self, from: &Frame, to: Option<&Frame>, time: f64) -> DMat4 {
        let Some(to) = to.filter(|_| !from.held) else {
            return from.matrix;
        };
        let phase = ((time - from.time) / (to.time - from.time)).clamp(0.0, 1.0);
        if self.sheared {
            return Value::straight(&from.matrix, &to.matrix, phase);
        }
        let straight = |a: &DVec3, b: &DVec3| DVec3::straight(a, b, phase);
        let parts = Parts {
            translation: straight(&from.parts.translation, &to.parts.translation),
            rotation: Value::straight(&from.parts.rotation, &to.parts.rotation, phase),
            scale: straight(&from.parts.scale, &to.parts.scale),
        };
        parts.matrix()
    }
}
