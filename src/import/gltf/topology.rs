//! From the drawing modes of primitives to triangles (glTF 2.0, §3.7.2.1).

use gltf::json::mesh::Mode;

/// The corners of triangles, and what had to be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Topology {
    /// Counter-clockwise from the front, each corner a vertex of the file.
    pub(super) triangles: Vec<[u32; 3]>,
    /// How many triangles name a vertex that is not there.
    pub(super) broken: usize,
}

/// The triangles that the corners in `indices` make; `None` for modes that make none.
///
/// Strips are sewn together by triangles with two equal corners: those are no surface, and left out.
///
/// * `vertices` – how many there are.
pub(super) fn triangles(mode: Mode, indices: &[u32], vertices: usize) -> Option<Topology> {
    let all: Vec<[u32; 3]> = match mode {
        Mode::Triangles => indices.as_chunks().0.to_vec(),
        Mode::TriangleStrip => strip(indices),
        Mode::TriangleFan => fan(indices),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => return None,
    };
    let count = all.len();
    let is_there =
        |triangle: &[u32; 3]| triangle.iter().all(|&corner| (corner as usize) < vertices);
    let triangles: Vec<[u32; 3]> = all.into_iter().filter(is_there).collect();
    Some(Topology {
        broken: count - triangles.len(),
        triangles,
    })
}

/// Every other triangle of a strip runs the other way round.
fn strip(indices: &[u32]) -> Vec<[u32; 3]> {
    let triangles = indices.windows(3).enumerate().map(|(number, corners)| {
        let (second, third) = (corners[1 + number % 2], corners[2 - number % 2]);
        [corners[0], second, third]
    });
    triangles
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect()
}

fn fan(indices: &[u32]) -> Vec<[u32; 3]> {
    let Some((&hub, rim)) = indices.split_first() else {
        return Vec::new();
    };
    let triangles = rim.windows(2).map(|pair| [pair[0], pair[1], hub]);
    triangles.collect()
}

/// The vertices that `triangles` use, ascending; makes the corners positions in that list.
///
/// Returns `None` where they use all of `vertices`, and leaves the corners.
///
/// * `vertices` – how many there are; all corners are below.
pub(super) fn used_vertices(triangles: &mut [[u32; 3]], vertices: usize) -> Option<Vec<u32>> {
    /// So many vertices a corner are not worth a table: primitives may share one long list, and use a little of it each.
    const SPARSE: usize = 16;
    let corners = triangles.len() * 3;
    if vertices / SPARSE > corners {
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        renumber(triangles, |corner| used.binary_search(&corner).ok());
        return Some(used);
    }
    let mut is_used = vec![false; vertices];
    for &corner in triangles.iter().flatten() {
        is_used[corner as usize] = true;
    }
    if is_used.iter().all(|&used| used) {
        return None;
    }
    let used: Vec<u32> = (0_u32..)
        .zip(&is_used)
        .filter(|(_, used)| **used)
        .map(|(vertex, _)| vertex)
        .collect();
    let mut positions = vec![0; vertices];
    used.iter()
        .enumerate()
        .for_each(|(position, &vertex)| positions[vertex as usize] = position);
    renumber(triangles, |corner| positions.get(corner as usize).copied());
    Some(used)
}

fn renumber(triangles: &mut [[u32; 3]], position: impl Fn(u32) -> Option<usize>) {
    for corner in triangles.iter_mut().flatten() {
        let position = position(*corner).and_then(|position| u32::try_from(position).ok());
        *corner = position.expect("every corner is used, and there are fewer than 2^32");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mode: Mode, indices: &[u32]) -> Vec<[u32; 3]> {
        triangles(mode, indices, 100).unwrap().triangles
    }

    #[test]
    fn the_formulas_of_the_standard_hold() {
        let indices = [10, 11, 12, 13, 14, 15];
        assert_eq!(of(Mode::Triangles, &indices), [[10, 11, 12], [13, 14, 15]]);
        let strip = [[10, 11, 12], [11, 13, 12], [12, 13, 14], [13, 15, 14]];
        assert_eq!(of(Mode::TriangleStrip, &indices), strip);
        let fan = [[11, 12, 10], [12, 13, 10], [13, 14, 10], [14, 15, 10]];
        assert_eq!(of(Mode::TriangleFan, &indices), fan);
    }

    #[test]
    fn too_few_corners_make_no_triangle_and_odd_ones_are_left_over() {
        for mode in [Mode::Triangles, Mode::TriangleStrip, Mode::TriangleFan] {
            for indices in [&[][..], &[1], &[1, 2]] {
                assert!(of(mode, indices).is_empty(), "{mode:?} {indices:?}");
            }
        }
        assert_eq!(of(Mode::Triangles, &[1, 2, 3, 4]), [[1, 2, 3]]);
        assert_eq!(triangles(Mode::LineStrip, &[1, 2, 3], 100), None);
    }

    #[test]
    fn a_strip_goes_on_in_its_direction_behind_a_seam() {
        let sewn = of(Mode::TriangleStrip, &[0, 1, 2, 2, 5, 5, 6, 7]);
        assert_eq!(sewn, [[0, 1, 2], [5, 7, 6]]);
    }

    #[test]
    fn triangles_of_vertices_that_are_not_there_are_counted_and_left_out() {
        let found = triangles(Mode::Triangles, &[0, 1, 2, 0, 1, 3], 3).unwrap();
        assert_eq!((found.triangles.len(), found.broken), (1, 1));
    }

    #[test]
    fn unused_vertices_go_and_the_others_keep_their_order() {
        for vertices in [10, 100_000] {
            let mut corners = [[7, 3, 5], [3, 7, 9]];
            assert_eq!(
                used_vertices(&mut corners, vertices),
                Some(vec![3, 5, 7, 9])
            );
            assert_eq!(corners, [[2, 0, 1], [0, 2, 3]]);
        }
        let mut corners = [[2, 0, 1], [0, 2, 3]];
        assert_eq!(used_vertices(&mut corners, 4), None);
        assert_eq!(corners, [[2, 0, 1], [0, 2, 3]]);
    }
}
