//! Recognizes what a reference does to its meshes and a model does not: shape keys, and other deformers beside the joints.

use glam::DVec3;

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::residual::{Left, Place};
use super::side::{At, Source};
use super::words::significant;

/// The joints alone explain the model after if they leave less than this fraction of the distance.
const EXPLAINS: f64 = 0.1;

impl Comparison<'_> {
    /// The difference of a vertex that the joints of a reference before move to where the model after has it, and that the
    /// reference has elsewhere.
    pub(super) fn lost_shapes(
        &self,
        one: &Measurement,
        left: &Left,
    ) -> Result<Option<Difference>, DiffError> {
        let Source::Reference(reference) = self.sides[0].source else {
            return Ok(None);
        };
        let Place::Vertex(pair) = left.place else {
            return Ok(None);
        };
        let times = one.samples.list[left.sample].times;
        let [a, b] = self.vertices.pairs[pair].map(|vertex| vertex as usize);
        let (surface, vertex) = self.sides[0].in_surface(a);
        let on_node = || Some(vec![(reference.meshes[surface].node?, 1.0)]);
        let Some(weights) = self.sides[0].weights_of(a).or_else(on_node) else {
            return Ok(None);
        };
        let joints = self.sides[0].pose(At::of(one.clips, times, 0)).joints;
        let point = self.sides[0].vertices.positions[a];
        let moved = weights.iter().map(|(joint, weight)| {
            let from_bind = joints[*joint] * self.sides[0].joints[*joint].bind.inverse();
            *weight * from_bind.transform_point3(point)
        });
        let by_joints: DVec3 = moved.sum();
        let frame = |side: usize| self.sides[side].frame(At::of(one.clips, times, side), false);
        let [before, after] = [frame(0)?.positions[a], frame(1)?.positions[b]];
        let beside = before.as_dvec3().distance(by_joints);
        let apart = after.as_dvec3().distance(by_joints);
        if weights.is_empty() || beside <= one.limit || apart > one.limit.max(EXPLAINS * beside) {
            return Ok(None);
        }
        let (other, _) = self.sides[1].in_surface(b);
        let own = &self.sides[0].surfaces[surface];
        let has_targets = !self.sides[1].surfaces[other].morphs.is_empty();
        let plays = if has_targets { "plays" } else { "has" };
        let message = format!(
            "vertex {vertex} of mesh \"{}\" is where its joints alone put it at {} s; before, it is {} elsewhere, by shape keys, of \
             which AFTER {plays} none, or by another deformer",
            own.name,
            significant(times[0]),
            self.lengths.show(beside)
        );
        let finding = Kind::Unexplained.found(message);
        let finding = finding.mesh(&own.name, Some(Before(surface)));
        Ok(Some(self.in_take(finding, one).at(times[0]).by(beside)))
    }
}
