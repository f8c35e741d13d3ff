//! The value of a property at a time, from one layer or several.
//!
//! ufbx 0.23.1 blends layers wrongly: where an element has other properties in a layer but not this one, it uses the next
//! element's (`docs/upstream/README.md`).
//! None of 23 real files has a second layer; in one layer, ufbx's values and these agree within 4e-15 in all but three of them.
//!
//! # Reference
//!
//! `ufbx.h`, `ufbx_anim_layer`; FBX SDK, `FbxAnimLayer`.

use glam::{DQuat, DVec3};
use ufbx::{Anim, AnimLayer, Element, Prop, PropFlags, Quat, RotationOrder};

use super::evaluate::{Component, Components, ROTATION, SCALING, WEIGHT, playing, values_of};
use super::load::dvec3;

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

/// Layers; each one changes the result of the layers below it.
pub(super) struct Layered<'a> {
    /// The value below all of them.
    pub(super) rest: DVec3,
    pub(super) layers: Vec<Layer<'a>>,
}

impl Layered<'_> {
    pub(super) fn at(&self, time: f64) -> DVec3 {
        let layers = self.layers.iter();
        layers.fold(self.rest, |below, layer| layer.onto(below, time))
    }
}

/// The values of one layer.
pub(super) struct Layer<'a> {
    pub(super) value: Components<'a>,
    weight: Weight<'a>,
    mode: Mode,
    algebra: Algebra,
}

/// How a layer combines with those below.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Replace,
    Add,
    Mix,
}

/// The algebra in which three components are added and mixed.
#[derive(Clone, Copy)]
enum Algebra {
    /// Sums and arithmetic means.
    Vector,
    /// Products and geometric means.
    Factors,
    /// Products and arcs of rotations.
    Angles(RotationOrder),
}

/// The weight of a layer, from 0 to 1.
enum Weight<'a> {
    Constant(f64),
    Percent(Component<'a>),
}

impl<'a> Layer<'a> {
    /// * `value` – of the property `name` of `element` in `layer`.
    /// * `is_first` – whether it is the first layer of its stack, whose value is used unchanged.
    pub(super) fn new(
        layer: &'a AnimLayer,
        is_first: bool,
        (element, name): (&Element, &str),
        value: Components<'a>,
    ) -> Self {
        Self {
            value,
            weight: Weight::of(layer),
            mode: match (layer.additive, layer.blended) {
                // The lowest layer has nothing below it to add to or to mix with.
                _ if is_first => Mode::Replace,
                (true, _) => Mode::Add,
                (false, true) => Mode::Mix,
                (false, false) => Mode::Replace,
            },
            algebra: match name {
                SCALING if layer.compose_scale => Algebra::Factors,
                ROTATION if layer.compose_rotation => Algebra::Angles(order(element)),
                _ => Algebra::Vector,
            },
        }
    }

    /// Whether the layers below do not matter.
    pub(super) fn replaces(&self) -> bool {
        self.mode == Mode::Replace
    }

    fn onto(&self, below: DVec3, time: f64) -> DVec3 {
        let value = self.value.at(time);
        let weight = match self.mode {
            Mode::Replace => return value,
            Mode::Add | Mode::Mix => self.weight.at(time),
        };
        let adds = self.mode == Mode::Add;
        let rest = 1.0 - weight;
        match self.algebra {
            Algebra::Vector if adds => below + value * weight,
            Algebra::Vector => below * rest + value * weight,
            Algebra::Factors if adds => below * power(value, weight),
            Algebra::Factors => power(below, rest) * power(value, weight),
            Algebra::Angles(order) => combined_angles(below, value, weight, order, adds),
        }
    }
}

impl<'a> Weight<'a> {
    fn of(layer: &'a AnimLayer) -> Self {
        let mut values = values_of(layer, &layer.element, |name| name == WEIGHT);
        match values.next().filter(|_| layer.weight_is_animated) {
            Some(value) => Self::Percent(Component::of(value, WEIGHT, 0)),
            None => Self::Constant(layer.weight),
        }
    }

    fn at(&self, time: f64) -> f64 {
        match self {
            Self::Constant(weight) => *weight,
            Self::Percent(percent) => match percent.at(time) / 100.0 {
                low if low < 0.0 => 0.0,
                // As ufbx rounds a weight that is not animated.
                high if high > f64::from(0.99999_f32) => 1.0,
                weight => weight,
            },
        }
    }
}

/// The rotation order of `element`; X first if it is not a node.
fn order(element: &Element) -> RotationOrder {
    ufbx::as_node(element).map_or(RotationOrder::Xyz, |node| node.rotation_order)
}

/// Each factor to the power of `exponent`, which is from 0 to 1. A negative factor keeps its sign.
fn power(factors: DVec3, exponent: f64) -> DVec3 {
    factors.map(|factor| match exponent {
        low if low <= 0.0 => 1.0,
        high if high >= 1.0 => factor,
        _ => libm::pow(factor.abs(), exponent).copysign(factor),
    })
}

/// Combines two rotations that are given by angles.
///
/// * `adds` – whether the part `weight` of `value` is applied before `below`; otherwise the result lies at `weight` on the
///   arc from `below` to `value`.
fn combined_angles(
    below: DVec3,
    value: DVec3,
    weight: f64,
    order: RotationOrder,
    adds: bool,
) -> DVec3 {
    let quat = |angles: DVec3| {
        let [x, y, z] = angles.to_array();
        ufbx::euler_to_quat(ufbx::Vec3 { x, y, z }, order)
    };
    let (below, value) = (quat(below), quat(value));
    let sum = if adds {
        let [x, y, z, w] = DQuat::IDENTITY.to_array();
        // The part of a rotation lies on the arc from the identity. As the right factor, it is applied first.
        let part = ufbx::quat_slerp(Quat { x, y, z, w }, value, weight);
        ufbx::quat_mul(below, part)
    } else {
        ufbx::quat_slerp(below, value, weight)
    };
    dvec3(ufbx::quat_to_euler(sum, order))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use ufbx::{Anim, Node, Scene, SceneRoot};

    use super::super::{asset, load};
    use super::*;
    use crate::testing;

    /// The text that follows all objects.
    const CONNECTIONS: &str = "}\nConnections:  {\n";
    /// A setting of the second layer.
    const MODE: &str = "\"BlendMode\", \"enum\", \"\", \"\", 0\n";

    /// The fixture after text replacements. Its second layer adds half of 4 to the 10 that `joint` has at its end.
    ///
    /// * `changes` – texts and their replacements.
    fn layers(changes: &[(&str, &str)]) -> SceneRoot {
        let mut text = testing::text("fbx/layers.fbx");
        for (from, to) in changes {
            assert!(text.contains(from), "{text}");
            text = text.replace(from, to);
        }
        load::load(text.as_bytes()).unwrap()
    }

    /// The last translation of the joint called `name`.
    fn end_of(scene: &Scene, name: &str) -> Vec3 {
        let asset = asset(scene);
        let joint = asset.skeleton.find(name).unwrap();
        let mut channels = asset.clips[0].channels.iter();
        let channel = channels.find(|channel| channel.node == joint).unwrap();
        let track = channel.translation.as_ref().unwrap();
        track.keys.last().unwrap().value
    }

    #[test]
    fn a_node_ignores_the_layer_values_of_the_next_node() {
        let objects = format!(
            "\tModel: 109, \"Model::next\", \"LimbNode\" {{\n\t}}\n\tAnimationCurveNode: 110, \"AnimCurveNode::\", \"\" {{\n\t}}\n{CONNECTIONS}\tC: \"OO\", 109, 0\n\tC: \"OO\", 110, 102\n\tC: \"OP\", 110, 103, \"Lcl Rotation\"\n"
        );
        let (from, to) = ("104, 103, \"Lcl", "104, 109, \"Lcl");
        let scene = layers(&[(CONNECTIONS, &objects), (from, to)]);
        assert_eq!(end_of(&scene, "next"), Vec3::X * 10.0);
        assert_eq!(end_of(&scene, "joint"), Vec3::X * 2.0);
    }

    #[test]
    fn a_muted_layer_does_not_count_nor_others_beside_a_soloed_one() {
        let with = |state: &str| {
            let state = format!("{MODE}\t\t\tP: {state:?}, \"bool\", \"\", \"\", 1\n");
            let scene = layers(&[(MODE, &state)]);
            let notes = asset(&scene).notes.len();
            (end_of(&scene, "joint"), notes)
        };
        assert_eq!(with("Lock"), (Vec3::X * 12.0, 0));
        assert_eq!(with("Mute"), (Vec3::X * 10.0, 1));
        assert_eq!(with("Solo"), (Vec3::X * 2.0, 1));
    }

    #[test]
    fn ufbx_still_uses_a_layer_of_the_neighbour() {
        let file = include_bytes!("../../../../docs/upstream/ufbx_layers.fbx");
        let scene = load::load(file).unwrap();
        let x_of = |name: &str, at: &dyn Fn(&Node) -> f64| {
            let mut nodes = scene.nodes.iter();
            at(nodes.find(|n| &*n.element.name == name).unwrap())
        };
        let anim = &*scene.anim_stacks[0].anim;
        let name = "Lcl Translation";
        let ours = |node: &Node| {
            let property = Property::of(Some(anim), &node.element, name, DVec3::ZERO);
            property.at(0.0).x
        };
        let theirs = |node: &Node| ufbx::evaluate_transform(anim, node, 0.0).translation.x;
        let values = [x_of("left", &ours), x_of("right", &ours)];
        assert_eq!(values.map(f64::to_bits), [1.0, 11.0].map(f64::to_bits));
        let wrong = [x_of("left", &theirs), x_of("right", &theirs)];
        assert_eq!(
            wrong.map(f64::to_bits),
            [10.0, 11.0].map(f64::to_bits),
            "{} blends layers itself: delete `Layered`, evaluate properties of several layers with \
             `ufbx::evaluate_prop` in `Property::at`, and remove the fault from docs/upstream",
            load::version()
        );
    }

    fn only_node(scene: &Scene) -> (&Anim, &Node) {
        let mut nodes = scene.nodes.into_iter();
        let node = nodes.find(|node| !node.is_root).unwrap();
        (&scene.anim_stacks[0].anim, node)
    }

    /// With a single node, ufbx's fault cannot show.
    fn is_as_ufbx_has_it(scene: &Scene, name: &'static str) -> bool {
        let (anim, node) = only_node(scene);
        let ours = Property::of(Some(anim), &node.element, name, DVec3::ZERO);
        [0.0, 0.3, 0.5, 0.7, 1.0].into_iter().all(|time| {
            let theirs = ufbx::evaluate_prop(anim, &node.element, name, time);
            let theirs = &theirs.value_vec4;
            let theirs = DVec3::new(theirs.x, theirs.y, theirs.z);
            ours.at(time).abs_diff_eq(theirs, 1e-9)
        })
    }

    /// * `settings`, `percent` – the settings and the weight of the second layer.
    fn of_weight(name: &str, settings: &str, percent: &str, connections: &str) -> SceneRoot {
        layers(&[
            (CONNECTIONS, connections),
            (MODE, settings),
            ("\"A\", 50\n", &format!("\"A\", {percent}\n")),
            ("108, 107, \"d|X\"", "108, 107, \"d|Y\""),
            ("a: 0,10\n", "a: 20,-30\n"),
            ("a: 0,4\n", "a: 3,70\n"),
            ("Lcl Translation", name),
        ])
    }

    #[test]
    fn layers_of_all_modes_and_weights_are_put_together_as_ufbx_does() {
        let driven = format!("{CONNECTIONS}\tC: \"OP\", 107, 106, \"Weight\"\n");
        let setting = |name: &str, value: u32| {
            format!("\t\t\tP: \"{name}\", \"enum\", \"\", \"\", {value}\n")
        };
        for name in ["Lcl Translation", ROTATION, SCALING] {
            for (mode, accumulation) in (0..4).flat_map(|mode| [(mode, 0), (mode, 1)]) {
                let mut settings = MODE.replace('0', &mode.to_string());
                settings += &setting("RotationAccumulationMode", accumulation);
                settings += &setting("ScaleAccumulationMode", accumulation);
                for percent in ["50", "0", "100", "130", "-7"] {
                    let scene = of_weight(name, &settings, percent, CONNECTIONS);
                    assert!(is_as_ufbx_has_it(&scene, name), "{settings} {percent}");
                }
                let scene = of_weight(name, &settings, "50", &driven);
                assert!(is_as_ufbx_has_it(&scene, name), "{settings}");
            }
        }
    }
}
