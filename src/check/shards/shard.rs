//! The part of a run assigned to this process, and how a run is split into such parts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// One of several parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: usize,
    /// The number of shards; larger than `index`.
    pub count: NonZeroUsize,
}

/// Why a text is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// It is not of the form `M/N`.
    #[error("expected M/N with M from 1 to N, such as 3/16")]
    Malformed,
    /// No CI engine states the shard.
    #[error(
        "no CI engine states which shard this is: neither CI_NODE_INDEX and CI_NODE_TOTAL (GitLab) nor JOB_COMPLETION_INDEX \
         (Kubernetes) is set"
    )]
    NoEngine,
    /// The CI engine states the index of the shard but not the number of shards.
    #[error(
        "JOB_COMPLETION_INDEX is set, but Kubernetes does not state the number of shards; use --shard auto/N"
    )]
    NoCount,
    /// The CI engine states an invalid shard.
    #[error("{index}={given_index} of {given_count} is not a shard")]
    Wrong {
        /// The variable of the index.
        index: &'static str,
        /// Its value.
        given_index: String,
        /// The stated number of shards.
        given_count: String,
    },
}

/// The environment variables of an engine: the index, the first index, and the number of shards.
const ENGINES: [(&str, usize, Option<&str>); 2] = [
    ("CI_NODE_INDEX", 1, Some("CI_NODE_TOTAL")),
    ("JOB_COMPLETION_INDEX", 0, None),
];

impl Shard {
    /// The only shard.
    pub const WHOLE: Self = Self {
        index: 0,
        count: NonZeroUsize::MIN,
    };

    /// Reads the shard from the CI environment. GitLab comes before Kubernetes.
    ///
    /// * `count` – the number of shards, if the engine does not state it.
    /// * `variable` – looks up an environment variable.
    ///
    /// # Errors
    ///
    /// [`ShardError`]: no engine states a shard, or an invalid one.
    ///
    /// # Reference
    ///
    /// GitLab, "Predefined CI/CD variables"; Kubernetes, "Indexed Job".
    pub fn from_engine(
        count: Option<NonZeroUsize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ShardError> {
        let known = ENGINES.into_iter().find_map(|(index, first, total)| {
            let given = variable(index).filter(|value| !value.is_empty())?;
            Some((index, given, first, total))
        });
        let (index, given_index, first, total) = known.ok_or(ShardError::NoEngine)?;
        let given_count = count
            .map(|count| count.to_string())
            .or_else(|| variable(total?))
            .ok_or(ShardError::NoCount)?;
        let parsed = given_index
            .parse::<usize>()
            .ok()
            .zip(given_count.parse().ok());
        let shard = parsed.and_then(|(number, count)| Self::new(number.checked_sub(first)?, count));
        shard.ok_or(ShardError::Wrong {
            index,
            given_index,
            given_count,
        })
    }

    /// `None` if there is no such shard.
    ///
    /// * `index` – from 0.
    #[must_use]
    pub fn new(index: usize, count: NonZeroUsize) -> Option<Self> {
        (index < count.get()).then_some(Self { index, count })
    }

    /// The number of the shard, from 1.
    #[must_use]
    pub fn number(self) -> usize {
        self.index + 1
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    /// Parses `M/N`, with M from 1.
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text.split_once('/').and_then(|(number, count)| {
            let number: usize = number.parse().ok()?;
            Self::new(number.checked_sub(1)?, count.parse().ok()?)
        });
        parsed.ok_or(ShardError::Malformed)
    }
}

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

    fn shard(index: usize, count: usize) -> Shard {
        let count = NonZeroUsize::new(count).expect("it is not 0");
        Shard { index, count }
    }

    #[test]
    fn people_count_from_one() {
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        assert_eq!("3/16".parse(), Ok(shard(2, 16)));
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", ""] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Malformed), "{text}");
        }
    }

    #[test]
    fn each_engine_is_understood() {
        let found = |set: &[(&str, &str)], count| {
            let get = |name: &str| {
                let known = set.iter().find(|(known, _)| *known == name);
                known.map(|(_, value)| (*value).to_owned())
            };
            Shard::from_engine(NonZeroUsize::new(count), get)
        };
        let gitlab = [("CI_NODE_INDEX", "4"), ("CI_NODE_TOTAL", "4")];
        assert_eq!(found(&gitlab, 0), Ok(shard(3, 4)));
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(found(&kubernetes, 16), Ok(shard(0, 16)));
        assert_eq!(found(&kubernetes, 0), Err(ShardError::NoCount));
        assert_eq!(found(&[], 16), Err(ShardError::NoEngine));
        let past = [("JOB_COMPLETION_INDEX", "16")];
        assert!(matches!(found(&past, 16), Err(ShardError::Wrong { .. })));
        let zero = [("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")];
        assert!(matches!(found(&zero, 0), Err(ShardError::Wrong { .. })));
    }

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
