//! The result of a comparison.

use super::Tolerance;
use super::difference::Difference;
use super::verdict::Verdict;
use super::words::{Lengths, index_after};
use crate::rig::ClipId;
use crate::units::Seconds;
use glam::DVec3;
use serde::Serialize;

/// How two models differ.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// The source of each side: an importer with its version, or the program that wrote a reference.
    pub sources: [String; 2],
    /// The diagonal of the model before, at rest, without stray vertices. It is in the unit of that model, as all lengths
    /// are.
    pub diagonal: f64,
    /// The unit of the model before, or of the model after if only that states it.
    pub metres_per_unit: Option<f64>,
    /// How all lengths are shown.
    #[doc(hidden)]
    #[serde(skip)]
    pub lengths: Lengths,
    /// The tolerance of every difference, unless the configuration overrides it.
    pub tolerance: Tolerance,
    /// The joints, vertices and clips that have a counterpart.
    pub matched: Matched,
    /// What either model has and is not compared, in words.
    pub not_compared: Vec<String>,
    /// The rest pose first, if both have one, then each pair of clips.
    pub takes: Vec<Take>,
    /// Differences, which are errors, then remarks, which are infos, sorted by stage. Within a stage, those of the whole model come first, then those that
    /// explain most. A cause that several clips show is one finding.
    #[serde(skip)]
    pub findings: Vec<Difference>,
}

impl Report {
    /// Whether no take differs and no finding is a difference.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let is_near = self.takes.iter().all(|take| !take.verdict.differs());
        is_near && self.differences().next().is_none()
    }

    /// The differences.
    pub fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.findings.iter().filter(|own| own.counts())
    }

    /// The differences that a take shows: those of its clip or, for the rest pose and a clip without any, those of the
    /// whole model. Empty if the take does not differ.
    #[must_use]
    pub fn differences_of(&self, take: &Take) -> Vec<&Difference> {
        let own = self.differences();
        let own: Vec<&Difference> = own
            .filter(|own| {
                let clip = take.clip_ids.map(|[before, _]| before);
                clip.is_some_and(|clip| own.finding.is_of(clip))
            })
            .collect();
        if !(own.is_empty() && take.verdict.differs()) {
            return own;
        }
        let all = self.differences();
        all.filter(|own| own.finding.location.clip.is_none())
            .collect()
    }
}

/// How much of both models corresponds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Matched {
    /// Pairs of nodes.
    pub joints: usize,
    /// Vertices of the model before with a counterpart, and of the model after.
    pub vertices: [usize; 2],
    /// All vertices of each.
    pub all_vertices: [usize; 2],
    /// Pairs of clips.
    pub clips: usize,
}

/// How two clips, or the rest poses, compare.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Take {
    /// The clip's name on each side; `None` for the rest pose.
    pub clips: Option<[String; 2]>,
    /// The same clip in each model.
    pub clip_ids: Option<[ClipId; 2]>,
    /// The number of compared times.
    pub samples: usize,
    /// The number of times that would be compared without a limit: every key of both clips and the times between them,
    /// or all frames of a reference.
    pub all_samples: usize,
    /// How much larger a distance may be between the compared times than at them, because curves differ: 0 if both clips have the same
    /// keys and interpolation. `None` with a reference, for the rest pose, and if no bound is known.
    pub missed: Option<f64>,
    /// Distances of corresponding vertices.
    #[serde(flatten)]
    pub surface: Surface,
    /// The joint with the largest error; `None` if no joints correspond.
    #[serde(rename = "worst_joint")]
    pub joint: Option<JointError>,
    /// The tolerance of a vertex as a length, unless its joint overrides it.
    pub limit: f64,
    /// The surface at each compared time, in order.
    #[serde(skip)]
    pub over_time: Vec<ErrorSample>,
    /// Every pair of joints that counts, the largest error first.
    #[serde(skip)]
    pub joints: Vec<JointError>,
    /// Whether it differs.
    pub verdict: Verdict,
}

/// Distances of corresponding vertices over all compared times.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Surface {
    /// The largest.
    pub max: f64,
    /// The 99th percentile of the vertices' largest distances.
    pub p99: f64,
    /// The root of the mean square.
    pub rms: f64,
    /// The largest angle between normals, in degrees; `None` unless both have them.
    pub normals: Option<f64>,
    /// Where the largest distance is; `None` if no vertices correspond.
    #[serde(rename = "worst_vertex")]
    pub worst: Option<WorstVertex>,
}

/// The vertex with the largest distance.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WorstVertex {
    /// The mesh of the model before.
    pub mesh: String,
    /// Index in the mesh of the model before.
    pub vertex: usize,
    /// Index in its mesh of the model after.
    pub counterpart: usize,
    /// Its position on each side.
    #[cfg_attr(feature = "testing", schemars(with = "[[f64; 3]; 2]"))]
    pub positions: [DVec3; 2],
    /// In the clip of the model before; 0 for the rest pose.
    pub time: Seconds,
    /// The frame of the clip at this time, counted from 0 s, if the clip's frame rate is known.
    pub frame: Option<f64>,
    /// The joint with the largest weight on it, if known.
    pub joint: Option<String>,
}

impl WorstVertex {
    /// ` (700 after)`: the index of its counterpart, if that is another one.
    #[doc(hidden)]
    #[must_use]
    pub fn index_after(&self) -> String {
        index_after(self.vertex, self.counterpart)
    }
}

/// The surface at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ErrorSample {
    /// In the clip of the model before.
    pub time: Seconds,
    /// The largest distance of corresponding vertices.
    pub max: f64,
    /// The root mean square of the distances.
    pub rms: f64,
}

/// The error of a joint in a clip: the displacement of points around it, at the radius of the geometry that it moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct JointError {
    /// The joint of the model before.
    pub joint: String,
    /// The largest displacement, as a length.
    pub total: f64,
    /// When it is largest, in the clip of the model before; 0 for the rest pose.
    pub time: Seconds,
    /// The frame of the clip at this time, counted from 0 s, if the clip's frame rate is known.
    pub frame: Option<f64>,
    /// The largest displacement relative to the parent: what the joint does not inherit.
    pub own: f64,
}
