//! Polygons that triangles of both sides form.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::faces::Face;
use crate::groups::Groups;

/// Patches of both sides whose areas differ by less than this factor are one patch that is shaped differently.
const AS_LARGE: f64 = 0.8;

/// Removes the faces of both sides that have the same outline, such as a polygon that is divided along other diagonals.
///
/// Faces of both sides that share an edge in the same direction lie on the same side of it, and so belong to one
/// polygon. The edges within one are there in both directions; those of its outline only once.
pub(super) fn without_equal_outlines(left: &[Vec<Face>; 2]) -> [Vec<Face>; 2] {
    let first = [0, left[0].len()];
    let all: Vec<(usize, Face)> = [0, 1]
        .into_iter()
        .flat_map(|side: usize| left[side].iter().map(move |face| (side, *face)))
        .collect();
    let mut edges: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * all.len());
    for (index, (_, face)) in all.iter().enumerate() {
        edges.extend(face.edges().map(|edge| (edge, index)));
    }
    edges.par_sort_unstable();
    let mut groups = Groups::new(all.len());
    for shared in edges.chunk_by(|a, b| a.0 == b.0) {
        // Indices ascend, so those of both sides are there if the first and the last are of different ones.
        let [one, other] = [shared[0].1, shared[shared.len() - 1].1];
        if one < first[1] && other >= first[1] {
            for (_, index) in shared {
                groups.join(one, *index);
            }
        }
    }
    // For each polygon, how often each edge is there before more than after, less its opposite.
    let mut sums: BTreeMap<(u32, [u32; 2]), i32> = BTreeMap::new();
    for (index, (side, face)) in all.iter().enumerate() {
        let group = groups.of(index);
        for [a, b] in face.edges() {
            let is_positive = (a < b) == (*side == 0);
            *sums.entry((group, [a.min(b), a.max(b)])).or_default() +=
                if is_positive { 1 } else { -1 };
        }
    }
    let mut is_equal = vec![true; all.len()];
    for ((group, _), sum) in sums {
        is_equal[group as usize] &= sum == 0;
    }
    let mut rest = [Vec::new(), Vec::new()];
    for (index, (side, face)) in all.into_iter().enumerate() {
        if !is_equal[groups.of(index) as usize] {
            rest[side].push(face);
        }
    }
    rest
}

/// Removes the faces of both sides that are parts of patches of about the same area. Faces that share a corner belong to
/// one patch. If vertices are moved farther than a hole is wide, the same triangles look like missing and new ones.
///
/// * `area` – of a face of a side.
pub(super) fn without_equal_patches(
    left: [Vec<Face>; 2],
    area: impl Fn(usize, &Face) -> f64,
) -> [Vec<Face>; 2] {
    let corners = left.iter().flatten().flat_map(|face| face.corners);
    let Some(last) = corners.max() else {
        return left;
    };
    let mut groups = Groups::new(last as usize + 1);
    for face in left.iter().flatten() {
        for [a, b] in face.edges() {
            groups.join(a as usize, b as usize);
        }
    }
    let mut areas: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for side in [0, 1] {
        for face in &left[side] {
            let patch = groups.of(face.corners[0] as usize);
            areas.entry(patch).or_default()[side] += area(side, face);
        }
    }
    left.map(|mut faces| {
        faces.retain(|face| {
            let [before, after] = areas[&groups.of(face.corners[0] as usize)];
            before.min(after) < AS_LARGE * before.max(after)
        });
        faces
    })
}

#[cfg(test)]
mod tests {
    use super::super::faces::tests::faces;
    use super::*;

    #[test]
    fn only_polygons_of_the_same_outline_are_equal() {
        let quads = [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]];
        let left = |after: &[[u32; 3]]| {
            without_equal_outlines(&[faces(&quads), faces(after)]).map(|left| left.len())
        };
        // The other diagonal of one quad and of both.
        assert_eq!(left(&[[0, 1, 3], [1, 2, 3], [1, 4, 2], [4, 5, 2]]), [0, 0]);
        // One quad lacks a triangle.
        assert_eq!(left(&[[0, 1, 3], [1, 2, 3], [1, 4, 2]]), [2, 1]);
        // One is inside out: its edge to the other now joins both.
        assert_eq!(left(&[[0, 1, 3], [1, 2, 3], [1, 2, 4], [4, 2, 5]]), [4, 4]);
        assert_eq!(left(&[]), [4, 0]);
    }

    #[test]
    fn patches_of_one_area_are_equal() {
        let left = |before: &[[u32; 3]], after: &[[u32; 3]]| {
            without_equal_patches([faces(before), faces(after)], |_, _| 1.0).map(|left| left.len())
        };
        assert_eq!(left(&[[0, 1, 2], [5, 6, 7]], &[[2, 3, 4]]), [1, 0]);
        assert_eq!(left(&[[0, 1, 2], [2, 6, 7]], &[[2, 3, 4]]), [2, 1]);
        assert_eq!(left(&[], &[]), [0, 0]);
    }
}
