//! From channels, one per part of a node, to clips.

use std::collections::BTreeMap;

use glam::{Mat4, Vec4};

use super::keys::{self, Site, Value};
use super::set_last_row;
use crate::log::Log;
use crate::rig::{
    Channel, ChannelId, ChannelOrigin, Clip, ClipId, DefectKind, Keyed, Location, MorphChannel,
    Node, NodeId, Span, Track, TrackPart, VisibilityChannel,
};
use crate::source::{self, KeyTimes, Keys, clip_name};
use crate::units::Seconds;

/// The requirements on a file's keys.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) times: KeyTimes,
    /// Whether rotations are the file's own; others are not changed.
    pub(super) are_rotations_stored: bool,
}

/// What channels drive.
#[derive(Clone, Copy)]
pub(super) struct Owners<'a> {
    pub(super) joints: &'a [Node],
    /// The joint of each node of the file.
    pub(super) ids: &'a [NodeId],
}

/// The clips of a file.
pub(super) fn resolve(
    clips: Vec<source::Clip>,
    rules: Rules,
    owners: Owners<'_>,
    log: &mut Log,
    origins: &mut Vec<Vec<ChannelOrigin>>,
) -> Vec<Clip> {
    let clip = |(index, clip): (usize, source::Clip)| {
        let name = clip_name(&clip.name, index);
        let mut builder = Builder {
            clip: Location::FILE.in_clip_of(ClipId::from_index(index), name.as_str()),
            rules,
            log,
            channels: BTreeMap::new(),
            morphs: BTreeMap::new(),
            visibility: BTreeMap::new(),
        };
        let stated = clip.channels.iter().filter_map(|channel| {
            Some(ChannelOrigin {
                id: id(owners, channel),
                origin: channel.part.as_ref()?.pointer()?,
            })
        });
        origins.push(stated.collect());
        for channel in clip.channels {
            let id = id(owners, &channel);
            builder.add(id, &owners.joints[id.node.index()].name, channel);
        }
        for channel in clip.visibility_channels {
            builder.add_visibility(owners, channel);
        }
        let mut made = Clip {
            end: clip.start,
            unnamed: clip.name.is_empty() || clip.unnamed,
            name,
            start: clip.start,
            rate: clip.rate,
            channels: builder.channels.into_values().collect(),
            morph_channels: builder.morphs.into_values().collect(),
            expression_channels: Vec::new(),
            visibility_channels: builder.visibility.into_values().collect(),
        };
        made.end = clip.end.unwrap_or_else(|| last_key(&made));
        made
    };
    clips.into_iter().enumerate().map(clip).collect()
}

/// The time of the last key of all tracks; the start of a clip without any.
fn last_key(clip: &Clip) -> Seconds {
    let ends = clip.tracks().filter_map(<dyn Keyed>::ends);
    Seconds(ends.map(|(_, last)| last).fold(clip.start.0, f64::max))
}

struct Builder<'a> {
    clip: Location,
    rules: Rules,
    log: &'a mut Log,
    channels: BTreeMap<NodeId, Channel>,
    morphs: BTreeMap<NodeId, MorphChannel>,
    visibility: BTreeMap<NodeId, VisibilityChannel>,
}

impl Builder<'_> {
    /// Adds a channel, unless another one drives the same part of the joint, which is called `name`.
    fn add(&mut self, id: ChannelId, name: &str, channel: source::Channel) {
        let joint = id.node;
        let mut location = self.clip.clone().of_channel(id, name);
        location.part = channel.part.or(location.part);
        let mut filling = Filling {
            part: id.path.name(),
            owner: format!("joint {name:?}"),
            rules: self.rules,
            site: Site {
                location,
                log: &mut *self.log,
            },
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
            Keys::Matrix(keys) => filling.add(&mut driven.matrix, keys, affine),
            Keys::Weights(keys) => {
                let mut weights = self.morphs.remove(&joint).map(|channel| channel.weights);
                filling.add(&mut weights, keys, any);
                let node = joint;
                let morph = weights.map(|weights| MorphChannel { node, weights });
                self.morphs.extend(morph.map(|own| (node, own)));
            }
        }
        if *driven == Channel::of(joint) {
            self.channels.remove(&joint);
        }
    }

    /// Adds a channel of visibility, unless another one drives the same node.
    fn add_visibility(&mut self, owners: Owners<'_>, channel: source::VisibilityChannel) {
        let node = owners.ids[channel.node];
        let name = &owners.joints[node.index()].name;
        let location = Location {
            part: channel.part,
            ..self.clip.clone().of_node(node, name.as_str())
        };
        let mut filling = Filling {
            part: "visibility",
            owner: format!("node {name:?}"),
            rules: self.rules,
            site: Site {
                location,
                log: &mut *self.log,
            },
        };
        let mut visible = self.visibility.remove(&node).map(|driven| driven.visible);
        filling.add(&mut visible, channel.visible, any);
        let channel = visible.map(|visible| VisibilityChannel { node, visible });
        self.visibility
            .extend(channel.map(|channel| (node, channel)));
    }
}

fn id(owners: Owners<'_>, channel: &source::Channel) -> ChannelId {
    ChannelId {
        node: owners.ids[channel.node],
        path: path(&channel.keys),
    }
}

fn path(keys: &Keys) -> TrackPart {
    match keys {
        Keys::Translation(_) => TrackPart::Translation,
        Keys::Rotation(_) => TrackPart::Rotation,
        Keys::Scale(_) => TrackPart::Scale,
        Keys::Matrix(_) => TrackPart::Matrix,
        Keys::Weights(_) => TrackPart::Weights,
    }
}

/// Reads the last row of matrices as 0 0 0 1: `ColladaMax` writes 0 0 0 0.
fn affine(track: &mut Track<Mat4>, site: &mut Site<'_>) -> Vec<usize> {
    if track.keys.iter().any(|key| key.value.row(3) != Vec4::W) {
        site.note("last rows of matrices that are not 0 0 0 1 are read as 0 0 0 1");
    }
    for key in &mut track.keys {
        set_last_row(&mut key.value, Vec4::W);
        if let Span::Cubic { leave, arrive } = &mut key.span {
            set_last_row(leave, Vec4::ZERO);
            set_last_row(arrive, Vec4::ZERO);
        }
    }
    Vec::new()
}

/// For values that only need to be finite.
fn any<T>(_: &mut Track<T>, _: &mut Site<'_>) -> Vec<usize> {
    Vec::new()
}

/// A channel that is being added to its clip.
struct Filling<'a> {
    part: &'static str,
    /// The joint or node, for notes.
    owner: String,
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
        let note = format!("skipped the {} of {}: {why}", self.part, self.owner);
        log.notes.add(format!("clip {clip:?}"), note);
        log.defects.add(kind, location.clone(), why);
    }
}
