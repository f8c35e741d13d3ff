//! From channels, one per part of a node, to clips.

use std::collections::BTreeMap;

use super::keys::{self, Site, Value};
use crate::import::log::Log;
use crate::import::source::{self, KeyTimes, Keys, clip_name};
use crate::rig::{
    Channel, ChannelOrigin, Clip, DefectKind, Location, MorphChannel, Node, NodeId, Origins, Track,
};
use crate::units::Seconds;

/// The requirements on a file's keys.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) times: KeyTimes,
    /// Whether rotations are the file's own; others are not changed.
    pub(super) are_rotations_stored: bool,
}

/// The clips of a file whose nodes became `joints`.
pub(super) fn resolve(
    clips: Vec<source::Clip>,
    rules: Rules,
    joints: &[Node],
    ids: &[NodeId],
    log: &mut Log,
    origins: &mut Vec<Vec<ChannelOrigin>>,
) -> Vec<Clip> {
    let clip = |(index, clip): (usize, source::Clip)| {
        let name = clip_name(&clip.name, index);
        let mut builder = Builder {
            clip: Location::clip(name.as_str()),
            rules,
            log,
            channels: BTreeMap::new(),
            morphs: BTreeMap::new(),
        };
        let stated = clip.channels.iter().filter_map(|channel| {
            Some(ChannelOrigin {
                node: ids[channel.node],
                part: part(&channel.keys).to_owned(),
                origin: Origins::pointer(channel.part.as_deref()?),
            })
        });
        origins.push(stated.collect());
        for channel in clip.channels {
            let joint = ids[channel.node];
            builder.add(joint, &joints[joint.index()].name, channel);
        }
        let mut made = Clip {
            end: clip.start,
            name,
            start: clip.start,
            rate: clip.rate,
            channels: builder.channels.into_values().collect(),
            morph_channels: builder.morphs.into_values().collect(),
        };
        made.end = clip.end.unwrap_or_else(|| last_key(&made));
        made
    };
    clips.into_iter().enumerate().map(clip).collect()
}

/// The time of the last key of all tracks; the start of a clip without any.
fn last_key(clip: &Clip) -> Seconds {
    let ends = clip.drivers().filter_map(|driver| driver.track.ends());
    Seconds(ends.map(|(_, last)| last).fold(clip.start.0, f64::max))
}

struct Builder<'a> {
    clip: Location,
    rules: Rules,
    log: &'a mut Log,
    channels: BTreeMap<NodeId, Channel>,
    morphs: BTreeMap<NodeId, MorphChannel>,
}

impl Builder<'_> {
    /// Adds a channel of `joint`, unless another one drives the same part.
    fn add(&mut self, joint: NodeId, name: &str, channel: source::Channel) {
        let part = part(&channel.keys);
        let location = self
            .clip
            .clone()
            .of_joint(name)
            .part(channel.part.as_deref().unwrap_or(part));
        let site = Site {
            location,
            log: &mut *self.log,
        };
        let mut filling = Filling {
            part,
            rules: self.rules,
            site,
        };
        let driven = self.channels.entry(joint).or_insert(Channel::of(joint));
        match channel.keys {
            Keys::Translation(keys) => filling.add(&mut driven.translation, keys, any),
            Keys::Rotation(keys) => {
                let is_stored = self.rules.are_rotations_stored;
                let units = if is_stored { keys::units } else { any };
                filling.add(&mut driven.rotation, keys, units);
            }
            Keys::Scale(keys) => filling.add(&mut driven.scale, keys, any),
            Keys::Matrix(keys) => filling.add(&mut driven.matrix, keys, any),
            Keys::Weights(keys) => {
                let mut weights = self.morphs.remove(&joint).map(|channel| channel.weights);
                filling.add(&mut weights, keys, any);
                let morph = weights.map(|weights| {
                    (
                        joint,
                        MorphChannel {
                            node: joint,
                            weights,
                        },
                    )
                });
                self.morphs.extend(morph);
            }
        }
        if *driven == Channel::of(joint) {
            self.channels.remove(&joint);
        }
    }
}

fn part(keys: &Keys) -> &'static str {
    match keys {
        Keys::Translation(_) => "translation",
        Keys::Rotation(_) => "rotation",
        Keys::Scale(_) => "scale",
        Keys::Matrix(_) => "matrix",
        Keys::Weights(_) => "weights",
    }
}

/// For values that only need to be finite.
fn any<T>(_: &mut Track<T>, _: &mut Site<'_>) -> Vec<usize> {
    Vec::new()
}

/// A channel that is being added to its clip.
struct Filling<'a> {
    part: &'static str,
    rules: Rules,
    site: Site<'a>,
}

impl Filling<'_> {
    /// Stores `track`, repaired, in the empty slot of its part.
    ///
    /// * `units` – see [`keys::repair`].
    fn add<T: Value>(
        &mut self,
        slot: &mut Option<Track<T>>,
        mut track: Track<T>,
        units: impl FnOnce(&mut Track<T>, &mut Site<'_>) -> Vec<usize>,
    ) {
        let part = self.part;
        if slot.is_some() {
            let why = format!("another channel drives the same {part}");
            self.leave_out(DefectKind::DuplicateChannel, &why);
        } else if track.keys.is_empty() {
            self.leave_out(
                DefectKind::EmptyChannel,
                &format!("there is no key for the {part}"),
            );
        } else {
            if self.rules.times != KeyTimes::Made {
                keys::repair(&mut track, self.rules.times, units, &mut self.site);
                keys::close(&mut track);
            }
            *slot = (!track.keys.is_empty()).then_some(track);
        }
    }

    fn leave_out(&mut self, kind: DefectKind, why: &str) {
        let Site { location, log } = &mut self.site;
        let clip = location.clip.as_deref().unwrap_or_default();
        let joint = location.joint.as_deref().unwrap_or_default();
        let note = format!("skipped the {} of joint {joint:?}: {why}", self.part);
        log.notes.add(format!("clip {clip:?}"), note);
        log.defects.add(kind, location.clone(), why);
    }
}
