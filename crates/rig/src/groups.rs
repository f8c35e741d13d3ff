//! Disjoint sets: which numbered things hang together.

/// Things that are joined pairwise.
pub struct Groups {
    /// An earlier member of the same group; the first member is its own.
    parents: Vec<u32>,
}

impl Groups {
    /// Each of `count` things in a group of its own.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` of them, which no memory limit allows.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let count = u32::try_from(count).expect("memory limits allow fewer");
        Self {
            parents: (0..count).collect(),
        }
    }

    /// The first member of a thing's group.
    pub fn of(&mut self, thing: usize) -> u32 {
        let mut thing = thing;
        loop {
            let parent = self.parents[thing];
            if parent as usize == thing {
                return parent;
            }
            // Halves the path, so that later searches are short.
            let above = self.parents[parent as usize];
            self.parents[thing] = above;
            thing = above as usize;
        }
    }

    /// Joins the groups of two things.
    pub fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [self.of(a), self.of(b)];
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
