//! Whether a copy is the model without the repaired faults, and nothing else is different.
//!
//! 1. Each repaired rule finds less than before, no rule finds anything new, and none is unchecked that was checked.
//! 2. Weights differ only at vertices that the findings of repaired rules name, and normals only where they were
//!    missing or not of length 1.
//! 3. At all keys that are left and half-way between, only those vertices are elsewhere.
//! 4. With their new weights and normals, and the new names, the model before is the same as the copy for `diff`, at all its times.
//!
//! Where all numbers are equal, as after new names, so are the poses, and no vertex is skinned.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::deadline::Deadline;
use crate::diff::{self, Source, Tolerance};
use crate::finding::{Code, Finding, Level};
use crate::import::unit::NORMAL;
use crate::lint::{Checked, range_of_motion};
use crate::pose::{self, ModelPose, Pose, Sampler};
use crate::repairs::{Changes, Repair, named};
use crate::rig::{
    Asset, Bounds, Clip, Ids, Influence, Influences, Mesh, SkinningOptions, Track, WeightStorage,
};
use crate::skinning::{Attributes, Prepared};
use crate::units::{Seconds, amount};
use crate::{FixError, Moved};

/// A model and what the rules found in it.
pub(crate) struct Version<'a> {
    pub(crate) asset: &'a Asset,
    pub(crate) checked: &'a Checked,
}

/// What a copy failed to prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// Why there is no proof: the copy is wrong, or it could not be examined.
pub(crate) enum Unproven {
    Wrong(Failure),
    Failed(FixError),
}

impl<E: Into<FixError>> From<E> for Unproven {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

fn wrong<T>(message: impl Into<String>) -> Result<T, Unproven> {
    Err(Unproven::Wrong(Failure(message.into())))
}

/// How far a vertex may be from where it was before it counts as moved, in diagonals of the model: a tenth of what `diff` allows for
/// the roundings of f32 along forty joints in a row.
const ROUNDING: f64 = 1e-5;

/// The clips whose first or last key was removed, and the times that are left.
pub(crate) type Kept = BTreeMap<usize, [f64; 2]>;

/// Proves that `after` is `before`, repaired.
pub(crate) fn prove(
    before: &Version<'_>,
    after: &Version<'_>,
    repairs: &[&Repair],
    kept: &Kept,
    deadline: Deadline,
) -> Result<Moved, Unproven> {
    compare_findings(before.checked, after.checked, repairs)?;
    let freed = freed_vertices(before, repairs);
    let mut expected = expected(
        before.asset,
        after.asset,
        &with_rescaled(before, after, &freed),
        repairs,
    )?;
    cut_clips(&mut expected, after.asset, kept)?;
    let is_equal = are_equal(&expected, after.asset);
    let is_still = is_equal && kept.is_empty() && freed.iter().all(BTreeSet::is_empty);
    let assets = [before.asset, after.asset];
    let moved = moved(assets, &freed, kept, is_still, deadline)?;
    if is_equal {
        return Ok(moved);
    }
    let options = diff::Options {
        settings: diff::Settings {
            tolerance: Some(Tolerance::Diagonal(ROUNDING)),
            ..diff::Settings::default()
        },
        deadline,
        ..diff::Options::default()
    };
    let [expected, after] = [expected, after.asset.clone()].map(Source::from);
    let report = diff::compare(&expected, &after, &options)?;
    if !report.is_same() {
        let difference = report.differences().next();
        let message = difference.map(|difference| difference.finding.message.clone());
        return wrong(message.unwrap_or_else(|| "a pose is another one".to_owned()));
    }
    Ok(moved)
}

/// Whether two models have everything that `diff` compares in common.
fn are_equal(a: &Asset, b: &Asset) -> bool {
    a.space == b.space
        && a.skeleton == b.skeleton
        && a.meshes == b.meshes
        && a.skins == b.skins
        && a.instances == b.instances
        && a.hidden_nodes == b.hidden_nodes
        && a.clips == b.clips
        && a.materials == b.materials
        && a.expressions == b.expressions
        && a.constraints == b.constraints
        && a.humanoid == b.humanoid
        && a.images == b.images
}

/// The number of faults that a rule found.
pub(crate) fn count(checked: &Checked, code: Code) -> usize {
    let own = checked
        .findings
        .iter()
        .filter(|finding| finding.code == code);
    own.map(|finding| finding.count).sum()
}

fn compare_findings(
    before: &Checked,
    after: &Checked,
    repairs: &[&Repair],
) -> Result<(), Unproven> {
    for repair in repairs {
        let [earlier, later] = [before, after].map(|checked| count(checked, repair.code));
        if later >= earlier {
            return wrong(format!("{} is still found", repair.code));
        }
    }
    let mut known = subjects(before);
    for ((code, ids), (count, finding)) in subjects(after) {
        let earlier = known.remove(&(code, ids)).map_or(0, |(count, _)| count);
        if count > earlier && finding.level >= Level::Hint {
            return wrong(format!("{code} would be found: {}", finding.message));
        }
    }
    let unchecked = |checked: &Checked| -> BTreeSet<Code> {
        checked
            .unchecked
            .iter()
            .map(|unchecked| unchecked.code)
            .collect()
    };
    match unchecked(after).difference(&unchecked(before)).next() {
        Some(code) => wrong(format!("{code} could not be checked")),
        None => Ok(()),
    }
}

/// What a finding is about, by ids: a repair changes names, but no numbers.
type Subject = (Code, String);

/// The number of faults of each subject, with one of its findings.
fn subjects(checked: &Checked) -> BTreeMap<Subject, (usize, &Finding)> {
    let mut subjects = BTreeMap::new();
    for finding in &checked.findings {
        // Of what is left, another edge may be the worst.
        let ids = Ids {
            influence: None,
            other_vertex: None,
            ..finding.location.ids
        };
        let subject = (finding.code, format!("{ids:?}"));
        subjects.entry(subject).or_insert((0, finding)).0 += finding.count;
    }
    subjects
}

/// For each mesh, the vertices whose weights may differ.
fn freed_vertices(before: &Version<'_>, repairs: &[&Repair]) -> Vec<BTreeSet<usize>> {
    let mut freed = vec![BTreeSet::new(); before.asset.meshes.len()];
    for repair in repairs {
        if !matches!(repair.changes, Changes::Weights | Changes::Patches) {
            continue;
        }
        let findings = before.checked.findings.iter();
        let findings = findings.filter(|finding| finding.code == repair.code);
        let named = named(before.asset, findings, repair.changes);
        for (freed, primitive) in freed.iter_mut().zip(&before.asset.origins.primitives) {
            freed.extend(named.get(primitive).into_iter().flatten());
        }
    }
    freed
}

/// These vertices, and all of repaired meshes whose weights had no known storage type. Once the storage type is known, sums within the
/// old tolerance are corrected too. No vertex moves.
fn with_rescaled(
    before: &Version<'_>,
    after: &Version<'_>,
    freed: &[BTreeSet<usize>],
) -> Vec<BTreeSet<usize>> {
    let mut freed = freed.to_vec();
    let meshes = before.asset.meshes.iter().zip(&after.asset.meshes);
    for ((before, after), freed) in meshes.zip(&mut freed) {
        let is_stated_now = before.weight_storage == WeightStorage::Unstated
            && after.weight_storage != WeightStorage::Unstated;
        if is_stated_now && !freed.is_empty() {
            freed.extend(0..before.positions.len());
        }
    }
    freed
}

/// The model before with what the repairs may change as it is in the copy.
fn expected(
    before: &Asset,
    after: &Asset,
    freed: &[BTreeSet<usize>],
    repairs: &[&Repair],
) -> Result<Asset, Unproven> {
    let does = |changes: Changes| repairs.iter().any(|repair| repair.changes == changes);
    let lengths = |asset: &Asset| {
        let meshes = asset.meshes.iter().map(|mesh| mesh.positions.len());
        let lists = [
            asset.instances.len(),
            asset.skeleton.len(),
            asset.clips.len(),
        ];
        lists.into_iter().chain(meshes).collect::<Vec<_>>()
    };
    if lengths(before) != lengths(after) {
        return wrong("the copy has other parts");
    }
    let mut expected = before.clone();
    let meshes = expected.meshes.iter_mut().zip(&after.meshes).zip(freed);
    for ((mesh, after), freed) in meshes {
        let (of_before, of_after) = (&mesh.influences, &after.influences);
        // By their bits, because NaN is not equal to itself.
        let bits = |own: &Influence| (own.slot, own.weight.to_bits());
        let is_other = |vertex: &usize| {
            let [own, other] = [of_before, of_after].map(|all| all.of(*vertex).iter().map(bits));
            !own.eq(other)
        };
        let vertices = 0..mesh.positions.len();
        if let Some(vertex) = vertices
            .clone()
            .filter(is_other)
            .find(|vertex| !freed.contains(vertex))
        {
            return wrong(format!("the weights of vertex {vertex} would be others"));
        }
        if !freed.is_empty() {
            let lists = vertices.map(|vertex| after.influences.of(vertex).iter().copied());
            mesh.influences = Influences::from_vertices(lists);
        }
        if does(Changes::Normals) {
            free_normals(mesh, after);
        }
    }
    if does(Changes::Names) {
        let named = before.skeleton.nodes().iter().zip(after.skeleton.nodes());
        let nodes = named.map(|(node, after)| crate::rig::Node {
            name: after.name.clone(),
            ..node.clone()
        });
        let Some(skeleton) = crate::rig::Skeleton::new(nodes.collect()).ok() else {
            return wrong("the copy has other parts");
        };
        expected.skeleton = skeleton;
    }
    Ok(expected)
}

/// Removes the keys outside of the times that are left: one at either end of a clip.
fn cut_clips(expected: &mut Asset, after: &Asset, kept: &Kept) -> Result<(), Unproven> {
    for (index, [start, end]) in kept {
        let (clip, after) = (&mut expected.clips[*index], &after.clips[*index]);
        let times = clip.key_times();
        let [early, late] = [
            times.iter().filter(|time| time.0 < *start).count(),
            times.iter().filter(|time| time.0 > *end).count(),
        ];
        if early.max(late) > 1 {
            return wrong("more than one key of a clip would be removed");
        }
        let range = *start..=*end;
        for channel in &mut clip.channels {
            cut(&mut channel.translation, &range);
            cut(&mut channel.rotation, &range);
            cut(&mut channel.scale, &range);
            cut(&mut channel.matrix, &range);
        }
        for channel in &mut clip.morph_channels {
            cut([&mut channel.weights], &range);
        }
        for channel in &mut clip.visibility_channels {
            cut([&mut channel.visible], &range);
        }
        (clip.start, clip.end) = (after.start, after.end);
    }
    Ok(())
}

/// Leaves the keys in `range`; all of a track that has none there.
fn cut<'a, T: 'a>(tracks: impl IntoIterator<Item = &'a mut Track<T>>, range: &RangeInclusive<f64>) {
    for track in tracks {
        if track.keys.iter().any(|key| range.contains(&key.time.0)) {
            track.keys.retain(|key| range.contains(&key.time.0));
        }
    }
}

/// Replaces the normals that were missing, or not of length 1.
fn free_normals(mesh: &mut Mesh, after: &Mesh) {
    if mesh.normals.is_empty() {
        mesh.normals.clone_from(&after.normals);
    }
    for (normal, after) in mesh.normals.iter_mut().zip(&after.normals) {
        if (f64::from(normal.length()) - 1.0).abs() > NORMAL {
            *normal = *after;
        }
    }
}

/// The most times of a clip at which every vertex is compared; `diff` compares at all of its own.
const MOST_TIMES: usize = 400;

/// How far the freed vertices move, if no other does.
///
/// * `kept` – where keys of clips were removed, only the times that are left are compared.
/// * `is_still` – whether all numbers are equal, so that one pose stands for all.
fn moved(
    [before, after]: [&Asset; 2],
    freed: &[BTreeSet<usize>],
    kept: &Kept,
    is_still: bool,
    deadline: Deadline,
) -> Result<Moved, Unproven> {
    let options = SkinningOptions::default();
    let prepared = [before, after].map(|asset| Prepared::new(asset, &options));
    let mut farthest: Vec<Vec<f32>> = Vec::new();
    let (mut count, mut diagonal) = (0, 0.0);
    let mut look = |poses: &[ModelPose; 2]| -> Result<(), Unproven> {
        deadline.check()?;
        if is_still && count > 0 {
            count += 1;
            return Ok(());
        }
        let mut meshes = [Vec::new(), Vec::new()];
        for ((prepared, pose), meshes) in prepared.iter().zip(poses).zip(&mut meshes) {
            prepared.deform_into(pose, Attributes::Positions, meshes)?;
        }
        farthest.resize(meshes[0].len(), Vec::new());
        for ((before, after), farthest) in meshes[0].iter().zip(&meshes[1]).zip(&mut farthest) {
            farthest.resize(before.positions.len(), 0.0);
            let pairs = before.positions.iter().zip(&after.positions);
            for ((before, after), farthest) in pairs.zip(farthest) {
                let distance = before.distance(*after);
                // Two that are not finite are not apart.
                if before.is_finite() || after.is_finite() {
                    *farthest = if distance.is_finite() {
                        farthest.max(distance)
                    } else {
                        f32::INFINITY
                    };
                }
            }
        }
        if count == 0 {
            diagonal = Bounds::of_meshes(&meshes[0]).diagonal();
        }
        count += 1;
        Ok(())
    };
    look(&rest(before, after))?;
    if before.clips.is_empty() {
        // It begins with the rest pose.
        for rotated in range_of_motion(before).iter().skip(1) {
            look(&[before, after].map(|asset| pose::model_pose(asset, &rotated.pose(asset))))?;
        }
    }
    for (index, (before_clip, after_clip)) in before.clips.iter().zip(&after.clips).enumerate() {
        let [start, end] = kept
            .get(&index)
            .copied()
            .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let mut samplers = [
            Sampler::new(before, before_clip),
            Sampler::new(after, after_clip),
        ];
        let mut locals = [Pose::default(), Pose::default()];
        let times = times(before_clip).into_iter();
        for time in times.filter(|time| (start..=end).contains(&time.0)) {
            for (sampler, local) in samplers.iter_mut().zip(&mut locals) {
                sampler.at_into(time, local)?;
            }
            look(&[
                pose::model_pose(before, &locals[0]),
                pose::model_pose(after, &locals[1]),
            ])?;
        }
    }
    judge(before, freed, &farthest, (count, diagonal))
}

/// Counts the vertices that moved, unless one of them must not.
fn judge(
    asset: &Asset,
    freed: &[BTreeSet<usize>],
    farthest: &[Vec<f32>],
    (poses, diagonal): (usize, f64),
) -> Result<Moved, Unproven> {
    let limit = ROUNDING * diagonal;
    let mut moved = Moved {
        poses,
        clips: asset.clips.len(),
        ..Moved::default()
    };
    for (instance, farthest) in asset.instances.iter().zip(farthest) {
        let freed = &freed[instance.mesh.index()];
        for (vertex, distance) in farthest.iter().enumerate() {
            let distance = f64::from(*distance);
            if distance <= limit {
                moved.still += 1;
                continue;
            }
            if !freed.contains(&vertex) {
                let name = asset.mesh_name(instance);
                let message = format!(
                    "vertex {vertex} of mesh {name:?} would move, which is not among the repaired"
                );
                return wrong(message);
            }
            moved.vertices += 1;
            moved.farthest = moved.farthest.max(distance);
        }
    }
    Ok(moved)
}

fn rest(before: &Asset, after: &Asset) -> [ModelPose; 2] {
    [before, after].map(|asset| pose::model_pose(asset, &pose::rest(asset)))
}

/// The keys of a clip and the times half-way between.
fn times(clip: &Clip) -> Vec<Seconds> {
    let keys = clip.key_times();
    let between = keys
        .windows(2)
        .map(|pair| Seconds(f64::midpoint(pair[0].0, pair[1].0)));
    let mut times: Vec<Seconds> = keys.iter().copied().chain(between).collect();
    times.retain(|time| time.0 >= 0.0);
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let step = times.len().div_ceil(MOST_TIMES).max(1);
    times.into_iter().step_by(step).collect()
}

/// What is proved of the vertices, in a sentence without a full stop.
pub(crate) fn sentence(moved: &Moved, length: impl Fn(f64) -> String) -> String {
    let of = match moved.clips {
        0 => "the range of motion".to_owned(),
        clips => amount(clips, "clip"),
    };
    let poses = format!("{} of {of}", amount(moved.poses, "pose"));
    if moved.vertices == 0 {
        return format!("no vertex moved, in {poses}");
    }
    format!(
        "{} moved by up to {}, all of them among the repaired; the other {} stayed, in {poses}",
        amount(moved.vertices, "vertex"),
        length(moved.farthest),
        moved.still,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Location;

    #[test]
    fn a_finding_with_another_worst_edge_is_the_same_subject() {
        let found = |other| {
            let mut location = Location::mesh("Body").vertex(3);
            location.ids.other_vertex = Some(other);
            let finding = Finding::new(Code("D602"), Level::Hint, location, "");
            Checked {
                findings: vec![finding],
                ..Checked::default()
            }
        };
        assert!(subjects(&found(7)).keys().eq(subjects(&found(8)).keys()));
    }
}
