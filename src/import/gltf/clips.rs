//! Animations (glTF 2.0, §3.11), with their interpolation.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use gltf::json::animation::{self, Animation, Interpolation, Property};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index};

use super::accessors::{Accessors, Elements};
use super::document::Document;
use super::key_checks::{self, Site};
use super::keys::{self, RawKey, Value, per_key};
use super::log::Log;
use super::mend::LooseChannel;
use super::nodes::Nodes;
use crate::rig::{Channel, Clip, DefectKind, JointId, MorphChannel, Place, TickRate, Track};
use crate::units::{Seconds, amount};

/// Reads all animations. A channel that makes no sense is left out with a note: the others still move the model.
pub(super) fn read_all(
    document: &Document,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    log: &mut Log,
) -> Vec<Clip> {
    let animations = document.root.animations.iter().enumerate();
    animations
        .map(|(index, animation)| {
            let name = match animation.name.as_deref() {
                None | Some("") => format!("animation_{index}"),
                Some(name) => name.to_owned(),
            };
            let mut builder = Builder {
                document,
                accessors,
                nodes,
                index,
                note_place: format!("clip {name:?}"),
                place: Place::clip(name.as_str()),
                log,
                channels: BTreeMap::new(),
                morphs: BTreeMap::new(),
                end: 0.0,
            };
            let loose = document.loose_channels.get(index);
            builder.add_all(animation, loose.map_or(&[], Vec::as_slice));
            builder.finish(name)
        })
        .collect()
}

struct Builder<'a> {
    document: &'a Document,
    accessors: &'a Accessors<'a>,
    nodes: &'a Nodes,
    index: usize,
    /// Of the clip, in notes.
    note_place: String,
    /// Of the channel that is being read.
    place: Place,
    log: &'a mut Log,
    channels: BTreeMap<JointId, Channel>,
    morphs: BTreeMap<JointId, MorphChannel>,
    end: f64,
}

/// Why a channel is left out.
#[derive(Debug, thiserror::Error)]
enum ChannelProblem {
    #[error("its node is not there")]
    NoNode,
    #[error("its sampler is not there")]
    NoSampler,
    #[error("what it drives is unknown")]
    UnknownPath,
    #[error("its interpolation is unknown")]
    UnknownInterpolation,
    #[error("another one drives the same of its node")]
    Taken,
    #[error("it has no key")]
    NoKey,
    #[error("{values} values do not fit {times} key times")]
    Mismatch { values: usize, times: usize },
    #[error("{weights} weights a key do not fit the {targets} targets of its mesh")]
    Targets { weights: usize, targets: usize },
    #[error(transparent)]
    Gltf(#[from] super::error::GltfError),
}

impl ChannelProblem {
    fn kind(&self) -> DefectKind {
        match self {
            Self::Taken => DefectKind::DuplicateChannel,
            Self::NoKey => DefectKind::EmptyChannel,
            Self::UnknownInterpolation => DefectKind::InterpolationLost,
            Self::NoNode
            | Self::NoSampler
            | Self::UnknownPath
            | Self::Mismatch { .. }
            | Self::Targets { .. }
            | Self::Gltf(_) => DefectKind::TargetMissing,
        }
    }
}

impl Builder<'_> {
    /// * `loose` – the channels that are not in `animation` any more.
    fn add_all(&mut self, animation: &Animation, loose: &[LooseChannel]) {
        if !loose.is_empty() {
            let count = amount(loose.len(), "channel");
            let message = format!("left out {count} of something else than a node");
            self.log.notes.add(&*self.note_place, message);
        }
        for channel in loose.iter().filter(|channel| channel.is_aimless) {
            self.go_to(channel.index);
            self.tell(DefectKind::TargetMissing, "the channel names no node");
        }
        let is_loose = |number: &usize| {
            loose
                .binary_search_by_key(number, |loose| loose.index)
                .is_ok()
        };
        let numbers = (0..).filter(|number| !is_loose(number));
        for (number, channel) in numbers.zip(&animation.channels) {
            self.go_to(number);
            if let Err(reason) = self.add(channel, &animation.samplers) {
                let message = format!("left out channel {number}: {reason}");
                self.log.notes.add(&*self.note_place, message);
                self.tell_problem(&reason, channel);
            }
        }
    }

    fn go_to(&mut self, channel: usize) {
        self.place.joint = None;
        let part = format!("animations[{}].channels[{channel}]", self.index);
        self.place.part = Some(part);
    }

    fn tell(&mut self, kind: DefectKind, message: impl Into<String>) {
        self.log.defects.add(kind, self.place.clone(), message);
    }

    fn tell_problem(&mut self, problem: &ChannelProblem, channel: &animation::Channel) {
        let path = match channel.target.path {
            Checked::Valid(path) => path_name(path),
            Checked::Invalid => "unknown property",
        };
        let message = match problem {
            ChannelProblem::NoNode => {
                let (node, count) = (channel.target.node.value(), self.nodes.joint_of.len());
                format!("the channel drives node {node}, and there are {count}")
            }
            ChannelProblem::Taken => format!("another channel drives the same {path}"),
            ChannelProblem::NoKey => format!("the {path} has no key"),
            other => format!("the channel is left out: {other}"),
        };
        self.tell(problem.kind(), message);
    }

    fn add(
        &mut self,
        channel: &animation::Channel,
        samplers: &[animation::Sampler],
    ) -> Result<(), ChannelProblem> {
        let node = channel.target.node.value();
        let joint = *self
            .nodes
            .joint_of
            .get(node)
            .ok_or(ChannelProblem::NoNode)?;
        self.place.joint = Some(self.nodes.joints[joint.index()].name.clone());
        let sampler = samplers
            .get(channel.sampler.value())
            .ok_or(ChannelProblem::NoSampler)?;
        let Checked::Valid(path) = channel.target.path else {
            return Err(ChannelProblem::UnknownPath);
        };
        if self.is_driven(joint, path) {
            return Err(ChannelProblem::Taken);
        }
        self.check_matrix(node, path);
        match path {
            Property::Translation => {
                self.channel(joint).translation = self.vector_track(sampler)?;
            }
            Property::Scale => self.channel(joint).scale = self.vector_track(sampler)?,
            Property::Rotation => {
                let values = self.values::<4>(sampler.output)?;
                let values: Vec<Quat> = values.into_iter().map(Quat::from_array).collect();
                let mend = key_checks::mend_rotations;
                self.channel(joint).rotation = self.track(sampler, &values, mend)?;
            }
            Property::MorphTargetWeights => {
                let values = self.weights(sampler, node)?;
                if let Some(weights) = self.track(sampler, &values, |_, _| {})? {
                    self.morphs.insert(joint, MorphChannel { joint, weights });
                }
            }
        }
        Ok(())
    }

    /// A node that is animated must not be given by a matrix (§3.5.3), which has to be taken apart then.
    fn check_matrix(&mut self, node: usize, path: Property) {
        let has_matrix = self.document.root.nodes[node].matrix.is_some();
        if has_matrix && path != Property::MorphTargetWeights {
            let note =
                format!("moves nodes[{node}], which is given by a matrix; it is taken apart");
            self.log.notes.add(&*self.note_place, note);
            let path = path_name(path);
            let message = format!("drives the {path} of a node that is given by a matrix");
            self.tell(DefectKind::ChannelOnMatrixNode, message);
        }
    }

    fn is_driven(&self, joint: JointId, path: Property) -> bool {
        let channel = self.channels.get(&joint);
        match path {
            Property::Translation => channel.is_some_and(|channel| channel.translation.is_some()),
            Property::Rotation => channel.is_some_and(|channel| channel.rotation.is_some()),
            Property::Scale => channel.is_some_and(|channel| channel.scale.is_some()),
            Property::MorphTargetWeights => self.morphs.contains_key(&joint),
        }
    }

    fn channel(&mut self, joint: JointId) -> &mut Channel {
        self.channels.entry(joint).or_insert(Channel::of(joint))
    }

    fn values<const N: usize>(
        &self,
        accessor: Index<Accessor>,
    ) -> Result<Vec<[f32; N]>, ChannelProblem> {
        let place = || "its sampler".to_owned();
        Ok(self.accessors.floats(accessor, Elements::All, place)?)
    }

    fn vector_track(
        &mut self,
        sampler: &animation::Sampler,
    ) -> Result<Option<Track<Vec3>>, ChannelProblem> {
        let values = self.values::<3>(sampler.output)?;
        let values: Vec<Vec3> = values.into_iter().map(Vec3::from_array).collect();
        self.track(sampler, &values, |_, _| {})
    }

    /// One list of weights a value (§3.11: all targets of the first value, then all of the second, ….).
    fn weights(
        &self,
        sampler: &animation::Sampler,
        node: usize,
    ) -> Result<Vec<Vec<f32>>, ChannelProblem> {
        let numbers = self.values::<1>(sampler.output)?.into_flattened();
        let times = self.values::<1>(sampler.input)?.len();
        let values = times * per_key(interpolation(sampler)?);
        if values == 0 {
            return Err(ChannelProblem::NoKey);
        }
        if numbers.is_empty() || !numbers.len().is_multiple_of(values) {
            let values = numbers.len();
            return Err(ChannelProblem::Mismatch { values, times });
        }
        let weights = numbers.len() / values;
        let targets = self.targets(node);
        if weights != targets {
            return Err(ChannelProblem::Targets { weights, targets });
        }
        Ok(numbers.chunks_exact(weights).map(<[f32]>::to_vec).collect())
    }

    /// How many morph targets the mesh of `node` has.
    fn targets(&self, node: usize) -> usize {
        let root = &self.document.root;
        let mesh = root
            .nodes
            .get(node)
            .and_then(|node| root.meshes.get(node.mesh?.value()));
        let primitives = mesh.map_or(&[][..], |mesh| &mesh.primitives);
        let targets = primitives
            .iter()
            .map(|primitive| primitive.targets.as_ref().map_or(0, Vec::len));
        targets.max().unwrap_or(0)
    }

    /// * `mend` – what the keys need besides being finite and in order.
    fn track<T: Value>(
        &mut self,
        sampler: &animation::Sampler,
        values: &[T],
        mend: impl FnOnce(&mut Vec<RawKey<T>>, &mut Site<'_>),
    ) -> Result<Option<Track<T>>, ChannelProblem> {
        let times = self.values::<1>(sampler.input)?.into_flattened();
        let interpolation = interpolation(sampler)?;
        let mut keys = raw_keys(&times, values, interpolation)?;
        let mut site = Site {
            place: self.place.clone(),
            clip: &self.note_place,
            log: self.log,
        };
        key_checks::mend(&mut keys, interpolation == Interpolation::Step, &mut site);
        mend(&mut keys, &mut site);
        let last = keys.last().map_or(0.0, |key| key.time.into());
        self.end = self.end.max(last);
        Ok(keys::track(keys, interpolation))
    }

    fn finish(self, name: String) -> Clip {
        Clip {
            name,
            start: Seconds::ZERO,
            end: Seconds(self.end),
            rate: TickRate::SECONDS,
            channels: self.channels.into_values().collect(),
            morph_channels: self.morphs.into_values().collect(),
        }
    }
}

fn interpolation(sampler: &animation::Sampler) -> Result<Interpolation, ChannelProblem> {
    match sampler.interpolation {
        Checked::Valid(interpolation) => Ok(interpolation),
        Checked::Invalid => Err(ChannelProblem::UnknownInterpolation),
    }
}

fn path_name(path: Property) -> &'static str {
    match path {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::MorphTargetWeights => "morph weights",
    }
}

fn raw_keys<T: Clone>(
    times: &[f32],
    values: &[T],
    interpolation: Interpolation,
) -> Result<Vec<RawKey<T>>, ChannelProblem> {
    if times.is_empty() {
        return Err(ChannelProblem::NoKey);
    }
    if values.len() != times.len() * per_key(interpolation) {
        return Err(ChannelProblem::Mismatch {
            values: values.len(),
            times: times.len(),
        });
    }
    Ok(keys::raw_keys(times, values, interpolation))
}
