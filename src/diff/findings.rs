//! Collects the differences by cause.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::comparison::{Comparison, Measurement};
use super::kinds::{Before, Kind};
use super::report::WorstVertex;
use super::residual::{Left, Named, Place, REPLACEABLE};
use super::side::Side;
use super::weights::Reskinned;
use super::words::{and_more, significant};
use super::{DiffError, timing};
use crate::finding::{Cause, Code, Finding, Level};
use crate::rig::NodeId;
use crate::units::Seconds;

/// If joints beyond their limit leave a part of the surface's error unexplained, joints beyond these fractions of it are
/// named: small errors add up along a chain.
const SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// The findings of measurements.
pub(super) struct Explained {
    pub(super) findings: Vec<Finding>,
    /// Whether the surface of each measurement is beyond the tolerance, and only by what the settings ignore.
    pub(super) is_ignored: Vec<bool>,
}

impl Comparison<'_> {
    /// The differences beyond the tolerance, and their causes.
    ///
    /// Returns one entry of `is_ignored` per measurement.
    pub(super) fn findings(
        &self,
        measurements: &[Measurement],
        clips: &[[usize; 2]],
    ) -> Result<Explained, DiffError> {
        let limit = self.own_limit(None)?;
        let mut binds = binds::compare(&self.rigs, &self.joint_limits(limit)?, self.lengths);
        if binds.resting.len() > 1 {
            self.name_time_of_rest(&mut binds, clips, limit.length);
        }
        let mut findings = std::mem::take(&mut binds.findings);
        let (targets, found) = self.morph_shapes(limit.length);
        findings.extend(found);
        findings.extend(self.morph_weights(&targets, measurements, limit.length));
        findings.extend(self.visibility(measurements));
        let differs = measurements.iter().any(|one| one.surface.used > 1.0);
        if differs {
            findings.extend(self.shape(limit.length));
            findings.extend(self.weights(measurements, limit.length));
        }
        let method = self.skinning_method(measurements)?;
        let reskinned = method.map(|(finding, reskinned)| {
            findings.push(finding);
            reskinned
        });
        findings.extend(self.normals(measurements, &findings));
        let kinds = findings.iter().filter_map(Kind::of);
        let moved = self.vertices.moved.iter().map(|_| Kind::MeshMoved);
        let kinds = kinds.chain(moved).collect();
        let all = self.named(&binds, &kinds, reskinned);
        let kinds = &kinds & &self.options.settings.ignore;
        let ignored = self.named(&binds, &kinds, reskinned);
        let mut is_ignored = Vec::new();
        for one in measurements {
            self.options.deadline.check()?;
            findings.extend(one.timing.iter().cloned());
            let (own, own_is_ignored) = self.of_take(one, &binds, [&all, &ignored])?;
            findings.extend(own);
            is_ignored.push(own_is_ignored);
        }
        Ok(Explained {
            findings,
            is_ignored,
        })
    }

    /// The causes of the whole model that findings of these kinds name.
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
        }
    }

    /// The causes within a clip or the rest pose, and what they leave unexplained.
    ///
    /// * `model` – all causes of the whole model, and those that are ignored.
    ///
    /// Returns the findings, and whether the surface is beyond the tolerance only by what is ignored.
    fn of_take(
        &self,
        one: &Measurement,
        binds: &Binds,
        model: [&Named; 2],
    ) -> Result<(Vec<Finding>, bool), DiffError> {
        let mut unexplained = None;
        for share in SHARES {
            let clip = one.clips.map(|clips| Clip {
                rigs: &self.rigs,
                clips,
                samples: &one.samples.list,
                motions: &one.motions,
                limits: one.limits.iter().map(|limit| limit * share).collect(),
                binds,
                lengths: self.lengths,
            });
            let culprits = clip.as_ref().map(Clip::culprits).unwrap_or_default();
            let mut findings = clip
                .as_ref()
                .map(|clip| clip.findings(&culprits))
                .unwrap_or_default();
            if let Some(pair) = one.clips {
                findings.extend(timing::seam_finding(&self.rigs, pair, one.limit.length));
            }
            if one.surface.used <= 1.0 {
                return Ok((findings, false));
            }
            let mut named = model.map(Clone::clone);
            let settings = &self.options.settings;
            let is_ignored = |pair: &usize| {
                let kind = clip.as_ref().map(|clip| clip.cause(*pair).0);
                kind.is_some_and(|kind| settings.ignore.contains(&kind))
            };
            named[1]
                .joints
                .extend(culprits.iter().copied().filter(is_ignored));
            named[0].joints.extend(culprits);
            let Some(left) = self.left(one, &named[0])? else {
                let is_ignored = !named[1].is_empty() && self.is_explained_by(one, &named[1])?;
                return Ok((findings, is_ignored));
            };
            unexplained.get_or_insert((findings, left, named[0].is_empty()));
        }
        let (mut findings, left, is_all) = unexplained.expect("there is a share");
        findings.push(self.unexplained(one, &left, is_all));
        Ok((findings, false))
    }

    fn name_time_of_rest(&self, binds: &mut Binds, clips: &[[usize; 2]], limit: f64) {
        let Some((clip, time)) = blame::time_of_rest(&self.rigs, clips, limit) else {
            return;
        };
        let name = &self.sides[0].clips[clip].name;
        let message = format!(
            "the rest pose of AFTER equals clip \"{name}\" at {} s: it was exported with the clip applied",
            significant(time)
        );
        binds
            .findings
            .retain(|finding| Kind::of(finding) != Some(Kind::RestPose));
        let finding = self.sides[0].in_clip(Kind::RestPose.finding(message), clip);
        binds.findings.push(finding.at(time));
    }

    /// Finds vertices that differ before any joint moves them, in surfaces that were not moved as a whole.
    fn shape(&self, limit: f64) -> Option<Finding> {
        if !self.vertices.in_bind_pose {
            return None;
        }
        let [before, after] = self.sides.map(|side| &side.vertices);
        let moved: BTreeSet<usize> = self.vertices.moved.iter().copied().collect();
        let apart: Vec<(f64, usize)> = self
            .vertices
            .pairs
            .iter()
            .filter_map(|[a, b]| {
                let [a, b] = [*a as usize, *b as usize];
                let surface = before.surfaces[a] as usize;
                let distance = before.positions[a].distance(after.positions[b]);
                let is_off = distance > limit && !moved.contains(&surface);
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
        let finding = Kind::MeshShape.finding(message);
        Some(finding.mesh(name, Some(Before(*surface))).by(*distance))
    }

    fn normals(&self, measurements: &[Measurement], known: &[Finding]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (surface, own) in self.sides[0].surfaces.iter().enumerate() {
            let other = self.vertices.surfaces.get(surface).copied().flatten();
            let Some(other) = other.map(|other| &self.sides[1].surfaces[other]) else {
                continue;
            };
            let is_known = self.sides.iter().all(|side| side.is_model());
            if is_known && own.has_normals && !other.has_normals {
                let message = format!("mesh \"{}\" has no normals after", own.name);
                let finding = Kind::NormalsMissing.finding(message);
                findings.push(finding.mesh(&own.name, Some(Before(surface))));
            }
        }
        if known
            .iter()
            .any(|finding| Kind::of(finding) == Some(Kind::MorphNormals))
        {
            return findings;
        }
        let worst = measurements.iter().filter_map(|one| {
            let (off, angle) = one.surface.normals_off(one.limit.length);
            let is_much = off >= 3 && 100 * off > self.vertices.pairs.len();
            is_much.then_some((off, angle, one))
        });
        if let Some((off, angle, one)) = worst.max_by_key(|(off, ..)| *off) {
            let message = format!(
                "normals of {} point elsewhere, by up to {angle:.0}°, though positions agree",
                crate::units::amount(off, "vertex")
            );
            findings.push(self.in_take(Kind::Normals.finding(message), one));
        }
        findings
    }

    /// The difference in the clip of a measurement, if that is not the rest pose.
    pub(super) fn in_take(&self, finding: Finding, one: &Measurement) -> Finding {
        match one.clips {
            Some([clip, _]) => self.sides[0].in_clip(finding, clip),
            None => finding,
        }
    }

    /// * `is_all` – whether no finding explains any part of it.
    fn unexplained(&self, one: &Measurement, left: &Left, is_all: bool) -> Finding {
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
            "{what} is off by {} at {} s, {why}",
            self.lengths.show(left.length),
            significant(time)
        );
        let finding = Kind::Unexplained.finding(message).caused(why.to_owned());
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
        Some(WorstVertex {
            mesh: before.surfaces[surface].name.clone(),
            vertex,
            counterpart,
            positions: one.surface.positions.map(Vec3::as_dvec3),
            time: Seconds(one.samples.list.get(sample)?.times[0]),
            joint: joint.map(|joint| before.joints[joint].shown.clone()),
        })
    }
}

/// Merges findings of one cause in several clips, and sorts them: differences first, then by stage. Within a stage, those
/// of the whole model come first, then those that explain most.
pub(super) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut causes: Vec<Vec<Finding>> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in findings {
        // What concerns no clip is a cause of its own.
        let cause = match finding.location.clip {
            Some(_) => *known.entry(cause(&finding)).or_insert(causes.len()),
            None => causes.len(),
        };
        match causes.get_mut(cause) {
            Some(same) => same.push(finding),
            None => causes.push(vec![finding]),
        }
    }
    let mut merged: Vec<Finding> = causes.into_iter().filter_map(merge).collect();
    merged.sort_by(|a, b| {
        let [a, b] = [a, b].map(|finding| {
            let stage = Kind::of(finding).map(Kind::stage);
            let position = (
                Reverse(finding.level),
                stage,
                finding.location.clip.is_some(),
            );
            (position, size(finding))
        });
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1))
    });
    merged
}

/// A joint, and a mesh by its name, because a mesh of several materials has several instances.
type Subject = (Option<NodeId>, Option<String>);

/// Code, level, subject and cause: equal for findings of one cause.
fn cause(finding: &Finding) -> (Code, Level, Option<Subject>, String) {
    // These come from the export of all joints, and each clip shows them best at another one.
    let is_of_export = matches!(
        Kind::of(finding),
        Some(Kind::RestPose | Kind::Resampled | Kind::Stepped | Kind::Interpolation)
    );
    let subject = (finding.location.ids.node, finding.location.mesh.clone());
    let cause = match &finding.cause {
        Some(Cause::Words(words)) => words,
        _ => &finding.message,
    };
    let subject = (!is_of_export).then_some(subject);
    (finding.code, finding.level, subject, cause.clone())
}

/// The largest of the findings, with the clips of all.
fn merge(mut same: Vec<Finding>) -> Option<Finding> {
    let mut worst = 0;
    for index in 1..same.len() {
        if size(&same[index]) > size(&same[worst]) {
            worst = index;
        }
    }
    let clips: Vec<_> = same
        .iter()
        .flat_map(Finding::clips)
        .map(|(name, id)| (name.to_owned(), id))
        .collect();
    let mut largest = (worst < same.len()).then(|| same.swap_remove(worst))?;
    for (name, id) in clips {
        largest.affected.clip((&name, id), []);
    }
    Some(largest)
}

pub(super) fn size(finding: &Finding) -> f64 {
    finding.measure.map_or(0.0, |own| own.value)
}

#[cfg(test)]
mod tests {
    use super::super::kinds::Before;
    use super::*;
    use crate::rig::ClipId;

    /// Each name of a joint or clip has an id of its own.
    fn found(kind: Kind, joint: &str, clip: &str, size: f64) -> Finding {
        let finding = kind
            .finding(format!("by {size}"))
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
        let shown = merged.iter().map(|finding| {
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
            Kind::ClipMissing.finding(message).clip(clip, None)
        };
        assert_eq!(merged(vec![missing("walk"), missing("run")]).len(), 2);
        let renamed = |joint: &str| Kind::JointRenamed.finding(String::new()).joint(joint, None);
        assert_eq!(merged(vec![renamed("hip"), renamed("hip")]).len(), 2);
    }

    #[test]
    fn joints_and_clips_of_one_name_are_told_apart() {
        let found = |joint: usize, clip: usize| {
            let finding = Kind::Keys
                .finding("is elsewhere")
                .by(1.0)
                .joint("arm", Some(Before(joint)));
            finding.clip("run", Some(Before(clip)))
        };
        let merged = merged(vec![found(1, 0), found(2, 0), found(1, 1)]);
        let ids = merged.iter().map(|finding| {
            let clips: Vec<_> = finding.clips().map(|(_, id)| id).collect();
            (finding.location.ids.node, clips)
        });
        let [first, second] = [0, 1].map(|clip| Some(ClipId(clip)));
        let expected = [
            (Some(NodeId(1)), vec![first, second]),
            (Some(NodeId(2)), vec![first]),
        ];
        assert!(ids.eq(expected));
        assert!(!merged[1].is_of(ClipId(1)));
    }

    #[test]
    fn the_surface_comes_before_the_hierarchy() {
        let of = |kind: Kind| kind.finding(String::new());
        let merged = merged(vec![
            of(Kind::JointAdded),
            of(Kind::Unexplained),
            of(Kind::Scale),
        ]);
        let kinds: Vec<Kind> = merged.iter().filter_map(Kind::of).collect();
        assert_eq!(kinds, [Kind::Scale, Kind::Unexplained, Kind::JointAdded]);
    }
}
