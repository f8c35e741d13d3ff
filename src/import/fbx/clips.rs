//! Animation stacks: the channels of each clip.

use ufbx::{Anim, AnimStack, Scene};

use super::curves::Drivers;
use super::deformers::PERCENT;
use super::evaluate::playing;
use super::local::Local;
use super::meshes::Meshes;
use super::nodes::{MappedNode, Nodes};
use crate::import::Clips;
use crate::import::bake::{Budget, Curve, Extent, Sample, Segment, TOLERANCE, bake};
use crate::import::log::{Log, Notes};
use crate::import::source::{Channel, Clip, Keys, clip_name};
use crate::rig::{NodeId, TickRate, Track};
use crate::units::{Seconds, amount};

/// Reads all stacks, in the order of the file; only the names of unwanted ones.
pub(super) fn read_all(
    scene: &Scene,
    nodes: &Nodes<'_>,
    meshes: &Meshes<'_>,
    extent: &Extent,
    wanted: &Clips,
    log: &mut Log,
) -> Vec<Clip> {
    let mut budget = Budget::default();
    let mut clips = Vec::new();
    for stack in &scene.anim_stacks {
        let name = clip_name(&stack.element.name, clips.len());
        if !wanted.include(&name, clips.len()) {
            clips.push(Clip::named(stack.element.name.to_string()));
            continue;
        }
        let location = format!("clip {name:?}");
        let range = range(stack, &location, &mut log.notes);
        note_silent_layers(stack, &location, &mut log.notes);
        let mut reader = Reader {
            anim: &stack.anim,
            range,
            nodes,
            extent,
            budget: &mut budget,
        };
        let mut channels = reader.channels();
        channels.extend(reader.morph_channels(meshes));
        budget.report(&name, log);
        clips.push(Clip {
            start: Seconds(range.0),
            end: Some(Seconds(range.1)).filter(|_| range != (0.0, 0.0)),
            rate: frame_rate(scene),
            channels,
            ..Clip::named(stack.element.name.to_string())
        });
    }
    clips
}

/// The start and end that the stack states.
fn range(stack: &AnimStack, location: &str, notes: &mut Notes) -> (f64, f64) {
    let (start, end) = (stack.time_begin, stack.time_end);
    if start <= end {
        return (start, end);
    }
    notes.add(
        location,
        "ends before it starts; its end is used as its start",
    );
    (start, start)
}

fn note_silent_layers(stack: &AnimStack, location: &str, notes: &mut Notes) {
    let silent = stack.layers.count - playing(&stack.anim).count();
    if silent > 0 {
        let layers = amount(silent, "layer");
        let message = format!("skipped {layers} that the file mutes or does not solo");
        notes.add(location, message);
    }
}

/// FBX states frames per second. The ticks of its key times have a constant length and do not depend on it.
fn frame_rate(scene: &Scene) -> TickRate {
    let stated = scene.settings.frames_per_second;
    if stated.is_finite() && stated > 0.0 {
        TickRate {
            stated: Some(stated),
            used: stated,
            frames: true,
        }
    } else {
        TickRate::SECONDS
    }
}

/// Reads one stack.
struct Reader<'a, 'b> {
    anim: &'a Anim,
    range: (f64, f64),
    nodes: &'b Nodes<'a>,
    extent: &'b Extent,
    budget: &'b mut Budget,
}

impl<'a> Reader<'a, '_> {
    fn channels(&mut self) -> Vec<Channel> {
        let mapped = self.nodes.mapped.iter();
        mapped.flat_map(|mapped| self.channels_of(mapped)).collect()
    }

    /// Translation and rotation may drive another joint than the scale.
    fn channels_of(&mut self, mapped: &MappedNode<'a>) -> Vec<Channel> {
        let node = mapped.node;
        let local = Local::new(Some(self.anim), node);
        let rest = Local::new(None, node);
        // If children do not inherit its scale, a node is two joints: the upper one moves, the lower one scales.
        let joint = mapped.unscaled.unwrap_or(mapped.joint);
        let parent = self.nodes.list[joint.index()].parent;
        let tolerance = self.extent.tolerance(parent);
        let translation = self.track(
            &Drivers::of_translation(self.anim, node),
            &Function {
                at: &|time| local.translation(time),
                rest: rest.translation(0.0),
                is_direct: local.moves_directly(),
                tolerance,
            },
        );
        let rotation = self.track(
            &Drivers::of_rotation(self.anim, node),
            &Function {
                at: &|time| local.rotation(time),
                rest: rest.rotation(0.0),
                is_direct: false,
                tolerance: TOLERANCE,
            },
        );
        let scale = self.track(
            &Drivers::of_scale(self.anim, node),
            &Function {
                at: &|time| local.scale(time),
                rest: rest.scale(0.0),
                is_direct: local.scales_directly(),
                tolerance: TOLERANCE,
            },
        );
        let parts = [
            translation.map(|keys| channel(joint, Keys::Translation(keys))),
            rotation.map(|keys| channel(joint, Keys::Rotation(keys))),
            scale.map(|keys| channel(mapped.joint, Keys::Scale(keys))),
        ];
        parts.into_iter().flatten().collect()
    }

    /// The morph weights of the meshes that each joint shows.
    fn morph_channels(&mut self, meshes: &Meshes<'a>) -> Vec<Channel> {
        let mut channels = Vec::new();
        for shapes in &meshes.shapes {
            let weights_at = shapes.weights(self.anim);
            let mut drivers = Drivers::new(self.anim);
            for channel in shapes.channels() {
                drivers.add(&channel.element, &[PERCENT]);
            }
            let weights = self.track(
                &drivers,
                &Function {
                    at: &weights_at,
                    rest: shapes.rest_weights(),
                    is_direct: false,
                    tolerance: TOLERANCE,
                },
            );
            channels.extend(weights.map(|keys| channel(shapes.joint, Keys::Weights(keys))));
        }
        channels
    }

    /// Bakes the value that `drivers` drive. `None` if the stack does not drive it, or states the rest value without a
    /// key.
    fn track<S: Sample>(
        &mut self,
        drivers: &Drivers<'_>,
        function: &Function<'_, S>,
    ) -> Option<Track<S::Key>> {
        if !drivers.is_driven() {
            return None;
        }
        let Some(mut times) = drivers.times(self.range, self.budget.left()) else {
            self.budget.refuse();
            return None;
        };
        // The stack states a value without keys. One key holds it, unless it is the rest value.
        if times.is_empty() {
            let value = (function.at)(self.range.0);
            if value.distance(&function.rest) <= function.tolerance {
                return None;
            }
            times.push(self.range.0);
        }
        if !self.budget.take(times.len()) {
            return None;
        }
        let curve = Curve {
            at: function.at,
            times: &times,
            may_jump: drivers.may_jump(),
            segment: &|start, end| match drivers.segment(start, end) {
                // A linear curve gives a linear value only if the value is the curve itself. Euler angles, pivots and layers
                // are not linear in it.
                Segment::Linear if !function.is_direct => Segment::Curved,
                segment => segment,
            },
            tolerance: function.tolerance,
        };
        let keys = bake(&curve, self.budget);
        Some(Track { keys })
    }
}

/// The function of time that a track approximates.
struct Function<'a, S> {
    at: &'a dyn Fn(f64) -> S,
    /// Its value where nothing drives it.
    rest: S,
    /// Whether it is linear wherever its curves are.
    is_direct: bool,
    tolerance: f64,
}

fn channel(joint: NodeId, keys: Keys) -> Channel {
    Channel::new(joint.index(), keys)
}
