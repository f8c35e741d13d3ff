//! Triangles by their corners, which vertices at one position share with their counterparts on the other side, and the
//! polygons that triangles of both sides form.

use glam::DVec3;
use rayon::prelude::*;

use super::side::Side;
use crate::groups::Groups;

/// A triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    /// Its index among all faces of its side.
    pub(super) number: usize,
    /// Ascending.
    pub(super) corners: [u32; 3],
    /// Whether it is seen from where its corners run clockwise.
    pub(super) is_odd: bool,
    /// The surface after that corresponds to its surface.
    pub(super) partner: Option<usize>,
    pub(super) surface: usize,
    /// Indices among all vertices of its side.
    pub(super) vertices: [usize; 3],
}

impl Face {
    /// Its edges, counter-clockwise as seen from its front.
    pub(super) fn edges(&self) -> [[u32; 2]; 3] {
        let [a, b, c] = self.corners;
        if self.is_odd {
            [[b, a], [c, b], [a, c]]
        } else {
            [[a, b], [b, c], [c, a]]
        }
    }
}

/// Corners in ascending order, and whether that is an odd permutation.
pub(super) fn sorted([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut corners = [a, b, c];
    corners.sort_unstable();
    let is_even = [[a, b, c], [b, c, a], [c, a, b]].contains(&corners);
    (corners, !is_even)
}

/// Pairs the faces of both sides that have equal keys. Returns the pairs and the rest.
pub(super) fn cancel<K: Ord + Send>(
    faces: [Vec<Face>; 2],
    key: impl Fn(usize, &Face) -> K + Sync,
) -> (Vec<[Face; 2]>, [Vec<Face>; 2]) {
    let [mut before, mut after] = faces;
    before.par_sort_by_key(|face| key(0, face));
    after.par_sort_by_key(|face| key(1, face));
    let (mut pairs, mut left) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut after = after.into_iter().peekable();
    for face in before {
        let own = key(0, &face);
        while let Some(other) = after.next_if(|other| key(1, other) < own) {
            left[1].push(other);
        }
        match after.next_if(|other| key(1, other) == own) {
            Some(other) => pairs.push([face, other]),
            None => left[0].push(face),
        }
    }
    left[1].extend(after);
    (pairs, left)
}

/// Positions of all vertices of both sides in one pose.
pub(super) type Poses = [Vec<DVec3>; 2];

/// The vertex of the other side that corresponds to one.
#[derive(Clone, Copy)]
pub(super) struct Counterpart {
    /// Its index among all vertices of its side.
    pub(super) vertex: u32,
    /// Whether it is only near, and so may not correspond.
    pub(super) is_loose: bool,
}

/// The number of the corner of each vertex of each side.
///
/// Vertices of one position share a corner if their surfaces correspond: what rounding moves onto a part of another mesh is not a
/// part of it. A corner is not the corner of two positions of one side, unless they are closer than `one_place`. So a vertex that
/// is gone does not share the corner of the vertex next to it, which is its counterpart for want of a better one.
pub(super) fn corners(
    sides: [&Side<'_>; 2],
    positions: &Poses,
    counterparts: &[Vec<Option<Counterpart>>; 2],
    surfaces: &[Vec<u32>; 2],
    one_place: f64,
) -> [Vec<u32>; 2] {
    let counts = [0, 1].map(|side: usize| positions[side].len());
    let first = [0, counts[0]];
    let mut groups = Groups::new(counts[0] + counts[1]);
    for side in [0, 1] {
        for [a, b] in coincident(sides[side], &positions[side], &surfaces[side]) {
            groups.join(first[side] + a, first[side] + b);
        }
    }
    // A corner has a position on each side, once it is joined with one.
    let mut is_joined = [0, 1].map(|side| {
        let all = 0..counts[0] + counts[1];
        let is_own = |vertex: usize| (vertex >= counts[0]) == (side == 1);
        all.map(is_own).collect::<Vec<bool>>()
    });
    for (apart, [before, after]) in nearest_first(positions, counterparts) {
        let own = [before, first[1] + after];
        let [a, b] = own.map(|vertex| groups.of(vertex) as usize);
        if a == b || apart > one_place && (is_joined[1][a] || is_joined[0][b]) {
            continue;
        }
        groups.join(a, b);
        let joined = groups.of(a) as usize;
        for is_joined in &mut is_joined {
            is_joined[joined] = is_joined[a] || is_joined[b];
        }
    }
    [0, 1].map(|side: usize| {
        let own = 0..counts[side];
        own.map(|vertex| groups.of(first[side] + vertex)).collect()
    })
}

/// Vertices at one position in a group of surfaces, each with the next one there.
fn coincident(side: &Side<'_>, positions: &[DVec3], surfaces: &[u32]) -> Vec<[usize; 2]> {
    let used = side.vertices.is_used.iter().enumerate();
    let used = used.filter(|(vertex, used)| **used && positions[*vertex].is_finite());
    let group = |vertex: usize| surfaces[side.vertices.surfaces[vertex] as usize];
    // Zero instead of -0.
    let placed = |vertex: usize| ((positions[vertex] + DVec3::ZERO).to_array(), group(vertex));
    let mut sorted: Vec<(([f64; 3], u32), usize)> =
        used.map(|(vertex, _)| (placed(vertex), vertex)).collect();
    let order = |a: &([f64; 3], u32), b: &([f64; 3], u32)| {
        let [x, y, z] = [0, 1, 2].map(|axis| a.0[axis].total_cmp(&b.0[axis]));
        x.then(y).then(z).then(a.1.cmp(&b.1))
    };
    sorted.par_sort_unstable_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    let pairs = sorted
        .windows(2)
        .filter(|pair| order(&pair[0].0, &pair[1].0).is_eq());
    pairs.map(|pair| [pair[0].1, pair[1].1]).collect()
}

/// Each vertex before and its counterpart, and each vertex after and its own, with their distance.
fn nearest_first(
    positions: &Poses,
    counterparts: &[Vec<Option<Counterpart>>; 2],
) -> Vec<(f64, [usize; 2])> {
    let of = |side: usize| {
        let own = counterparts[side].iter().enumerate();
        own.filter_map(move |(vertex, found)| {
            let other = found.as_ref()?.vertex as usize;
            let pair = if side == 0 {
                [vertex, other]
            } else {
                [other, vertex]
            };
            let [a, b] = [positions[0][pair[0]], positions[1][pair[1]]];
            Some((a.distance(b), pair))
        })
    };
    let mut pairs: Vec<(f64, [usize; 2])> = of(0).chain(of(1)).collect();
    pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    pairs
}

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
    let mut sums: Vec<((u32, [u32; 2]), i32)> = Vec::new();
    for (index, (side, face)) in all.iter().enumerate() {
        let group = groups.of(index);
        for [a, b] in face.edges() {
            let is_positive = (a < b) == (*side == 0);
            let sign = if is_positive { 1 } else { -1 };
            sums.push(((group, [a.min(b), a.max(b)]), sign));
        }
    }
    sums.sort_unstable();
    let mut is_equal = vec![true; all.len()];
    for edge in sums.chunk_by(|a, b| a.0 == b.0) {
        let sum: i32 = edge.iter().map(|(_, sign)| sign).sum();
        is_equal[edge[0].0.0 as usize] &= sum == 0;
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
    let Some(last) = left.iter().flatten().flat_map(|face| face.corners).max() else {
        return left;
    };
    let mut groups = Groups::new(last as usize + 1);
    for face in left.iter().flatten() {
        for [a, b] in face.edges() {
            groups.join(a as usize, b as usize);
        }
    }
    // Before and after, of each patch.
    let mut areas = vec![[0.0; 2]; last as usize + 1];
    for side in [0, 1] {
        for face in &left[side] {
            let patch = groups.of(face.corners[0] as usize);
            areas[patch as usize][side] += area(side, face);
        }
    }
    left.map(|mut faces| {
        faces.retain(|face| {
            let [before, after] = areas[groups.of(face.corners[0] as usize) as usize];
            before.min(after) < AS_LARGE * before.max(after)
        });
        faces
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(triangles: &[[u32; 3]]) -> Vec<Face> {
        let face = |(number, triangle): (usize, &[u32; 3])| {
            let (corners, is_odd) = sorted(*triangle);
            Face {
                number,
                corners,
                is_odd,
                partner: Some(0),
                surface: 0,
                vertices: triangle.map(|vertex| vertex as usize),
            }
        };
        triangles.iter().enumerate().map(face).collect()
    }

    #[test]
    fn equal_faces_cancel_once() {
        let all = [&[[0, 1, 2], [2, 1, 0]][..], &[[1, 2, 0], [0, 1, 2]]].map(faces);
        let (same, left) = cancel(all, |_, face| (face.corners, face.is_odd));
        assert_eq!((same.len(), left[0].len(), left[1].len()), (1, 1, 1));
        let (reversed, _) = cancel(left, |side, face| (face.corners, face.is_odd ^ (side == 1)));
        assert_eq!(reversed.len(), 1);
    }

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
