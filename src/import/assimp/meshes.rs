//! Vertices and triangles.

use glam::{Vec2, Vec4};
use russimp::sys::{aiColor4D, aiMesh, aiScene, aiVector3D};

use super::math::vec3s;
use super::morphs;
use super::names;
use super::nodes::Nodes;
use super::raw::Raw;
use super::skins::Skins;
use crate::import::notes::Notes;
use crate::import::weld::weld;
use crate::rig::Format;
use crate::rig::{MaterialId, Mesh, SkinId};
use crate::units::amount;

/// A mesh and what deforms it.
pub(super) struct BoundMesh {
    /// The mesh, with its influences.
    pub(super) mesh: Mesh,
    /// `None` for a mesh without bones.
    pub(super) skin: Option<SkinId>,
}

/// Reads all meshes with their influences; their skins are added to `skins`.
pub(super) fn read_all(
    scene: Raw<'_, aiScene>,
    format: Format,
    materials: usize,
    hierarchy: &Nodes<'_>,
    skins: &mut Skins,
    notes: &mut Notes,
) -> Vec<BoundMesh> {
    let bound = |raw: Option<Raw<'_, aiMesh>>| {
        let Some(raw) = raw else {
            return BoundMesh {
                mesh: Mesh::default(),
                skin: None,
            };
        };
        let mut mesh = read(raw, format.vertex_colors(), materials, notes);
        let binding = skins.bind(raw, hierarchy, notes);
        mesh.influences = binding.influences;
        if !format.keeps_vertices() {
            weld(&mut mesh);
        }
        BoundMesh {
            mesh,
            skin: binding.skin,
        }
    };
    scene.meshes().map(bound).collect()
}

/// Reads `mesh` without its influences.
///
/// * `linear` – converts the file's vertex colours to linear light; `None` to omit them.
/// * `materials` – how many there are.
fn read(
    mesh: Raw<'_, aiMesh>,
    linear: Option<fn(Vec4) -> Vec4>,
    materials: usize,
    notes: &mut Notes,
) -> Mesh {
    let name = names::text(&mesh.mName);
    let location = format!("mesh {name:?}");
    let material = mesh.mMaterialIndex as usize;
    Mesh {
        positions: vec3s(mesh.vertices()),
        normals: vec3s(mesh.normals()),
        tangents: tangents(mesh, mesh.tangents()),
        bitangents: tangents(mesh, mesh.bitangents()),
        uv_sets: used(mesh.texture_coordinates())
            .map(|set| set.iter().map(uv).collect())
            .collect(),
        color_sets: linear.map_or_else(Vec::new, |linear| {
            let of_set = |set: &[aiColor4D]| set.iter().map(|color| linear(rgba(color))).collect();
            used(mesh.colors()).map(of_set).collect()
        }),
        triangles: triangles(mesh, &location, notes),
        morph_targets: morphs::read(mesh, &location, notes),
        material: (material < materials).then(|| MaterialId::from_index(material)),
        name,
        ..Mesh::default()
    }
}

/// The sets up to the last one with data. Materials refer to sets by index, so a gap stays, as an empty set.
fn used<'a, T: 'a>(sets: impl Iterator<Item = &'a [T]>) -> impl Iterator<Item = &'a [T]> {
    let mut sets: Vec<&[T]> = sets.collect();
    while sets.last().is_some_and(|set| set.is_empty()) {
        sets.pop();
    }
    sets.into_iter()
}

/// The tangents, or the bitangents: `list`, if the mesh has both.
fn tangents(mesh: Raw<'_, aiMesh>, list: &[aiVector3D]) -> Vec<glam::Vec3> {
    if mesh.tangents().len() == mesh.bitangents().len() {
        vec3s(list)
    } else {
        Vec::new()
    }
}

/// In assimp, v grows upwards; in an asset, downwards.
fn uv(v: &aiVector3D) -> Vec2 {
    Vec2::new(v.x, 1.0 - v.y)
}

fn rgba(color: &aiColor4D) -> Vec4 {
    Vec4::new(color.r, color.g, color.b, color.a)
}

fn triangles(mesh: Raw<'_, aiMesh>, location: &str, notes: &mut Notes) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(mesh.mNumFaces as usize);
    let (mut flat, mut large, mut broken) = (0_usize, 0_usize, 0_usize);
    for face in mesh.faces() {
        match *face.indices() {
            [a, b, c] if [a, b, c].iter().all(|corner| *corner < mesh.mNumVertices) => {
                triangles.push([a, b, c]);
            }
            [_, _, _] => broken += 1,
            [] | [_] | [_, _] => flat += 1,
            _ => large += 1,
        }
    }
    let mut note = |count: usize, which: &str| {
        if count > 0 {
            notes.add(
                location,
                format!("skipped {} {which}", amount(count, "face")),
            );
        }
    };
    note(flat, "of one or two corners");
    note(large, "that could not be triangulated");
    note(broken, "with vertices that do not exist");
    triangles
}
