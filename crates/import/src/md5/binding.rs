//! The bind positions of vertices and their weights, and the transforms of joints as stored.

use std::fmt::Write;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use super::model::{BoundJoint, Surface, Weight};
use super::text::Damage;
use crate::log::Log;
use crate::rig::{Influence, Influences, SkinSlot, Trs};
use crate::source::{Skin, SkinJoint};
use crate::unit;
use crate::units::amount;
use crate::vertices::f32_of;

/// How far the points of a vertex may be apart to count as the same, in lengths of the longest arm of a weight: what six
/// digits of points and rotations explain, except for rotations within a degree of half a turn, whose fourth number is all
/// rounding.
const SAME: f64 = 1e-4;

/// Times that the weights of a mesh may be used by its vertices, on average: honest files use each once.
const MOST_USES: u64 = 16;

/// Slots for single weights.
const MOST_SLOTS: usize = 1 << 16;

/// Binds the vertices of all meshes to one skin.
#[derive(Debug)]
pub(super) struct Binder<'a> {
    /// Where the joints of the file are bound.
    joints: &'a [Rigid],
    names: &'a [BoundJoint],
    /// Points of a vertex within this distance count as one.
    tolerance: f64,
    /// A slot per joint, then slots of single weights: the joint, and the inverse bind matrix.
    slots: Vec<(usize, Mat4)>,
}

/// Vertices whose points differ.
#[derive(Debug, Default)]
struct Apart {
    vertices: usize,
    /// Weights that have slots of their own.
    weights: usize,
    /// Weights for which there was no slot left.
    lost: usize,
    /// The largest distance from the bind position.
    farthest: f64,
}

/// How far a weight that counts puts its vertex from its joint, at most.
fn longest_arm(surface: &Surface) -> f64 {
    let weights = surface.vertices.iter().map(|vertex| {
        let weights = surface.weights.get(vertex.weights.clone());
        weights.unwrap_or_default()
    });
    let counting = weights.flatten().filter(|weight| weight.bias != 0.0);
    let arms = counting.map(|weight| weight.position.length());
    arms.filter(|arm| arm.is_finite()).fold(0.0, f64::max)
}

impl<'a> Binder<'a> {
    /// * `joints` – where the file's joints are bound.
    /// * `names` – as many.
    pub(super) fn new(joints: &'a [Rigid], names: &'a [BoundJoint]) -> Self {
        let inverses = joints.iter().map(|joint| joint.inverse_matrix(DVec3::ZERO));
        Self {
            joints,
            names,
            tolerance: 0.0,
            slots: inverses.enumerate().collect(),
        }
    }

    /// Binds the vertices of one mesh, whose positions and influences it returns.
    ///
    /// # Errors
    ///
    /// [`Damage::TooMany`] if they share weights without measure.
    pub(super) fn bind(
        &mut self,
        surface: &Surface,
        log: &mut Log,
    ) -> Result<(Vec<Vec3>, Influences), Damage> {
        let uses = surface
            .vertices
            .iter()
            .map(|vertex| vertex.weights.len())
            .fold(0_u64, |sum, count| sum.saturating_add(count as u64));
        if uses > MOST_USES * surface.weights.len() as u64 {
            return Err(Damage::TooMany {
                what: "the weights of vertices",
                count: uses,
            });
        }
        self.tolerance = SAME * longest_arm(surface);
        let mut apart = Apart::default();
        let mut positions = Vec::with_capacity(surface.vertices.len());
        let mut lists = Vec::with_capacity(surface.vertices.len());
        for vertex in &surface.vertices {
            let weights = surface
                .weights
                .get(vertex.weights.clone())
                .unwrap_or_default();
            let position = self.position(weights).as_vec3();
            lists.push(self.influences(weights, position.as_dvec3(), &mut apart));
            positions.push(position);
        }
        apart.note(&surface.name, log);
        Ok((positions, Influences::from_vertices(lists)))
    }

    /// The one skin of all meshes.
    pub(super) fn into_skin(self) -> Skin {
        let joint = |&(joint, _): &(usize, Mat4)| SkinJoint {
            name: self.names[joint].name.clone(),
            node: Some(joint),
        };
        Skin {
            joints: self.slots.iter().map(joint).collect(),
            inverse_binds: Some(self.slots.into_iter().map(|(_, inverse)| inverse).collect()),
            ..Skin::default()
        }
    }

    /// Where `weights` put their vertex in the bind pose, divided by their sum.
    fn position(&self, weights: &[Weight]) -> DVec3 {
        let sum: f64 = weights.iter().map(|weight| weight.bias).sum();
        let point = |weight: &Weight| self.joints[weight.joint].point(weight.position);
        let all = weights.iter().map(|weight| point(weight) * weight.bias);
        let position = all.sum::<DVec3>() / sum;
        if position.is_finite() {
            position
        } else {
            weights.first().map_or(DVec3::ZERO, point)
        }
    }

    fn influences(
        &mut self,
        weights: &[Weight],
        position: DVec3,
        apart: &mut Apart,
    ) -> Vec<Influence> {
        let before = apart.weights + apart.lost;
        let influence = |weight: &Weight| {
            let joint = &self.joints[weight.joint];
            let distance = (joint.point(weight.position) - position).length();
            let mut slot = weight.joint;
            if distance > self.tolerance && weight.bias != 0.0 {
                apart.farthest = apart.farthest.max(distance);
                if self.slots.len() < self.joints.len() + MOST_SLOTS {
                    slot = self.slots.len();
                    let offset = weight.position - joint.inverse_point(position);
                    self.slots
                        .push((weight.joint, joint.inverse_matrix(offset)));
                    apart.weights += 1;
                } else {
                    apart.lost += 1;
                }
            }
            Influence {
                slot: SkinSlot(u32::try_from(slot).expect("fewer than 2^32 slots")),
                weight: f32_of(weight.bias),
            }
        };
        let list = weights.iter().map(influence).collect();
        apart.vertices += usize::from(apart.weights + apart.lost > before);
        list
    }
}

impl Apart {
    fn note(&self, mesh: &str, log: &mut Log) {
        if self.vertices == 0 {
            return;
        }
        let Self {
            vertices,
            weights,
            lost,
            farthest,
        } = self;
        let (vertices, own) = (amount(*vertices, "vertex"), amount(*weights, "weight"));
        let farthest = unit::rounded(*farthest);
        let mut message = format!(
            "the weights of {vertices} disagree on the bind position by up to {farthest}: {own} bound separately, as \
             the format allows; programs with one bind position per vertex show them differently"
        );
        if *lost > 0 {
            let lost = amount(*lost, "weight");
            let _ = write!(
                message,
                "; {lost} more have no slot and keep that bind position"
            );
        }
        log.notes.add(format!("mesh {mesh:?}"), message);
    }
}

/// A rigid transform in f64, for computing; it is rounded once at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rigid {
    pub(super) translation: DVec3,
    /// A unit quaternion.
    pub(super) rotation: DQuat,
}

impl Rigid {
    pub(super) const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// From the six numbers of the file.
    pub(super) fn new(numbers: [f64; 6]) -> Self {
        let [tx, ty, tz, ..] = numbers;
        let rotation = quaternion(numbers);
        let length = rotation.length();
        Self {
            translation: DVec3::new(tx, ty, tz),
            rotation: DQuat::from_vec4(glam::DVec4::from(rotation) / length),
        }
    }

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// The point in the space of the joint.
    fn inverse_point(&self, point: DVec3) -> DVec3 {
        self.rotation.inverse() * (point - self.translation)
    }

    /// The transform relative to `parent`.
    pub(super) fn under(&self, parent: &Self) -> Self {
        Self {
            translation: parent.inverse_point(self.translation),
            rotation: (parent.rotation.inverse() * self.rotation).normalize(),
        }
    }

    /// `joint_from_model`, plus `offset` in the space of the joint. Its last row is exactly 0 0 0 1.
    fn inverse_matrix(&self, offset: DVec3) -> Mat4 {
        let rotation = DMat3::from_quat(self.rotation).transpose();
        let translation = offset - rotation * self.translation;
        DMat4::from_mat3_translation(rotation, translation).as_mat4()
    }

    pub(super) fn trs(&self) -> Trs {
        Trs {
            translation: self.translation.as_vec3(),
            rotation: self.rotation.as_quat(),
            ..Trs::IDENTITY
        }
    }
}

/// The quaternion with the three components in the file. The fourth is never positive and makes the length 1; it is 0
/// where the three are too long already.
fn quaternion([.., x, y, z]: [f64; 6]) -> DQuat {
    let left = 1.0 - (x * x + y * y + z * z);
    // NaN stays NaN, so that it is reported.
    let w = if left < 0.0 { 0.0 } else { -left.sqrt() };
    DQuat::from_xyzw(x, y, z, w)
}

/// The rotation of a frame. One that is too long stays so, to be reported and repaired.
pub(super) fn rotation(numbers: [f64; 6]) -> Quat {
    match too_long(numbers) {
        None => Rigid::new(numbers).rotation.as_quat(),
        Some(_) => quaternion(numbers).as_quat(),
    }
}

/// How far the length of the rotation is from 1, and that length, if that is more than rounding explains.
pub(super) fn too_long(numbers: [f64; 6]) -> Option<(f64, f64)> {
    let length = quaternion(numbers).length();
    Some((unit::excess(length, unit::ROTATION)?, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fourth_number_is_negative() {
        let half = Rigid::new([0.0, 0.0, 0.0, 0.0, 0.0, 0.6]);
        assert!((half.rotation.w + 0.8).abs() < 1e-15);
        let none = Rigid::new([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(none.point(DVec3::X), DVec3::new(2.0, 2.0, 3.0));
    }

    #[test]
    fn a_rotation_that_is_too_long_is_by_180_degrees() {
        let long = Rigid::new([0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        assert!(long.point(DVec3::X).abs_diff_eq(DVec3::NEG_X, 1e-15));
        let length_of = |z| too_long([0.0, 0.0, 0.0, 0.0, 0.0, z]);
        assert_eq!(length_of(2.0), Some((1.0, 2.0)));
        assert_eq!(length_of(1.000_001), None);
    }

    prop_compose! {
        fn any_transform()(
            translation in prop::array::uniform3(-10.0..10.0),
            axis in prop::array::uniform3(-0.55..0.55),
        ) -> Rigid {
            let [tx, ty, tz]: [f64; 3] = translation;
            let [x, y, z]: [f64; 3] = axis;
            Rigid::new([tx, ty, tz, x, y, z])
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_transform_relative_to_its_parent_moves_points_as_before(
            parent in any_transform(), child in any_transform(), point in prop::array::uniform3(-10.0..10.0),
        ) {
            let point = DVec3::from(point);
            let by_parent = parent.point(child.under(&parent).point(point));
            prop_assert!(by_parent.abs_diff_eq(child.point(point), 1e-12));
        }

        #[test]
        fn an_inverse_matrix_takes_points_back_and_is_affine(
            child in any_transform(), point in prop::array::uniform3(-10.0..10.0),
        ) {
            let point = DVec3::from(point);
            let inverse = child.inverse_matrix(DVec3::ZERO);
            let back = inverse.as_dmat4().transform_point3(child.point(point));
            prop_assert!(back.abs_diff_eq(point, 1e-5));
            let last = inverse.row(3).to_array().map(f32::to_bits);
            prop_assert_eq!(last, [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits));
        }
    }
}
