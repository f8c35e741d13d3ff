//! How clips drive the joints' own transforms.

use std::collections::BTreeSet;

use glam::DMat4;

use super::common::Posed;
use super::distances::{Apart, lengths_apart};
use super::motion::Motion;
use super::report::{Location, Off};
use super::tally::{Details, Tally};
use super::tolerance::AXES;
use super::tracks::{Part, explain, shape_of};
use crate::rig::{Clip, NodeId};
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

/// The largest deviation over time.
#[derive(Clone, Copy)]
pub(super) struct Worst {
    severity: f64,
    time: f64,
    part: Part,
    off: Off,
}

impl Motion<'_> {
    /// The joints that either of two clips drives, directly or through a helper.
    ///
    /// A joint below another's helper is left to the stage of posed joints: its own transform compensates for what it does not
    /// inherit, and is not stored in the file.
    pub(super) fn driven(&self, pair: [&Clip; 2]) -> Vec<Driven> {
        let mut keys = BTreeSet::new();
        for (side, clip) in pair.into_iter().enumerate() {
            let joints = clip.channels.iter().map(|channel| channel.node);
            keys.extend(joints.map(|joint| self.matching.key(side, joint)));
        }
        let pairs = keys.iter().filter_map(|key| self.matching.pairs.get(key.0));
        let is_plain = |pair: &&[NodeId; 2]| {
            let mut sides = pair.iter().zip(&self.matching.trees);
            sides.all(|(joint, tree)| !tree.hangs_on_helper(*joint))
        };
        pairs
            .filter(is_plain)
            .map(|&pair| {
                let chains = [0, 1].map(|side| self.matching.trees[side].chain(pair[side]));
                let is_top = [0, 1].map(|side| self.matching.above(side, pair[side]).is_none());
                Driven {
                    unit: self.unit_above(chains[0].first().copied().unwrap_or(pair[0])),
                    is_top: is_top == [true; 2],
                    chains,
                    pair,
                }
            })
            .collect()
    }

    fn unit_above(&self, joint: NodeId) -> f64 {
        let joints = self.matching.trees[0].asset.skeleton.nodes();
        let parent = joints[joint.index()].parent;
        let above = parent.map(|parent| &self.rest[0].worlds[parent.index()]);
        let world = above.unwrap_or(&self.common.from[0]);
        let axes = [world.x_axis, world.y_axis, world.z_axis];
        axes.iter().map(|axis| axis.length()).fold(0.0, f64::max)
    }

    pub(super) fn joint_off(&self, joint: &Driven, posed: &[Posed; 2], time: f64) -> Option<Worst> {
        let own = [0, 1].map(|side| {
            if joint.is_top {
                return posed[side].worlds[joint.pair[side].index()];
            }
            let locals = joint.chains[side].iter();
            let locals = locals.map(|id| posed[side].locals[id.index()]);
            locals.fold(DMat4::IDENTITY, |chain, local| chain * local)
        });
        let unit = if joint.is_top { 1.0 } else { joint.unit };
        let apart = Apart::of(&own[0], &own[1], unit, self.scale);
        if !apart.differ() {
            return None;
        }
        let axes_count_more = apart.axes / AXES > apart.position / apart.position_tolerance;
        let (part, off) = if axes_count_more {
            let is_scaled = lengths_apart(&own[0], &own[1]) > AXES;
            let part = if is_scaled {
                Part::Scale
            } else {
                Part::Rotation
            };
            (part, Off::Part(apart.axes))
        } else {
            let off = Off::Length {
                absolute: apart.position,
                relative: apart.position / self.scale.diagonal,
            };
            (Part::Translation, off)
        };
        Some(Worst {
            severity: apart.severity(),
            time,
            part,
            off,
        })
    }

    pub(super) fn report_joint(
        &self,
        pair: [&Clip; 2],
        joint: &Driven,
        found: impl Iterator<Item = Worst>,
        tally: &mut Tally,
    ) {
        let later_if_worse = |worst: Worst, next: Worst| {
            if next.severity > worst.severity {
                next
            } else {
                worst
            }
        };
        let Some(worst) = found.reduce(later_if_worse) else {
            return;
        };
        let shapes = [0, 1].map(|side| shape_of(pair[side], &joint.chains[side], worst.part));
        let (kind, says) = explain([shapes[0].as_ref(), shapes[1].as_ref()]);
        tally.add(kind, worst.severity, || Details {
            location: Location {
                joint: Some(self.matching.path_of_pair(joint.pair)),
                clip: Some(pair[0].name.clone()),
                time: Some(Seconds(worst.time)),
                part: Some(worst.part.name()),
                ..Location::default()
            },
            says,
            off: Some(worst.off),
        });
    }
}
