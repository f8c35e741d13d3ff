//! Which curves drive a property of three numbers, and at which times they have keys.

use ufbx::{Anim, AnimCurve, AnimValue, Element, Interpolation, Node, Prop, PropFlags};

use super::evaluate::{
    MOVING, ROTATING, Repetition, SCALING, WEIGHT, continues, playing, segment_between, values_of,
};
use super::local::{movers, scalers};
use crate::import::bake::Segment;

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

/// Whether the property is a copy of another one.
pub(super) fn is_connected(element: &Element, name: &str) -> bool {
    let prop = ufbx::find_prop(&element.props, name);
    prop.is_some_and(|prop| prop.flags.has_any(PropFlags::CONNECTED))
}
