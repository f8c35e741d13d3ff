//! What a file says, unverified: one set of types for the readers of all formats.
//!
//! A reader hands on what the file has, in the file's order and numbering; [`resolve`](super::resolve) checks, mends and
//! notes. Lists of vertices are the rig's own types, so that they are moved into the asset and never copied.

use glam::Mat4;

use super::defects::Defects;
use super::notes::Notes;
use crate::rig::{
    Channel, DefectKind, Image, LocalTransform, Material, Mesh, MeshInstance, MorphChannel,
    TickRate,
};
use crate::units::{Seconds, Space};

/// Everything that a file holds. Indices refer to the lists of this struct, and none of them is checked.
#[derive(Debug)]
pub(super) struct Source {
    /// Which importer read the file, as in [`Asset::importer`](crate::rig::Asset::importer).
    pub(super) importer: String,
    /// The space of all data below.
    pub(super) space: Space,
    /// The space that the file states, where the data are in another.
    pub(super) stated_space: Option<Space>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    /// Their joints are positions in `nodes`.
    pub(super) instances: Vec<MeshInstance>,
    pub(super) clips: Vec<Clip>,
    pub(super) materials: Vec<Material>,
    pub(super) images: Vec<Image>,
    /// What the reader skipped.
    pub(super) notes: Notes,
    /// Defects of things that the types here cannot hold, such as an index into a list that only the file has.
    pub(super) defects: Defects,
    /// The kinds of defects that a file may have and the reader does not hand on. All others count as examined.
    pub(super) hidden: &'static [DefectKind],
}

/// A node of the hierarchy.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) rest: LocalTransform,
}

/// What binds meshes to nodes.
#[derive(Debug)]
pub(super) struct Skin {
    pub(super) name: String,
    /// Influences refer to these by position.
    pub(super) joints: Vec<SkinJoint>,
    /// `joint_from_mesh`; there may be more or fewer than joints.
    pub(super) inverse_binds: Vec<Mat4>,
}

/// A joint of a skin.
#[derive(Debug)]
pub(super) struct SkinJoint {
    /// What the skin calls it.
    pub(super) name: String,
    /// `None` if nothing has that name.
    pub(super) node: Option<usize>,
}

/// An animation.
#[derive(Debug)]
pub(super) struct Clip {
    pub(super) name: String,
    pub(super) start: Seconds,
    /// `None` for the last key.
    pub(super) end: Option<Seconds>,
    pub(super) rate: TickRate,
    /// Their joints are positions in [`Source::nodes`].
    pub(super) channels: Vec<Channel>,
    /// Likewise.
    pub(super) morph_channels: Vec<MorphChannel>,
}
