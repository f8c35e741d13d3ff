//! How the numbers of accessors are stored (glTF 2.0, §3.6.2.2).

/// Types of numbers: their number in a document, and the number that stands for 1 if they are normalized.
macro_rules! components {
    ($($name:ident: $type:ty = $code:literal, $whole:expr;)+) => {
        /// The type of a number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Component {
            $($name,)+
        }

        impl Component {
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            /// By its number in a document.
            pub(crate) fn of(code: usize) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// Its number in a document.
            pub(crate) fn code(self) -> usize {
                match self {
                    $(Self::$name => $code,)+
                }
            }

            /// In bytes.
            pub(crate) fn size(self) -> usize {
                match self {
                    $(Self::$name => size_of::<$type>(),)+
                }
            }

            /// The number that stands for 1 if numbers of this type are normalized; 1 for floats.
            pub(crate) fn whole(self) -> f64 {
                match self {
                    $(Self::$name => $whole.into(),)+
                }
            }

            /// The number in `bytes`, of the right length, as stored.
            pub(crate) fn decode(self, bytes: &[u8]) -> f64 {
                match self {
                    $(Self::$name => bytes.first_chunk().map_or(0.0, |own| <$type>::from_le_bytes(*own).into()),)+
                }
            }

            /// Appends a number. One that an integer cannot hold becomes the nearest that it can.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "casts of floats saturate, and f32 is what is stored"
            )]
            pub(crate) fn encode(self, number: f64, bytes: &mut Vec<u8>) {
                let rounded = if self == Self::F32 { number } else { number.round() };
                match self {
                    $(Self::$name => bytes.extend((rounded as $type).to_le_bytes()),)+
                }
            }
        }
    };
}

components! {
    I8: i8 = 5120, i8::MAX;
    U8: u8 = 5121, u8::MAX;
    I16: i16 = 5122, i16::MAX;
    U16: u16 = 5123, u16::MAX;
    U32: u32 = 5125, u32::MAX;
    F32: f32 = 5126, 1.0_f32;
}

impl Component {
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
        for component in Component::ALL {
            assert_eq!(Component::of(component.code()), Some(*component));
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
