//! Animations (glTF 2.0, §3.11), with their interpolation.

use glam::{Quat, Vec3};
use serde_json::value::RawValue;

use super::accessors::{Accessors, Elements};
use super::error::GltfError;
use super::json::{
    self, Animation, AnimationSampler, Driven, Interpolation, Named, Property, Root,
};
use super::lenient::Whole;
use super::nodes::Nodes;
use super::standard::{Use, Uses};
use crate::Clips;
use crate::log::Log;
use crate::rig::{ClipId, DefectKind, Key, Location, Part, Span, TickRate, Track};
use crate::source::{Channel, Clip, Keys, VisibilityChannel, clip_name};
use crate::units::{Seconds, amount};

/// Reads the animations; only the names of unwanted ones. An invalid channel is omitted with a note, because the others
/// still move the model.
///
/// * `uses` – receives the accessors of all samplers that channels refer to.
///
/// # Errors
///
/// [`GltfError::Malformed`] for a part that is not an animation.
pub(super) fn read(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    wanted: &Clips,
    uses: &mut Uses,
    log: &mut Log,
) -> Result<Vec<Clip>, GltfError> {
    let mut clips = Vec::with_capacity(root.animations.len());
    for (index, raw) in root.animations.iter().enumerate() {
        let named: Named<'_> = parse(raw, index)?;
        let name = clip_name(&named.name, index);
        if !wanted.include(&name, index) {
            clips.push(Clip::named(named.name.to_string()));
            continue;
        }
        let location = Location::FILE.in_clip_of(ClipId::from_index(index), name.as_str());
        let mut builder = Builder {
            root,
            accessors,
            nodes,
            index,
            note_location: format!("clip {name:?}"),
            location: location.clone(),
            log,
            channels: Vec::new(),
            visibility_channels: Vec::new(),
        };
        let animation = parse(raw, index)?;
        builder.add_all(&animation);
        add_uses(&animation, &location, uses);
        clips.push(Clip {
            channels: builder.channels,
            visibility_channels: builder.visibility_channels,
            rate: TickRate::SECONDS,
            ..Clip::named(named.name.to_string())
        });
    }
    Ok(clips)
}

/// Adds the accessors of the samplers that channels refer to.
fn add_uses(animation: &Animation, location: &Location, uses: &mut Uses) {
    for channel in animation.channels.iter() {
        let Some(sampler) = animation.samplers.get(channel.sampler.index()) else {
            continue;
        };
        uses.add(sampler.input, Use::KeyTimes, location);
        let driven = channel.target.driven();
        match driven.map_or(Property::Unknown, |(_, property)| property) {
            Property::Translation | Property::Scale => {
                uses.add(sampler.output, Use::KeyVectors, location);
            }
            Property::Rotation | Property::Weights => {
                uses.add(sampler.output, Use::KeyFractions, location);
            }
            Property::Visibility => uses.add(sampler.output, Use::KeyBooleans, location),
            Property::Pointer | Property::Unknown => (),
        }
    }
}

fn parse<'a, T: serde::Deserialize<'a>>(raw: &'a RawValue, index: usize) -> Result<T, GltfError> {
    serde_json::from_str(raw.get()).map_err(|error| GltfError::Malformed {
        location: format!("animations[{index}]"),
        reason: error.to_string(),
    })
}

/// The size of a key without its values, in numbers: its time, its span, and lists of its own for morph weights.
const NUMBERS_PER_KEY: u64 = 24;

struct Builder<'a> {
    root: &'a Root<'a>,
    accessors: &'a Accessors<'a>,
    nodes: &'a Nodes,
    index: usize,
    /// The location of the clip, for notes.
    note_location: String,
    /// The location of the channel that is being read.
    location: Location,
    log: &'a mut Log,
    channels: Vec<Channel>,
    visibility_channels: Vec<VisibilityChannel>,
}

/// The reason why a channel is omitted.
#[derive(Debug, thiserror::Error)]
enum ChannelProblem {
    #[error("its node is missing")]
    NoNode,
    #[error("its sampler is missing")]
    NoSampler,
    #[error("its target path is unknown")]
    UnknownPath,
    #[error("its interpolation is unknown")]
    UnknownInterpolation,
    #[error("{values} values do not fit {times} key times")]
    Mismatch { values: usize, times: usize },
    #[error("{weights} weights per key do not fit the {targets} targets of its mesh")]
    Targets { weights: usize, targets: usize },
    #[error(transparent)]
    Gltf(#[from] GltfError),
}

impl ChannelProblem {
    fn kind(&self) -> DefectKind {
        match self {
            Self::UnknownInterpolation => DefectKind::InterpolationLost,
            _ => DefectKind::TargetMissing,
        }
    }
}

impl Builder<'_> {
    fn add_all(&mut self, animation: &Animation) {
        let channels = || animation.channels.iter().enumerate();
        let loose = || channels().filter(|(_, channel)| channel.target.driven().is_none());
        let aimless = || loose().filter(|(_, channel)| channel.target.pointer().is_none());
        self.note_loose(aimless().count(), "without a target node");
        let mut others = loose().filter_map(|(_, channel)| channel.target.pointer());
        if let Some(first) = others.next() {
            let kind = format!("of properties that are not supported, for example {first}");
            self.note_loose(1 + others.count(), &kind);
        }
        // An extension may state the target.
        let is_stated = |target: &json::ChannelTarget| {
            target.extensions.is_some() || target.path == Property::Pointer
        };
        for (number, _) in aimless().filter(|(_, channel)| !is_stated(&channel.target)) {
            self.go_to(number);
            self.report(DefectKind::AimlessChannel, "the channel names no node");
        }
        for (number, channel) in channels() {
            let Some((driven, property)) = channel.target.driven() else {
                continue;
            };
            let sampler = animation.samplers.get(channel.sampler.index());
            for node in self.nodes_of(driven) {
                self.go_to(number);
                if let Err(reason) = self.add((node, property), sampler) {
                    self.skip(number, &reason, node);
                }
            }
        }
    }

    fn skip(&mut self, channel: usize, reason: &ChannelProblem, node: usize) {
        let message = format!("skipped channel {channel}: {reason}");
        self.log.notes.add(&*self.note_location, message);
        self.report_problem(reason, node);
    }

    fn note_loose(&mut self, count: usize, kind: &str) {
        if count > 0 {
            let message = format!("skipped {} {kind}", amount(count, "channel"));
            self.log.notes.add(&*self.note_location, message);
        }
    }

    /// The nodes that a channel moves: those with a mesh's weights have none of their own.
    fn nodes_of(&self, driven: Driven) -> Vec<usize> {
        match driven {
            Driven::Node(node) => vec![node],
            Driven::Mesh(mesh) => {
                let nodes = self.root.nodes.iter().enumerate();
                let shows = |node: &json::Node<'_>| {
                    node.weights.is_none() && node.mesh.is_some_and(|own| own.index() == mesh)
                };
                let nodes = nodes.filter(|(_, node)| shows(node));
                nodes.map(|(node, _)| node).collect()
            }
        }
    }

    fn go_to(&mut self, channel: usize) {
        self.location.joint = None;
        let path = format!("animations[{}].channels[{channel}]", self.index);
        self.location.part = Some(Part::Path(path));
    }

    fn report(&mut self, kind: DefectKind, message: impl Into<String>) {
        self.log.defects.add(kind, self.location.clone(), message);
    }

    fn report_problem(&mut self, problem: &ChannelProblem, node: usize) {
        let message = match problem {
            ChannelProblem::NoNode => {
                let count = self.nodes.joint_of.len();
                format!("the channel drives node {node}, but there are {count}")
            }
            other => format!("the channel is skipped: {other}"),
        };
        self.report(problem.kind(), message);
    }

    fn add(
        &mut self,
        (node, path): (usize, Property),
        sampler: Option<&AnimationSampler>,
    ) -> Result<(), ChannelProblem> {
        let joint = self
            .nodes
            .joint_of
            .get(node)
            .ok_or(ChannelProblem::NoNode)?
            .index();
        self.location.joint = Some(self.nodes.list[joint].name.clone());
        let sampler = sampler.ok_or(ChannelProblem::NoSampler)?;
        self.check_matrix(node, path);
        let keys = match path {
            Property::Translation => Keys::Translation(self.track_of(sampler, Vec3::from_array)?),
            Property::Scale => Keys::Scale(self.track_of(sampler, Vec3::from_array)?),
            Property::Rotation => Keys::Rotation(self.track_of(sampler, Quat::from_array)?),
            Property::Weights => {
                let values = self.weights(sampler, node)?;
                Keys::Weights(self.track(sampler, &values)?)
            }
            Property::Visibility => return self.add_visibility((node, joint), sampler),
            _ => return Err(ChannelProblem::UnknownPath),
        };
        self.channels.push(Channel {
            node: joint,
            part: self.location.part.clone(),
            keys,
        });
        Ok(())
    }

    /// Notes an animated node with a matrix, which §3.5.3 forbids; the matrix is decomposed.
    fn check_matrix(&mut self, node: usize, path: Property) {
        let path = match path {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            _ => return,
        };
        if self.root.nodes[node].matrix.is_some() {
            let note = format!("moves nodes[{node}], which has a matrix; the matrix is decomposed");
            self.log.notes.add(&*self.note_location, note);
            let message = format!("drives the {path} of a node that has a matrix");
            self.report(DefectKind::ChannelOnMatrixNode, message);
        }
    }

    /// Adds a channel of `KHR_node_visibility`. Its values are booleans: 0 is false, any other number true. They step
    /// (`KHR_animation_pointer`, "Output Accessor Component Types").
    fn add_visibility(
        &mut self,
        (node, joint): (usize, usize),
        sampler: &AnimationSampler,
    ) -> Result<(), ChannelProblem> {
        let mut visible = self.track_of(sampler, |[value]| value != 0.0)?;
        if sampler.interpolation != Interpolation::Step {
            let note = "interpolates visibility, which can only step; it is read as steps";
            self.log.notes.add(&*self.note_location, note);
        }
        for key in &mut visible.keys {
            key.span = Span::Step;
        }
        if !self.root.nodes[node].has_visibility() {
            let note = format!("drives the visibility of nodes[{node}], which does not define it");
            self.log.notes.add(&*self.note_location, note);
        }
        self.visibility_channels.push(VisibilityChannel {
            node: joint,
            part: self.location.part.clone(),
            visible,
        });
        Ok(())
    }

    fn track_of<const N: usize, T: Clone>(
        &self,
        sampler: &AnimationSampler,
        value: impl Fn([f32; N]) -> T,
    ) -> Result<Track<T>, ChannelProblem> {
        let stored = self.values::<N>(sampler.output)?;
        let values: Vec<T> = stored.into_iter().map(value).collect();
        self.track(sampler, &values)
    }

    fn values<const N: usize>(&self, accessor: Whole) -> Result<Vec<[f32; N]>, ChannelProblem> {
        let location = || "its sampler".to_owned();
        Ok(self.accessors.floats(accessor, Elements::All, location)?)
    }

    /// One list of weights per value (§3.11: all targets of the first value, then all of the second, …).
    fn weights(
        &self,
        sampler: &AnimationSampler,
        node: usize,
    ) -> Result<Vec<Vec<f32>>, ChannelProblem> {
        let numbers = self.values::<1>(sampler.output)?.into_flattened();
        let times = self.values::<1>(sampler.input)?.len();
        let values = times * per_key(interpolation(sampler)?);
        if values == 0 {
            return Ok(Vec::new());
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

    /// The number of morph targets of the mesh of `node`.
    fn targets(&self, node: usize) -> usize {
        let mesh = self.root.nodes.get(node).and_then(|node| node.mesh);
        let mesh = mesh.and_then(|mesh| self.root.meshes.get(mesh.index()));
        let primitives = mesh.map_or(&[][..], |mesh| &mesh.primitives);
        let targets = primitives.iter().map(|primitive| primitive.targets.len());
        targets.max().unwrap_or(0)
    }

    /// One value per key; for a spline also its in-tangent before and its out-tangent after the value (appendix C.5).
    fn track<T: Clone>(
        &self,
        sampler: &AnimationSampler,
        values: &[T],
    ) -> Result<Track<T>, ChannelProblem> {
        let times = self.values::<1>(sampler.input)?.into_flattened();
        let interpolation = interpolation(sampler)?;
        let (count, width) = (times.len(), per_key(interpolation));
        if count > 0 && values.len() != count * width {
            return Err(ChannelProblem::Mismatch {
                values: values.len(),
                times: count,
            });
        }
        let numbers = count as u64 * NUMBERS_PER_KEY;
        self.accessors
            .charge_at(numbers, || "its keys".to_owned())?;
        let keys = times.into_iter().enumerate().map(|(number, time)| Key {
            time: Seconds(time.into()),
            value: values[number * width + width / 2].clone(),
            span: match interpolation {
                Interpolation::Linear => Span::Linear,
                Interpolation::CubicSpline => Span::Cubic {
                    leave: values[number * width + 2].clone(),
                    arrive: values[(number + 1) % count * width].clone(),
                },
                Interpolation::Step | Interpolation::Unknown => Span::Step,
            },
        });
        Ok(Track {
            keys: keys.collect(),
        })
    }
}

/// The number of values per key.
fn per_key(interpolation: Interpolation) -> usize {
    if interpolation == Interpolation::CubicSpline {
        3
    } else {
        1
    }
}

fn interpolation(sampler: &AnimationSampler) -> Result<Interpolation, ChannelProblem> {
    match sampler.interpolation {
        Interpolation::Unknown => Err(ChannelProblem::UnknownInterpolation),
        known => Ok(known),
    }
}
