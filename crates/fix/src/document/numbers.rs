//! How the numbers of accessors are stored (glTF 2.0, §3.6.2.2).

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// By its number in a document.
    pub(crate) fn of(code: usize) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Its number in a document.
    pub(crate) fn code(self) -> usize {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// In bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number that stands for 1 if numbers of this type are normalized; 1 for floats.
    pub(crate) fn whole(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 => f64::from(u32::MAX),
            Self::F32 => 1.0,
        }
    }

    /// The number in `bytes`, of the right length, as stored.
    pub(crate) fn decode(self, bytes: &[u8]) -> f64 {
        let mut own = [0; 4];
        own[..self.size()].copy_from_slice(bytes);
        let [a, b, ..] = own;
        match self {
            Self::I8 => f64::from(i8::from_le_bytes([a])),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::U32 => f64::from(u32::from_le_bytes(own)),
            Self::F32 => f64::from(f32::from_le_bytes(own)),
        }
    }

    /// A number as it is read back.
    pub(crate) fn stored(self, number: f64) -> f64 {
        let mut bytes = Vec::with_capacity(self.size());
        self.encode(number, &mut bytes);
        self.decode(&bytes)
    }

    /// Whether a number is read back as it was.
    pub(crate) fn holds(self, number: f64) -> bool {
        self.stored(number).to_bits() == number.to_bits()
    }

    /// Appends a number. One that an integer cannot hold becomes the nearest that it can.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats saturate, and f32 is what is stored"
    )]
    pub(crate) fn encode(self, number: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::I8 => bytes.extend((number.round() as i8).to_le_bytes()),
            Self::U8 => bytes.extend((number.round() as u8).to_le_bytes()),
            Self::I16 => bytes.extend((number.round() as i16).to_le_bytes()),
            Self::U16 => bytes.extend((number.round() as u16).to_le_bytes()),
            Self::U32 => bytes.extend((number.round() as u32).to_le_bytes()),
            Self::F32 => bytes.extend((number as f32).to_le_bytes()),
        }
    }
}

/// The number of components of a type of element; `None` for matrices with padded columns and unknown types.
pub(crate) fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_stored_and_read_back() {
        let all = [5120, 5121, 5122, 5123, 5125, 5126].map(|code| Component::of(code).unwrap());
        for component in all {
            for number in [0.0, 1.0, component.whole()] {
                let mut bytes = Vec::new();
                component.encode(number, &mut bytes);
                assert_eq!(bytes.len(), component.size());
                assert_eq!(
                    component.decode(&bytes).to_bits(),
                    number.to_bits(),
                    "{component:?}"
                );
            }
        }
        let mut bytes = Vec::new();
        Component::U8.encode(300.0, &mut bytes);
        Component::I8.encode(-1.0, &mut bytes);
        assert_eq!(bytes, [255, 255]);
    }
}
