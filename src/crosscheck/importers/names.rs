//! Pairs parts of two models by name.

use std::collections::{BTreeMap, VecDeque};

/// What has the same name in both models, and what is left of each.
pub(super) struct ByName<T> {
    pub(super) pairs: Vec<[T; 2]>,
    pub(super) left: [Vec<T>; 2],
}

/// Pairs items of the same name, in order among equal names.
///
/// * `name` – of an item of one side; `None` if it has none.
pub(super) fn pair_by_name<'n, T: Copy>(
    [a, b]: [&[T]; 2],
    name: impl Fn(usize, T) -> Option<&'n str>,
) -> ByName<T> {
    let mut named: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (index, &item) in b.iter().enumerate() {
        if let Some(name) = name(1, item) {
            named.entry(name).or_default().push_back(index);
        }
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    let mut is_left = vec![true; b.len()];
    for &item in a {
        let same = name(0, item).and_then(|name| named.get_mut(name)?.pop_front());
        match same {
            Some(index) => {
                is_left[index] = false;
                pairs.push([item, b[index]]);
            }
            None => left.push(item),
        }
    }
    let others = b.iter().zip(is_left).filter(|(_, is_left)| *is_left);
    ByName {
        pairs,
        left: [left, others.map(|(item, _)| *item).collect()],
    }
}
