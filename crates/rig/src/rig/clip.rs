//! Animation: the nodes that a clip drives, and the interpolation between keys.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::{ExpressionChannel, NodeId, VisibilityChannel};
use crate::units::Seconds;

/// One animation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// As in the file, or made by the importer, such as `animation_<index>`.
    pub name: String,
    /// Whether the file has no name for it.
    pub unnamed: bool,
    /// The file's stated start; 0 if it states none.
    pub start: Seconds,
    /// The file's stated end, or the last key.
    pub end: Seconds,
    /// How ticks were converted to seconds.
    pub rate: TickRate,
    /// At most one per node.
    pub channels: Vec<Channel>,
    /// At most one per node.
    pub morph_channels: Vec<MorphChannel>,
    /// At most one per expression. If there is any, expressions without a channel have weight 0. Expressions take the
    /// place of morph weights.
    pub expression_channels: Vec<ExpressionChannel>,
    /// At most one per node.
    pub visibility_channels: Vec<VisibilityChannel>,
}

impl Clip {
    /// A clip in seconds from 0 to `end`, without channels.
    #[must_use]
    pub fn new(name: impl Into<String>, end: Seconds) -> Self {
        Self {
            name: name.into(),
            unnamed: false,
            start: Seconds::ZERO,
            end,
            rate: TickRate::SECONDS,
            channels: Vec::new(),
            morph_channels: Vec::new(),
            expression_channels: Vec::new(),
            visibility_channels: Vec::new(),
        }
    }

    /// `end - start`.
    #[must_use]
    pub fn duration(&self) -> Seconds {
        Seconds(self.end.0 - self.start.0)
    }

    /// Times of keys from start to end, each once, in order.
    #[must_use]
    pub fn key_times(&self) -> Vec<Seconds> {
        let times = self.tracks().flat_map(<dyn Keyed>::times);
        let within = |time: &f64| (self.start.0..=self.end.0).contains(time);
        let mut times: Vec<Seconds> = times.filter(within).map(Seconds).collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times.dedup();
        times
    }
}

/// Ticks per second of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TickRate {
    /// The file's rate, if it counts in ticks; most readers treat 0 as unstated.
    pub stated: Option<f64>,
    /// The rate by which key times were divided.
    pub used: f64,
    /// Whether the format defines a tick as a frame.
    pub frames: bool,
}

impl TickRate {
    /// A file that counts in seconds.
    pub const SECONDS: Self = Self {
        stated: None,
        used: 1.0,
        frames: false,
    };
}

/// Drives a node's local transform. Parts without a track keep the node's rest value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// Which node.
    pub node: NodeId,
    /// In the parent's space.
    pub translation: Option<Track<Vec3>>,
    /// Unit quaternions.
    pub rotation: Option<Track<Quat>>,
    /// Factor per axis.
    pub scale: Option<Track<Vec3>>,
    /// The whole transform, element by element, if parts would lose its shear. The other three are then `None`.
    pub matrix: Option<Track<Mat4>>,
}

impl Channel {
    /// A channel of `joint`, without tracks.
    #[must_use]
    pub const fn of(joint: NodeId) -> Self {
        Self {
            node: joint,
            translation: None,
            rotation: None,
            scale: None,
            matrix: None,
        }
    }
}

/// Drives the morph weights of all mesh instances of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MorphChannel {
    /// The node of the mesh instances.
    pub node: NodeId,
    /// One weight per target, in the order of the mesh's targets.
    pub weights: Track<Vec<f32>>,
}

/// Keys in order of time; never empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track<T> {
    /// Ascending by time; equal times make a jump.
    pub keys: Vec<Key<T>>,
}

impl<T> Track<T> {
    /// A track that is linear between `keys` of seconds and values.
    #[must_use]
    pub fn linear(keys: impl IntoIterator<Item = (f64, T)>) -> Self {
        let key = |(seconds, value)| Key {
            time: Seconds(seconds),
            value,
            span: Span::Linear,
        };
        Self {
            keys: keys.into_iter().map(key).collect(),
        }
    }

    /// The same keys with other values and tangents.
    #[must_use]
    pub fn map<U>(&self, value: impl Fn(&T) -> U) -> Track<U> {
        let key = |key: &Key<T>| Key {
            time: key.time,
            value: value(&key.value),
            span: match &key.span {
                Span::Step => Span::Step,
                Span::Linear => Span::Linear,
                Span::Cubic { leave, arrive } => Span::Cubic {
                    leave: value(leave),
                    arrive: value(arrive),
                },
            },
        };
        Track {
            keys: self.keys.iter().map(key).collect(),
        }
    }
}

/// A value at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Key<T> {
    /// Absolute in the clip.
    pub time: Seconds,
    /// At that time.
    pub value: T,
    /// The interpolation from here to the next key.
    pub span: Span<T>,
}

/// Interpolation between a key and the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Span<T> {
    /// Holds the value, then jumps.
    Step,
    /// Linear for vectors and matrices (element by element), the shortest great arc at constant speed for quaternions.
    Linear,
    /// Cubic Hermite spline (glTF 2.0, appendix C.5); quaternions are normalized afterwards.
    Cubic {
        /// Derivative per second at this key (its out-tangent).
        leave: T,
        /// Derivative per second at the next key (its in-tangent).
        arrive: T,
    },
}

/// A channel of a clip, as a file has them: a node, and what is driven. A [`Clip`] joins those of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChannelId {
    /// The node.
    pub node: NodeId,
    /// What it drives.
    pub path: TrackPart,
}

/// A track's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TrackPart {
    /// A node's translation.
    Translation,
    /// A node's rotation.
    Rotation,
    /// A node's scale.
    Scale,
    /// A node's whole transform.
    Matrix,
    /// The morph weights of the meshes of a node.
    Weights,
}

impl TrackPart {
    /// In lower case, as in messages and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Matrix => "matrix",
            Self::Weights => "weights",
        }
    }
}

/// A track, and what it drives.
#[derive(Clone, Copy)]
pub struct Driver<'a> {
    /// The node, or the node whose meshes are morphed.
    pub joint: NodeId,
    /// The driven property.
    pub part: TrackPart,
    /// The keys.
    pub track: &'a dyn Keyed,
}

impl Driver<'_> {
    /// The channel of the track.
    #[doc(hidden)]
    #[must_use]
    pub fn channel(&self) -> ChannelId {
        ChannelId {
            node: self.joint,
            path: self.part,
        }
    }
}

impl Channel {
    /// The tracks of its node.
    pub fn drivers(&self) -> impl Iterator<Item = Driver<'_>> {
        let parts = [
            (TrackPart::Translation, keyed(self.translation.as_ref())),
            (TrackPart::Rotation, keyed(self.rotation.as_ref())),
            (TrackPart::Scale, keyed(self.scale.as_ref())),
            (TrackPart::Matrix, keyed(self.matrix.as_ref())),
        ];
        parts.into_iter().filter_map(|(part, track)| {
            Some(Driver {
                joint: self.node,
                part,
                track: track?,
            })
        })
    }
}

impl Clip {
    /// The channel of a node.
    #[doc(hidden)]
    #[must_use]
    pub fn channel_of(&self, node: NodeId) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.node == node)
    }

    /// The tracks of poses: node by node, then the morph weights.
    pub fn drivers(&self) -> impl Iterator<Item = Driver<'_>> {
        let joints = self.channels.iter().flat_map(Channel::drivers);
        let morphs = self.morph_channels.iter().map(|channel| Driver {
            joint: channel.node,
            part: TrackPart::Weights,
            track: &channel.weights,
        });
        joints.chain(morphs)
    }

    /// All tracks: those of poses, then those of expressions and of visibility.
    pub fn tracks(&self) -> impl Iterator<Item = &dyn Keyed> {
        let of_poses = self.drivers().map(|driver| driver.track);
        let expressions = self.expression_channels.iter();
        let expressions = expressions.map(|channel| &channel.weight as &dyn Keyed);
        let visibility = self.visibility_channels.iter();
        let visibility = visibility.map(|channel| &channel.visible as &dyn Keyed);
        of_poses.chain(expressions).chain(visibility)
    }
}

fn keyed<T: Components>(track: Option<&Track<T>>) -> Option<&dyn Keyed> {
    track.map(|track| track as &dyn Keyed)
}

/// A track with values of any type.
pub trait Keyed {
    /// How many keys there are.
    fn count(&self) -> usize;

    /// The time of key `key` in seconds; `key` is less than the count, here and below.
    fn time(&self, key: usize) -> f64;

    /// The numbers of key `key`: x, y, z, w; of a matrix its columns; one weight per morph target; 0 or 1 for a boolean.
    fn value(&self, key: usize) -> &[f32];

    /// The interpolation from key `key` to the next.
    fn span(&self, key: usize) -> Span<&[f32]>;
}

impl dyn Keyed + '_ {
    /// The times of all keys in seconds, ascending.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.count()).map(|key| self.time(key))
    }

    /// The times of the first and of the last key in seconds.
    #[must_use]
    pub fn ends(&self) -> Option<(f64, f64)> {
        let last = self.count().checked_sub(1)?;
        Some((self.time(0), self.time(last)))
    }
}

impl<T: Components> Keyed for Track<T> {
    fn count(&self) -> usize {
        self.keys.len()
    }

    fn time(&self, key: usize) -> f64 {
        self.keys[key].time.0
    }

    fn value(&self, key: usize) -> &[f32] {
        self.keys[key].value.components()
    }

    fn span(&self, key: usize) -> Span<&[f32]> {
        match &self.keys[key].span {
            Span::Step => Span::Step,
            Span::Linear => Span::Linear,
            Span::Cubic { leave, arrive } => Span::Cubic {
                leave: leave.components(),
                arrive: arrive.components(),
            },
        }
    }
}

/// A value made of numbers.
pub(super) trait Components {
    fn components(&self) -> &[f32];
}

impl Components for Vec3 {
    fn components(&self) -> &[f32] {
        AsRef::<[f32; 3]>::as_ref(self)
    }
}

impl Components for Quat {
    fn components(&self) -> &[f32] {
        AsRef::<[f32; 4]>::as_ref(self)
    }
}

impl Components for Mat4 {
    fn components(&self) -> &[f32] {
        AsRef::<[f32; 16]>::as_ref(self)
    }
}

impl Components for Vec2 {
    fn components(&self) -> &[f32] {
        AsRef::<[f32; 2]>::as_ref(self)
    }
}

impl Components for Vec4 {
    fn components(&self) -> &[f32] {
        AsRef::<[f32; 4]>::as_ref(self)
    }
}

impl Components for f32 {
    fn components(&self) -> &[f32] {
        std::slice::from_ref(self)
    }
}

impl Components for bool {
    fn components(&self) -> &[f32] {
        if *self { &[1.0] } else { &[0.0] }
    }
}

impl Components for Vec<f32> {
    fn components(&self) -> &[f32] {
        self
    }
}
