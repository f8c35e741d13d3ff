//! The value of a property at a time, from all layers.

use glam::DVec3;
use ufbx::{Anim, Element, Prop, PropFlags};

use super::components::{Components, playing, values_of};
use super::layers::{Layer, Layered};

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
