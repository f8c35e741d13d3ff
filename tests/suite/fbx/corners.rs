//! Compares every corner of every polygon with ufbx's own lists.

use skincheck::rig::{Asset, Mesh};

use super::evaluated::{models, raw};
use super::load;

/// Position, normal, and the first texture coordinates, as bits; zeros where there are none.
type Corner = [u32; 8];

fn bits(numbers: [f64; 8]) -> Corner {
    #[expect(clippy::cast_possible_truncation, reason = "as the model stores them")]
    numbers.map(|number| (number as f32).to_bits())
}

/// The corners of all visible triangles of `asset`, sorted.
fn corners_of(asset: &Asset) -> Vec<Corner> {
    let meshes = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let mut corners: Vec<Corner> = meshes.flat_map(corners_of_mesh).collect();
    corners.sort_unstable();
    corners
}

fn corners_of_mesh(mesh: &Mesh) -> impl Iterator<Item = Corner> {
    mesh.triangles.iter().flatten().map(|&vertex| {
        let vertex = vertex as usize;
        let position = mesh.positions[vertex];
        let normal = mesh.normals.get(vertex).copied().unwrap_or_default();
        let uv = mesh.uv_sets.first().map(|set| set[vertex]);
        let uv = uv.unwrap_or_default();
        let all = [
            position.x, position.y, position.z, normal.x, normal.y, normal.z, uv.x, uv.y,
        ];
        all.map(f32::to_bits)
    })
}

/// The same from ufbx.
fn corners_in(scene: &ufbx::Scene) -> Vec<Corner> {
    let mut corners = Vec::new();
    for node in &scene.nodes {
        for mesh in node
            .all_attribs
            .into_iter()
            .filter_map(|a| ufbx::as_mesh(a))
        {
            let mut triangles = Vec::new();
            for &face in &mesh.faces {
                let count = ufbx::triangulate_face_vec(&mut triangles, mesh, face) as usize;
                let indices = triangles[..count * 3].iter();
                corners.extend(indices.map(|&index| corner_in(mesh, index as usize)));
            }
        }
    }
    corners.sort_unstable();
    corners
}

fn corner_in(mesh: &ufbx::Mesh, index: usize) -> Corner {
    let position = mesh.vertex_position[index];
    let normal = if mesh.vertex_normal.exists {
        mesh.vertex_normal[index]
    } else {
        ufbx::Vec3::default()
    };
    let (u, v) = if mesh.vertex_uv.exists {
        let uv = mesh.vertex_uv[index];
        (uv.x, 1.0 - uv.y)
    } else {
        (0.0, 0.0)
    };
    let (p, n) = (position, normal);
    bits([p.x, p.y, p.z, n.x, n.y, n.z, u, v])
}

#[test]
fn every_corner_is_what_the_file_says() {
    for path in models() {
        // ufbx's defaults repair its invalid index.
        let same = corners_of(&load(&path)) == corners_in(&raw(&path));
        assert!(same, "{}", path.display());
    }
}

/// Joins all vertices at the same position.
fn joined_by_position(mut asset: Asset) -> Asset {
    for mesh in &mut asset.meshes {
        let positions = &mesh.positions;
        let first = |vertex: u32| {
            let position = positions[vertex as usize];
            let found = positions.iter().position(|&other| other == position);
            u32::try_from(found.expect("it is itself there")).expect("meshes are small")
        };
        for corner in mesh.triangles.iter_mut().flatten() {
            *corner = first(*corner);
        }
    }
    asset
}

#[test]
fn corners_joined_by_position_alone_are_caught() {
    let path = crate::program::fixture("fbx/seam.fbx");
    let joined = joined_by_position(load(&path));
    assert_ne!(corners_of(&joined), corners_in(&raw(&path)));
}

#[test]
fn corners_that_agree_in_everything_are_one_vertex() {
    // Two quads of two triangles. The edge between the quads is a texture seam, their diagonals are not.
    let asset = load(&crate::program::fixture("fbx/seam.fbx"));
    let mesh = &asset.meshes[0];
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 4));
}
