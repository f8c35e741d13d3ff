//! Prepares the file's weights for blending, for every path except the f64 reference.

use crate::rig::{Influence, Influences, SkinningOptions, WeightPolicy, largest};

/// A sum of weights that is this much smaller than the sum of their magnitudes has cancelled. Dividing by it would
/// magnify rounding (2^-24 in each weight) to a part in 2^14 and more.
pub(super) const CANCELLED: f64 = 1.0 / 1024.0;

/// The blended influences, one list per vertex. A vertex with an empty list moves with its mesh's node.
#[must_use]
pub fn effective(influences: &Influences, options: SkinningOptions) -> Influences {
    let vertices = influences.iter();
    Influences::from_vertices(vertices.map(|vertex| of_vertex(vertex, options)))
}

/// The influences that skinning blends for one vertex, in the file's order. A vertex without any follows its mesh's
/// node.
#[doc(hidden)]
pub fn of_vertex(
    influences: &[Influence],
    options: SkinningOptions,
) -> impl Iterator<Item = Influence> {
    let kept = largest(influences, options.max_influences);
    let factor = match options.weights {
        WeightPolicy::Normalize => usable_sum(&kept).map(|sum| 1.0 / sum),
        WeightPolicy::AsIs => as_is_factor(influences, &kept),
    };
    let count = factor.map_or(0, |_| kept.len());
    let factor = factor.unwrap_or_default();
    (0..count).map(move |index| Influence {
        weight: scaled(kept[index].weight, factor),
        ..kept[index]
    })
}

/// The factor that makes up for weights that were cut, or 1; `None` for a vertex without any weight.
fn as_is_factor(all: &[Influence], kept: &[Influence]) -> Option<f64> {
    if all.iter().all(|influence| influence.weight == 0.0) {
        return None;
    }
    if kept.len() == all.len() {
        return Some(1.0);
    }
    Some(usable_sum(kept).map_or(1.0, |sum| sum_of(all) / sum))
}

/// The sum, unless it is 0, cancelled or not finite.
fn usable_sum(influences: &[Influence]) -> Option<f64> {
    let sum = sum_of(influences);
    let magnitudes: f64 = influences.iter().map(|i| f64::from(i.weight).abs()).sum();
    (sum.is_finite() && sum.abs() > CANCELLED * magnitudes).then_some(sum)
}

/// Summed in f64, so that the number and the order of weights make no difference that an f32 can show.
fn sum_of(influences: &[Influence]) -> f64 {
    influences.iter().map(|i| f64::from(i.weight)).sum()
}

#[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32")]
fn scaled(weight: f32, factor: f64) -> f32 {
    (f64::from(weight) * factor) as f32
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::rig::SkinSlot;

    const NORMALIZE: WeightPolicy = WeightPolicy::Normalize;
    const AS_IS: WeightPolicy = WeightPolicy::AsIs;

    /// The influences that weights on slots 0, 1, 2, … become.
    fn of(weights: &[f32], policy: WeightPolicy, limit: u32) -> Vec<(u32, f32)> {
        let influences = (0..).zip(weights).map(|(slot, &weight)| Influence {
            slot: SkinSlot(slot),
            weight,
        });
        let options = SkinningOptions {
            weights: policy,
            max_influences: NonZeroU32::new(limit),
            ..SkinningOptions::default()
        };
        let packed = Influences::from_vertices([influences.collect::<Vec<_>>()]);
        let effective = effective(&packed, options);
        effective
            .of(0)
            .iter()
            .map(|influence| (influence.slot.0, influence.weight))
            .collect()
    }

    #[test]
    fn weights_are_divided_by_their_sum() {
        assert_eq!(
            of(&[1.0, 2.0, 1.0], NORMALIZE, 0),
            [(0, 0.25), (1, 0.5), (2, 0.25)]
        );
        assert_eq!(of(&[1e-30], NORMALIZE, 0), [(0, 1.0)]);
    }

    #[test]
    fn weights_as_they_are_stay_so() {
        assert_eq!(
            of(&[1.0, 2.0, 0.0], AS_IS, 0),
            [(0, 1.0), (1, 2.0), (2, 0.0)]
        );
        assert_eq!(of(&[1.0, -1.0], AS_IS, 0), [(0, 1.0), (1, -1.0)]);
    }

    #[test]
    fn the_largest_are_kept_in_the_order_of_the_file() {
        assert_eq!(
            of(&[0.125, 0.5, 0.25, 1.5], NORMALIZE, 2),
            [(1, 0.25), (3, 0.75)]
        );
    }

    #[test]
    fn of_equal_weights_the_earlier_are_kept() {
        assert_eq!(
            of(&[0.5, 1.0, 0.5, 0.5], NORMALIZE, 3),
            [(0, 0.25), (1, 0.5), (2, 0.25)]
        );
    }

    #[test]
    fn a_cut_of_weights_as_they_are_keeps_their_sum() {
        assert_eq!(
            of(&[0.5, 0.25, 0.25], AS_IS, 2),
            [(0, 2.0 / 3.0), (1, 1.0 / 3.0)]
        );
        assert_eq!(of(&[0.5, 1.0], AS_IS, 2), [(0, 0.5), (1, 1.0)]);
    }

    #[test]
    fn a_vertex_without_weight_keeps_to_its_node() {
        for policy in [NORMALIZE, AS_IS] {
            assert_eq!(of(&[], policy, 0), []);
            assert_eq!(of(&[0.0, 0.0], policy, 0), []);
            assert_eq!(of(&[0.0, 0.0], policy, 1), []);
        }
    }

    #[test]
    fn weights_that_cannot_be_normalized_are_not_a_weight() {
        for bad in [
            [1.0, -1.0],
            [f32::NAN, 1.0],
            [f32::INFINITY, 1.0],
            [1.0, -0.9999],
        ] {
            assert_eq!(of(&bad, NORMALIZE, 0), []);
        }
    }

    #[test]
    fn the_largest_floats_do_not_overflow() {
        assert_eq!(
            of(&[f32::MAX, f32::MAX], NORMALIZE, 0),
            [(0, 0.5), (1, 0.5)]
        );
    }
}
