//! Geometry: one mesh for each material of each geometry, and the nodes that show it.
//!
//! A control point of FBX is a position (with weights and morph offsets); normals, texture coordinates and colours belong
//! to the corners of polygons. Corners of one control point that agree in all of them, bit by bit, become one vertex.
//! Vertices come in the order of their control points, which is the file's.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use glam::{Vec2, Vec3, Vec4};
use ufbx::MeshPart;

use super::deformers::{self, Binding, Shapes, Skins};
use super::load::{of_object, vec3};
use super::materials::{Materials, id_of};
use super::nodes::{Nodes, Shown};
use crate::log::Notes;
use crate::rig::{Influences, MaterialId, Mesh, MeshId, MeshInstance, PrimitiveId};
use crate::surfaces::linear_from_srgb;
use crate::units::amount;
use crate::vertices::f32_of;

/// Everything that the nodes show.
#[derive(Default)]
pub(super) struct Meshes<'a> {
    pub(super) list: Vec<Mesh>,
    pub(super) skins: Skins,
    /// The objects of the file that `list` comes from.
    pub(super) origins: Vec<String>,
    pub(super) primitives: Vec<PrimitiveId>,
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
        geometries: BTreeMap::new(),
        known: BTreeMap::new(),
        made: Meshes::default(),
    };
    for shown in &nodes.shown {
        reader.add_instances(shown);
        let shapes = Shapes::of(shown.joint, shown.mesh);
        reader.made.shapes.extend(shapes);
    }
    reader.made
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
    /// By the number of the geometry.
    geometries: BTreeMap<u32, Geometry<'a>>,
    known: BTreeMap<Key, MeshId>,
    made: Meshes<'a>,
}

/// The part of a mesh that one of its materials covers.
pub(super) fn primitive(mesh: &ufbx::Mesh, part: &MeshPart) -> PrimitiveId {
    PrimitiveId::from_indices(mesh.element.typed_id as usize, part.index as usize)
}

impl<'a> Reader<'a, '_> {
    /// Adds the instances of a mesh: one per material that its faces use.
    fn add_instances(&mut self, shown: &Shown<'a>) {
        let number = shown.mesh.element.typed_id;
        if !self.geometries.contains_key(&number) {
            let geometry = self.geometry(shown);
            self.geometries.insert(number, geometry);
        }
        let parts = shown.mesh.material_parts.iter();
        for part in parts.filter(|part| part.num_faces > 0) {
            let material = material_of(shown, part);
            let Some(mesh) = self.mesh((number, part.index, material), part) else {
                continue;
            };
            let geometry = &self.geometries[&number];
            self.made.instances.push(MeshInstance {
                node: shown.joint,
                mesh,
                skin: geometry.binding.as_ref().map(|binding| binding.skin),
                morph_weights: geometry.rest_weights.clone(),
            });
        }
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
            binding: self
                .made
                .skins
                .bind(mesh, self.nodes, &location, self.notes),
            corners: Corners::of(mesh),
            rest_weights: deformers::rest_weights(mesh)
                .into_iter()
                .map(f32_of)
                .collect(),
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
        if vertices.mesh.triangles.is_empty() {
            return None;
        }
        let mut mesh = geometry.mesh_of(vertices, key.2, self.notes);
        if let Some(material) = key.2 {
            let raw = geometry.mesh;
            self.materials
                .map_texture(material, raw, &mut mesh, self.notes);
        }
        let shown = geometry.mesh;
        let id = MeshId::from_index(self.made.list.len());
        self.made.list.push(mesh);
        let origin = of_object("Geometry", &shown.element);
        self.made.origins.push(origin);
        self.made.primitives.push(primitive(shown, part));
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
    fn mesh_of(&self, vertices: Vertices, material: Option<MaterialId>, notes: &mut Notes) -> Mesh {
        let points = &vertices.control_points;
        let position = |&point: &u32| vec3(self.mesh.vertices[point as usize]);
        let mut mesh = Mesh {
            name: self.name.clone(),
            positions: points.iter().map(position).collect(),
            morph_targets: deformers::targets_for(self.mesh, points, &self.location, notes),
            material,
            ..vertices.mesh
        };
        if let Some(binding) = &self.binding {
            let indices: Vec<usize> = points.iter().map(|&point| point as usize).collect();
            let lists = indices.iter().map(|&point| binding.influences.of(point));
            mesh.influences = Influences::from_vertices(lists.map(<[_]>::to_vec));
            mesh.blending = binding.blending.picked(&indices);
            mesh.weight_storage = binding.storage;
        }
        mesh
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

/// ufbx's mark for an index that is out of range.
const NO_INDEX: u32 = u32::MAX;

/// An attribute: its values, and each corner's index into them.
struct Attribute<'a, T> {
    values: Vec<T>,
    indices: &'a [u32],
}

impl<T: Copy + Default> Attribute<'_, T> {
    /// The value at `corner`; zero if its index is out of range.
    fn of(&self, corner: u32) -> T {
        let index = self.indices.get(corner as usize);
        let value = index.and_then(|&index| self.values.get(index as usize));
        value.copied().unwrap_or_default()
    }

    /// Orders the values of two corners by their `bits`. Equal values mostly have equal indices, which is cheaper to
    /// test.
    fn compare<B: Ord>(&self, a: u32, b: u32, bits: impl Fn(T) -> B) -> Ordering {
        match [a, b].map(|corner| self.indices.get(corner as usize)) {
            [Some(a), Some(b)] if a == b => Ordering::Equal,
            _ => bits(self.of(a)).cmp(&bits(self.of(b))),
        }
    }

    fn gather(&self, corners: &[u32]) -> Vec<T> {
        corners.iter().map(|&corner| self.of(corner)).collect()
    }
}

/// The attributes of the corners of a mesh, in the asset's conventions.
struct Corners<'a> {
    mesh: &'a ufbx::Mesh,
    vectors: [Option<Attribute<'a, Vec3>>; 3],
    uv_sets: Vec<Attribute<'a, Vec2>>,
    color_sets: Vec<Attribute<'a, Vec4>>,
}

/// The vertices of a part of a mesh.
struct Vertices {
    /// The control point of each vertex.
    control_points: Vec<u32>,
    /// Their attributes and triangles.
    mesh: Mesh,
    /// Faces with a corner that has no control point.
    broken: usize,
    /// Faces of fewer than three corners.
    flat: usize,
}

impl<'a> Corners<'a> {
    fn of(mesh: &'a ufbx::Mesh) -> Self {
        let vectors = |list: &'a ufbx::VertexVec3| {
            list.exists.then(|| Attribute {
                values: list.values.iter().copied().map(vec3).collect(),
                indices: &list.indices,
            })
        };
        let uvs = |set: &'a ufbx::UvSet| Attribute {
            values: set.vertex_uv.values.iter().map(uv).collect(),
            indices: &set.vertex_uv.indices,
        };
        let colors = |set: &'a ufbx::ColorSet| Attribute {
            values: set.vertex_color.values.iter().map(color).collect(),
            indices: &set.vertex_color.indices,
        };
        // A tangent without a bitangent, or the reverse, makes no frame.
        let both = mesh.vertex_tangent.exists && mesh.vertex_bitangent.exists;
        let (tangents, bitangents) = (&mesh.vertex_tangent, &mesh.vertex_bitangent);
        Self {
            mesh,
            vectors: [
                vectors(&mesh.vertex_normal),
                vectors(tangents).filter(|_| both),
                vectors(bitangents).filter(|_| both),
            ],
            uv_sets: mesh.uv_sets.iter().map(uvs).collect(),
            color_sets: mesh.color_sets.iter().map(colors).collect(),
        }
    }

    /// The triangles of `part` and the vertices that they need.
    fn part(&self, part: &MeshPart) -> Vertices {
        let (corners, broken, flat) = self.triangulate(part);
        let (representatives, vertex_of) = self.classes(&corners);
        let gather = |attribute: &Option<Attribute<'_, Vec3>>| match attribute {
            Some(attribute) => attribute.gather(&representatives),
            None => Vec::new(),
        };
        let [normals, tangents, bitangents] = self.vectors.each_ref().map(gather);
        let uv_sets = self.uv_sets.iter();
        let color_sets = self.color_sets.iter();
        let points = representatives.iter();
        Vertices {
            control_points: points.map(|&corner| self.control_point(corner)).collect(),
            mesh: Mesh {
                normals,
                tangents,
                bitangents,
                uv_sets: uv_sets.map(|set| set.gather(&representatives)).collect(),
                color_sets: color_sets.map(|set| set.gather(&representatives)).collect(),
                triangles: vertex_of.as_chunks::<3>().0.to_vec(),
                ..Mesh::default()
            },
            broken,
            flat,
        }
    }

    fn control_point(&self, corner: u32) -> u32 {
        let known = self
            .mesh
            .vertex_indices
            .get(corner as usize)
            .filter(|&&point| (point as usize) < self.mesh.vertices.count);
        known.copied().unwrap_or(NO_INDEX)
    }

    /// The corners of all triangles, three each; how many faces have a corner without a control point, and how many have
    /// fewer than three corners. ufbx cuts the other polygons into triangles.
    fn triangulate(&self, part: &MeshPart) -> (Vec<u32>, usize, usize) {
        let mut corners = Vec::with_capacity(part.num_triangles.saturating_mul(3));
        let (mut broken, mut flat) = (0, 0);
        let mut fan = Vec::new();
        for &face in &part.face_indices {
            let Some(&face) = self.mesh.faces.get(face as usize) else {
                continue;
            };
            let mut own = face.index_begin..face.index_begin + face.num_indices;
            if face.num_indices < 3 {
                flat += 1;
            } else if own.any(|corner| self.control_point(corner) == NO_INDEX) {
                broken += 1;
            } else if face.num_indices == 3 {
                corners.extend(face.index_begin..face.index_begin + 3);
            } else {
                let triangles = ufbx::triangulate_face_vec(&mut fan, self.mesh, face);
                corners.extend_from_slice(&fan[..triangles as usize * 3]);
            }
        }
        (corners, broken, flat)
    }

    /// One representative for each class of equal corners, and for each of `corners` the index of its class.
    ///
    /// Sorts the corners and starts a class wherever a corner differs from the one before: O(n log n), with the same
    /// result on every platform, which hashing would not promise as cheaply.
    fn classes(&self, corners: &[u32]) -> (Vec<u32>, Vec<u32>) {
        // Sorting by control point first puts the vertices in the order of their control points; then by attributes makes
        // equal corners neighbours; then by index makes the first corner of a class its representative.
        let mut order: Vec<(u32, u32)> = (0_u32..)
            .zip(corners)
            .map(|(index, &corner)| (self.control_point(corner), index))
            .collect();
        let corner = |(_, index): (u32, u32)| corners[index as usize];
        order.sort_unstable_by(|&a, &b| {
            let points = a.0.cmp(&b.0);
            points
                .then_with(|| self.compare(corner(a), corner(b)))
                .then(a.1.cmp(&b.1))
        });
        let mut representatives: Vec<u32> = Vec::new();
        let mut vertex_of = vec![0; corners.len()];
        let mut last: Option<(u32, u32)> = None;
        for &entry in &order {
            let is_same = last.is_some_and(|last| {
                last.0 == entry.0 && self.compare(corner(last), corner(entry)).is_eq()
            });
            if !is_same {
                representatives.push(corner(entry));
            }
            last = Some(entry);
            // There are no more vertices than corners, and ufbx counts corners in 32 bits.
            let vertex = u32::try_from(representatives.len() - 1).unwrap_or(NO_INDEX);
            vertex_of[entry.1 as usize] = vertex;
        }
        (representatives, vertex_of)
    }

    /// Orders corners by the bits of their attributes: NaN equals itself, and 0 differs from -0.
    fn compare(&self, a: u32, b: u32) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let vectors = self
            .vectors
            .iter()
            .flatten()
            .map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
        let uvs = self
            .uv_sets
            .iter()
            .map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
        let colors = self
            .color_sets
            .iter()
            .map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
        let mut all = vectors.chain(uvs).chain(colors);
        all.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// In FBX, v grows upwards; in an asset, downwards.
fn uv(v: &ufbx::Vec2) -> Vec2 {
    Vec2::new(f32_of(v.x), f32_of(1.0 - v.y))
}

fn color(v: &ufbx::Vec4) -> Vec4 {
    let color = Vec4::new(f32_of(v.x), f32_of(v.y), f32_of(v.z), f32_of(v.w));
    linear_from_srgb(color)
}
