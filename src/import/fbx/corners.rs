//! Builds vertices from corners of polygons.
//!
//! A control point of FBX is a position (with weights and morph offsets); normals, texture coordinates and colours belong
//! to the corners of polygons. Corners of one control point that agree in all of them, bit by bit, become one vertex.
//! Vertices come in the order of their control points, which is the file's.

use std::cmp::Ordering;

use glam::{Vec2, Vec3, Vec4};
use ufbx::{Mesh, MeshPart};

use super::math::vec3;
use crate::import::color::linear_from_srgb;
use crate::import::rounding::f32_of;

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
pub(super) struct Corners<'a> {
    mesh: &'a Mesh,
    vectors: [Option<Attribute<'a, Vec3>>; 3],
    uv_sets: Vec<Attribute<'a, Vec2>>,
    color_sets: Vec<Attribute<'a, Vec4>>,
}

/// The vertices of a part of a mesh.
pub(super) struct Vertices {
    /// The control point of each vertex.
    pub(super) control_points: Vec<u32>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec3>,
    pub(super) bitangents: Vec<Vec3>,
    pub(super) uv_sets: Vec<Vec<Vec2>>,
    pub(super) color_sets: Vec<Vec<Vec4>>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Faces with a corner that has no control point.
    pub(super) broken: usize,
    /// Faces of fewer than three corners.
    pub(super) flat: usize,
}

impl<'a> Corners<'a> {
    pub(super) fn of(mesh: &'a Mesh) -> Self {
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
    pub(super) fn part(&self, part: &MeshPart) -> Vertices {
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
            normals,
            tangents,
            bitangents,
            uv_sets: uv_sets.map(|set| set.gather(&representatives)).collect(),
            color_sets: color_sets.map(|set| set.gather(&representatives)).collect(),
            triangles: vertex_of.as_chunks::<3>().0.to_vec(),
            broken,
            flat,
        }
    }

    fn control_point(&self, corner: u32) -> u32 {
        let known = self.mesh.vertex_indices.get(corner as usize);
        let known = known.filter(|&&point| (point as usize) < self.mesh.vertices.count);
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
        let vectors = self.vectors.iter().flatten();
        let vectors = vectors.map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
        let uvs = self.uv_sets.iter();
        let uvs = uvs.map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
        let colors = self.color_sets.iter();
        let colors = colors.map(|list| list.compare(a, b, |v| v.to_array().map(f32::to_bits)));
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
