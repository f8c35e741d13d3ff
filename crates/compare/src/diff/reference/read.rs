//! Reads a reference from an untrusted file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use glam::{Mat4, Vec2, Vec3};

use super::{
    Clip, ClipHeader, Frame, Header, Mesh, MeshHeader, Reference, ReferenceError, SCHEMA, packed,
};
use crate::units::Space;

/// Bytes of memory that every reference may take.
const MEMORY: u64 = 384 << 20;

/// Memory that a larger file may take, relative to its size. A file that is not packed takes up to twelve times its size.
const MEMORY_PER_BYTE: u64 = 16;

/// Bytes at the start of a file among which a header names its schema.
const START: usize = 1 << 16;

/// Bytes of memory that a file of `size` bytes may take.
pub(super) fn memory_limit(size: usize) -> u64 {
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    MEMORY.max(size.saturating_mul(MEMORY_PER_BYTE))
}

/// Whether the file at `path` is a reference: by its extension, or by its first line.
#[must_use]
pub fn is_reference(path: &Path) -> bool {
    let extension = path.extension().and_then(|own| own.to_str());
    path.is_file() && extension.is_some_and(|own| own.eq_ignore_ascii_case("skref"))
        || has_header(path)
}

/// Whether the first line of the file at `path` names the schema of references.
#[must_use]
pub fn has_header(path: &Path) -> bool {
    let mut start = Vec::new();
    let mut read = || -> io::Result<()> {
        if path.metadata()?.is_file() {
            File::open(path)?
                .take(START as u64)
                .read_to_end(&mut start)?;
        }
        Ok(())
    };
    read().is_ok() && names_schema(&start)
}

/// Whether the first line of `bytes` names the schema of references.
#[must_use]
pub fn names_schema(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(START)];
    if start.trim_ascii_start().first() != Some(&b'{') {
        return false;
    }
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    let packed: String = text.split_whitespace().collect();
    packed.contains("\"schema\":\"skincheck/reference/")
}

impl Reference {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// [`ReferenceError`] if it does not follow `docs/reference.md`.
    pub fn load(path: &Path) -> Result<Self, ReferenceError> {
        Self::parse(&std::fs::read(path)?)
    }

    /// Reads `bytes`, the whole file.
    ///
    /// # Errors
    ///
    /// Same as [`Reference::load`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ReferenceError> {
        if let Some(packed) = bytes.strip_prefix(packed::LINE.as_bytes()) {
            return Self::parse_packed(packed);
        }
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or(ReferenceError::Header(None))?;
        let header = Header::parse(&bytes[..end])?;
        let numbers = &bytes[end + 1..];
        let found = numbers.len() as u64;
        let expected = header.bytes().filter(|expected| *expected == found);
        if expected.is_none() {
            let expected = header.bytes().unwrap_or(u64::MAX);
            return Err(ReferenceError::Length { expected, found });
        }
        header.check_memory(bytes.len())?;
        let reference = header.read(Numbers(numbers));
        reference.validate()?;
        Ok(reference)
    }

    /// Checks that a file of `size` bytes may hold the reference.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::TooLarge`].
    #[doc(hidden)]
    pub fn check_memory(&self, size: usize) -> Result<(), ReferenceError> {
        self.header().check_memory(size)
    }

    /// Checks what reading a file checks: axes, unit, order of nodes and times, finite numbers, indices, and whether skinning fits
    /// the stored positions.
    ///
    /// # Errors
    ///
    /// [`ReferenceError`] for the first fault.
    pub fn validate(&self) -> Result<(), ReferenceError> {
        self.header().check()?;
        self.check_byte_order()?;
        self.check_indices()?;
        self.check_magnitudes()?;
        self.check_matrices()
    }
}

impl Header {
    /// * `line` – the line of JSON.
    pub(super) fn parse(line: &[u8]) -> Result<Self, ReferenceError> {
        let header: Self =
            serde_json::from_slice(line).map_err(|error| ReferenceError::Header(Some(error)))?;
        if header.schema != SCHEMA {
            return Err(ReferenceError::Header(None));
        }
        header.check()?;
        Ok(header)
    }

    pub(super) fn check(&self) -> Result<(), ReferenceError> {
        let wrong = |what: String| Err(ReferenceError::Inconsistent(what));
        let (up, front) = (self.up.unit(), self.front.unit());
        if up.dot(front).abs() > 0.5 {
            return wrong("`up` and `front` are not perpendicular".to_owned());
        }
        let usable = |unit: f64| unit > 0.0 && unit.is_finite();
        if !self.metres_per_unit.is_none_or(usable) {
            return wrong("`metres_per_unit` must be above 0".to_owned());
        }
        for (index, node) in self.nodes.iter().enumerate() {
            if node.parent.is_some_and(|parent| parent >= index) {
                return wrong(format!("node {index} comes before its parent"));
            }
            if !node.rest.is_finite() {
                let name = crate::shown::escaped(&node.name);
                return wrong(format!("node \"{name}\": `rest` is not finite"));
            }
        }
        for (index, mesh) in self.meshes.iter().enumerate() {
            if mesh.node.is_some_and(|node| node >= self.nodes.len()) {
                return wrong(format!(
                    "mesh {index} is attached to a node that is not listed"
                ));
            }
        }
        for clip in &self.clips {
            let times = &clip.times;
            let ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
            if times.is_empty() || !ascending || !times.iter().all(|time| time.is_finite()) {
                let name = crate::shown::escaped(&clip.name);
                return wrong(format!("clip \"{name}\": its times must ascend"));
            }
        }
        Ok(())
    }

    pub(super) fn space(&self) -> Space {
        Space {
            up: self.up,
            front: self.front,
            metres_per_unit: self.metres_per_unit,
        }
    }

    /// Refuses a header that announces far more than a file of `size` bytes can hold. Packed numbers are up to a thousand
    /// times smaller than what they stand for.
    pub(super) fn check_memory(&self, size: usize) -> Result<(), ReferenceError> {
        let (bytes, limit) = (self.memory(), memory_limit(size));
        if bytes > limit {
            return Err(ReferenceError::TooLarge { bytes, limit });
        }
        Ok(())
    }

    /// How many bytes the reference takes in memory while it is read.
    fn memory(&self) -> u64 {
        let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let vector = |exists: bool| if exists { 12 } else { 0 };
        let mut of_meshes = 0_u64;
        // A frame has three lists and its time.
        let mut of_frame = wide(self.nodes.len()).saturating_mul(64).saturating_add(80);
        for mesh in &self.meshes {
            let moving = 12 + vector(mesh.normals);
            let influences = match wide(mesh.influences) {
                0 => 0,
                count => count.max(4).saturating_mul(8).saturating_add(24),
            };
            // While a frame is unpacked, each vertex has a matrix and predicted vectors.
            let fixed = influences.saturating_add(moving + 256);
            let vertices = wide(mesh.vertices);
            of_meshes = of_meshes
                .saturating_add(vertices.saturating_mul(fixed))
                .saturating_add(wide(mesh.triangles).saturating_mul(12));
            of_frame = of_frame
                .saturating_add(vertices.saturating_mul(moving))
                .saturating_add(48);
        }
        let frames = self
            .clips
            .iter()
            .map(|clip| wide(clip.times.len()))
            .fold(0, u64::saturating_add);
        of_meshes.saturating_add(of_frame.saturating_mul(frames))
    }

    /// How many bytes of numbers follow; `None` for more than there can be.
    fn bytes(&self) -> Option<u64> {
        let of_mesh = |mesh: &MeshHeader, fixed: bool| -> Option<usize> {
            let per_vertex = 3 + if mesh.normals { 3 } else { 0 };
            let rest = if mesh.uvs { 2 } else { 0 };
            let rest = rest + mesh.influences.checked_mul(2)?;
            let moving = mesh.vertices.checked_mul(per_vertex)?;
            if !fixed {
                return Some(moving);
            }
            let own = mesh.vertices.checked_mul(rest)?;
            let corners = mesh.triangles.checked_mul(3)?;
            moving.checked_add(own)?.checked_add(corners)
        };
        let total = |fixed: bool| -> Option<usize> {
            let mut meshes = self.meshes.iter();
            meshes.try_fold(0, |sum: usize, mesh| sum.checked_add(of_mesh(mesh, fixed)?))
        };
        let frame = total(false)?.checked_add(self.nodes.len().checked_mul(16)?)?;
        let frames: usize = self.clips.iter().map(|clip| clip.times.len()).sum();
        let numbers = total(true)?.checked_add(frame.checked_mul(frames)?)?;
        u64::try_from(numbers.checked_mul(4)?).ok()
    }

    /// * `numbers` – as many as the header announces.
    fn read(self, mut numbers: Numbers<'_>) -> Reference {
        let meshes = self
            .meshes
            .iter()
            .map(|mesh| read_mesh(mesh, &mut numbers))
            .collect();
        let clips = self
            .clips
            .iter()
            .map(|clip| self.read_clip(clip, &mut numbers));
        Reference {
            clips: clips.collect(),
            space: self.space(),
            generator: self.generator,
            nodes: self.nodes,
            meshes,
        }
    }

    fn read_clip(&self, clip: &ClipHeader, numbers: &mut Numbers<'_>) -> Clip {
        let frames = clip.times.iter().map(|&time| {
            let nodes = self.nodes.iter().map(|_| numbers.matrix()).collect();
            let lists = self.meshes.iter().map(|mesh| {
                let positions = numbers.vectors(mesh.vertices);
                let normals = if mesh.normals { mesh.vertices } else { 0 };
                (positions, numbers.vectors(normals))
            });
            let (positions, normals) = lists.unzip();
            Frame {
                time,
                nodes,
                positions,
                normals,
            }
        });
        Clip {
            name: clip.name.clone(),
            frames: frames.collect(),
        }
    }
}

fn read_mesh(mesh: &MeshHeader, numbers: &mut Numbers<'_>) -> Mesh {
    let count = mesh.vertices;
    let only_if = |exists: bool| if exists { count } else { 0 };
    let positions = numbers.vectors(count);
    let normals = numbers.vectors(only_if(mesh.normals));
    let uvs = (0..only_if(mesh.uvs))
        .map(|_| Vec2::new(numbers.float(), numbers.float()))
        .collect();
    let triangles = (0..mesh.triangles)
        .map(|_| [(); 3].map(|()| numbers.word()))
        .collect();
    let slots: Vec<u32> = (0..count * mesh.influences)
        .map(|_| numbers.word())
        .collect();
    let weights: Vec<(u32, f32)> = slots.iter().map(|slot| (*slot, numbers.float())).collect();
    let influences = weights.chunks(mesh.influences.max(1)).map(|list| {
        let used = list.iter().filter(|(_, weight)| *weight != 0.0);
        used.copied().collect()
    });
    Mesh {
        name: mesh.name.clone(),
        node: mesh.node,
        positions,
        normals,
        uvs,
        triangles,
        influences: influences.collect(),
        shape_keys: mesh.shape_keys.clone(),
    }
}

/// The remaining numbers.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn bytes(&mut self) -> [u8; 4] {
        let (first, rest) = self
            .0
            .split_first_chunk()
            .expect("the length has been checked");
        self.0 = rest;
        *first
    }

    fn float(&mut self) -> f32 {
        f32::from_le_bytes(self.bytes())
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn vectors(&mut self, count: usize) -> Vec<Vec3> {
        let vector = |_| Vec3::new(self.float(), self.float(), self.float());
        (0..count).map(vector).collect()
    }

    fn matrix(&mut self) -> Mat4 {
        Mat4::from_cols_array(&[(); 16].map(|()| self.float()))
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::super::{Clip, Frame, Mesh, Node};
    use super::*;
    use crate::units::SignedAxis;

    fn reference(times: &[f64]) -> Reference {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let frame = |time: &f64| Frame {
            time: *time,
            nodes: vec![Mat4::IDENTITY],
            positions: vec![corners.clone()],
            normals: vec![Vec::new()],
        };
        Reference {
            generator: "any program".to_owned(),
            space: Space::Y_UP_METRES,
            nodes: vec![Node {
                name: "root".to_owned(),
                parent: None,
                joint: true,
                rest: Mat4::IDENTITY,
            }],
            meshes: vec![Mesh {
                name: "plate".to_owned(),
                positions: corners.clone(),
                triangles: vec![[0, 1, 2]],
                ..Mesh::default()
            }],
            clips: vec![Clip {
                name: "walk".to_owned(),
                frames: times.iter().map(frame).collect(),
            }],
        }
    }

    #[test]
    fn what_cannot_be_read_back_is_invalid() {
        let axes = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::PlusZ,
            ..Space::Y_UP_METRES
        };
        let unit = Space {
            metres_per_unit: Some(0.0),
            ..Space::Y_UP_METRES
        };
        let in_space = |space: Space| Reference {
            space,
            ..reference(&[0.0, 1.0])
        };
        let wrong = [
            (in_space(axes), "not perpendicular"),
            (in_space(unit), "must be above 0"),
            (reference(&[0.2, 0.1]), "must ascend"),
            (reference(&[]), "must ascend"),
        ];
        for (wrong, words) in wrong {
            let invalid = wrong.validate().expect_err("it is wrong").to_string();
            assert!(invalid.contains(words), "{invalid}");
            let unread = Reference::parse(&wrong.to_bytes()).expect_err("it is wrong");
            assert_eq!(unread.to_string(), invalid);
        }
        let right = reference(&[0.1, 0.2]);
        right.validate().expect("it can be read back");
        Reference::parse(&right.to_bytes()).expect("it is the same");
    }
}
