//! Measures the rest pose and pairs of clips.

use super::attachments::Attachments;
use super::between::Curves;
use super::between::times::Depth;
use super::difference::Difference;
use super::measure::{Measured, Task};
use super::motion::JointMotion;
use super::options::{Accepted, Options, Tolerance};
use super::reach::Rigs;
use super::samples::{self, SAME_TIME, Sample, TimeMap};
use super::side::Side;
use super::vertices::VertexPairs;
use super::words::Lengths;
use super::{DiffError, timing};
use crate::shown::escaped;

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
    pub(super) lengths: Lengths,
    pub(super) attachments: &'a Attachments,
}

/// One clip, or the rest pose, with its measurements.
pub(super) struct Measurement {
    pub(super) clips: Option<[usize; 2]>,
    pub(super) samples: samples::Samples,
    pub(super) limit: f64,
    pub(super) limits: Vec<f64>,
    pub(super) surface: Measured,
    pub(super) motions: Vec<JointMotion>,
    /// Findings about the clip's timing.
    pub(super) timing: Vec<Difference>,
}

impl Measurement {
    /// The farthest that a vertex or a joint that counts is off.
    pub(super) fn farthest(&self) -> f64 {
        let motions = self.motions.iter().zip(&self.limits);
        let counted = motions.filter(|(_, limit)| limit.is_finite());
        let joints = counted.map(|(motion, _)| motion.total);
        joints
            .filter(|total| total.is_finite())
            .fold(self.surface.max, f64::max)
    }

    /// Whether a distance between the samples may be beyond the tolerance.
    fn may_miss_a_difference(&self) -> bool {
        let missed = self.samples.missed.unwrap_or_default();
        self.surface.max + missed > self.limit
    }
}

impl Comparison<'_> {
    fn limit(&self, tolerance: Tolerance) -> Result<f64, DiffError> {
        self.lengths.limit(tolerance).ok_or(DiffError::UnknownUnit)
    }

    pub(super) fn own_limit(&self, clip: Option<&str>) -> Result<f64, DiffError> {
        let settings = &self.options.settings;
        let own = clip.and_then(|clip| settings.clip_tolerances.get(clip));
        let tolerance = own.copied().or(settings.tolerance).unwrap_or_default();
        self.limit(tolerance)
    }

    /// The limit of each pair of joints; infinite for nodes that neither move a part of the rig nor are compared by themselves.
    pub(super) fn joint_limits(&self, limit: f64) -> Result<Vec<f64>, DiffError> {
        let pairs = self
            .rigs
            .joints
            .pairs
            .iter()
            .enumerate()
            .map(|(pair, [joint, _])| {
                let is_compared = self.attachments.pairs.contains(&pair);
                if !self.rigs.is_relevant[pair] && !is_compared {
                    return Ok(f64::INFINITY);
                }
                Ok(limit * self.joint_factor(*joint, limit)?)
            });
        pairs.collect()
    }

    /// The factor on a joint's limit.
    fn joint_factor(&self, joint: usize, limit: f64) -> Result<f64, DiffError> {
        let tolerances = &self.options.settings.joint_tolerances;
        let Some(own) = tolerances.get(&self.sides[0].joints[joint].name) else {
            return Ok(1.0);
        };
        Ok(self.limit(*own)? / limit)
    }

    /// The same for each pair of vertices, by the joint that moves the vertex most.
    fn vertex_factors(&self, limit: f64) -> Result<Vec<f64>, DiffError> {
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

    pub(super) fn rest(&self) -> Result<Measurement, DiffError> {
        let sample = Sample {
            times: [0.0; 2],
            is_key: [true; 2],
        };
        let samples = samples::Samples {
            list: vec![sample],
            all: 1,
            missed: None,
        };
        self.measured(None, samples, self.own_limit(None)?, Vec::new())
    }

    pub(super) fn clip(&self, clips: [usize; 2]) -> Result<Measurement, DiffError> {
        let name = &self.sides[0].clips[clips[0]].name;
        let limit = self.own_limit(Some(name))?;
        let map = if self.options.strict {
            TimeMap::IDENTITY
        } else {
            timing::recognize(&self.rigs, clips, limit)
        };
        let is_accepted = self.options.settings.accepts(Accepted::Time);
        let timing = timing::findings(self.sides, clips, map, is_accepted);
        let vertices = self.vertices.pairs.len().max(1);
        let most = (MOST_WORK / vertices).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        let keys = samples::keys(self.sides, clips, map);
        self.check_common(clips, &keys)?;
        let diagonal = self.lengths.diagonal;
        let Some(curves) = Curves::of(&self.rigs, self.vertices, clips, map, diagonal) else {
            return self.measured(Some(clips), keys.thinned(most), limit, timing);
        };
        let at = |depth: Depth| curves.samples(&keys, depth, limit, most);
        let coarse = self.measured(Some(clips), at(Depth::Coarse), limit, timing)?;
        // Clips that differ need no closer look.
        if coarse.surface.used > 1.0 || !coarse.may_miss_a_difference() {
            return Ok(coarse);
        }
        self.measured(Some(clips), at(Depth::Fine), limit, coarse.timing)
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
        limit: f64,
        timing: Vec<Difference>,
    ) -> Result<Measurement, DiffError> {
        let mut surface = self.task(limit)?.measure(clips, &samples.list)?;
        let limits = self.joint_limits(limit)?;
        let surface_differs = surface.used > 1.0;
        let motions = self
            .rigs
            .motions(clips, &samples.list, &limits, surface_differs);
        if self.vertices.pairs.is_empty() {
            // Joints stand in for the surface: small errors add up along a chain.
            let used = motions
                .iter()
                .zip(&limits)
                .map(|(motion, limit)| motion.total / limit);
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
    pub(super) fn task(&self, limit: f64) -> Result<Task<'_>, DiffError> {
        let has_normals = |side: &Side<'_>| side.surfaces.iter().any(|surface| surface.has_normals);
        Ok(Task {
            sides: self.sides,
            pairs: &self.vertices.pairs,
            limit,
            factors: self.vertex_factors(limit)?,
            normals: self.sides.into_iter().all(has_normals),
        })
    }
}
