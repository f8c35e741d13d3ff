//! Influences in the order in which they are blended fastest.
//!
//! A loop over a vertex's influences ends unpredictably after one, two, three or four, and a mispredicted branch costs
//! more than an influence. So the vertices of a block are sorted into buckets by their number of influences, and each
//! bucket has its own loop without that branch.

use super::weights;
use crate::rig::{Influence, Influences, SkinningOptions};

/// The vertices of a block. Their intermediate results stay in the first-level cache.
pub(super) const BLOCK: usize = 64;

/// The vertices that a thread takes at a time; fewer are not worth a second thread.
pub(super) const CHUNK: usize = 4096;

/// The largest number of influences with a bucket of its own.
pub(super) const BUCKETS: usize = 4;

/// The influences of a list of vertices, ready to be blended.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Packed {
    /// Chunks of [`CHUNK`] vertices each.
    chunks: Vec<Chunk>,
}

/// The influences of some blocks.
#[derive(Debug, Default, PartialEq)]
struct Chunk {
    blocks: Vec<Layout>,
    /// The influences, one block after the other, bucket by bucket.
    influences: Vec<Influence>,
    /// The counts of influences in the last bucket, one block after the other, one entry per vertex.
    counts: Vec<usize>,
}

/// The order of the vertices of a block.
#[derive(Debug, PartialEq)]
struct Layout {
    /// The vertices of the block, as offsets from its first, sorted by their number of influences.
    lanes: [u8; BLOCK],
    /// Where the buckets of 0, 1, 2, 3, 4 and more influences end in `lanes`.
    ends: [u8; BUCKETS + 2],
    /// Where the block begins in `influences` and in `counts`.
    influences: usize,
    counts: usize,
}

/// The influences of the vertices of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    lanes: &'a [u8; BLOCK],
    ends: &'a [u8; BUCKETS + 2],
    /// Bucket by bucket.
    pub(super) influences: &'a [Influence],
    /// The counts of the vertices of the last bucket.
    pub(super) counts: &'a [usize],
}

impl Packed {
    /// Packs the influences that skinning blends, of `count` vertices.
    ///
    /// * `vertex` – the index in the mesh of each.
    pub(super) fn of(
        influences: &Influences,
        options: SkinningOptions,
        count: usize,
        vertex: impl Fn(usize) -> usize,
    ) -> Self {
        let chunk = |chunk: usize| {
            let start = chunk * CHUNK;
            let vertices = (start..count.min(start + CHUNK)).map(&vertex);
            Chunk::of(vertices.map(|vertex| weights::of_vertex(influences.of(vertex), options)))
        };
        // On this thread. Callers wait inside a lock for the packed influences; a work-stealing pool could run such a
        // caller here and deadlock.
        Self {
            chunks: (0..count.div_ceil(CHUNK)).map(chunk).collect(),
        }
    }

    /// The block that begins with vertex `start`, a multiple of [`BLOCK`].
    pub(super) fn block(&self, start: usize) -> Block<'_> {
        let chunk = &self.chunks[start / CHUNK];
        let layout = &chunk.blocks[start % CHUNK / BLOCK];
        Block {
            lanes: &layout.lanes,
            ends: &layout.ends,
            influences: &chunk.influences[layout.influences..],
            counts: &chunk.counts[layout.counts..],
        }
    }
}

impl<'a> Block<'a> {
    /// The vertices with `count` influences; beyond [`BUCKETS`], those with more than [`BUCKETS`].
    pub(super) fn bucket(&self, count: usize) -> &'a [u8] {
        let start = if count == 0 { 0 } else { self.ends[count - 1] };
        &self.lanes[usize::from(start)..usize::from(self.ends[count])]
    }
}

impl Chunk {
    fn of(mut vertices: impl Iterator<Item = impl Iterator<Item = Influence>>) -> Self {
        let mut chunk = Self::default();
        let (mut all, mut ends) = (Vec::new(), Vec::with_capacity(BLOCK));
        loop {
            all.clear();
            ends.clear();
            for influences in vertices.by_ref().take(BLOCK) {
                all.extend(influences);
                ends.push(all.len());
            }
            if ends.is_empty() {
                return chunk;
            }
            chunk.add(&all, &ends);
        }
    }

    /// Adds a block.
    ///
    /// * `ends` – for each vertex, where its influences end in `all`.
    fn add(&mut self, all: &[Influence], ends: &[usize]) {
        let start = |lane: usize| if lane == 0 { 0 } else { ends[lane - 1] };
        let bucket = |lane: usize| (ends[lane] - start(lane)).min(BUCKETS + 1);
        let mut layout = Layout {
            lanes: [0; BLOCK],
            ends: [0; BUCKETS + 2],
            influences: self.influences.len(),
            counts: self.counts.len(),
        };
        for lane in 0..ends.len() {
            // A counting sort: each vertex advances the ends of its own bucket and of all later ones.
            let buckets = layout.ends.iter_mut().skip(bucket(lane));
            buckets.for_each(|end| *end += 1);
        }
        // Backwards, so that each bucket fills from its end and keeps the order of its vertices.
        let mut next = layout.ends;
        for number in (0..=u8::MAX).take(ends.len()).rev() {
            let next = &mut next[bucket(usize::from(number))];
            *next -= 1;
            layout.lanes[usize::from(*next)] = number;
        }
        for lane in layout.lanes[..ends.len()]
            .iter()
            .map(|lane| usize::from(*lane))
        {
            let own = &all[start(lane)..ends[lane]];
            self.influences.extend_from_slice(own);
            if own.len() > BUCKETS {
                self.counts.push(own.len());
            }
        }
        self.blocks.push(layout);
    }
}
