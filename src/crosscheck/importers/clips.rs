//! Stages: clips, posed joints and skinned vertices over time.
//!
//! `diff` also matches clips by similar names and by motion, and samples them at keys, because it tells an error at keys
//! from one between them. Here, another name is a difference, and the tracks tell what differs.

use rayon::prelude::*;

use super::both::{Both, time_tolerance};
use super::driven::{Deviation, Driven};
use super::matching::{Key, pair_by_name};
use super::place::Place;
use super::report::{Kind, Off, Stage, StageReport, Tally};
use super::vertices::Shown;
use super::{driven, joints, vertices};
use crate::pose::{self, Pose};
use crate::rig::{Clip, ClipId};
use crate::skinning::SkinningError;
use crate::units::Seconds;

/// Pairs clips by name, in order among equal names. The rest is paired by order if both sides have equally many left. A clip
/// that drives nothing may be missing.
fn pair_up(both: &Both<'_>, tally: &mut Tally) -> Vec<[ClipId; 2]> {
    let all = [0, 1].map(|side| -> Vec<ClipId> {
        let count = both.asset(side).clips.len();
        (0..count).map(ClipId::from_index).collect()
    });
    let clip = |side: usize, id: ClipId| &both.asset(side)[id];
    let named = pair_by_name([&all[0], &all[1]], |side, id| {
        Some(clip(side, id).name.as_str())
    });
    let (mut pairs, mut left) = (named.pairs, named.left);
    for (side, ids) in left.iter_mut().enumerate() {
        ids.retain(|id| {
            let clip = clip(side, *id);
            !clip.channels.is_empty() || !clip.morph_channels.is_empty()
        });
    }
    if left[0].len() == left[1].len() {
        for (&a, &b) in left[0].iter().zip(&left[1]) {
            pairs.push([a, b]);
            let clips = both.clips([a, b]);
            if clips.iter().all(|clip| clip.unnamed) {
                continue;
            }
            let says = clips.map(|clip| format!("\"{}\"", clip.name));
            tally.add(Kind::ClipName, f64::INFINITY, |worst| {
                worst.at(Place::clip(0, a)).saying(says)
            });
        }
        return pairs;
    }
    for (side, list) in left.iter().enumerate() {
        for clip in list {
            tally.add(Kind::ClipMissing, f64::INFINITY, |worst| {
                worst.at(Place::clip(side, *clip)).only(side, "a clip")
            });
        }
    }
    pairs
}

/// Compares start and end of two clips.
fn compare_ranges(both: &Both<'_>, ids: [ClipId; 2], tally: &mut Tally) {
    let clips = both.clips(ids);
    let [a, b] = clips;
    let apart = (a.start.0 - b.start.0).abs().max((a.end.0 - b.end.0).abs());
    if apart > time_tolerance(a.end.0.abs().max(b.end.0.abs())) {
        tally.add(Kind::ClipRange, apart, |worst| {
            let range = |clip: &Clip| format!("{:.6} to {:.6} s", clip.start.0, clip.end.0);
            worst
                .at(Place::clip(0, ids[0]))
                .saying(clips.map(range))
                .off(Off::Time {
                    seconds: Seconds(apart),
                })
        });
    }
}

/// The times to compare `clips` at, in order: just after each key of either, and in the middle between neighbours.
///
/// Not exactly at key times: where a value jumps, a time within tolerance is before the jump for one importer and after
/// it for the other. The times cover the interval that both clips share, or the union if they share none.
///
/// * `most` – the most times. If there are more, every second, third, … pair of key and midpoint is used.
pub(super) fn sample_times(clips: [&Clip; 2], most: usize) -> Vec<f64> {
    let keys = merged(key_times(clips));
    let mut pairs = Vec::with_capacity(keys.len());
    for (index, &key) in keys.iter().enumerate() {
        let after = key + 2.0 * time_tolerance(key);
        let next = keys.get(index + 1);
        let middle = next.map(|next| key.midpoint(*next));
        pairs.push((after, middle.filter(|middle| *middle > after)));
    }
    let step = (2 * pairs.len()).div_ceil(most.max(2)).max(1);
    let last = pairs.last().map(|(after, _)| *after);
    let taken = pairs.into_iter().step_by(step);
    let mut sample_times: Vec<f64> = taken
        .flat_map(|(after, middle)| [Some(after), middle])
        .flatten()
        .collect();
    if sample_times.last() < last.as_ref() {
        sample_times.extend(last);
    }
    sample_times
}

/// The key times of both clips, with both ends, where both clips run.
fn key_times(clips: [&Clip; 2]) -> Vec<f64> {
    let [a, b] = clips.map(|clip| [clip.start.0, clip.end.0]);
    let shared = [a[0].max(b[0]), a[1].min(b[1])];
    let range = if shared[0] <= shared[1] {
        shared
    } else {
        [a[0].min(b[0]), a[1].max(b[1])]
    };
    let mut times = range.to_vec();
    for clip in clips {
        times.extend(clip.drivers().flat_map(|driver| driver.track.times()));
    }
    times.retain(|time| (range[0]..=range[1]).contains(time));
    times
}

/// Ascending; of times within the tolerance of each other, the latest is kept.
fn merged(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    let mut merged: Vec<f64> = Vec::with_capacity(times.len());
    for time in times {
        match merged.last_mut() {
            Some(last) if time - *last <= time_tolerance(time) => *last = time,
            _ => merged.push(time),
        }
    }
    merged
}

/// Most sample times of all clips together, and the most and least of one clip.
const MOST_TIMES: usize = 4096;
const MOST_TIMES_OF_A_CLIP: usize = 256;
const LEAST_TIMES_OF_A_CLIP: usize = 8;

/// Most vertices skinned for one clip over all sample times, which takes a second or two.
const MOST_VERTICES: usize = 1 << 26;

/// Compares the rest pose's vertices, then clip after clip.
///
/// # Errors
///
/// [`SkinningError`] if there are too many vertices.
pub(super) fn compare(
    both: &Both<'_>,
    shown: &[Shown; 2],
) -> Result<[StageReport; 3], SkinningError> {
    let mut of_clips = Tally::new(Stage::Clips);
    let mut posed = Tally::new(Stage::PosedJoints);
    let mut vertices = Tally::new(Stage::SkinnedVertices);
    let rest = [both.asset(0), both.asset(1)].map(pose::rest);
    compare_vertices(both, shown, &rest, Place::default(), &mut vertices)?;
    let pairs = pair_up(both, &mut of_clips);
    let most = (MOST_TIMES / pairs.len().max(1)).clamp(LEAST_TIMES_OF_A_CLIP, MOST_TIMES_OF_A_CLIP);
    for ids in pairs {
        compare_ranges(both, ids, &mut of_clips);
        let clips = both.clips(ids);
        let pair = Pair {
            both,
            shown,
            ids,
            joints: Driven::all(both, clips),
            meshes: driven::morphed(both, clips),
        };
        of_clips.compared(pair.joints.len() + pair.meshes.len());
        let found = pair.over_time(most)?;
        for (index, joint) in pair.joints.iter().enumerate() {
            let deviations = found.iter().filter_map(|sample| sample.joints[index]);
            joint.report(both, ids, deviations, &mut of_clips);
        }
        for (index, &mesh) in pair.meshes.iter().enumerate() {
            let apart = found.iter().map(|sample| sample.meshes[index]);
            driven::report(both, ids, mesh, apart.fold(0.0, f64::max), &mut of_clips);
        }
        for sample in found {
            posed.merge(sample.posed);
            vertices.merge(sample.vertices);
        }
    }
    Ok([of_clips, posed, vertices].map(|tally| tally.finish(&both.matching)))
}

/// Two clips, and what either drives.
struct Pair<'a> {
    both: &'a Both<'a>,
    shown: &'a [Shown; 2],
    ids: [ClipId; 2],
    joints: Vec<Driven>,
    meshes: Vec<Key>,
}

/// The differences at one sample time.
struct Found {
    /// One per driven joint; `None` if it agrees.
    joints: Vec<Option<Deviation>>,
    /// One per morphed mesh: the difference of weights.
    meshes: Vec<f64>,
    posed: Tally,
    vertices: Tally,
}

impl Pair<'_> {
    fn over_time(&self, most: usize) -> Result<Vec<Found>, SkinningError> {
        let times = sample_times(self.both.clips(self.ids), most);
        let count = self.shown.iter().map(|shown| shown.list.len()).sum();
        let skinned = (MOST_VERTICES / std::cmp::max(count, 1)).max(LEAST_TIMES_OF_A_CLIP);
        let step = times.len().div_ceil(skinned).max(1);
        let at = |(index, &time): (usize, &f64)| self.at(time, index % step == 0);
        times.par_iter().enumerate().map(at).collect()
    }

    fn at(&self, time: f64, with_vertices: bool) -> Result<Found, SkinningError> {
        let (both, clips) = (self.both, self.both.clips(self.ids));
        let place = Place {
            time: Some(Seconds(time)),
            ..Place::clip(0, self.ids[0])
        };
        let poses =
            [0, 1].map(|side| pose::sample_finite(both.asset(side), clips[side], Seconds(time)));
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        if with_vertices {
            compare_vertices(both, self.shown, &poses, place, &mut vertices)?;
        }
        let [a, b] = poses;
        let poses = [both.posed(0, a), both.posed(1, b)];
        let mut posed = Tally::new(Stage::PosedJoints);
        joints::compare_transforms(both, &poses, place, &mut posed);
        let joints = self.joints.iter();
        Ok(Found {
            joints: joints
                .map(|joint| joint.deviation(both, &poses, time))
                .collect(),
            meshes: driven::deviations(both, &self.meshes, &poses),
            posed,
            vertices,
        })
    }
}

fn compare_vertices(
    both: &Both<'_>,
    shown: &[Shown; 2],
    poses: &[Pose; 2],
    at: Place,
    tally: &mut Tally,
) -> Result<(), SkinningError> {
    let skinned = [both.skinned(0, &poses[0])?, both.skinned(1, &poses[1])?];
    vertices::compare(both, shown, &skinned, at, tally);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::clip;

    #[test]
    fn a_clip_without_keys_is_sampled_from_end_to_end() {
        let [a, b] = [clip("a", 0.0, 2.0), clip("a", 1.0, 2.0)];
        let seen = sample_times([&a, &b], 100);
        assert!(seen[0] > 1.0 && seen[0] < 1.001, "{seen:?}");
        assert!((seen[1] - 1.5).abs() < 1e-12, "{seen:?}");
        assert!(seen[2] > 2.0 && seen.len() == 3, "{seen:?}");
    }

    #[test]
    fn clips_without_a_common_time_are_still_compared() {
        let [a, b] = [clip("a", 0.0, 1.0), clip("a", 2.0, 3.0)];
        let seen = sample_times([&a, &b], 100);
        assert!(seen[0] < 0.1 && seen[seen.len() - 1] > 2.9, "{seen:?}");
    }

    #[test]
    fn times_that_differ_by_rounding_are_one() {
        assert_eq!(merged(vec![0.5, 0.5 + 1e-9, 0.25]).len(), 2);
        assert_eq!(merged(vec![0.5, 0.5 + 1e-4]).len(), 2);
    }
}
