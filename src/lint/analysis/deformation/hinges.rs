//! Where two triangles meet.

/// An edge that exactly two triangles share after welding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lint) struct Hinge {
    /// Which two, by position.
    pub(in crate::lint) triangles: [u32; 2],
    /// For each end of the edge the vertices that the two triangles have there, not welded.
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
    let mut sides = sides(triangles, welded, counts);
    sides.sort_unstable();
    let mut closed = vec![true; triangles.len()];
    let mut hinges = Vec::new();
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
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
    (hinges, closed)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Welded, the smaller first.
    edge: [u32; 2],
    triangle: u32,
    /// The vertices themselves, in the order of `edge`.
    ends: [u32; 2],
}

fn sides(triangles: &[[u32; 3]], welded: &[u32], counts: impl Fn(usize) -> bool) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for ((index, &[a, b, c]), number) in triangles.iter().enumerate().zip(0..) {
        if !counts(index) {
            continue;
        }
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let [first, second] = [from, to].map(|vertex| welded[vertex as usize]);
            let (edge, ends) = if first <= second {
                ([first, second], [from, to])
            } else {
                ([second, first], [to, from])
            };
            sides.push(Side {
                edge,
                triangle: number,
                ends,
            });
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_of_two_triangles_is_a_hinge_also_across_a_seam() {
        // A quad whose two triangles meet at a seam: 4 is at the place of 1, 5 at that of 2.
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
