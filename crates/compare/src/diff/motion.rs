//! Compares the motions of joints, with the error metric of the Animation Compression Library, per joint and relative
//! to the parent.
//!
//! A joint's *displacement* is the transform that it applies to the mesh: `common_from_joint · bind⁻¹`. It does not
//! depend on the orientation of the joint's axes. The error of a joint is the largest distance between two
//! displacements of the same point, over points around the joint at the radius of the geometry that it moves. Taken
//! relative to the parent's displacement, it is the joint's own error; the rest is inherited.
//!
//! # Reference
//!
//! N. Frechette, "Animation Compression: Measuring Error", 2016; *Animation Compression Library*, `error_metrics.md`.

use glam::{DMat4, DVec3};
use rayon::prelude::*;

use super::apart;
use super::reach::Rigs;
use super::samples::{self, Sample};
use super::side::{At, Posed};
use crate::rig::{TrackPart, rotation_angle};

/// The fewest joints that are worth a thread of their own.
const PARALLEL: usize = 64;

/// The motion of one pair of joints over a clip.
#[derive(Debug, Clone, Default)]
pub(super) struct JointMotion {
    /// The largest error and its time, including inherited errors.
    pub(super) total: f64,
    pub(super) total_time: f64,
    /// The joint's own error.
    pub(super) own: Extent,
    /// As `own.max`, with displacements from the rest pose instead of the bind pose.
    pub(super) own_from_rest: f64,
    /// How much the own difference varies over time, as a length.
    pub(super) change: f64,
    /// The own difference at the time of its largest error.
    pub(super) difference: Difference,
    /// How far each side moves relative to its parent.
    pub(super) ranges: [Range; 2],
    /// Whether, at the time of the largest error, the model after still has the values of its last key.
    pub(super) holds: bool,
    /// The factor by which the joint's translations are larger after, if that is all that differs in them.
    pub(super) translation_factor: Option<f64>,
    /// Whether it rotates by more than 180° between its keys around that time, and the model before does not.
    pub(super) is_long_way: bool,
}

/// An error over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    pub(super) max: f64,
    pub(super) time: f64,
    /// The largest error at keys of the model before, at keys of the model after, and elsewhere.
    pub(super) at_keys: [f64; 2],
    /// The first and the last time beyond the limit.
    pub(super) beyond: Option<[f64; 2]>,
}

/// The difference between two transforms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Difference {
    /// In degrees.
    pub(super) angle: f64,
    /// The translation of the joint's origin.
    pub(super) shift: f64,
    /// The scale factor of the axis that changes most: 1 for none.
    pub(super) factor: f64,
    pub(super) is_mirrored: bool,
}

/// How far a transform moves over time from its first value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Range {
    pub(super) shift: f64,
    /// As the length of the arc of a point at the joint's reach.
    pub(super) rotation: f64,
    /// As such a length.
    pub(super) scale: f64,
}

/// The displacements of all pairs, on both sides, at one sample time.
type Displacements = [Vec<DMat4>; 2];

impl Rigs<'_> {
    /// From the bind pose.
    pub(super) fn displacements(&self, poses: &[Posed; 2]) -> Displacements {
        self.displaced(poses, &self.bind_inverses)
    }

    /// * `inverses` – of the pose from which joints are displaced.
    fn displaced(&self, poses: &[Posed; 2], inverses: &[Vec<DMat4>; 2]) -> Displacements {
        [0, 1].map(|side: usize| {
            let pairs = self.joints.pairs.iter().zip(&inverses[side]);
            let displaced = pairs.map(|(pair, inverse)| poses[side].joints[pair[side]] * *inverse);
            displaced.collect()
        })
    }

    /// Points around a joint of the model before.
    pub(super) fn points(&self, pair: usize) -> [DVec3; 4] {
        let joint = &self.sides[0].joints[self.joints.pairs[pair][0]];
        let (origin, reach) = (joint.bind.w_axis.truncate(), self.reaches[pair]);
        [
            origin,
            origin + reach * DVec3::X,
            origin + reach * DVec3::Y,
            origin + reach * DVec3::Z,
        ]
    }

    pub(super) fn apart(&self, pair: usize, a: &DMat4, b: &DMat4) -> f64 {
        apart::carried(&self.points(pair), a, b)
    }

    /// The distance of the farthest point that a pair moves.
    pub(super) fn reach(&self, pair: usize) -> f64 {
        let [joint, _] = self.joints.pairs[pair];
        let origin = self.sides[0].joints[joint].bind.w_axis.truncate();
        let vertices = self.carried[pair].iter();
        let distances = vertices.map(|one| one.weight * one.position.distance(origin));
        distances.fold(self.reaches[pair], f64::max)
    }

    /// How far apart the vertices are that a pair carries, at most.
    fn carried_apart(&self, pair: usize, [a, b]: &[DMat4; 2]) -> f64 {
        let vertices = self.carried[pair].iter();
        let apart = vertices.map(|one| one.weight * apart::carried(&[one.position], a, b));
        apart.fold(0.0, f64::max)
    }

    fn own(&self, displacements: &[DMat4], pair: usize) -> DMat4 {
        match self.parents[pair] {
            Some(parent) => displacements[parent].inverse() * displacements[pair],
            None => displacements[pair],
        }
    }

    /// The poses of both sides at a sample.
    pub(super) fn poses(&self, clips: Option<[usize; 2]>, times: [f64; 2]) -> [Posed; 2] {
        [0, 1].map(|side| self.sides[side].pose(At::of(clips, times, side)))
    }

    /// The largest error of any relevant joint at a sample time, including inherited errors.
    pub(super) fn largest_error(&self, displacements: &Displacements) -> f64 {
        let [before, after] = displacements;
        let pairs = (0..self.joints.pairs.len()).filter(|pair| self.is_relevant[*pair]);
        let errors = pairs.map(|pair| self.apart(pair, &before[pair], &after[pair]));
        errors.fold(0.0, f64::max)
    }

    /// The error of each relevant joint relative to its parent.
    pub(super) fn own_errors(&self, displacements: &Displacements) -> Vec<f64> {
        let pairs = (0..self.joints.pairs.len()).filter(|pair| self.is_relevant[*pair]);
        let errors = pairs.map(|pair| {
            let [a, b] = displacements.each_ref().map(|side| self.own(side, pair));
            self.apart(pair, &a, &b)
        });
        errors.collect()
    }

    /// The own error of a joint at times of a clip.
    pub(super) fn own_apart(&self, pair: usize, clips: [usize; 2], times: [f64; 2]) -> f64 {
        let displacements = self.displacements(&self.poses(Some(clips), times));
        let [a, b] = displacements.each_ref().map(|side| self.own(side, pair));
        self.apart(pair, &a, &b)
    }

    /// How each pair moves over a clip.
    ///
    /// * `limits` – one per pair.
    /// * `surface_differs` – whether a joint counts with all vertices that it carries. Where the surface agrees, only its
    ///   own count.
    pub(super) fn motions(
        &self,
        clips: Option<[usize; 2]>,
        samples: &[Sample],
        limits: &[f64],
        surface_differs: bool,
    ) -> Vec<JointMotion> {
        let pairs = self.joints.pairs.iter();
        let mut trackers: Vec<Tracker> = pairs
            .map(|pair| Tracker {
                keys: [0, 1].map(|side| {
                    let own = self.sides[side];
                    let of = |part| own.part_keys(clips?[side], pair[side], part);
                    Keys {
                        all: clips.and_then(|clips| own.joint_keys(clips[side], pair[side])),
                        translation: of(TrackPart::Translation),
                        rotation: of(TrackPart::Rotation),
                        scale: of(TrackPart::Scale),
                    }
                }),
                with_carried: surface_differs,
                ..Tracker::default()
            })
            .collect();
        for sample in samples {
            let poses = self.poses(clips, sample.times);
            let displacements = [&self.bind_inverses, &self.rest_inverses]
                .map(|inverses| self.displaced(&poses, inverses));
            let trackers = trackers.par_iter_mut().with_min_len(PARALLEL).enumerate();
            trackers.for_each(|(pair, tracker)| {
                tracker.see(self, pair, &displacements, sample, limits[pair]);
            });
        }
        trackers.into_iter().map(Tracker::finish).collect()
    }
}

/// Follows a pair of joints through the samples.
#[derive(Default)]
struct Tracker {
    motion: JointMotion,
    /// The joint's own keys on both sides.
    keys: [Keys; 2],
    translations: Translations,
    /// Whether the vertices that it carries count.
    with_carried: bool,
    /// Relative to the parent, on both sides, at the first sample.
    first: Option<[DMat4; 2]>,
    /// The same at the last sample with a key of the model after.
    last_key: Option<[DMat4; 2]>,
    /// The same at the last sample.
    last: Option<[DMat4; 2]>,
    /// How far each side has rotated since that key, in degrees.
    rotated: [f64; 2],
    /// Whether the largest error is since that key.
    is_worst_span: bool,
    /// The difference as seen from either end of the transform, at the first sample.
    differences: Option<[DMat4; 2]>,
    /// How much these differences have changed since.
    changes: [f64; 2],
}

/// The times of a joint's keys, ascending, if known.
#[derive(Default)]
struct Keys {
    all: Option<Vec<f64>>,
    translation: Option<Vec<f64>>,
    rotation: Option<Vec<f64>>,
    scale: Option<Vec<f64>>,
}

impl Keys {
    /// The keys of `part`, if it has any, or else all.
    fn of(&self, part: Option<TrackPart>) -> Option<&[f64]> {
        let own = match part {
            Some(TrackPart::Translation) => &self.translation,
            Some(TrackPart::Rotation) => &self.rotation,
            Some(TrackPart::Scale) => &self.scale,
            _ => &None,
        };
        own.as_deref().or(self.all.as_deref())
    }
}

impl Tracker {
    fn see(
        &mut self,
        rigs: &Rigs<'_>,
        pair: usize,
        [from_bind, from_rest]: &[Displacements; 2],
        sample: &Sample,
        limit: f64,
    ) {
        let time = sample.times[0];
        let total = from_bind.each_ref().map(|side| side[pair]);
        let total_from_rest = from_rest.each_ref().map(|side| side[pair]);
        let total = self.error(rigs, pair, &total, &total_from_rest);
        let motion = &mut self.motion;
        if total > motion.total {
            (motion.total, motion.total_time) = (total, time);
        }
        let from_rest = from_rest.each_ref().map(|side| rigs.own(side, pair));
        let error = rigs.apart(pair, &from_rest[0], &from_rest[1]);
        motion.own_from_rest = motion.own_from_rest.max(error);

        let own = from_bind.each_ref().map(|side| rigs.own(side, pair));
        let error = self.error(rigs, pair, &own, &from_rest);
        let origin = rigs.points(pair)[0];
        self.translations
            .see(own.map(|side| side.transform_point3(origin)));
        let difference = (error > limit).then(|| Difference::of(&own, origin));
        let part = difference.map(|difference| difference.part(rigs.reach(pair)));
        let is_key = [0, 1].map(|side| self.is_key(side, part, sample));
        let motion = &mut self.motion;
        let extent = &mut motion.own;
        for (side, is_key) in is_key.into_iter().enumerate() {
            if is_key {
                extent.at_keys[side] = extent.at_keys[side].max(error);
            }
        }
        if error > limit {
            let [first, _] = extent.beyond.unwrap_or([time; 2]);
            extent.beyond = Some([first, time]);
        }
        if error > extent.max {
            (extent.max, extent.time) = (error, time);
            motion.difference = difference.unwrap_or_else(|| Difference::of(&own, origin));
            if let Some(last) = &self.last_key {
                let moved = [0, 1].map(|side| rigs.apart(pair, &last[side], &own[side]));
                motion.holds = moved[1] < 0.02 * moved[0];
            }
            (motion.is_long_way, self.is_worst_span) = (false, true);
        }
        if let Some(last) = self.last {
            for side in [0, 1] {
                self.rotated[side] += angle(&last[side], &own[side]);
            }
        }
        self.last = Some(own);
        if is_key[1] {
            if self.is_worst_span {
                motion.is_long_way = self.rotated[1] > 180.0 && self.rotated[0] < 180.0;
            }
            self.last_key = Some(own);
            (self.rotated, self.is_worst_span) = ([0.0; 2], false);
        }
        let first = *self.first.get_or_insert(own);
        for side in [0, 1] {
            let reach = rigs.reaches[pair];
            motion.ranges[side].see(&first[side], &own[side], origin, reach);
        }
        let now = [own[0].inverse() * own[1], own[1] * own[0].inverse()];
        let then = *self.differences.get_or_insert(now);
        for (side, (then, now)) in then.into_iter().zip(now).enumerate() {
            let between = [then, now];
            let change = self.error(rigs, pair, &between, &between);
            self.changes[side] = self.changes[side].max(change);
        }
        // Constant in the joint's own space, or in its parent's.
        self.motion.change = self.changes[0].min(self.changes[1]);
    }

    /// How far apart two displacements are.
    ///
    /// * `from_rest` – the same from the rest pose. Joints are bound for the sake of their own vertices, so a carried
    ///   vertex is only off if it is by either measure.
    fn error(
        &self,
        rigs: &Rigs<'_>,
        pair: usize,
        from_bind: &[DMat4; 2],
        from_rest: &[DMat4; 2],
    ) -> f64 {
        let [a, b] = from_bind;
        let own = rigs.apart(pair, a, b);
        if !self.with_carried {
            return own;
        }
        let carried = [from_bind, from_rest].map(|both| rigs.carried_apart(pair, both));
        own.max(carried[0].min(carried[1]))
    }

    /// Whether a side has a key at a sample: of `part`, if that has keys, or else of any part. Other keys of the joint do
    /// not make a difference in that part one of keys.
    fn is_key(&self, side: usize, part: Option<TrackPart>, sample: &Sample) -> bool {
        match self.keys[side].of(part) {
            // Just before a step, no key is nearer than that rounding.
            Some(_) if sample.is_key == [false; 2] => false,
            Some(keys) => samples::contains(keys, sample.times[side]),
            None => sample.is_key[side],
        }
    }

    fn finish(self) -> JointMotion {
        JointMotion {
            translation_factor: self.translations.factor(),
            ..self.motion
        }
    }
}

/// The positions of a joint relative to its parent, on both sides, from the first sample on.
#[derive(Default)]
struct Translations {
    first: Option<[DVec3; 2]>,
    /// Sums of products: before with before, before with after, and after with after.
    products: [f64; 3],
}

/// Translations are those before times a factor if their distances to it are smaller than this fraction of them.
const SCALED: f64 = 0.02;

impl Translations {
    fn see(&mut self, now: [DVec3; 2]) {
        let first = *self.first.get_or_insert(now);
        let [a, b] = [now[0] - first[0], now[1] - first[1]];
        let products = [a.dot(a), a.dot(b), b.dot(b)];
        for (sum, product) in self.products.iter_mut().zip(products) {
            *sum += product;
        }
    }

    /// The factor by least squares.
    fn factor(&self) -> Option<f64> {
        let [before, mixed, after] = self.products;
        let factor = mixed / before;
        let rest = after - factor * mixed;
        (factor > 0.0 && factor.is_finite() && rest <= SCALED * SCALED * after).then_some(factor)
    }
}

impl Difference {
    /// How far the rotation and the scale move a point at the distance `reach`.
    pub(super) fn turned_and_scaled(&self, reach: f64) -> [f64; 2] {
        let rotated = self.angle.to_radians() * reach;
        [rotated, (self.factor - 1.0).abs() * reach]
    }

    /// The part of the transform that differs most, for a point at the distance `reach`.
    pub(super) fn part(&self, reach: f64) -> TrackPart {
        let [rotated, scaled] = self.turned_and_scaled(reach);
        if self.shift >= rotated.max(scaled) {
            TrackPart::Translation
        } else if rotated >= scaled {
            TrackPart::Rotation
        } else {
            TrackPart::Scale
        }
    }

    fn of([a, b]: &[DMat4; 2], origin: DVec3) -> Self {
        let scales = [a, b].map(|matrix| matrix.to_scale_rotation_translation().0.abs());
        let ratios = (scales[1] / scales[0]).to_array();
        let strangest = ratios
            .into_iter()
            .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
            .max_by(|x, y| x.ln().abs().total_cmp(&y.ln().abs()));
        let [from, to] = [a, b].map(|matrix| matrix.transform_point3(origin));
        Self {
            angle: angle(a, b),
            shift: from.distance(to),
            factor: strangest.unwrap_or(1.0),
            is_mirrored: a.determinant() * b.determinant() < 0.0,
        }
    }
}

/// The angle between the rotations of two matrices, in degrees.
fn angle(a: &DMat4, b: &DMat4) -> f64 {
    let [a, b] = [a, b].map(|matrix| matrix.to_scale_rotation_translation().1);
    let angle = rotation_angle(a.conjugate() * b);
    if angle.is_finite() {
        angle.to_degrees()
    } else {
        0.0
    }
}

impl Range {
    fn see(&mut self, first: &DMat4, now: &DMat4, origin: DVec3, reach: f64) {
        let [from, to] = [first, now].map(|matrix| matrix.transform_point3(origin));
        self.shift = self.shift.max(from.distance(to));
        self.rotation = self.rotation.max(angle(first, now).to_radians() * reach);
        let scales = [first, now].map(|matrix| matrix.to_scale_rotation_translation().0.abs());
        let scaled = (scales[1] - scales[0]).abs().max_element() * reach;
        self.scale = self.scale.max(scaled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Source;
    use crate::diff::samples::TimeMap;
    use crate::diff::testing::{rising, with_rigs};

    fn moved(before: &[(f64, f32)], after: &[(f64, f32)]) -> JointMotion {
        let sources = [before, after].map(|keys| Source::from(rising(keys)));
        with_rigs(&sources, |rigs| {
            let samples = samples::keys(rigs.sides, [0, 0], TimeMap::IDENTITY);
            let motions = rigs.motions(Some([0, 0]), &samples.list, &[1e-3], false);
            motions.into_iter().next().expect("there is a joint")
        })
    }

    #[test]
    fn an_error_is_at_the_keys_of_the_side_that_has_them() {
        let [still, hop] = [
            &[(0.0, 0.0), (1.0, 0.0)][..],
            &[(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)],
        ];
        let at_keys = |before, after| moved(before, after).own.at_keys.map(|error| error > 0.9);
        assert_eq!(at_keys(still, hop), [false, true]);
        assert_eq!(at_keys(hop, still), [true, false]);
    }

    #[test]
    fn a_joint_holds_if_it_stays_where_its_last_key_was() {
        let [still, rise] = [&[(0.0, 0.0), (1.0, 0.0)][..], &[(0.0, 0.0), (1.0, 1.0)]];
        assert!(moved(rise, still).holds);
        assert!(!moved(still, rise).holds);
    }
}
