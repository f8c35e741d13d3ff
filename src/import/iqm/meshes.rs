//! Meshes, and what they are made of.

use super::bytes::{Bytes, Damage, range};
use super::header::Header;
use super::vertices::Vertices;
use crate::import::surfaces::Surfaces;
use crate::rig::Mesh;

/// Times that the vertices or triangles of a file may be used by its meshes, on average: honest ones use each once.
const MOST_USES: u64 = 16;

/// All meshes; their materials are added to `surfaces`.
///
/// # Errors
///
/// [`Damage`] if a list is not there, or a mesh takes vertices or triangles that are not.
pub(super) fn read_all(
    file: Bytes<'_>,
    header: &Header<'_>,
    vertices: &Vertices,
    surfaces: &mut Surfaces<'_>,
) -> Result<Vec<Mesh>, Damage> {
    let triangles = file.records("the triangles", header.triangles)?;
    let records: Vec<[u32; 6]> = file.records("the meshes", header.meshes)?;
    let used = |part: usize| records.iter().map(|record| u64::from(record[part])).sum();
    within("the vertices of meshes", used(3), vertices.count)?;
    within("the triangles of meshes", used(5), triangles.len())?;
    let mut meshes = Vec::with_capacity(records.len());
    for (index, [name, material, first, count, first_triangle, triangle_count]) in
        records.into_iter().enumerate()
    {
        let location = || format!("mesh {index}");
        let own = range(location, "vertices", first, count, vertices.count)?;
        let of_mesh = range(
            location,
            "triangles",
            first_triangle,
            triangle_count,
            triangles.len(),
        )?;
        let reverse = |triangle: &[u32; 3]| reversed(triangle, first, count, index);
        let (tangents, bitangents) = vertices.tangents(own.clone());
        meshes.push(Mesh {
            name: header.names.at(name, location)?,
            material: surfaces.named(&header.names.at(material, location)?),
            positions: vertices.positions(own.clone()),
            normals: vertices.normals(own.clone()),
            tangents,
            bitangents,
            uv_sets: sets(vertices.uvs(own.clone())),
            color_sets: sets(vertices.colors(own.clone())),
            triangles: (triangles[of_mesh].iter().map(reverse)).collect::<Result<_, _>>()?,
            influences: vertices.influences(own),
            ..Mesh::default()
        });
    }
    Ok(meshes)
}

/// No set if it would be empty.
fn sets<T>(only: Vec<T>) -> Vec<Vec<T>> {
    if only.is_empty() {
        Vec::new()
    } else {
        vec![only]
    }
}

fn within(what: &'static str, count: u64, of: usize) -> Result<(), Damage> {
    if count <= (of as u64).saturating_mul(MOST_USES) {
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
