//! The comparison, step by step.

use glam::{DMat4, DVec3, Vec3};

use super::align::{self, Clouds, Similarity};
use super::binds::{self, Binds};
use super::blame::{self, Clip};
use super::joints::{self, JointPairs};
use super::measure::{Measured, Screen, Task};
use super::morphs::{Morphs, TargetPair};
use super::motion::{JointMotion, Rigs};
use super::options::{Accepted, Options, Settings};
use super::report::{
    Finding, Kind, Matched, Report, Stage, Surface, Take, WorstJoint, WorstVertex,
};
use super::samples::{self, Sample, TimeMap};
use super::side::{At, Side, Source};
use super::tolerance::{Limit, Measure, Tolerance};
use super::vertices::{self, VertexPairs};
use super::weights::Weights;
use super::words::{Lengths, and_more};
use super::{DiffError, clips, timing};
use crate::units::Seconds;
use crate::view::{Framing, Projection};

/// Most times of a clip that are compared, and most vertices at all of them together: seconds of work.
const MOST_SAMPLES: usize = 2000;
const MOST_WORK: usize = 200_000_000;

/// Fewest times of a clip, whatever the model's size.
const FEWEST_SAMPLES: usize = 16;

/// A joint is watched at this distance at least, in relation to the diagonal: joints that move no vertex carry something.
const LEAST_REACH: f64 = 0.02;

/// A vertex counts as moved by a joint from this weight on.
const MOVES: f64 = 0.1;

/// Poses in which the effect of other weights is looked at.
const PROBES: usize = 32;

/// Compares two models.
///
/// # Errors
///
/// [`DiffError`] if they cannot be compared: names that are not there, a tolerance in millimetres for models without a unit,
/// too many vertices, or nothing in common.
///
/// # Example
///
/// ```no_run
/// use skincheck::diff::{self, Source};
/// use skincheck::import;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let load = |path: &str| import::load(path.as_ref(), &import::Options::default());
/// let [before, after] = [load("hero.fbx")?, load("hero.glb")?].map(|asset| Source::Model(Box::new(asset)));
/// let report = diff::compare(&before, &after, &diff::Options::default())?;
/// assert!(report.is_same(), "{:?}", report.findings);
/// # Ok(())
/// # }
/// ```
pub fn compare(before: &Source, after: &Source, options: &Options) -> Result<Report, DiffError> {
    let settings = &options.settings;
    let spaces = [before.space(), after.space()];
    let scale = DMat4::from_scale(DVec3::splat(settings.scale.unwrap_or(1.0)));
    let mut sides = [
        Side::new(before, DMat4::IDENTITY),
        Side::new(after, align::stated(spaces) * scale),
    ];
    check_names(&sides, settings)?;
    let rest = rest_positions(&sides)?;
    let diagonal = sides[0].bounds(&rest[0]).diagonal();
    let diagonal = if diagonal > 0.0 { diagonal } else { 1.0 };
    let mut findings = Vec::new();
    if let Some(similarity) = Similarity::find(&clouds(&sides, &rest)) {
        findings = similarity.findings(diagonal, settings.accepts(Accepted::Similarity));
        sides[1].convert(similarity.matrix());
    }
    let own = |list: &std::collections::BTreeMap<String, String>| -> Vec<(String, String)> {
        list.clone().into_iter().collect()
    };
    let both = [&sides[0], &sides[1]];
    let (joints, found) = joints::match_up(both, &own(&settings.joints), diagonal);
    findings.extend(found);
    let (clips, found) = clips::match_up(both, &joints, &own(&settings.clips), diagonal);
    findings.extend(found);
    options.deadline.check()?;
    let (vertices, found) = vertices::match_up(both, &joints, poses(both, &clips), diagonal);
    findings.extend(found);
    if vertices.pairs.is_empty() && joints.pairs.is_empty() {
        return Err(DiffError::NothingInCommon);
    }
    if !vertices.in_bind_pose && sides.iter().all(Side::is_model) {
        // Bound in another pose altogether: both are measured from the binding of the model before.
        for [a, b] in &joints.pairs {
            sides[1].joints[*b].bind = sides[0].joints[*a].bind;
        }
    }
    let sides = [&sides[0], &sides[1]];
    let metres_per_unit = spaces[0].metres_per_unit.or(spaces[1].metres_per_unit);
    let comparison = Comparison {
        measure: Measure {
            diagonal,
            metres_per_unit,
            units_per_pixel: diagonal
                / f64::from(options.viewport.width.min(options.viewport.height)),
        },
        lengths: Lengths {
            diagonal,
            metres_per_unit,
        },
        screen: screen(sides[0], options)?,
        rigs: rigs(sides, &joints, diagonal),
        options,
        sides,
        vertices: &vertices,
    };
    let (takes, found) = comparison.takes(&clips)?;
    findings.extend(found);
    let rank = |finding: &Finding| {
        let size = finding.displacement.unwrap_or(0.0);
        (!finding.is_difference, finding.kind.stage(), -size)
    };
    findings.sort_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
    });
    Ok(Report {
        sources: sides.map(|side| side.source.made_by().to_owned()),
        diagonal,
        metres_per_unit,
        tolerance: settings.tolerance.unwrap_or_default(),
        matched: Matched {
            joints: joints.pairs.len(),
            vertices: vertices.matched,
            all_vertices: sides
                .map(|side| side.vertices.is_used.iter().filter(|used| **used).count()),
            clips: clips.len(),
        },
        takes,
        findings,
    })
}

fn check_names(sides: &[Side<'_>; 2], settings: &Settings) -> Result<(), DiffError> {
    let named = |side: usize, what: &'static str, name: &String| {
        let is_there = match what {
            "joint" => sides[side].joints.iter().any(|joint| joint.name == *name),
            _ => sides[side].clips.iter().any(|clip| clip.name == *name),
        };
        if is_there {
            return Ok(());
        }
        Err(DiffError::UnknownName {
            what,
            name: name.clone(),
            side: if side == 0 { "before" } else { "after" },
        })
    };
    for (what, list) in [("joint", &settings.joints), ("clip", &settings.clips)] {
        for (before, after) in list {
            named(0, what, before)?;
            named(1, what, after)?;
        }
    }
    let joints = settings.joint_tolerances.keys();
    joints
        .into_iter()
        .try_for_each(|name| named(0, "joint", name))?;
    let mut clips = settings.clip_tolerances.keys();
    clips.try_for_each(|name| named(0, "clip", name))
}

/// Where the vertices are at rest, or, if one side knows no rest pose, as they are bound.
fn rest_positions(sides: &[Side<'_>; 2]) -> Result<[Vec<Vec3>; 2], DiffError> {
    if sides.iter().all(Side::is_model) {
        let [before, after] = sides;
        return Ok([
            before.frame(At::Rest, false)?.positions,
            after.frame(At::Rest, false)?.positions,
        ]);
    }
    Ok(sides.each_ref().map(|side| {
        let positions = side.vertices.positions.iter();
        positions.copied().map(DVec3::as_vec3).collect()
    }))
}

fn clouds(sides: &[Side<'_>; 2], rest: &[Vec<Vec3>; 2]) -> Clouds {
    let at_rest = sides.iter().all(Side::is_model);
    let origin = |side: usize, joint: usize| {
        let joint = &sides[side].joints[joint];
        let matrix = if at_rest { joint.rest } else { joint.bind };
        matrix.w_axis.truncate()
    };
    let named = joints::by_name([&sides[0], &sides[1]]);
    let of_rig = named
        .into_iter()
        .filter(|[a, b]| sides[0].joints[*a].is_of_rig && sides[1].joints[*b].is_of_rig);
    let of_rig: Vec<[usize; 2]> = of_rig.collect();
    let landmarks = of_rig.iter().map(|[a, b]| [origin(0, *a), origin(1, *b)]);
    let landmarks = landmarks.collect();
    let points = [0, 1].map(|side: usize| {
        let used = rest[side].iter().zip(&sides[side].vertices.is_used);
        let used = used.filter(|(_, used)| **used);
        used.map(|(position, _)| position.as_dvec3()).collect()
    });
    let has_no_vertices = points.iter().any(Vec::is_empty);
    Clouds {
        points: if has_no_vertices {
            [0, 1].map(|side| {
                let joints = 0..sides[side].joints.len();
                joints.map(|joint| origin(side, joint)).collect()
            })
        } else {
            points
        },
        landmarks,
        motions: motions(sides, &of_rig),
    }
}

/// Times of a clip at which its motion is looked at, as fractions.
const PHASES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// What joints of the same name do in a clip of the same name, or in the only one.
fn motions(sides: &[Side<'_>; 2], joints: &[[usize; 2]]) -> Vec<([DMat4; 2], DVec3)> {
    let [before, after] = sides;
    let named = before.clips.iter().enumerate().find_map(|(index, clip)| {
        let mut others = after.clips.iter();
        let other = others.position(|other| other.name == clip.name)?;
        Some([index, other])
    });
    let only = (before.clips.len() == 1 && after.clips.len() == 1).then_some([0, 0]);
    let Some(clips) = named.or(only) else {
        return Vec::new();
    };
    let reach = before.bounds(&[]).diagonal() * 0.1;
    let mut motions = Vec::new();
    for phase in PHASES {
        let posed = [0, 1].map(|side: usize| {
            let clip = &sides[side].clips[clips[side]];
            let time = clip.start + phase * (clip.end - clip.start);
            sides[side].pose(At::Clip(clips[side], time))
        });
        for pair in joints {
            let displacements = [0, 1].map(|side: usize| {
                let joint = pair[side];
                posed[side].joints[joint] * sides[side].joints[joint].bind.inverse()
            });
            let origin = before.joints[pair[0]].bind.w_axis.truncate();
            // Off all axes, so that no rotation leaves it in place.
            motions.push((displacements, origin + reach * DVec3::new(0.5, 0.7, 1.0)));
        }
    }
    motions
}

/// Poses in which vertices may be matched: as bound, at rest, and where the first clip starts.
fn poses<'a>(
    sides: [&'a Side<'a>; 2],
    clips: &'a [[usize; 2]],
) -> impl Iterator<Item = vertices::Poses> + 'a {
    let has_rest = sides.into_iter().all(Side::is_model);
    let frame = move |at: [At; 2]| -> Option<vertices::Poses> {
        let positions = |side: usize| -> Option<Vec<DVec3>> {
            let frame = sides[side].frame(at[side], false).ok()?;
            Some(
                frame
                    .positions
                    .iter()
                    .copied()
                    .map(Vec3::as_dvec3)
                    .collect(),
            )
        };
        Some([positions(0)?, positions(1)?])
    };
    (0..3).filter_map(move |number| match number {
        0 => Some(sides.map(|side| side.vertices.positions.clone())),
        1 if has_rest => frame([At::Rest; 2]),
        2 => {
            let pair = clips.first()?;
            let samples = samples::samples(sides, *pair, TimeMap::IDENTITY, 2);
            let first = samples.list.first()?;
            frame([0, 1].map(|side| At::Clip(pair[side], first.times[side])))
        }
        _ => None,
    })
}

/// A camera that sees the model before at rest and along its clips.
fn screen(side: &Side<'_>, options: &Options) -> Result<Screen, DiffError> {
    let (direction, viewport) = (options.direction, options.viewport);
    let mut framing = Framing::new(
        &side.source.space(),
        direction,
        Projection::default(),
        viewport,
    );
    framing.include(&side.frame(At::Rest, false)?.positions);
    for (index, clip) in side.clips.iter().enumerate().take(8) {
        for time in [clip.start, clip.start.midpoint(clip.end), clip.end] {
            framing.include(&side.frame(At::Clip(index, time), false)?.positions);
        }
    }
    Ok(Screen {
        clip_from_common: framing.camera().clip_from_world().as_dmat4(),
        viewport,
    })
}

fn rigs<'a>(sides: [&'a Side<'a>; 2], joints: &'a JointPairs, diagonal: f64) -> Rigs<'a> {
    let before = sides[0];
    let mut reaches = vec![LEAST_REACH * diagonal; joints.pairs.len()];
    let mut pair_of = vec![None; before.joints.len()];
    for (pair, [joint, _]) in joints.pairs.iter().enumerate() {
        pair_of[*joint] = Some(pair);
    }
    for (vertex, position) in before.vertices.positions.iter().enumerate() {
        for (joint, weight) in before.weights_of(vertex).unwrap_or_default() {
            let Some(pair) = pair_of[joint].filter(|_| weight >= MOVES) else {
                continue;
            };
            let distance = position.distance(before.joints[joint].bind.w_axis.truncate());
            if distance.is_finite() {
                reaches[pair] = f64::max(reaches[pair], distance);
            }
        }
    }
    Rigs {
        sides,
        joints,
        parents: joints.parents(&before.joints),
        reaches,
    }
}

struct Comparison<'a> {
    options: &'a Options,
    sides: [&'a Side<'a>; 2],
    vertices: &'a VertexPairs,
    rigs: Rigs<'a>,
    measure: Measure,
    lengths: Lengths,
    screen: Screen,
}

/// One clip, or the rest pose, with all that was measured.
struct Measurement {
    clips: Option<[usize; 2]>,
    samples: samples::Samples,
    limit: Limit,
    limits: Vec<f64>,
    surface: Measured,
    motions: Vec<JointMotion>,
    /// What is said of the clip's times.
    timing: Vec<Finding>,
}

impl Comparison<'_> {
    fn takes(&self, clips: &[[usize; 2]]) -> Result<(Vec<Take>, Vec<Finding>), DiffError> {
        let mut measurements = Vec::new();
        if self.sides.iter().all(|side| side.is_model()) {
            measurements.push(self.rest()?);
        }
        for pair in clips {
            self.options.deadline.check()?;
            measurements.push(self.clip(*pair)?);
        }
        let findings = self.findings(&measurements, clips)?;
        let takes = measurements.iter().map(|one| self.take(one, &findings));
        let takes = takes.collect();
        Ok((takes, findings))
    }

    fn limit(&self, tolerance: Tolerance) -> Result<Limit, DiffError> {
        self.measure.limit(tolerance).ok_or(DiffError::UnknownUnit)
    }

    fn own_limit(&self, clip: Option<&str>) -> Result<Limit, DiffError> {
        let settings = &self.options.settings;
        let own = clip.and_then(|clip| settings.clip_tolerances.get(clip));
        let tolerance = own.copied().or(settings.tolerance).unwrap_or_default();
        self.limit(tolerance)
    }

    /// What each pair of joints may be off by: nothing is asked of nodes that move no part of the rig.
    fn joint_limits(&self, limit: Limit) -> Result<Vec<f64>, DiffError> {
        let joints = &self.sides[0].joints;
        let mut matters: Vec<bool> = joints.iter().map(|joint| joint.is_of_rig).collect();
        if !matters.contains(&true) {
            matters.fill(true);
        }
        for index in (0..joints.len()).rev() {
            if let (true, Some(parent)) = (matters[index], joints[index].parent) {
                matters[parent] = true;
            }
        }
        let pairs = self.rigs.joints.pairs.iter().map(|[joint, _]| {
            if !matters[*joint] {
                return Ok(f64::INFINITY);
            }
            Ok(limit.length * self.joint_factor(*joint, limit)?)
        });
        pairs.collect()
    }

    /// By how much a joint's limit is larger than others.
    fn joint_factor(&self, joint: usize, limit: Limit) -> Result<f64, DiffError> {
        let tolerances = &self.options.settings.joint_tolerances;
        let Some(own) = tolerances.get(&self.sides[0].joints[joint].name) else {
            return Ok(1.0);
        };
        Ok(self.limit(*own)?.length / limit.length)
    }

    /// The same for each pair of vertices, by the joint that moves it most.
    fn vertex_factors(&self, limit: Limit) -> Result<Vec<f64>, DiffError> {
        if self.options.settings.joint_tolerances.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = self.vertices.pairs.iter().map(|[vertex, _]| {
            let weights = self.sides[0].weights_of(*vertex as usize);
            let strongest = weights.and_then(|list| list.first().copied());
            strongest.map_or(Ok(1.0), |(joint, _)| self.joint_factor(joint, limit))
        });
        pairs.collect()
    }

    fn rest(&self) -> Result<Measurement, DiffError> {
        let sample = Sample {
            times: [0.0; 2],
            is_key: [true; 2],
        };
        let samples = samples::Samples {
            list: vec![sample],
            all: 1,
        };
        self.measured(None, samples, self.own_limit(None)?, Vec::new())
    }

    fn clip(&self, clips: [usize; 2]) -> Result<Measurement, DiffError> {
        let name = &self.sides[0].clips[clips[0]].name;
        let limit = self.own_limit(Some(name))?;
        let map = timing::recognize(&self.rigs, clips, limit.length);
        let is_accepted = self.options.settings.accepts(Accepted::Time);
        let timing = timing::findings(self.sides, clips, map, is_accepted);
        let vertices = self.vertices.pairs.len().max(1);
        let most = (MOST_WORK / vertices).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        let samples = samples::samples(self.sides, clips, map, most);
        self.measured(Some(clips), samples, limit, timing)
    }

    fn measured(
        &self,
        clips: Option<[usize; 2]>,
        samples: samples::Samples,
        limit: Limit,
        timing: Vec<Finding>,
    ) -> Result<Measurement, DiffError> {
        let factors = self.vertex_factors(limit)?;
        let has_normals = |side: &Side<'_>| side.surfaces.iter().any(|surface| surface.has_normals);
        let task = Task {
            sides: self.sides,
            pairs: &self.vertices.pairs,
            screen: self.screen,
            limit,
            factors: &factors,
            normals: self.sides.into_iter().all(has_normals),
        };
        let surface = task.measure(clips, &samples.list)?;
        let limits = self.joint_limits(limit)?;
        let motions = self.rigs.motions(clips, &samples.list, &limits);
        Ok(Measurement {
            clips,
            samples,
            limit,
            limits,
            surface,
            motions,
            timing,
        })
    }

    fn findings(
        &self,
        measurements: &[Measurement],
        clips: &[[usize; 2]],
    ) -> Result<Vec<Finding>, DiffError> {
        let limit = self.own_limit(None)?;
        let mut binds = binds::compare(&self.rigs, &self.joint_limits(limit)?, self.lengths);
        if binds.resting.len() > 1 {
            self.name_moment_of_rest(&mut binds, clips, limit.length);
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
        }
        findings.extend(self.normals(measurements, &findings));
        findings.extend(self.unexplained(measurements, &findings));
        Ok(findings)
    }

    fn name_moment_of_rest(&self, binds: &mut Binds, clips: &[[usize; 2]], limit: f64) {
        let Some((clip, time)) = blame::moment_of_rest(&self.rigs, clips, limit) else {
            return;
        };
        let name = &self.sides[0].clips[clip].name;
        let message = format!(
            "the rest pose after is that of clip \"{name}\" at {} s: it was exported with the clip applied",
            super::words::significant(time)
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

    /// Vertices that are elsewhere before any joint moves them, in surfaces that have not been moved as a whole.
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
            let displacement = |(now, joint): (&DMat4, &super::side::Joint)| {
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
                is_of_all || clip.is_some() && finding.clip.as_ref() == clip
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
                super::words::significant(worst.time.0)
            );
            let finding = Finding::new(Kind::Unexplained, message).mesh(&worst.mesh);
            let finding = finding.clip(clip.map(String::as_str)).at(worst.time.0);
            findings.push(finding.by(one.surface.max));
        }
        findings
    }

    fn worst_vertex(&self, one: &Measurement) -> Option<WorstVertex> {
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
        let joint = strongest.map(|(joint, _)| self.sides[0].joints[joint].name.clone());
        Some(WorstVertex {
            mesh: self.sides[0].surfaces[local[0].0].name.clone(),
            vertex: local[0].1,
            counterpart: local[1].1,
            positions: one.surface.positions.map(|position| position.as_dvec3()),
            time: Seconds(sample.times[0]),
            joint,
        })
    }

    fn take(&self, one: &Measurement, findings: &[Finding]) -> Take {
        let clips = one
            .clips
            .map(|pair| [0, 1].map(|side: usize| self.sides[side].clips[pair[side]].name.clone()));
        let name = clips.as_ref().map(|[before, _]| before);
        let measured = &one.surface;
        let motions = one.motions.iter().enumerate();
        let motions = motions.filter(|(pair, _)| one.limits[*pair].is_finite());
        let joint = motions.max_by(|a, b| a.1.total.total_cmp(&b.1.total));
        let is_named = findings.iter().any(|finding| {
            finding.is_difference && finding.clip.is_some() && finding.clip.as_ref() == name
        });
        Take {
            samples: one.samples.list.len(),
            all_samples: one.samples.all,
            surface: Surface {
                max: measured.max,
                p99: measured.p99,
                rms: measured.rms,
                pixels: measured.pixels,
                normals: (!measured.cosines.is_empty())
                    .then(|| measured.normals_off(f64::INFINITY).1),
                worst: self.worst_vertex(one),
            },
            joint: joint.map(|(pair, motion)| WorstJoint {
                joint: self.sides[0].joints[self.rigs.joints.pairs[pair][0]]
                    .name
                    .clone(),
                displacement: motion.total,
                time: Seconds(motion.total_time),
            }),
            differs: measured.used > 1.0 || is_named,
            clips,
        }
    }
}
