//! Recognizes what a reference does to its meshes and a model does not: shape keys, and other deformers beside the joints.

use std::collections::BTreeSet;

use glam::DVec3;

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::residual::{Left, Place};
use super::side::{At, Source};
use super::words::and_more;
use crate::units::amount;

/// The joints alone explain the model after if they leave less than this fraction of the distance.
const EXPLAINS: f64 = 0.1;

impl Comparison<'_> {
    /// The surfaces of a reference before that state more shape keys than their counterparts have targets, and a difference
    /// for each.
    ///
    /// Targets are counted, because formats and importers spell their names in different ways.
    pub(super) fn lost_shape_keys(&self) -> (BTreeSet<usize>, Vec<Difference>) {
        let (Source::Reference(reference), Source::Model(model)) =
            (self.sides[0].source, self.sides[1].source)
        else {
            return Default::default();
        };
        let mut targets = vec![0; reference.meshes.len()];
        for pair in &self.vertices.pairs {
            let [before, after] = [0, 1].map(|side: usize| {
                let surfaces = &self.sides[side].vertices.surfaces;
                surfaces[pair[side] as usize] as usize
            });
            // A part of a mesh may lack the targets that do not move it.
            let mesh = model.mesh_of(&model.instances[after]);
            targets[before] = mesh.morph_targets.len().max(targets[before]);
        }
        let mut surfaces = BTreeSet::new();
        let mut differences = Vec::new();
        for (surface, mesh) in reference.meshes.iter().enumerate() {
            let (count, left) = (mesh.shape_keys.len(), targets[surface]);
            if left >= count || self.vertices.missing.contains(&surface) {
                continue;
            }
            let message = format!(
                "mesh \"{}\" has the shape key \"{}\"{} before, and {} after: shape keys are lost",
                mesh.name,
                mesh.shape_keys[0],
                and_more(count - 1, "shape key"),
                amount(left, "morph target")
            );
            let finding = Kind::MorphShape.found(message);
            differences.push(finding.mesh(&mesh.name, Some(Before(surface))));
            surfaces.insert(surface);
        }
        (surfaces, differences)
    }

    /// The difference of a vertex that the joints of a reference before move to where the model after has it, and that the
    /// reference has elsewhere.
    pub(super) fn other_deformer(
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
            "vertex {vertex} of mesh \"{}\" is where its joints alone put it at {}; before, it is {} elsewhere, by shape keys, of \
             which AFTER {plays} none, or by another deformer",
            own.name,
            self.time_with_frame(one, times[0]),
            self.lengths.show(beside)
        );
        let finding = Kind::Unexplained.found(message);
        let finding = finding.mesh(&own.name, Some(Before(surface)));
        Ok(Some(self.in_take(finding, one).at(times[0]).by(beside)))
    }
}
