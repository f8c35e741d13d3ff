//! Passes the poses of a model to the rules that watch it.

use crate::skinning::PreparedMeshes;
use rayon::prelude::*;

use super::analysis::joints::watched;
use super::analysis::motion::{self, Sample, Source, Thinned, range};
use crate::Coverage;
use crate::analysis::deformation::{rest, surface_of};
use crate::core::context::Context;
use crate::core::findings::Findings;
use crate::core::settings::{RangeOfMotion, SampleTimes};
use crate::coverage::Motion;
use crate::finding::Level;
use crate::pose::{self, ModelPose, RangePose};
use crate::rig::{Asset, ClipId, Location, MeshInstance};
use crate::rules::rule::Rule;
use crate::skinning::SkinningError;

/// A watching rule, and the level of its findings.
pub(crate) type Watcher = (&'static dyn Rule, Level);

/// The results of watching.
#[derive(Debug)]
pub(crate) struct Watched {
    /// One per watcher, in their order. An error if the model cannot be skinned.
    pub(crate) findings: Result<Vec<Findings>, SkinningError>,
    /// Clips that were sampled sparsely.
    pub(crate) thinned: Vec<Thinned>,
    /// What the poses moved.
    pub(crate) coverage: Coverage,
}

/// Passes every pose of the model to `watchers`. The result is the same for any number of threads.
pub(crate) fn watch(cx: &Context<'_>, watchers: &[Watcher]) -> Watched {
    prepare(cx);
    let (poses, thinned) = poses(cx);
    let motion = Motion::of(cx);
    let findings = watch_poses(cx, watchers, &poses, &motion);
    Watched {
        findings,
        thinned,
        coverage: motion.coverage(&poses),
    }
}

fn watch_poses(
    cx: &Context<'_>,
    watchers: &[Watcher],
    poses: &[Source],
    motion: &Motion<'_>,
) -> Result<Vec<Findings>, SkinningError> {
    let is_watched = watched(cx.asset);
    let mut findings = none(cx, watchers);
    let blocks = poses.chunks(block_size(cx.asset));
    for block in blocks.take_while(|_| !cx.deadline.has_passed()) {
        let seen: Result<Vec<_>, _> = block
            .par_iter()
            .map(|source| {
                let pose = pose::model_pose(cx.asset, &source.pose(cx.asset));
                motion.record(*source, &pose);
                watch_pose(cx, watchers, (*source, &pose), &is_watched)
            })
            .collect();
        for of_pose in seen? {
            merge(&mut findings, of_pose);
        }
    }
    Ok(findings)
}

/// Computes the analyses that nearly all watchers need before the parallel loop over poses starts.
///
/// The analyses contain parallel loops. A thread that waits for such a loop could steal another pose, which would wait
/// for the analysis that the same thread is computing: a deadlock.
pub(crate) fn prepare(cx: &Context<'_>) {
    rest(cx);
    for instance in &cx.asset.instances {
        surface_of(cx, instance.mesh);
    }
}

fn poses(cx: &Context<'_>) -> (Vec<Source>, Vec<Thinned>) {
    let sample_times = cx.settings.sample_times;
    let (mut poses, mut all_thinned) = (Vec::new(), Vec::new());
    let clips = motion::of_clips(&cx.asset.clips, vertices(cx.asset), sample_times);
    for (index, (times, thinned)) in clips.into_iter().enumerate() {
        let clip = ClipId::from_index(index);
        poses.extend(times.into_iter().map(|time| Source::Clip(clip, time)));
        all_thinned.extend(thinned);
    }
    if goes_through_range(cx) {
        let (range_poses, thinned) = range_poses(cx.asset, sample_times);
        poses.extend(range_poses.into_iter().map(Source::Range));
        all_thinned.extend(thinned);
    }
    (poses, all_thinned)
}

fn range_poses(asset: &Asset, sample_times: SampleTimes) -> (Vec<RangePose>, Option<Thinned>) {
    let all = range::poses(asset);
    let count = all.len();
    let range_poses = match sample_times {
        SampleTimes::Limited => range::thinned(&all, vertices(asset)),
        SampleTimes::All => all,
    };
    let thinned = (range_poses.len() < count).then(|| Thinned {
        clip: "range of motion".to_owned(),
        watched: range_poses.len(),
        sample_times: count,
    });
    (range_poses, thinned)
}

fn goes_through_range(cx: &Context<'_>) -> bool {
    match cx.settings.range_of_motion {
        RangeOfMotion::WithoutClips => {
            let mut clips = cx.asset.clips.iter();
            clips.all(|clip| clip.tracks().next().is_none())
        }
        RangeOfMotion::Always => true,
        RangeOfMotion::Never => false,
    }
}

/// The most vertices of all poses in memory at once, of some 20 bytes each.
const HELD: usize = 1 << 22;

/// The number of poses skinned at once, for any number of threads: few for a large model, to save memory.
fn block_size(asset: &Asset) -> usize {
    (HELD / vertices(asset).max(1)).clamp(1, 256)
}

/// The number of vertices skinned per pose.
pub(crate) fn vertices(asset: &Asset) -> usize {
    let instances = asset.instances.iter();
    instances.fold(0, |sum: usize, instance| {
        sum.saturating_add(asset.mesh_of(instance).positions.len())
    })
}

fn none(cx: &Context<'_>, watchers: &[Watcher]) -> Vec<Findings> {
    let watchers = watchers.iter();
    watchers
        .map(|(rule, level)| Findings::new(cx, rule.meta(), *level))
        .collect()
}

/// The findings of each watcher in one pose.
fn watch_pose(
    cx: &Context<'_>,
    watchers: &[Watcher],
    (source, pose): (Source, &ModelPose),
    is_watched: impl Fn(&MeshInstance) -> bool,
) -> Result<Vec<Findings>, SkinningError> {
    if watchers.is_empty() {
        return Ok(Vec::new());
    }
    let skin = cx.get::<PreparedMeshes>();
    let meshes = skin.distinct_positions(cx.asset, pose, is_watched)?;
    let sample = Sample::new(cx, source, pose, &meshes);
    let mut findings = none(cx, watchers);
    for ((rule, _), found) in watchers.iter().zip(&mut findings) {
        rule.watch(cx, &sample, found);
        if !found.is_empty() {
            found.in_pose(&sample.location(Location::FILE));
        }
    }
    Ok(findings)
}

fn merge(all: &mut [Findings], later: Vec<Findings>) {
    for (all, later) in all.iter_mut().zip(later) {
        all.merge_poses(later);
    }
}
