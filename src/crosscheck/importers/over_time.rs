//! Stages: clips, posed joints and skinned vertices over time.

use rayon::prelude::*;

use super::clips;
use super::common::{Posed, skinned};
use super::distances::compare_worlds;
use super::driven::{Driven, Worst};
use super::matching::Key;
use super::motion::Motion;
use super::points;
use super::report::{Location, Stage, StageReport};
use super::sample_times::sample_times;
use super::tally::Tally;
use crate::pose::{self, Pose};
use crate::rig::Clip;
use crate::skinning::SkinningError;
use crate::units::Seconds;

/// Most sample times of all clips together, and the most and least of one clip.
const MOST_TIMES: usize = 4096;
const MOST_TIMES_OF_A_CLIP: usize = 256;
const LEAST_TIMES_OF_A_CLIP: usize = 8;

/// Most vertices skinned for one clip over all sample times, which takes a second or two.
const MOST_VERTICES: usize = 1 << 26;

/// The differences at one sample time.
struct Found {
    /// One per driven joint; `None` if it agrees.
    joints: Vec<Option<Worst>>,
    /// One per morphed mesh: the difference of weights.
    morphs: Vec<f64>,
    posed: Tally,
    vertices: Tally,
}

impl Motion<'_> {
    /// Compares the rest pose's vertices, then clip after clip.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices.
    pub(super) fn compare(&self) -> Result<[StageReport; 3], SkinningError> {
        let mut of_clips = Tally::new(Stage::Clips);
        let mut posed = Tally::new(Stage::PosedJoints);
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        let rest = [0, 1].map(|side| pose::rest(self.matching.trees[side].asset));
        self.compare_vertices(&rest, &Location::default(), &mut vertices)?;
        let pairs = clips::pair_up(self.matching, &mut of_clips);
        let most =
            (MOST_TIMES / pairs.len().max(1)).clamp(LEAST_TIMES_OF_A_CLIP, MOST_TIMES_OF_A_CLIP);
        for pair in pairs {
            clips::compare_ranges(pair, &mut of_clips);
            let (joints, meshes) = (self.driven(pair), self.morphed(pair));
            of_clips.compared(joints.len() + meshes.len());
            let found = self.over_time(pair, most, &joints, &meshes)?;
            for (index, joint) in joints.iter().enumerate() {
                let worst = found.iter().filter_map(|sample| sample.joints[index]);
                self.report_joint(pair, joint, worst, &mut of_clips);
            }
            for (index, &mesh) in meshes.iter().enumerate() {
                let apart = found.iter().map(|sample| sample.morphs[index]);
                self.report_morphs(pair, mesh, apart.fold(0.0, f64::max), &mut of_clips);
            }
            for sample in found {
                posed.merge(sample.posed);
                vertices.merge(sample.vertices);
            }
        }
        Ok([of_clips, posed, vertices].map(Tally::finish))
    }

    fn over_time(
        &self,
        pair: [&Clip; 2],
        most: usize,
        joints: &[Driven],
        meshes: &[Key],
    ) -> Result<Vec<Found>, SkinningError> {
        let times = sample_times(pair, most);
        let count = self.shown.iter().map(|shown| shown.list.len()).sum();
        let skinned = (MOST_VERTICES / std::cmp::max(count, 1)).max(LEAST_TIMES_OF_A_CLIP);
        let step = times.len().div_ceil(skinned).max(1);
        let at =
            |(index, &time): (usize, &f64)| self.at(pair, time, joints, meshes, index % step == 0);
        times.par_iter().enumerate().map(at).collect()
    }

    fn at(
        &self,
        pair: [&Clip; 2],
        time: f64,
        joints: &[Driven],
        meshes: &[Key],
        with_vertices: bool,
    ) -> Result<Found, SkinningError> {
        let location = Location {
            clip: Some(pair[0].name.clone()),
            time: Some(Seconds(time)),
            ..Location::default()
        };
        let poses = [0, 1].map(|side| {
            let asset = self.matching.trees[side].asset;
            pose::sample_finite(asset, pair[side], Seconds(time))
        });
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        if with_vertices {
            self.compare_vertices(&poses, &location, &mut vertices)?;
        }
        let posed = self.posed(poses);
        Ok(Found {
            joints: joints
                .iter()
                .map(|joint| self.joint_off(joint, &posed, time))
                .collect(),
            morphs: self.morphs_off(meshes, &posed),
            posed: self.compare_joints(&posed, &location),
            vertices,
        })
    }

    fn posed(&self, poses: [Pose; 2]) -> [Posed; 2] {
        let [a, b] = poses;
        let of = |side: usize, pose| {
            Posed::new(
                self.matching.trees[side].asset,
                pose,
                &self.common.from[side],
            )
        };
        [of(0, a), of(1, b)]
    }

    fn compare_joints(&self, posed: &[Posed; 2], at: &Location) -> Tally {
        let mut tally = Tally::new(Stage::PosedJoints);
        tally.compared(self.matching.pairs.len());
        for &pair in &self.matching.pairs {
            let worlds = [0, 1].map(|side| &posed[side].worlds[pair[side].index()]);
            let location = || Location {
                joint: Some(self.matching.path_of_pair(pair)),
                ..at.clone()
            };
            compare_worlds(worlds, self.scale, location, &mut tally);
        }
        tally
    }

    fn compare_vertices(
        &self,
        poses: &[Pose; 2],
        location: &Location,
        tally: &mut Tally,
    ) -> Result<(), SkinningError> {
        let of = |side: usize| {
            let asset = self.matching.trees[side].asset;
            skinned(asset, &poses[side], &self.common.from[side])
        };
        let skinned = [of(0)?, of(1)?];
        points::compare(
            self.matching,
            self.shown,
            &skinned,
            self.scale,
            location,
            tally,
        );
        Ok(())
    }
}
