//! Collects the differences by cause.

use glam::{DMat4, Vec3};

use super::DiffError;
use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::morphs::{Morphs, TargetPair};
use super::report::{Finding, Kind, Stage, WorstVertex};
use super::residual::{Left, Named, Place, REPLACEABLE};
use super::side::{At, Joint};
use super::takes::{Comparison, Measurement};
use super::timing;
use super::weights::Weights;
use super::words::{and_more, significant};
use crate::units::Seconds;

/// If joints beyond their limit leave a part of the surface's error unexplained, joints beyond these fractions of it are
/// named: small errors add up along a chain.
const SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// The number of poses in which the effect of different weights is examined.
const PROBES: usize = 32;

impl Comparison<'_> {
    /// The differences beyond the tolerance, and their causes.
    pub(super) fn findings(
        &self,
        measurements: &[Measurement],
        clips: &[[usize; 2]],
    ) -> Result<Vec<Finding>, DiffError> {
        let limit = self.own_limit(None)?;
        let mut binds = binds::compare(&self.rigs, &self.joint_limits(limit)?, self.lengths);
        if binds.resting.len() > 1 {
            self.name_time_of_rest(&mut binds, clips, limit.length);
        }
        let mut findings = std::mem::take(&mut binds.findings);
        let morphs = Morphs {
            sides: self.sides,
            vertices: self.vertices,
            lengths: self.lengths,
            limit: limit.length,
        };
        let (targets, found) = morphs.shapes();
        findings.extend(found);
        findings.extend(self.morph_weights(&morphs, &targets, measurements));
        let differs = measurements.iter().any(|one| one.surface.used > 1.0);
        if differs {
            findings.extend(self.shape(limit.length));
            findings.extend(self.weights(measurements, limit.length));
        }
        let method = self.skinning_method(measurements)?;
        let stages = findings.iter().map(|finding| finding.kind.stage());
        let moved = self.vertices.moved.iter().map(|_| Stage::Meshes);
        let stages = stages.chain(moved);
        let stages = stages.filter(|stage| REPLACEABLE.contains(stage)).collect();
        let reskinned = method.map(|(finding, reskinned)| {
            findings.push(finding);
            reskinned
        });
        findings.extend(self.normals(measurements, &findings));
        let pairs = 0..self.rigs.joints.pairs.len();
        let shown =
            |pair: &usize| binds.shows_in(&self.rigs, *pair) || binds.resting.contains(pair);
        let named = Named {
            joints: pairs.filter(shown).collect(),
            stages,
            reskinned,
        };
        for one in measurements {
            self.options.deadline.check()?;
            findings.extend(one.timing.iter().cloned());
            findings.extend(self.of_take(one, &binds, &named)?);
        }
        Ok(findings)
    }

    /// The causes within a clip or the rest pose, and what they leave unexplained.
    ///
    /// * `named` – the causes of the whole model.
    fn of_take(
        &self,
        one: &Measurement,
        binds: &Binds,
        named: &Named,
    ) -> Result<Vec<Finding>, DiffError> {
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
            let mut findings = clip.map_or_else(Vec::new, |clip| clip.findings(&culprits));
            if let Some(pair) = one.clips {
                findings.extend(timing::seam_finding(&self.rigs, pair, one.limit.length));
            }
            if one.surface.used <= 1.0 {
                return Ok(findings);
            }
            let mut named = named.clone();
            named.joints.extend(culprits);
            let Some(left) = self.left(one, &named)? else {
                return Ok(findings);
            };
            unexplained.get_or_insert((findings, left, named.is_empty()));
        }
        let (mut findings, left, is_all) = unexplained.expect("there is a share");
        findings.push(self.unexplained(one, &left, is_all));
        Ok(findings)
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
            .retain(|finding| finding.kind != Kind::RestPose);
        let finding = Finding::new(Kind::RestPose, message).clip(Some(name));
        binds.findings.push(finding.at(time));
    }

    /// The largest difference of morph weights.
    fn morph_weights(
        &self,
        morphs: &Morphs<'_>,
        targets: &[TargetPair],
        measurements: &[Measurement],
    ) -> Option<Finding> {
        let found = measurements.iter().filter_map(|one| {
            let finding = morphs.weights(targets, one.clips, &one.samples.list)?;
            let clip = one.clips.map(|pair| &self.sides[0].clips[pair[0]].name);
            Some(finding.clip(clip.map(String::as_str)))
        });
        found.max_by(|a, b| {
            let size = |finding: &Finding| finding.displacement.unwrap_or(0.0);
            size(a).total_cmp(&size(b))
        })
    }

    /// Finds vertices that differ before any joint moves them, in surfaces that were not moved as a whole.
    fn shape(&self, limit: f64) -> Option<Finding> {
        if !self.vertices.in_bind_pose {
            return None;
        }
        let [before, after] = self.sides.map(|side| &side.vertices);
        let apart = self.vertices.pairs.iter().filter_map(|[a, b]| {
            let [a, b] = [*a as usize, *b as usize];
            let surface = before.surfaces[a] as usize;
            let distance = before.positions[a].distance(after.positions[b]);
            let is_off = distance > limit && !self.vertices.moved.contains(&surface);
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
        let finding = Finding::new(Kind::MeshShape, message);
        Some(finding.mesh(name).by(*distance))
    }

    fn weights(&self, measurements: &[Measurement], limit: f64) -> Option<Finding> {
        let all: Vec<(Option<[usize; 2]>, f64)> = measurements
            .iter()
            .flat_map(|one| {
                let samples = one.samples.list.iter();
                samples.map(|sample| (one.clips, sample.times[0]))
            })
            .collect();
        let step = all.len().div_ceil(PROBES).max(1);
        let poses = all.into_iter().step_by(step).map(|(clips, time)| {
            let at = clips.map_or(At::Rest, |clips| At::Clip(clips[0], time));
            let posed = self.sides[0].pose(at);
            let joints = posed.joints.iter().zip(&self.sides[0].joints);
            let displacement = |(now, joint): (&DMat4, &Joint)| {
                Some(*now * joint.bind.inverse()).filter(DMat4::is_finite)
            };
            joints.map(displacement).collect()
        });
        let poses: Vec<Vec<Option<DMat4>>> = poses.collect();
        let weights = Weights {
            sides: self.sides,
            joints: self.rigs.joints,
            vertices: self.vertices,
            poses: &poses,
            limit,
        };
        weights.finding()
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
                findings.push(Finding::new(Kind::NormalsMissing, message).mesh(&own.name));
            }
        }
        if known
            .iter()
            .any(|finding| finding.kind == Kind::MorphNormals)
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
            let clip = one
                .clips
                .map(|pair| self.sides[0].clips[pair[0]].name.as_str());
            findings.push(Finding::new(Kind::Normals, message).clip(clip));
        }
        findings
    }

    /// * `is_all` – whether no finding explains any part of it.
    fn unexplained(&self, one: &Measurement, left: &Left, is_all: bool) -> Finding {
        let clip = one
            .clips
            .map(|pair| self.sides[0].clips[pair[0]].name.as_str());
        let (what, mesh, joint) = match left.place {
            Place::Vertex(pair) => {
                let [(mesh, vertex), _] = self.named_vertices(pair);
                let joint = self.strongest_joint(pair);
                let moved_by = joint.as_ref().map_or_else(String::new, |joint| {
                    format!(", which `{joint}` moves most,")
                });
                let what = format!("vertex {vertex} of mesh \"{mesh}\"{moved_by}");
                (what, Some(mesh.to_owned()), joint)
            }
            Place::Joint(pair) => {
                let [joint, _] = self.rigs.joints.pairs[pair];
                let joint = self.sides[0].joints[joint].shown.clone();
                (format!("`{joint}`"), None, Some(joint))
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
        let finding = Finding::new(Kind::Unexplained, message).clip(clip);
        Finding {
            joint,
            mesh,
            ..finding.at(time).by(left.length)
        }
    }

    /// The mesh of both vertices of a pair, and their indices in it.
    fn named_vertices(&self, pair: usize) -> [(&str, usize); 2] {
        [0, 1].map(|number: usize| {
            let side = self.sides[number];
            let vertex = self.vertices.pairs[pair][number] as usize;
            let surface = &side.surfaces[side.vertices.surfaces[vertex] as usize];
            (surface.name.as_str(), vertex - surface.range.start)
        })
    }

    /// The joint that moves a vertex before most, if known.
    fn strongest_joint(&self, pair: usize) -> Option<String> {
        let [vertex, _] = self.vertices.pairs[pair];
        let weights = self.sides[0].weights_of(vertex as usize)?;
        let (joint, _) = weights.first()?;
        Some(self.sides[0].joints[*joint].shown.clone())
    }

    pub(super) fn worst_vertex(&self, one: &Measurement) -> Option<WorstVertex> {
        let (pair, sample) = one.surface.worst?;
        let [(mesh, vertex), (_, counterpart)] = self.named_vertices(pair);
        Some(WorstVertex {
            mesh: mesh.to_owned(),
            vertex,
            counterpart,
            positions: one.surface.positions.map(Vec3::as_dvec3),
            time: Seconds(one.samples.list.get(sample)?.times[0]),
            joint: self.strongest_joint(pair),
        })
    }
}
