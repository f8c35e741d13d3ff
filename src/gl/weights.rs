//! Converts the file's weights to the influences that shaders blend.

use crate::rig::{Influence, Mesh, SkinningOptions, WeightPolicy};

/// A sum of weights below this fraction of the sum of their magnitudes has cancelled and is meaningless.
const CANCELLED: f64 = 1.0 / 1024.0;

/// The influences of all vertices, as shaders read them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PackedInfluences {
    /// First influence and number of influences of each vertex; none for a vertex that follows its mesh's node.
    pub(super) ranges: Vec<[u32; 2]>,
    /// Palette slot and weight (as bits).
    pub(super) influences: Vec<[u32; 2]>,
}

/// Packs the weights of `mesh` according to `options`.
pub(super) fn pack(mesh: &Mesh, options: SkinningOptions) -> PackedInfluences {
    let mut packed = PackedInfluences::default();
    for vertex in 0..mesh.positions.len() {
        let first = packed.influences.len();
        packed.add(mesh.influences.of(vertex), options);
        let count = packed.influences.len() - first;
        packed.ranges.push([first, count].map(number));
    }
    packed
}

impl PackedInfluences {
    fn add(&mut self, all: &[Influence], options: SkinningOptions) {
        let mut kept = all.to_vec();
        if let Some(limit) = options.max_influences {
            keep_largest(&mut kept, limit.get() as usize);
        }
        let Some(factor) = factor(all, &kept, options.weights) else {
            return;
        };
        let scaled = kept.iter().map(|influence| {
            #[expect(clippy::cast_possible_truncation, reason = "shaders compute in f32")]
            let weight = (f64::from(influence.weight) * factor) as f32;
            [influence.joint.0, weight.to_bits()]
        });
        self.influences.extend(scaled);
    }
}

/// Drops the smallest until `limit` are left, the last of equal ones first. The others keep their order.
pub(super) fn keep_largest(influences: &mut Vec<Influence>, limit: usize) {
    let excess = influences.len().saturating_sub(limit);
    let mut ranked: Vec<usize> = (0..influences.len()).collect();
    // Least first, and of equals the later first.
    ranked.sort_by(|&a, &b| {
        let by_weight = influences[a].weight.total_cmp(&influences[b].weight);
        by_weight.then(b.cmp(&a))
    });
    let mut dropped = vec![false; influences.len()];
    for &index in &ranked[..excess] {
        dropped[index] = true;
    }
    let mut index = 0;
    influences.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
}

/// What the kept weights are multiplied with; `None` if they do not move the vertex.
fn factor(all: &[Influence], kept: &[Influence], policy: WeightPolicy) -> Option<f64> {
    let usable = usable(kept);
    match policy {
        WeightPolicy::Normalize => usable.map(|sum| 1.0 / sum),
        WeightPolicy::AsIs if all.iter().all(|influence| influence.weight == 0.0) => None,
        WeightPolicy::AsIs if kept.len() == all.len() => Some(1.0),
        WeightPolicy::AsIs => Some(usable.map_or(1.0, |kept| sum(all) / kept)),
    }
}

/// The sum, if it can be divided by.
fn usable(influences: &[Influence]) -> Option<f64> {
    let total = sum(influences);
    let weights = influences
        .iter()
        .map(|influence| f64::from(influence.weight));
    let magnitude: f64 = weights.map(f64::abs).sum();
    (total.is_finite() && total.abs() > CANCELLED * magnitude).then_some(total)
}

fn sum(influences: &[Influence]) -> f64 {
    let weights = influences
        .iter()
        .map(|influence| f64::from(influence.weight));
    weights.sum()
}

/// Influences of an asset are fewer than 2^32.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use glam::Vec3;

    use super::*;
    use crate::rig::{Influences, JointId};

    const NORMALIZE: WeightPolicy = WeightPolicy::Normalize;
    const AS_IS: WeightPolicy = WeightPolicy::AsIs;

    /// The result for weights on slots 0, 1, 2, …
    fn of(weights: &[f32], policy: WeightPolicy, limit: u32) -> Vec<(u32, f32)> {
        let influences = (0..).zip(weights).map(|(slot, &weight)| Influence {
            joint: JointId(slot),
            weight,
        });
        let mesh = Mesh {
            positions: vec![Vec3::ZERO],
            influences: Influences::from_vertices([influences.collect::<Vec<_>>()]),
            ..Mesh::default()
        };
        let options = SkinningOptions {
            weights: policy,
            max_influences: NonZeroU32::new(limit),
        };
        let packed = pack(&mesh, options);
        assert_eq!(packed.ranges, [[0, number(packed.influences.len())]]);
        let pair = |&[slot, bits]: &[u32; 2]| (slot, f32::from_bits(bits));
        packed.influences.iter().map(pair).collect()
    }

    #[test]
    fn weights_are_normalized_or_left_alone() {
        assert_eq!(of(&[1.0, 3.0], NORMALIZE, 0), [(0, 0.25), (1, 0.75)]);
        assert_eq!(of(&[1.0, 3.0], AS_IS, 0), [(0, 1.0), (1, 3.0)]);
        assert_eq!(
            of(&[f32::MAX, f32::MAX], NORMALIZE, 0),
            [(0, 0.5), (1, 0.5)]
        );
    }

    #[test]
    fn the_largest_are_kept_and_of_equal_ones_the_earlier() {
        assert_eq!(
            of(&[0.125, 0.5, 0.25, 1.5], NORMALIZE, 2),
            [(1, 0.25), (3, 0.75)]
        );
        assert_eq!(
            of(&[0.5, 1.0, 0.5, 0.5], NORMALIZE, 3),
            [(0, 0.25), (1, 0.5), (2, 0.25)]
        );
        assert_eq!(
            of(&[0.5, 0.25, 0.25], AS_IS, 2),
            [(0, 2.0 / 3.0), (1, 1.0 / 3.0)]
        );
    }

    #[test]
    fn weights_that_cannot_be_normalized_move_nothing() {
        for bad in [
            [1.0, -1.0],
            [f32::NAN, 1.0],
            [f32::INFINITY, 1.0],
            [0.0, 0.0],
        ] {
            assert_eq!(of(&bad, NORMALIZE, 0), []);
        }
        assert_eq!(of(&[0.0, 0.0], AS_IS, 1), []);
        assert_eq!(of(&[1.0, -1.0], AS_IS, 0), [(0, 1.0), (1, -1.0)]);
    }
}
