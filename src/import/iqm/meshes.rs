//! Meshes, and what they are made of.

use super::bytes::{Bytes, Damage, range};
use super::header::{Header, List};
use super::vertices::Vertices;
use crate::import::surfaces::Surfaces;
use crate::rig::Mesh;

/// Times that the vertices or triangles of a file may be used by its meshes, on average: honest ones use each once.
const MOST_USES: u64 = 16;

/// The state that the meshes of a file share.
pub(super) struct MeshReader<'a, 'n> {
    pub(super) file: Bytes<'a>,
    pub(super) header: &'a Header<'a>,
    pub(super) vertices: &'a Vertices,
    pub(super) surfaces: &'a mut Surfaces<'n>,
}

impl MeshReader<'_, '_> {
    /// All meshes.
    ///
    /// # Errors
    ///
    /// [`Damage`] if a list is not there, or a mesh takes vertices or triangles that are not.
    pub(super) fn read_all(&mut self) -> Result<Vec<Mesh>, Damage> {
        let List { count, offset } = self.header.triangles;
        let triangles = self.file.records("the triangles", offset, count)?;
        let List { count, offset } = self.header.meshes;
        let records: Vec<[u32; 6]> = self.file.records("the meshes", offset, count)?;
        let used = |part: usize| records.iter().map(|record| u64::from(record[part])).sum();
        within(
            MOST_USES,
            "the vertices of meshes",
            used(3),
            self.vertices.count,
        )?;
        within(
            MOST_USES,
            "the triangles of meshes",
            used(5),
            triangles.len(),
        )?;
        let meshes = records.iter().enumerate();
        meshes
            .map(|(index, record)| self.read(index, record, &triangles))
            .collect()
    }

    fn read(
        &mut self,
        index: usize,
        &[name, material, first, count, first_triangle, triangle_count]: &[u32; 6],
        triangles: &[[u32; 3]],
    ) -> Result<Mesh, Damage> {
        let location = || format!("mesh {index}");
        let vertices = range(location, "vertices", first, count, self.vertices.count)?;
        let own = range(
            location,
            "triangles",
            first_triangle,
            triangle_count,
            triangles.len(),
        )?;
        let reverse = |triangle: &[u32; 3]| reversed(triangle, first, count, index);
        let triangles = triangles[own].iter().map(reverse);
        let name = self.header.names.at(name, location)?;
        let material = self.header.names.at(material, location)?;
        let (tangents, bitangents) = self.vertices.tangents(vertices.clone());
        Ok(Mesh {
            positions: self.vertices.positions(vertices.clone()),
            normals: self.vertices.normals(vertices.clone()),
            tangents,
            bitangents,
            uv_sets: sets(self.vertices.uvs(vertices.clone())),
            color_sets: sets(self.vertices.colors(vertices.clone())),
            triangles: triangles.collect::<Result<_, _>>()?,
            influences: self.vertices.influences(vertices),
            material: self.surfaces.named(&material),
            name,
            ..Mesh::default()
        })
    }
}

/// No set if it would be empty.
fn sets<T>(only: Vec<T>) -> Vec<Vec<T>> {
    if only.is_empty() {
        Vec::new()
    } else {
        vec![only]
    }
}

fn within(most: u64, what: &'static str, count: u64, of: usize) -> Result<(), Damage> {
    if count <= (of as u64).saturating_mul(most) {
        Ok(())
    } else {
        Err(Damage::TooMany { what, count })
    }
}

/// Counter-clockwise, which is clockwise in the file, and counted within the mesh.
fn reversed(
    &[a, b, c]: &[u32; 3],
    first: u32,
    count: u32,
    mesh: usize,
) -> Result<[u32; 3], Damage> {
    let own = |corner: u32| {
        let within = corner.checked_sub(first).filter(|&own| own < count);
        within.ok_or_else(|| Damage::NotThere {
            location: format!("a triangle of mesh {mesh}"),
            what: "its vertex",
            number: i64::from(corner) - i64::from(first),
            count: count as usize,
        })
    };
    Ok([own(a)?, own(c)?, own(b)?])
}
