//! The three numbers that an animation node says of a property.

use glam::DVec3;
use ufbx::AnimValue;

use super::curves::is_still;
use super::evaluate::Cursor;
use super::math::dvec3;

/// Three numbers.
pub(super) struct Components<'a>([Component<'a>; 3]);

/// One of three numbers.
pub(super) enum Component<'a> {
    Still(f64),
    Moving(Cursor<'a>),
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
            (Some(curve), Some(first)) if is_still(curve) => Self::Still(first.value),
            (Some(curve), Some(_)) => Self::Moving(Cursor::new(curve)),
            _ => Self::Still(without_curve(value, name, index)),
        }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Still(value) => *value,
            Self::Moving(curve) => curve.at(time),
        }
    }
}

/// What `value` itself says, which overrides the property `name`. A number on its own bears the property's name, by
/// which ufbx does not look for it.
fn without_curve(value: &AnimValue, name: &str, index: usize) -> f64 {
    let number = || ufbx::find_prop(&value.element.props, &format!("d|{name}"));
    match number().filter(|_| index == 0) {
        Some(number) => number.value_vec4.x,
        None => dvec3(value.default_value)[index],
    }
}
