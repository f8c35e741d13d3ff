//! Shows a model in motion to the rules that watch.

use rayon::prelude::*;

use super::range::{self, Turn};
use super::times::{self, Thinned};
use super::{Moment, Source, shown};
use crate::lint::context::Context;
use crate::lint::finding::Findings;
use crate::lint::rule::{Level, Rule};
use crate::lint::settings::{ClipMoments, RangeOfMotion};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, ClipId, MeshInstance};
use crate::skinning::SkinningError;
use crate::units::Seconds;

/// A rule that watches, and the level of what it finds.
pub(in crate::lint) type Watcher = (&'static dyn Rule, Level);

/// What rules saw.
#[derive(Debug)]
pub(in crate::lint) struct Watched {
    /// One a watcher, in their order.
    pub(in crate::lint) findings: Vec<Findings>,
    /// Clips of which not all was looked at.
    pub(in crate::lint) thinned: Vec<Thinned>,
}

/// Shows every pose of the model to `watchers`. The same for any number of threads.
///
/// # Errors
///
/// [`SkinningError`] if the model cannot be skinned.
pub(in crate::lint) fn watch(
    cx: &Context<'_>,
    watchers: &[Watcher],
) -> Result<Watched, SkinningError> {
    let (poses, thinned) = poses(cx);
    let show = Show {
        cx,
        watchers,
        shown: shown(cx.asset),
    };
    let mut findings = show.none();
    for block in poses.chunks(block_size(cx.asset)) {
        let seen: Result<Vec<_>, _> = block.par_iter().map(|pose| show.pose(*pose)).collect();
        for of_pose in seen? {
            merge(&mut findings, of_pose);
        }
    }
    Ok(Watched { findings, thinned })
}

/// A pose that is still to be made, and whether it is [sparse](Moment::sparse).
#[derive(Debug, Clone, Copy)]
struct Planned {
    kind: Kind,
    sparse: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Clip(ClipId, Seconds),
    Turn(Turn),
}

/// Of so many poses of a long clip one is sparse. Two keys and the middles beside them are apart by less than a tenth of a
/// second at 30 keys a second.
pub(super) const SPARSE: usize = 4;

/// Steps between sparse poses that a clip has at least, if it has so many poses: what a clip of three keys shows, it may
/// show at the second alone.
const FEWEST: usize = 8;

/// Of so many poses of a clip of `poses` poses one is sparse.
fn step(poses: usize, moments: ClipMoments) -> usize {
    match moments {
        ClipMoments::Limited => (poses / FEWEST).clamp(1, SPARSE),
        ClipMoments::All => 1,
    }
}

fn poses(cx: &Context<'_>) -> (Vec<Planned>, Vec<Thinned>) {
    let moments = cx.settings.moments;
    let (mut poses, mut all_thinned) = (Vec::new(), Vec::new());
    let clips = times::of_clips(&cx.asset.clips, vertices(cx.asset), moments);
    for (index, (times, thinned)) in clips.into_iter().enumerate() {
        let clip = ClipId::from_index(index);
        let (step, last) = (step(times.len(), moments), times.len().saturating_sub(1));
        let times = times.into_iter().enumerate();
        poses.extend(times.map(|(place, time)| Planned {
            kind: Kind::Clip(clip, time),
            sparse: place % step == 0 || place == last,
        }));
        all_thinned.extend(thinned);
    }
    if goes_through_range(cx) {
        let turns = range::turns(cx.asset).into_iter();
        poses.extend(turns.map(|turn| Planned {
            kind: Kind::Turn(turn),
            sparse: true,
        }));
    }
    (poses, all_thinned)
}

fn goes_through_range(cx: &Context<'_>) -> bool {
    match cx.settings.range_of_motion {
        RangeOfMotion::WithoutClips => cx.asset.clips.is_empty(),
        RangeOfMotion::Always => true,
        RangeOfMotion::Never => false,
    }
}

/// Vertices of all poses that are held at once; some 100 bytes each.
const HELD: usize = 1 << 20;

/// Poses that are skinned at once, whatever the number of threads: few of a large model, for they take memory.
fn block_size(asset: &Asset) -> usize {
    (HELD / vertices(asset).max(1)).clamp(1, 256)
}

/// How many are skinned in a pose.
fn vertices(asset: &Asset) -> usize {
    let instances = asset.instances.iter();
    instances.fold(0, |sum: usize, instance| {
        sum.saturating_add(asset.mesh_of(instance).positions.len())
    })
}

struct Show<'a, F> {
    cx: &'a Context<'a>,
    watchers: &'a [Watcher],
    shown: F,
}

impl<F: Fn(&MeshInstance) -> bool> Show<'_, F> {
    fn none(&self) -> Vec<Findings> {
        let watchers = self.watchers.iter();
        watchers
            .map(|(rule, level)| Findings::new(rule.meta(), *level))
            .collect()
    }

    fn pose(&self, planned: Planned) -> Result<Vec<Findings>, SkinningError> {
        let (source, pose) = self.made(planned);
        let asset = self.cx.asset;
        let skin = self.cx.prepared.skin(asset);
        let meshes = skin.distinct_positions(asset, &pose, &self.shown)?;
        let moment = Moment::new(self.cx, (&source, planned.sparse), &pose, &meshes);
        let mut findings = self.none();
        for ((rule, _), found) in self.watchers.iter().zip(&mut findings) {
            rule.watch(self.cx, &moment, found);
        }
        Ok(findings)
    }

    fn made(&self, planned: Planned) -> (Source, ModelPose) {
        let asset = self.cx.asset;
        let (source, local) = match planned.kind {
            Kind::Clip(clip, time) => (
                Source::Clip(clip, time),
                pose::sample_finite(asset, &asset.clips[clip.index()], time),
            ),
            Kind::Turn(turn) => (Source::Turned(turn.words(asset)), turn.pose(asset)),
        };
        (source, pose::model_pose(asset, &local))
    }
}

fn merge(all: &mut [Findings], later: Vec<Findings>) {
    for (all, later) in all.iter_mut().zip(later) {
        all.merge_poses(later);
    }
}
