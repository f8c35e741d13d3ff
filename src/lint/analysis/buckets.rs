//! Groups values by small numbers, such as the index of a vertex, in linear time.

/// Values grouped by key; within a key, in their original order.
#[derive(Debug)]
pub(super) struct Buckets<T> {
    /// For key `k` the range `ends[k - 1]..ends[k]` of `values` (from 0 for the first).
    ends: Vec<usize>,
    values: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    /// Counts the values of each key first, so that each value is then written to its final position (a counting sort).
    ///
    /// * `keys` – their number; each key is less.
    /// * `pairs` – keys and values. Iterated twice.
    pub(super) fn of(keys: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut next = vec![0; keys];
        let mut count = 0;
        for (key, _) in pairs.clone() {
            next[key as usize] += 1;
            count += 1;
        }
        // Counts become the positions of each key's first value.
        let mut start = 0;
        for next in &mut next {
            start += std::mem::replace(next, start);
        }
        let mut values = vec![T::default(); count];
        // Each write advances the key's position, which finally is the end of the key's values.
        for (key, value) in pairs {
            let position = &mut next[key as usize];
            values[*position] = value;
            *position += 1;
        }
        Self { ends: next, values }
    }

    /// The values of each key, empty if it has none, in the order of the keys.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let (mut start, mut rest) = (0, self.values.as_mut_slice());
        self.ends.iter().map(move |end| {
            let (bucket, after) = std::mem::take(&mut rest).split_at_mut(end - start);
            (start, rest) = (*end, after);
            bucket
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_key_stay_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd')];
        let mut buckets = Buckets::of(4, pairs.into_iter());
        let buckets: Vec<&mut [char]> = buckets.iter_mut().collect();
        assert_eq!(buckets, [&['b', 'd'][..], &[], &['a', 'c'], &[]]);
    }
}
