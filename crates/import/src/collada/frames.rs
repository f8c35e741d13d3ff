//! Matrices: their translation, rotation and scale, and keys that are matrices.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};

use super::sampler::Sampler;
use crate::bake::{Sample, slerp};
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// Keys that are matrices, constant or linear in between. They are interpolated by translation, rotation and scale, as all
/// programs that read COLLADA do, because the mean of two rotation matrices is not a rotation. If a matrix is sheared,
/// all are interpolated element by element, as the specification says.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Whether a matrix is not a product of translation, rotation and scale.
    pub(super) sheared: bool,
}

/// A matrix at a time.
#[derive(Debug, Clone, Copy)]
struct Frame {
    time: f64,
    matrix: DMat4,
    parts: Parts,
    /// Whether it holds until the next frame.
    held: bool,
}

impl Frames {
    /// Frames of a sampler with at least 16 numbers per key. Each rotation takes the sign that is nearer to the one
    /// before, so that interpolation takes the shorter arc.
    pub(super) fn read(sampler: &Sampler) -> Self {
        let mut frames = Self {
            frames: Vec::new(),
            sheared: false,
        };
        for (time, numbers, held) in sampler.rows() {
            let matrix = affine(numbers);
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

    /// The transform at `time`; of several frames at one time, the last is used.
    pub(super) fn at(&self, time: f64) -> DMat4 {
        let (from, to) = self.around(time);
        let Some(to) = to.filter(|_| !from.held) else {
            return from.matrix;
        };
        let phase = ((time - from.time) / (to.time - from.time)).clamp(0.0, 1.0);
        if self.sheared {
            return from.matrix + (to.matrix - from.matrix) * phase;
        }
        let straight = |a: DVec3, b: DVec3| a + (b - a) * phase;
        let parts = Parts {
            translation: straight(from.parts.translation, to.parts.translation),
            rotation: slerp(from.parts.rotation, to.parts.rotation, phase),
            scale: straight(from.parts.scale, to.parts.scale),
        };
        parts.matrix()
    }

    /// Whether the transform changes from `time` on, up to the next frame.
    pub(super) fn moves(&self, time: f64) -> bool {
        let (from, to) = self.around(time);
        to.is_some() && !from.held
    }

    /// The frame that holds from `time` on, and the next if it is between two.
    fn around(&self, time: f64) -> (&Frame, Option<&Frame>) {
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
    pub(super) fn part<V: Sample>(&self, part: impl Fn(&Parts) -> V) -> Track<V::Key>
    where
        V::Key: PartialEq,
    {
        self.track(|frame| part(&frame.parts))
    }

    fn track<V: Sample>(&self, value: impl Fn(&Frame) -> V) -> Track<V::Key>
    where
        V::Key: PartialEq,
    {
        let key = |frame: &Frame| Key {
            time: Seconds(frame.time),
            value: value(frame).key(),
            span: if frame.held { Span::Step } else { Span::Linear },
        };
        let mut keys: Vec<_> = self.frames.iter().map(key).collect();
        if keys.windows(2).all(|pair| pair[0].value == pair[1].value) {
            keys.truncate(1);
        }
        Track { keys }
    }
}

/// How far a matrix may be from a product of rotation and scale, relative to its largest number or 1, before it counts
/// as sheared: well above the rounding of six digits or six decimals in the file.
const SHEAR: f64 = 1e-5;

/// A transform by translation, rotation and scale, in f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl Parts {
    pub(super) fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The parts of `matrix` without shear, decomposed as by
    /// [`LocalTransform::to_trs`](crate::rig::LocalTransform::to_trs).
    pub(super) fn of(matrix: &DMat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let usable = rotation.is_finite() && rotation.length_squared() > 0.5;
        let rotation = if usable { rotation } else { DQuat::IDENTITY };
        Self {
            translation,
            rotation: rotation.normalize(),
            scale,
        }
    }

    /// Whether `matrix` has shear that its [parts](Self::of) do not express.
    pub(super) fn lose_shear_of(&self, matrix: &DMat4) -> bool {
        let largest = |matrix: DMat4| {
            let numbers = DMat3::from_mat4(matrix).to_cols_array().into_iter();
            numbers.map(f64::abs).fold(0.0, f64::max)
        };
        largest(self.matrix() - *matrix) > SHEAR * largest(*matrix).max(1.0)
    }
}

/// The matrix of 16 numbers, row by row. Its last row is always 0 0 0 1: `ColladaMax` writes 0 for its last number.
pub(super) fn affine(numbers: &[f64]) -> DMat4 {
    let mut matrix = DMat4::from_cols_slice(numbers).transpose();
    matrix.x_axis.w = 0.0;
    matrix.y_axis.w = 0.0;
    matrix.z_axis.w = 0.0;
    matrix.w_axis.w = 1.0;
    matrix
}
