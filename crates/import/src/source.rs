//! The unverified contents of a file: one set of types for all importers.
//!
//! An importer returns what the file has, in its order and numbering; [`resolve`](super::resolve) validates and repairs
//! it. Lists of vertices and keys are the rig's own types, so that they are moved into the asset and never copied.

use glam::{Mat4, Quat, Vec3};

use super::log::Log;
use crate::rig::{
    self, Constraint, DefectKind, Expression, Format, Humanoid, Image, LocalTransform, Material,
    Mesh, MeshInstance, Origins, Part, Reader, SourceFile, TickRate, Track,
};
use crate::units::{Seconds, Space};

/// Everything that a file holds. Indices refer to the lists of this struct; indices of vertices, joints and nodes that
/// [`resolve`](super::resolve) repairs may be out of range.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) format: Format,
    pub(super) reader: Reader,
    /// The space of all data below.
    pub(super) space: Space,
    /// The space that the file states, where the data are in another.
    pub(super) stated_space: Option<Space>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    /// Their nodes are indices into `nodes`.
    pub(super) instances: Vec<MeshInstance>,
    /// See [`rig::Asset::hidden_nodes`]; indices into `nodes`.
    pub(super) hidden_nodes: Vec<usize>,
    pub(super) clips: Vec<Clip>,
    /// The format's rules for the times of keys.
    pub(super) key_times: KeyTimes,
    pub(super) materials: Vec<Material>,
    /// The names of the variants of the materials.
    pub(super) variants: Vec<String>,
    /// Their nodes are indices into `nodes`.
    pub(super) constraints: Vec<Constraint>,
    pub(super) expressions: Vec<Expression>,
    /// Its bones are indices into `nodes`.
    pub(super) humanoid: Option<Humanoid>,
    pub(super) images: Vec<Image>,
    /// Files beside this one that were read, relative to its folder.
    pub(super) files: Vec<SourceFile>,
    /// What the reader skipped, and defects that the types here cannot express, such as an index into a list that only the
    /// file has.
    pub(super) log: Log,
    /// The kinds of defects that a file may have but the reader does not preserve. All others count as examined. If
    /// [`DefectKind::NonunitKey`] is among them, rotations are not the file's, and keep their length.
    pub(super) hidden: Vec<DefectKind>,
    /// The kinds that no file can have, although the reader's own computations may show them.
    pub(super) invented: &'static [DefectKind],
    /// The origins of the lists above in the file; those of channels follow from [`Channel::part`].
    pub(super) origins: Origins,
}

impl Source {
    /// An empty file of a format all of whose defects are preserved.
    pub(super) fn new(format: Format, reader: Reader, space: Space) -> Self {
        Self {
            format,
            reader,
            space,
            stated_space: None,
            nodes: Vec::new(),
            meshes: Vec::new(),
            skins: Vec::new(),
            instances: Vec::new(),
            hidden_nodes: Vec::new(),
            clips: Vec::new(),
            key_times: KeyTimes::Ordered,
            materials: Vec::new(),
            variants: Vec::new(),
            expressions: Vec::new(),
            constraints: Vec::new(),
            humanoid: None,
            images: Vec::new(),
            files: Vec::new(),
            log: Log::default(),
            hidden: Vec::new(),
            invented: &[],
            origins: Origins::default(),
        }
    }
}

/// A node of the hierarchy.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) rest: LocalTransform,
    /// Its index in the file, in formats that refer to nodes by index.
    pub(super) number: Option<usize>,
}

impl From<rig::Node> for Node {
    fn from(node: rig::Node) -> Self {
        Self {
            name: node.name,
            parent: node.parent.map(rig::NodeId::index),
            rest: node.rest,
            number: None,
        }
    }
}

/// A skin, which binds meshes to nodes.
#[derive(Debug, Default)]
pub(super) struct Skin {
    pub(super) name: String,
    /// Its path in the file, if it has one, such as `skins[0]`.
    pub(super) part: Option<String>,
    /// Influences refer to these by index.
    pub(super) joints: Vec<SkinJoint>,
    /// `joint_from_mesh`; there may be more or fewer than joints. `None` if the joints are bound where they rest.
    pub(super) inverse_binds: Option<Vec<Mat4>>,
}

/// A joint of a skin.
#[derive(Debug, PartialEq)]
pub(super) struct SkinJoint {
    /// The skin's name for it; empty if the skin has none and the reader has already reported a missing node.
    pub(super) name: String,
    /// `None` if there is no such node.
    pub(super) node: Option<usize>,
}

/// An animation.
#[derive(Debug)]
pub(super) struct Clip {
    /// Empty if the file has none.
    pub(super) name: String,
    /// Whether a library made up the name.
    pub(super) unnamed: bool,
    pub(super) start: Seconds,
    /// `None` for the last key.
    pub(super) end: Option<Seconds>,
    pub(super) rate: TickRate,
    pub(super) channels: Vec<Channel>,
    pub(super) visibility_channels: Vec<VisibilityChannel>,
}

impl Clip {
    /// A clip of which only the name in the file is known.
    pub(super) fn named(name: String) -> Self {
        Self {
            name,
            unnamed: false,
            start: Seconds::ZERO,
            end: None,
            rate: TickRate::SECONDS,
            channels: Vec::new(),
            visibility_channels: Vec::new(),
        }
    }
}

/// The name of clip number `index`: its own, if it has one.
pub(super) fn clip_name(name: &str, index: usize) -> String {
    match name {
        "" => format!("animation_{index}"),
        name => name.to_owned(),
    }
}

/// A channel, which drives one part of a node.
#[derive(Debug)]
pub(super) struct Channel {
    /// An index into [`Source::nodes`].
    pub(super) node: usize,
    /// Its path in the file, if it has one, such as `animations[0].channels[3]`.
    pub(super) part: Option<Part>,
    pub(super) keys: Keys,
}

impl Channel {
    /// A channel without a path.
    pub(super) fn new(node: usize, keys: Keys) -> Self {
        Self {
            node,
            part: None,
            keys,
        }
    }

    /// One channel per part that `channel` drives; its node is an index into [`Source::nodes`].
    pub(super) fn of_parts(channel: rig::Channel) -> impl Iterator<Item = Self> {
        let node = channel.node.index();
        let parts = [
            channel.translation.map(Keys::Translation),
            channel.rotation.map(Keys::Rotation),
            channel.scale.map(Keys::Scale),
            channel.matrix.map(Keys::Matrix),
        ]
        .into_iter()
        .flatten();
        parts.map(move |keys| Self::new(node, keys))
    }
}

/// The keys of a part of a node: in any order, or none at all.
///
/// A key of a spline has two tangents, and the span to the next key holds one of each. The span of the last key holds the
/// in-tangent of the first, so that nothing is lost when keys are sorted.
#[derive(Debug)]
pub(super) enum Keys {
    Translation(Track<Vec3>),
    Rotation(Track<Quat>),
    Scale(Track<Vec3>),
    Matrix(Track<Mat4>),
    Weights(Track<Vec<f32>>),
}

/// A channel, which drives the visibility of a node.
#[derive(Debug)]
pub(super) struct VisibilityChannel {
    /// An index into [`Source::nodes`].
    pub(super) node: usize,
    /// Its path in the file.
    pub(super) part: Option<Part>,
    /// The keys as in [`Keys`].
    pub(super) visible: Track<bool>,
}

/// Requirements on the times of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyTimes {
    /// None: the reader made the keys, in order, and reported the defects of the file's own keys.
    Made,
    /// They do not decrease, and two keys at one time are equal unless the first is held.
    Ordered,
    /// They increase.
    Increasing,
}
