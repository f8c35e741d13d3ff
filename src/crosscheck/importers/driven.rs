//! How clips drive the joints' own transforms and morph weights, and the tracks that explain why two clips differ.
//!
//! `diff` infers the cause of a difference from the motion, since exporters may resample keys. Here, the stored tracks
//! tell it.

use std::collections::BTreeSet;

use glam::DMat4;

use super::both::weights_apart;
use super::both::{AXES, Both, MORPH_WEIGHT, Posed, time_tolerance};
use super::joints::{Apart, lengths_apart, longest_axis};
use super::matching::Key;
use super::place::Place;
use super::report::{Kind, Off, Tally};
use crate::rig::{Clip, ClipId, Driver, Keyed, NodeId, Span, TrackPart};
use crate::units::{Seconds, amount};

/// One joint that either clip drives.
pub(super) struct Driven {
    pair: [NodeId; 2],
    /// Whether no joint above it exists in both importers. It may then carry the file's axes and unit, and is compared
    /// in the common space.
    is_top: bool,
    /// The joints whose product is its transform, for both importers.
    chains: [Vec<NodeId>; 2],
    /// Length in the common space of a unit of its parent, in the rest pose.
    unit: f64,
}

/// The deviation at one time.
#[derive(Clone, Copy)]
pub(super) struct Deviation {
    severity: f64,
    time: f64,
    part: TrackPart,
    off: Off,
}

impl Driven {
    /// The joints that either of two clips drives, directly or through a helper.
    ///
    /// A joint below another's helper is left to the stage of posed joints: its own transform compensates for what it does not
    /// inherit, and is not stored in the file.
    pub(super) fn all(both: &Both<'_>, clips: [&Clip; 2]) -> Vec<Self> {
        let matching = &both.matching;
        let mut keys = BTreeSet::new();
        for (side, clip) in clips.into_iter().enumerate() {
            let joints = clip.channels.iter().map(|channel| channel.node);
            keys.extend(joints.map(|joint| matching.key(side, joint)));
        }
        let pairs = keys.iter().filter_map(|key| matching.pairs.get(key.0));
        let is_plain = |pair: &&[NodeId; 2]| {
            let mut sides = pair.iter().zip(&matching.trees);
            sides.all(|(joint, tree)| !tree.hangs_on_helper(*joint))
        };
        let driven = pairs.filter(is_plain).map(|&pair| {
            let chains = [0, 1].map(|side| matching.trees[side].chain(pair[side]));
            let has_above = |side: usize| matching.above(side, pair[side]).is_some();
            Self {
                unit: unit_above(both, chains[0].first().copied().unwrap_or(pair[0])),
                is_top: !has_above(0) && !has_above(1),
                chains,
                pair,
            }
        });
        driven.collect()
    }

    /// How much it deviates; `None` within the tolerance.
    pub(super) fn deviation(
        &self,
        both: &Both<'_>,
        posed: &[Posed; 2],
        time: f64,
    ) -> Option<Deviation> {
        let own = [0, 1].map(|side| {
            if self.is_top {
                return posed[side].worlds[self.pair[side].index()];
            }
            self.chains[side].iter().fold(DMat4::IDENTITY, |chain, id| {
                chain * posed[side].locals[id.index()]
            })
        });
        let own = own.each_ref();
        let unit = if self.is_top { 1.0 } else { self.unit };
        let apart = Apart::of(own, unit, both.scale);
        let severity = apart.position_used.max(apart.axes_used);
        let (part, off) = if apart.axes_used <= apart.position_used {
            (TrackPart::Translation, both.scale.off(apart.position))
        } else if lengths_apart(own) > AXES {
            (
                TrackPart::Scale,
                Off::Part {
                    relative: apart.axes,
                },
            )
        } else {
            (
                TrackPart::Rotation,
                Off::Part {
                    relative: apart.axes,
                },
            )
        };
        (severity > 1.0).then_some(Deviation {
            severity,
            time,
            part,
            off,
        })
    }

    /// Reports the largest of its deviations over time.
    pub(super) fn report(
        &self,
        both: &Both<'_>,
        clips: [ClipId; 2],
        deviations: impl Iterator<Item = Deviation>,
        tally: &mut Tally,
    ) {
        let first_of_the_largest = |worst: Deviation, next: Deviation| {
            if next.severity > worst.severity {
                next
            } else {
                worst
            }
        };
        let Some(worst) = deviations.reduce(first_of_the_largest) else {
            return;
        };
        let tracks = [0, 1].map(|side| {
            track_of(&both.asset(side)[clips[side]], worst.part, |joint| {
                self.chains[side].contains(&joint)
            })
        });
        let (kind, says) = explain(tracks);
        tally.add(kind, worst.severity, |difference| {
            let place = Place {
                joint: Some(both.matching.key(0, self.pair[0])),
                driven: Some(worst.part),
                time: Some(Seconds(worst.time)),
                ..Place::clip(0, clips[0])
            };
            difference.at(place).saying(says).off(worst.off)
        });
    }
}

fn unit_above(both: &Both<'_>, joint: NodeId) -> f64 {
    let joints = both.asset(0).skeleton.nodes();
    let parent = joints[joint.index()].parent;
    let above = parent.map(|parent| &both.rest[0].worlds[parent.index()]);
    longest_axis(above.unwrap_or(&both.common_from[0]))
}

/// The joints whose meshes either clip morphs.
pub(super) fn morphed(both: &Both<'_>, clips: [&Clip; 2]) -> Vec<Key> {
    let mut keys = BTreeSet::new();
    for (side, clip) in clips.into_iter().enumerate() {
        let joints = clip.morph_channels.iter().map(|channel| channel.node);
        keys.extend(joints.map(|joint| both.matching.key(side, joint)));
    }
    let shown = both.morph_weights(&both.rest);
    keys.retain(|key| shown.iter().any(|shown| shown.contains_key(key)));
    keys.into_iter().collect()
}

/// How far apart the weights of `meshes` are. Targets that the other importer lacks count as unmoved.
pub(super) fn deviations(both: &Both<'_>, meshes: &[Key], posed: &[Posed; 2]) -> Vec<f64> {
    let [a, b] = both.morph_weights(posed);
    let [rest_a, rest_b] = both.morph_weights(&both.rest);
    let apart = |key: &Key| match (a.get(key), b.get(key)) {
        (Some(a), Some(b)) if a.len() == b.len() => weights_apart(a, b),
        (Some(a), _) => rest_a.get(key).map_or(0.0, |rest| weights_apart(a, rest)),
        (None, Some(b)) => rest_b.get(key).map_or(0.0, |rest| weights_apart(b, rest)),
        (None, None) => 0.0,
    };
    meshes.iter().map(apart).collect()
}

/// Reports the largest deviation of a mesh over time.
pub(super) fn report(
    both: &Both<'_>,
    clips: [ClipId; 2],
    mesh: Key,
    apart: f64,
    tally: &mut Tally,
) {
    if apart <= MORPH_WEIGHT {
        return;
    }
    let tracks = [0, 1].map(|side| {
        track_of(
            &both.asset(side)[clips[side]],
            TrackPart::Weights,
            |joint| both.matching.key(side, joint) == mesh,
        )
    });
    let (kind, says) = explain(tracks);
    tally.add(kind, apart, |worst| {
        let place = Place {
            mesh: Some(mesh),
            driven: Some(TrackPart::Weights),
            ..Place::clip(0, clips[0])
        };
        worst.at(place).saying(says).off_part(apart)
    });
}

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
    let same = |(a, b): (f64, f64)| (a - b).abs() <= time_tolerance(a.abs().max(b));
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
