//! Stages: clips, posed joints and skinned vertices over time.

use rayon::prelude::*;

use super::both::Both;
use super::driven::{Deviation, Driven};
use super::matching::Key;
use super::report::{Stage, StageReport};
use super::sample_times::sample_times;
use super::tally::Tally;
use super::vertex::Shown;
use super::{clips, morphing, points, transforms};
use crate::pose::{self, Pose};
use crate::rig::{Clip, Location};
use crate::skinning::SkinningError;
use crate::units::Seconds;

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
    let assets = [both.asset(0), both.asset(1)];
    let rest = assets.map(pose::rest);
    compare_vertices(both, shown, &rest, &Location::FILE, &mut vertices)?;
    let pairs = clips::pair_up(assets, &mut of_clips);
    let most = (MOST_TIMES / pairs.len().max(1)).clamp(LEAST_TIMES_OF_A_CLIP, MOST_TIMES_OF_A_CLIP);
    for clips in pairs {
        clips::compare_ranges(clips, &mut of_clips);
        let pair = Pair {
            both,
            shown,
            clips,
            joints: Driven::all(both, clips),
            meshes: morphing::morphed(both, clips),
        };
        of_clips.compared(pair.joints.len() + pair.meshes.len());
        let found = pair.over_time(most)?;
        for (index, joint) in pair.joints.iter().enumerate() {
            let deviations = found.iter().filter_map(|sample| sample.joints[index]);
            joint.report(both, clips, deviations, &mut of_clips);
        }
        for (index, &mesh) in pair.meshes.iter().enumerate() {
            let apart = found.iter().map(|sample| sample.meshes[index]);
            morphing::report(both, clips, mesh, apart.fold(0.0, f64::max), &mut of_clips);
        }
        for sample in found {
            posed.merge(sample.posed);
            vertices.merge(sample.vertices);
        }
    }
    Ok([of_clips, posed, vertices].map(Tally::finish))
}

/// Two clips, and what either drives.
struct Pair<'a> {
    both: &'a Both<'a>,
    shown: &'a [Shown; 2],
    clips: [&'a Clip; 2],
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
        let times = sample_times(self.clips, most);
        let count = self.shown.iter().map(|shown| shown.list.len()).sum();
        let skinned = (MOST_VERTICES / std::cmp::max(count, 1)).max(LEAST_TIMES_OF_A_CLIP);
        let step = times.len().div_ceil(skinned).max(1);
        let at = |(index, &time): (usize, &f64)| self.at(time, index % step == 0);
        times.par_iter().enumerate().map(at).collect()
    }

    fn at(&self, time: f64, with_vertices: bool) -> Result<Found, SkinningError> {
        let (both, clips) = (self.both, self.clips);
        let location = Location::clip(&clips[0].name).at(Seconds(time));
        let poses =
            [0, 1].map(|side| pose::sample_finite(both.asset(side), clips[side], Seconds(time)));
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        if with_vertices {
            compare_vertices(both, self.shown, &poses, &location, &mut vertices)?;
        }
        let [a, b] = poses;
        let poses = [both.posed(0, a), both.posed(1, b)];
        let mut posed = Tally::new(Stage::PosedJoints);
        transforms::compare(both, &poses, &location, &mut posed);
        let joints = self.joints.iter();
        Ok(Found {
            joints: joints
                .map(|joint| joint.deviation(both, &poses, time))
                .collect(),
            meshes: morphing::deviations(both, &self.meshes, &poses),
            posed,
            vertices,
        })
    }
}

fn compare_vertices(
    both: &Both<'_>,
    shown: &[Shown; 2],
    poses: &[Pose; 2],
    at: &Location,
    tally: &mut Tally,
) -> Result<(), SkinningError> {
    let skinned = [both.skinned(0, &poses[0])?, both.skinned(1, &poses[1])?];
    points::compare(both, shown, &skinned, at, tally);
    Ok(())
}
