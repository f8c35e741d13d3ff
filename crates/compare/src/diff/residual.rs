//! Measures the distance between two models that the named causes do not explain.
//!
//! The model before is moved once more, with everything that findings name taken from the model after: the motion of
//! joints relative to their parents, weights, shapes, morph targets. What then still separates it from the model after
//! has another cause.

use std::collections::BTreeSet;

use glam::{DMat4, DVec3, Vec3};
use rayon::prelude::*;

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::joints::{AnyJoint, Weights};
use super::kinds::Stage;
use super::measure::{Task, distance};
use super::side::{At, Posed};
use super::weights::Reskinned;
use crate::rig::SkinningMethod;
use crate::skinning;

/// The causes that findings name.
#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    /// Pairs of joints, by their motion relative to the parent.
    pub(super) joints: BTreeSet<usize>,
    /// Stages of the whole model.
    pub(super) stages: BTreeSet<Stage>,
    pub(super) reskinned: Option<Reskinned>,
    /// Surfaces before whose shape keys AFTER lacks.
    pub(super) lost_shape_keys: BTreeSet<usize>,
}

/// The stages whose data can be taken from the model after.
pub(super) const REPLACEABLE: [Stage; 4] =
    [Stage::Meshes, Stage::Bind, Stage::Weights, Stage::Morphs];

impl Named {
    pub(super) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.stages.is_empty() && self.reskinned.is_none()
    }

    fn has(&self, stage: Stage) -> bool {
        self.stages.contains(&stage)
    }
}

/// The largest distance that is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    /// As a multiple of the limit.
    used: f64,
    pub(super) length: f64,
    /// The index of the sample.
    pub(super) sample: usize,
    pub(super) place: Place,
}

/// A pair of corresponding places.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The index of a pair of vertices.
    Vertex(usize),
    /// The index of a pair of joints, if no vertices correspond.
    Joint(usize),
}

/// The most vertices that are examined, at one time and at all of them together: a second of work.
const MOST_VERTICES: usize = 100_000;
const MOST_WORK: usize = 20_000_000;

/// A transform that shrinks volumes below this has no usable inverse: poses are in f32.
const FLAT: f64 = 1e-9;

/// A pair of vertices that is off, before and after correction.
struct Vertex {
    pair: usize,
    vertices: [usize; 2],
    /// Without any, it does not move.
    weights: [Weights; 2],
    /// In the bind pose.
    points: [DVec3; 2],
    /// The share of dual quaternion skinning.
    share: f64,
}

/// Displacements from the bind pose.
struct Palettes {
    /// By joint before, before and after correction.
    joints: [Vec<DMat4>; 2],
    /// Of all joints after, by their own index.
    after: Vec<DMat4>,
}

impl Comparison<'_> {
    /// The largest distance beyond the tolerance that `named` does not explain, if any. Of many vertices, only some are
    /// examined, and none whose weights are unknown.
    pub(super) fn left(&self, one: &Measurement, named: &Named) -> Result<Option<Left>, DiffError> {
        let task = self.task(one.limit)?;
        let most = (MOST_WORK / one.samples.list.len().max(1)).min(MOST_VERTICES);
        let vertices: Vec<Vertex> = self
            .vertices_off(one, named, &task, most)
            .into_iter()
            .flatten()
            .collect();
        self.farthest(one, named, &task, &vertices)
    }

    /// Whether `named` explains the distance of every vertex that is off.
    pub(super) fn is_explained_by(
        &self,
        one: &Measurement,
        named: &Named,
    ) -> Result<bool, DiffError> {
        let task = self.task(one.limit)?;
        let vertices = self.vertices_off(one, named, &task, usize::MAX);
        let Some(vertices) = vertices.into_iter().collect::<Option<Vec<Vertex>>>() else {
            return Ok(false);
        };
        Ok(self.farthest(one, named, &task, &vertices)?.is_none())
    }

    /// The largest distance beyond the tolerance of `vertices`, or of joints if no vertices correspond.
    fn farthest(
        &self,
        one: &Measurement,
        named: &Named,
        task: &Task<'_>,
        vertices: &[Vertex],
    ) -> Result<Option<Left>, DiffError> {
        let has_vertices = !self.vertices.pairs.is_empty();
        if has_vertices && vertices.is_empty() {
            return Ok(None);
        }
        // Where all vertices are within the same limit, none is left.
        let is_plain = has_vertices && task.factors.is_empty();
        let is_off = |index: usize| {
            let [max, _] = one.surface.over_time[index];
            !is_plain || task.share(0, max) > 1.0
        };
        let samples = one
            .samples
            .list
            .par_iter()
            .enumerate()
            .filter(|(index, _)| is_off(*index));
        let found: Vec<Option<Left>> = samples
            .map(|(index, sample)| {
                let poses = self.rigs.poses(one.clips, sample.times);
                let palettes = self.palettes(&poses, named);
                if !has_vertices {
                    return Ok(self.joint_left(one, &palettes, index));
                }
                let frame = |side: usize| {
                    let at = At::of(one.clips, sample.times, side);
                    match named.reskinned.filter(|reskinned| reskinned.side == side) {
                        Some(reskinned) => self.sides[side].frame_by(reskinned.method, at),
                        None => self.sides[side].frame(at, false).map(Some),
                    }
                };
                let (Some(before), Some(after)) = (frame(0)?, frame(1)?) else {
                    return Ok(None);
                };
                let frames = [before.positions, after.positions];
                let mut worst: Option<Left> = None;
                for vertex in vertices {
                    let [a, b] = [frames[0][vertex.vertices[0]], frames[1][vertex.vertices[1]]];
                    if task.used(vertex.pair, [a, b]).0 <= 1.0 {
                        continue;
                    }
                    let [from, to] = self.moved(vertex, &palettes, &poses, named);
                    let surface = self.sides[0].in_surface(vertex.vertices[0]).0;
                    let corrected = if named.lost_shape_keys.contains(&surface) {
                        // What its joints and weights do not explain, the shape keys may do.
                        to
                    } else {
                        a + (to - from)
                    };
                    let corrected = if corrected.is_finite() { corrected } else { a };
                    let (used, length) = task.used(vertex.pair, [corrected, b]);
                    if worst.is_none_or(|worst| used > worst.used) {
                        worst = Some(Left {
                            used,
                            length,
                            sample: index,
                            place: Place::Vertex(vertex.pair),
                        });
                    }
                }
                Ok(worst)
            })
            .collect::<Result<_, DiffError>>()?;
        let beyond = found.into_iter().flatten().filter(|left| left.used > 1.0);
        Ok(beyond.reduce(|worst, left| if left.used > worst.used { left } else { worst }))
    }

    /// The pairs of vertices that are off, evenly thinned to about `most`, with their corrections: `None` if their
    /// weights are unknown.
    fn vertices_off(
        &self,
        one: &Measurement,
        named: &Named,
        task: &Task<'_>,
        most: usize,
    ) -> Vec<Option<Vertex>> {
        let pairs = one.surface.of_pairs.iter().enumerate();
        let off: Vec<usize> = pairs
            .filter(|(pair, apart)| task.share(*pair, f64::from(**apart)) > 1.0)
            .map(|(pair, _)| pair)
            .collect();
        let worst = one.surface.worst.map(|(pair, _)| pair);
        let thinned = off.iter().copied().step_by(off.len().div_ceil(most).max(1));
        thinned
            .chain(worst)
            .map(|pair| self.vertex(pair, named))
            .collect()
    }

    fn vertex(&self, pair: usize, named: &Named) -> Option<Vertex> {
        let vertices = self.vertices.pairs[pair].map(|vertex| vertex as usize);
        // A vertex that has only a neighbour on the other side, as where a part of a mesh is missing.
        let is_loose = self.vertices.is_loose[pair] && named.has(Stage::Meshes);
        if is_loose && !self.vertices.in_bind_pose {
            return None;
        }
        let known = |weights: &Weights| !weights.is_empty();
        let before: Option<Weights> = self.sides[0].weights_of(vertices[0]).map(|weights| {
            let weights = weights.into_iter();
            let before = weights.map(|(joint, weight)| (AnyJoint::Before(joint), weight));
            before.collect()
        });
        // Without weights it does not move; its weights after are part of what a finding on weights names.
        let is_free = named.has(Stage::Weights) && before.as_ref().is_some_and(Vec::is_empty);
        let before = before.filter(known);
        let after = self.sides[1].weights_of(vertices[1]);
        let after = after
            .map(|weights| self.rigs.joints.of_both(1, &weights))
            .filter(known);
        let before = before
            .or_else(|| after.clone().filter(|_| !is_free))
            .unwrap_or_default();
        if before.is_empty() && !named.is_empty() && !is_free {
            return None;
        }
        let corrected = after.filter(|_| named.has(Stage::Weights) || is_loose);
        let points = [0, 1].map(|side| self.sides[side].vertices.positions[vertices[side]]);
        // Shapes that correspond in another pose only are bound in different poses.
        let takes_shape = named.has(if self.vertices.in_bind_pose {
            Stage::Meshes
        } else {
            Stage::Bind
        });
        Some(Vertex {
            pair,
            vertices,
            weights: [before.clone(), corrected.unwrap_or(before)],
            points: [points[0], points[usize::from(takes_shape)]],
            share: self.dual_quaternion_share(vertices, named),
        })
    }

    fn dual_quaternion_share(&self, vertices: [usize; 2], named: &Named) -> f64 {
        if let Some(Reskinned { side: 0, method }) = named.reskinned {
            return f64::from(method == SkinningMethod::DualQuaternion);
        }
        let shares = [0, 1].map(|side| self.sides[side].dual_quaternion_share(vertices[side]));
        shares.into_iter().flatten().next().unwrap_or(0.0)
    }

    /// Where its joints move a vertex before, as it is and with everything that is named.
    fn moved(
        &self,
        vertex: &Vertex,
        palettes: &Palettes,
        poses: &[Posed; 2],
        named: &Named,
    ) -> [Vec3; 2] {
        let morphed = |side: usize| {
            let own = vertex.vertices[side];
            self.sides[side].morphed_by(own, &poses[side].morphs)
        };
        let before = morphed(0);
        let offsets = [
            before,
            if named.has(Stage::Morphs) {
                morphed(1)
            } else {
                before
            },
        ];
        [0, 1].map(|state: usize| {
            let weighted = vertex.weights[state].iter().map(|(joint, weight)| {
                let matrix = match joint {
                    AnyJoint::Before(joint) => palettes.joints[state][*joint],
                    AnyJoint::OnlyAfter(joint) => palettes.after[*joint],
                };
                (matrix, *weight)
            });
            let point = vertex.points[state] + offsets[state];
            if vertex.weights[state].is_empty() {
                return point.as_vec3();
            }
            let moved = skinning::reference::blended(weighted.collect(), point, vertex.share).0;
            moved.as_vec3()
        })
    }

    fn palettes(&self, poses: &[Posed; 2], named: &Named) -> Palettes {
        let of = |side: usize| -> Vec<DMat4> {
            let joints = poses[side].joints.iter().zip(&self.sides[side].joints);
            let displacements = joints.map(|(now, joint)| *now * joint.bind.inverse());
            displacements.collect()
        };
        let [before, after] = [of(0), of(1)];
        let pairs = &self.rigs.joints.pairs;
        let mut pair_of = vec![None; before.len()];
        for (pair, [joint, _]) in pairs.iter().enumerate() {
            pair_of[*joint] = Some(pair);
        }
        let mut corrected = before.clone();
        let mut is_changed = vec![false; before.len()];
        // Parents come first, so each joint is placed relative to a corrected parent.
        for (joint, own) in self.sides[0].joints.iter().enumerate() {
            let pair: Option<usize> = pair_of[joint];
            let is_named = pair.is_some_and(|pair| named.joints.contains(&pair));
            let parent = match pair.filter(|_| is_named) {
                Some(pair) => self.rigs.parents[pair].map(|parent| pairs[parent]),
                None => own.parent.map(|parent| [parent, parent]),
            };
            if !is_named && !parent.is_some_and(|[parent, _]| is_changed[parent]) {
                continue;
            }
            is_changed[joint] = true;
            let there = pair.map(|pair| after[pairs[pair][1]]);
            let (now, above) = match there.filter(|_| is_named) {
                Some(there) => (there, parent.map(|[_, parent]| after[parent])),
                None => (before[joint], parent.map(|[parent, _]| before[parent])),
            };
            corrected[joint] = match (parent, above) {
                (Some([parent, _]), Some(above)) if above.determinant().abs() > FLAT => {
                    corrected[parent] * above.inverse() * now
                }
                // Relative to a parent that is scaled to nothing, no motion is known.
                _ => there.unwrap_or(now),
            };
        }
        for [a, b] in pairs.iter().filter(|_| named.has(Stage::Bind)) {
            if let Some(bind_from_stated) = self.sides[1].joints[*b].bind_from_stated {
                corrected[*a] *= bind_from_stated;
            }
        }
        Palettes {
            joints: [before, corrected],
            after,
        }
    }

    /// The joint that is farthest off.
    fn joint_left(&self, one: &Measurement, palettes: &Palettes, sample: usize) -> Option<Left> {
        let pairs = self.rigs.joints.pairs.iter().enumerate();
        let left = pairs.map(|(pair, [a, b])| {
            let length = self
                .rigs
                .apart(pair, &palettes.joints[1][*a], &palettes.after[*b]);
            Left {
                used: length / one.limits[pair],
                length,
                sample,
                place: Place::Joint(pair),
            }
        });
        left.reduce(|worst, left| if left.used > worst.used { left } else { worst })
    }
}

impl Task<'_> {
    /// The distance of a pair's positions as a multiple of its limit, and as a length.
    fn used(&self, pair: usize, positions: [Vec3; 2]) -> (f64, f64) {
        let length = f64::from(distance(positions));
        (self.share(pair, length), length)
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use crate::diff::{Kind, Options, Source, compare};
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// Vertices that a joint moves only through the one below it.
    #[test]
    fn a_joint_explains_what_is_below_it() {
        let model = |angle: f32| {
            let mut rig = AssetBuilder::new();
            let below = Trs {
                translation: Vec3::Y,
                ..Trs::IDENTITY
            };
            let root = rig.node("root", None, Trs::IDENTITY);
            let arm = rig.node("arm", Some(root), below);
            let hand = rig.node("hand", Some(arm), below);
            let mesh = rig.mesh(Mesh {
                positions: vec![Vec3::Y * 2.0, Vec3::Y * 3.0, Vec3::new(1.0, 2.0, 0.0)],
                triangles: vec![[0, 1, 2]],
                ..Mesh::default()
            });
            rig.skin(mesh, [[(hand, 1.0)]; 3]);
            let clip = rig.clip("wave");
            let rotated = Quat::from_rotation_z(angle);
            rig.rotate(clip, arm, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
            Source::from(rig.build().expect("it is whole"))
        };
        let report = compare(&model(1.0), &model(0.5), &Options::default());
        let report = report.expect("they correspond");
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|own| (own.kind, own.finding.location.joint.as_deref()))
            .collect();
        assert_eq!(found, [(Kind::Keys, Some("arm"))]);
    }
}
