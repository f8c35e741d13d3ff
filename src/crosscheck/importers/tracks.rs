//! The tracks of a joint, to explain why two clips move it differently.

use std::collections::BTreeSet;

use super::matching::Matching;
use super::report::Kind;
use super::tolerance;
use crate::rig::{Channel, Clip, MorphChannel, NodeId, Span, Track};

/// A part of a joint's transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Translation,
    Rotation,
    Scale,
}

impl Part {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        }
    }
}

/// A track's key times and interpolation.
pub(super) struct Shape {
    times: Vec<f64>,
    /// The kinds of spans between keys.
    kinds: BTreeSet<&'static str>,
}

impl Shape {
    fn of<T>(track: &Track<T>) -> Self {
        let spans = track.keys.iter().take(track.keys.len().saturating_sub(1));
        let kind = |span: &Span<T>| match span {
            Span::Step => "step",
            Span::Linear => "linear",
            Span::Cubic { .. } => "cubic",
        };
        Self {
            times: track.keys.iter().map(|key| key.time.0).collect(),
            kinds: spans.map(|key| kind(&key.span)).collect(),
        }
    }

    pub(super) fn of_morphs(channel: &MorphChannel) -> Self {
        Self::of(&channel.weights)
    }

    fn has_times_of(&self, other: &Self) -> bool {
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance::times(a.abs().max(*b));
        self.times.len() == other.times.len() && self.times.iter().zip(&other.times).all(same)
    }

    /// Such as `3 keys, step`.
    fn describe(&self) -> String {
        let keys = match self.times.len() {
            1 => "1 key".to_owned(),
            count => format!("{count} keys"),
        };
        let kinds: Vec<&str> = self.kinds.iter().copied().collect();
        match kinds.as_slice() {
            [] => keys,
            kinds => format!("{keys}, {}", kinds.join(" and ")),
        }
    }
}

/// The track of `part` among the joints of a chain; the one with the most keys, if several are driven.
pub(super) fn shape_of(clip: &Clip, chain: &[NodeId], part: Part) -> Option<Shape> {
    let channels = clip.channels.iter();
    let channels = channels.filter(|channel| chain.contains(&channel.node));
    let shapes = channels.filter_map(|channel: &Channel| {
        let own = match part {
            Part::Translation => channel.translation.as_ref().map(Shape::of),
            Part::Rotation => channel.rotation.as_ref().map(Shape::of),
            Part::Scale => channel.scale.as_ref().map(Shape::of),
        };
        own.or_else(|| channel.matrix.as_ref().map(Shape::of))
    });
    shapes.max_by_key(|shape| shape.times.len())
}

/// The weights' track of the mesh that joint `key` shows.
pub(super) fn morph_shape(
    matching: &Matching<'_>,
    side: usize,
    clip: &Clip,
    key: super::matching::Key,
) -> Option<Shape> {
    let mut channels = clip.morph_channels.iter();
    let channel = channels.find(|channel| matching.key(side, channel.node) == key);
    channel.map(Shape::of_morphs)
}

/// The kind of difference of two tracks, with a description of each.
pub(super) fn explain(shapes: [Option<&Shape>; 2]) -> (Kind, [String; 2]) {
    let says = shapes.map(|shape| shape.map_or("no track".to_owned(), Shape::describe));
    let kind = match shapes {
        [Some(a), Some(b)] if a.kinds != b.kinds => Kind::Interpolation,
        [Some(a), Some(b)] if !a.has_times_of(b) => Kind::KeyTimes,
        [Some(_), Some(_)] | [None, None] => Kind::KeyValues,
        _ => Kind::TrackMissing,
    };
    (kind, says)
}
