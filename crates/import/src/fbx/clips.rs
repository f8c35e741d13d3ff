//! Animation stacks: the channels of each clip, and the curves that drive a channel.

use ufbx::{
    Anim, AnimCurve, AnimStack, AnimValue, Element, Interpolation, Node, Prop, PropFlags, Scene,
};

use super::deformers::{self, PERCENT};
use super::evaluate::{
    MOVING, ROTATING, Repetition, SCALING, WEIGHT, continues, is_connected, playing,
    segment_between, values_of,
};
use super::local::{Local, movers, scalers};
use super::meshes::Meshes;
use super::nodes::{MappedNode, Nodes};
use crate::Clips;
use crate::bake::{Budget, Curve, Extent, Sample, Segment, TOLERANCE, bake};
use crate::log::{Log, Notes};
use crate::rig::{TickRate, Track};
use crate::source::{Channel, Clip, Keys, clip_name};
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
            translation.map(|keys| (joint, Keys::Translation(keys))),
            rotation.map(|keys| (joint, Keys::Rotation(keys))),
            scale.map(|keys| (mapped.joint, Keys::Scale(keys))),
        ];
        let parts = parts.into_iter().flatten();
        parts
            .map(|(joint, keys)| Channel::new(joint.index(), keys))
            .collect()
    }

    /// The morph weights of the meshes that each joint shows.
    fn morph_channels(&mut self, meshes: &Meshes<'a>) -> Vec<Channel> {
        let mut channels = Vec::new();
        for shapes in &meshes.shapes {
            let weights_at = shapes.weights(self.anim);
            let mut drivers = Drivers::new(self.anim);
            for channel in deformers::channels(shapes.mesh) {
                drivers.add(&channel.element, &[PERCENT]);
            }
            let weights = self.track(
                &drivers,
                &Function {
                    at: &weights_at,
                    rest: deformers::rest_weights(shapes.mesh),
                    is_direct: false,
                    tolerance: TOLERANCE,
                },
            );
            let keys = weights.map(Keys::Weights);
            channels.extend(keys.map(|keys| Channel::new(shapes.joint.index(), keys)));
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

fn curves_of(value: &AnimValue) -> impl Iterator<Item = &AnimCurve> {
    value.curves.iter().flatten().map(AsRef::as_ref)
}

/// The curves that together drive a value.
pub(super) struct Drivers<'a> {
    anim: &'a Anim,
    curves: Vec<&'a AnimCurve>,
    is_driven: bool,
}

impl<'a> Drivers<'a> {
    pub(super) fn new(anim: &'a Anim) -> Self {
        Self {
            anim,
            curves: Vec::new(),
            is_driven: false,
        }
    }

    /// The curves that translate `node` in its parent.
    ///
    /// By the formula in [`local`](super::local), the translation depends on the rotation unless the rotation pivot,
    /// the scaling pivot and the scaling offset are 0, and on the scale unless the scaling pivot is 0.
    pub(super) fn of_translation(anim: &'a Anim, node: &'a Node) -> Self {
        let mut drivers = Self::new(anim);
        drivers.add(&node.element, MOVING);
        let scales_about = has_value(&node.element, "ScalingPivot");
        let is_off_axis = |name: &&str| has_value(&node.element, name);
        if scales_about || ["RotationPivot", "ScalingOffset"].iter().any(is_off_axis) {
            drivers.add(&node.element, ROTATING);
        }
        if scales_about {
            drivers.add(&node.element, &[SCALING]);
        }
        drivers.add_scales(movers(node));
        drivers
    }

    /// The curves that rotate `node`.
    pub(super) fn of_rotation(anim: &'a Anim, node: &'a Node) -> Self {
        let mut drivers = Self::new(anim);
        drivers.add(&node.element, ROTATING);
        drivers
    }

    /// The curves that scale `node`, including scale that it inherits outside its parent's matrix.
    pub(super) fn of_scale(anim: &'a Anim, node: &'a Node) -> Self {
        let mut drivers = Self::new(anim);
        drivers.add(&node.element, &[SCALING]);
        drivers.add_scales(scalers(node));
        drivers
    }

    fn add_scales(&mut self, nodes: impl Iterator<Item = &'a Node>) {
        for node in nodes {
            self.add(&node.element, &[SCALING]);
        }
    }

    /// Adds the curves of the properties `names` of `element` in all layers.
    pub(super) fn add(&mut self, element: &'a Element, names: &'a [&str]) {
        for (_, layer) in playing(self.anim) {
            let values = values_of(layer, element, |name| names.contains(&name));
            let mut curves: Vec<&AnimCurve> = Vec::new();
            let mut is_driven = false;
            for value in values {
                is_driven = true;
                curves.extend(curves_of(value));
            }
            // A layer's weight only matters to the properties that the layer drives.
            if is_driven && layer.weight_is_animated {
                let weights = values_of(layer, &layer.element, |name| name == WEIGHT);
                curves.extend(weights.flat_map(curves_of));
            }
            self.is_driven |= is_driven;
            self.curves.extend(curves);
        }
        if names.iter().any(|name| is_connected(element, name)) {
            self.add_all();
        }
    }

    /// Adds every curve of the animation: a connected property may copy any other object's property, and ufbx does not
    /// report which.
    fn add_all(&mut self) {
        self.is_driven = true;
        let layers = playing(self.anim);
        let values = layers.flat_map(|(_, layer)| &layer.anim_values);
        self.curves.extend(values.flat_map(curves_of));
    }

    /// Whether the animation states the value at all, with or without keys.
    pub(super) fn is_driven(&self) -> bool {
        self.is_driven
    }

    /// Whether the value may jump: at keys that hold, and where a curve repeats.
    pub(super) fn may_jump(&self) -> bool {
        let holds = |curve: &AnimCurve| {
            let mut keys = curve.keyframes.iter();
            let mut pairs = curve.keyframes.windows(2);
            keys.any(|key| {
                !matches!(
                    key.interpolation,
                    Interpolation::Linear | Interpolation::Cubic
                )
            }) || pairs.any(|pair| pair[0].time >= pair[1].time)
        };
        self.curves
            .iter()
            .any(|curve| holds(curve) || continues(curve))
    }

    /// The shape of the value between two neighbours of the [times](Self::times): the most general segment of any curve
    /// there, as `Constant < Linear < Curved`.
    pub(super) fn segment(&self, start: f64, end: f64) -> Segment {
        let segments = self.curves.iter().map(|curve| segment(curve, start, end));
        segments.max().unwrap_or(Segment::Constant)
    }

    /// Sorted times between which every curve is smooth: all keys, and where curves repeat, the repeated keys. `None`,
    /// without gathering any, if there may be more than `most`.
    ///
    /// * `range` – the first and last time at which a repetition matters.
    pub(super) fn times(&self, range: (f64, f64), most: usize) -> Option<Vec<f64>> {
        let repetitions = self
            .curves
            .iter()
            .map(|curve| Repetition::new(curve, range));
        let repetitions: Vec<Repetition<'_>> = repetitions.flatten().collect();
        let keys = self.curves.iter().map(|curve| curve.keyframes.count);
        let repeated = repetitions.iter().map(Repetition::most_times);
        // Bounded before anything is gathered: a damaged file may ask for a billion repetitions.
        if keys.chain(repeated).fold(0, usize::saturating_add) > most {
            return None;
        }
        let keys = self.curves.iter().flat_map(|curve| &curve.keyframes);
        let mut times: Vec<f64> = keys.map(|key| key.time).collect();
        times.extend(repetitions.iter().flat_map(Repetition::times));
        times.retain(|time| time.is_finite());
        times.sort_by(f64::total_cmp);
        times.dedup();
        Some(times)
    }
}

fn segment(curve: &AnimCurve, start: f64, end: f64) -> Segment {
    let keys = &curve.keyframes;
    if keys.count < 2 {
        return Segment::Constant;
    }
    // Past its keys, a curve holds its value or repeats.
    if end <= curve.min_time || start >= curve.max_time {
        return if continues(curve) {
            Segment::Curved
        } else {
            Segment::Constant
        };
    }
    // Between two keys, the earlier one states the interpolation.
    let after = keys.partition_point(|key| key.time <= start);
    match (keys.get(after.wrapping_sub(1)), keys.get(after)) {
        (Some(key), Some(next)) => segment_between(key, next),
        _ => Segment::Curved,
    }
}

/// Whether the vector `name` may be other than 0 at some time.
fn has_value(element: &Element, name: &str) -> bool {
    let prop = ufbx::find_prop(&element.props, name);
    let moving = |prop: &Prop| {
        prop.flags
            .has_any(PropFlags::ANIMATED | PropFlags::CONNECTED)
    };
    prop.is_some_and(|prop| {
        let value = &prop.value_vec4;
        moving(prop) || [value.x, value.y, value.z].iter().any(|&x| x != 0.0)
    })
}
