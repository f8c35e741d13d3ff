//! How a joint moves relative to the pair above it, on both sides.

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use super::curve::{Curve, Turn, length, longest_axis, unit};
use super::drift::{Drift, largest};
use crate::diff::samples::TimeMap;
use crate::rig::{Channel, Key, LocalTransform, Span, Track};

/// A node of the chain from a pair above to a joint.
pub(super) struct Link<'a> {
    pub(super) rest: LocalTransform,
    pub(super) channel: Option<&'a Channel>,
    /// Whether a constraint rotates it, by what is not known here.
    pub(super) is_constrained: bool,
}

/// One side of a pair: `outer · links · inner` is its transform in the joint space of the side before.
pub(super) struct Chain<'a> {
    outer: DMat4,
    /// From the top to the joint.
    links: Vec<Link<'a>>,
    inner: DMat4,
}

/// Bounds on a transform: on its translation and on its linear part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    pub(super) translation: Drift,
    pub(super) linear: Drift,
}

/// The parts of a link between two times.
#[derive(Clone, Copy)]
struct Parts {
    translation: Curve,
    rotation: Turn,
    scale: Curve,
}

impl Moving {
    fn constant(matrix: &DMat4) -> Self {
        Self {
            translation: Drift::constant(matrix.w_axis.truncate().length()),
            linear: Drift::constant(norm(&DMat3::from_mat4(*matrix))),
        }
    }

    fn either(self, other: Self) -> Self {
        Self {
            translation: self.translation.either(other.translation),
            linear: self.linear.either(other.linear),
        }
    }

    /// Of this transform after an inner one.
    fn after(self, inner: Self) -> Self {
        Self {
            translation: self.translation + self.linear * inner.translation,
            linear: self.linear * inner.linear,
        }
    }
}

/// A bound on the operator norm, which is exact for orthogonal axes.
pub(super) fn norm(matrix: &DMat3) -> f64 {
    let squared = matrix.transpose() * *matrix;
    let rows = [0, 1, 2].map(|row| squared.row(row).abs().element_sum());
    largest(rows).sqrt()
}

impl Link<'_> {
    fn parts(&self, times: [f64; 2]) -> Parts {
        let rest = self.rest.to_trs();
        let vector = |track: Option<&Track<Vec3>>, rest: Vec3| {
            track.map_or(Curve::constant(rest.as_dvec3()), |track| {
                Curve::of(track, times)
            })
        };
        let channel = self.channel;
        let part = |of: fn(&Channel) -> Option<&Track<Vec3>>| channel.and_then(of);
        let rotation = match channel.and_then(|channel| channel.rotation.as_ref()) {
            _ if self.is_constrained => Turn::Any,
            Some(track) => Turn::of(track, times),
            None => Turn::constant(rest.rotation.as_dquat()),
        };
        Parts {
            translation: vector(
                part(|channel| channel.translation.as_ref()),
                rest.translation,
            ),
            rotation,
            scale: vector(part(|channel| channel.scale.as_ref()), rest.scale),
        }
    }

    /// The track of whole matrices, if it has one.
    fn matrices(&self) -> Option<&Track<Mat4>> {
        self.channel.and_then(|channel| channel.matrix.as_ref())
    }

    fn is_constant(&self) -> bool {
        self.channel.is_none() && !self.is_constrained
    }

    fn moving(&self, times: [f64; 2]) -> Moving {
        if let Some(track) = self.matrices() {
            let columns = [0, 1, 2, 3].map(|column| {
                let own = track.map(|matrix| matrix.col(column).truncate());
                Curve::of(&own, times).drift(length)
            });
            return Moving {
                translation: columns[3],
                linear: columns[0] + columns[1] + columns[2],
            };
        }
        if self.is_constant() {
            return Moving::constant(&self.rest.to_matrix().as_dmat4());
        }
        let parts = self.parts(times);
        Moving {
            translation: parts.translation.drift(length),
            linear: parts.rotation.drift() * parts.scale.drift(longest_axis),
        }
    }

    /// Whether it has the same size at all times, in all directions.
    fn is_rigid(&self) -> bool {
        let is_driven = self
            .channel
            .is_some_and(|channel| channel.scale.is_some() || channel.matrix.is_some());
        let linear = DMat3::from_mat4(self.rest.to_matrix().as_dmat4());
        !is_driven && similarity(&linear).is_some()
    }
}

/// The factor and the rotation of a matrix that scales all directions alike and mirrors nothing.
fn similarity(matrix: &DMat3) -> Option<(f64, DQuat)> {
    let scale = matrix.x_axis.length();
    let rotation = *matrix * (1.0 / scale);
    let off = rotation.transpose() * rotation - DMat3::IDENTITY;
    let is_similar = off.to_cols_array().iter().all(|number| number.abs() < 1e-5);
    (is_similar && rotation.determinant() > 0.0)
        .then(|| unit(DQuat::from_mat3(&rotation)).map(|rotation| (scale, rotation)))
        .flatten()
}

/// How the tracks of a chain's only link are converted, if that takes only similarities.
struct Convention {
    outer: DAffine3,
    rotations: [DQuat; 2],
    factor: f64,
    /// Whether the axes of the joint are those of the side before.
    keeps_axes: bool,
}

impl Convention {
    fn scale(&self, scale: Curve) -> Option<Curve> {
        let factor = DAffine3::from_scale(DVec3::splat(self.factor));
        (self.keeps_axes || scale.is_uniform()).then(|| scale.moved(&factor))
    }
}

impl<'a> Chain<'a> {
    /// Both sides of a pair.
    ///
    /// * `outer` – from the space of the pair above after, or of the file, to the one before.
    /// * `inner` – from the joint before to the joint after.
    pub(super) fn pair(
        [before, after]: [Vec<Link<'a>>; 2],
        outer: [DMat4; 2],
        inner: DMat4,
    ) -> [Self; 2] {
        [
            Self {
                outer: outer[0],
                links: before,
                inner: DMat4::IDENTITY,
            },
            Self {
                outer: outer[1],
                links: after,
                inner,
            },
        ]
    }

    /// The scale of a rigid one.
    pub(super) fn scale(&self) -> f64 {
        self.moving([0.0; 2]).linear.size
    }

    /// The whole transform, if nothing moves it.
    fn constant(&self) -> Option<DMat4> {
        let fixed = self.links.iter().all(Link::is_constant);
        fixed.then(|| {
            let links = self
                .links
                .iter()
                .map(|link| link.rest.to_matrix().as_dmat4());
            links.fold(self.outer, |outer, link| outer * link) * self.inner
        })
    }

    pub(super) fn is_rigid(&self) -> bool {
        let is_similar = |matrix: &DMat4| similarity(&DMat3::from_mat4(*matrix)).is_some();
        [&self.outer, &self.inner].into_iter().all(is_similar)
            && self.links.iter().all(Link::is_rigid)
    }

    fn moving(&self, times: [f64; 2]) -> Moving {
        let links = self.links.iter().map(|link| link.moving(times));
        let outer = links.fold(Moving::constant(&self.outer), Moving::after);
        outer.after(Moving::constant(&self.inner))
    }

    fn convention(&self) -> Option<(&Link<'_>, Convention)> {
        let [link] = self.links.as_slice() else {
            return None;
        };
        let is_plain = link.matrices().is_none() && !link.is_constrained;
        let is_trs = matches!(link.rest, LocalTransform::Trs(_)) || link.channel.is_some();
        let inner = self.inner.w_axis.truncate().length();
        if !(is_plain && is_trs && inner <= 1e-9) {
            return None;
        }
        let [outer, own] =
            [&self.outer, &self.inner].map(|matrix| similarity(&DMat3::from_mat4(*matrix)));
        let ((outer_scale, outer), (own_scale, own)) = (outer?, own?);
        let convention = Convention {
            outer: DAffine3::from_mat4(self.outer),
            rotations: [outer, own],
            factor: outer_scale * own_scale,
            keeps_axes: own.w.abs() > 1.0 - 1e-12,
        };
        Some((link, convention))
    }

    /// The parts of the only link, in the spaces of the side before.
    fn parts(&self, times: [f64; 2]) -> Option<Parts> {
        let (link, convention) = self.convention()?;
        let own = link.parts(times);
        let [left, right] = convention.rotations;
        Some(Parts {
            translation: own.translation.moved(&convention.outer),
            rotation: own.rotation.moved(left, right),
            scale: convention.scale(own.scale)?,
        })
    }
}

/// Bounds on what both sides do, and on their difference.
pub(super) fn both(chains: &[Chain<'_>; 2], times: [[f64; 2]; 2]) -> [Moving; 2] {
    let sides = [0, 1].map(|side: usize| chains[side].moving(times[side]));
    [sides[0].either(sides[1]), difference(chains, times, sides)]
}

fn difference(chains: &[Chain<'_>; 2], times: [[f64; 2]; 2], sides: [Moving; 2]) -> Moving {
    if let (Some(a), Some(b)) = (chains[0].constant(), chains[1].constant()) {
        return Moving::constant(&(a - b));
    }
    let [before, after] = [0, 1].map(|side: usize| chains[side].parts(times[side]));
    let (Some(before), Some(after)) = (before, after) else {
        let [before, after] = sides;
        return Moving {
            translation: before.translation + after.translation,
            linear: before.linear + after.linear,
        };
    };
    Moving {
        translation: before.translation.difference(&after.translation, length),
        linear: before.rotation.difference(&after.rotation) * before.scale.drift(longest_axis)
            + after.rotation.drift() * before.scale.difference(&after.scale, longest_axis),
    }
}

/// The rounding of values, relative to their size: some units in the last place of f32. Lengths below this fraction of the model do not
/// count either.
pub(super) const ROUNDING: f64 = 2e-6;

/// Whether both sides have the same keys and the same interpolation.
///
/// * `size` – of the model.
pub(super) fn are_same(chains: &[Chain<'_>; 2], map: TimeMap, size: f64) -> bool {
    if let (Some(a), Some(b)) = (chains[0].constant(), chains[1].constant()) {
        let apart = a - b;
        let linear = norm(&DMat3::from_mat4(apart));
        return apart.w_axis.truncate().length() <= ROUNDING * size
            && linear <= ROUNDING * norm(&DMat3::from_mat4(a));
    }
    let (Some((a, of_a)), Some((b, of_b))) = (chains[0].convention(), chains[1].convention())
    else {
        return false;
    };
    let (Some(one), Some(other)) = (a.channel, b.channel) else {
        return false;
    };
    let points = |of: &Convention, value: &Vec3| of.outer.transform_point3(value.as_dvec3());
    let vectors = |of: &Convention, value: &Vec3| of.outer.transform_vector3(value.as_dvec3());
    let scales = |of: &Convention, value: &Vec3| of.factor * value.as_dvec3();
    let near =
        |limit: f64| move |a: DVec3, b: DVec3| a.distance(b) <= limit + ROUNDING * a.length();
    let turned =
        |of: &Convention, value: &Quat| of.rotations[0] * value.as_dquat() * of.rotations[1];
    let rests = [a, b].map(|link| link.rest.to_trs());
    let keeps_axes = [&of_a, &of_b].iter().all(|of| of.keeps_axes);
    let uniform = |track: Option<&Track<Vec3>>| {
        let keys = track.into_iter().flat_map(|track| &track.keys);
        keys.into_iter()
            .all(|key| key.value == Vec3::splat(key.value.x))
    };
    let has_uniform = keeps_axes
        || rests
            .iter()
            .all(|rest| rest.scale == Vec3::splat(rest.scale.x))
            && uniform(one.scale.as_ref())
            && uniform(other.scale.as_ref());
    let lengths = near(ROUNDING * size);
    let ratios = near(0.0);
    has_uniform
        && alike(
            [one.translation.as_ref(), other.translation.as_ref()],
            map,
            || {
                lengths(
                    points(&of_a, &rests[0].translation),
                    points(&of_b, &rests[1].translation),
                )
            },
            |a, b| lengths(points(&of_a, a), points(&of_b, b)),
            |a, b, seconds| lengths(vectors(&of_a, a) * seconds, vectors(&of_b, b) * seconds),
        )
        && alike(
            [one.scale.as_ref(), other.scale.as_ref()],
            map,
            || {
                ratios(
                    scales(&of_a, &rests[0].scale),
                    scales(&of_b, &rests[1].scale),
                )
            },
            |a, b| ratios(scales(&of_a, a), scales(&of_b, b)),
            |a, b, seconds| near(ROUNDING)(scales(&of_a, a) * seconds, scales(&of_b, b) * seconds),
        )
        && alike(
            [one.rotation.as_ref(), other.rotation.as_ref()],
            map,
            || {
                let [a, b] = [
                    turned(&of_a, &rests[0].rotation),
                    turned(&of_b, &rests[1].rotation),
                ];
                is_near(a, b) || is_near(a, -b)
            },
            |a, b| is_near(turned(&of_a, a), turned(&of_b, b)),
            |a, b, seconds| is_near(turned(&of_a, a) * seconds, turned(&of_b, b) * seconds),
        )
}

fn is_near(a: DQuat, b: DQuat) -> bool {
    (a - b).length() <= ROUNDING * a.length().max(1.0)
}

/// Whether two tracks have the same keys and interpolation, or neither side has one and both rest alike.
///
/// * `tangents` – compares two of them over a span's seconds.
pub(super) fn alike<T>(
    tracks: [Option<&Track<T>>; 2],
    map: TimeMap,
    rests: impl FnOnce() -> bool,
    values: impl Fn(&T, &T) -> bool,
    tangents: impl Fn(&T, &T, f64) -> bool,
) -> bool {
    let (a, b) = match tracks {
        [None, None] => return rests(),
        [Some(a), Some(b)] if a.keys.len() == b.keys.len() => (&a.keys, &b.keys),
        _ => return false,
    };
    let spans = |(index, (one, other)): (usize, (&Key<T>, &Key<T>))| {
        let Some(next) = a.get(index + 1) else {
            return true;
        };
        let seconds = next.time.0 - one.time.0;
        match (&one.span, &other.span) {
            (Span::Step, Span::Step) | (Span::Linear, Span::Linear) => true,
            (
                Span::Cubic { leave, arrive },
                Span::Cubic {
                    leave: out,
                    arrive: into,
                },
            ) => tangents(leave, out, seconds) && tangents(arrive, into, seconds),
            _ => false,
        }
    };
    let keys = |(one, other): (&Key<T>, &Key<T>)| {
        let apart = map.after(one.time.0) - other.time.0;
        apart.abs() <= 2.0 * super::curve::rounding(other.time.0)
            && values(&one.value, &other.value)
    };
    (map.rate - 1.0).abs() < 1e-9
        && a.iter().zip(b).all(keys)
        && a.iter().zip(b).enumerate().all(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    fn key(time: f64, span: Span<f64>) -> Key<f64> {
        Key {
            time: Seconds(time),
            value: time,
            span,
        }
    }

    type Change = dyn Fn(&mut Vec<Key<f64>>);

    fn cubic(leave: f64, arrive: f64) -> Span<f64> {
        Span::Cubic { leave, arrive }
    }

    #[test]
    fn tracks_are_alike_with_the_same_times_interpolation_and_tangents() {
        let near = |a: &f64, b: &f64| (a - b).abs() < 0.5;
        let curve = Track {
            keys: vec![
                key(0.0, cubic(1.0, 2.0)),
                key(1.0, Span::Linear),
                key(2.0, Span::Step),
            ],
        };
        let is_alike = |change: &Change, map: TimeMap| {
            let mut other = curve.clone();
            change(&mut other.keys);
            alike(
                [Some(&curve), Some(&other)],
                map,
                || false,
                near,
                |a, b, seconds| near(&(a * seconds), &(b * seconds)),
            )
        };
        let same = TimeMap::IDENTITY;
        assert!(is_alike(&|_| {}, same));
        // The rounding of f32.
        assert!(is_alike(&|keys| keys[1].time = Seconds(1.0 + 1e-7), same));
        assert!(is_alike(
            &|keys| keys.iter_mut().for_each(|key| key.time.0 += 3.0),
            TimeMap {
                rate: 1.0,
                offset: 3.0
            }
        ));
        let changes: [&Change; 7] = [
            &|keys| keys.truncate(2),
            &|keys| keys.push(key(3.0, Span::Step)),
            &|keys| keys[1].time = Seconds(1.1),
            &|keys| keys[1].value = 2.0,
            &|keys| keys[1].span = Span::Step,
            &|keys| keys[0].span = cubic(2.0, 2.0),
            &|keys| keys[0].span = cubic(1.0, 1.0),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            assert!(!is_alike(change, same), "change {index}");
        }
        assert!(!alike(
            [Some(&curve), None],
            same,
            || true,
            near,
            |_, _, _| true
        ));
    }
}
