//! Every track of a clip, whatever it drives.

use glam::{Quat, Vec3};

use crate::lint::Context;
use crate::rig::{Clip, JointId, Place, Span, Track};

/// The name of rotation tracks in places.
pub(super) const ROTATION: &str = "rotation";

/// The name of scale tracks in places.
pub(super) const SCALE: &str = "scale";

/// A track, and what it drives.
#[derive(Clone, Copy)]
pub(super) struct Driver<'a> {
    /// The joint, or the joint whose meshes are morphed.
    pub(super) joint: JointId,
    /// `translation`, `rotation`, `scale` or `weights`.
    pub(super) part: &'static str,
    /// The keys.
    pub(super) track: &'a dyn Keyed,
}

impl Driver<'_> {
    /// `place` at what is driven.
    pub(super) fn place(&self, cx: &Context<'_>, place: Place) -> Place {
        let place = cx.at_joint(place, self.joint);
        place.part(self.part)
    }
}

/// The tracks of `clip`, joint by joint.
pub(super) fn drivers(clip: &Clip) -> impl Iterator<Item = Driver<'_>> {
    let joints = clip.channels.iter().flat_map(|channel| {
        let parts = [
            ("translation", vectors(channel.translation.as_ref())),
            (ROTATION, keyed(channel.rotation.as_ref())),
            (SCALE, vectors(channel.scale.as_ref())),
        ];
        parts.into_iter().filter_map(|(part, track)| {
            Some(Driver {
                joint: channel.joint,
                part,
                track: track?,
            })
        })
    });
    let morphs = clip.morph_channels.iter().map(|channel| Driver {
        joint: channel.joint,
        part: "weights",
        track: &channel.weights,
    });
    joints.chain(morphs)
}

fn vectors(track: Option<&Track<Vec3>>) -> Option<&dyn Keyed> {
    keyed(track)
}

fn keyed<T: Components>(track: Option<&Track<T>>) -> Option<&dyn Keyed> {
    track.map(|track| track as &dyn Keyed)
}

/// A track, whatever its values.
pub(super) trait Keyed {
    /// How many keys there are.
    fn count(&self) -> usize;

    /// The time of key `key` in seconds.
    fn time(&self, key: usize) -> f64;

    /// The numbers of key `key`.
    fn value(&self, key: usize) -> &[f32];

    /// How it runs from key `key` to the next.
    fn span(&self, key: usize) -> Span<&[f32]>;
}

impl dyn Keyed + '_ {
    /// The times of the first and of the last key.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        let last = self.count().checked_sub(1)?;
        Some((self.time(0), self.time(last)))
    }

    /// Whether a step changes the value. Importers also write steps between equal values.
    pub(super) fn jumps(&self) -> bool {
        let mut between = 0..self.count().saturating_sub(1);
        between.any(|key| {
            let mut pairs = self.value(key).iter().zip(self.value(key + 1));
            self.span(key) == Span::Step && pairs.any(|(from, to)| differ(*from, *to))
        })
    }
}

/// By more than rounding.
fn differ(from: f32, to: f32) -> bool {
    (from - to).abs() > 1e-5 * from.abs().max(to.abs()).max(1.0)
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

impl Components for Vec<f32> {
    fn components(&self) -> &[f32] {
        self
    }
}
