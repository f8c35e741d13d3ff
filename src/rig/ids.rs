//! Typed indices.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[doc = $doc:expr])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
