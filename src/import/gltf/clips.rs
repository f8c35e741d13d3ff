//! Animations (glTF 2.0, §3.11), with their interpolation.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use gltf::json::animation::{self, Animation, Interpolation, Property};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index};

use super::accessors::{Accessors, Elements};
use super::document::Document;
use super::nodes::Nodes;
use crate::import::keys::track;
use crate::import::notes::Notes;
use crate::rig::{Channel, Clip, JointId, Key, MorphChannel, Span, TickRate, Track};
use crate::units::Seconds;

/// Reads all animations. A channel that makes no sense is left out with a note: the others still move the model.
pub(super) fn read_all(
    document: &Document,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    notes: &mut Notes,
) -> Vec<Clip> {
    let animations = document.root.animations.iter().enumerate();
    animations
        .map(|(index, animation)| {
            let name = match animation.name.as_deref() {
                None | Some("") => format!("animation_{index}"),
                Some(name) => name.to_owned(),
            };
            let place = format!("clip {name:?}");
            if let Some(&loose @ 1..) = document.removed.loose_channels.get(index) {
                let message =
                    format!("left out {loose} channels that drive something else than a node");
                notes.add(&*place, message);
            }
            let mut builder = Builder {
                document,
                accessors,
                nodes,
                place,
                notes,
                channels: BTreeMap::new(),
                morphs: BTreeMap::new(),
                end: 0.0,
            };
            builder.add_all(animation);
            builder.finish(name)
        })
        .collect()
}

struct Builder<'a> {
    document: &'a Document,
    accessors: &'a Accessors<'a>,
    nodes: &'a Nodes,
    place: String,
    notes: &'a mut Notes,
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
    #[error("{values} values do not fit {times} key times")]
    Mismatch { values: usize, times: usize },
    #[error("{weights} weights a key do not fit the {targets} targets of its mesh")]
    Targets { weights: usize, targets: usize },
    #[error(transparent)]
    Gltf(#[from] super::error::GltfError),
}

impl Builder<'_> {
    fn add_all(&mut self, animation: &Animation) {
        for (index, channel) in animation.channels.iter().enumerate() {
            if let Err(reason) = self.add(channel, &animation.samplers) {
                let message = format!("left out channel {index}: {reason}");
                self.notes.add(self.place.clone(), message);
            }
        }
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
        let sampler = samplers
            .get(channel.sampler.value())
            .ok_or(ChannelProblem::NoSampler)?;
        let Checked::Valid(path) = channel.target.path else {
            return Err(ChannelProblem::UnknownPath);
        };
        if self.is_driven(joint, path) {
            return Err(ChannelProblem::Taken);
        }
        match path {
            Property::Translation => {
                self.channel(joint).translation = self.vector_track(sampler)?;
            }
            Property::Scale => self.channel(joint).scale = self.vector_track(sampler)?,
            Property::Rotation => {
                let values = self.values::<4>(sampler.output)?;
                let values: Vec<Quat> = values.into_iter().map(Quat::from_array).collect();
                self.channel(joint).rotation = self.track(sampler, &values)?;
            }
            Property::MorphTargetWeights => {
                let values = self.weights(sampler, node)?;
                if let Some(weights) = self.track(sampler, &values)? {
                    self.morphs.insert(joint, MorphChannel { joint, weights });
                }
            }
        }
        Ok(())
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
        self.channels.entry(joint).or_insert(Channel {
            joint,
            translation: None,
            rotation: None,
            scale: None,
        })
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
        self.track(sampler, &values)
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
        if values == 0 || numbers.is_empty() || !numbers.len().is_multiple_of(values) {
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

    fn track<T: Clone>(
        &mut self,
        sampler: &animation::Sampler,
        values: &[T],
    ) -> Result<Option<Track<T>>, ChannelProblem> {
        let times = self.values::<1>(sampler.input)?.into_flattened();
        let keys = keys(&times, values, interpolation(sampler)?)?;
        let Some(track) = track(keys, &self.place, self.notes) else {
            return Ok(None);
        };
        let last = track.keys.last().map_or(0.0, |key| key.time.0);
        self.end = self.end.max(last);
        Ok(Some(track))
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

/// How many values belong to a key (appendix C.5: in-tangent, value, out-tangent).
fn per_key(interpolation: Interpolation) -> usize {
    if interpolation == Interpolation::CubicSpline {
        3
    } else {
        1
    }
}

fn keys<T: Clone>(
    times: &[f32],
    values: &[T],
    interpolation: Interpolation,
) -> Result<Vec<Key<T>>, ChannelProblem> {
    if values.len() != times.len() * per_key(interpolation) {
        return Err(ChannelProblem::Mismatch {
            values: values.len(),
            times: times.len(),
        });
    }
    let key = |(index, &time): (usize, &f32)| {
        let (value, span) = key(values, index, interpolation);
        Key {
            time: Seconds(f64::from(time)),
            value,
            span,
        }
    };
    Ok(times.iter().enumerate().map(key).collect())
}

fn key<T: Clone>(values: &[T], index: usize, interpolation: Interpolation) -> (T, Span<T>) {
    match interpolation {
        Interpolation::Step => (values[index].clone(), Span::Step),
        Interpolation::Linear => (values[index].clone(), Span::Linear),
        Interpolation::CubicSpline => {
            // The in-tangent of the next key; the last key has none, and holds.
            let span = match values.get(3 * index + 3) {
                Some(arrive) => Span::Cubic {
                    leave: values[3 * index + 2].clone(),
                    arrive: arrive.clone(),
                },
                None => Span::Step,
            };
            (values[3 * index + 1].clone(), span)
        }
    }
}
