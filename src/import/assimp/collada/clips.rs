//! From groups of animations to clips.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::bake::Budget;
use super::channels::{Goal, drives, goals, sampler};
use super::curve::Curve;
use super::document::Document;
use super::error::{Failure, Unclear, place};
use super::evidence;
use super::groups::Group;
use super::hierarchy::Joints;
use super::morphs::{self, Weights};
use super::motion::{Drive, times};
use super::sampler::Sampler;
use super::stack::Stack;
use super::tracks::Tracks;
use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::rig::{Channel, Clip, DefectKind, MorphChannel, Place, Skeleton, TickRate};
use crate::units::Seconds;

/// What the clips of one document share.
pub(super) struct Maker<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) joints: &'a Joints,
    pub(super) skeleton: &'a Skeleton,
    pub(super) budget: Budget,
    pub(super) notes: Notes,
    pub(super) defects: Defects,
}

/// Everything that a group drives, by the place in the document of what is driven.
#[derive(Default)]
struct Driven<'a> {
    nodes: BTreeMap<u32, (Node<'a, 'a>, Vec<Drive>)>,
    weights: BTreeMap<u32, (Node<'a, 'a>, Vec<(usize, Curve)>)>,
    /// The last key of all.
    end: Option<f64>,
}

impl<'a> Maker<'a> {
    /// Clip number `index`; `None` if nothing moves, and the file does not insist.
    ///
    /// # Errors
    ///
    /// The first channel that is not understood.
    pub(super) fn clip(
        &mut self,
        group: &Group<'a>,
        index: usize,
    ) -> Result<Option<Clip>, Failure> {
        let name = group.name.map(str::to_owned);
        let name = name.unwrap_or_else(|| format!("animation_{index}"));
        let driven = self.driven(group, &name)?;
        let last = driven.end.unwrap_or(group.start.0).max(group.start.0);
        let clip = Clip {
            start: group.start,
            end: group.end.unwrap_or(Seconds(last)),
            rate: TickRate::SECONDS,
            channels: self.channels(&driven)?,
            morph_channels: self.morph_channels(&driven)?,
            name,
        };
        let is_empty = clip.channels.is_empty() && clip.morph_channels.is_empty();
        Ok((group.is_stated || !is_empty).then_some(clip))
    }

    fn driven(&mut self, group: &Group<'a>, clip: &str) -> Result<Driven<'a>, Failure> {
        let mut driven = Driven::default();
        for animation in &group.animations {
            for (channel, goal) in goals(self.document, *animation) {
                let sampler = sampler(self.document, channel)?;
                for doubt in &sampler.doubts {
                    self.notes.add(place(channel), doubt);
                    let target = channel.attribute("target").map(str::to_owned);
                    let part = target.unwrap_or_else(|| evidence::part(&place(channel)));
                    let place = Place::clip(clip).part(part);
                    self.defects
                        .add(DefectKind::InterpolationLost, place, doubt);
                }
                let added = driven.add(goal, &sampler);
                added.map_err(|why| Failure::at(channel, why))?;
            }
        }
        Ok(driven)
    }

    /// One a joint, in their order.
    fn channels(&mut self, driven: &Driven<'a>) -> Result<Vec<Channel>, Failure> {
        let mut channels = Vec::new();
        for (node, drives) in driven.nodes.values() {
            let Some(joints) = self.joints.get(&node.id()) else {
                continue;
            };
            let stack = Stack::read(*node)?;
            let numbers = stack.steps.len() + drives.len();
            self.document
                .spend(numbers.saturating_mul(times(drives.iter()).len()))?;
            let tracks = Tracks::new(&stack, drives, &mut self.budget);
            channels.extend(joints.iter().filter_map(|&joint| {
                let rest = &self.skeleton.get(joint)?.rest;
                Some(tracks.channel(joint, rest))
            }));
        }
        channels.sort_by_key(|channel| channel.joint);
        Ok(channels)
    }

    /// One a joint, in their order.
    fn morph_channels(&mut self, driven: &Driven<'a>) -> Result<Vec<MorphChannel>, Failure> {
        let mut channels = BTreeMap::new();
        for (source, curves) in driven.weights.values() {
            let weights = Weights::read(self.document, *source, curves)?;
            let Some(weights) = weights.track(&mut self.budget) else {
                continue;
            };
            let nodes = morphs::nodes(self.document, *source);
            let joints = nodes.iter().filter_map(|node| self.joints.get(node));
            for &joint in joints.flatten() {
                let weights = weights.clone();
                channels.insert(joint, MorphChannel { joint, weights });
            }
        }
        Ok(channels.into_values().collect())
    }
}

impl<'a> Driven<'a> {
    /// Lets `sampler` drive `goal`, in place of what has driven the same numbers.
    fn add(&mut self, goal: Goal<'a>, sampler: &Sampler) -> Result<(), Unclear> {
        match goal {
            Goal::Transform(target) => {
                let entry = self.nodes.entry(target.node.id().get());
                let (_, all) = entry.or_insert_with(|| (target.node, Vec::new()));
                all.retain(|drive| !drive.is_within(target.step, &target.numbers()));
                all.extend(drives(sampler, &target)?);
            }
            Goal::Weight(source, index) => {
                let entry = self.weights.entry(source.id().get());
                let (_, all) = entry.or_insert_with(|| (source, Vec::new()));
                all.retain(|(driven, _)| *driven != index);
                all.push((index, sampler.curve(0)));
            }
        }
        let last = sampler.rows().last().map(|(time, ..)| time);
        self.end = self.end.into_iter().chain(last).reduce(f64::max);
        Ok(())
    }
}
