//! Collects the differences by cause.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::DiffError;
use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::report::WorstVertex;
use super::residual::{Left, Named, Place, REPLACEABLE};
use super::side::Side;
use super::verdict::SurfaceVerdict;
use super::weights::Reskinned;
use super::words::and_more;
use crate::finding::{Cause, Level};
use crate::rig::NodeId;
use crate::units::{Seconds, time_with_frame};

/// If joints beyond their limit leave a part of the surface's error unexplained, joints beyond these fractions of it are
/// named: small errors add up along a chain.
const SHARES: [f64; 3] = [0.5, 0.25, 0.125];

/// What explains the measurements.
pub(super) struct Explained {
    pub(super) differences: Vec<Difference>,
    /// One per measurement.
    pub(super) surfaces: Vec<SurfaceVerdict>,
}

/// What explains a take, with joints named down to a share of their limit.
struct Explanation {
    differences: Vec<Difference>,
    /// All causes, and those that are ignored.
    named: [Named; 2],
    /// The distance that no cause explains.
    left: Option<Left>,
}

impl Comparison<'_> {
    /// The causes of everything beyond the tolerance.
    pub(super) fn explained(
        &self,
        measurements: &[Measurement],
        clips: &[[usize; 2]],
    ) -> Result<Explained, DiffError> {
        let limit = self.own_limit(None)?;
        let mut binds = binds::compare(
            &self.rigs,
            &self.joint_limits(limit)?,
            self.attachments,
            self.lengths,
        );
        if binds.resting.len() > 1 {
            self.name_time_of_rest(&mut binds, clips, limit);
        }
        let mut differences = std::mem::take(&mut binds.findings);
        let morphs = self.morph_shapes(limit);
        differences.extend(morphs.differences);
        let (lost_shape_keys, lost) = self.lost_shape_keys();
        differences.extend(lost);
        differences.extend(self.morph_weights(&morphs.targets, measurements, limit));
        differences.extend(self.morph_names(&morphs.targets));
        differences.extend(self.expressions(&morphs.targets, limit));
        differences.extend(self.visibility(measurements));
        let differs = measurements.iter().any(|one| one.surface.used > 1.0);
        if differs {
            differences.extend(self.shape(limit));
            differences.extend(self.weights(measurements, limit));
        }
        let method = self.skinning_method(measurements)?;
        let reskinned = method.map(|(difference, reskinned)| {
            differences.push(difference);
            reskinned
        });
        differences.extend(self.normals(measurements, morphs.differ_in_normals));
        let moved = self.vertices.moved.iter().map(|_| Kind::MeshShape);
        let kinds: BTreeSet<Kind> = differences
            .iter()
            .map(|own| own.kind)
            .chain(moved)
            .collect();
        let ignored = &kinds & &self.options.settings.ignore;
        let mut named = [kinds, ignored].map(|kinds| self.named(&binds, &kinds, reskinned));
        // Other deformers may do the same; so they name a cause, but do not prove that an ignored one explains everything.
        named[0].lost_shape_keys = lost_shape_keys;
        let mut surfaces = Vec::new();
        for one in measurements {
            self.options.deadline.check()?;
            differences.extend(one.timing.iter().cloned());
            let (of_take, surface) = self.of_take(one, &binds, &named)?;
            differences.extend(of_take);
            surfaces.push(surface);
        }
        Ok(Explained {
            differences,
            surfaces,
        })
    }

    /// The causes of the whole model that differences of these kinds name.
    fn named(&self, binds: &Binds, kinds: &BTreeSet<Kind>, reskinned: Option<Reskinned>) -> Named {
        let pairs = 0..self.rigs.joints.pairs.len();
        let is_named = |pair: &usize| {
            let is_bound = || binds.shows_in(&self.rigs, *pair);
            let rests = || binds.resting.contains(pair);
            kinds.contains(&Kind::BindPose) && is_bound()
                || kinds.contains(&Kind::RestPose) && rests()
        };
        let stages = kinds.iter().map(|kind| kind.stage());
        Named {
            joints: pairs.filter(is_named).collect(),
            stages: stages.filter(|stage| REPLACEABLE.contains(stage)).collect(),
            reskinned: reskinned.filter(|_| kinds.contains(&Kind::SkinningMethod)),
            lost_shape_keys: BTreeSet::new(),
        }
    }

    /// The causes within a clip or the rest pose, what they leave unexplained, and the verdict on its surface.
    ///
    /// * `model` – all causes of the whole model, and those that are ignored.
    fn of_take(
        &self,
        one: &Measurement,
        binds: &Binds,
        model: &[Named; 2],
    ) -> Result<(Vec<Difference>, SurfaceVerdict), DiffError> {
        let mut explanation = self.explanation(one, binds, model, 1.0)?;
        for share in SHARES {
            if explanation.left.is_none() || one.clips.is_none() {
                break;
            }
            let finer = self.explanation(one, binds, model, share)?;
            if finer.left.is_none() {
                explanation = finer;
            }
        }
        let Explanation {
            mut differences,
            named: [all, ignored],
            left,
        } = explanation;
        let surface = if one.surface.used <= 1.0 {
            SurfaceVerdict::Within
        } else if let Some(left) = left {
            let lost = self.other_deformer(one, &left)?;
            differences.push(lost.unwrap_or_else(|| self.unexplained(one, &left, all.is_empty())));
            SurfaceVerdict::Beyond
        } else if !ignored.is_empty() && self.is_explained_by(one, &ignored)? {
            SurfaceVerdict::Ignored
        } else {
            SurfaceVerdict::Beyond
        };
        Ok((differences, surface))
    }

    /// * `share` – of their limits, from which joints are named.
    fn explanation(
        &self,
        one: &Measurement,
        binds: &Binds,
        model: &[Named; 2],
        share: f64,
    ) -> Result<Explanation, DiffError> {
        let mut named = model.clone();
        let mut differences = Vec::new();
        if let Some(clips) = one.clips {
            let clip = Clip {
                rigs: &self.rigs,
                clips,
                samples: &one.samples.list,
                motions: &one.motions,
                limits: one.limits.iter().map(|limit| limit * share).collect(),
                binds,
                lengths: self.lengths,
            };
            let ignore = &self.options.settings.ignore;
            let culprits = clip.culprits();
            for culprit in &culprits {
                named[0].joints.insert(culprit.pair);
                if ignore.contains(&culprit.fault.kind()) {
                    named[1].joints.insert(culprit.pair);
                }
            }
            differences = clip.findings(culprits);
        }
        let left = if one.surface.used > 1.0 {
            self.left(one, &named[0])?
        } else {
            None
        };
        Ok(Explanation {
            differences,
            named,
            left,
        })
    }

    fn name_time_of_rest(&self, binds: &mut Binds, clips: &[[usize; 2]], limit: f64) {
        let Some((clip, time)) = blame::time_of_rest(&self.rigs, clips, limit) else {
            return;
        };
        let clip_before = &self.sides[0].clips[clip];
        let name = &clip_before.name;
        let message = format!(
            "the rest pose of AFTER equals clip \"{name}\" at {}: it was exported with the clip applied",
            clip_before.time_with_frame(time)
        );
        binds.findings.retain(|own| own.kind != Kind::RestPose);
        let finding = self.sides[0].in_clip(Kind::RestPose.found(message), clip);
        binds.findings.push(finding.at(time));
    }

    /// Finds vertices that differ before any joint moves them, in surfaces that were not moved as a whole.
    fn shape(&self, limit: f64) -> Option<Difference> {
        if !self.vertices.in_bind_pose {
            return None;
        }
        let [before, after] = self.sides.map(|side| &side.vertices);
        // What is missing is not displaced as well.
        let others = self.vertices.moved.iter().chain(&self.vertices.missing);
        let others: BTreeSet<usize> = others.copied().collect();
        let apart: Vec<(f64, usize)> = self
            .vertices
            .pairs
            .iter()
            .filter_map(|[a, b]| {
                let [a, b] = [*a as usize, *b as usize];
                let surface = before.surfaces[a] as usize;
                let distance = before.positions[a].distance(after.positions[b]);
                let is_off = distance > limit && !others.contains(&surface);
                is_off.then_some((distance, surface))
            })
            .collect();
        let (distance, surface) = apart.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let name = &self.sides[0].surfaces[*surface].name;
        let message = format!(
            "a vertex of mesh \"{name}\" is displaced by {} before any joint moves it{}",
            self.lengths.show(*distance),
            and_more(apart.len() - 1, "vertex")
        );
        let finding = Kind::MeshShape.found(message);
        Some(finding.mesh(name, Some(Before(*surface))).by(*distance))
    }

    /// * `are_named` – whether a morph target is known to change normals differently.
    fn normals(&self, measurements: &[Measurement], are_named: bool) -> Vec<Difference> {
        let mut findings = Vec::new();
        for (surface, own) in self.sides[0].surfaces.iter().enumerate() {
            let other = self.vertices.surfaces.get(surface).copied().flatten();
            let Some(other) = other.map(|other| &self.sides[1].surfaces[other]) else {
                continue;
            };
            let is_known = self.sides.iter().all(|side| side.is_model());
            if is_known && own.has_normals && !other.has_normals {
                let message = format!("mesh \"{}\" has no normals after", own.name);
                let finding = Kind::Normals.found(message);
                findings.push(finding.mesh(&own.name, Some(Before(surface))));
            }
        }
        if are_named {
            return findings;
        }
        let worst = measurements.iter().filter_map(|one| {
            let (off, angle) = one.surface.normals_off(one.limit);
            let is_much = off >= 3 && 100 * off > self.vertices.pairs.len();
            is_much.then_some((off, angle, one))
        });
        if let Some((off, angle, one)) = worst.max_by_key(|(off, ..)| *off) {
            let message = format!(
                "normals of {} point elsewhere, by up to {angle:.0}°, though positions agree",
                crate::units::amount(off, "vertex")
            );
            findings.push(self.in_take(Kind::Normals.found(message), one));
        }
        findings
    }

    /// The difference in the clip of a measurement, if that is not the rest pose.
    pub(super) fn in_take(&self, finding: Difference, one: &Measurement) -> Difference {
        match one.clips {
            Some([clip, _]) => self.sides[0].in_clip(finding, clip),
            None => finding,
        }
    }

    /// The frame at a time of a measurement, if it is of a clip whose frame rate is known.
    pub(super) fn frame_at(&self, one: &Measurement, time: f64) -> Option<f64> {
        let [clip, _] = one.clips?;
        self.sides[0].clips[clip].frame_at(time)
    }

    /// A time of a measurement in words.
    pub(super) fn time_with_frame(&self, one: &Measurement, time: f64) -> String {
        time_with_frame(time, self.frame_at(one, time))
    }

    /// * `is_all` – whether no finding explains any part of it.
    fn unexplained(&self, one: &Measurement, left: &Left, is_all: bool) -> Difference {
        let Side {
            joints, surfaces, ..
        } = self.sides[0];
        let (surface, joint) = match left.place {
            Place::Vertex(pair) => (Some(self.in_surfaces(pair)[0]), self.strongest_joint(pair)),
            Place::Joint(pair) => (None, Some(self.rigs.joints.pairs[pair][0])),
        };
        let shown = joint.map(|joint| &joints[joint].shown);
        let what = match (surface, shown) {
            (None, shown) => format!("`{}`", shown.map_or("", String::as_str)),
            (Some((surface, vertex)), shown) => {
                let moved_by = shown.map_or_else(String::new, |joint| {
                    format!(", which `{joint}` moves most,")
                });
                format!(
                    "vertex {vertex} of mesh \"{}\"{moved_by}",
                    surfaces[surface].name
                )
            }
        };
        let time = one.samples.list[left.sample].times[0];
        let why = if is_all {
            "and no single stage explains it"
        } else {
            "beyond what the other findings explain"
        };
        let message = format!(
            "{what} is off by {} at {}, {why}",
            self.lengths.show(left.length),
            self.time_with_frame(one, time)
        );
        let finding = Kind::Unexplained.found(message).caused(why.to_owned());
        let mut finding = self.in_take(finding, one).at(time).by(left.length);
        if let Some((surface, _)) = surface {
            finding = finding.mesh(&surfaces[surface].name, Some(Before(surface)));
        }
        if let Some(joint) = joint {
            finding = finding.joint(&joints[joint].shown, Some(Before(joint)));
        }
        finding
    }

    /// The surfaces of both vertices of a pair, and their indices in them.
    fn in_surfaces(&self, pair: usize) -> [(usize, usize); 2] {
        let vertices = self.vertices.pairs[pair];
        [0, 1].map(|side: usize| self.sides[side].in_surface(vertices[side] as usize))
    }

    /// The joint that moves a vertex before most, if known.
    fn strongest_joint(&self, pair: usize) -> Option<usize> {
        let [vertex, _] = self.vertices.pairs[pair];
        let weights = self.sides[0].weights_of(vertex as usize)?;
        weights.first().map(|(joint, _)| *joint)
    }

    pub(super) fn worst_vertex(&self, one: &Measurement) -> Option<WorstVertex> {
        let (pair, sample) = one.surface.worst?;
        let [(surface, vertex), (_, counterpart)] = self.in_surfaces(pair);
        let before = self.sides[0];
        let joint = self.strongest_joint(pair);
        let time = one.samples.list.get(sample)?.times[0];
        Some(WorstVertex {
            mesh: before.surfaces[surface].name.clone(),
            vertex,
            counterpart,
            positions: one.surface.positions.map(Vec3::as_dvec3),
            time: Seconds(time),
            frame: self.frame_at(one, time),
            joint: joint.map(|joint| before.joints[joint].shown.clone()),
        })
    }
}

/// Says at which frames of the clips before they are.
pub(super) fn add_frames(findings: &mut [Difference], before: &Side<'_>) {
    for own in findings {
        let location = &mut own.finding.location;
        let clip = location
            .ids
            .clip
            .and_then(|id| before.clips.get(id.index()));
        location.frame = clip
            .zip(location.time)
            .and_then(|(clip, time)| clip.frame_at(time.0));
    }
}

/// Merges findings of one cause in several clips, and sorts them: differences first, then by stage. Within a stage, those
/// of the whole model come first, then those that explain most.
pub(super) fn merged(findings: Vec<Difference>) -> Vec<Difference> {
    let mut causes: Vec<Vec<Difference>> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in findings {
        // What concerns no clip is a cause of its own.
        let cause = match finding.finding.location.clip {
            Some(_) => *known.entry(cause(&finding)).or_insert(causes.len()),
            None => causes.len(),
        };
        match causes.get_mut(cause) {
            Some(same) => same.push(finding),
            None => causes.push(vec![finding]),
        }
    }
    let mut merged: Vec<Difference> = causes.into_iter().filter_map(merge).collect();
    let rank = |own: &Difference| {
        let is_of_clip = own.finding.location.clip.is_some();
        (Reverse(own.finding.level), own.kind.stage(), is_of_clip)
    };
    merged.sort_by(|a, b| {
        let by_rank = rank(a).cmp(&rank(b));
        by_rank.then(b.size().total_cmp(&a.size()))
    });
    merged
}

/// A joint, and a mesh by its name, because a mesh of several materials has several instances.
type Subject = (Option<NodeId>, Option<String>);

/// Kind, level, subject and cause: equal for findings of one cause.
fn cause(difference: &Difference) -> (Kind, Level, Option<Subject>, String) {
    let (kind, finding) = (difference.kind, &difference.finding);
    // These come from the export of all joints, and each clip shows them best at another one.
    let is_of_export = matches!(kind, Kind::RestPose | Kind::Resampled | Kind::Interpolation);
    let subject = (finding.location.ids.node, finding.location.mesh.clone());
    let cause = match &finding.cause {
        Some(Cause::Words(words)) => words,
        _ => &finding.message,
    };
    let subject = (!is_of_export).then_some(subject);
    (kind, finding.level, subject, cause.clone())
}

/// The largest of the findings, with the clips of all.
fn merge(mut same: Vec<Difference>) -> Option<Difference> {
    let mut worst = 0;
    for index in 1..same.len() {
        if same[index].size() > same[worst].size() {
            worst = index;
        }
    }
    let clips: Vec<_> = same
        .iter()
        .flat_map(|own| own.finding.clips())
        .map(|(name, id)| (name.to_owned(), id))
        .collect();
    let mut largest = (worst < same.len()).then(|| same.swap_remove(worst))?;
    for (name, id) in clips {
        largest.finding.affected.clip((&name, id), []);
    }
    Some(largest)
}

#[cfg(test)]
mod tests {
    use super::super::difference::Before;
    use super::*;
    use crate::rig::ClipId;

    /// Each name of a joint or clip has an id of its own.
    fn found(kind: Kind, joint: &str, clip: &str, size: f64) -> Difference {
        let finding = kind
            .found(format!("by {size}"))
            .joint(joint, Some(Before(joint.len())))
            .clip(clip, Some(Before(clip.len())));
        finding.by(size).caused("rotated".to_owned())
    }

    #[test]
    fn a_cause_is_one_finding_with_its_worst_clip_first() {
        let findings = vec![
            found(Kind::Keys, "hip", "walk", 1.0),
            found(Kind::Keys, "hip", "run", 3.0),
            found(Kind::Keys, "hip", "idle", 2.0),
            found(Kind::Keys, "knee", "walk", 5.0),
            found(Kind::Resampled, "hip", "walk", 1.0),
            found(Kind::Resampled, "knee", "run", 2.0),
            found(Kind::Resampled, "knee", "idle", 1.0).caused("at 10 Hz".to_owned()),
        ];
        let merged = merged(findings);
        let shown = merged.iter().map(|own| {
            let finding = &own.finding;
            let joint = finding.location.joint.as_deref().unwrap_or_default();
            let clips: Vec<&str> = finding.clips().map(|(name, _)| name).collect();
            format!(
                "{} {joint} {}: {}",
                finding.code,
                finding.message,
                clips.join(" ")
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "keys knee by 5: walk",
                "keys hip by 3: run walk idle",
                "resampled knee by 2: run walk",
                "resampled knee by 1: idle",
            ]
        );
    }

    #[test]
    fn clips_that_are_missing_are_a_finding_each() {
        let missing = |clip: &str| {
            let message = format!("clip \"{clip}\" has no counterpart in AFTER");
            Kind::ClipMissing.found(message).clip(clip, None)
        };
        assert_eq!(merged(vec![missing("walk"), missing("run")]).len(), 2);
        let renamed = |joint: &str| Kind::JointRenamed.found(String::new()).joint(joint, None);
        assert_eq!(merged(vec![renamed("hip"), renamed("hip")]).len(), 2);
    }

    #[test]
    fn joints_and_clips_of_one_name_are_told_apart() {
        let found = |joint: usize, clip: usize| {
            let finding = Kind::Keys
                .found("is elsewhere")
                .by(1.0)
                .joint("arm", Some(Before(joint)));
            finding.clip("run", Some(Before(clip)))
        };
        let merged = merged(vec![found(1, 0), found(2, 0), found(1, 1)]);
        let ids = merged.iter().map(|own| {
            let finding = &own.finding;
            let clips: Vec<_> = finding.clips().map(|(_, id)| id).collect();
            (finding.location.ids.node, clips)
        });
        let [first, second] = [0, 1].map(|clip| Some(ClipId(clip)));
        let expected = [
            (Some(NodeId(1)), vec![first, second]),
            (Some(NodeId(2)), vec![first]),
        ];
        assert!(ids.eq(expected));
        assert!(!merged[1].finding.is_of(ClipId(1)));
    }

    #[test]
    fn the_surface_comes_before_the_hierarchy() {
        let of = |kind: Kind| kind.found(String::new());
        let merged = merged(vec![
            of(Kind::JointAdded),
            of(Kind::Unexplained),
            of(Kind::Similarity),
        ]);
        let kinds: Vec<Kind> = merged.iter().map(|own| own.kind).collect();
        assert_eq!(
            kinds,
            [Kind::Similarity, Kind::Unexplained, Kind::JointAdded]
        );
    }
}
