//! The packed form of a reference: the same content, rounded far below the tolerance of [`diff`](crate::diff), and
//! compressed.
//!
//! The first line names the form. One zlib stream of values in postcard's format follows. A pose takes little more space
//! than its joints: vertices are predicted by skinning the rounded rest shape, and the stream holds the difference.

use glam::{DMat4, DVec2, DVec3, Mat4, Vec2Swizzles, Vec3};
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::binding::transformed_normal;
use super::read::memory_limit;
use super::{Clip, Frame, Header, Mesh, MeshHeader, Reference, ReferenceError};

/// The first line of a packed file.
pub(super) const LINE: &str = "{\"schema\":\"skincheck/reference/packed-1\"}\n";

/// Steps of a coordinate of an octahedral normal from its middle to its end. Half a step rotates a normal by less than
/// 0.03 degrees, a hundredth of the angle that `diff` distinguishes.
const NORMAL_STEPS: f64 = 2048.0;

/// A prediction that is off by no more than this many steps stands. Otherwise the rounding of the rest shape would be
/// stored again with each pose.
const STANDS: i64 = 1;

/// The same for the coordinates of a normal.
const NORMAL_STANDS: i64 = 2;

/// Numbers this many steps or more from 0 are not positions.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// Stands for a number that is not finite.
const NONE: i64 = i64::MIN;

/// zlib's compression level, of 10.
const LEVEL: u8 = 9;

impl Reference {
    /// Packs the reference into a file, without texture coordinates. The same reference gives the same bytes on every
    /// machine.
    ///
    /// * `step` – the step that coordinates of positions are rounded to. A position is off by at most 1.5 √3 steps.
    ///
    /// # Panics
    ///
    /// Never: writing to memory does not fail.
    #[must_use]
    pub fn to_packed(&self, step: f64) -> Vec<u8> {
        let mut header = self.header();
        for mesh in &mut header.meshes {
            mesh.uvs = false;
        }
        let mut writer = Writer(Vec::new());
        writer.put(&(step, &header));
        let rounded: Vec<Mesh> = self
            .meshes
            .iter()
            .zip(&header.meshes)
            .map(|(mesh, header)| writer.mesh(mesh, header, step))
            .collect();
        let rest = self.rest();
        let mut last = &rest;
        for frame in self.clips.iter().flat_map(|clip| &clip.frames) {
            writer.matrices(&frame.nodes, last);
            last = &frame.nodes;
            let palette = palette(&frame.nodes, &rest);
            for ((mesh, positions), normals) in
                rounded.iter().zip(&frame.positions).zip(&frame.normals)
            {
                let [near, directions] = mesh.predicted(&palette, step);
                writer.near(&to_steps(positions, step), &near, STANDS);
                writer.near(&folded(normals), &directions, NORMAL_STANDS);
            }
        }
        [LINE.as_bytes(), &compress_to_vec_zlib(&writer.0, LEVEL)].concat()
    }

    /// * `bytes` – the file behind its first line.
    pub(super) fn parse_packed(bytes: &[u8]) -> Result<Self, ReferenceError> {
        let limit = usize::try_from(memory_limit(bytes.len())).unwrap_or(usize::MAX);
        let (values, is_cut) = match decompress_to_vec_zlib_with_limit(bytes, limit) {
            Ok(values) => (values, false),
            Err(error) if error.status == TINFLStatus::HasMoreOutput => (error.output, true),
            Err(_) => return Err(ReferenceError::Damaged),
        };
        let mut reader = Reader(&values);
        let (step, mut header): (f64, Header) = reader.take()?;
        header.check()?;
        header.check_memory(bytes.len())?;
        if is_cut || !(step > 0.0 && step.is_finite()) {
            return Err(ReferenceError::Damaged);
        }
        let clips = std::mem::take(&mut header.clips);
        let meshes = header.meshes.iter().map(|mesh| reader.mesh(mesh, step));
        let mut reference = Self {
            meshes: meshes.collect::<Result<_, _>>()?,
            clips: Vec::new(),
            space: header.space(),
            generator: header.generator,
            nodes: header.nodes,
        };
        let rest = reference.rest();
        let mut last = rest.clone();
        for clip in clips {
            let mut frames = Vec::new();
            for time in clip.times {
                last = reader.matrices(&last)?;
                let palette = palette(&last, &rest);
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                for mesh in &reference.meshes {
                    let [near, directions] = mesh.predicted(&palette, step);
                    positions.push(from_steps(&reader.near(&near)?, step));
                    normals.push(unfolded(&reader.near(&directions)?));
                }
                frames.push(Frame {
                    time,
                    nodes: last.clone(),
                    positions,
                    normals,
                });
            }
            reference.clips.push(Clip {
                name: clip.name,
                frames,
            });
        }
        if !reader.0.is_empty() {
            return Err(ReferenceError::Damaged);
        }
        reference.check_indices()?;
        Ok(reference)
    }

    fn rest(&self) -> Vec<Mat4> {
        self.nodes.iter().map(|node| node.rest).collect()
    }
}

/// Values in postcard's format.
struct Writer(Vec<u8>);

impl Writer {
    fn put(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.0);
        self.0 = postcard::to_extend(value, bytes).expect("memory takes everything");
    }

    /// Writes a mesh, and returns it as it will be read.
    fn mesh(&mut self, mesh: &Mesh, header: &MeshHeader, step: f64) -> Mesh {
        let positions = to_steps(&mesh.positions, step);
        let normals = folded(&mesh.normals);
        self.in_a_row(&positions);
        self.in_a_row(&normals);
        let corners = mesh.triangles.as_flattened().iter();
        self.in_a_row(&corners.map(|corner| i64::from(*corner)).collect::<Vec<_>>());
        for list in mesh.influences.iter().filter(|_| header.influences > 0) {
            self.put(list);
        }
        Mesh {
            node: mesh.node,
            positions: from_steps(&positions, step),
            normals: unfolded(&normals),
            influences: mesh.influences.clone(),
            ..Mesh::default()
        }
    }

    /// Each number as the difference from the one before.
    fn in_a_row(&mut self, numbers: &[i64]) {
        let mut last = 0;
        for number in numbers {
            self.put(&difference(*number, last));
            last = *number;
        }
    }

    /// Each number as the difference from its prediction.
    fn near(&mut self, numbers: &[i64], predicted: &[i64], stands: i64) {
        for (number, predicted) in numbers.iter().zip(predicted) {
            let difference = difference(*number, *predicted);
            let may_stand = *predicted != NONE && (-stands..=stands).contains(&difference);
            self.put(&if may_stand { 0 } else { difference });
        }
    }

    /// The bits that differ from those of `last`.
    fn matrices(&mut self, matrices: &[Mat4], last: &[Mat4]) {
        for (now, last) in bits(matrices).zip(bits(last)) {
            self.put(&(now ^ last));
        }
    }
}

/// The values that are left.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<T: DeserializeOwned>(&mut self) -> Result<T, ReferenceError> {
        let (value, rest) =
            postcard::take_from_bytes(self.0).map_err(|_| ReferenceError::Damaged)?;
        self.0 = rest;
        Ok(value)
    }

    fn mesh(&mut self, header: &MeshHeader, step: f64) -> Result<Mesh, ReferenceError> {
        let only_if = |exists: bool| if exists { header.vertices } else { 0 };
        let positions = self.in_a_row(3 * header.vertices)?;
        let normals = self.in_a_row(2 * only_if(header.normals))?;
        let corners = self.in_a_row(3 * header.triangles)?.into_iter();
        let corners: Vec<u32> = corners
            .map(|corner| u32::try_from(corner).map_err(|_| ReferenceError::Damaged))
            .collect::<Result<_, _>>()?;
        let influences = (0..only_if(header.influences > 0)).map(|_| {
            let list: Vec<(u32, f32)> = self.take()?;
            let fits = list.len() <= header.influences;
            Some(list).filter(|_| fits).ok_or(ReferenceError::Damaged)
        });
        Ok(Mesh {
            influences: influences.collect::<Result<_, _>>()?,
            shape_keys: header.shape_keys.clone(),
            name: header.name.clone(),
            node: header.node,
            positions: from_steps(&positions, step),
            normals: unfolded(&normals),
            uvs: Vec::new(),
            triangles: corners.as_chunks().0.to_vec(),
        })
    }

    fn in_a_row(&mut self, count: usize) -> Result<Vec<i64>, ReferenceError> {
        let mut last = 0;
        let numbers = (0..count).map(|_| {
            last = sum(self.take()?, last);
            Ok(last)
        });
        numbers.collect()
    }

    fn near(&mut self, predicted: &[i64]) -> Result<Vec<i64>, ReferenceError> {
        let numbers = predicted.iter().map(|near| Ok(sum(self.take()?, *near)));
        numbers.collect()
    }

    fn matrices(&mut self, last: &[Mat4]) -> Result<Vec<Mat4>, ReferenceError> {
        let numbers = bits(last).map(|last| Ok(self.take::<u32>()? ^ last));
        let numbers: Vec<u32> = numbers.collect::<Result<_, ReferenceError>>()?;
        let (matrices, _) = numbers.as_chunks::<16>();
        let matrix = |bits: &[u32; 16]| Mat4::from_cols_array(&bits.map(f32::from_bits));
        Ok(matrices.iter().map(matrix).collect())
    }
}

impl Mesh {
    /// The matrix that moves each vertex from its rest shape: that of its node if it has no influences.
    fn moved(&self, palette: &[DMat4]) -> Vec<DMat4> {
        let of_node = self.node.and_then(|node| palette.get(node).copied());
        let of_vertex = |vertex: usize| {
            let list = self.influences.get(vertex).filter(|list| !list.is_empty());
            let Some(list) = list else {
                return of_node.unwrap_or(DMat4::IDENTITY);
            };
            let parts = list.iter().filter_map(|(node, weight)| {
                Some(*palette.get(*node as usize)? * f64::from(*weight))
            });
            parts.fold(DMat4::ZERO, |sum, part| sum + part)
        };
        (0..self.positions.len()).map(of_vertex).collect()
    }

    /// Where skinning the rest shape takes its vertices and normals, in steps.
    fn predicted(&self, palette: &[DMat4], step: f64) -> [Vec<i64>; 2] {
        let moved = self.moved(palette);
        let positions = self.positions.iter().zip(&moved);
        let positions = positions.map(|(position, by)| by.transform_point3(position.as_dvec3()));
        let normals = self.normals.iter().zip(&moved);
        let normals = normals.map(|(normal, by)| transformed_normal(by, normal.as_dvec3()));
        [
            planes(positions.map(|position| position.to_array().map(|own| steps(own, step)))),
            planes(normals.map(fold)),
        ]
    }
}

/// The matrix that moves each node from `rest`; the identity where that is singular.
fn palette(now: &[Mat4], rest: &[Mat4]) -> Vec<DMat4> {
    let pairs = now.iter().zip(rest);
    let moved = pairs.map(|(now, rest)| now.as_dmat4() * rest.as_dmat4().inverse());
    let finite = moved.map(|moved| Some(moved).filter(DMat4::is_finite));
    finite.map(Option::unwrap_or_default).collect()
}

fn bits(matrices: &[Mat4]) -> impl Iterator<Item = u32> + Clone {
    matrices
        .iter()
        .flat_map(|matrix| matrix.to_cols_array().map(f32::to_bits))
}

fn difference(number: i64, from: i64) -> i64 {
    match (number, from) {
        (NONE, _) | (_, NONE) => number,
        _ => number - from,
    }
}

fn sum(difference: i64, from: i64) -> i64 {
    match (difference, from) {
        (NONE, _) | (_, NONE) => difference,
        // Damaged numbers may be too large.
        _ => from.saturating_add(difference),
    }
}

/// A number in steps, or [`NONE`].
#[expect(clippy::cast_possible_truncation, reason = "at most 2^53")]
fn steps(number: f64, step: f64) -> i64 {
    let steps = number / step;
    if steps.abs() <= MOST_STEPS {
        steps.round() as i64
    } else {
        NONE
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "steps are below 2^53, and positions in single precision"
)]
fn of_steps(steps: i64, step: f64) -> f32 {
    if steps == NONE {
        f32::NAN
    } else {
        (steps as f64 * step) as f32
    }
}

/// The first coordinates of all vectors, then the second ones and so on: similar numbers are neighbours.
fn planes<const N: usize>(vectors: impl Iterator<Item = [i64; N]>) -> Vec<i64> {
    let vectors: Vec<[i64; N]> = vectors.collect();
    let axes = 0..N;
    axes.flat_map(|axis| vectors.iter().map(move |vector| vector[axis]))
        .collect()
}

/// The vectors of [`planes`].
fn vectors<const N: usize>(planes: &[i64]) -> impl Iterator<Item = [i64; N]> {
    let count = planes.len() / N;
    (0..count).map(move |index| std::array::from_fn(|axis| planes[axis * count + index]))
}

fn to_steps(positions: &[Vec3], step: f64) -> Vec<i64> {
    let positions = positions.iter();
    planes(positions.map(|position| position.to_array().map(|own| steps(f64::from(own), step))))
}

fn from_steps(planes: &[i64], step: f64) -> Vec<Vec3> {
    let vectors = vectors::<3>(planes);
    vectors
        .map(|vector| Vec3::from_array(vector.map(|own| of_steps(own, step))))
        .collect()
}

fn folded(normals: &[Vec3]) -> Vec<i64> {
    planes(normals.iter().map(|normal| fold(normal.as_dvec3())))
}

fn unfolded(planes: &[i64]) -> Vec<Vec3> {
    vectors(planes).map(unfold).collect()
}

/// A direction on the octahedron, in steps; [`NONE`] for a zero vector.
///
/// # Reference
///
/// Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", 2014.
fn fold(normal: DVec3) -> [i64; 2] {
    let normal = normal / normal.abs().element_sum();
    let flat = normal.truncate();
    let folded = if normal.z < 0.0 {
        (DVec2::ONE - flat.yx().abs()) * signs(flat)
    } else {
        flat
    };
    folded.to_array().map(|own| steps(own, 1.0 / NORMAL_STEPS))
}

fn unfold(folded: [i64; 2]) -> Vec3 {
    if folded.contains(&NONE) {
        return Vec3::ZERO;
    }
    let [x, y] = folded.map(|own| f64::from(of_steps(own, 1.0 / NORMAL_STEPS)));
    let flat = DVec2::new(x, y);
    let height = 1.0 - flat.abs().element_sum();
    let flat = if height < 0.0 {
        (DVec2::ONE - flat.yx().abs()) * signs(flat)
    } else {
        flat
    };
    flat.extend(height).normalize_or_zero().as_vec3()
}

fn signs(flat: DVec2) -> DVec2 {
    let sign = |number: f64| if number < 0.0 { -1.0 } else { 1.0 };
    DVec2::new(sign(flat.x), sign(flat.y))
}

#[cfg(test)]
mod tests;
