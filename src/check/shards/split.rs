//! Splits a run into shards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;

use super::shard::Shard;

impl Shard {
    /// The items of this shard, in order, if all items are [`split`] by their weights.
    ///
    /// * `weights` – one per item, such as bytes; see also [`Shard::part_by_bytes`].
    #[must_use]
    pub fn part<T>(self, items: Vec<T>, weights: &[u64]) -> Vec<T> {
        let shards = split(weights, self.count);
        let items = items.into_iter().zip(shards);
        let own = items.filter(|(_, shard)| *shard == self.index);
        own.map(|(item, _)| item).collect()
    }

    /// The same with the sizes of files as weights.
    ///
    /// * `bytes` – the size of each item's files.
    #[must_use]
    pub fn part_by_bytes<T>(self, items: Vec<T>, bytes: impl Fn(&T) -> u64) -> Vec<T> {
        let weights: Vec<u64> = items.iter().map(|item| weight(bytes(item))).collect();
        self.part(items, &weights)
    }
}

/// Assigns each item to a shard so that all shards take about the same time. The heaviest item comes first, and each
/// goes to the shard with the least work so far. The longest shard takes at most a third longer than in the best split.
///
/// The same weights give the same split on every machine.
///
/// # Reference
///
/// Graham 1969, "Bounds on multiprocessing timing anomalies", longest processing time first.
///
/// # Panics
///
/// Never: there is at least one shard.
#[must_use]
pub fn split(weights: &[u64], shards: NonZeroUsize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|index| (Reverse(weights[*index]), *index));
    let mut loads: BinaryHeap<Reverse<(u64, usize)>> =
        (0..shards.get()).map(|shard| Reverse((0, shard))).collect();
    let mut of_items = vec![0; weights.len()];
    for index in order {
        let mut least = loads.peek_mut().expect("there is at least one shard");
        let Reverse((load, shard)) = *least;
        of_items[index] = shard;
        // Items without weight are distributed, too.
        *least = Reverse((load.saturating_add(weights[index].max(1)), shard));
    }
    of_items
}

/// The weight of a file of that many bytes. It depends on nothing else, so that shards that start at different times
/// split alike.
pub(in crate::check) fn weight(bytes: u64) -> u64 {
    // The fixed cost of a file, in bytes.
    const BASE: u64 = 1 << 16;
    bytes.saturating_add(BASE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn loads(weights: &[u64], shards: usize) -> Vec<u64> {
        let mut loads = vec![0; shards];
        let count = NonZeroUsize::new(shards).expect("it is not 0");
        for (shard, weight) in split(weights, count).into_iter().zip(weights) {
            loads[shard] += weight;
        }
        loads
    }

    #[test]
    fn shards_end_together() {
        assert_eq!(loads(&[8, 1, 1, 1, 1, 4], 2), [8, 8]);
        assert_eq!(loads(&[5], 3), [5, 0, 0]);
        let empty = split(&[0, 0, 0, 0], NonZeroUsize::new(2).expect("it is not 0"));
        assert_eq!(empty, [0, 1, 0, 1]);
    }

    #[test]
    fn the_parts_of_a_run_have_every_item_once() {
        let count = NonZeroUsize::new(3).expect("it is not 0");
        let items: Vec<u64> = (0..20).collect();
        let parts = (0..3).map(|index| {
            let part = Shard { index, count }.part_by_bytes(items.clone(), |size| size << 20);
            assert!(part.is_sorted());
            part
        });
        let mut all: Vec<u64> = parts.flatten().collect();
        all.sort_unstable();
        assert_eq!(all, items);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_shard_exceeds_the_mean_by_more_than_the_heaviest_item(
            weights in prop::collection::vec(1_u64..1000, 1..200),
            shards in 1_usize..20,
        ) {
            let heaviest = weights.iter().max().copied().unwrap_or(0);
            let mean = weights.iter().sum::<u64>() / shards as u64;
            for load in loads(&weights, shards) {
                prop_assert!(load <= mean + heaviest);
            }
        }
    }
}
