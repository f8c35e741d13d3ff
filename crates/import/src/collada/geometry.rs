//! `<geometry>`: corners of faces, each with an index into several lists.

use std::rc::Rc;

use glam::{Vec2, Vec3, Vec4};
use roxmltree::Node;

use super::document::{Document, Failure, ReadError, Table, child, children, integers, is, name};
use crate::rig::Mesh;
use crate::surfaces::linear_from_srgb;
use crate::vertices::f32_of;

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
        let mut shapes = ["mesh", "convex_mesh"].into_iter();
        let Some(mesh) = shapes.find_map(|kind| child(geometry, kind)) else {
            return Ok(None);
        };
        let Some(vertices) = child(mesh, "vertices") else {
            return Ok(None);
        };
        let positions = document
            .required(vertices, "vertices", "POSITION")
            .and_then(|source| document.table(source))
            .map_err(at(geometry))?;
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
    ) -> Result<Self, ReadError> {
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
        document.count_numbers(corners.saturating_mul(inputs.len()))?;
        let position = inputs
            .iter()
            .find(|input| input.semantic == Semantic::Position)
            .ok_or(ReadError::NoInput {
                element: "vertices",
                semantic: "POSITION",
            })?;
        let exists = |corner: &[u32]| {
            let exists = |input: &Input| (corner[input.offset] as usize) < input.table.rows();
            inputs.iter().all(exists)
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
            let first = u32::try_from(group.rows.len()).map_err(|_| ReadError::TooMuch {
                limit: u32::MAX as usize,
                what: "corners of faces",
            })?;
            let points: Vec<Vec3> = rows
                .iter()
                .map(|&row| geometry.position(row as usize))
                .collect();
            let triangles = triangles(&points)
                .into_iter()
                .map(|triangle| triangle.map(|corner| first + corner));
            group.mesh.triangles.extend(triangles);
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
) -> Result<(Vec<Input>, usize), ReadError> {
    let number = |input: Node<'_, '_>, name| {
        let number: Option<usize> = input
            .attribute(name)
            .and_then(|word| word.trim().parse().ok());
        number
    };
    let (mut inputs, mut stride) = (Vec::new(), 1);
    let mut add = |input: Node<'a, 'a>, offset: usize, of_vertices: bool| {
        let is_free = |set: &usize| is_new(&inputs, Semantic::Uv(*set));
        let stated = number(input, "set").filter(|set| *set < MAX_SETS && is_free(set));
        let uv_set = stated.or_else(|| (0..MAX_SETS).find(is_free));
        // Colour sets are numbered without gaps: nothing refers to them by number.
        let color_set = (0..MAX_SETS).find(|set| is_new(&inputs, Semantic::Color(*set)));
        let semantic = match input.attribute("semantic").unwrap_or_default() {
            "POSITION" if of_vertices => Some(Semantic::Position),
            "NORMAL" => Some(Semantic::Normal),
            "TANGENT" | "TEXTANGENT" => Some(Semantic::Tangent),
            "BINORMAL" | "TEXBINORMAL" => Some(Semantic::Bitangent),
            "TEXCOORD" => uv_set.map(Semantic::Uv),
            "COLOR" => color_set.map(Semantic::Color),
            _ => None,
        };
        if let Some(semantic) = semantic.filter(|semantic| is_new(&inputs, *semantic)) {
            let source = document.at(input.attribute("source").unwrap_or_default(), "source")?;
            let table = document.table(source)?;
            inputs.push(Input {
                semantic,
                offset,
                table,
            });
        }
        Ok::<(), ReadError>(())
    };
    for input in children(primitives, "input") {
        let offset = number(input, "offset").unwrap_or(0);
        // No corner has that many indices.
        if offset >= 256 {
            let what = format!("an input has the offset {offset}");
            return Err(ReadError::Misfit { what });
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
    if is_new(&inputs, Semantic::Tangent) || is_new(&inputs, Semantic::Bitangent) {
        inputs.retain(|input| !matches!(input.semantic, Semantic::Tangent | Semantic::Bitangent));
    }
    Ok((inputs, stride))
}

fn is_new(inputs: &[Input], semantic: Semantic) -> bool {
    inputs.iter().all(|known| known.semantic != semantic)
}

/// The indices of each face of at least three corners; `stride` per corner.
fn faces(primitives: Node<'_, '_>, stride: usize) -> Result<Vec<Vec<u32>>, ReadError> {
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
        let index = |index: Result<i64, ReadError>| Ok(u32::try_from(index?).unwrap_or(u32::MAX));
        let indices: Vec<u32> = integers(list)
            .map(index)
            .collect::<Result<_, ReadError>>()?;
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
                        return Err(ReadError::misfit(format!(
                            "<vcount> counts more corners than the {corners} of <p>"
                        )));
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

/// A polygon of more corners is cut as a fan: ear clipping takes quadratic time or more.
const MOST_CORNERS: usize = 512;

/// Triangles that cover the polygon, by the indices of its corners.
///
/// Ear clipping: cut off a corner whose triangle is convex and contains no other corner, until three corners are left. A
/// simple polygon always has an ear (G. H. Meisters, "Polygons Have Ears", 1975), so a concave one is covered without
/// overlap. If a whole round finds none, the polygon crosses itself, and the rest is cut as a fan.
pub(super) fn triangles(corners: &[Vec3]) -> Vec<[u32; 3]> {
    let count = u32::try_from(corners.len()).unwrap_or(0);
    let mut left: Vec<u32> = (0..count).collect();
    let mut ears = Vec::with_capacity(left.len().saturating_sub(2));
    let is_simple = corners.len() == 3 || corners.len() > MOST_CORNERS;
    let normal = normal(corners);
    let mut at = 0;
    let mut missed = 0;
    // Search on from where an ear was cut, so that a convex polygon becomes a fan. `missed` counts the corners since then.
    while !is_simple && left.len() > 3 && missed < left.len() {
        let around = [
            at % left.len(),
            (at + 1) % left.len(),
            (at + 2) % left.len(),
        ];
        if is_ear(corners, &left, around, normal) {
            ears.push(around.map(|index| left[index]));
            left.remove(around[1]);
            missed = 0;
            at = if around[1] < around[0] {
                around[0] - 1
            } else {
                around[0]
            };
        } else {
            at += 1;
            missed += 1;
        }
    }
    ears.extend((2..left.len()).map(|last| [left[0], left[last - 1], left[last]]));
    ears
}

/// The normal of the polygon, twice its area long (M. E. Newell). It is defined for concave and slightly bent polygons.
fn normal(corners: &[Vec3]) -> Vec3 {
    let next = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(next);
    sides.map(|(a, b)| a.cross(*b)).sum()
}

/// Whether the middle corner is convex, and its triangle contains no other corner. Points that coincide with one of the
/// three corners do not count, or a polygon whose outline touches itself would have no ear.
fn is_ear(corners: &[Vec3], left: &[u32], around: [usize; 3], normal: Vec3) -> bool {
    let corner = |index: usize| corners[left[index] as usize];
    let [a, b, c] = around.map(corner);
    let side = |from: Vec3, to: Vec3, point: Vec3| (to - from).cross(point - from).dot(normal);
    if side(a, b, c) <= 0.0 {
        return false;
    }
    let mut others = (0..left.len())
        .filter(|index| !around.contains(index))
        .map(corner);
    !others.any(|point| {
        let is_corner = [a, b, c].contains(&point);
        let inside =
            side(a, b, point) >= 0.0 && side(b, c, point) >= 0.0 && side(c, a, point) >= 0.0;
        inside && !is_corner
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3]) -> f32 {
        let area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| corners[corner as usize]);
            (b - a).cross(c - a).z / 2.0
        };
        let areas: Vec<f32> = triangles(corners).into_iter().map(area).collect();
        assert_eq!(areas.len(), corners.len() - 2);
        assert!(areas.iter().all(|area| *area >= 0.0), "{areas:?}");
        areas.iter().sum()
    }

    fn flat<const N: usize>(points: [[f32; 2]; N]) -> [Vec3; N] {
        points.map(|[x, y]| Vec3::new(x, y, 0.0))
    }

    #[test]
    fn a_convex_polygon_is_a_fan() {
        let square = flat([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let fan = triangles(&square);
        assert_eq!(fan, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_concave_polygon_is_filled_from_whatever_corner_it_begins() {
        let arrow = flat([[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]);
        let comb = flat([
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 2.0],
            [4.0, 2.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [0.0, 1.0],
        ]);
        for shift in 0..10 {
            let mut arrow = arrow;
            arrow.rotate_left(shift % 4);
            assert!((area(&arrow) - 1.5).abs() < 1e-6);
            let mut comb = comb;
            comb.rotate_left(shift);
            assert!((area(&comb) - 7.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_polygon_without_area_is_triangulated() {
        assert_eq!(triangles(&[Vec3::ZERO; 6]).len(), 4);
        assert_eq!(triangles(&[Vec3::NAN; 5]).len(), 3);
        assert_eq!(
            triangles(&[Vec3::ONE; MOST_CORNERS + 1]).len(),
            MOST_CORNERS - 1
        );
    }
}
