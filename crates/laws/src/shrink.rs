//! Shrinks a failing case to the simplest one that still fails.

use glam::{Mat4, Quat, Vec3};

use super::{Body, Motion, PoseCase, SkinCase, Value};
use crate::lists::distinct;
use crate::rig::{Blending, Channel, Influence, Influences, Key, SkinSlot, Span, Track};
use crate::units::Seconds;

/// A case with simpler variants.
pub(super) trait Shrink: Clone + PartialEq {
    /// Simpler variants, the most drastic first.
    fn simpler(&self) -> Vec<Self>;
}

/// The most candidates that are tried.
const MOST_TRIES: usize = 4000;

/// The simplest failing case that is reachable from `case` through failing cases.
pub(super) fn shrink<C: Shrink>(case: &C, fails: impl Fn(&C) -> bool) -> C {
    let (mut best, mut tries) = (case.clone(), 0);
    'simpler: loop {
        for candidate in best.simpler() {
            tries += 1;
            if tries > MOST_TRIES {
                return best;
            }
            if candidate != best && fails(&candidate) {
                best = candidate;
                continue 'simpler;
            }
        }
        return best;
    }
}

/// A value with simpler variants.
pub(super) trait Simple: Value {
    fn simple(self) -> Vec<Self>;
}

impl Simple for Quat {
    fn simple(self) -> Vec<Self> {
        let half = 0.5_f32.sqrt();
        let simple = [
            Self::IDENTITY,
            Self::from_xyzw(0.0, 0.0, half, half),
            Self::from_xyzw(half, 0.0, 0.0, half),
            Self::from_xyzw(0.5, 0.5, 0.5, 0.5),
            Self::from_xyzw(0.0, 0.0, half, -half),
            Self::from_xyzw(0.5, 0.5, 0.5, -0.5),
        ];
        rank(&simple, &self)
    }
}

impl Simple for Vec3 {
    fn simple(self) -> Vec<Self> {
        let mut simple = rank(&[Self::ZERO, Self::X, Self::ONE], &self);
        if !simple.is_empty() && self.round() != self {
            simple.push(self.round());
        }
        simple
    }
}

/// The values that are simpler than `value`. They precede it in one fixed list, so shrinking ends.
fn rank<T: PartialEq + Clone>(simple: &[T], value: &T) -> Vec<T> {
    let before = simple.iter().take_while(|simple| *simple != value);
    before.cloned().collect()
}

/// A copy with one change.
fn with<C: Clone>(case: &C, change: impl FnOnce(&mut C)) -> C {
    let mut changed = case.clone();
    change(&mut changed);
    changed
}

impl<T: Simple> Shrink for Motion<T> {
    fn simpler(&self) -> Vec<Self> {
        let keys = &self.track.keys;
        let mut all = Vec::new();
        let mut with_keys = |keys: Vec<Key<T>>| {
            let track = Track { keys };
            all.push(Self {
                track,
                ..self.clone()
            });
        };
        let after = keys.partition_point(|key| key.time.0 <= self.time);
        let around = keys[after.saturating_sub(1)..(after + 1).min(keys.len())].to_vec();
        if around.len() < keys.len() {
            with_keys(around);
        }
        for dropped in (0..keys.len()).filter(|_| keys.len() > 1 && keys.len() < 16) {
            let mut fewer = keys.clone();
            fewer.remove(dropped);
            with_keys(fewer);
        }
        if keys.len() > 4 {
            return all;
        }
        let changed = |index: usize, change: &dyn Fn(&mut Key<T>)| {
            let mut keys = keys.clone();
            change(&mut keys[index]);
            keys
        };
        for (index, key) in keys.iter().enumerate() {
            for value in key.value.simple() {
                with_keys(changed(index, &|key| key.value = value));
            }
            if let Span::Cubic { leave, arrive } = key.span {
                with_keys(changed(index, &|key| key.span = Span::Linear));
                let still = T::still();
                for (leave, arrive) in [(still, still), (leave, still), (still, arrive)] {
                    with_keys(changed(index, &|key| {
                        key.span = Span::Cubic { leave, arrive }
                    }));
                }
            }
        }
        all.extend(simpler_times(self));
        all
    }
}

/// With times from 0 to 1, at round fractions in between.
fn simpler_times<T: Value>(case: &Motion<T>) -> Vec<Motion<T>> {
    let keys = &case.track.keys;
    let (start, last) = (keys[0].time.0, keys[keys.len() - 1].time.0);
    let retimed = |shift: f64, factor: f64| {
        let time = |time: f64| (time - shift) * factor;
        let key = |key: &Key<T>| Key {
            time: Seconds(time(key.time.0)),
            ..key.clone()
        };
        Motion {
            track: Track {
                keys: keys.iter().map(key).collect(),
            },
            time: time(case.time),
        }
    };
    let mut all = Vec::new();
    if start != 0.0 {
        all.push(retimed(start, 1.0));
    }
    let length = last - start;
    if length > 0.0 && length.to_bits() != 1.0_f64.to_bits() {
        let mut unit = retimed(start, 1.0 / length);
        if let Some(end) = unit.track.keys.last_mut() {
            end.time = Seconds(1.0);
        }
        all.push(unit);
    }
    let middles = [0.5, 0.25, 0.75, 0.0];
    let times = rank(&middles, &((case.time - start) / length)).into_iter();
    all.extend(times.map(|time| with(case, |case| case.time = start + time * length)));
    all
}

impl Shrink for Vec<Influence> {
    fn simpler(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for dropped in 0..self.len() {
            all.push(with(self, |list| {
                list.remove(dropped);
            }));
        }
        for (index, influence) in self.iter().enumerate() {
            let weights = rank(&[1.0, 0.5, 2.0], &influence.weight).into_iter();
            all.extend(weights.map(|weight| with(self, |list| list[index].weight = weight)));
        }
        all
    }
}

impl Shrink for SkinCase {
    fn simpler(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let bodies = self.body.simpler().into_iter();
        all.extend(bodies.map(|body| with(self, |case| case.body = body)));
        let rotations = self.motion.0.simple().into_iter();
        all.extend(rotations.map(|rotation| with(self, |case| case.motion.0 = rotation)));
        let translations = self.motion.1.simple().into_iter();
        all.extend(translations.map(|way| with(self, |case| case.motion.1 = way)));
        let scales = rank(&[2.0, 3.0], &self.scale).into_iter();
        all.extend(scales.map(|scale| with(self, |case| case.scale = scale)));
        all
    }
}

impl Shrink for PoseCase {
    /// With fewer times, meshes and tracks: the tree stays, because most laws of posing need it.
    fn simpler(&self) -> Vec<Self> {
        let channels = &self.rig.clips[0].channels;
        let mut all = Vec::new();
        if self.times.len() > 1 {
            let times = self.times.iter();
            all.extend(times.map(|time| with(self, |case| case.times = vec![*time])));
            return all;
        }
        for index in (0..self.rig.instances.len()).filter(|_| self.rig.instances.len() > 1) {
            all.push(with(self, |case| {
                let gone = case.rig.instances.remove(index);
                let clip = &mut case.rig.clips[0];
                clip.morph_channels
                    .retain(|channel| channel.node != gone.node);
            }));
        }
        let mut with_channel = |index: usize, channel: Channel| {
            all.push(with(self, |case| {
                case.rig.clips[0].channels[index] = channel;
            }));
        };
        for (index, channel) in channels.iter().enumerate() {
            let tracks = [
                channel.translation.is_some(),
                channel.rotation.is_some(),
                channel.scale.is_some(),
            ];
            // A channel without tracks goes as a whole.
            if tracks.into_iter().filter(|there| *there).count() > 1 {
                let mut without = [channel.clone(), channel.clone(), channel.clone()];
                without[0].scale = None;
                without[1].translation = None;
                without[2].rotation = None;
                for simpler in without {
                    with_channel(index, simpler);
                }
            }
        }
        for index in (0..channels.len()).filter(|_| channels.len() > 1) {
            all.push(with(self, |case| {
                case.rig.clips[0].channels.remove(index);
            }));
        }
        all
    }
}

impl Body {
    fn simpler(&self) -> Vec<Self> {
        let vertices = 0..self.positions.len();
        if vertices.len() > 1 {
            return vertices.map(|vertex| self.only(vertex)).collect();
        }
        let mut all = Vec::from_iter(self.without_unused_joints());
        let kinds = [Blending::Linear, Blending::DualQuaternion];
        let kinds = rank(&kinds, &self.blending).into_iter();
        all.extend(kinds.map(|kind| with(self, |body| body.blending = kind)));
        let lists = self
            .influences
            .of(0)
            .to_vec()
            .simpler()
            .into_iter()
            .map(|list| Influences::from_vertices([list]));
        all.extend(lists.map(|list| with(self, |body| body.influences = list)));
        for (index, (joint, bind)) in self.joints.iter().zip(&self.inverse_binds).enumerate() {
            let joints = simple_matrices(joint).into_iter();
            all.extend(joints.map(|matrix| with(self, |body| body.joints[index] = matrix)));
            let binds = simple_matrices(bind).into_iter();
            all.extend(binds.map(|matrix| with(self, |body| body.inverse_binds[index] = matrix)));
        }
        let nodes = simple_matrices(&self.node).into_iter();
        all.extend(nodes.map(|node| with(self, |body| body.node = node)));
        let positions = self.positions.iter().flat_map(|position| position.simple());
        all.extend(positions.map(|position| with(self, |body| body.positions = vec![position])));
        all
    }

    fn only(&self, vertex: usize) -> Self {
        let influences = [self.influences.of(vertex).to_vec()];
        Self {
            positions: vec![self.positions[vertex]],
            influences: Influences::from_vertices(influences),
            blending: self.blending.picked(&[vertex]),
            ..self.clone()
        }
    }

    fn without_unused_joints(&self) -> Option<Self> {
        let used = distinct(self.influences.all().iter().map(|i| i.slot));
        if used.len() == self.joints.len() {
            return None;
        }
        let renumbered = |influence: &Influence| {
            Influence::new(
                SkinSlot::from_index(used.partition_point(|joint| *joint < influence.slot)),
                influence.weight,
            )
        };
        let lists = self.influences.iter().map(|l| l.iter().map(renumbered));
        Some(Self {
            influences: Influences::from_vertices(lists),
            joints: used
                .iter()
                .map(|joint| self.joints[joint.index()])
                .collect(),
            inverse_binds: used
                .iter()
                .map(|joint| self.inverse_binds[joint.index()])
                .collect(),
            ..self.clone()
        })
    }
}

/// A rotation by 90° and a translation: not its own inverse, and it commutes with little.
fn simple_matrices(matrix: &Mat4) -> Vec<Mat4> {
    let quarter = Mat4::from_quat(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5));
    let step = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    rank(
        &[
            Mat4::IDENTITY,
            Mat4::from_translation(Vec3::X),
            step,
            quarter,
            step * quarter,
        ],
        matrix,
    )
}
