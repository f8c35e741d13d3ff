//! The three components that an animation node gives a property.

use glam::DVec3;
use ufbx::AnimValue;

use super::curves::is_constant;
use super::evaluate::Cursor;
use super::math::dvec3;

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
