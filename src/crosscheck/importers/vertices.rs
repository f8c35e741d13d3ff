//! The vertices that are shown, and which vertex of one importer is which of the other.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;

use super::matching::{Key, Matching};
use super::morphs::MorphOrder;
use super::report::Kind;
use super::search::Search;
use crate::rig::{Asset, Mesh, MeshInstance, MorphTarget};

/// A corner of a triangle of some instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Vertex {
    pub(super) instance: usize,
    pub(super) vertex: usize,
}

/// All vertices that triangles of one importer use, by the joint that shows them, and their counterparts.
pub(super) struct Shown {
    pub(super) list: Vec<Vertex>,
    /// One a vertex: the number of the other importer's vertex that is the same.
    pub(super) counterparts: Vec<Option<usize>>,
    /// For each joint that shows a mesh the numbers of its vertices.
    pub(super) groups: BTreeMap<Key, Vec<usize>>,
}

impl Shown {
    fn new(matching: &Matching<'_>, side: usize) -> Self {
        let asset = matching.trees[side].asset;
        let (mut list, mut groups) = (Vec::new(), BTreeMap::<Key, Vec<usize>>::new());
        for (index, instance) in asset.instances.iter().enumerate() {
            let group = groups.entry(matching.key(side, instance.joint));
            let group = group.or_default();
            for vertex in used_vertices(asset.mesh_of(instance)) {
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

fn used_vertices(mesh: &Mesh) -> impl Iterator<Item = usize> {
    let mut used = vec![false; mesh.positions.len()];
    for &corner in mesh.triangles.iter().flatten() {
        used[corner as usize] = true;
    }
    (0..used.len()).filter(move |&vertex| used[vertex])
}

/// What of both importers belongs together.
#[derive(Clone, Copy)]
pub(super) struct Paired<'a> {
    pub(super) matching: &'a Matching<'a>,
    pub(super) morphs: &'a MorphOrder,
}

/// What skinning makes use of in a vertex.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// In mesh space.
    pub(super) position: Vec3,
    /// Each joint that pulls once, with its weights added up, in the order of keys; none that is 0.
    pub(super) influences: Vec<(Key, f64)>,
    /// One offset a morph target.
    pub(super) morphs: Vec<Vec3>,
}

impl Record {
    pub(super) fn of(paired: Paired<'_>, side: usize, vertex: Vertex) -> Self {
        let Paired { matching, morphs } = paired;
        let asset: &Asset = matching.trees[side].asset;
        let instance = &asset.instances[vertex.instance];
        let mesh = asset.mesh_of(instance);
        let offset = |target: &MorphTarget| target.positions.get(vertex.vertex).copied();
        let offsets = mesh.morph_targets.iter().map(offset);
        let offsets: Vec<Vec3> = offsets.map(Option::unwrap_or_default).collect();
        Self {
            position: mesh.positions[vertex.vertex],
            influences: influences(matching, side, instance, vertex.vertex),
            morphs: morphs.sorted(side, matching.key(side, instance.joint), &offsets),
        }
    }

    /// Equal for equal records; 0 and -0 are the same.
    fn bits(&self, group: Key) -> Bits {
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
        let apart = |[a, b]: [f64; 2]| match (a.is_finite(), b.is_finite()) {
            (true, true) => (a - b).abs(),
            (false, false) => 0.0,
            _ => f64::INFINITY,
        };
        weights.into_values().map(apart).fold(0.0, f64::max)
    }

    /// The largest distance of two morph offsets; infinite for another number of targets.
    pub(super) fn morphs_apart(&self, other: &Self) -> f64 {
        if self.morphs.len() != other.morphs.len() {
            return f64::INFINITY;
        }
        let pairs = self.morphs.iter().zip(&other.morphs);
        pairs
            .map(|(a, b)| super::common::distance(a.as_dvec3(), b.as_dvec3()))
            .fold(0.0, f64::max)
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Bits {
    group: Key,
    position: [u32; 3],
    influences: Vec<(Key, u64)>,
    morphs: Vec<[u32; 3]>,
}

fn influences(
    matching: &Matching<'_>,
    side: usize,
    instance: &MeshInstance,
    vertex: usize,
) -> Vec<(Key, f64)> {
    let asset = matching.trees[side].asset;
    let Some(skin) = asset.skin_of(instance) else {
        return Vec::new();
    };
    let mut sums: BTreeMap<Key, f64> = BTreeMap::new();
    for influence in asset.mesh_of(instance).influences.of(vertex) {
        let joint = skin.joints.get(influence.slot as usize);
        let Some(&joint) = joint.filter(|_| influence.weight != 0.0) else {
            continue;
        };
        *sums.entry(matching.key(side, joint)).or_default() += f64::from(influence.weight);
    }
    sums.into_iter().collect()
}

/// Why a vertex has no counterpart.
pub(super) struct Mismatch {
    pub(super) side: usize,
    pub(super) group: Key,
    pub(super) vertex: Vertex,
    pub(super) kind: Kind,
    /// The vertex of the other importer that comes nearest to being the same.
    pub(super) nearest: Option<Vertex>,
    /// A difference of weights, or of offsets as a part of the mesh's diagonal; infinite for a missing vertex.
    pub(super) apart: f64,
}

/// Finds the counterparts of all vertices in both directions, and tells which have none.
pub(super) fn pair_up(paired: Paired<'_>) -> ([Shown; 2], Vec<Mismatch>) {
    let mut shown = [0, 1].map(|side| Shown::new(paired.matching, side));
    pair_equal(paired, &mut shown);
    let mut mismatches = Vec::new();
    for side in [0, 1] {
        let alike = pair_alike(paired, &shown, side, &mut mismatches);
        for (number, counterpart) in alike {
            shown[side].counterparts[number] = Some(counterpart);
        }
    }
    (shown, mismatches)
}

/// Bit for bit: what nearly all vertices are, whatever order and number they come in.
fn pair_equal(paired: Paired<'_>, shown: &mut [Shown; 2]) {
    let bits = [0, 1].map(|side| -> Vec<Bits> {
        let instances = &paired.matching.trees[side].asset.instances;
        let bits = |vertex: &Vertex| {
            let group = paired.matching.key(side, instances[vertex.instance].joint);
            Record::of(paired, side, *vertex).bits(group)
        };
        shown[side].list.iter().map(bits).collect()
    });
    for (side, other) in [(0, 1), (1, 0)] {
        let known: HashMap<&Bits, usize> = bits[other].iter().zip(0..).collect();
        let counterparts = bits[side].iter().map(|bits| known.get(bits).copied());
        shown[side].counterparts = counterparts.collect();
    }
}

/// Within the tolerances, for those that have no equal. Returns numbers of vertices and of their counterparts.
fn pair_alike(
    paired: Paired<'_>,
    shown: &[Shown; 2],
    side: usize,
    mismatches: &mut Vec<Mismatch>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (&group, numbers) in &shown[side].groups {
        let lonely: Vec<usize> = numbers
            .iter()
            .copied()
            .filter(|&number| shown[side].counterparts[number].is_none())
            .collect();
        if lonely.is_empty() {
            continue;
        }
        let search = Search::new(paired, &shown[1 - side], 1 - side, group);
        for number in lonely {
            let vertex = shown[side].list[number];
            let record = Record::of(paired, side, vertex);
            match search.best(&record) {
                Ok(counterpart) => pairs.push((number, counterpart)),
                Err(miss) => mismatches.push(Mismatch {
                    side,
                    group,
                    vertex,
                    kind: miss.kind,
                    nearest: miss.nearest.map(|number| shown[1 - side].list[number]),
                    apart: miss.apart,
                }),
            }
        }
    }
    pairs
}
