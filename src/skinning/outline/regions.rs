//! Vertices that lie close together and follow the same joints.

use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::rig::{Influence, Mesh, SkinSlot, SkinningOptions};
use crate::skinning::posed::largest_slot;
use crate::skinning::weights;

/// The number of vertices in a fine region: so few that a box around a stretch of a ring of vertices is hardly larger
/// than it.
const VERTICES: usize = 16;

/// The number of fine regions in a coarse one.
const REGIONS: usize = 32;

/// A vertex with more influences is not bounded. No production rig has so many.
const MOST_INFLUENCES: usize = 64;

/// Stands for a slot: the mesh's own node.
pub(super) const NODE: u32 = u32::MAX;

/// The influence of the node on a vertex that follows it.
const BY_NODE: Influence = Influence {
    slot: SkinSlot(NODE),
    weight: 1.0,
};

/// Vertices that lie close together.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// A range of the ordered vertices, or of a coarse region's fine regions.
    pub(super) parts: Range<usize>,
    /// The least and the largest sum of a vertex's weights.
    pub(super) weights: [f64; 2],
    /// The largest number of influences of a vertex.
    pub(super) influences: u16,
    /// Whether the bound applies: all numbers are finite, no weight is negative, influences are few enough to count,
    /// and no slot moves a vertex twice.
    pub(super) is_bounded: bool,
    /// The box around the vertices, in mesh space.
    low: Vec3,
    high: Vec3,
    /// A range of the listed slots: those that move a vertex.
    slots: Range<usize>,
}

impl Region {
    /// Empty, for parts to be added to.
    fn new(parts: Range<usize>) -> Self {
        Self {
            parts,
            weights: [f64::INFINITY, f64::NEG_INFINITY],
            influences: 0,
            is_bounded: true,
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
            slots: 0..0,
        }
    }

    /// The centre of the box, and half of its size.
    pub(super) fn extent(&self) -> (DVec3, DVec3) {
        let (low, high) = (self.low.as_dvec3(), self.high.as_dvec3());
        (0.5 * (low + high), 0.5 * (high - low))
    }

    /// The region with a box of no size: a wrong bound.
    #[cfg(test)]
    pub(super) fn shrunk(&self) -> Self {
        Self {
            high: self.low,
            ..self.clone()
        }
    }

    fn add(&mut self, point: Vec3, influences: &[Influence]) {
        let count = u16::try_from(influences.len());
        let sound = |influence: &Influence| influence.weight >= 0.0;
        let sum: f64 = influences.iter().map(|i| f64::from(i.weight)).sum();
        self.unite(&Self {
            weights: [sum; 2],
            influences: count.unwrap_or_default(),
            is_bounded: count.is_ok()
                && point.is_finite()
                && sum.is_finite()
                && influences.iter().all(sound)
                && !has_twins(influences),
            low: point,
            high: point,
            ..Self::new(0..0)
        });
    }

    fn unite(&mut self, other: &Self) {
        let ([least, most], [other_least, other_most]) = (self.weights, other.weights);
        self.weights = [least.min(other_least), most.max(other_most)];
        self.influences = self.influences.max(other.influences);
        self.is_bounded &= other.is_bounded;
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
    }
}

/// The regions of a mesh, in two levels.
#[derive(Debug)]
pub(super) struct Regions {
    /// The vertices that a triangle uses, sorted by the slot with the largest weight, then in the mesh's order:
    /// neighbours in a file are mostly neighbours on the surface.
    pub(super) order: Vec<u32>,
    /// The influences that skinning blends for them, one vertex after the other; none for vertices that follow the
    /// node.
    influences: Vec<Influence>,
    /// Where the influences of each vertex of `order` end.
    ends: Vec<usize>,
    /// Each of [`VERTICES`] vertices.
    pub(super) fine: Vec<Region>,
    /// Each of [`REGIONS`] fine regions.
    pub(super) coarse: Vec<Region>,
    lists: Lists,
}

impl Regions {
    /// * `skinned` – whether the weights count.
    pub(super) fn of(mesh: &Mesh, skinned: bool, options: SkinningOptions) -> Self {
        let slots = largest_slot(mesh).map_or(0, |slot| slot.index() + 1);
        let influences = |vertex: u32| {
            let of_file = mesh.influences.of(vertex as usize);
            if skinned { of_file } else { &[] }
        };
        let order = ordered(mesh, slots, |vertex| strongest(influences(vertex)));
        let mut lists = Lists::new(slots);
        let (mut effective, mut all) = (Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(order.len());
        let mut fine = Vec::with_capacity(order.len().div_ceil(VERTICES));
        for vertices in order.chunks(VERTICES) {
            let start = VERTICES * fine.len();
            let mut region = Region::new(start..start + vertices.len());
            for vertex in vertices {
                effective.clear();
                effective.extend(weights::of_vertex(influences(*vertex), options));
                all.extend_from_slice(&effective);
                ends.push(all.len());
                if effective.is_empty() {
                    effective.push(BY_NODE);
                }
                region.add(mesh.positions[*vertex as usize], &effective);
                lists.add_vertex(&effective);
            }
            region.slots = lists.end();
            fine.push(region);
        }
        let mut coarse = Vec::with_capacity(fine.len().div_ceil(REGIONS));
        for parts in fine.chunks(REGIONS) {
            let start = REGIONS * coarse.len();
            let mut region = Region::new(start..start + parts.len());
            for part in parts {
                // A coarse region is the union of its fine ones; no vertex is visited twice.
                region.unite(part);
                lists.add_part(part.slots.clone());
            }
            region.slots = lists.end();
            coarse.push(region);
        }
        Self {
            order,
            influences: all,
            ends,
            fine,
            coarse,
            lists,
        }
    }

    /// The influences that skinning blends for the vertex at `index` of the order.
    #[inline]
    pub(super) fn influences_of(&self, index: usize) -> &[Influence] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.influences[start..self.ends[index]]
    }

    /// Every slot that moves a vertex, or [`NODE`].
    pub(super) fn used(&self) -> impl Iterator<Item = &u32> {
        self.lists.used.iter()
    }

    /// The slots that move vertices of `region`.
    pub(super) fn slots_of(&self, region: &Region) -> &[Listed] {
        &self.lists.listed[region.slots.clone()]
    }
}

/// The vertices of `mesh` that a triangle uses, sorted by `key` (a slot, or [`NODE`]) with a counting sort.
fn ordered(mesh: &Mesh, slots: usize, key: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut drawn = vec![false; mesh.positions.len()];
    for corner in mesh.triangles.iter().flatten() {
        drawn[*corner as usize] = true;
    }
    let key = |vertex: u32| slots.min(key(vertex) as usize);
    let keys = (0..).zip(drawn).filter(|(_, drawn)| *drawn);
    let keys: Vec<(u32, usize)> = keys.map(|(vertex, _)| (vertex, key(vertex))).collect();
    let mut next = vec![0; slots + 2];
    for (_, key) in &keys {
        next[key + 1] += 1;
    }
    // Prefix sums: where the vertices of each slot begin. Counting sorts are stable, so each slot keeps the file's
    // order.
    for key in 0..slots {
        next[key + 1] += next[key];
    }
    let mut order = vec![0; keys.len()];
    for (vertex, key) in keys {
        order[next[key]] = vertex;
        next[key] += 1;
    }
    order
}

/// Whether two of `influences` use the same slot, or there are too many to compare.
fn has_twins(influences: &[Influence]) -> bool {
    let mut pairs = (1..influences.len()).map(|index| (&influences[index], &influences[..index]));
    influences.len() > MOST_INFLUENCES
        || pairs.any(|(own, earlier)| earlier.iter().any(|other| other.slot == own.slot))
}

/// The slot with the largest weight; [`NODE`] without any.
fn strongest(influences: &[Influence]) -> u32 {
    let larger = |a: Influence, b: &Influence| if b.weight > a.weight { *b } else { a };
    let nothing = Influence {
        weight: 0.0,
        ..BY_NODE
    };
    influences.iter().fold(nothing, larger).slot.0
}

/// A slot that moves vertices of a region.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    /// The index in the list of used slots.
    pub(super) position: usize,
    /// The least and the largest weight of the slot at a vertex of the region.
    pub(super) weights: [f32; 2],
    /// How many vertices, or parts of the region, the slot moves.
    count: usize,
}

/// The slots of one region after the other.
#[derive(Debug)]
struct Lists {
    listed: Vec<Listed>,
    used: Vec<u32>,
    /// For each slot, and for [`NODE`] at the end, its index in `used` if it is there.
    positions: Vec<Option<usize>>,
    /// For each of `used`, its entry in the last region that lists it.
    last: Vec<usize>,
    /// Where the current region begins in `listed`.
    start: usize,
    /// How many vertices, or parts, the current region has so far.
    count: usize,
}

impl Lists {
    fn new(slots: usize) -> Self {
        Self {
            listed: Vec::new(),
            used: Vec::new(),
            positions: vec![None; slots + 1],
            last: Vec::new(),
            start: 0,
            count: 0,
        }
    }

    /// Adds the influences of another vertex of the current region.
    fn add_vertex(&mut self, influences: &[Influence]) {
        self.count += 1;
        for influence in influences {
            let node = self.positions.len() - 1;
            let position = &mut self.positions[node.min(influence.slot.index())];
            let position = *position.get_or_insert_with(|| {
                self.used.push(influence.slot.0);
                self.last.push(usize::MAX);
                self.used.len() - 1
            });
            self.add(position, [influence.weight; 2]);
        }
    }

    /// Adds the slots of another part of the current region.
    ///
    /// * `slots` – where the part's slots are listed.
    fn add_part(&mut self, slots: Range<usize>) {
        self.count += 1;
        for index in slots {
            let Listed {
                position, weights, ..
            } = self.listed[index];
            self.add(position, weights);
        }
    }

    fn add(&mut self, position: usize, weights: [f32; 2]) {
        let last = self.last[position];
        // An entry before the start of this region belongs to an earlier one, so nothing has to be cleared.
        if last == usize::MAX || last < self.start {
            self.last[position] = self.listed.len();
            self.listed.push(Listed {
                position,
                weights,
                count: 1,
            });
            return;
        }
        let listed = &mut self.listed[last];
        listed.count += 1;
        let ([least, most], [own_least, own_most]) = (listed.weights, weights);
        listed.weights = [least.min(own_least), most.max(own_most)];
    }

    /// Ends the current region, and begins the next.
    fn end(&mut self) -> Range<usize> {
        let region = self.start..self.listed.len();
        for listed in &mut self.listed[region.clone()] {
            // A slot has weight 0 at a vertex that it does not move, which counts for the least weight.
            if listed.count < self.count {
                listed.weights[0] = 0.0;
            }
        }
        (self.start, self.count) = (self.listed.len(), 0);
        region
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_vertices_are_sorted_by_slot_and_keep_their_order() {
        let mesh = Mesh {
            positions: vec![Vec3::ZERO; 6],
            triangles: vec![[0, 1, 2], [2, 3, 5]],
            ..Mesh::default()
        };
        let keys = [1, 0, 1, NODE, 0, 0];
        let order = ordered(&mesh, 2, |vertex| keys[vertex as usize]);
        assert_eq!(order, [1, 5, 0, 2, 3]);
    }
}
