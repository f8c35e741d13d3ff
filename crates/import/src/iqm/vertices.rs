//! Vertex arrays: one list of numbers for each attribute, of all meshes together.

use std::ops::Range;

use glam::{Vec2, Vec3, Vec4};

use super::bytes::{Bytes, Damage, Header, List};
use crate::log::Log;
use crate::rig::{DefectKind, Influence, Influences, Location, SkinSlot};
use crate::surfaces::linear_from_srgb;
use crate::vertices::f32_of;

/// The kind of an array, by its number.
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

/// The numbers of one array, this many a vertex; nothing where the file has no such array.
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

impl Vertices {
    /// Reads all arrays. The first of each kind counts; unknown kinds are skipped.
    ///
    /// # Errors
    ///
    /// [`Damage`] if an array is not there or has a format or a size that makes no sense.
    pub(super) fn read(
        file: Bytes<'_>,
        header: &Header<'_>,
        log: &mut Log,
    ) -> Result<Self, Damage> {
        let records: Vec<[u32; 5]> = file.records("the vertex arrays", header.vertex_arrays)?;
        let mut vertices = Self::default();
        for (index, [kind, _, format, size, offset]) in records.into_iter().enumerate() {
            let Some(&known) = Kind::ALL.get(kind as usize) else {
                left_out(index, "has an unknown kind", log);
                continue;
            };
            if vertices.arrays[kind as usize].size > 0 {
                left_out(index, "is the second of its kind", log);
                continue;
            }
            let damage = Damage::Components {
                array: index,
                size,
                format,
            };
            let (fewest, most) = known.components();
            let format = Format::of(format)
                .filter(|_| (fewest..=most).contains(&size))
                .ok_or(damage)?;
            let stride = u64::from(size) * format.bytes() as u64;
            let count = header.vertices;
            let numbers = List { count, offset };
            let bytes = file.list("the numbers of a vertex array", numbers, stride)?;
            vertices.arrays[kind as usize] = Array {
                numbers: format.numbers(bytes, known.is_fraction()),
                size: size as usize,
            };
        }
        vertices.count = vertices.of(Kind::Position, 0..usize::MAX).count();
        let size = |kind| vertices.arrays[kind as usize].size;
        let (indices, weights) = (size(Kind::BlendIndices), size(Kind::BlendWeights));
        if indices != weights {
            let message = format!("a vertex has {indices} joint indices and {weights} weights");
            let kind = DefectKind::WeightSetMismatch;
            log.defects.add(kind, Location::FILE, message);
        }
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
        let both = self
            .of(Kind::Tangent, range)
            .zip(normals)
            .map(|(tangent, normal)| {
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

    /// The influences of the vertices in `range`, without weights of 0, which are padding.
    pub(super) fn influences(&self, range: Range<usize>) -> Influences {
        let indices = self.of(Kind::BlendIndices, range.clone());
        let weights = self.of(Kind::BlendWeights, range);
        let lists = indices.zip(weights).map(|(indices, weights)| {
            let pairs = indices.iter().zip(weights);
            let influences = pairs.filter(|(_, weight)| **weight != 0.0);
            influences.map(|(&index, &weight)| Influence {
                slot: SkinSlot(slot(index)),
                weight,
            })
        });
        Influences::from_vertices(lists)
    }
}

/// The joint number `index`; a number out of range unless `index` is a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is not exact is found out by going back"
)]
fn slot(index: f32) -> u32 {
    let slot = index as u32;
    let is_exact = f64::from(slot).total_cmp(&f64::from(index)).is_eq();
    if is_exact { slot } else { u32::MAX }
}

/// The first three; arrays of vectors have at least as many.
fn vec3(numbers: &[f32]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
}

fn left_out(index: usize, why: &str, log: &mut Log) {
    let message = format!("skipped: it {why}");
    log.notes.add(format!("vertex array {index}"), message);
}

/// How a component is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Byte,
    UByte,
    Short,
    UShort,
    Int,
    UInt,
    Half,
    Float,
    Double,
}

impl Format {
    /// In the order of their numbers in the file.
    const ALL: [Self; 9] = [
        Self::Byte,
        Self::UByte,
        Self::Short,
        Self::UShort,
        Self::Int,
        Self::UInt,
        Self::Half,
        Self::Float,
        Self::Double,
    ];

    /// By its number in the file.
    pub(super) fn of(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// The size of one component.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Byte | Self::UByte => 1,
            Self::Short | Self::UShort | Self::Half => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// All components in `bytes`.
    ///
    /// * `is_fraction` – whether integers are divided by the largest.
    pub(super) fn numbers(self, bytes: &[u8], is_fraction: bool) -> Vec<f32> {
        let number = |bytes| {
            let (number, largest) = self.number(bytes);
            f32_of(if is_fraction {
                number / largest
            } else {
                number
            })
        };
        bytes.chunks_exact(self.bytes()).map(number).collect()
    }

    /// The number, and the largest one of an integer format; 1 for the others.
    ///
    /// * `bytes` – as many as the format has.
    fn number(self, bytes: &[u8]) -> (f64, f64) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let [a, b, c, d, ..] = word;
        match self {
            Self::Byte => (i8::from_le_bytes([a]).into(), i8::MAX.into()),
            Self::UByte => (a.into(), u8::MAX.into()),
            Self::Short => (i16::from_le_bytes([a, b]).into(), i16::MAX.into()),
            Self::UShort => (u16::from_le_bytes([a, b]).into(), u16::MAX.into()),
            Self::Int => (i32::from_le_bytes([a, b, c, d]).into(), i32::MAX.into()),
            Self::UInt => (u32::from_le_bytes([a, b, c, d]).into(), u32::MAX.into()),
            Self::Half => (half(u16::from_le_bytes([a, b])), 1.0),
            Self::Float => (f32::from_le_bytes([a, b, c, d]).into(), 1.0),
            Self::Double => (f64::from_le_bytes(word), 1.0),
        }
    }
}

/// Decodes a half-precision number (IEEE 754, binary16).
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => libm::ldexp(fraction, -24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => libm::ldexp(fraction + 1024.0, exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_is_named_by_a_whole_number() {
        assert_eq!(slot(2.0), 2);
        for index in [-1.0, 0.5, f32::NAN, f32::INFINITY] {
            assert_eq!(slot(index), u32::MAX, "{index}");
        }
    }

    #[test]
    fn every_format_gives_its_number() {
        let number = |format: u32, bytes: &[u8]| Format::of(format).unwrap().number(bytes).0;
        let expected: &[(u32, &[u8], f64)] = &[
            (0, &[0xff], -1.0),
            (1, &[0xff], 255.0),
            (2, &[0xfe, 0xff], -2.0),
            (3, &[0xfe, 0xff], 65534.0),
            (4, &[0xfd, 0xff, 0xff, 0xff], -3.0),
            (5, &[0xff, 0xff, 0xff, 0xff], 4_294_967_295.0),
            (6, &[0x00, 0xc1], -2.5),
            (7, &1.5_f32.to_le_bytes(), 1.5),
            (8, &1e-3_f64.to_le_bytes(), 1e-3),
        ];
        for (format, bytes, value) in expected {
            let found = number(*format, bytes);
            assert!(found.total_cmp(value).is_eq(), "{format}: {found}");
        }
        assert_eq!(Format::of(9), None);
    }

    #[test]
    fn halves_of_every_class_are_read() {
        let cases = [
            (0x3c00, 1.0),
            (0x0001, 2.0_f64.powi(-24)),
            (0x7bff, 65504.0),
            (0xfc00, f64::NEG_INFINITY),
        ];
        for (bits, value) in cases {
            assert!(half(bits).total_cmp(&value).is_eq(), "{bits:x}");
        }
        assert!(half(0x7e00).is_nan());
    }
}
