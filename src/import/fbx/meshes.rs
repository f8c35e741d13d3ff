//! Geometry: one mesh for each material of each geometry, and the nodes that show it.

use std::collections::BTreeMap;

use ufbx::MeshPart;

use super::corners::{Corners, Vertices};
use super::materials::{Materials, id_of};
use super::math::vec3;
use super::morphs::{self, Shapes};
use super::nodes::{Nodes, Shown};
use super::origins::of_object;
use super::skins::{Binding, Skins};
use crate::import::notes::Notes;
use crate::import::rounding::f32_of;
use crate::import::source::Skin;
use crate::rig::{Influences, MaterialId, Mesh, MeshId, MeshInstance};
use crate::units::amount;

/// Everything that the nodes show.
pub(super) struct Meshes<'a> {
    pub(super) list: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    /// The objects of the file that `list` comes from.
    pub(super) origins: Vec<String>,
    /// The objects of the file that `skins` come from.
    pub(super) skin_origins: Vec<String>,
    /// In the order of their joints.
    pub(super) instances: Vec<MeshInstance>,
    /// The shapes of each joint whose meshes have morph targets.
    pub(super) shapes: Vec<Shapes<'a>>,
}

/// Reads the meshes that the nodes show. A mesh that several nodes show with one material is read once.
pub(super) fn read_all<'a>(
    nodes: &Nodes<'a>,
    materials: &mut Materials,
    notes: &mut Notes,
) -> Meshes<'a> {
    let mut reader = Reader {
        nodes,
        materials,
        notes,
        skins: Skins::default(),
        geometries: BTreeMap::new(),
        known: BTreeMap::new(),
        meshes: Vec::new(),
        origins: Vec::new(),
    };
    let mut instances = Vec::new();
    for shown in &nodes.shown {
        instances.extend(reader.instances(shown));
    }
    let shapes = nodes.shown.iter();
    Meshes {
        list: reader.meshes,
        origins: reader.origins,
        skins: reader.skins.list,
        skin_origins: reader.skins.origins,
        instances,
        shapes: shapes
            .filter_map(|shown| Shapes::of(shown.joint, shown.mesh))
            .collect(),
    }
}

/// The data that all meshes of a geometry share.
struct Geometry<'a> {
    name: String,
    location: String,
    mesh: &'a ufbx::Mesh,
    corners: Corners<'a>,
    binding: Option<Binding>,
    rest_weights: Vec<f32>,
}

/// A part of a geometry with a material.
type Key = (u32, u32, Option<MaterialId>);

struct Reader<'a, 'b> {
    nodes: &'b Nodes<'a>,
    materials: &'b mut Materials,
    notes: &'b mut Notes,
    skins: Skins,
    /// By the number of the geometry.
    geometries: BTreeMap<u32, Geometry<'a>>,
    known: BTreeMap<Key, MeshId>,
    meshes: Vec<Mesh>,
    /// The origins of each mesh.
    origins: Vec<String>,
}

impl<'a> Reader<'a, '_> {
    /// The instances of a mesh: one per material that its faces use.
    fn instances(&mut self, shown: &Shown<'a>) -> Vec<MeshInstance> {
        let number = shown.mesh.element.typed_id;
        if !self.geometries.contains_key(&number) {
            let geometry = self.geometry(shown);
            self.geometries.insert(number, geometry);
        }
        let parts = shown.mesh.material_parts.iter();
        let parts = parts.filter(|part| part.num_faces > 0);
        let mut instances = Vec::new();
        for part in parts {
            let material = material_of(shown, part);
            let Some(mesh) = self.mesh((number, part.index, material), part) else {
                continue;
            };
            let geometry = &self.geometries[&number];
            instances.push(MeshInstance {
                node: shown.joint,
                mesh,
                skin: geometry.binding.as_ref().map(|binding| binding.skin),
                morph_weights: geometry.rest_weights.clone(),
            });
        }
        instances
    }

    fn geometry(&mut self, shown: &Shown<'a>) -> Geometry<'a> {
        let mesh = shown.mesh;
        let name = name_of(shown);
        let location = format!("mesh {name:?}");
        if mesh.cache_deformers.count > 0 {
            let message = "is deformed by a cache file, which is not supported";
            self.notes.add(&location, message);
        }
        Geometry {
            binding: self.skins.bind(mesh, self.nodes, &location, self.notes),
            corners: Corners::of(mesh),
            rest_weights: morphs::rest_weights(mesh).into_iter().map(f32_of).collect(),
            name,
            location,
            mesh,
        }
    }

    /// `None` if the part has no triangle.
    fn mesh(&mut self, key: Key, part: &MeshPart) -> Option<MeshId> {
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let geometry = &self.geometries[&key.0];
        let vertices = geometry.corners.part(part);
        note_odd_faces(&vertices, &geometry.location, self.notes);
        if vertices.triangles.is_empty() {
            return None;
        }
        let mut mesh = geometry.with(vertices, self.notes);
        mesh.material = key.2;
        if let Some(material) = key.2 {
            let raw = geometry.mesh;
            self.materials
                .map_texture(material, raw, &mut mesh, self.notes);
        }
        let id = MeshId::from_index(self.meshes.len());
        self.meshes.push(mesh);
        let object = &self.geometries[&key.0].mesh.element;
        self.origins.push(of_object("Geometry", object));
        self.known.insert(key, id);
        Some(id)
    }
}

/// The name of the geometry; else of its node. Most programs name only the node.
pub(super) fn name_of(shown: &Shown<'_>) -> String {
    let names = [&shown.mesh.element.name, &shown.node.element.name];
    let name = names.into_iter().find(|name| !name.is_empty());
    name.map(ToString::to_string).unwrap_or_default()
}

/// The material of the node, else of the geometry: nodes that share a geometry may have different materials.
fn material_of(shown: &Shown<'_>, part: &MeshPart) -> Option<MaterialId> {
    let slot = part.index as usize;
    let mut lists = [&shown.node.materials, &shown.mesh.materials].into_iter();
    let material = lists.find_map(|list| list.as_ref().get(slot))?;
    Some(id_of(material))
}

impl Geometry<'_> {
    fn with(&self, vertices: Vertices, notes: &mut Notes) -> Mesh {
        let points = &vertices.control_points;
        let position = |&point: &u32| vec3(self.mesh.vertices[point as usize]);
        let influences = self.binding.as_ref().map(|binding| {
            let of_point = |&point: &u32| binding.influences.of(point as usize).to_vec();
            Influences::from_vertices(points.iter().map(of_point))
        });
        let blending = self.binding.as_ref().map(|binding| {
            let points: Vec<usize> = points.iter().map(|&point| point as usize).collect();
            binding.blending.picked(&points)
        });
        let storage = self.binding.as_ref().map(|binding| binding.storage);
        Mesh {
            name: self.name.clone(),
            positions: points.iter().map(position).collect(),
            quantized: false,
            influences: influences.unwrap_or_default(),
            weight_storage: storage.unwrap_or_default(),
            blending: blending.unwrap_or_default(),
            morph_targets: morphs::targets_for(self.mesh, points, &self.location, notes),
            normals: vertices.normals,
            tangents: vertices.tangents,
            bitangents: vertices.bitangents,
            uv_sets: vertices.uv_sets,
            color_sets: vertices.color_sets,
            triangles: vertices.triangles,
            material: None,
        }
    }
}

fn note_odd_faces(vertices: &Vertices, location: &str, notes: &mut Notes) {
    let mut note = |count: usize, of: &str| {
        if count > 0 {
            notes.add(location, format!("skipped {} {of}", amount(count, "face")));
        }
    };
    note(vertices.flat, "with one or two corners");
    note(vertices.broken, "with vertices that do not exist");
}
