//! The attributes of a primitive, and its triangles, whatever its drawing mode (glTF 2.0, §3.7.2.1).

use glam::Vec3;

use super::accessors::{Accessors, Elements};
use super::error::{GltfError, PrimitiveProblem};
use super::json::{Accessor, Primitive, Root};
use super::lenient::Whole;
use crate::rig::Location;

/// The triangles that corners form; `None` if the drawing mode has none, or is unknown.
///
/// * `mode` – the number of the mode.
#[must_use]
pub fn triangles(mode: usize, indices: &[u32]) -> Option<Vec<[u32; 3]>> {
    match mode {
        4 => Some(indices.as_chunks().0.to_vec()),
        5 => Some(strip(indices)),
        6 => Some(fan(indices)),
        _ => None,
    }
}

/// Removes `triangles` that refer to missing vertices.
///
/// * `vertices` – how many there are.
///
/// Returns the number of removed triangles, and the largest vertex index.
pub(super) fn remove_broken(triangles: &mut Vec<[u32; 3]>, vertices: usize) -> (usize, u32) {
    let largest = triangles
        .as_flattened()
        .iter()
        .copied()
        .max()
        .unwrap_or_default();
    let before = triangles.len();
    if largest as usize >= vertices {
        triangles.retain(|corners| corners.iter().all(|&corner| (corner as usize) < vertices));
    }
    (before - triangles.len(), largest)
}

/// The triangles of a strip. Every other triangle has its winding reversed (§3.7.2.1), which is undone here. Triangles with
/// two equal corners only join strips; they have no area and are omitted.
fn strip(indices: &[u32]) -> Vec<[u32; 3]> {
    let triangles = indices.windows(3).enumerate().map(|(number, corners)| {
        let (second, third) = (corners[1 + number % 2], corners[2 - number % 2]);
        [corners[0], second, third]
    });
    triangles
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect()
}

/// The triangles of a fan around its first corner.
fn fan(indices: &[u32]) -> Vec<[u32; 3]> {
    let Some((&hub, rim)) = indices.split_first() else {
        return Vec::new();
    };
    let triangles = rim.windows(2).map(|pair| [pair[0], pair[1], hub]);
    triangles.collect()
}

/// The vertices that `triangles` use, ascending; the corners become indices into that list.
///
/// Returns `None`, with the corners unchanged, if all of `vertices` are used.
///
/// * `vertices` – the number of vertices; all corners are below.
pub(super) fn used_vertices(triangles: &mut [[u32; 3]], vertices: usize) -> Option<Vec<u32>> {
    /// Above this many vertices per corner, the corners are sorted; a table of all vertices would cost more. Primitives may
    /// share one long list and use little of it each.
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
    for &corner in triangles.as_flattened() {
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

/// The state that all attributes of a primitive share.
pub(super) struct Reader<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) accessors: &'a Accessors<'a>,
    pub(super) primitive: &'a Primitive,
    /// Such as `meshes[0].primitives[1]`.
    pub(super) location: &'a str,
    /// The location of the mesh that it becomes.
    pub(super) mesh: Location,
    pub(super) positions: Whole,
    pub(super) accessor: &'a Accessor,
    pub(super) vertices: usize,
}

impl<'a> Reader<'a> {
    /// `None` for a primitive without positions, which the standard skips (§3.7.2.1).
    pub(super) fn new(
        root: &'a Root<'a>,
        accessors: &'a Accessors<'a>,
        primitive: &'a Primitive,
        location: &'a str,
        mesh: Location,
    ) -> Result<Option<Self>, GltfError> {
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Ok(None);
        };
        let accessor = accessors.get(positions, || format!("{location}.attributes.POSITION"))?;
        Ok(Some(Self {
            root,
            accessors,
            primitive,
            location,
            mesh,
            positions,
            accessor,
            vertices: accessor.count.index(),
        }))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Whole> {
        self.primitive.attributes.get(name).copied()
    }

    /// One vector per vertex, or none if the attribute is missing.
    pub(super) fn vectors<const N: usize>(
        &self,
        name: &str,
        elements: Elements<'_>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        match self.attribute(name) {
            Some(accessor) => self.list(accessor, &format!("attributes.{name}"), elements),
            None => Ok(Vec::new()),
        }
    }

    /// One vector per vertex.
    ///
    /// * `name` – such as `attributes.NORMAL`.
    pub(super) fn list<const N: usize>(
        &self,
        accessor: Whole,
        name: &str,
        elements: Elements<'_>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        self.check_count(accessor, name)?;
        self.accessors
            .floats(accessor, elements, || format!("{}.{name}", self.location))
    }

    /// Checks that there is an element for each vertex.
    pub(super) fn check_count(&self, accessor: Whole, name: &str) -> Result<(), GltfError> {
        let count = self.count(accessor, name)?;
        if count == self.vertices || accessor == self.positions {
            return Ok(());
        }
        let problem_of = PrimitiveProblem::Count {
            attribute: name.to_owned(),
            count,
            vertices: self.vertices,
        };
        Err(problem(self.location, problem_of))
    }

    /// The number of elements.
    pub(super) fn count(&self, accessor: Whole, name: &str) -> Result<usize, GltfError> {
        let found = self
            .accessors
            .get(accessor, || format!("{}.{name}", self.location))?;
        Ok(found.count.index())
    }
}

pub(super) fn vec3s(vectors: Vec<[f32; 3]>) -> Vec<Vec3> {
    vectors.into_iter().map(Vec3::from_array).collect()
}

pub(super) fn problem(location: &str, problem: PrimitiveProblem) -> GltfError {
    GltfError::Primitive {
        location: location.to_owned(),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_of_the_standard_hold() {
        let indices = [10, 11, 12, 13, 14, 15];
        let in_strip = [[10, 11, 12], [11, 13, 12], [12, 13, 14], [13, 15, 14]];
        assert_eq!(strip(&indices), in_strip);
        let in_fan = [[11, 12, 10], [12, 13, 10], [13, 14, 10], [14, 15, 10]];
        assert_eq!(fan(&indices), in_fan);
    }

    #[test]
    fn too_few_corners_make_no_triangle() {
        for indices in [&[][..], &[1], &[1, 2]] {
            assert!(strip(indices).is_empty() && fan(indices).is_empty());
        }
    }

    #[test]
    fn a_strip_goes_on_in_its_direction_behind_a_seam() {
        let sewn = strip(&[0, 1, 2, 2, 5, 5, 6, 7]);
        assert_eq!(sewn, [[0, 1, 2], [5, 7, 6]]);
    }

    #[test]
    fn triangles_of_missing_vertices_are_counted_and_skipped() {
        let mut triangles = vec![[0, 1, 2], [0, 1, 3]];
        assert_eq!(remove_broken(&mut triangles, 3), (1, 3));
        assert_eq!(triangles, [[0, 1, 2]]);
        assert_eq!(remove_broken(&mut triangles, 3), (0, 2));
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
