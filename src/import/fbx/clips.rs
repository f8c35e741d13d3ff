//! Animation stacks: which joint moves when.

use ufbx::{Anim, AnimStack, Scene};

use super::curves::{Drivers, playing};
use super::local::Local;
use super::meshes::Meshes;
use super::morphs::PERCENT;
use super::nodes::{Nodes, Placed};
use crate::import::Clips;
use crate::import::bake::{Budget, Curve, Extent, Sample, Segment, TOLERANCE, bake};
use crate::import::log::Log;
use crate::import::notes::Notes;
use crate::import::source::{Channel, Clip, Keys};
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
        let name = name_or_number(&stack.element.name, clips.len());
        if !wanted.include(&name, clips.len()) {
            clips.push(Clip::named(name));
            continue;
        }
        let place = format!("clip {name:?}");
        let range = range(stack, &place, &mut log.notes);
        note_silent_layers(stack, &place, &mut log.notes);
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
            name,
            start: Seconds(range.0),
            end: Some(Seconds(range.1)).filter(|_| range != (0.0, 0.0)),
            rate: frame_rate(scene),
            channels,
        });
    }
    clips
}

/// As [`Clip::name`] has it.
pub(super) fn name_or_number(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("animation_{index}")
    } else {
        name.to_owned()
    }
}

/// First and last moment, by the stack's statement.
fn range(stack: &AnimStack, place: &str, notes: &mut Notes) -> (f64, f64) {
    let (start, end) = (stack.time_begin, stack.time_end);
    if start <= end {
        return (start, end);
    }
    notes.add(place, "ends before it starts; its end is used as its start");
    (start, start)
}

fn note_silent_layers(stack: &AnimStack, place: &str, notes: &mut Notes) {
    let silent = stack.layers.count - playing(&stack.anim).count();
    if silent > 0 {
        let layers = amount(silent, "layer");
        let message = format!("skipped {layers} that the file mutes or does not solo");
        notes.add(place, message);
    }
}

/// FBX states frames per second; its keys count in ticks of a constant length, whatever that is.
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
        let placed = self.nodes.placed.iter();
        placed.flat_map(|placed| self.channels_of(placed)).collect()
    }

    /// Translation and rotation may move another joint than the scale does.
    fn channels_of(&mut self, placed: &Placed<'a>) -> Vec<Channel> {
        let node = placed.node;
        let local = Local::new(Some(self.anim), node);
        let rest = Local::new(None, node);
        // Where children do not inherit its scale, a node is two joints: one that moves, and one below that scales.
        let joint = placed.unscaled.unwrap_or(placed.joint);
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
            scale.map(|keys| channel(placed.joint, Keys::Scale(keys))),
        ];
        parts.into_iter().flatten().collect()
    }

    /// The weights of the meshes that each joint shows.
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

    /// Bakes what `drivers` drive; nothing where the stack says nothing, or says without a key what the rest is.
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
        // A stack that states a value without keys: one key, unless the rest pose says the same.
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
                // A straight curve makes a straight value only where the value is nothing but the curve: angles, pivots and layers
                // bend it.
                Segment::Linear if !function.is_direct => Segment::Curved,
                segment => segment,
            },
            tolerance: function.tolerance,
        };
        let keys = bake(&curve, self.budget);
        Some(Track { keys })
    }
}

/// What a track is to follow.
struct Function<'a, S> {
    at: &'a dyn Fn(f64) -> S,
    /// Where nothing drives it.
    rest: S,
    /// Whether it is straight where its curves are.
    is_direct: bool,
    tolerance: f64,
}

fn channel(joint: NodeId, keys: Keys) -> Channel {
    Channel {
        node: joint.index(),
        part: None,
        keys,
    }
}
