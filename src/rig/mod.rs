//! The resolved model as plain data: every importer produces it, every later stage reads it.

mod asset;
mod bounds;
mod builder;
mod clip;
mod deformed;
mod evidence;
mod format;
mod ids;
mod location;
mod material;
mod mesh;
mod origins;
mod skeleton;
mod skin;
mod skinning_options;
mod source_file;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod strategies;
mod tracks;
mod transform;
mod validate;

pub use asset::{Asset, MeshInstance, Note};
pub use bounds::Bounds;
pub use builder::AssetBuilder;
pub use clip::{Channel, Clip, Key, MorphChannel, Span, TickRate, Track};
pub use deformed::DeformedMesh;
pub use evidence::{Defect, DefectKind, Evidence, WeightStorage};
pub use format::{Format, Reader, ReaderCode};
pub use ids::{ClipId, ImageId, InstanceId, JointId, MaterialId, MeshId, NodeId, SkinId};
pub use location::Location;
pub use material::{AlphaMode, Bitmap, Image, ImageData, Material, TextureRef, TextureWrap};
pub(crate) use mesh::largest;
pub use mesh::{Blending, Influence, Influences, Mesh, MorphTarget};
pub(crate) use origins::escaped;
pub use origins::{ChannelOrigin, Origins};
pub use skeleton::{Node, Skeleton, SkeletonError};
pub use skin::Skin;
pub use skinning_options::{SkinningMethod, SkinningOptions, WeightPolicy};
pub use source_file::{FileStamp, SourceFile};
pub use tracks::{Driver, Keyed, TrackPart};
pub use transform::{LocalTransform, Trs};
pub(crate) use transform::{length_squared, rotation_angle};
pub use validate::AssetError;
