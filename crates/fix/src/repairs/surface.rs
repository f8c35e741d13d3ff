//! Bindings of vertices from the nearest ones along the surface.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use glam::DVec3;

use super::Changed;
use super::primitives::{attribute, triangles};
use super::weights::Sets;
use crate::document::{Document, Refusal};

/// Gives each of these vertices the influences of the nearest other one, along the surface.
///
/// * `is_source` – whether the influences of a vertex may be taken.
pub(super) fn bind_to_nearest(
    document: &Document,
    sets: &mut Sets,
    vertices: &BTreeSet<usize>,
    is_source: impl Fn(&Sets, usize) -> bool,
    changed: &mut Changed,
) {
    let surfaces = sets
        .primitives
        .iter()
        .map(|primitive| Surface::of(document, primitive));
    let surfaces = match surfaces.collect::<Result<Vec<_>, Refusal>>() {
        Ok(surfaces) => surfaces,
        Err(refusal) => {
            changed.leave(refusal.to_string());
            return;
        }
    };
    let mut nearest = BTreeMap::new();
    for surface in &surfaces {
        let sources = surface
            .edges
            .keys()
            .copied()
            .filter(|vertex| is_source(sets, *vertex));
        nearest.extend(surface.nearest(sources));
    }
    for vertex in vertices {
        match nearest.get(vertex) {
            Some(source) => {
                let influences = sets.of(*source);
                sets.set(*vertex, &influences);
            }
            None => changed.leave("no vertex of the same piece has valid weights"),
        }
    }
}

/// The edges of a surface, with their lengths. Vertices at one position are connected.
struct Surface {
    edges: BTreeMap<usize, Vec<(usize, f64)>>,
}

impl Surface {
    fn of(document: &Document, primitive: &str) -> Result<Self, Refusal> {
        let positions = attribute(document, primitive, "POSITION").ok_or(Refusal::Storage)?;
        if document.accessor(positions)?.width != 3 {
            return Err(Refusal::Storage);
        }
        let numbers = document.read(positions)?;
        let point = |vertex: usize| DVec3::from_slice(&numbers[vertex * 3..]);
        let mut edges: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        let mut connect = |a: usize, b: usize| {
            let length = point(a).distance(point(b));
            edges.entry(a).or_default().push((b, length));
            edges.entry(b).or_default().push((a, length));
        };
        let mut first_at: BTreeMap<[u64; 3], usize> = BTreeMap::new();
        for triangle in triangles(document, primitive)? {
            for (index, corner) in triangle.into_iter().enumerate() {
                connect(corner, triangle[(index + 1) % 3]);
                let bits = point(corner).to_array().map(f64::to_bits);
                let first = *first_at.entry(bits).or_insert(corner);
                if first != corner {
                    connect(first, corner);
                }
            }
        }
        Ok(Self { edges })
    }

    /// For each vertex that can be reached along the surface, the nearest source (Dijkstra's algorithm).
    fn nearest(&self, sources: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
        let mut nearest = BTreeMap::new();
        // Lengths are not negative, so that their bits have their order.
        let mut queue: BinaryHeap<Reverse<(u64, usize, usize)>> =
            sources.map(|vertex| Reverse((0, vertex, vertex))).collect();
        while let Some(Reverse((distance, source, vertex))) = queue.pop() {
            if nearest.contains_key(&vertex) {
                continue;
            }
            nearest.insert(vertex, source);
            for (next, length) in self.edges.get(&vertex).into_iter().flatten() {
                let total = f64::from_bits(distance) + length;
                if total.is_finite() && !nearest.contains_key(next) {
                    queue.push(Reverse((total.to_bits(), source, *next)));
                }
            }
        }
        nearest
    }
}
