//! From groups of animations to clips.

use std::collections::{BTreeMap, HashMap};

use roxmltree::{Node, NodeId as XmlId};

use super::channels::{Goal, dangling, drives, goals, sampler};
use super::curve::Curve;
use super::document::Document;
use super::error::{Failure, Unclear, location};
use super::groups::{Group, groups};
use super::morphs::Weights;
use super::motion::{Drive, times};
use super::sampler::Sampler;
use super::scene::Scene;
use super::stack::Stack;
use super::tracks::Tracks;
use crate::import::bake::{Budget, Extent};
use crate::import::log::Log;
use crate::import::resolve::keys::seconds;
use crate::import::source::{self, Keys};
use crate::rig::{DefectKind, Location, NodeId, TickRate};
use crate::units::{Seconds, amount};

/// The state that the clips of one document share.
pub(super) struct Maker<'s, 'a> {
    pub(super) document: &'s Document<'a>,
    pub(super) scene: &'s Scene<'a>,
    /// The nodes of the scene.
    pub(super) nodes: &'s [source::Node],
    /// By the source of weights: the number of the morph's targets, and the nodes that show it.
    pub(super) morphed: &'s HashMap<XmlId, (usize, Vec<usize>)>,
    pub(super) extent: Extent,
    pub(super) budget: Budget,
    pub(super) log: &'s mut Log,
}

/// Everything that a group drives, in the order of the driven elements in the document.
#[derive(Default)]
struct Driven<'a> {
    nodes: BTreeMap<u32, (Node<'a, 'a>, Vec<Drive>)>,
    weights: BTreeMap<u32, (Node<'a, 'a>, Vec<(usize, Curve)>)>,
    /// The time of the last key.
    end: Option<f64>,
}

impl<'a> Maker<'_, 'a> {
    /// All clips of the document, and the element that each was read from.
    ///
    /// # Errors
    ///
    /// The first channel that is not understood.
    pub(super) fn clips(&mut self) -> Result<(Vec<source::Clip>, Vec<String>), Failure> {
        let animations = self.document.library("library_animations", "animation");
        for address in animations.flat_map(|animation| dangling(self.document, animation)) {
            let message = "a channel drives a target that does not exist";
            let location = Location::FILE.part(address);
            self.log
                .defects
                .add(DefectKind::TargetMissing, location, message);
        }
        let (mut clips, mut origins) = (Vec::new(), Vec::new());
        for group in &groups(self.document)? {
            if let Some(clip) = self.clip(group, clips.len())? {
                clips.push(clip);
                origins.push(group.id.map_or_else(String::new, |id| format!("#{id}")));
            }
        }
        Ok((clips, origins))
    }

    /// Clip number `index`; `None` if nothing moves and the file does not state it as a clip.
    fn clip(&mut self, group: &Group<'a>, index: usize) -> Result<Option<source::Clip>, Failure> {
        let name = group.name.map(str::to_owned);
        let name = name.unwrap_or_else(|| format!("animation_{index}"));
        let driven = self.driven(group, &name)?;
        let last = driven.end.unwrap_or(group.start.0).max(group.start.0);
        let clip = source::Clip {
            start: group.start,
            end: Some(group.end.unwrap_or(Seconds(last))),
            rate: TickRate::SECONDS,
            channels: self.channels(&driven)?,
            name,
        };
        self.budget.report(&clip.name, self.log);
        Ok((group.is_stated || !clip.channels.is_empty()).then_some(clip))
    }

    fn driven(&mut self, group: &Group<'a>, clip: &str) -> Result<Driven<'a>, Failure> {
        let mut driven = Driven::default();
        for animation in &group.animations {
            for (channel, goal) in goals(self.document, *animation) {
                let sampler = sampler(self.document, channel)?;
                self.report(channel, sampler.as_ref(), clip);
                let Some(sampler) = sampler else { continue };
                let added = driven.add(goal, &sampler);
                if added.map_err(|why| Failure::at(channel, why))? {
                    let message = "an earlier channel drives the same target and has no effect";
                    let defect = (DefectKind::DuplicateChannel, part(channel, clip));
                    self.log.repaired(location(channel), defect, message, "");
                }
            }
        }
        Ok(driven)
    }

    /// Notes the repairs of the keys of `channel`.
    fn report(&mut self, channel: Node<'a, 'a>, sampler: Option<&Sampler>, clip: &str) {
        let part = part(channel, clip);
        let mut report = |kind, count: usize, message: &str| {
            if count > 0 {
                self.log.notes.add(location(channel), message);
                self.log
                    .defects
                    .add_many(kind, part.clone(), count, message);
            }
        };
        let Some(sampler) = sampler else {
            report(
                DefectKind::EmptyChannel,
                1,
                "a channel has no keys that are finite",
            );
            return;
        };
        for doubt in &sampler.deviations {
            report(DefectKind::InterpolationLost, 1, doubt);
        }
        let nonfinite = amount(sampler.nonfinite, "key");
        let message = format!("skipped {nonfinite} with NaN or infinity");
        report(DefectKind::NonfiniteKey, sampler.nonfinite, &message);
        let unordered = amount(sampler.unordered, "key");
        let message = format!("{unordered} earlier than the one before; sorted");
        report(DefectKind::UnorderedKeys, sampler.unordered, &message);
        if let Some((first, ..)) = sampler.rows().next().filter(|(first, ..)| *first < 0.0) {
            let message = format!("the first key is at {} s", seconds(first));
            let location = part.at(Seconds(first));
            let kind = DefectKind::NegativeTime;
            self.log
                .defects
                .add_worst(kind, location, 1, -first, message);
        }
    }

    fn channels(&mut self, driven: &Driven<'a>) -> Result<Vec<source::Channel>, Failure> {
        let mut channels = Vec::new();
        for (node, drives) in driven.nodes.values() {
            let indices = self.scene.indices(node.id());
            if indices.is_empty() {
                continue;
            }
            let stack = Stack::read(*node).map_err(|why| Failure::at(*node, why))?;
            let keys = times(drives.iter()).len();
            let numbers = stack.steps.len() + drives.len() + indices.len();
            self.document.spend(numbers.saturating_mul(keys))?;
            let above = self.nodes[indices[0]].parent;
            let tolerance = self.extent.tolerance(above);
            let tracks = Tracks::new(&stack, drives, tolerance, &mut self.budget);
            channels.extend(indices.iter().flat_map(|&node| {
                let channel = tracks.channel(NodeId::from_index(node), &self.nodes[node].rest);
                source::Channel::of_parts(channel)
            }));
        }
        channels.extend(self.morph_channels(driven)?);
        Ok(channels)
    }

    fn morph_channels(
        &mut self,
        driven: &Driven<'a>,
    ) -> Result<impl Iterator<Item = source::Channel>, Failure> {
        let mut channels = BTreeMap::new();
        for (source, curves) in driven.weights.values() {
            let Some((targets, nodes)) = self.morphed.get(&source.id()) else {
                continue;
            };
            let weights = Weights::read(self.document, (*source, *targets), curves)?;
            let Some(weights) = weights.track(&mut self.budget) else {
                continue;
            };
            self.document
                .spend(weights.keys.len().saturating_mul(nodes.len() * targets))?;
            channels.extend(nodes.iter().map(|&node| (node, weights.clone())));
        }
        let channel = |(node, weights)| source::Channel {
            node,
            part: None,
            keys: Keys::Weights(weights),
        };
        Ok(channels.into_iter().map(channel))
    }
}

fn part(channel: Node<'_, '_>, clip: &str) -> Location {
    let target = channel.attribute("target").unwrap_or_default();
    Location::clip(clip).part(target)
}

impl<'a> Driven<'a> {
    /// Lets `sampler` drive `goal`, instead of any earlier sampler of the same numbers. Returns whether there was one.
    fn add(&mut self, goal: Goal<'a>, sampler: &Sampler) -> Result<bool, Unclear> {
        let is_new = match goal {
            Goal::Transform(target) => {
                let entry = self.nodes.entry(target.node.id().get());
                let (_, all) = entry.or_insert_with(|| (target.node, Vec::new()));
                let before = all.len();
                all.retain(|drive| !drive.is_within(target.step, &target.numbers()));
                let is_new = all.len() == before;
                all.extend(drives(sampler, &target)?);
                is_new
            }
            Goal::Weight(source, index) => {
                let entry = self.weights.entry(source.id().get());
                let (_, all) = entry.or_insert_with(|| (source, Vec::new()));
                let before = all.len();
                all.retain(|(driven, _)| *driven != index);
                let is_new = all.len() == before;
                all.push((index, sampler.curve(0)));
                is_new
            }
        };
        let last = sampler.rows().last().map(|(time, ..)| time);
        self.end = self.end.into_iter().chain(last).reduce(f64::max);
        Ok(!is_new)
    }
}
