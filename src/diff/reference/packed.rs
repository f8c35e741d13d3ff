//! The packed form of a reference: the same content, rounded far below the tolerance of [`diff`](crate::diff), and
//! compressed.
//!
//! A pose takes little more space than its joints. Vertices are predicted by skinning the rest shape, or, without
//! influences, from the previous frame; only the difference from the prediction is stored. One traversal serves both
//! directions. The writer rounds what it writes, so that it predicts from the values that a reader will have.

use glam::{DMat4, DVec2, DVec3, Mat4, Vec2Swizzles, Vec3};
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use serde::{Deserialize, Serialize};

use super::super::binding::transformed_normal;
use super::{Clip, Frame, Header, Mesh, Reference, ReferenceError};

/// The first line of a packed file.
pub(super) const LINE: &str = "{\"schema\":\"skincheck/reference/packed-1\"}\n";

/// Steps of a coordinate of an octahedral normal from its middle to its end. Half a step rotates a normal by less than
/// 0.03 degrees, a hundredth of the angle that `diff` distinguishes.
const NORMAL_STEPS: f64 = 2048.0;

/// Steps of a weight between 0 and 1.
const WEIGHT_STEPS: f64 = 262_144.0;

/// A prediction that is off by no more than this many steps is used as it is. Below one, the rounding of the rest shape
/// would be stored again with each pose.
const STANDS: f64 = 1.0;

/// The same for the coordinates of a normal.
const NORMAL_STANDS: f64 = 2.0;

/// Numbers this many steps or more from their prediction are not positions.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// The most bytes of the header and the line before it: a hundred times those of a large scene. They are inflated before
/// the header states what follows.
const MOST_LINE: usize = 16 << 20;

/// Bytes that are inflated at a time.
const CHUNK: usize = 1 << 15;

/// zlib's compression level, of 10.
const LEVEL: u8 = 9;

/// The line behind the first one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    /// The step that coordinates of positions are rounded to.
    step: f64,
}

impl Reference {
    /// Packs the reference into a file. The same reference gives the same bytes on every machine.
    ///
    /// * `step` – the step that coordinates of positions are rounded to. A position is off by at most √3 steps.
    ///
    /// # Panics
    ///
    /// Never: writing to memory does not fail.
    #[must_use]
    pub fn to_packed(&self, step: f64) -> Vec<u8> {
        let mut rounded = self.bare();
        let mut coder = Writer(Vec::new());
        for text in [
            serde_json::to_vec(&Grid { step }),
            serde_json::to_vec(&rounded.header()),
        ] {
            coder.0.extend(text.unwrap_or_default());
            coder.0.push(b'\n');
        }
        let coded = rounded.code(step, &mut coder);
        coded.expect("a writer refuses nothing");
        let mut file = LINE.as_bytes().to_vec();
        file.extend(compress_to_vec_zlib(&coder.0, LEVEL));
        file
    }

    /// The reference as a reader unpacks it from [`to_packed`](Self::to_packed).
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn rounded(&self, step: f64) -> Self {
        let mut rounded = self.bare();
        let coded = rounded.code(step, &mut Writer(Vec::new()));
        coded.expect("a writer refuses nothing");
        rounded
    }

    /// The reference without the parts that are not packed.
    fn bare(&self) -> Self {
        let mut bare = self.clone();
        for mesh in &mut bare.meshes {
            mesh.uvs.clear();
            if mesh.influences.iter().all(Vec::is_empty) {
                mesh.influences.clear();
            }
        }
        bare
    }

    /// Reads frame by frame, so that a file that ends early takes no more memory than what it holds.
    ///
    /// * `bytes` – the file behind its first line.
    pub(super) fn parse_packed(bytes: &[u8]) -> Result<Self, ReferenceError> {
        let mut reader = Reader::new(bytes);
        let grid = reader.line()?;
        let Grid { step } = serde_json::from_slice(&grid).map_err(|_| ReferenceError::Damaged)?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(ReferenceError::Damaged);
        }
        let mut header = Header::parse(&reader.line()?)?;
        header.check_memory(bytes.len())?;
        let clips = std::mem::take(&mut header.clips);
        let most_influences: Vec<usize> =
            header.meshes.iter().map(|mesh| mesh.influences).collect();
        let mut reference = header.empty();
        for (mesh, most) in reference.meshes.iter_mut().zip(most_influences) {
            mesh.code(step, most, &mut reader)?;
        }
        let mut poses = Poses::new(&reference);
        for clip in clips {
            let mut frames = Vec::with_capacity(clip.times.len());
            for time in clip.times {
                let mut frame = reference.empty_frame(time);
                poses.code(&reference.meshes, &mut frame, step, &mut reader)?;
                frames.push(frame);
            }
            reference.clips.push(Clip {
                name: clip.name,
                frames,
            });
        }
        if !reader.is_over()? {
            return Err(ReferenceError::Damaged);
        }
        reference.check_indices()?;
        Ok(reference)
    }

    fn code(&mut self, step: f64, coder: &mut impl Coder) -> Result<(), ReferenceError> {
        for mesh in &mut self.meshes {
            mesh.code(step, usize::MAX, coder)?;
        }
        let mut poses = Poses::new(self);
        for frame in self.clips.iter_mut().flat_map(|clip| &mut clip.frames) {
            poses.code(&self.meshes, frame, step, coder)?;
        }
        Ok(())
    }

    /// A pose with all numbers zero.
    fn empty_frame(&self, time: f64) -> Frame {
        let zeros = |list: &Vec<Vec3>| vec![Vec3::ZERO; list.len()];
        let meshes = self.meshes.iter();
        Frame {
            time,
            nodes: vec![Mat4::ZERO; self.nodes.len()],
            positions: meshes.clone().map(|mesh| zeros(&mesh.positions)).collect(),
            normals: meshes.map(|mesh| zeros(&mesh.normals)).collect(),
        }
    }
}

/// What the prediction of the next frame needs.
struct Poses {
    /// In the rest pose.
    rest: Vec<Mat4>,
    /// In the frame before.
    last: Vec<Mat4>,
    /// One per mesh.
    shapes: Vec<Shape>,
}

impl Poses {
    /// Before the first frame.
    fn new(reference: &Reference) -> Self {
        let rest: Vec<Mat4> = reference.nodes.iter().map(|node| node.rest).collect();
        Self {
            last: rest.clone(),
            rest,
            shapes: reference.meshes.iter().map(Shape::of).collect(),
        }
    }

    fn code(
        &mut self,
        meshes: &[Mesh],
        frame: &mut Frame,
        step: f64,
        coder: &mut impl Coder,
    ) -> Result<(), ReferenceError> {
        let Frame {
            nodes,
            positions,
            normals,
            ..
        } = frame;
        code_matrices(nodes, &self.last, coder)?;
        let palettes = [palette(nodes, &self.rest), palette(nodes, &self.last)];
        for (((mesh, shape), positions), normals) in meshes
            .iter()
            .zip(&mut self.shapes)
            .zip(positions)
            .zip(normals)
        {
            let moved = mesh.moved(&palettes);
            let pairs = shape.positions.iter().zip(&moved);
            let at = pairs.map(|(position, by)| by.transform_point3(position.as_dvec3()));
            code_positions(positions, &Predicted::At(at.collect()), step, coder)?;
            let pairs = shape.normals.iter().zip(&moved);
            let at = pairs.map(|(normal, by)| transformed_normal(by, normal.as_dvec3()));
            code_normals(normals, &Predicted::At(at.collect()), coder)?;
            if mesh.is_rigid() {
                shape.positions.clone_from(positions);
                shape.normals.clone_from(normals);
            }
        }
        self.last.clone_from(nodes);
        Ok(())
    }
}

impl Header {
    /// The reference without clips, with all numbers zero.
    fn empty(self) -> Reference {
        let meshes = self.meshes.iter().map(|mesh| {
            let own = |exists: bool| vec![Vec3::ZERO; if exists { mesh.vertices } else { 0 }];
            Mesh {
                name: mesh.name.clone(),
                node: mesh.node,
                positions: own(true),
                normals: own(mesh.normals),
                uvs: Vec::new(),
                triangles: vec![[0; 3]; mesh.triangles],
                influences: vec![
                    Vec::new();
                    if mesh.influences > 0 {
                        mesh.vertices
                    } else {
                        0
                    }
                ],
            }
        });
        Reference {
            meshes: meshes.collect(),
            clips: Vec::new(),
            space: self.space(),
            generator: self.generator,
            nodes: self.nodes,
        }
    }
}

impl Mesh {
    /// * `most` – the most influences of a vertex.
    fn code(
        &mut self,
        step: f64,
        most: usize,
        coder: &mut impl Coder,
    ) -> Result<(), ReferenceError> {
        code_positions(&mut self.positions, &Predicted::Last, step, coder)?;
        code_normals(&mut self.normals, &Predicted::Last, coder)?;
        let mut last = 0;
        for corner in self.triangles.as_flattened_mut() {
            let mut apart = Some(i64::from(*corner) - last);
            coder.int(&mut apart)?;
            last = last.saturating_add(apart.ok_or(ReferenceError::Damaged)?);
            *corner = u32::try_from(last).map_err(|_| ReferenceError::Damaged)?;
        }
        for list in &mut self.influences {
            let mut count = i64::try_from(list.len()).ok();
            coder.int(&mut count)?;
            let count = count.and_then(|count| usize::try_from(count).ok());
            let count = count.filter(|count| *count <= most);
            list.resize(count.ok_or(ReferenceError::Damaged)?, (0, 0.0));
            for (node, weight) in list {
                let mut index = Some(i64::from(*node));
                coder.int(&mut index)?;
                let index = index.and_then(|index| u32::try_from(index).ok());
                *node = index.ok_or(ReferenceError::Damaged)?;
                code_number(weight, 0.0, (1.0 / WEIGHT_STEPS, 0.0), coder)?;
            }
        }
        Ok(())
    }

    /// Whether its vertices are predicted from the previous frame: it follows its node, wherever that was bound.
    fn is_rigid(&self) -> bool {
        self.influences.is_empty()
    }

    /// The matrix that moves each vertex from its known position.
    ///
    /// * `palettes` – the motion of each node since the rest pose, and since the previous frame.
    fn moved(&self, [from_rest, from_last]: &[Vec<DMat4>; 2]) -> Vec<DMat4> {
        let of_node = |palette: &[DMat4]| {
            let node = self.node.and_then(|node| palette.get(node).copied());
            node.unwrap_or(DMat4::IDENTITY)
        };
        if self.is_rigid() {
            return vec![of_node(from_last); self.positions.len()];
        }
        let blended = self.influences.iter().map(|list| {
            if list.is_empty() {
                return of_node(from_rest);
            }
            let moved = list.iter().filter_map(|(node, weight)| {
                let moved = from_rest.get(*node as usize)?;
                Some(*moved * f64::from(*weight))
            });
            moved.fold(DMat4::ZERO, |sum, moved| sum + moved)
        });
        blended.collect()
    }
}

/// The known positions of a mesh's vertices: at rest, or, for a mesh that follows its node, in the previous frame.
struct Shape {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Shape {
    fn of(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
        }
    }
}

/// The matrix that moves each node from `before`; the identity where that is singular.
fn palette(now: &[Mat4], before: &[Mat4]) -> Vec<DMat4> {
    let pairs = now.iter().zip(before);
    let moved = pairs.map(|(now, before)| now.as_dmat4() * before.as_dmat4().inverse());
    let finite = moved.map(|moved| Some(moved).filter(DMat4::is_finite));
    finite.map(Option::unwrap_or_default).collect()
}

/// The prediction of a list of vectors.
enum Predicted {
    /// Each is predicted to equal the previous one.
    Last,
    /// These values.
    At(Vec<DVec3>),
}

impl Predicted {
    fn stands(&self, steps: f64) -> f64 {
        match self {
            Self::Last => 0.0,
            Self::At(_) => steps,
        }
    }
}

/// Coordinate by coordinate, so that similar numbers are neighbours.
fn code_positions(
    list: &mut [Vec3],
    predicted: &Predicted,
    step: f64,
    coder: &mut impl Coder,
) -> Result<(), ReferenceError> {
    let stands = predicted.stands(STANDS);
    for axis in 0..3 {
        let mut last = 0.0;
        for (index, position) in list.iter_mut().enumerate() {
            let expected = match predicted {
                Predicted::Last => last,
                Predicted::At(positions) => positions.get(index).map_or(0.0, |point| point[axis]),
            };
            let expected = if expected.is_finite() { expected } else { 0.0 };
            code_number(&mut position[axis], expected, (step, stands), coder)?;
            if position[axis].is_finite() {
                last = f64::from(position[axis]);
            }
        }
    }
    Ok(())
}

/// * `step`, `stands` – the step that the number is rounded to, and the error in steps at which the prediction is kept.
fn code_number(
    number: &mut f32,
    expected: f64,
    (step, stands): (f64, f64),
    coder: &mut impl Coder,
) -> Result<(), ReferenceError> {
    let apart = (f64::from(*number) - expected) / step;
    let mut steps = cell(if apart.abs() <= stands { 0.0 } else { apart });
    coder.int(&mut steps)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a position is single; steps are below 2^53"
    )]
    let rounded = |steps: i64| (expected + steps as f64 * step) as f32;
    *number = steps.map_or(f32::NAN, rounded);
    Ok(())
}

/// `None` if the number is not finite or too many steps away.
#[expect(clippy::cast_possible_truncation, reason = "at most 2^53")]
fn cell(steps: f64) -> Option<i64> {
    (steps.abs() <= MOST_STEPS).then(|| steps.round() as i64)
}

fn code_normals(
    list: &mut [Vec3],
    predicted: &Predicted,
    coder: &mut impl Coder,
) -> Result<(), ReferenceError> {
    let stands = predicted.stands(NORMAL_STANDS);
    let mut folded: Vec<Option<DVec2>> =
        list.iter().map(|normal| fold(normal.as_dvec3())).collect();
    for axis in 0..2 {
        let mut last = 0.0;
        for (index, normal) in folded.iter_mut().enumerate() {
            let expected = match predicted {
                Predicted::Last => last,
                Predicted::At(normals) => {
                    let normal = normals.get(index).copied().and_then(fold);
                    normal.map_or(0.0, |normal| normal[axis].round())
                }
            };
            let apart = normal.map(|normal| normal[axis] - expected);
            let stood = apart.map(|apart| if apart.abs() <= stands { 0.0 } else { apart });
            let mut steps = stood.and_then(cell);
            coder.int(&mut steps)?;
            #[expect(clippy::cast_precision_loss, reason = "a few thousand steps")]
            let steps = steps.map(|steps| expected + steps as f64);
            last = steps.unwrap_or(last);
            *normal = steps.map(|steps| {
                let mut normal = normal.unwrap_or_default();
                normal[axis] = steps;
                normal
            });
        }
    }
    for (normal, folded) in list.iter_mut().zip(folded) {
        *normal = folded.map_or(Vec3::ZERO, |folded| unfold(folded).as_vec3());
    }
    Ok(())
}

/// A direction on the octahedron, in steps; `None` for a zero vector.
///
/// # Reference
///
/// Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", 2014.
fn fold(normal: DVec3) -> Option<DVec2> {
    let normal = normal / normal.abs().element_sum();
    if !normal.is_finite() {
        return None;
    }
    let flat = normal.truncate();
    let folded = if normal.z < 0.0 {
        (DVec2::ONE - flat.yx().abs()) * signs(flat)
    } else {
        flat
    };
    Some(folded * NORMAL_STEPS)
}

fn unfold(folded: DVec2) -> DVec3 {
    let flat = folded / NORMAL_STEPS;
    let height = 1.0 - flat.abs().element_sum();
    let flat = if height < 0.0 {
        (DVec2::ONE - flat.yx().abs()) * signs(flat)
    } else {
        flat
    };
    flat.extend(height).normalize_or_zero()
}

fn signs(flat: DVec2) -> DVec2 {
    let sign = |number: f64| if number < 0.0 { -1.0 } else { 1.0 };
    DVec2::new(sign(flat.x), sign(flat.y))
}

/// Stores numbers exactly: the bits that differ from those of `last`, the most significant bytes of all numbers first.
fn code_matrices(
    matrices: &mut [Mat4],
    last: &[Mat4],
    coder: &mut impl Coder,
) -> Result<(), ReferenceError> {
    let bits = |matrix: &Mat4| matrix.to_cols_array().map(f32::to_bits);
    let expected: Vec<u32> = last.iter().flat_map(bits).collect();
    let mut apart: Vec<u32> = matrices.iter().flat_map(bits).collect();
    for (bits, expected) in apart.iter_mut().zip(&expected) {
        *bits ^= expected;
    }
    for byte in 0..4 {
        for bits in &mut apart {
            let mut bytes = bits.to_be_bytes();
            coder.byte(&mut bytes[byte])?;
            *bits = u32::from_be_bytes(bytes);
        }
    }
    let numbers: Vec<f32> = apart
        .iter()
        .zip(&expected)
        .map(|(apart, last)| f32::from_bits(apart ^ last))
        .collect();
    for (matrix, numbers) in matrices.iter_mut().zip(numbers.as_chunks::<16>().0) {
        *matrix = Mat4::from_cols_array(numbers);
    }
    Ok(())
}

/// Writes a value, or reads it.
trait Coder {
    fn byte(&mut self, byte: &mut u8) -> Result<(), ReferenceError>;

    /// An optional integer, in as few bytes as it takes: seven bits each, the low ones first. The sign is the lowest
    /// bit, and 0 stands for `None`.
    fn int(&mut self, number: &mut Option<i64>) -> Result<(), ReferenceError> {
        let mut code = number.map_or(0, |number| {
            // At most 2^54 from a rounded number, so neither the shift nor the sum overflows.
            let code = (number << 1) ^ (number >> 63);
            code.cast_unsigned() + 1
        });
        let (mut read, mut shift) = (0_u64, 0);
        loop {
            let [low, ..] = (code & 0x7f).to_le_bytes();
            let mut byte = low | if code > 0x7f { 0x80 } else { 0 };
            self.byte(&mut byte)?;
            read |= u64::from(byte & 0x7f) << shift;
            (code, shift) = (code >> 7, shift + 7);
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 56 {
                return Err(ReferenceError::Damaged);
            }
        }
        *number = read.checked_sub(1).map(|code| {
            let code = code.cast_signed();
            (code >> 1) ^ -(code & 1)
        });
        Ok(())
    }
}

struct Writer(Vec<u8>);

impl Coder for Writer {
    fn byte(&mut self, byte: &mut u8) -> Result<(), ReferenceError> {
        self.0.push(*byte);
        Ok(())
    }
}

/// Inflates as it reads.
struct Reader<'a> {
    state: Box<InflateState>,
    packed: &'a [u8],
    /// Inflated bytes, of which those from `at` on are still to be read.
    chunk: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl<'a> Reader<'a> {
    fn new(packed: &'a [u8]) -> Self {
        Self {
            state: InflateState::new_boxed(DataFormat::Zlib),
            packed,
            chunk: Vec::new(),
            at: 0,
            has_ended: false,
        }
    }

    /// Inflates until a byte can be read; none is left if `has_ended`.
    fn fill(&mut self) -> Result<(), ReferenceError> {
        self.at = 0;
        self.chunk.resize(CHUNK, 0);
        loop {
            let step = inflate(&mut self.state, self.packed, &mut self.chunk, MZFlush::None);
            let status = step.status.map_err(|_| ReferenceError::Damaged)?;
            self.packed = &self.packed[step.bytes_consumed..];
            self.has_ended = status == MZStatus::StreamEnd;
            if self.has_ended || step.bytes_written > 0 {
                self.chunk.truncate(step.bytes_written);
                return Ok(());
            }
            if step.bytes_consumed == 0 {
                return Err(ReferenceError::Damaged);
            }
        }
    }

    fn next(&mut self) -> Result<Option<u8>, ReferenceError> {
        while self.at == self.chunk.len() {
            if self.has_ended {
                return Ok(None);
            }
            self.fill()?;
        }
        self.at += 1;
        Ok(Some(self.chunk[self.at - 1]))
    }

    /// A line without its end.
    fn line(&mut self) -> Result<Vec<u8>, ReferenceError> {
        let mut line = Vec::new();
        loop {
            match self.next()? {
                Some(b'\n') => return Ok(line),
                Some(byte) if line.len() < MOST_LINE => line.push(byte),
                _ => return Err(ReferenceError::Damaged),
            }
        }
    }

    /// Whether everything has been read. The stream ends with a checksum.
    fn is_over(&mut self) -> Result<bool, ReferenceError> {
        Ok(self.next()?.is_none() && self.packed.is_empty())
    }
}

impl Coder for Reader<'_> {
    fn byte(&mut self, byte: &mut u8) -> Result<(), ReferenceError> {
        *byte = self.next()?.ok_or(ReferenceError::Damaged)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
