//! Vertices and influences in the order in which they are blended fastest, and the vertices that skinning can distinguish.

use std::collections::HashMap;

use super::weights;
use crate::rig::{Influence, Influences, Mesh, SkinningMethod, SkinningOptions};

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

/// A number for each vertex of a block.
type Lanes = [f32; BLOCK];

/// A vector for each vertex of a block, by coordinate.
pub(super) type Vectors = [Lanes; 3];

/// A matrix for each vertex of a block, columns one after the other.
pub(super) type Matrices = [[f32; 16]; BLOCK];

/// The same matrices by column and row, without the last row.
pub(super) type Columns = [Vectors; 3];

/// The vertices of a mesh without the duplicates that skinning cannot distinguish; a mesh has such vertices where
/// normals or texture coordinates differ. A vertex is compared only with the first one at its position, so some
/// duplicates may remain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arranged {
    /// The first vertex of each kind, in order.
    pub(super) vertices: Vec<u32>,
    /// For each vertex, the index of its kind in `vertices`.
    pub(super) kinds: Vec<u32>,
}

impl Arranged {
    /// Computes it for `mesh`.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let (vertices, kinds) = firsts(mesh);
        Self { vertices, kinds }
    }
}

/// The first vertex of each kind, in order, and for each vertex its kind.
fn firsts(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
    let count = mesh.positions.len();
    let mut at_position: HashMap<[u32; 3], u32> = HashMap::with_capacity(count);
    let (mut firsts, mut kinds) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut next = 0;
    for (vertex, position) in (0..).zip(&mesh.positions) {
        let kind = at_position.entry(position.to_array().map(f32::to_bits));
        let kind = *kind.or_insert(next);
        match firsts.get(kind as usize) {
            // Comparing with the first vertex at a position only keeps the time linear, at the price of some
            // duplicates.
            Some(first) if alike(mesh, *first, vertex) => kinds.push(kind),
            _ => {
                kinds.push(next);
                firsts.push(vertex);
                next += 1;
            }
        }
    }
    (firsts, kinds)
}

/// Whether everything that moves two vertices is equal to the bit.
fn alike(mesh: &Mesh, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    let weighted = |vertex: usize| mesh.influences.of(vertex).iter().copied().map(bits);
    let mut targets = mesh.morph_targets.iter();
    let share = |vertex| mesh.dual_quaternion_share(vertex, SkinningMethod::AsInFile);
    weighted(a).eq(weighted(b))
        && share(a).to_bits() == share(b).to_bits()
        && targets.all(|target| {
            let offset = |vertex: usize| {
                let offset = target.positions.get(vertex);
                offset.map(|offset| offset.to_array().map(f32::to_bits))
            };
            offset(a) == offset(b)
        })
}

fn bits(influence: Influence) -> (u32, u32) {
    (influence.slot.0, influence.weight.to_bits())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{MorphTarget, SkinSlot};

    /// Vertices at `positions`; the last one has a slot and an offset of its own.
    fn mesh(positions: &[f32], slot: u32, offset: f32) -> Mesh {
        let last = positions.len() - 1;
        let influence = |vertex: usize| Influence {
            slot: SkinSlot(if vertex == last { slot } else { 0 }),
            weight: 1.0,
        };
        let mut offsets = vec![Vec3::ZERO; positions.len()];
        offsets[last].x = offset;
        Mesh {
            positions: positions.iter().map(|x| Vec3::X * *x).collect(),
            influences: Influences::from_vertices((0..positions.len()).map(|v| [influence(v)])),
            morph_targets: vec![MorphTarget {
                positions: offsets,
                ..MorphTarget::default()
            }],
            ..Mesh::default()
        }
    }

    #[test]
    fn identical_vertices_are_skinned_once() {
        let arranged = Arranged::of(&mesh(&[1.0, 2.0, 1.0, 2.0], 0, 0.0));
        assert_eq!(arranged.vertices, [0, 1]);
        assert_eq!(arranged.kinds, [0, 1, 0, 1]);
    }

    #[test]
    fn weights_and_offsets_distinguish_vertices() {
        for (slot, offset) in [(1, 0.0), (0, 0.5), (0, -0.0)] {
            let arranged = Arranged::of(&mesh(&[1.0, 1.0, 2.0, 1.0], slot, offset));
            assert_eq!(arranged.vertices, [0, 2, 3]);
            assert_eq!(arranged.kinds, [0, 0, 1, 2]);
        }
    }

    #[test]
    fn zeros_of_either_sign_are_two() {
        assert_eq!(Arranged::of(&mesh(&[0.0, -0.0], 0, 0.0)).vertices, [0, 1]);
    }
}
