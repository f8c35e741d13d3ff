//! Triangles by their corners.

use rayon::prelude::*;

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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn faces(triangles: &[[u32; 3]]) -> Vec<Face> {
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
}
