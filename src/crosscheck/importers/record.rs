//! The content of a vertex.

use std::collections::BTreeMap;

use glam::Vec3;

use super::matching::{Key, Matching};
use super::morphs::MorphOrder;
use super::shown::Vertex;
use crate::rig::{Asset, MeshInstance, MorphTarget};

/// The correspondences between both importers.
#[derive(Clone, Copy)]
pub(super) struct Paired<'a> {
    pub(super) matching: &'a Matching<'a>,
    pub(super) morphs: &'a MorphOrder,
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
            morphs: morphs.sorted(side, matching.key(side, instance.node), &offsets),
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
pub(super) struct Bits {
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
        let joint = skin.joints.get(influence.joint.index());
        let Some(&joint) = joint.filter(|_| influence.weight != 0.0) else {
            continue;
        };
        *sums.entry(matching.key(side, joint)).or_default() += f64::from(influence.weight);
    }
    sums.into_iter().collect()
}
