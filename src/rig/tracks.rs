//! All tracks of a clip.

use glam::{Mat4, Quat, Vec3};

use super::{Clip, NodeId, Span, Track};

/// A track's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackPart {
    /// A joint's translation.
    Translation,
    /// A joint's rotation.
    Rotation,
    /// A joint's scale.
    Scale,
    /// A joint's whole transform.
    Matrix,
    /// The morph weights of the meshes of a joint.
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
    /// The joint, or the joint whose meshes are morphed.
    pub joint: NodeId,
    /// The driven property.
    pub part: TrackPart,
    /// The keys.
    pub track: &'a dyn Keyed,
}

impl Clip {
    /// All tracks: node by node, then the morph weights.
    pub fn drivers(&self) -> impl Iterator<Item = Driver<'_>> {
        let joints = self.channels.iter().flat_map(|channel| {
            let parts = [
                (TrackPart::Translation, keyed(channel.translation.as_ref())),
                (TrackPart::Rotation, keyed(channel.rotation.as_ref())),
                (TrackPart::Scale, keyed(channel.scale.as_ref())),
                (TrackPart::Matrix, keyed(channel.matrix.as_ref())),
            ];
            parts.into_iter().filter_map(|(part, track)| {
                Some(Driver {
                    joint: channel.node,
                    part,
                    track: track?,
                })
            })
        });
        let morphs = self.morph_channels.iter().map(|channel| Driver {
            joint: channel.node,
            part: TrackPart::Weights,
            track: &channel.weights,
        });
        joints.chain(morphs)
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

    /// The numbers of key `key`: x, y, z, w; of a matrix its columns; or one weight per morph target.
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
trait Components {
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

impl Components for Vec<f32> {
    fn components(&self) -> &[f32] {
        self
    }
}
