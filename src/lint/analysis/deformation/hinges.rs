//! Edges that two triangles share.

use crate::lint::analysis::buckets::Buckets;

/// An edge that exactly two triangles share after welding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lint) struct Hinge {
    /// The indices of the two.
    pub(in crate::lint) triangles: [u32; 2],
    /// For each end of the edge, the vertex of either triangle there, not welded.
    pub(in crate::lint) ends: [[u32; 2]; 2],
}

/// The hinges of `triangles`, ordered by their edges, and for each triangle whether all of its edges are hinges.
///
/// * `welded` – for each vertex, the one that represents its position.
/// * `counts` – whether a triangle counts at all.
pub(in crate::lint) fn hinges(
    triangles: &[[u32; 3]],
    welded: &[u32],
    counts: impl Fn(usize) -> bool,
) -> (Vec<Hinge>, Vec<bool>) {
    // Sides are grouped by the earlier end of their edge, then sorted by the later one. Equal edges become neighbours, and the
    // hinges are in the order of their edges in every run, which a hash map would not give.
    let mut sides = Buckets::of(welded.len(), sides(triangles, welded, &counts));
    let mut closed = vec![true; triangles.len()];
    let mut hinges = Vec::new();
    for of_vertex in sides.iter_mut() {
        of_vertex.sort_unstable();
        for group in of_vertex.chunk_by(|a, b| a.later == b.later) {
            // An edge of one triangle is a border; one of three or more is not part of a surface. Neither can fold.
            if let [a, b] = group {
                hinges.push(Hinge {
                    triangles: [a.triangle, b.triangle],
                    ends: [[a.ends[0], b.ends[0]], [a.ends[1], b.ends[1]]],
                });
            } else {
                for side in group {
                    closed[side.triangle as usize] = false;
                }
            }
        }
    }
    (hinges, closed)
}

/// A side of a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The later of its two welded vertices.
    later: u32,
    triangle: u32,
    /// The vertices themselves, in the order of the welded ones.
    ends: [u32; 2],
}

/// The sides of the triangles that count, each with the earlier of its two welded vertices.
fn sides(
    triangles: &[[u32; 3]],
    welded: &[u32],
    counts: impl Fn(usize) -> bool + Copy,
) -> impl Iterator<Item = (u32, Side)> + Clone {
    let counted = triangles.iter().zip(0_u32..);
    let counted = counted.filter(move |(_, triangle)| counts(*triangle as usize));
    counted.flat_map(move |(&[a, b, c], triangle)| {
        // Both triangles of a hinge list their side under the same pair, whichever way round they run.
        [[a, b], [b, c], [c, a]].map(|[from, to]| {
            let [first, second] = [from, to].map(|vertex| welded[vertex as usize]);
            let (earlier, later, ends) = if first <= second {
                (first, second, [from, to])
            } else {
                (second, first, [to, from])
            };
            let side = Side {
                later,
                triangle,
                ends,
            };
            (earlier, side)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_of_two_triangles_is_a_hinge_also_across_a_seam() {
        // A quad whose two triangles meet at a seam: 4 is at the position of 1, 5 at that of 2.
        let welded = [0, 1, 2, 3, 1, 2];
        let (hinges, closed) = hinges(&[[0, 1, 2], [4, 3, 5]], &welded, |_| true);
        let expected = Hinge {
            triangles: [0, 1],
            ends: [[1, 4], [2, 5]],
        };
        assert_eq!(hinges, [expected]);
        assert_eq!(closed, [false, false]);
    }

    #[test]
    fn an_edge_of_three_triangles_is_none() {
        let welded = [0, 1, 2, 3, 4];
        let fan = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        assert!(hinges(&fan, &welded, |_| true).0.is_empty());
        assert_eq!(hinges(&fan, &welded, |triangle| triangle != 2).0.len(), 1);
    }

    #[test]
    fn the_triangles_of_a_tetrahedron_are_closed() {
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let (hinges, closed) = hinges(&faces, &[0, 1, 2, 3], |_| true);
        assert_eq!((hinges.len(), closed), (6, vec![true; 4]));
    }
}
