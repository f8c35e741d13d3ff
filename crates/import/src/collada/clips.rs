//! From groups of animations to clips.

use std::collections::{BTreeMap, HashMap, HashSet};

use roxmltree::{Node, NodeId as XmlId};

use super::channels::{Goal, dangling, drives, goals, sampler};
use super::curve::Curve;
use super::document::{Document, Failure, ReadError, children, error_location, name};
use super::sampler::Sampler;
use super::scene::Scene;
use super::stack::{Drive, Stack, times};
use super::tracks::{Tracks, Weights};
use crate::bake::{Budget, Extent};
use crate::log::Log;
use crate::resolve::keys::seconds;
use crate::rig::{DefectKind, Location, NodeId, Part, TickRate};
use crate::source::{self, Keys, clip_name};
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
            let location = Location::FILE.part(Part::Words(address.to_owned().into()));
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
        let stated = group.name.unwrap_or_default();
        let name = clip_name(stated, index);
        let driven = self.driven(group, &name)?;
        let last = driven.end.unwrap_or(group.start.0).max(group.start.0);
        let clip = source::Clip {
            start: group.start,
            end: Some(group.end.unwrap_or(Seconds(last))),
            rate: TickRate::SECONDS,
            channels: self.channels(&driven)?,
            ..source::Clip::named(stated.to_owned())
        };
        self.budget.report(&name, self.log);
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
                    self.log
                        .repaired(error_location(channel), defect, message, "");
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
                self.log.notes.add(error_location(channel), message);
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
            self.document.count_numbers(numbers.saturating_mul(keys))?;
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
                .count_numbers(weights.keys.len().saturating_mul(nodes.len() * targets))?;
            channels.extend(nodes.iter().map(|&node| (node, weights.clone())));
        }
        let channel = |(node, weights)| source::Channel::new(node, Keys::Weights(weights));
        Ok(channels.into_iter().map(channel))
    }
}

fn part(channel: Node<'_, '_>, clip: &str) -> Location {
    let target = channel.attribute("target").unwrap_or_default();
    Location::clip(clip).part(Part::Words(target.to_owned().into()))
}

impl<'a> Driven<'a> {
    /// Lets `sampler` drive `goal`, instead of any earlier sampler of the same numbers. Returns whether there was one.
    fn add(&mut self, goal: Goal<'a>, sampler: &Sampler) -> Result<bool, ReadError> {
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

/// Animations that play together.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// As in the file.
    pub(super) name: Option<&'a str>,
    /// The id of the clip, or of the only animation.
    pub(super) id: Option<&'a str>,
    /// As the file states it, or 0.
    pub(super) start: Seconds,
    /// As the file states it; `None` for the last key.
    pub(super) end: Option<Seconds>,
    /// Elements `animation`.
    pub(super) animations: Vec<Node<'a, 'a>>,
    /// Whether the file itself calls them a clip.
    pub(super) is_stated: bool,
}

/// The groups of a document.
///
/// An `animation_clip` is one (COLLADA 1.4.1, chapter 5). The remaining animations share the time of the document and form
/// one group. If two of them drive the same number, they cannot be meant to play together, and each becomes a group of its
/// own.
pub(super) fn groups<'a>(document: &Document<'a>) -> Result<Vec<Group<'a>>, Failure> {
    let clips = document.library("library_animation_clips", "animation_clip");
    let mut groups = clips
        .map(|clip| stated(document, clip))
        .collect::<Result<Vec<_>, _>>()?;
    let animations = groups.iter().flat_map(|group| &group.animations);
    let named: HashSet<XmlId> = animations.map(Node::id).collect();
    let top = document.library("library_animations", "animation");
    let is_named = |node: Node<'_, '_>| node.descendants().any(|inner| named.contains(&inner.id()));
    let rest = top.filter(|animation| !is_named(*animation)).collect();
    groups.extend(unstated(document, rest));
    Ok(groups)
}

fn stated<'a>(document: &Document<'a>, clip: Node<'a, 'a>) -> Result<Group<'a>, Failure> {
    let time = |name| {
        let time: Option<f64> = clip.attribute(name)?.trim().parse().ok();
        time.filter(|time| time.is_finite()).map(Seconds)
    };
    let animation = |instance: Node<'a, 'a>| {
        let url = instance.attribute("url").unwrap_or_default();
        document.at(url, "animation")
    };
    let animations: Result<Vec<_>, ReadError> = children(clip, "instance_animation")
        .map(animation)
        .collect();
    let start = time("start").unwrap_or(Seconds::ZERO);
    Ok(Group {
        name: name(clip),
        id: clip.attribute("id"),
        start,
        end: time("end").filter(|end| *end >= start),
        animations: animations.map_err(|why| Failure::at(clip, why))?,
        is_stated: true,
    })
}

fn unstated<'a>(document: &Document<'a>, mut animations: Vec<Node<'a, 'a>>) -> Vec<Group<'a>> {
    animations.retain(|animation| goals(document, *animation).next().is_some());
    let together = !contend(document, &animations);
    let group = |animations: &[Node<'a, 'a>]| Group {
        name: common_name(animations),
        id: match animations {
            [only] => only.attribute("id"),
            _ => None,
        },
        start: Seconds::ZERO,
        end: None,
        animations: animations.to_vec(),
        is_stated: false,
    };
    if animations.is_empty() {
        Vec::new()
    } else if together {
        vec![group(&animations)]
    } else {
        animations.chunks(1).map(group).collect()
    }
}

/// Whether two of `animations` drive the same number.
fn contend(document: &Document<'_>, animations: &[Node<'_, '_>]) -> bool {
    let mut drivers: HashMap<(XmlId, usize, usize), XmlId> = HashMap::new();
    animations.iter().any(|animation| {
        let numbers = goals(document, *animation).flat_map(|(_, goal)| goal.numbers());
        let mut drivers = numbers.map(|number| *drivers.entry(number).or_insert(animation.id()));
        drivers.any(|driver| driver != animation.id())
    })
}

/// The name of a single animation, or the name that all share.
fn common_name<'a>(animations: &[Node<'a, 'a>]) -> Option<&'a str> {
    match animations {
        [only] => name(*only),
        [first, others @ ..] => {
            let shared = first.attribute("name").filter(|name| !name.is_empty())?;
            let mut names = others.iter().map(|other| other.attribute("name"));
            names.all(|name| name == Some(shared)).then_some(shared)
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collada::document::parse;

    /// Names, starts and ends of the groups, and how many animations each has.
    fn read(animations: &str, clips: &str) -> Vec<(Option<String>, f64, Option<f64>, usize)> {
        let text = format!(
            r#"<COLLADA><library_animations>{animations}</library_animations>
               <library_animation_clips>{clips}</library_animation_clips>
               <node id="n"><translate sid="t"/><rotate sid="r"/></node></COLLADA>"#
        );
        let xml = parse(&text).expect("it is well-formed");
        let groups = groups(&Document::new(&xml)).expect("all references lead somewhere");
        let reported = groups.iter().map(|group| {
            let (name, end) = (group.name.map(str::to_owned), group.end.map(|end| end.0));
            (name, group.start.0, end, group.animations.len())
        });
        reported.collect()
    }

    fn animation(id: &str, name: &str, target: &str) -> String {
        format!(r#"<animation id="{id}" name="{name}"><channel target="{target}"/></animation>"#)
    }

    #[test]
    fn animations_of_different_numbers_are_one_clip() {
        let all = animation("a", "Walk", "n/t.X") + &animation("b", "Walk", "n/t.Y");
        assert_eq!(read(&all, ""), [(Some("Walk".to_owned()), 0.0, None, 2)]);
        let all = animation("a", "Left", "n/t.X") + &animation("b", "Right", "n/r");
        assert_eq!(read(&all, ""), [(None, 0.0, None, 2)]);
    }

    #[test]
    fn animations_of_the_same_number_are_clips_of_their_own() {
        let all = animation("a", "Walk", "n/t") + &animation("b", "", "n/t.Y");
        let names = [Some("Walk".to_owned()), Some("b".to_owned())];
        assert_eq!(read(&all, ""), names.map(|name| (name, 0.0, None, 1)));
    }

    #[test]
    fn a_stated_clip_has_its_own_time_and_the_rest_is_one_more() {
        let all = animation("a", "", "n/t.X") + &animation("b", "", "n/t.Y");
        let clip = r##"<animation_clip name="Bend" start="0.5" end="2"><instance_animation url="#a"/></animation_clip>"##;
        let rest = (Some("b".to_owned()), 0.0, None, 1);
        let bend = (Some("Bend".to_owned()), 0.5, Some(2.0), 1);
        assert_eq!(read(&all, clip), [bend, rest]);
    }

    #[test]
    fn an_animation_of_nothing_known_is_not_a_clip() {
        assert_eq!(read(&animation("a", "", "camera/xfov"), ""), []);
    }
}
