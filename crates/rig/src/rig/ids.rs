//! Typed indices.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[doc = $doc:expr])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
        pub struct $name(pub u32);

        impl $name {
            /// The index in its list.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of index `index`.
            ///
            /// # Panics
            ///
            /// If `index` is past `u32::MAX`; importers refuse files long before.
            #[must_use]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("lists of an asset are shorter than 2^32"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// Position of a node in [`Skeleton`](super::Skeleton).
    NodeId
}
id! {
    /// Position of a joint in [`Skin::joints`](super::Skin::joints), and of its matrix in the palette: not a node.
    SkinSlot
}
id! {
    /// Position of a mesh in [`Asset::meshes`](super::Asset::meshes).
    MeshId
}
/// A primitive in the file: the part of a mesh with one material, which becomes a [`Mesh`](super::Mesh) of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PrimitiveId {
    /// Position of its mesh in the file.
    pub mesh: u32,
    /// Its position in that mesh.
    pub index: u32,
}

impl PrimitiveId {
    /// Primitive `index` of mesh `mesh`.
    #[doc(hidden)]
    #[must_use]
    pub fn from_indices(mesh: usize, index: usize) -> Self {
        let [mesh, index] = [mesh, index].map(|own| MeshId::from_index(own).0);
        Self { mesh, index }
    }

    /// The only primitive of each of `count` meshes.
    #[doc(hidden)]
    #[must_use]
    pub fn of_meshes(count: usize) -> Vec<Self> {
        (0..count).map(|mesh| Self::from_indices(mesh, 0)).collect()
    }
}

id! {
    /// Position of a skin in [`Asset::skins`](super::Asset::skins).
    SkinId
}
id! {
    /// Position of a mesh instance in [`Asset::instances`](super::Asset::instances).
    InstanceId
}
id! {
    /// Position of an expression in [`Asset::expressions`](super::Asset::expressions).
    ExpressionId
}
id! {
    /// Position of a clip in [`Asset::clips`](super::Asset::clips).
    ClipId
}
id! {
    /// Position of a material in [`Asset::materials`](super::Asset::materials).
    MaterialId
}
id! {
    /// Position of an image in [`Asset::images`](super::Asset::images).
    ImageId
}
