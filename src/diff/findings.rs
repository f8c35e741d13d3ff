//! Collects the differences by cause.

use std::collections::BTreeSet;

use glam::Vec3;

use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::comparison::{Comparison, Measurement};
use super::kinds::{Before, Kind};
use super::methods::Reskinned;
use super::report::WorstVertex;
use super::residual::{Left, Named, Place, REPLACEABLE};
use super::side::Side;
use super::words::{and_more, significant};
use super::{DiffError, timing};
use crate::finding::Finding;
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
            let findings = clip.as_ref().map(|clip| clip.findings(&culprits));
            let mut findings = findings.unwrap_or_default();
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
        let apart = self.vertices.pairs.iter().filter_map(|[a, b]| {
            let [a, b] = [*a as usize, *b as usize];
            let surface = before.surfaces[a] as usize;
            let distance = before.positions[a].distance(after.positions[b]);
            let is_off = distance > limit && !moved.contains(&surface);
            is_off.then_some((distance, surface))
        });
        let apart: Vec<(f64, usize)> = apart.collect();
        let (distance, surface) = apart.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let name = &self.sides[0].surfaces[*surface].name;
        let message = format!(
            "a vertex of mesh \"{name}\" is {} elsewhere before any joint moves it{}",
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
