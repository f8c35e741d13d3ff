//! A property of three numbers, at a time of an animation.

use glam::DVec3;
use ufbx::{Anim, AnimValue, Element, PropFlags};

use super::curves::{is_still, values_of};
use super::evaluate::Cursor;
use super::math::dvec3;

/// Where its value comes from.
pub(super) enum Property<'a> {
    /// Always the same.
    Still(DVec3),
    /// Components of one layer.
    Curves(Box<[Component<'a>; 3]>),
    /// Several layers, or another property: ufbx puts them together.
    Combined {
        anim: &'a Anim,
        element: &'a Element,
        name: &'static str,
    },
}

/// One of three numbers.
pub(super) enum Component<'a> {
    Still(f64),
    Moving(Cursor<'a>),
}

impl<'a> Component<'a> {
    fn of(value: &'a AnimValue, index: usize) -> Self {
        let default = dvec3(value.default_value)[index];
        let Some(curve) = value.curves[index].as_deref() else {
            return Self::Still(default);
        };
        match curve.keyframes.first() {
            Some(first) if is_still(curve) => Self::Still(first.value),
            Some(_) => Self::Moving(Cursor::new(curve)),
            None => Self::Still(default),
        }
    }

    fn at(&self, time: f64) -> f64 {
        match self {
            Self::Still(value) => *value,
            Self::Moving(curve) => curve.at(time),
        }
    }
}

impl<'a> Property<'a> {
    /// The property `name` of `element`.
    ///
    /// * `anim` – `None` for the values at rest.
    /// * `default` – of a property that the file leaves out.
    pub(super) fn of(
        anim: Option<&'a Anim>,
        element: &'a Element,
        name: &'static str,
        default: DVec3,
    ) -> Self {
        let Some(prop) = ufbx::find_prop(&element.props, name) else {
            return Self::Still(default);
        };
        let value = &prop.value_vec4;
        let still = Self::Still(DVec3::new(value.x, value.y, value.z));
        let Some(anim) = anim else { return still };
        if prop.flags.has_any(PropFlags::CONNECTED) {
            return Self::Combined {
                anim,
                element,
                name,
            };
        }
        let layers = anim.layers.into_iter().enumerate();
        let mut driving = layers.flat_map(|(index, layer)| {
            let values = values_of(layer, element, move |prop| prop == name);
            values.map(move |value| (index, value))
        });
        match (driving.next(), driving.next()) {
            (None, _) => still,
            // The first layer's value stands as it is.
            (Some((0, value)), None) => {
                let components = [0, 1, 2].map(|index| Component::of(value, index));
                Self::Curves(Box::new(components))
            }
            _ => Self::Combined {
                anim,
                element,
                name,
            },
        }
    }

    pub(super) fn at(&self, time: f64) -> DVec3 {
        match self {
            Self::Still(value) => *value,
            Self::Curves(components) => {
                let [x, y, z] = components.each_ref().map(|component| component.at(time));
                DVec3::new(x, y, z)
            }
            Self::Combined {
                anim,
                element,
                name,
            } => {
                let prop = ufbx::evaluate_prop(anim, element, name, time);
                let value = &prop.value_vec4;
                DVec3::new(value.x, value.y, value.z)
            }
        }
    }

    /// Whether its components are those of its curves.
    pub(super) fn is_direct(&self) -> bool {
        !matches!(self, Self::Combined { .. })
    }

    /// Whether it is 0 at all times.
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Self::Still(value) if *value == DVec3::ZERO)
    }
}
