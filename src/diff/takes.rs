//! Compares the rest pose and every pair of clips.

use std::collections::BTreeSet;

use super::DiffError;
use super::findings::Explained;
use super::kinds::{Kind, Stage};
use super::measure::{Measured, Screen, Task};
use super::motion::{JointMotion, Rigs};
use super::options::{Accepted, Only, Options};
use super::report::{ErrorSample, JointError, Surface, Take, WorstJoint};
use super::samples::{self, SAME_TIME, Sample};
use super::side::Side;
use super::timing;
use super::tolerance::{Limit, Measure, Tolerance};
use super::vertices::VertexPairs;
use super::words::Lengths;
use crate::finding::{Finding, Level};
use crate::shown::escaped;
use crate::units::Seconds;

/// The most compared times of a clip, and the most vertices at all of them together: a few seconds of work.
const MOST_SAMPLES: usize = 2000;
const MOST_WORK: usize = 200_000_000;

/// The fewest times of a clip, whatever the model's size.
const FEWEST_SAMPLES: usize = 16;

/// Two models with their correspondences.
pub(super) struct Comparison<'a> {
    pub(super) options: &'a Options,
    pub(super) sides: [&'a Side<'a>; 2],
    pub(super) vertices: &'a VertexPairs,
    pub(super) rigs: Rigs<'a>,
    pub(super) measure: Measure,
    pub(super) lengths: Lengths,
    pub(super) screen: Screen,
}

/// One clip, or the rest pose, with its measurements.
pub(super) struct Measurement {
    pub(super) clips: Option<[usize; 2]>,
    pub(super) samples: samples::Samples,
    pub(super) limit: Limit,
    pub(super) limits: Vec<f64>,
    pub(super) surface: Measured,
    pub(super) motions: Vec<JointMotion>,
    /// Findings about the clip's timing.
    pub(super) timing: Vec<Finding>,
}

/// All measurements, and their findings.
pub(super) struct Taken {
    pub(super) measurements: Vec<Measurement>,
    /// One entry per measurement.
    pub(super) takes: Vec<Take>,
    pub(super) findings: Vec<Finding>,
}

impl Comparison<'_> {
    /// How the rest pose and each pair of clips compare, and everything that differs in them.
    pub(super) fn takes(&self, clips: &[[usize; 2]]) -> Result<Taken, DiffError> {
        let mut measurements = Vec::new();
        if self.sides.iter().all(|side| side.is_model()) {
            measurements.push(self.rest()?);
        }
        for pair in clips {
            self.options.deadline.check()?;
            measurements.push(self.clip(*pair)?);
        }
        let Explained {
            mut findings,
            is_ignored,
        } = self.findings(&measurements, clips)?;
        let settings = &self.options.settings;
        settings.ignore_in(&mut findings);
        if settings.only == Some(Only::Surface) {
            self.ignore_unseen(&measurements, &mut findings);
        }
        let takes = measurements.iter().zip(is_ignored);
        let takes = takes.map(|(one, is_ignored)| self.take(one, is_ignored, &findings));
        Ok(Taken {
            takes: takes.collect(),
            measurements,
            findings,
        })
    }

    /// Turns findings about weights and motion into remarks where the surface is within the tolerance.
    fn ignore_unseen(&self, measurements: &[Measurement], findings: &mut [Finding]) {
        for finding in findings {
            let is_off = measurements.iter().any(|one| {
                let clip = one.clips.map(|[clip, _]| &self.sides[0].clips[clip].name);
                let is_of = clip.is_some_and(|clip| finding.is_of(clip));
                one.surface.used > 1.0 && (is_of || finding.location.clip.is_none())
            });
            let kind = Kind::of(finding);
            let may_be_unseen = kind == Some(Kind::LoopSeam)
                || matches!(
                    kind.map(Kind::stage),
                    Some(
                        Stage::Bind
                            | Stage::Weights
                            | Stage::Morphs
                            | Stage::Keys
                            | Stage::Interpolation
                    )
                );
            if may_be_unseen && !is_off {
                finding.level = Level::Info;
            }
        }
    }

    fn limit(&self, tolerance: Tolerance) -> Result<Limit, DiffError> {
        self.measure.limit(tolerance).ok_or(DiffError::UnknownUnit)
    }

    pub(super) fn own_limit(&self, clip: Option<&str>) -> Result<Limit, DiffError> {
        let settings = &self.options.settings;
        let own = clip.and_then(|clip| settings.clip_tolerances.get(clip));
        let tolerance = own.copied().or(settings.tolerance).unwrap_or_default();
        self.limit(tolerance)
    }

    /// The limit of each pair of joints; infinite for nodes that move no part of the rig.
    pub(super) fn joint_limits(&self, limit: Limit) -> Result<Vec<f64>, DiffError> {
        let pairs = self.rigs.joints.pairs.iter().zip(&self.rigs.matters);
        let pairs = pairs.map(|([joint, _], matters)| {
            if !matters {
                return Ok(f64::INFINITY);
            }
            Ok(limit.length * self.joint_factor(*joint, limit)?)
        });
        pairs.collect()
    }

    /// The factor on a joint's limit.
    fn joint_factor(&self, joint: usize, limit: Limit) -> Result<f64, DiffError> {
        let tolerances = &self.options.settings.joint_tolerances;
        let Some(own) = tolerances.get(&self.sides[0].joints[joint].name) else {
            return Ok(1.0);
        };
        Ok(self.limit(*own)?.length / limit.length)
    }

    /// The same for each pair of vertices, by the joint that moves the vertex most.
    pub(super) fn vertex_factors(&self, limit: Limit) -> Result<Vec<f64>, DiffError> {
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
        self.check_common(clips, &samples)?;
        self.measured(Some(clips), samples, limit, timing)
    }

    /// Refuses to compare a clip with a reference if they share fewer frames than show a motion.
    fn check_common(&self, clips: [usize; 2], samples: &samples::Samples) -> Result<(), DiffError> {
        let own = [0, 1].map(|side: usize| &self.sides[side].clips[clips[side]]);
        let has_motion = own.iter().all(|clip| clip.end - clip.start > SAME_TIME);
        let common = samples.list.len();
        if self.sides.iter().all(|side| side.is_model()) || common > usize::from(has_motion) {
            return Ok(());
        }
        Err(DiffError::TooFewFrames {
            clip: escaped(&own[0].name),
            common,
            all: samples.all,
            ranges: own.map(|clip| [clip.start, clip.end]),
        })
    }

    fn measured(
        &self,
        clips: Option<[usize; 2]>,
        samples: samples::Samples,
        limit: Limit,
        timing: Vec<Finding>,
    ) -> Result<Measurement, DiffError> {
        let factors = self.vertex_factors(limit)?;
        let mut surface = self.task(limit, &factors).measure(clips, &samples.list)?;
        let limits = self.joint_limits(limit)?;
        let surface_differs = surface.used > 1.0;
        let motions = self
            .rigs
            .motions(clips, &samples.list, &limits, surface_differs);
        if self.vertices.pairs.is_empty() {
            // Joints stand in for the surface: small errors add up along a chain.
            let used = motions.iter().zip(&limits);
            let used = used.map(|(motion, limit)| motion.total / limit);
            surface.used = used.fold(0.0, f64::max);
        }
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

    /// The measurement of vertices.
    ///
    /// * `factors` – as returned by [`vertex_factors`](Self::vertex_factors).
    pub(super) fn task<'t>(&'t self, limit: Limit, factors: &'t [f64]) -> Task<'t> {
        let has_normals = |side: &Side<'_>| side.surfaces.iter().any(|surface| surface.has_normals);
        Task {
            sides: self.sides,
            pairs: &self.vertices.pairs,
            screen: self.screen,
            limit,
            factors,
            normals: self.sides.into_iter().all(has_normals),
        }
    }

    /// The number of keys per second after, if the surfaces agree at these keys.
    fn rate_between_keys(&self, one: &Measurement) -> Option<f64> {
        let [_, clip] = one.clips?;
        let keys = &self.sides[1].clips[clip].keys;
        let is_key = |time: f64| {
            let next = keys.partition_point(|key| *key < time - SAME_TIME);
            keys.get(next).is_some_and(|key| *key <= time + SAME_TIME)
        };
        let samples = one.samples.list.iter().zip(&one.surface.over_time);
        let mut at_keys = samples
            .filter(|(sample, _)| is_key(sample.times[1]))
            .peekable();
        at_keys.peek()?;
        if at_keys.any(|(_, [max, _])| *max > one.limit.length) {
            return None;
        }
        let mut steps: Vec<f64> = keys.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() / 2).map(|step| 1.0 / step)
    }

    /// * `is_ignored` – whether the surface is beyond the tolerance only by what the settings ignore.
    fn take(&self, one: &Measurement, is_ignored: bool, findings: &[Finding]) -> Take {
        let clips = one
            .clips
            .map(|pair| [0, 1].map(|side: usize| self.sides[side].clips[pair[side]].name.clone()));
        let name = clips.as_ref().map(|[before, _]| before);
        let measured = &one.surface;
        let motions = one.motions.iter().enumerate();
        let motions = motions.filter(|(pair, _)| one.limits[*pair].is_finite());
        let shown = |pair: usize| {
            let [joint, _] = self.rigs.joints.pairs[pair];
            self.sides[0].joints[joint].shown.clone()
        };
        let mut joints: Vec<JointError> = motions
            .clone()
            .map(|(pair, motion)| JointError {
                joint: shown(pair),
                total: motion.total,
                own: motion.own.max,
            })
            .collect();
        joints.sort_by(|a, b| b.total.total_cmp(&a.total));
        let joint = motions.max_by(|a, b| a.1.total.total_cmp(&b.1.total));
        let errors = one.samples.list.iter().zip(&measured.over_time);
        let errors = errors.map(|(sample, [max, rms])| ErrorSample {
            time: Seconds(sample.times[0]),
            max: *max,
            rms: *rms,
        });
        let named = findings.iter().filter(|finding| {
            finding.level == Level::Error && name.is_some_and(|name| finding.is_of(name))
        });
        let kinds: BTreeSet<Kind> = named.filter_map(Kind::of).collect();
        let stages: Vec<Stage> = kinds.iter().map(|kind| kind.stage()).collect();
        let moves_otherwise = measured.used > 1.0 && !is_ignored;
        let is_timing = |stage: &Stage| *stage == Stage::Timing;
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
                joint: shown(pair),
                displacement: motion.total,
                time: Seconds(motion.total_time),
            }),
            limit: one.limit.length,
            over_time: errors.collect(),
            joints,
            differs: moves_otherwise || !stages.is_empty(),
            resampled: (moves_otherwise && kinds == BTreeSet::from([Kind::Resampled]))
                .then(|| self.rate_between_keys(one))
                .flatten(),
            timing_only: !moves_otherwise && !stages.is_empty() && stages.iter().all(is_timing),
            ignored_only: is_ignored && stages.is_empty(),
            clips,
        }
    }
}
