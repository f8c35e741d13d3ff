//! The poses in which rules check a model.
//!
//! Every clip is sampled at its keys and halfway between them (`times`). Depending on the settings, each joint is rotated
//! back and forth (`range`), unless it only moves together with others. Each pose is skinned once, for all rules.

pub(crate) mod range;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::deformation::{self, Bent, Extent};
use crate::core::context::Context;
use crate::core::settings::SampleTimes;
use crate::pose::{self, ModelPose, Pose, RangePose};
use crate::rig::{Asset, Clip, ClipId, Location, PoseName};
use crate::skinning::DistinctPositions;
use crate::units::Seconds;

/// A model in one pose: a clip at a time, or a pose of the range of motion.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Where the pose comes from.
    pub source: Source,
    /// Every joint in world space.
    pub pose: &'a ModelPose,
    /// The vertices of each shown instance: those with a skin, or all if none has one.
    pub meshes: &'a [DistinctPositions<'a>],
    cx: &'a Context<'a>,
    extents: OnceLock<Vec<Extent>>,
    bent: OnceLock<Vec<Bent<'a>>>,
}

/// The origin of a pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// Sampling of clips.
    Clip(ClipId, Seconds),
    /// The rest pose, or a joint rotated away from it.
    Range(RangePose),
}

impl Source {
    /// Every joint relative to its parent.
    pub(crate) fn pose(self, asset: &Asset) -> Pose {
        match self {
            Self::Clip(clip, time) => pose::sample_finite(asset, &asset[clip], time),
            Self::Range(pose) => pose.pose(asset),
        }
    }
}

impl<'a> Sample<'a> {
    pub(crate) fn new(
        cx: &'a Context<'a>,
        source: Source,
        pose: &'a ModelPose,
        meshes: &'a [DistinctPositions<'a>],
    ) -> Self {
        Self {
            source,
            pose,
            meshes,
            cx,
            extents: OnceLock::new(),
            bent: OnceLock::new(),
        }
    }

    /// How far each of [`meshes`](Self::meshes) reaches.
    pub(crate) fn extents(&self) -> &[Extent] {
        let extents = || {
            self.meshes
                .iter()
                .map(|mesh| Extent::of(&mesh.distinct))
                .collect()
        };
        self.extents.get_or_init(extents)
    }

    /// Every skinned instance, with its bound surface.
    pub(crate) fn bent(&self) -> &[Bent<'a>] {
        let bent = || deformation::bent(self.cx, self.pose, self.meshes);
        self.bent.get_or_init(bent)
    }

    /// `location` in this pose.
    #[must_use]
    pub fn location(&self, location: Location) -> Location {
        match self.source {
            Source::Clip(clip, time) => location.clip_id(clip).at(time),
            Source::Range(pose) => Location {
                pose: Some(PoseName::Range(pose.named(self.cx.asset))),
                ..location
            },
        }
    }
}

/// The maximum number of sample times of all clips of a model together, as long as each clip has [`LEAST_SAMPLES`].
/// Beyond it, samples are dropped evenly, midpoints before keys, and the report says so ([`Thinned`]).
///
/// A clip of 15 seconds at 30 keys per second is checked completely. A library of 76 clips repeats the same poses many
/// times (each starts and ends in the same stance), and wrong weights show in many of them. Of 200 faults planted in
/// the weights of such a model, twice as many sample times found one that these did not, and missed one that these
/// found.
pub const MOST_SAMPLES_OF_MODEL: usize = 1000;

/// The maximum number of vertices skinned for one clip, as long as it has [`SAMPLES_OF_LARGE_MODEL`]: a few seconds on
/// one processor. It does not limit models of up to 30 000 vertices.
pub const MOST_VERTICES_OF_CLIP: usize = 30_000_000;

/// The minimum number of sample times of one clip, whatever the size of the model, if it has few clips. Bad
/// deformation lasts longer than the time between them: half a second in a clip of a minute.
pub const SAMPLES_OF_LARGE_MODEL: usize = 128;

/// The minimum number of samples of one clip, whatever the number of clips, up to `MOST_SAMPLES_IN_ALL`: 15 per second
/// of a clip of a second.
pub const LEAST_SAMPLES: usize = 16;

/// Most samples of a model with any number of clips: [`LEAST_SAMPLES`] for each of 512 clips. Larger libraries have fewer
/// samples per clip. Where fewer than two per clip would remain, evenly spaced clips are checked and the rest skipped.
const MOST_SAMPLES_IN_ALL: usize = 8192;

/// Most vertices skinned for all clips of a model, as long as it has [`MOST_SAMPLES_OF_MODEL`]: some minutes of one
/// processor's time.
const MOST_VERTICES_OF_MODEL: usize = 200_000_000;

/// A clip that was not sampled at every key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Thinned {
    /// Its name.
    pub clip: String,
    /// The number of checked sample times, including the first and the last.
    pub watched: usize,
    /// The number of all sample times: keys, and the midpoints between them.
    #[serde(rename = "moments")]
    pub sample_times: usize,
}

/// Keys closer than this count as one: a hundredth of a frame at 100 frames per second. Importers that divide ticks
/// give the keys of several channels times that differ in their last digits.
const CLOSE: f64 = 1e-4;

/// For each of `clips` its sample times in order (start, end, keys and the midpoints between them), and the number
/// before thinning.
///
/// * `vertices` – number skinned per sample.
pub(crate) fn of_clips(
    clips: &[Clip],
    vertices: usize,
    sampling: SampleTimes,
) -> Vec<(Vec<Seconds>, Option<Thinned>)> {
    let keys: Vec<Vec<f64>> = clips.iter().map(keys).collect();
    let (most, step) = match sampling {
        SampleTimes::Limited => most_of_each(&keys, vertices),
        SampleTimes::All => (usize::MAX, 1),
    };
    let clips = clips.iter().zip(&keys).enumerate();
    let watched = |index: usize| if index.is_multiple_of(step) { most } else { 0 };
    clips
        .map(|(index, (clip, keys))| of_clip(clip, keys, watched(index)))
        .collect()
}

/// The most samples per clip that keep the model within its limit, and the step from one checked clip to the next.
fn most_of_each(keys: &[Vec<f64>], vertices: usize) -> (usize, usize) {
    let all = |most: usize| -> usize {
        let each = keys.iter().map(|keys| with_midpoints(keys).min(most));
        each.sum()
    };
    let of_vertices = MOST_VERTICES_OF_CLIP / vertices.max(1);
    let most = of_vertices.clamp(SAMPLES_OF_LARGE_MODEL, MOST_SAMPLES_OF_MODEL);
    // 1. The largest limit per clip for which the sum stays within the model's limit. The sum grows with the limit, so the
    //    first hit from above is the largest. Short clips need less than the limit and leave the rest to long ones.
    let mut limits = (LEAST_SAMPLES..=most).rev();
    if let Some(most) = limits.find(|most| all(*most) <= MOST_SAMPLES_OF_MODEL) {
        return (most, 1);
    }
    let in_all = (MOST_VERTICES_OF_MODEL / vertices.max(1))
        .clamp(MOST_SAMPLES_OF_MODEL, MOST_SAMPLES_IN_ALL);
    // 2. A library exceeds that even with the least samples: its limit is larger, and each clip has fewer samples.
    // 3. Where two per clip, its ends, are still too many, only one clip in this many is checked.
    let most = (2..=LEAST_SAMPLES).rev().find(|most| all(*most) <= in_all);
    (most.unwrap_or(2), all(2).div_ceil(in_all))
}

fn of_clip(clip: &Clip, keys: &[f64], most: usize) -> (Vec<Seconds>, Option<Thinned>) {
    let sample_times = with_midpoints(keys);
    let times = thinned(keys, most);
    let thinned = (times.len() < sample_times).then(|| Thinned {
        clip: clip.name.clone(),
        watched: times.len(),
        sample_times,
    });
    (times.into_iter().map(Seconds).collect(), thinned)
}

/// The number of `keys` and the midpoints between them.
fn with_midpoints(keys: &[f64]) -> usize {
    (2 * keys.len()).saturating_sub(1)
}

/// At least [`CLOSE`] apart, except for the end, which is always included.
fn keys(clip: &Clip) -> Vec<f64> {
    let [start, end] =
        [clip.start.0, clip.end.0].map(|time| if time.is_finite() { time } else { 0.0 });
    let mut keys = vec![start];
    for Seconds(time) in clip.key_times() {
        if keys.last().is_none_or(|last| time - last >= CLOSE) {
            keys.push(time);
        }
    }
    match keys.last_mut() {
        // A last key just before the end is the end.
        Some(last) if *last > start && end - *last < CLOSE => *last = end,
        Some(last) if end > *last => keys.push(end),
        _ => {}
    }
    keys
}

/// At most `most` (2 or more) of `keys` and the midpoints between them, evenly spaced, including the first and the
/// last; midpoints only if all keys fit.
fn thinned(keys: &[f64], most: usize) -> Vec<f64> {
    let midpoints: Vec<f64> = keys
        .windows(2)
        .map(|pair| pair[0].midpoint(pair[1]))
        .collect();
    let mut times = evenly(keys, most);
    times.extend(evenly(&midpoints, most.saturating_sub(keys.len())));
    times.sort_by(f64::total_cmp);
    times
}

/// At most `most` of `all`, from the first to the last; a single one is the first.
fn evenly(all: &[f64], most: usize) -> Vec<f64> {
    if all.len() <= most {
        return all.to_vec();
    }
    let (last, steps) = (all.len() - 1, most.saturating_sub(1).max(1));
    (0..most).map(|step| all[step * last / steps]).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs;
    use crate::rig::{Channel, NodeId, Track};

    #[test]
    fn of_any_number_of_clips_no_more_samples_are_watched_than_of_a_large_library() {
        let watched = |clips: usize, vertices: usize| {
            let clips: Vec<Clip> = (0..clips)
                .map(|_| clip(1.0, (0..31_u8).map(|key| f64::from(key) / 30.0)))
                .collect();
            let of_clips = of_clips(&clips, vertices, SampleTimes::Limited);
            of_clips.iter().map(|(times, _)| times.len()).sum::<usize>()
        };
        assert_eq!(watched(500, 1000), 500 * LEAST_SAMPLES);
        assert!(watched(5000, 1000) <= MOST_SAMPLES_IN_ALL);
        assert!(watched(20_000, 1000) <= MOST_SAMPLES_IN_ALL);
        assert!(watched(20_000, 1_000_000) <= MOST_SAMPLES_OF_MODEL);
    }

    fn clip(end: f64, times: impl IntoIterator<Item = f64>) -> Clip {
        let keys = times.into_iter().map(|time| (time, Vec3::ZERO));
        let channel = Channel {
            translation: Some(Track::linear(keys)),
            ..Channel::of(NodeId(0))
        };
        Clip {
            channels: vec![channel],
            ..rigs::clip("walk", 0.0, end)
        }
    }

    fn limited(clips: &[Clip]) -> Vec<(Vec<Seconds>, Option<Thinned>)> {
        of_clips(clips, 1000, SampleTimes::Limited)
    }

    fn sampled(clip: &Clip) -> Vec<f64> {
        let (times, _) = limited(std::slice::from_ref(clip)).remove(0);
        times.into_iter().map(|time| time.0).collect()
    }

    #[test]
    fn keys_and_the_midpoints_between_them_are_seen() {
        assert_eq!(
            sampled(&clip(2.0, [0.0, 1.0, 2.0])),
            [0.0, 0.5, 1.0, 1.5, 2.0]
        );
        assert_eq!(sampled(&clip(2.0, [1.0])), [0.0, 0.5, 1.0, 1.5, 2.0]);
    }

    #[test]
    fn keys_that_differ_by_rounding_are_one_sample() {
        let times = [0.0, 1.0, 1.0 + 1e-9, 2.0 - 1e-9];
        assert_eq!(sampled(&clip(2.0, times)), [0.0, 0.5, 1.0, 1.5, 2.0]);
    }

    #[test]
    fn a_clip_without_keys_or_length_is_one_sample() {
        assert_eq!(sampled(&clip(0.0, [])), [0.0]);
        assert_eq!(sampled(&clip(f64::NAN, [f64::NAN])), [0.0]);
    }

    #[test]
    fn a_long_clip_is_thinned_evenly_and_says_so() {
        let (times, thinned) = limited(&[clip(999.0, (0..1000).map(f64::from))]).remove(0);
        let thinned = thinned.expect("there are more samples than are watched");
        let most = MOST_SAMPLES_OF_MODEL;
        assert_eq!((thinned.watched, thinned.sample_times), (most, 1999));
        assert_eq!((times[0], times[most - 1]), (Seconds(0.0), Seconds(999.0)));
        let steps = times.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let longest = steps.fold(0.0, f64::max);
        assert!(longest <= 1.0, "{longest}");
    }

    #[test]
    fn the_larger_a_model_the_fewer_samples_but_not_below_some() {
        let clips = [clip(999.0, (0..1000).map(f64::from))];
        let watched = |vertices| {
            let (times, _) = of_clips(&clips, vertices, SampleTimes::Limited).remove(0);
            times.len()
        };
        assert_eq!(watched(0), MOST_SAMPLES_OF_MODEL);
        assert_eq!(watched(30_000), MOST_SAMPLES_OF_MODEL);
        assert_eq!(watched(60_000), 500);
        assert_eq!(watched(1_000_000), SAMPLES_OF_LARGE_MODEL);
    }

    #[test]
    fn all_samples_are_all_of_them() {
        let clips = [clip(999.0, (0..1000).map(f64::from))];
        let (times, thinned) = of_clips(&clips, 1 << 30, SampleTimes::All).remove(0);
        assert_eq!((times.len(), thinned), (1999, None));
        let halves = (0_u32..).map(|half| Seconds(f64::from(half) / 2.0));
        assert!(times.into_iter().eq(halves.take(1999)));
    }

    #[test]
    fn midpoints_are_thinned_before_keys() {
        let samples = sampled(&clip(799.0, (0..800).map(f64::from)));
        assert_eq!(samples.len(), MOST_SAMPLES_OF_MODEL);
        assert!((0..800).all(|key| samples.contains(&f64::from(key))));
        assert!(samples.is_sorted());
    }

    #[test]
    fn many_clips_share_what_a_model_may_have() {
        let long = clip(99.0, (0..100).map(f64::from));
        let watched = |clips: &[Clip]| {
            let each = limited(clips).into_iter();
            each.map(|(times, _)| times.len()).collect::<Vec<_>>()
        };
        assert_eq!(watched(&vec![long.clone(); 40]), [25; 40]);
        assert_eq!(watched(&vec![long.clone(); 400]), [LEAST_SAMPLES; 400]);
        // What short ones do not need is for the others.
        let mut mixed = vec![clip(0.0, []); 20];
        mixed.extend(vec![long; 9]);
        assert_eq!(watched(&mixed)[20..], [108; 9]);
    }
}
