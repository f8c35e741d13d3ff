//! The vertices that triangles use, what skinning reads of each, and where it puts them.
//!
//! `diff` follows pairs of vertices. Here, a vertex agrees if any vertex is at its position, since the vertices of two
//! importers do not all have counterparts.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::both::Both;
use super::joints::point;
use super::matching::Key;
use super::place::{Of, Place};
use super::report::{Kind, Tally};
use crate::diff::apart;
use crate::diff::nearest::Nearest;
use crate::rig::{Bounds, InstanceId, MeshInstance, MorphTarget};

/// A vertex of some instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Vertex {
    pub(super) instance: usize,
    pub(super) vertex: usize,
}

impl Vertex {
    fn instance<'a>(self, both: &Both<'a>, side: usize) -> &'a MeshInstance {
        &both.asset(side).instances[self.instance]
    }

    /// The joint that shows it.
    pub(super) fn group(self, both: &Both<'_>, side: usize) -> Key {
        both.matching.key(side, self.instance(both, side).node)
    }

    /// The mesh that it belongs to.
    pub(super) fn place(self, both: &Both<'_>, side: usize) -> Place {
        let instance = Of::new(side, InstanceId::from_index(self.instance));
        Place {
            instance: Some(instance),
            ..Place::mesh(self.group(both, side))
        }
    }

    /// Its position in the mesh.
    pub(super) fn position(self, both: &Both<'_>, side: usize) -> Vec3 {
        let mesh = both.asset(side).mesh_of(self.instance(both, side));
        mesh.positions[self.vertex]
    }
}

/// All vertices that one importer's triangles use, by the joint that shows them, and their counterparts.
pub(super) struct Shown {
    pub(super) list: Vec<Vertex>,
    /// One per vertex: the index of the other importer's equal vertex.
    pub(super) counterparts: Vec<Option<usize>>,
    /// For each joint that shows a mesh, the indices of its vertices.
    pub(super) groups: BTreeMap<Key, Vec<usize>>,
}

impl Shown {
    pub(super) fn new(both: &Both<'_>, side: usize) -> Self {
        let asset = both.asset(side);
        let (mut list, mut groups) = (Vec::new(), BTreeMap::<Key, Vec<usize>>::new());
        for (index, instance) in asset.instances.iter().enumerate() {
            let group = groups
                .entry(both.matching.key(side, instance.node))
                .or_default();
            let used = asset.mesh_of(instance).used_vertices();
            for (vertex, _) in used.into_iter().enumerate().filter(|(_, used)| *used) {
                group.push(list.len());
                list.push(Vertex {
                    instance: index,
                    vertex,
                });
            }
        }
        Self {
            counterparts: vec![None; list.len()],
            list,
            groups,
        }
    }
}

/// The parts of a vertex that skinning uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// In mesh space.
    pub(super) position: Vec3,
    /// Each influencing joint once, with its weights summed, in the order of keys; none that is 0.
    pub(super) influences: Vec<(Key, f64)>,
    /// One offset per morph target.
    pub(super) morphs: Vec<Vec3>,
}

impl Record {
    pub(super) fn of(both: &Both<'_>, side: usize, vertex: Vertex) -> Self {
        let instance = vertex.instance(both, side);
        let mesh = both.asset(side).mesh_of(instance);
        let offset = |target: &MorphTarget| target.positions.get(vertex.vertex).copied();
        let offsets: Vec<Vec3> = mesh
            .morph_targets
            .iter()
            .map(offset)
            .map(Option::unwrap_or_default)
            .collect();
        Self {
            position: mesh.positions[vertex.vertex],
            influences: influences(both, side, vertex),
            morphs: both.morphs.sorted(side, vertex.group(both, side), &offsets),
        }
    }

    /// Equal for equal records; 0 and -0 are the same.
    pub(super) fn bits(&self, group: Key) -> Bits {
        let bits = |v: &Vec3| (*v + Vec3::ZERO).to_array().map(f32::to_bits);
        let influences = self.influences.iter();
        Bits {
            group,
            position: bits(&self.position),
            influences: influences
                .map(|(key, weight)| (*key, weight.to_bits()))
                .collect(),
            morphs: self.morphs.iter().map(bits).collect(),
        }
    }

    /// The largest difference of two weights of one joint; infinite if only one is finite.
    pub(super) fn weights_apart(&self, other: &Self) -> f64 {
        let mut weights: BTreeMap<Key, [f64; 2]> = BTreeMap::new();
        for (side, record) in [self, other].into_iter().enumerate() {
            for (key, weight) in &record.influences {
                weights.entry(*key).or_default()[side] = *weight;
            }
        }
        let apart = weights.into_values().map(|[a, b]| apart::numbers(a, b));
        apart.fold(0.0, f64::max)
    }

    /// The largest distance of two morph offsets; infinite for another number of targets.
    pub(super) fn morphs_apart(&self, other: &Self) -> f64 {
        if self.morphs.len() != other.morphs.len() {
            return f64::INFINITY;
        }
        let pairs = self.morphs.iter().zip(&other.morphs);
        pairs
            .map(|(a, b)| apart::points(a.as_dvec3(), b.as_dvec3()))
            .fold(0.0, f64::max)
    }
}

#[derive(PartialEq, Eq, Hash)]
pub(super) struct Bits {
    group: Key,
    position: [u32; 3],
    influences: Vec<(Key, u64)>,
    morphs: Vec<[u32; 3]>,
}

fn influences(both: &Both<'_>, side: usize, vertex: Vertex) -> Vec<(Key, f64)> {
    let (asset, instance) = (both.asset(side), vertex.instance(both, side));
    let Some(skin) = asset.skin_of(instance) else {
        return Vec::new();
    };
    let mut sums: BTreeMap<Key, f64> = BTreeMap::new();
    for influence in asset.mesh_of(instance).influences.of(vertex.vertex) {
        let joint = skin.joints.get(influence.slot.index());
        let Some(&joint) = joint.filter(|_| influence.weight != 0.0) else {
            continue;
        };
        *sums.entry(both.matching.key(side, joint)).or_default() += f64::from(influence.weight);
    }
    sums.into_iter().collect()
}

/// Compares each vertex with the nearest one of the other importer, both ways.
///
/// The counterpart from the [weights' stage](super::weights) is tried first. The nearest point is searched only if that is
/// too far off, which keeps the usual case linear.
///
/// * `skinned` – one list per instance, in the common space.
/// * `at` – the clip and the time.
pub(super) fn compare(
    both: &Both<'_>,
    shown: &[Shown; 2],
    skinned: &[Vec<Vec<DVec3>>; 2],
    at: Place,
    tally: &mut Tally,
) {
    let positions = [0, 1].map(|side| positions(&shown[side], &skinned[side]));
    let reach = positions
        .iter()
        .map(|positions| Bounds::of(positions.iter().copied()).reach());
    let tolerance = both.scale.tolerance(reach.fold(0.0, f64::max));
    tally.compared(positions[0].len().max(positions[1].len()));
    for (side, other) in [(0, 1), (1, 0)] {
        let mut search = None;
        for (number, &position) in positions[side].iter().enumerate() {
            let counterpart =
                shown[side].counterparts[number].map(|number| positions[other][number]);
            let mut apart =
                counterpart.map_or(f64::INFINITY, |there| apart::points(position, there));
            if apart > tolerance {
                let search =
                    search.get_or_insert_with(|| Nearest::new(positions[other].iter().copied()));
                apart = nearest(search, position).min(apart);
            }
            tally.apart(both.scale.relative(apart));
            if apart > tolerance {
                tally.add(Kind::VertexPosition, apart, |worst| {
                    let vertex = shown[side].list[number];
                    let place = Place {
                        clip: at.clip,
                        time: at.time,
                        ..vertex.place(both, side)
                    };
                    let mut says = ["none so near", "none so near"].map(str::to_owned);
                    says[side] = point(position);
                    worst
                        .at(place)
                        .vertex(vertex.position(both, side).as_dvec3())
                        .saying(says)
                        .off(both.scale.off(apart))
                });
            }
        }
    }
}

fn nearest(search: &Nearest, position: DVec3) -> f64 {
    let finite = Some(position).filter(|position| position.is_finite());
    let found = finite.and_then(|position| search.to(position));
    found.map_or(f64::INFINITY, |(_, apart)| apart)
}

/// The positions of the vertices in `shown`.
fn positions(shown: &Shown, skinned: &[Vec<DVec3>]) -> Vec<DVec3> {
    let position = |instance: usize, vertex: usize| skinned.get(instance)?.get(vertex).copied();
    let all = shown.list.iter();
    all.map(|at| position(at.instance, at.vertex).unwrap_or(DVec3::NAN))
        .collect()
}
