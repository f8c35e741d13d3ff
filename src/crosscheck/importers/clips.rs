//! Matches the clips of two importers, with their time ranges.

use std::collections::{BTreeMap, VecDeque};

use super::matching::Matching;
use super::report::{Kind, Location, Off};
use super::tally::{Details, Tally};
use super::tolerance;
use crate::rig::Clip;
use crate::units::Seconds;

/// Pairs clips by name, in order among equal names. The rest is paired by order if both sides have equally many left. A clip
/// that drives nothing may be missing.
pub(super) fn pair_up<'a>(matching: &Matching<'a>, tally: &mut Tally) -> Vec<[&'a Clip; 2]> {
    let [a, b] = [0, 1].map(|side| matching.trees[side].asset.clips.as_slice());
    let (mut pairs, left) = by_name(a, b);
    let is_empty = |clip: &Clip| clip.channels.is_empty() && clip.morph_channels.is_empty();
    let left = left
        .map(|list| -> Vec<&Clip> { list.into_iter().filter(|clip| !is_empty(clip)).collect() });
    if left[0].len() == left[1].len() {
        for (&a, &b) in left[0].iter().zip(&left[1]) {
            let says = [a, b].map(|clip| format!("\"{}\"", clip.name));
            tally.add(Kind::ClipName, f64::INFINITY, || at_clip(a, says));
            pairs.push([a, b]);
        }
        return pairs;
    }
    for (side, list) in left.iter().enumerate() {
        for clip in list {
            let mut says = ["none", "none"].map(str::to_owned);
            "a clip".clone_into(&mut says[side]);
            tally.add(Kind::ClipMissing, f64::INFINITY, || at_clip(clip, says));
        }
    }
    pairs
}

fn by_name<'a>(a: &'a [Clip], b: &'a [Clip]) -> (Vec<[&'a Clip; 2]>, [Vec<&'a Clip>; 2]) {
    let mut named: BTreeMap<&str, VecDeque<&Clip>> = BTreeMap::new();
    for clip in b {
        named.entry(&clip.name).or_default().push_back(clip);
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for clip in a {
        match named
            .get_mut(clip.name.as_str())
            .and_then(VecDeque::pop_front)
        {
            Some(other) => pairs.push([clip, other]),
            None => left.push(clip),
        }
    }
    let is_left = |clip: &&Clip| {
        let same = named.get(clip.name.as_str());
        same.is_some_and(|same| same.iter().any(|other| std::ptr::eq(*other, *clip)))
    };
    (pairs, [left, b.iter().filter(is_left).collect()])
}

/// Compares start and end of two clips.
pub(super) fn compare_ranges(clips: [&Clip; 2], tally: &mut Tally) {
    let [a, b] = clips;
    let apart = (a.start.0 - b.start.0).abs().max((a.end.0 - b.end.0).abs());
    if apart > tolerance::times(a.end.0.abs().max(b.end.0.abs())) {
        let says = clips.map(|clip| format!("{:.6} to {:.6} s", clip.start.0, clip.end.0));
        tally.add(Kind::ClipRange, apart, || Details {
            off: Some(Off::Time(Seconds(apart))),
            ..at_clip(a, says)
        });
    }
}

fn at_clip(clip: &Clip, says: [String; 2]) -> Details {
    Details {
        location: Location {
            clip: Some(clip.name.clone()),
            ..Location::default()
        },
        says,
        off: None,
    }
}
