//! The properties of a material: a list of keys and bytes.

use russimp::sys::{
    aiMaterial, aiMaterialProperty, aiPropertyTypeInfo_aiPTI_Buffer,
    aiPropertyTypeInfo_aiPTI_Double, aiPropertyTypeInfo_aiPTI_Float,
    aiPropertyTypeInfo_aiPTI_Integer, aiPropertyTypeInfo_aiPTI_String,
};

use super::names;
use super::raw::Raw;

/// The properties of one material.
pub(super) struct Properties<'a>(Vec<(Vec<u8>, Raw<'a, aiMaterialProperty>)>);

impl<'a> Properties<'a> {
    /// The properties of `material`.
    pub(super) fn read(material: Raw<'a, aiMaterial>) -> Self {
        let properties = material.properties().flatten();
        Self(properties.map(|p| (names::bytes(&p.mKey), p)).collect())
    }

    /// The property of the first texture if `kind` is the purpose of a texture; of the material if it is 0.
    fn find(&self, key: &str, kind: u32) -> Option<Raw<'a, aiMaterialProperty>> {
        let mut properties = self.0.iter();
        let found = properties.find(|(name, property)| {
            name == key.as_bytes() && property.mSemantic == kind && property.mIndex == 0
        });
        found.map(|&(_, property)| property)
    }

    /// A text.
    pub(super) fn text(&self, key: &str, kind: u32) -> Option<String> {
        let property = self.find(key, kind)?;
        if property.mType != aiPropertyTypeInfo_aiPTI_String {
            return None;
        }
        text(property.data())
    }

    /// Numbers, of whichever type they are.
    pub(super) fn numbers(&self, key: &str, kind: u32) -> Option<Vec<f32>> {
        let property = self.find(key, kind)?;
        numbers(property.mType, property.data())
    }

    /// The first of some whole numbers.
    pub(super) fn integer(&self, key: &str, kind: u32) -> Option<i32> {
        let property = self.find(key, kind)?;
        let first = *property.data().first_chunk::<4>()?;
        let whole = [
            aiPropertyTypeInfo_aiPTI_Integer,
            aiPropertyTypeInfo_aiPTI_Buffer,
        ];
        whole
            .contains(&property.mType)
            .then(|| i32::from_ne_bytes(first))
    }

    /// Whether any bit is set. assimp stores a `bool` as one byte or as an int.
    pub(super) fn flag(&self, key: &str) -> bool {
        let property = self.find(key, 0);
        property.is_some_and(|property| property.data().iter().any(|&byte| byte != 0))
    }
}

/// A string: its length in 4 bytes, then its bytes.
fn text(data: &[u8]) -> Option<String> {
    let (len, bytes) = data.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_ne_bytes(*len)).ok()?;
    Some(names::decode(bytes.get(..len)?))
}

fn numbers(kind: u32, data: &[u8]) -> Option<Vec<f32>> {
    #[expect(non_upper_case_globals, reason = "assimp's names")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "colours"
    )]
    Some(match kind {
        aiPropertyTypeInfo_aiPTI_Float | aiPropertyTypeInfo_aiPTI_Buffer => {
            words(data).map(f32::from_ne_bytes).collect()
        }
        aiPropertyTypeInfo_aiPTI_Double => words(data)
            .map(|bytes| f64::from_ne_bytes(bytes) as f32)
            .collect(),
        aiPropertyTypeInfo_aiPTI_Integer => words(data)
            .map(|bytes| i32::from_ne_bytes(bytes) as f32)
            .collect(),
        _ => return None,
    })
}

/// `data` in pieces of `N` bytes, without the remainder.
fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> {
    data.chunks_exact(N)
        .filter_map(|chunk| chunk.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shorter_than_it_says_is_none() {
        let mut data = 9_u32.to_ne_bytes().to_vec();
        data.extend(b"short\0");
        assert_eq!(text(&data), None);
        data[..4].copy_from_slice(&5_u32.to_ne_bytes());
        assert_eq!(text(&data).as_deref(), Some("short"));
        assert_eq!(text(&[1, 2]), None);
    }

    #[test]
    fn numbers_of_every_type_are_read_and_a_torn_one_is_skipped() {
        let mut data = 0.25_f32.to_ne_bytes().to_vec();
        data.push(7);
        let floats = numbers(aiPropertyTypeInfo_aiPTI_Float, &data);
        assert_eq!(floats, Some(vec![0.25]));
        let double = numbers(aiPropertyTypeInfo_aiPTI_Double, &0.5_f64.to_ne_bytes());
        assert_eq!(double, Some(vec![0.5]));
        let integer = numbers(aiPropertyTypeInfo_aiPTI_Integer, &3_i32.to_ne_bytes());
        assert_eq!(integer, Some(vec![3.0]));
        assert_eq!(numbers(aiPropertyTypeInfo_aiPTI_String, &data), None);
    }
}
