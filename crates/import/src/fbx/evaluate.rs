//! The properties of a transform, and the values of their curves at a time.

use std::ops::RangeInclusive;

use glam::DVec3;
use ufbx::{
    Anim, AnimCurve, AnimLayer, AnimValue, Element, ExtrapolationMode, Interpolation, Keyframe,
    PropFlags,
};

use super::load::dvec3;
use crate::bake::Segment;

/// Whether the value of `curve` changes past the keys.
pub(super) fn continues(curve: &AnimCurve) -> bool {
    let modes = [&curve.pre_extrapolation, &curve.post_extrapolation];
    curve.keyframes.count > 1
        && modes
            .iter()
            .any(|past| past.mode != ExtrapolationMode::Constant)
}

/// The keys of a curve, repeated forwards and backwards within a range.
pub(super) struct Repetition<'a> {
    curve: &'a AnimCurve,
    range: (f64, f64),
    /// The repetitions that reach into the range, as offsets in durations of the curve.
    rounds: RangeInclusive<i64>,
}

impl<'a> Repetition<'a> {
    /// The repetition of `curve` within `range`, in seconds; `None` if the curve does not continue past its keys.
    pub(super) fn new(curve: &'a AnimCurve, range: (f64, f64)) -> Option<Self> {
        let keys = (curve.min_time, curve.max_time);
        continues(curve).then(|| Self {
            curve,
            range,
            rounds: rounds(keys, range),
        })
    }

    /// An upper bound on the number of [times](Self::times), without enumerating them.
    pub(super) fn most_times(&self) -> usize {
        let (first, last) = (
            i128::from(*self.rounds.start()),
            i128::from(*self.rounds.end()),
        );
        let rounds = usize::try_from((last - first + 1).max(0)).unwrap_or(usize::MAX);
        let keys = self.curve.keyframes.count.saturating_mul(2);
        rounds.saturating_mul(keys).saturating_add(2)
    }

    /// The times of repeated keys beyond the curve's own, and the ends of the range.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        let (first, last) = (self.curve.min_time, self.curve.max_time);
        let past = self.rounds.clone().filter(|&round| round != 0);
        let repeated = past.flat_map(move |round| {
            #[expect(clippy::cast_precision_loss, reason = "fewer rounds than keys")]
            let shift = round as f64 * (last - first);
            let keys = self.curve.keyframes.iter();
            // Both forwards and mirrored. The mode decides which of them a round uses; a superfluous time only costs a key.
            keys.flat_map(move |key| [key.time + shift, first + last - key.time + shift])
        });
        let range = self.range;
        let inside = repeated.filter(move |time| (range.0..=range.1).contains(time));
        [range.0, range.1].into_iter().chain(inside)
    }
}

/// The rounds of the keys from `first` to `last` that lie between `start` and `end`; only round 0 if the keys have no
/// duration. Round n is shifted by n durations.
fn rounds((first, last): (f64, f64), (start, end): (f64, f64)) -> RangeInclusive<i64> {
    let duration = last - first;
    if !(duration > 0.0 && duration.is_finite()) {
        return 0..=0;
    }
    // Rounds that cover the time from the start to the first key, and from the last key to the end.
    let before = ((first - start) / duration).ceil().max(0.0);
    let after = ((end - last) / duration).ceil().max(0.0);
    // If the range is far from the keys, only the rounds that reach it.
    let earliest = ((start - last) / duration).floor();
    let latest = ((end - first) / duration).ceil();
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let rounds = (-before).max(earliest) as i64..=after.min(latest) as i64;
    rounds
}

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

/// Whether the property is a copy of another one.
pub(super) fn is_connected(element: &Element, name: &str) -> bool {
    let prop = ufbx::find_prop(&element.props, name);
    prop.is_some_and(|prop| prop.flags.has_any(PropFlags::CONNECTED))
}

/// Whether `curve` has the value of its first key at every time.
fn is_constant(curve: &AnimCurve) -> bool {
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
    Animated(&'a AnimCurve),
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
            (Some(curve), Some(_)) => Self::Animated(curve),
            _ => Self::Constant(without_curve(value, name, index)),
        }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Animated(curve) => ufbx::evaluate_curve(curve, time, 0.0),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbx::clips::Drivers;
    use crate::fbx::{asset, load};
    use crate::testing;

    /// The fixture whose curve of two keys repeats, with these key times (46,186,158,000 ticks per second).
    fn repeating(times: &str) -> ufbx::SceneRoot {
        let text = testing::text("fbx/repeat.fbx");
        let text = testing::changed(&text, "0,46186158000", times);
        load::load(text.as_bytes()).unwrap()
    }

    fn times(scene: &ufbx::Scene, range: (f64, f64), most: usize) -> Option<Vec<f64>> {
        let nodes = scene.nodes.iter();
        let node = nodes.into_iter().find(|node| !node.is_root).unwrap();
        let anim = &scene.anim_stacks[0].anim;
        Drivers::of_translation(anim, node).times(range, most)
    }

    #[test]
    fn keys_come_again_in_every_round_of_the_range() {
        let scene = repeating("0,46186158000");
        let all = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        assert_eq!(times(&scene, (-2.0, 3.0), 100).unwrap(), all);
        assert_eq!(times(&scene, (0.0, 1.0), 100).unwrap(), [0.0, 1.0]);
    }

    #[test]
    fn more_rounds_than_may_be_are_counted_and_not_gathered() {
        let scene = repeating("0,1000");
        let curve = scene.anim_curves.iter().next().unwrap();
        let repetition = Repetition::new(curve, (0.0, 3.0)).unwrap();
        assert!(repetition.most_times() > 500_000_000);
        assert_eq!(times(&scene, (0.0, 3.0), 1 << 24), None);
    }

    #[test]
    fn a_range_far_from_the_keys_has_the_rounds_that_reach_it() {
        let scene = repeating("0,46186158000");
        let far = times(&scene, (1e15, 1e15 + 2.0), 100).unwrap();
        assert_eq!(far, [0.0, 1.0, 1e15, 1e15 + 1.0, 1e15 + 2.0]);
        let far = times(&scene, (-1e15 - 2.0, -1e15), 100).unwrap();
        assert_eq!(far, [-1e15 - 2.0, -1e15 - 1.0, -1e15, 0.0, 1.0]);
    }

    #[test]
    fn no_more_times_are_gathered_than_counted() {
        let scene = repeating("0,46186158000");
        let curve = scene.anim_curves.iter().next().unwrap();
        for range in [(0.0, 1.0), (-2.5, 3.5), (0.2, 0.8), (7.0, 7.5), (3.0, -3.0)] {
            let repetition = Repetition::new(curve, range).unwrap();
            let count = repetition.times().count();
            assert!(count <= repetition.most_times(), "{range:?}: {count}");
        }
    }

    #[test]
    fn ranges_and_keys_that_are_not_times_have_few_rounds_or_too_many_to_gather() {
        let (none, infinite) = (f64::NAN, f64::INFINITY);
        assert_eq!(rounds((0.0, 0.0), (0.0, 9.0)), 0..=0);
        assert_eq!(rounds((0.0, infinite), (0.0, 9.0)), 0..=0);
        assert_eq!(rounds((0.0, 1.0), (none, none)), 0..=0);
        let all = rounds((0.0, 1e-300), (-infinite, infinite));
        assert_eq!(all, -i64::MAX - 1..=i64::MAX);
    }

    #[test]
    fn a_clip_of_too_many_rounds_lacks_the_track_and_says_so() {
        let scene = repeating("0,1000");
        let asset = asset(&scene);
        assert_eq!(asset.clips[0].channels, []);
        let [note] = &asset.notes[..] else {
            panic!("{:?}", asset.notes)
        };
        assert_eq!(note.location, "clip \"Again\"");
        let expected = "more keys than the limit of 16777216";
        assert!(note.message.contains(expected), "{note:?}");
    }
}
