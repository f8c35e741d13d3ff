//! Collects the differences by cause.

use glam::{DMat4, Vec3};

use super::DiffError;
use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::morphs::{Morphs, TargetPair};
use super::report::{Finding, Kind, Stage, WorstVertex};
use super::side::{At, Joint};
use super::takes::{Comparison, Measurement};
use super::timing;
use super::weights::Weights;
use super::words::{and_more, significant};
use crate::units::Seconds;

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
        for one in measurements {
            findings.extend(one.timing.iter().cloned());
            let Some(pair) = one.clips else { continue };
            let clip = Clip {
                rigs: &self.rigs,
                clips: pair,
                samples: &one.samples.list,
                motions: &one.motions,
                limits: &one.limits,
                binds: &binds,
                lengths: self.lengths,
            };
            findings.extend(clip.findings());
            findings.extend(timing::seam_finding(&self.rigs, pair, one.limit.length));
        }
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
            findings.extend(self.skinning_method(measurements)?);
        }
        findings.extend(self.normals(measurements, &findings));
        findings.extend(self.unexplained(measurements, &findings));
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

    fn unexplained(&self, measurements: &[Measurement], known: &[Finding]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for one in measurements.iter().filter(|one| one.surface.used > 1.0) {
            let clip = one.clips.map(|pair| &self.sides[0].clips[pair[0]].name);
            let explains = |finding: &Finding| {
                let is_of_all = matches!(
                    finding.kind.stage(),
                    Stage::Meshes | Stage::Bind | Stage::Weights | Stage::Morphs
                );
                let is_of_clip = clip.is_some() && finding.clip.as_ref() == clip;
                // A remark was reconciled before the surfaces were measured.
                finding.is_difference && (is_of_all || is_of_clip)
            };
            if known.iter().any(explains) || !self.vertices.moved.is_empty() {
                continue;
            }
            let Some(worst) = self.worst_vertex(one) else {
                continue;
            };
            let moved_by = worst.joint.as_ref().map_or_else(String::new, |joint| {
                format!(", which `{joint}` moves most,")
            });
            let message = format!(
                "vertex {} of mesh \"{}\"{moved_by} is off by {} at {} s, and no single stage explains it",
                worst.vertex,
                worst.mesh,
                self.lengths.show(one.surface.max),
                significant(worst.time.0)
            );
            let finding = Finding::new(Kind::Unexplained, message).mesh(&worst.mesh);
            let finding = finding.clip(clip.map(String::as_str)).at(worst.time.0);
            findings.push(finding.by(one.surface.max));
        }
        findings
    }

    pub(super) fn worst_vertex(&self, one: &Measurement) -> Option<WorstVertex> {
        let (pair, sample) = one.surface.worst?;
        let sample = one.samples.list.get(sample)?;
        let vertices = self.vertices.pairs.get(pair)?.map(|vertex| vertex as usize);
        let local = [0, 1].map(|side: usize| {
            let side_ = self.sides[side];
            let surface = side_.vertices.surfaces[vertices[side]] as usize;
            (
                surface,
                vertices[side] - side_.surfaces[surface].range.start,
            )
        });
        let weights = self.sides[0].weights_of(vertices[0]);
        let strongest = weights.and_then(|list| list.first().copied());
        let joint = strongest.map(|(joint, _)| self.sides[0].joints[joint].shown.clone());
        Some(WorstVertex {
            mesh: self.sides[0].surfaces[local[0].0].name.clone(),
            vertex: local[0].1,
            counterpart: local[1].1,
            positions: one.surface.positions.map(Vec3::as_dvec3),
            time: Seconds(sample.times[0]),
            joint,
        })
    }
}
