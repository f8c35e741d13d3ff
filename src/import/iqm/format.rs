//! The formats of the components of vertices.

use crate::import::rounding::f32_of;

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
