//! The properties of a transform, and the curves of their three numbers in one layer.

use glam::DVec3;
use ufbx::{Anim, AnimCurve, AnimLayer, AnimValue, Element, Interpolation, Keyframe};

use super::evaluate::{Cursor, continues};
use super::load::dvec3;
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

/// Whether `curve` has the value of its first key at every time.
pub(super) fn is_constant(curve: &AnimCurve) -> bool {
    let mut pairs = curve.keyframes.windows(2);
    let is_level = |pair: &[Keyframe]| {
        let is_same = pair[0].value.to_bits() == pair[1].value.to_bits();
        is_same && segment_between(&pair[0], &pair[1]) == Segment::Constant
    };
    !continues(curve) && pairs.all(is_level)
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

#[expect(clippy::float_cmp, reason = "the same number, or else the curve moves")]
pub(super) fn segment_between(key: &Keyframe, next: &Keyframe) -> Segment {
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
