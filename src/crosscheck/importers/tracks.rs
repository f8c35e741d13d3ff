//! The tracks of a joint, to explain why two clips move it differently.

use std::collections::BTreeSet;

use super::report::Kind;
use super::tolerance;
use crate::rig::{Clip, Driver, Keyed, NodeId, Span, TrackPart};
use crate::units::amount;

/// The track that drives `part` of some joints, or their whole transform; the one with the most keys, if there are several.
pub(super) fn track_of(
    clip: &Clip,
    part: TrackPart,
    is_own: impl Fn(NodeId) -> bool,
) -> Option<&dyn Keyed> {
    let drives = |driver: &Driver<'_>| {
        let is_of_part =
            driver.part == part || driver.part == TrackPart::Matrix && part != TrackPart::Weights;
        is_of_part && is_own(driver.joint)
    };
    let tracks = clip.drivers().filter(drives).map(|driver| driver.track);
    tracks.max_by_key(|track| track.count())
}

/// The kind of difference of two tracks, with a description of each.
pub(super) fn explain(tracks: [Option<&dyn Keyed>; 2]) -> (Kind, [String; 2]) {
    let kind = match tracks {
        [Some(a), Some(b)] if interpolations(a) != interpolations(b) => Kind::Interpolation,
        [Some(a), Some(b)] if !have_equal_times(a, b) => Kind::KeyTimes,
        [Some(_), Some(_)] | [None, None] => Kind::KeyValues,
        _ => Kind::TrackMissing,
    };
    let says = tracks.map(|track| track.map_or("no track".to_owned(), describe));
    (kind, says)
}

fn have_equal_times(a: &dyn Keyed, b: &dyn Keyed) -> bool {
    let mut pairs = a.times().zip(b.times());
    let same = |(a, b): (f64, f64)| (a - b).abs() <= tolerance::times(a.abs().max(b));
    a.count() == b.count() && pairs.all(same)
}

/// The kinds of spans between keys.
fn interpolations(track: &dyn Keyed) -> BTreeSet<&'static str> {
    let spans = (1..track.count()).map(|key| match track.span(key - 1) {
        Span::Step => "step",
        Span::Linear => "linear",
        Span::Cubic { .. } => "cubic",
    });
    spans.collect()
}

/// Such as `3 keys, step`.
fn describe(track: &dyn Keyed) -> String {
    let keys = amount(track.count(), "key");
    let kinds: Vec<&str> = interpolations(track).into_iter().collect();
    match kinds.as_slice() {
        [] => keys,
        kinds => format!("{keys}, {}", kinds.join(" and ")),
    }
}
