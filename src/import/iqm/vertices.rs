//! Vertex arrays: one list of numbers for each attribute, of all meshes together.

use std::ops::Range;

use glam::{Vec2, Vec3, Vec4};

use super::bytes::{Bytes, Damage};
use super::format::Format;
use super::header::{Header, List};
use crate::import::color::linear_from_srgb;
use crate::rig::{Influence, Note};

/// What an array holds, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Position,
    TexCoord,
    Normal,
    Tangent,
    BlendIndices,
    BlendWeights,
    Color,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Position,
        Self::TexCoord,
        Self::Normal,
        Self::Tangent,
        Self::BlendIndices,
        Self::BlendWeights,
        Self::Color,
    ];

    /// The fewest and the most components.
    fn components(self) -> (u32, u32) {
        match self {
            Self::Position | Self::Normal | Self::Tangent | Self::Color => (3, 4),
            Self::TexCoord => (2, 4),
            Self::BlendIndices | Self::BlendWeights => (1, 64),
        }
    }

    /// Whether integers are fractions of the largest one, as OpenGL has it for such attributes.
    fn is_fraction(self) -> bool {
        !matches!(self, Self::Position | Self::BlendIndices)
    }
}

/// The numbers of one array, so many a vertex; nothing where the file has no such array.
#[derive(Debug, Default)]
struct Array {
    numbers: Vec<f32>,
    size: usize,
}

/// The arrays of a file.
#[derive(Debug, Default)]
pub(super) struct Vertices {
    arrays: [Array; Kind::ALL.len()],
    pub(super) count: usize,
}

/// The weights of some vertices.
pub(super) struct Weights {
    /// One list a vertex, as in the file but for weights of 0, which are padding.
    pub(super) lists: Vec<Vec<Influence>>,
    /// How many name a joint that is not there.
    pub(super) lost: usize,
    /// The first vertex with such a weight, by its place in `lists`.
    pub(super) first_lost: Option<usize>,
}

impl Vertices {
    /// Reads all arrays. The first of each kind counts; those of kinds that are not known are left out.
    ///
    /// # Errors
    ///
    /// [`Damage`] if an array is not there or has a format or a size that makes no sense.
    pub(super) fn read(
        file: Bytes<'_>,
        header: &Header<'_>,
        notes: &mut Vec<Note>,
    ) -> Result<Self, Damage> {
        let List { count, offset } = header.vertex_arrays;
        let records: Vec<[u32; 5]> = file.records("the vertex arrays", offset, count)?;
        let mut vertices = Self::default();
        for (index, [kind, _, format, size, offset]) in records.into_iter().enumerate() {
            let Some(&known) = Kind::ALL.get(kind as usize) else {
                notes.push(left_out(index, "has an unknown kind"));
                continue;
            };
            if vertices.arrays[kind as usize].size > 0 {
                notes.push(left_out(index, "is the second of its kind"));
                continue;
            }
            let damage = Damage::Components {
                array: index,
                size,
                format,
            };
            let (fewest, most) = known.components();
            let format = Format::of(format).filter(|_| (fewest..=most).contains(&size));
            let format = format.ok_or(damage)?;
            let stride = u64::from(size) * format.bytes() as u64;
            let bytes = file.list(
                "the numbers of a vertex array",
                offset,
                header.vertices,
                stride,
            )?;
            vertices.arrays[kind as usize] = Array {
                numbers: format.numbers(bytes, known.is_fraction()),
                size: size as usize,
            };
        }
        vertices.count = vertices.of(Kind::Position, 0..usize::MAX).count();
        Ok(vertices)
    }

    /// The numbers of each of the vertices in `range`; nothing without such an array.
    fn of(&self, kind: Kind, range: Range<usize>) -> impl Iterator<Item = &[f32]> {
        let array = &self.arrays[kind as usize];
        let vertices = array.numbers.chunks_exact(array.size.max(1));
        vertices.skip(range.start).take(range.len())
    }

    pub(super) fn positions(&self, range: Range<usize>) -> Vec<Vec3> {
        self.of(Kind::Position, range).map(vec3).collect()
    }

    pub(super) fn normals(&self, range: Range<usize>) -> Vec<Vec3> {
        self.of(Kind::Normal, range).map(vec3).collect()
    }

    /// With v growing downwards, as exporters write it for the engines that read it.
    pub(super) fn uvs(&self, range: Range<usize>) -> Vec<Vec2> {
        let uvs = self.of(Kind::TexCoord, range);
        uvs.map(|numbers| Vec2::new(numbers[0], numbers[1]))
            .collect()
    }

    /// Tangents and bitangents; the fourth number is the side of the latter (`cross(normal, tangent) * w`).
    pub(super) fn tangents(&self, range: Range<usize>) -> (Vec<Vec3>, Vec<Vec3>) {
        let normals = self.of(Kind::Normal, range.clone());
        let both = self.of(Kind::Tangent, range).zip(normals);
        let both = both.map(|(tangent, normal)| {
            let side = tangent.get(3).copied().unwrap_or(1.0);
            let tangent = vec3(tangent);
            (tangent, vec3(normal).cross(tangent) * side)
        });
        both.unzip()
    }

    /// In linear light.
    pub(super) fn colors(&self, range: Range<usize>) -> Vec<Vec4> {
        let color = |numbers: &[f32]| {
            let alpha = numbers.get(3).copied().unwrap_or(1.0);
            linear_from_srgb(vec3(numbers).extend(alpha))
        };
        self.of(Kind::Color, range).map(color).collect()
    }

    /// Whether vertices are bound to joints.
    pub(super) fn are_bound(&self) -> bool {
        let has = |kind| self.of(kind, 0..1).next().is_some();
        has(Kind::BlendIndices) && has(Kind::BlendWeights)
    }

    /// How many joints, and how many weights, each vertex names.
    pub(super) fn influence_counts(&self) -> (usize, usize) {
        let size = |kind| self.arrays[kind as usize].size;
        (size(Kind::BlendIndices), size(Kind::BlendWeights))
    }

    /// The weights of the vertices in `range`, of a file with so many `joints`.
    pub(super) fn weights(&self, range: Range<usize>, joints: usize) -> Weights {
        let (mut lost, mut first_lost) = (0, None);
        let indices = self.of(Kind::BlendIndices, range.clone());
        let weights = self.of(Kind::BlendWeights, range);
        let list = |(vertex, (indices, weights)): (usize, (&[f32], &[f32]))| {
            let pairs = indices.iter().zip(weights);
            let pulls = pairs.filter(|(_, weight)| **weight != 0.0);
            let known = pulls.filter_map(|(&index, &weight)| {
                let slot = slot(index, joints);
                if slot.is_none() {
                    lost += 1;
                    first_lost.get_or_insert(vertex);
                }
                Some(Influence {
                    slot: slot?,
                    weight,
                })
            });
            known.collect()
        };
        let lists = indices.zip(weights).enumerate().map(list).collect();
        Weights {
            lists,
            lost,
            first_lost,
        }
    }
}

/// The joint that `index` is the number of, exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is not exact is found out by going back"
)]
fn slot(index: f32, joints: usize) -> Option<u32> {
    let slot = index as u32;
    let exact = f64::from(slot).total_cmp(&f64::from(index)).is_eq();
    (exact && (slot as usize) < joints).then_some(slot)
}

/// The first three; arrays of vectors have at least as many.
fn vec3(numbers: &[f32]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
}

fn left_out(index: usize, why: &str) -> Note {
    Note {
        place: format!("vertex array {index}"),
        message: format!("skipped: it {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_is_named_by_a_whole_number_within_the_list() {
        assert_eq!(slot(2.0, 3), Some(2));
        for index in [3.0, -1.0, 0.5, f32::NAN, f32::INFINITY] {
            assert_eq!(slot(index, 3), None, "{index}");
        }
    }
}
