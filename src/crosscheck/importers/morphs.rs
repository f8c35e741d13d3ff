//! Matches the morph targets of two importers.

use std::collections::BTreeMap;

use super::matching::{Key, Matching};
use crate::diff::apart;
use crate::rig::MorphTarget;

/// For each joint that shows a mesh with targets, the second importer's index of each of the first one's targets.
pub(super) struct MorphOrder(BTreeMap<Key, Vec<usize>>);

impl MorphOrder {
    /// Matches by name if that is unambiguous; one importer may append a dot and a suffix. Else by index.
    pub(super) fn new(matching: &Matching<'_>) -> Self {
        let [a, b] = [0, 1].map(|side| targets(matching, side));
        let orders = a.into_iter().filter_map(|(key, first)| {
            let order = order(first, b.get(&key)?)?;
            Some((key, order))
        });
        Self(orders.collect())
    }

    /// `of_targets`, one value per target by importer `side`, in the first importer's order.
    pub(super) fn sorted<T: Copy>(&self, side: usize, key: Key, of_targets: &[T]) -> Vec<T> {
        match self.0.get(&key) {
            Some(order) if side == 1 && order.len() == of_targets.len() => {
                order.iter().map(|&number| of_targets[number]).collect()
            }
            _ => of_targets.to_vec(),
        }
    }

    /// The morph weights of the first mesh with targets that each joint shows, in the first importer's order.
    ///
    /// * `of_instances` – one list per instance of importer `side`.
    pub(super) fn weights(
        &self,
        matching: &Matching<'_>,
        side: usize,
        of_instances: &[Vec<f32>],
    ) -> BTreeMap<Key, Vec<f32>> {
        let mut weights = BTreeMap::new();
        let instances = &matching.trees[side].asset.instances;
        for (instance, list) in instances.iter().zip(of_instances) {
            if !list.is_empty() {
                let key = matching.key(side, instance.node);
                let sorted = || self.sorted(side, key, list);
                weights.entry(key).or_insert_with(sorted);
            }
        }
        weights
    }
}

/// The largest difference; infinite if only one is finite.
pub(super) fn weights_apart(a: &[f32], b: &[f32]) -> f64 {
    let apart = |(a, b): (&f32, &f32)| apart::numbers(f64::from(*a), f64::from(*b));
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

fn targets<'a>(matching: &Matching<'a>, side: usize) -> BTreeMap<Key, &'a [MorphTarget]> {
    let asset = matching.trees[side].asset;
    let mut targets: BTreeMap<Key, &[MorphTarget]> = BTreeMap::new();
    for instance in &asset.instances {
        let list = asset.mesh_of(instance).morph_targets.as_slice();
        if !list.is_empty() {
            targets
                .entry(matching.key(side, instance.node))
                .or_insert(list);
        }
    }
    targets
}

/// `None` where a name has no partner, or several.
fn order(a: &[MorphTarget], b: &[MorphTarget]) -> Option<Vec<usize>> {
    let mut taken = vec![false; b.len()];
    let mut order = Vec::with_capacity(a.len());
    for target in a {
        let mut same = (0..b.len()).filter(|&number| is_same(&target.name, &b[number].name));
        let (Some(number), None) = (same.next(), same.next()) else {
            return None;
        };
        if std::mem::replace(&mut taken[number], true) {
            return None;
        }
        order.push(number);
    }
    (order.len() == b.len()).then_some(order)
}

fn is_same(a: &str, b: &str) -> bool {
    let extended = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    !a.is_empty() && (a == b || extended(a, b) || extended(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(a: &[&str], b: &[&str]) -> Option<Vec<usize>> {
        let [a, b] = [a, b].map(|names| -> Vec<MorphTarget> {
            let target = |name: &&str| MorphTarget {
                name: (*name).to_owned(),
                ..MorphTarget::default()
            };
            names.iter().map(target).collect()
        });
        order(&a, &b)
    }

    #[test]
    fn targets_go_by_name_where_that_leaves_no_doubt() {
        assert_eq!(
            order_of(&["Left", "Right"], &["Right.Right", "Left.Left"]),
            Some(vec![1, 0])
        );
        assert_eq!(order_of(&["a", "a"], &["a", "a"]), None);
        assert_eq!(order_of(&["", ""], &["", ""]), None);
        assert_eq!(order_of(&["Left"], &["Leftover"]), None);
        assert_eq!(order_of(&["a"], &["a", "b"]), None);
    }
}
