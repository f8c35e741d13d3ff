//! The source of all random choices. Two numbers reproduce a case.

/// SplitMix64 (Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one case of a run.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut random = Self(seed);
        Self(random.next() ^ case.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below `limit`; 0 for a limit of 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("a usize has at most 64 bits");
        let number = self.next().checked_rem(limit).unwrap_or(0);
        usize::try_from(number).expect("it is below a usize")
    }

    /// True once in `of` times on average.
    pub(crate) fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
