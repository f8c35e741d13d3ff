//! `D602`: the ends of an edge that spans a web, and the patches that they enclose, get the weights of the nearest other vertices, along
//! the surface.

use std::collections::{BTreeMap, BTreeSet};

pub(super) use super::w114_far_influence::repair;
use crate::groups::Groups;
use crate::lint::weld;
use crate::rig::Mesh;

/// The ends of stretched edges, and the small parts that they cut off from their piece of the surface: not the largest, and none of more
/// vertices than the ends, such as a hand behind a ring of them. Vertices at one position are one.
pub(super) fn with_enclosed(mesh: &Mesh, ends: &BTreeSet<usize>) -> BTreeSet<usize> {
    let points = weld(&mesh.positions).into_iter();
    let points: Vec<usize> = points.map(|point| point as usize).collect();
    let ends: BTreeSet<usize> = ends.iter().map(|vertex| points[*vertex]).collect();
    let [mut pieces, mut parts] = [(); 2].map(|()| Groups::new(points.len()));
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        for [a, b] in [[a, b], [b, c], [c, a]] {
            pieces.join(a, b);
            if !ends.contains(&a) && !ends.contains(&b) {
                parts.join(a, b);
            }
        }
    }
    // For each piece, its ends, and its parts between them.
    let mut cut: BTreeMap<u32, (usize, BTreeMap<u32, Vec<usize>>)> = BTreeMap::new();
    for end in &ends {
        cut.entry(pieces.of(*end)).or_default().0 += 1;
    }
    let mut found = BTreeSet::new();
    for (vertex, point) in points.iter().enumerate() {
        if ends.contains(point) {
            found.insert(vertex);
        } else if let Some((_, own)) = cut.get_mut(&pieces.of(*point)) {
            own.entry(parts.of(*point)).or_default().push(vertex);
        }
    }
    for (ends, own) in cut.into_values() {
        let largest = own.values().map(Vec::len).max();
        // Of two that are as large, the first counts as sound.
        let sound = own.values().position(|part| Some(part.len()) == largest);
        let others = own.into_values().enumerate();
        let enclosed = others.filter(|(index, part)| Some(*index) != sound && part.len() <= ends);
        found.extend(enclosed.flat_map(|(_, part)| part));
    }
    found
}
