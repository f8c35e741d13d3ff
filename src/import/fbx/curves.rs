//! Which curves drive a property of three numbers, at which times they have keys, and its value at a time.

use glam::DVec3;
use ufbx::{
    Anim, AnimCurve, AnimLayer, AnimValue, Element, Interpolation, Keyframe, Node, Prop, PropFlags,
};

use super::evaluate::{Cursor, Repetition, continues};
use super::layers::{Layer, Layered};
use super::load::dvec3;
use super::local::{movers, scalers};
use crate::import::bake::Segment;

/// The three parts of a node's transform.
pub(super) const TRANSLATION: &str = "Lcl Translation";
pub(super) const ROTATION: &str = "Lcl Rotation";
pub(super) const SCALING: &str = "Lcl Scaling";

/// The properties that rotations depend on.
pub(super) const ROTATING: &[&str] = &[ROTATION, "PreRotation", "PostRotation"];

/// The properties that translations depend on, whatever their values.
pub(super) const MOVING: &[&str] = &[
    TRANSLATION,
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
];

/// The weight of a layer, in percent.
pub(super) const WEIGHT: &str = "Weight";

/// The layers of `anim` that play, with their indices: only soloed layers if there are any, and never a muted one.
///
/// # Reference
///
/// FBX SDK, `FbxAnimLayer::Mute` and `FbxAnimLayer::Solo`.
pub(super) fn playing(anim: &Anim) -> impl Iterator<Item = (usize, &AnimLayer)> {
    let is = |layer: &AnimLayer, state: &str| {
        let state = ufbx::find_prop(&layer.element.props, state);
        state.is_some_and(|state| state.value_int != 0)
    };
    let some_are_soloed = anim.layers.iter().any(|layer| is(layer, "Solo"));
    let plays =
        move |layer: &AnimLayer| !is(layer, "Mute") && (is(layer, "Solo") || !some_are_soloed);
    let layers = anim.layers.into_iter().enumerate();
    layers.filter(move |(_, layer)| plays(layer))
}

/// The animated values in `layer` of the properties of `element` whose names are `wanted`.
pub(super) fn values_of<'a>(
    layer: &'a AnimLayer,
    element: &'a Element,
    wanted: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'a AnimValue> {
    let props = ufbx::find_anim_props(layer, element).iter();
    let wanted = props.filter(move |prop| wanted(&prop.prop_name));
    wanted.map(|prop| prop.anim_value.as_ref())
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

/// Whether `curve` has the value of its first key at every time.
pub(super) fn is_constant(curve: &AnimCurve) -> bool {
    let mut pairs = curve.keyframes.windows(2);
    let is_level = |pair: &[Keyframe]| {
        let is_same = pair[0].value.to_bits() == pair[1].value.to_bits();
        is_same && segment_between(&pair[0], &pair[1]) == Segment::Constant
    };
    !continues(curve) && pairs.all(is_level)
}

#[expect(clippy::float_cmp, reason = "the same number, or else the curve moves")]
fn segment_between(key: &Keyframe, next: &Keyframe) -> Segment {
    let is_level = key.value == next.value;
    match key.interpolation {
        Interpolation::ConstantPrev | Interpolation::ConstantNext => Segment::Constant,
        Interpolation::Linear if is_level => Segment::Constant,
        Interpolation::Linear => Segment::Linear,
        Interpolation::Cubic if is_level && key.right.dy == 0.0 && next.left.dy == 0.0 => {
            Segment::Constant
        }
        Interpolation::Cubic => Segment::Curved,
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

/// Three components, such as x, y and z.
pub(super) struct Components<'a>([Component<'a>; 3]);

/// One of three components.
pub(super) enum Component<'a> {
    Constant(f64),
    Animated(Cursor<'a>),
}

impl<'a> Components<'a> {
    /// * `name` – of the property that `value` drives.
    pub(super) fn of(value: &'a AnimValue, name: &str) -> Self {
        Self([0, 1, 2].map(|index| Component::of(value, name, index)))
    }

    pub(super) fn at(&self, time: f64) -> DVec3 {
        DVec3::from_array(self.0.each_ref().map(|component| component.at(time)))
    }
}

impl<'a> Component<'a> {
    /// * `name` – of the property that `value` drives.
    pub(super) fn of(value: &'a AnimValue, name: &str, index: usize) -> Self {
        let curve = value.curves[index].as_deref();
        let first = curve.and_then(|curve| curve.keyframes.first());
        match (curve, first) {
            (Some(curve), Some(first)) if is_constant(curve) => Self::Constant(first.value),
            (Some(curve), Some(_)) => Self::Animated(Cursor::new(curve)),
            _ => Self::Constant(without_curve(value, name, index)),
        }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Animated(curve) => curve.at(time),
        }
    }
}

/// The value that `value` states without a curve; it overrides the property `name`. ufbx reads defaults called `d|X`,
/// `d|Y` and `d|Z`, but not the default of a scalar property, which is called `d|` and the property's name.
fn without_curve(value: &AnimValue, name: &str, index: usize) -> f64 {
    let number = || ufbx::find_prop(&value.element.props, &format!("d|{name}"));
    match number().filter(|_| index == 0) {
        Some(number) => number.value_vec4.x,
        None => dvec3(value.default_value)[index],
    }
}

/// Where its value comes from.
pub(super) enum Property<'a> {
    /// Always the same.
    Constant(DVec3),
    /// The curves of one layer.
    Curves(Box<Components<'a>>),
    /// Several layers.
    Layered(Box<Layered<'a>>),
}

impl<'a> Property<'a> {
    /// The property `name` of `element`.
    ///
    /// * `anim` – `None` for the values at rest.
    /// * `default` – of a property that the file omits.
    pub(super) fn of(
        anim: Option<&'a Anim>,
        element: &'a Element,
        name: &'static str,
        default: DVec3,
    ) -> Self {
        let Some(prop) = ufbx::find_prop(&element.props, name) else {
            return Self::Constant(default);
        };
        let Some(anim) = anim else {
            return Self::Constant(vector(prop));
        };
        let is_copy = prop.flags.has_any(PropFlags::CONNECTED);
        let (element, name) = original(element, name)
            .filter(|_| is_copy)
            .unwrap_or((element, name));
        Self::driven(anim, element, name)
    }

    /// A property that is not a copy of another.
    fn driven(anim: &'a Anim, element: &'a Element, name: &'a str) -> Self {
        let rest = ufbx::find_prop(&element.props, name).map_or(DVec3::ZERO, vector);
        let layers = playing(anim).filter_map(|(index, layer)| {
            // If a layer has two values of the property, the first is used.
            let value = values_of(layer, element, |prop| prop == name).next()?;
            let value = Components::of(value, name);
            Some(Layer::new(layer, index == 0, (element, name), value))
        });
        let mut layers: Vec<Layer<'a>> = layers.collect();
        match layers.pop() {
            None => Self::Constant(rest),
            // Nearly every property has one layer.
            Some(only) if layers.is_empty() && only.replaces() => {
                Self::Curves(Box::new(only.value))
            }
            Some(last) => {
                layers.push(last);
                Self::Layered(Box::new(Layered { rest, layers }))
            }
        }
    }

    pub(super) fn at(&self, time: f64) -> DVec3 {
        match self {
            Self::Constant(value) => *value,
            Self::Curves(components) => components.at(time),
            Self::Layered(layers) => layers.at(time),
        }
    }

    /// Whether its components are those of its curves, unmixed.
    pub(super) fn is_direct(&self) -> bool {
        !matches!(self, Self::Layered(_))
    }

    /// Whether it is 0 at all times.
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Self::Constant(value) if *value == DVec3::ZERO)
    }
}

fn vector(prop: &Prop) -> DVec3 {
    let value = &prop.value_vec4;
    DVec3::new(value.x, value.y, value.z)
}

/// The longest chain of copies that is followed; longer than any real one.
const COPIES: usize = 64;

/// The property that `name` of `element` copies, directly or through other copies; `None` in a cycle.
fn original<'a>(element: &'a Element, name: &'a str) -> Option<(&'a Element, &'a str)> {
    let mut followed = vec![(element, name)];
    while let Some(&(element, name)) = followed.last() {
        let connections = element.connections_dst.iter();
        let mut above = connections.filter(|c| &*c.dst_prop == name && !c.src_prop.is_empty());
        let Some(above) = above.next() else {
            return Some((element, name));
        };
        let above: (&Element, &str) = (above.src.as_ref(), &above.src_prop);
        let is_above = |(element, name): &(&Element, &str)| {
            std::ptr::eq(*element, above.0) && *name == above.1
        };
        // A cycle need not return to the first property; it may close anywhere in the chain.
        if followed.len() >= COPIES || followed.iter().any(is_above) {
            return None;
        }
        followed.push(above);
    }
    None
}
