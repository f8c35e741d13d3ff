//! Views of assimp's structures: every pointer is followed here, and nowhere else.
//!
//! assimp describes a list as a pointer and a count. A null pointer or a count of 0 is an empty list; whether the
//! *contents* make sense (indices, lengths of parallel lists, times) is for the callers to check.

use std::ffi::c_char;
use std::ops::Deref;

use glam::{Mat4, Quat, Vec3};
use russimp::sys::{
    aiAnimMesh, aiAnimation, aiBone, aiColor4D, aiFace, aiMaterial, aiMaterialProperty,
    aiMatrix4x4, aiMesh, aiMeshMorphAnim, aiMeshMorphKey, aiMetadata, aiMetadataEntry,
    aiMetadataType, aiMetadataType_AI_AISTRING, aiMetadataType_AI_DOUBLE, aiMetadataType_AI_FLOAT,
    aiMetadataType_AI_INT32, aiNode, aiNodeAnim, aiQuatKey, aiQuaternion, aiScene, aiString,
    aiTexel, aiTexture, aiVector3D, aiVectorKey, aiVertexWeight,
};

pub(super) use crate::text::decode;

/// A structure that assimp made: its pointers are null or point to as many items as its counts say, and live for `'a`.
pub(super) struct Raw<'a, T>(&'a T);

impl<T> Clone for Raw<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Raw<'_, T> {}

impl<T> Deref for Raw<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<'a, T> Raw<'a, T> {
    /// # Safety
    ///
    /// All pointers in `inner`, and in what they point to, keep the promise of [`Raw`].
    pub(super) unsafe fn new(inner: &'a T) -> Self {
        Self(inner)
    }

    /// Its address, which identifies it.
    pub(super) fn address(self) -> *const T {
        self.0
    }
}

/// # Safety
///
/// `start` is null, or points to `len` items that live for `'a`.
unsafe fn list<'a, T>(start: *const T, len: u32) -> &'a [T] {
    if start.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: not null, and as many items as the caller promises.
    unsafe { std::slice::from_raw_parts(start, len as usize) }
}

/// # Safety
///
/// `pointer` is null, or points to a structure that keeps the promise of [`Raw`] for `'a`.
unsafe fn structure<'a, T>(pointer: *const T) -> Option<Raw<'a, T>> {
    // SAFETY: null, or valid as the caller promises.
    unsafe { pointer.as_ref() }.map(Raw)
}

/// Lists of plain values: `list(self)` is what the pointer and the count describe.
macro_rules! lists {
    ($($owner:ident { $($list:ident: $start:ident, $count:ident => $item:ty;)+ })+) => {
        $(impl<'a> Raw<'a, $owner> {
            $(
                #[doc = concat!("`", stringify!($start), "`.")]
                pub(super) fn $list(self) -> &'a [$item] {
                    // SAFETY: the promise of `Raw`.
                    unsafe { list(self.0.$start, self.0.$count) }
                }
            )+
        })+
    };
}

/// Lists of structures that hold pointers themselves, stored one after the other.
macro_rules! inline_structures {
    ($($owner:ident { $($list:ident: $start:ident, $count:ident => $item:ty;)+ })+) => {
        $(impl<'a> Raw<'a, $owner> {
            $(
                #[doc = concat!("`", stringify!($start), "`.")]
                pub(super) fn $list(self) -> impl Iterator<Item = Raw<'a, $item>> {
                    // SAFETY: the promise of `Raw`, which the items keep too.
                    unsafe { list(self.0.$start, self.0.$count) }.iter().map(Raw)
                }
            )+
        })+
    };
}

/// Lists of pointers to structures; a null pointer is `None`.
macro_rules! structures {
    ($($owner:ident { $($list:ident: $start:ident, $count:ident => $item:ty;)+ })+) => {
        $(impl<'a> Raw<'a, $owner> {
            $(
                #[doc = concat!("`", stringify!($start), "`; `None` for a null pointer.")]
                pub(super) fn $list(self) -> impl DoubleEndedIterator<Item = Option<Raw<'a, $item>>> {
                    // SAFETY: the promise of `Raw`.
                    let pointers = unsafe { list(self.0.$start, self.0.$count) };
                    // SAFETY: the promise of `Raw`, for each item.
                    pointers.iter().map(|&item| unsafe { structure(item.cast_const()) })
                }
            )+
        })+
    };
}

lists! {
    aiNode { mesh_indices: mMeshes, mNumMeshes => u32; }
    aiMesh {
        vertices: mVertices, mNumVertices => aiVector3D;
        normals: mNormals, mNumVertices => aiVector3D;
        tangents: mTangents, mNumVertices => aiVector3D;
        bitangents: mBitangents, mNumVertices => aiVector3D;
    }
    aiFace { indices: mIndices, mNumIndices => u32; }
    aiBone { weights: mWeights, mNumWeights => aiVertexWeight; }
    aiAnimMesh {
        vertices: mVertices, mNumVertices => aiVector3D;
        normals: mNormals, mNumVertices => aiVector3D;
        tangents: mTangents, mNumVertices => aiVector3D;
    }
    aiNodeAnim {
        position_keys: mPositionKeys, mNumPositionKeys => aiVectorKey;
        rotation_keys: mRotationKeys, mNumRotationKeys => aiQuatKey;
        scaling_keys: mScalingKeys, mNumScalingKeys => aiVectorKey;
    }
    aiMeshMorphKey {
        targets: mValues, mNumValuesAndWeights => u32;
        weights: mWeights, mNumValuesAndWeights => f64;
    }
    aiMetadata { keys: mKeys, mNumProperties => aiString; }
}

inline_structures! {
    aiMesh { faces: mFaces, mNumFaces => aiFace; }
    aiMeshMorphAnim { keys: mKeys, mNumKeys => aiMeshMorphKey; }
    aiMetadata { values: mValues, mNumProperties => aiMetadataEntry; }
}

structures! {
    aiScene {
        meshes: mMeshes, mNumMeshes => aiMesh;
        materials: mMaterials, mNumMaterials => aiMaterial;
        animations: mAnimations, mNumAnimations => aiAnimation;
        textures: mTextures, mNumTextures => aiTexture;
    }
    aiNode { children: mChildren, mNumChildren => aiNode; }
    aiMesh {
        bones: mBones, mNumBones => aiBone;
        morph_targets: mAnimMeshes, mNumAnimMeshes => aiAnimMesh;
    }
    aiAnimation {
        channels: mChannels, mNumChannels => aiNodeAnim;
        morph_channels: mMorphMeshChannels, mNumMorphMeshChannels => aiMeshMorphAnim;
    }
    aiMaterial { properties: mProperties, mNumProperties => aiMaterialProperty; }
}

impl<'a> Raw<'a, aiScene> {
    /// The root of the hierarchy.
    pub(super) fn root(self) -> Option<Raw<'a, aiNode>> {
        // SAFETY: the promise of `Raw`.
        unsafe { structure(self.0.mRootNode.cast_const()) }
    }

    /// The file's metadata.
    pub(super) fn metadata(self) -> Option<Raw<'a, aiMetadata>> {
        // SAFETY: the promise of `Raw`.
        unsafe { structure(self.0.mMetaData.cast_const()) }
    }
}

impl<'a> Raw<'a, aiMesh> {
    /// Each set of texture coordinates; an empty list for a set that is not there.
    pub(super) fn texture_coordinates(self) -> impl Iterator<Item = &'a [aiVector3D]> {
        let sets = self.0.mTextureCoords;
        // SAFETY: the promise of `Raw`; a set is as long as the list of vertices.
        sets.into_iter()
            .map(move |set| unsafe { list(set.cast_const(), self.0.mNumVertices) })
    }

    /// Each set of vertex colours; an empty list for a set that is not there.
    pub(super) fn colors(self) -> impl Iterator<Item = &'a [aiColor4D]> {
        let sets = self.0.mColors;
        // SAFETY: the promise of `Raw`; a set is as long as the list of vertices.
        sets.into_iter()
            .map(move |set| unsafe { list(set.cast_const(), self.0.mNumVertices) })
    }
}

impl<'a> Raw<'a, aiMaterialProperty> {
    /// The bytes of the value.
    pub(super) fn data(self) -> &'a [u8] {
        // SAFETY: the promise of `Raw`; char and u8 have the same layout.
        unsafe { list(self.0.mData.cast_const().cast(), self.0.mDataLength) }
    }
}

impl<'a> Raw<'a, aiTexture> {
    /// The bytes of a compressed image; empty for plain texels.
    pub(super) fn compressed(self) -> &'a [u8] {
        let len = if self.0.mHeight == 0 {
            self.0.mWidth
        } else {
            0
        };
        // SAFETY: the promise of `Raw`; the width of a compressed image is its number of bytes.
        unsafe { list(self.0.pcData.cast_const().cast(), len) }
    }

    /// The texels of an uncompressed image, row by row from the top.
    pub(super) fn texels(self) -> &'a [aiTexel] {
        let count = self.0.mWidth.checked_mul(self.0.mHeight).unwrap_or(0);
        // SAFETY: the promise of `Raw`.
        unsafe { list(self.0.pcData.cast_const(), count) }
    }
}

impl<'a> Raw<'a, aiMetadata> {
    /// The entry called `name`.
    pub(super) fn entry(self, name: &str) -> Option<Raw<'a, aiMetadataEntry>> {
        let mut entries = self.keys().iter().zip(self.values());
        let found = entries.find(|(key, _)| bytes_of(key) == name.as_bytes());
        found.map(|(_, entry)| entry)
    }
}

impl<'a> Raw<'a, aiMetadataEntry> {
    /// The value, if it is of the type `expected` (one of assimp's tags, which must be that of `T`).
    ///
    /// # Safety
    ///
    /// An entry tagged `expected` points to a `T`.
    unsafe fn value<T>(self, expected: aiMetadataType) -> Option<&'a T> {
        if self.0.mType != expected {
            return None;
        }
        // SAFETY: null, or a `T`, as the caller promises.
        unsafe { self.0.mData.cast_const().cast::<T>().as_ref() }
    }

    /// A whole number.
    pub(super) fn integer(self) -> Option<i32> {
        // SAFETY: assimp gives an i32 this tag.
        unsafe { self.value(aiMetadataType_AI_INT32) }.copied()
    }

    /// A number with a fraction.
    pub(super) fn number(self) -> Option<f64> {
        // SAFETY: assimp gives a float this tag.
        let single: Option<&f32> = unsafe { self.value(aiMetadataType_AI_FLOAT) };
        // SAFETY: assimp gives a double this tag.
        let double: Option<&f64> = unsafe { self.value(aiMetadataType_AI_DOUBLE) };
        double.copied().or(single.copied().map(f64::from))
    }

    /// A text.
    pub(super) fn text(self) -> Option<&'a aiString> {
        // SAFETY: assimp gives an aiString this tag.
        unsafe { self.value(aiMetadataType_AI_AISTRING) }
    }
}

pub(super) fn vec3(v: aiVector3D) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

pub(super) fn vec3s(list: &[aiVector3D]) -> Vec<Vec3> {
    list.iter().copied().map(vec3).collect()
}

pub(super) fn quat(q: aiQuaternion) -> Quat {
    Quat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// assimp stores rows (a1 to a4 is the first), for column vectors. No other function transposes a matrix.
pub(super) fn mat4(m: &aiMatrix4x4) -> Mat4 {
    Mat4::from_cols_array(&[
        m.a1, m.b1, m.c1, m.d1, //
        m.a2, m.b2, m.c2, m.d2, //
        m.a3, m.b3, m.c3, m.d3, //
        m.a4, m.b4, m.c4, m.d4,
    ])
}

/// The bytes of `name`, cut at the end of its buffer and without trailing zeros.
pub(super) fn bytes_of(name: &aiString) -> Vec<u8> {
    let len = (name.length as usize).min(name.data.len());
    let mut bytes = unsigned(&name.data[..len]);
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

/// `name` as text, see [`decode`].
pub(super) fn text_of(name: &aiString) -> String {
    decode(&bytes_of(name))
}

/// C's `char` is signed on some machines and unsigned on others.
fn unsigned(chars: &[c_char]) -> Vec<u8> {
    chars.iter().map(|char| char.to_ne_bytes()[0]).collect()
}

#[cfg(test)]
pub(super) fn name_of(bytes: &[u8]) -> aiString {
    let mut name = aiString {
        length: u32::try_from(bytes.len()).expect("names of tests are short"),
        data: [0; 1024],
    };
    for (to, &from) in name.data.iter_mut().zip(bytes) {
        *to = c_char::from_ne_bytes([from]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_column_of_assimps_rows_is_the_translation() {
        let matrix = aiMatrix4x4 {
            a1: 1.0,
            a2: 0.0,
            a3: 0.0,
            a4: 5.0,
            b1: 0.0,
            b2: 1.0,
            b3: 0.0,
            b4: 6.0,
            c1: 0.0,
            c2: 0.0,
            c3: 1.0,
            c4: 7.0,
            d1: 0.0,
            d2: 0.0,
            d3: 0.0,
            d4: 1.0,
        };
        let moved = mat4(&matrix).transform_point3(Vec3::ZERO);
        assert_eq!(moved, Vec3::new(5.0, 6.0, 7.0));
    }

    #[test]
    fn bytes_above_127_are_those_of_the_name() {
        assert_eq!(text_of(&name_of(b"K\xF6pf")), "Köpf");
        assert_eq!(text_of(&name_of("größe_右".as_bytes())), "größe_右");
    }

    #[test]
    fn a_length_past_the_buffer_is_cut() {
        let mut name = name_of(&[b'x'; 1024]);
        name.length = u32::MAX;
        assert_eq!(text_of(&name).len(), 1024);
    }

    #[test]
    fn zeros_at_the_end_are_dropped_and_others_kept() {
        assert_eq!(text_of(&name_of(b"a\0b\0\0")), "a\0b");
    }
}
