//! A node's transform: a product of steps in document order; the last step is applied first.

use std::ops::Range;

use glam::{DMat3, DMat4, DQuat, DVec3};
use roxmltree::Node;

use super::curve::Curve;
use super::document::{ReadError, is, numbers};
use super::frames::{Frames, Parts, affine};
use crate::bake::Segment;
use crate::rig::{LocalTransform, Trs};

/// The kind of a step: COLLADA 1.4.1, chapter 5, "node".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// x, y, z.
    Translate,
    /// Axis and degrees.
    Rotate,
    /// Factors of x, y, z.
    Scale,
    /// 4×4, row by row.
    Matrix,
    /// Eye, point of interest, up.
    LookAt,
    /// An angle in degrees, the rotated axis, and the axis towards which it rotates.
    Skew,
}

impl Kind {
    fn of(element: Node<'_, '_>) -> Option<Self> {
        let kinds = [
            ("translate", Self::Translate),
            ("rotate", Self::Rotate),
            ("scale", Self::Scale),
            ("matrix", Self::Matrix),
            ("lookat", Self::LookAt),
            ("skew", Self::Skew),
        ];
        let known = kinds.into_iter().find(|(name, _)| is(element, name))?;
        Some(known.1)
    }

    /// How many numbers the step has.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Translate | Self::Scale => 3,
            Self::Rotate => 4,
            Self::Matrix => 16,
            Self::LookAt => 9,
            Self::Skew => 7,
        }
    }
}

/// One transform of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// As many as the kind has, then zeros.
    pub(super) numbers: [f64; 16],
}

/// All transforms of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stack {
    pub(super) steps: Vec<Step>,
}

/// The elements of `node` that are steps, each with its kind.
pub(super) fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = (Node<'a, 'a>, Kind)> {
    node.children()
        .filter_map(|element| Some((element, Kind::of(element)?)))
}

/// The step of an element at rest.
pub(super) fn step(element: Node<'_, '_>, kind: Kind) -> Result<Step, ReadError> {
    let mut step = Step {
        kind,
        numbers: [0.0; 16],
    };
    let width = kind.width();
    for (to, number) in step.numbers[..width].iter_mut().zip(numbers(element)) {
        *to = number?;
    }
    Ok(step)
}

impl Stack {
    /// The steps of `node` at rest.
    pub(super) fn read<'a>(node: Node<'a, 'a>) -> Result<Self, ReadError> {
        let steps: Result<_, ReadError> = elements(node)
            .map(|(element, kind)| step(element, kind))
            .collect();
        Ok(Self { steps: steps? })
    }

    /// By parts if the steps are in that order; else the product, which may be sheared.
    pub(super) fn rest(&self) -> LocalTransform {
        if !self.is_by_parts() {
            return LocalTransform::Matrix(self.matrix().as_mat4());
        }
        let parts = self.parts();
        LocalTransform::Trs(Trs {
            translation: parts.translation.as_vec3(),
            rotation: parts.rotation.as_quat(),
            scale: parts.scale.as_vec3(),
        })
    }

    /// Whether all translations precede all rotations and these precede all scales, so that the product has those parts.
    pub(super) fn is_by_parts(&self) -> bool {
        let ranks: Option<Vec<u8>> = self
            .steps
            .iter()
            .map(|step| match step.kind {
                Kind::Translate => Some(0),
                Kind::Rotate => Some(1),
                Kind::Scale => Some(2),
                Kind::Matrix | Kind::LookAt | Kind::Skew => None,
            })
            .collect();
        ranks.is_some_and(|ranks| ranks.is_sorted())
    }

    /// The product of all steps.
    pub(super) fn matrix(&self) -> DMat4 {
        let matrices = self.steps.iter().map(Step::matrix);
        matrices.fold(DMat4::IDENTITY, |product, step| product * step)
    }

    /// The parts of the product; exact if the stack [is by parts](Self::is_by_parts), else without shear.
    pub(super) fn parts(&self) -> Parts {
        if !self.is_by_parts() {
            return Parts::of(&self.matrix());
        }
        let mut parts = Parts {
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
        };
        for step in &self.steps {
            match step.kind {
                Kind::Translate => parts.translation += step.vector(0),
                Kind::Rotate => parts.rotation *= step.rotation(),
                _ => parts.scale *= step.vector(0),
            }
        }
        parts
    }
}

impl Step {
    fn vector(&self, from: usize) -> DVec3 {
        DVec3::from_slice(&self.numbers[from..])
    }

    /// A rotation about an axis of any length; none if the axis is 0.
    fn rotation(&self) -> DQuat {
        let Some(axis) = self.vector(0).try_normalize() else {
            return DQuat::IDENTITY;
        };
        // Whole rotations are removed first, exactly: the sine of a large angle is inexact.
        let half = libm::fmod(self.numbers[3], 720.0).to_radians() / 2.0;
        let (sine, cosine) = libm::sincos(half);
        DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
    }

    /// From the space of the steps after it to the space of the steps before it.
    fn matrix(&self) -> DMat4 {
        match self.kind {
            Kind::Translate => DMat4::from_translation(self.vector(0)),
            Kind::Rotate => DMat4::from_quat(self.rotation()),
            Kind::Scale => DMat4::from_scale(self.vector(0)),
            Kind::Matrix => affine(&self.numbers),
            Kind::LookAt => self.look_at(),
            Kind::Skew => self.skew(),
        }
    }

    /// Moves points along the second axis, so that the first axis is rotated towards it by the angle; the identity if the
    /// axes or the angle are degenerate.
    ///
    /// # Reference
    ///
    /// The RenderMan Interface 3.2, `RiSkew`, to which COLLADA 1.4.1 refers.
    fn skew(&self) -> DMat4 {
        let (rotated, along) = (
            self.vector(1).try_normalize(),
            self.vector(4).try_normalize(),
        );
        let (Some(rotated), Some(along)) = (rotated, along) else {
            return DMat4::IDENTITY;
        };
        // Coordinates in the plane of both axes: y along `along`, x at a right angle to it.
        let y = rotated.dot(along);
        let across = rotated - along * y;
        let x = across.length();
        let (sine, cosine) = libm::sincos(self.numbers[0].to_radians());
        let (x_after, y_after) = (x * cosine - y * sine, x * sine + y * cosine);
        let Some(across) = across.try_normalize().filter(|_| x_after > 0.0) else {
            return DMat4::IDENTITY;
        };
        let slope = along * (y_after / x_after - y / x);
        let column = |axis: DVec3| axis + slope * across.dot(axis);
        DMat4::from_mat3(DMat3::from_cols(
            column(DVec3::X),
            column(DVec3::Y),
            column(DVec3::Z),
        ))
    }

    /// At the eye, with -Z towards the point of interest; without rotation if the three points are degenerate.
    fn look_at(&self) -> DMat4 {
        let (eye, interest, up) = (self.vector(0), self.vector(3), self.vector(6));
        let rotated = (interest - eye)
            .try_normalize()
            .and_then(|ahead| {
                let right = ahead.cross(up).try_normalize()?;
                Some(DMat3::from_cols(right, right.cross(ahead), -ahead))
            })
            .unwrap_or(DMat3::IDENTITY);
        DMat4::from_translation(eye) * DMat4::from_mat3(rotated)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collada::document::parse;

    fn read(steps: &str) -> Stack {
        let text = format!("<node>{steps}</node>");
        let xml = parse(&text).expect("it is well-formed");
        Stack::read(xml.root_element()).expect("all are numbers")
    }

    const POINT: DVec3 = DVec3::new(1.0, 2.0, 3.0);

    fn close(a: DVec3, b: DVec3) -> bool {
        (a - b).abs().max_element() < 1e-14
    }

    #[test]
    fn the_last_step_is_applied_first() {
        let stack =
            read("<translate>10 0 0</translate><rotate>0 0 2 90</rotate><scale>2 1 1</scale>");
        assert!(stack.is_by_parts());
        let moved = stack.matrix().transform_point3(POINT);
        assert!(close(moved, DVec3::new(8.0, 2.0, 3.0)), "{moved}");
        let by_parts = stack.parts().matrix().transform_point3(POINT);
        assert!(close(by_parts, moved), "{by_parts}");
    }

    #[test]
    fn a_pivot_is_not_by_parts_and_yet_has_parts() {
        let stack = read(
            "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><translate>-1 0 0</translate>",
        );
        assert!(!stack.is_by_parts());
        let parts = stack.parts();
        assert!(
            close(parts.translation, DVec3::new(1.0, -1.0, 0.0)),
            "{parts:?}"
        );
        assert!(close(parts.scale, DVec3::ONE), "{parts:?}");
    }

    #[test]
    fn a_matrix_is_written_row_by_row() {
        let stack = read("<matrix>1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1</matrix>");
        let moved = stack.parts().translation;
        assert!(close(moved, DVec3::new(5.0, 6.0, 7.0)), "{moved}");
    }

    #[test]
    fn the_last_row_of_a_matrix_is_ignored() {
        let [sound, flawed] = ["0 0 0 1", "0 0 0 0"].map(|row| {
            let stack = read(&format!(
                "<matrix>2 0 0 5  0 2 0 6  0 0 2 7  {row}</matrix>"
            ));
            stack.matrix()
        });
        assert_eq!(sound, flawed);
    }

    #[test]
    fn one_looks_along_minus_z() {
        let stack = read("<lookat>0 0 5  9 0 5  0 1 0</lookat>");
        let ahead = stack.matrix().transform_vector3(DVec3::NEG_Z);
        assert!(close(ahead, DVec3::X), "{ahead}");
    }

    #[test]
    fn a_skew_rotates_its_first_axis_towards_the_second_and_moves_points_along_that() {
        for (angle, along) in [(45.0, DVec3::Y), (30.0, DVec3::new(1.0, 2.0, -3.0))] {
            let [x, y, z] = along.to_array();
            let stack = read(&format!("<skew>{angle} 1 0 0 {x} {y} {z}</skew>"));
            let moved = stack.matrix().transform_vector3(DVec3::X);
            let angle_between = moved.angle_between(DVec3::X).to_degrees();
            assert!((angle_between - angle).abs() < 1e-12, "{moved}");
            assert!((moved - DVec3::X).cross(along).length() < 1e-12, "{moved}");
            assert!(close(stack.matrix().transform_vector3(along), along));
            assert!(matches!(stack.rest(), LocalTransform::Matrix(_)));
        }
    }

    #[test]
    fn whole_rotations_are_no_rotation() {
        let stack = read("<rotate>0 1 0 3600000090</rotate>");
        let once = read("<rotate>0 1 0 90</rotate>");
        let (many, once) = (stack.parts().rotation, once.parts().rotation);
        assert!(many.dot(once).abs() > 1.0 - 1e-15, "{many} {once}");
    }

    #[test]
    fn steps_of_zeros_rotate_nothing() {
        let stack =
            read("<rotate>0 0 0 90</rotate><lookat>0 0 0</lookat><skew>45 1</skew><matrix/>");
        assert!(stack.parts().rotation.is_finite(), "{:?}", stack.parts());
    }
}
