//! The properties of a material: a list of keys and bytes.

use russimp::sys::{
    aiMaterial, aiMaterialProperty, aiPropertyTypeInfo_aiPTI_Buffer,
    aiPropertyTypeInfo_aiPTI_Float, aiPropertyTypeInfo_aiPTI_Integer,
    aiPropertyTypeInfo_aiPTI_String,
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

    /// Numbers.
    pub(super) fn numbers(&self, key: &str, kind: u32) -> Option<Vec<f32>> {
        let property = self.find(key, kind)?;
        let types = [
            aiPropertyTypeInfo_aiPTI_Float,
            aiPropertyTypeInfo_aiPTI_Buffer,
        ];
        types
            .contains(&property.mType)
            .then(|| numbers(property.data()))
    }

    /// The first of some whole numbers.
    pub(super) fn integer(&self, key: &str, kind: u32) -> Option<i32> {
        let property = self.find(key, kind)?;
        let first = *property.data().first_chunk::<4>()?;
        let types = [
            aiPropertyTypeInfo_aiPTI_Integer,
            aiPropertyTypeInfo_aiPTI_Buffer,
        ];
        types
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

/// assimp is compiled for single precision. A torn number at the end is skipped.
fn numbers(data: &[u8]) -> Vec<f32> {
    let words = data.as_chunks().0.iter();
    words.map(|bytes| f32::from_ne_bytes(*bytes)).collect()
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
    fn a_torn_number_is_skipped() {
        let mut data = 0.25_f32.to_ne_bytes().to_vec();
        data.push(7);
        assert_eq!(numbers(&data), [0.25]);
    }
}
