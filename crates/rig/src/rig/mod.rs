//! The resolved model as plain data: every importer produces it, every later stage reads it.

mod asset;
mod bounds;
mod builder;
mod clip;
mod evidence;
mod expression;
mod format;
mod humanoid;
mod ids;
mod location;
mod material;
mod mesh;
mod packed;
mod part;
mod pose_name;
mod skeleton;
mod source_file;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod strategies;
mod triangle;
mod validate;
mod visibility;

#[doc(hidden)]
pub use asset::escaped;
pub use asset::{Asset, ChannelOrigin, Decoded, MeshInstance, Note, Origins, Skin};
pub use bounds::Bounds;
pub use builder::AssetBuilder;
#[doc(hidden)]
pub use builder::leg;
pub use clip::{
    Channel, ChannelId, Clip, Driver, Key, Keyed, MorphChannel, Span, TickRate, Track, TrackPart,
};
pub use evidence::{Defect, DefectKind, Evidence, Misread, WeightStorage};
pub use expression::{
    Expression, ExpressionChannel, MaterialBind, MorphBind, Override, Procedural,
};
pub use format::{Format, Reader, ReaderCode};
pub use humanoid::{HumanBone, Humanoid, VrmVersion};
pub use ids::{
    ClipId, ExpressionId, ImageId, InstanceId, MaterialId, MeshId, NodeId, PrimitiveId, SkinId,
    SkinSlot,
};
pub use location::{Ids, Location, NamedWeight};
pub(crate) use location::{from_words, in_words, number};
pub use material::{
    AlphaMode, Bitmap, Bumps, Finish, Image, ImageData, Material, Reflection, TextureRef,
    TextureWrap,
};
pub(crate) use mesh::largest;
pub use mesh::{
    Blending, DeformedMesh, Influence, Influences, Mesh, MorphTarget, SkinningMethod,
    SkinningOptions, WeightPolicy,
};
pub use part::Part;
pub use pose_name::{PoseName, PoseNameError, RangePose, Rotation};
pub use skeleton::{
    Constraint, ConstraintKind, LocalTransform, Node, Skeleton, SkeletonError, Trs,
};
#[doc(hidden)]
pub use skeleton::{length_squared, rotation_angle};
pub use source_file::{FileStamp, SourceFile};
#[doc(hidden)]
pub use triangle::nearest_on_triangle;
pub use validate::AssetError;
pub use visibility::{Visibility, VisibilityChannel};
