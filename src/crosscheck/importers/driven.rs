//! How clips drive the joints' own transforms.
//!
//! `diff` infers the cause of a difference from the motion, since exporters may resample keys. Here, the stored tracks
//! tell it.

use std::collections::BTreeSet;

use glam::DMat4;

use super::both::Both;
use super::posed::Posed;
use super::report::Off;
use super::tally::Tally;
use super::tolerance::AXES;
use super::tracks::{explain, track_of};
use super::transforms::{Apart, lengths_apart, longest_axis};
use crate::rig::{Clip, Location, NodeId, TrackPart};
use crate::units::Seconds;

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
            let locals = self.chains[side].iter();
            locals.fold(DMat4::IDENTITY, |chain, id| {
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
        clips: [&Clip; 2],
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
            track_of(clips[side], worst.part, |joint| {
                self.chains[side].contains(&joint)
            })
        });
        let (kind, says) = explain(tracks);
        tally.add(kind, worst.severity, |difference| {
            let joint = Location::joint(both.matching.path_of_pair(self.pair));
            let part = joint.in_clip(&clips[0].name).part(worst.part);
            difference
                .at(part.at(Seconds(worst.time)))
                .saying(says)
                .off(worst.off)
        });
    }
}

fn unit_above(both: &Both<'_>, joint: NodeId) -> f64 {
    let joints = both.asset(0).skeleton.nodes();
    let parent = joints[joint.index()].parent;
    let above = parent.map(|parent| &both.rest[0].worlds[parent.index()]);
    longest_axis(above.unwrap_or(&both.common_from[0]))
}
