//! `<geometry>`: corners of faces, each with an index into several lists.

use std::rc::Rc;

use glam::{Vec2, Vec3, Vec4};
use roxmltree::Node;

use super::document::{Document, child, children, integers, is, name};
use super::error::{Failure, Unclear};
use super::polygon;
use super::table::Table;
use crate::import::color::linear_from_srgb;
use crate::import::rounding::f32_of;
use crate::rig::Mesh;

/// Most sets of texture coordinates or colours of a mesh; no exporter writes more than eight.
const MAX_SETS: usize = 16;

/// A geometry as the file stores it.
pub(super) struct Geometry<'a> {
    /// The name, else the id.
    pub(super) name: String,
    /// One row per vertex.
    pub(super) positions: Rc<Table>,
    pub(super) groups: Vec<Group<'a>>,
    /// Lines and line strips.
    pub(super) lines: usize,
}

/// Faces of one material.
pub(super) struct Group<'a> {
    pub(super) material: &'a str,
    /// One vertex per corner of a face, with its own attributes.
    pub(super) mesh: Mesh,
    /// The row of each corner's position.
    pub(super) rows: Vec<u32>,
    /// Faces that refer to missing data.
    pub(super) broken: usize,
}

/// The attribute that an input is read as.
#[derive(Clone, Copy, PartialEq)]
enum Semantic {
    Position,
    Normal,
    Tangent,
    Bitangent,
    Uv(usize),
    Color(usize),
}

/// An input: a list, and the offset of its index among the indices of a corner.
struct Input {
    semantic: Semantic,
    offset: usize,
    table: Rc<Table>,
}

impl<'a> Geometry<'a> {
    /// Reads `geometry`; `None` if it is a spline or another shape without faces.
    pub(super) fn read(
        document: &Document<'a>,
        geometry: Node<'a, 'a>,
    ) -> Result<Option<Self>, Failure> {
        let at = |element| move |why| Failure::at(element, why);
        let shape = ["mesh", "convex_mesh"].into_iter();
        let Some(mesh) = { shape }.find_map(|kind| child(geometry, kind)) else {
            return Ok(None);
        };
        let Some(vertices) = child(mesh, "vertices") else {
            return Ok(None);
        };
        let positions = document.required(vertices, "vertices", "POSITION");
        let positions = positions.and_then(|source| document.table(source));
        let positions = positions.map_err(at(geometry))?;
        let mut read = Self {
            name: name(geometry).unwrap_or_default().to_owned(),
            positions,
            groups: Vec::new(),
            lines: 0,
        };
        for primitives in mesh.children().filter(Node::is_element) {
            match primitives.tag_name().name() {
                "lines" | "linestrips" => read.lines += 1,
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {
                    let group = Group::read(document, primitives, vertices, &read);
                    read.groups.push(group.map_err(at(geometry))?);
                }
                _ => {}
            }
        }
        Ok(Some(read))
    }

    /// Position number `row`.
    pub(super) fn position(&self, row: usize) -> Vec3 {
        vec3(self.positions.row(row))
    }
}

impl<'a> Group<'a> {
    fn read(
        document: &Document<'a>,
        primitives: Node<'a, 'a>,
        vertices: Node<'a, 'a>,
        geometry: &Geometry<'a>,
    ) -> Result<Self, Unclear> {
        let (inputs, stride) = inputs(document, primitives, vertices)?;
        let faces = faces(primitives, stride)?;
        let mut group = Self {
            material: primitives.attribute("material").unwrap_or_default(),
            mesh: Mesh {
                name: geometry.name.clone(),
                ..Mesh::default()
            },
            rows: Vec::new(),
            broken: 0,
        };
        let corners: usize = faces.iter().map(Vec::len).sum::<usize>() / stride;
        document.spend(corners.saturating_mul(inputs.len()))?;
        let position = inputs
            .iter()
            .find(|input| input.semantic == Semantic::Position);
        let position = position.ok_or(Unclear::NoInput {
            element: "vertices",
            semantic: "POSITION",
        })?;
        let exists = |corner: &[u32]| {
            let rows = inputs
                .iter()
                .map(|input| (corner[input.offset], &input.table));
            { rows }.all(|(row, table)| (row as usize) < table.rows())
        };
        for face in &faces {
            if !face.chunks_exact(stride).all(exists) {
                group.broken += 1;
                continue;
            }
            let corners = face.chunks_exact(stride);
            let rows: Vec<u32> = corners
                .clone()
                .map(|corner| corner[position.offset])
                .collect();
            let first = u32::try_from(group.rows.len()).map_err(|_| Unclear::TooMuch {
                limit: u32::MAX as usize,
                what: "corners of faces",
            })?;
            let points: Vec<Vec3> = rows
                .iter()
                .map(|&row| geometry.position(row as usize))
                .collect();
            let triangles = polygon::triangles(&points);
            group
                .mesh
                .triangles
                .extend(triangles.map(|triangle| triangle.map(|corner| first + corner)));
            group.mesh.positions.extend(points);
            group.rows.extend(rows);
            for input in &inputs {
                for corner in corners.clone() {
                    input.add(corner, &mut group.mesh);
                }
            }
        }
        Ok(group)
    }
}

impl Input {
    /// Adds its part of a corner to `mesh`.
    fn add(&self, corner: &[u32], mesh: &mut Mesh) {
        let row = self.table.row(corner[self.offset] as usize);
        match self.semantic {
            Semantic::Position => {}
            Semantic::Normal => mesh.normals.push(vec3(row)),
            Semantic::Tangent => mesh.tangents.push(vec3(row)),
            Semantic::Bitangent => mesh.bitangents.push(vec3(row)),
            Semantic::Uv(set) => {
                let [u, v, ..] = vec3(row).to_array();
                // In COLLADA, v grows upwards; in an asset, downwards.
                list(&mut mesh.uv_sets, set).push(Vec2::new(u, 1.0 - v));
            }
            Semantic::Color(set) => {
                let alpha = row.get(3).map_or(1.0, |alpha| f32_of(*alpha));
                let color = linear_from_srgb(vec3(row).extend(alpha));
                list::<Vec4>(&mut mesh.color_sets, set).push(color);
            }
        }
    }
}

fn list<T>(sets: &mut Vec<Vec<T>>, set: usize) -> &mut Vec<T> {
    if sets.len() <= set {
        sets.resize_with(set + 1, Vec::new);
    }
    &mut sets[set]
}

/// The first three numbers of `row`; missing ones are 0.
fn vec3(row: &[f64]) -> Vec3 {
    let number = |index| row.get(index).map_or(0.0, |number| f32_of(*number));
    Vec3::new(number(0), number(1), number(2))
}

/// The inputs of `primitives`, with `VERTEX` replaced by the inputs of `vertices`, and the number of indices per corner.
fn inputs<'a>(
    document: &Document<'a>,
    primitives: Node<'a, 'a>,
    vertices: Node<'a, 'a>,
) -> Result<(Vec<Input>, usize), Unclear> {
    let number = |input: Node<'_, '_>, name| {
        let number: Option<usize> = input
            .attribute(name)
            .and_then(|word| word.trim().parse().ok());
        number
    };
    let (mut inputs, mut stride) = (Vec::new(), 1);
    let mut add = |input: Node<'a, 'a>, offset: usize, of_vertices: bool| {
        let (uvs, colors) = (sets(&inputs, true), sets(&inputs, false));
        let free = |taken: &[usize]| {
            let stated = number(input, "set").filter(|set| *set < MAX_SETS && !taken.contains(set));
            stated.or_else(|| (0..MAX_SETS).find(|set| !taken.contains(set)))
        };
        let semantic = match input.attribute("semantic").unwrap_or_default() {
            "POSITION" if of_vertices => Some(Semantic::Position),
            "NORMAL" => Some(Semantic::Normal),
            "TANGENT" | "TEXTANGENT" => Some(Semantic::Tangent),
            "BINORMAL" | "TEXBINORMAL" => Some(Semantic::Bitangent),
            "TEXCOORD" => free(&uvs).map(Semantic::Uv),
            // Colour sets are numbered without gaps: nothing refers to them by number.
            "COLOR" => (colors.len() < MAX_SETS).then_some(Semantic::Color(colors.len())),
            _ => None,
        };
        let is_new = |semantic| {
            !inputs
                .iter()
                .any(|known: &Input| known.semantic == semantic)
        };
        if let Some(semantic) = semantic.filter(|semantic| is_new(*semantic)) {
            let source = document.at(input.attribute("source").unwrap_or_default(), "source")?;
            let table = document.table(source)?;
            inputs.push(Input {
                semantic,
                offset,
                table,
            });
        }
        Ok::<(), Unclear>(())
    };
    for input in children(primitives, "input") {
        let offset = number(input, "offset").unwrap_or(0);
        // No corner has that many indices.
        if offset >= 256 {
            let what = format!("an input has the offset {offset}");
            return Err(Unclear::Misfit { what });
        }
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            for input in children(vertices, "input") {
                add(input, offset, true)?;
            }
        } else {
            add(input, offset, false)?;
        }
    }
    // Tangents are useless without bitangents.
    let has = |semantic| inputs.iter().any(|input| input.semantic == semantic);
    if !has(Semantic::Tangent) || !has(Semantic::Bitangent) {
        inputs.retain(|input| !matches!(input.semantic, Semantic::Tangent | Semantic::Bitangent));
    }
    Ok((inputs, stride))
}

/// The sets of texture coordinates, or else of colours.
fn sets(inputs: &[Input], uvs: bool) -> Vec<usize> {
    let set = |input: &Input| match input.semantic {
        Semantic::Uv(set) if uvs => Some(set),
        Semantic::Color(set) if !uvs => Some(set),
        _ => None,
    };
    inputs.iter().filter_map(set).collect()
}

/// The indices of each face of at least three corners; `stride` per corner.
fn faces(primitives: Node<'_, '_>, stride: usize) -> Result<Vec<Vec<u32>>, Unclear> {
    let kind = primitives.tag_name().name();
    let mut faces = Vec::new();
    let lists = primitives
        .children()
        .filter_map(|list| match list.tag_name().name() {
            "p" => Some(list),
            // A polygon with holes; the holes are ignored.
            "ph" => list.children().find(|inner| is(*inner, "p")),
            _ => None,
        });
    let counts = primitives.children().find(|counts| is(*counts, "vcount"));
    let mut counts = counts.into_iter().flat_map(|counts| integers(counts));
    for list in lists {
        // An invalid index such as -1 becomes one past the end of every list.
        let index = |index: Result<i64, Unclear>| Ok(u32::try_from(index?).unwrap_or(u32::MAX));
        let indices: Vec<u32> = integers(list).map(index).collect::<Result<_, Unclear>>()?;
        let corner = |corner: usize| &indices[corner * stride..(corner + 1) * stride];
        let corners = indices.len() / stride;
        match kind {
            "triangles" => faces.extend(indices.chunks_exact(3 * stride).map(<[u32]>::to_vec)),
            "polygons" => faces.push(indices[..corners * stride].to_vec()),
            "tristrips" => faces.extend((2..corners).map(|last| {
                let (a, b) = if last % 2 == 0 {
                    (last - 2, last - 1)
                } else {
                    (last - 1, last - 2)
                };
                [corner(a), corner(b), corner(last)].concat()
            })),
            "trifans" => faces.extend(
                (2..corners).map(|last| [corner(0), corner(last - 1), corner(last)].concat()),
            ),
            _ => {
                let mut from = 0_usize;
                for count in counts.by_ref() {
                    let count = usize::try_from(count?).unwrap_or(0);
                    let face = indices.get(from..from.saturating_add(count.saturating_mul(stride)));
                    let Some(face) = face else {
                        let what =
                            format!("<vcount> counts more corners than the {corners} of <p>");
                        return Err(Unclear::Misfit { what });
                    };
                    faces.push(face.to_vec());
                    from += face.len();
                }
            }
        }
    }
    faces.retain(|face| face.len() >= 3 * stride);
    Ok(faces)
}
