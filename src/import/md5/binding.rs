//! The bind positions of vertices, and their weights.
//!
//! Each weight of a vertex has its own point in the space of its joint: `Σ bias · joint(point)`. If all points coincide
//! in the bind pose, this is ordinary skinning from one bind position. If not, no single bind position can express the
//! file; each deviating weight then gets its own slot, whose inverse bind matrix takes the bind position to the
//! weight's own point.

use std::fmt::Write;

use glam::{DVec3, Mat4, Vec3};

use super::model::{BoundJoint, Surface, Weight};
use super::rigid::Rigid;
use super::text::Damage;
use crate::import::log::Log;
use crate::import::rounding::f32_of;
use crate::import::source::{Skin, SkinJoint};
use crate::import::unit;
use crate::rig::{Influence, Influences, JointId};
use crate::units::amount;

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

/// What a mesh has instead of positions and weights in the file.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) positions: Vec<Vec3>,
    pub(super) influences: Influences,
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

    /// Binds the vertices of one mesh.
    ///
    /// # Errors
    ///
    /// [`Damage::TooMany`] if they share weights without measure.
    pub(super) fn bind(&mut self, surface: &Surface, log: &mut Log) -> Result<Bound, Damage> {
        let uses = surface.vertices.iter().map(|vertex| vertex.weights.len());
        let uses = uses.fold(0_u64, |sum, count| sum.saturating_add(count as u64));
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
            let weights = surface.weights.get(vertex.weights.clone());
            let weights = weights.unwrap_or_default();
            let position = self.position(weights).as_vec3();
            lists.push(self.influences(weights, position.as_dvec3(), &mut apart));
            positions.push(position);
        }
        apart.note(&surface.name, log);
        Ok(Bound {
            positions,
            influences: Influences::from_vertices(lists),
        })
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
                joint: JointId(u32::try_from(slot).expect("fewer than 2^32 slots")),
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
