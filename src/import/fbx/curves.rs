//! Which curves drive a property, and at which times they have keys.

use ufbx::{
    Anim, AnimCurve, AnimLayer, AnimValue, Element, ExtrapolationMode, Interpolation, Keyframe,
    Node, Prop, PropFlags,
};

use super::inherit::{movers, scalers};

/// The three parts of a node's transform.
pub(super) const TRANSLATION: &str = "Lcl Translation";
pub(super) const ROTATION: &str = "Lcl Rotation";
pub(super) const SCALING: &str = "Lcl Scaling";

/// What rotations depend on.
pub(super) const ROTATING: &[&str] = &[ROTATION, "PreRotation", "PostRotation"];

/// What translations depend on, whatever their values.
pub(super) const MOVING: &[&str] = &[
    TRANSLATION,
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
];

/// The weight of a layer, in percent.
const WEIGHT: &str = "Weight";

/// The animated values in `layer` of the properties of `element` that are `wanted` by name.
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

/// What is known of a value between two times without looking at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// It stays the same.
    Still,
    /// Every curve is straight.
    Straight,
    /// Nothing.
    Bent,
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

    /// Those that move `node` in its parent.
    pub(super) fn of_translation(anim: &'a Anim, node: &'a Node) -> Self {
        let mut drivers = Self::new(anim);
        drivers.add(&node.element, MOVING);
        // What turns or grows about another point than its own moves.
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

    /// Those that turn `node`.
    pub(super) fn of_rotation(anim: &'a Anim, node: &'a Node) -> Self {
        let mut drivers = Self::new(anim);
        drivers.add(&node.element, ROTATING);
        drivers
    }

    /// Those that scale `node`, by itself and by what it inherits otherwise than through its parent's matrix.
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

    /// Adds those of the properties `names` of `element` in all layers.
    pub(super) fn add(&mut self, element: &'a Element, names: &'a [&str]) {
        for layer in &self.anim.layers {
            let values = values_of(layer, element, |name| names.contains(&name));
            let mut curves: Vec<&AnimCurve> = Vec::new();
            let mut is_driven = false;
            for value in values {
                is_driven = true;
                curves.extend(curves_of(value));
            }
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

    /// A property may be a copy of any other object's: whatever moves in the animation may move it.
    fn add_all(&mut self) {
        self.is_driven = true;
        let layers = self.anim.layers.iter();
        let values = layers.flat_map(|layer| &layer.anim_values);
        self.curves.extend(values.flat_map(curves_of));
    }

    /// Whether the animation says anything at all about the value.
    pub(super) fn is_driven(&self) -> bool {
        self.is_driven
    }

    /// Whether the value may change at once: at keys that hold, and where a curve begins anew.
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

    /// How all curves run between two neighbours of the [times](Self::times).
    pub(super) fn way(&self, start: f64, end: f64) -> Way {
        let ways = self.curves.iter().map(|curve| way(curve, start, end));
        ways.max().unwrap_or(Way::Still)
    }

    /// Sorted times between which every curve is smooth, at most about `most`.
    ///
    /// * `range` – first and last moment that matter where a curve goes on past its keys.
    pub(super) fn times(&self, range: (f64, f64), most: usize) -> Vec<f64> {
        let mut times = Vec::new();
        for curve in self.curves.iter().filter(|curve| is_usable(curve)) {
            if times.len() > most {
                break;
            }
            times.extend(curve.keyframes.iter().map(|key| key.time));
            if continues(curve) {
                add_continuation(curve, range, most, &mut times);
            }
        }
        times.retain(|time| time.is_finite());
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}

fn way(curve: &AnimCurve, start: f64, end: f64) -> Way {
    let keys = &curve.keyframes;
    if keys.count < 2 {
        return Way::Still;
    }
    if end <= curve.min_time || start >= curve.max_time {
        return if continues(curve) {
            Way::Bent
        } else {
            Way::Still
        };
    }
    let after = keys.partition_point(|key| key.time <= start);
    match (keys.get(after.wrapping_sub(1)), keys.get(after)) {
        (Some(key), Some(next)) => way_between(key, next),
        _ => Way::Bent,
    }
}

/// Whether `curve` has the value of its first key at all times.
pub(super) fn is_still(curve: &AnimCurve) -> bool {
    let mut pairs = curve.keyframes.windows(2);
    let is_level = |pair: &[Keyframe]| {
        let is_same = pair[0].value.to_bits() == pair[1].value.to_bits();
        is_same && way_between(&pair[0], &pair[1]) == Way::Still
    };
    !continues(curve) && pairs.all(is_level)
}

#[expect(clippy::float_cmp, reason = "the same number, or else the curve moves")]
fn way_between(key: &Keyframe, next: &Keyframe) -> Way {
    let is_level = key.value == next.value;
    match key.interpolation {
        Interpolation::ConstantPrev | Interpolation::ConstantNext => Way::Still,
        Interpolation::Linear if is_level => Way::Still,
        Interpolation::Linear => Way::Straight,
        Interpolation::Cubic if is_level && key.right.dy == 0.0 && next.left.dy == 0.0 => {
            Way::Still
        }
        Interpolation::Cubic => Way::Bent,
    }
}

/// Whether the vector `name` is not always 0.
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

fn is_usable(curve: &AnimCurve) -> bool {
    curve.keyframes.count > 0
}

/// Whether the value changes past the keys.
fn continues(curve: &AnimCurve) -> bool {
    let modes = [&curve.pre_extrapolation, &curve.post_extrapolation];
    curve.keyframes.count > 1
        && modes
            .iter()
            .any(|past| past.mode != ExtrapolationMode::Constant)
}

/// Adds the times past the keys at which a repetition has its keys, run forwards and backwards, and the ends of `range`.
fn add_continuation(curve: &AnimCurve, range: (f64, f64), most: usize, times: &mut Vec<f64>) {
    let (first, last) = (curve.min_time, curve.max_time);
    let duration = last - first;
    times.extend([range.0, range.1]);
    let inside = |time: &f64| (range.0..=range.1).contains(time);
    let repeats = |length: f64| (length / duration).ceil().max(0.0);
    if !(duration > 0.0 && duration.is_finite()) {
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates, and is cut by `most`"
    )]
    let rounds = -(repeats(first - range.0) as i64)..=repeats(range.1 - last) as i64;
    for round in rounds.filter(|&round| round != 0) {
        if times.len() > most {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "fewer rounds than keys")]
        let shift = round as f64 * duration;
        let keys = curve.keyframes.iter();
        let both = keys.flat_map(|key| [key.time + shift, first + last - key.time + shift]);
        times.extend(both.filter(inside));
    }
}
