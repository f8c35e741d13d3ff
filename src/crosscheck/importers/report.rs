//! The differences between two importers: counted, with the worst of each kind.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::Serialize;

use super::matching::Matching;
use super::place::Place;
use crate::finding::{Code, Finding, Level, Measure, Unit, kinds};
use crate::rig::Location;
use crate::units::Seconds;

/// The comparison of two importers on one file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ImporterReport {
    /// With version and dialect; only the name of an importer that refused the file.
    pub importers: [String; 2],
    /// The same without version and dialect.
    pub names: [String; 2],
    /// The unit of all lengths, in metres; `None` where neither importer knows.
    pub metres_per_unit: Option<f64>,
    /// The diagonal of the box around the rest pose, in that unit.
    pub diagonal: f64,
    /// One per stage, in order.
    pub stages: Vec<StageReport>,
}

impl ImporterReport {
    /// The first stage that differs; its cause is not in an earlier one.
    #[must_use]
    pub fn first_difference(&self) -> Option<&StageReport> {
        self.stages.iter().find(|stage| !stage.agrees())
    }

    /// Whether no stage differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.first_difference().is_none()
    }
}

/// A step on the way from a file to skinned vertices; each builds on those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "&'static str")]
#[non_exhaustive]
pub enum Stage {
    /// Whether the file is read at all.
    Reading,
    /// Joints and their hierarchy.
    Joints,
    /// The joints' rest transforms, and the rest morph weights.
    RestPose,
    /// The inverse bind matrices of joints that influence vertices.
    InverseBinds,
    /// The vertices at bind time, their influences and their morph offsets.
    Weights,
    /// The clips' names and ranges, and how each drives the joints' own transforms and the morph weights.
    Clips,
    /// World transforms of the joints over time.
    PosedJoints,
    /// Positions of the vertices, at rest and over time.
    SkinnedVertices,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 8] = [
        Self::Reading,
        Self::Joints,
        Self::RestPose,
        Self::InverseBinds,
        Self::Weights,
        Self::Clips,
        Self::PosedJoints,
        Self::SkinnedVertices,
    ];

    /// The name in text output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Joints => "joints and parents",
            Self::RestPose => "rest pose",
            Self::InverseBinds => "inverse binds",
            Self::Weights => "weights",
            Self::Clips => "clips",
            Self::PosedJoints => "posed joints",
            Self::SkinnedVertices => "skinned vertices",
        }
    }
}

impl From<Stage> for &'static str {
    fn from(stage: Stage) -> Self {
        stage.name()
    }
}

/// The comparison of one stage.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StageReport {
    /// The stage.
    pub stage: Stage,
    /// How many joints, matrices, vertices, … were compared; `None` if an earlier stage left nothing to compare.
    pub compared: Option<usize>,
    /// The largest deviation as a fraction of the diagonal, also within the tolerance; infinite if one of the two is
    /// not finite. 0 for stages without lengths.
    pub farthest: f64,
    /// One per kind, in the order of [`Kind`]; none where the importers agree.
    #[serde(skip)]
    pub differences: Vec<Difference>,
}

impl StageReport {
    /// Whether nothing differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The differences of one kind: their number, and the worst.
///
/// Until its stage is complete, its location consists of ids; names replace them then.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<At = Location> {
    /// The kind.
    pub kind: Kind,
    /// The number of joints, vertices, … that have it.
    pub count: usize,
    /// The location of the worst one. A joint is a path: names from the root down, joined by slashes. A mesh is the path
    /// of the joint that shows it. Ids are those of the first importer.
    pub location: At,
    /// Its vertex, by the bind-pose position in the mesh.
    pub vertex: Option<[f64; 3]>,
    /// Each importer's value there, in a few words; empty if the location is enough.
    pub says: [String; 2],
    /// The size of the worst difference; `None` without a measure.
    pub off: Option<Off>,
}

impl Off {
    fn measure(self) -> Measure {
        let (unit, value) = match self {
            Self::Length { absolute, .. } => (Unit::Length, absolute),
            Self::Part { relative } => (Unit::Ratio, relative),
            Self::Time { seconds } => (Unit::Seconds, seconds.get()),
        };
        Measure {
            unit,
            value,
            limit: None,
        }
    }
}

impl Difference {
    /// As a finding.
    ///
    /// * `message` – the difference in words.
    #[must_use]
    pub fn finding(&self, message: String) -> Finding {
        let code = Code(self.kind.name());
        Finding {
            count: self.count,
            counted: "difference".into(),
            measure: self.off.map(Off::measure),
            ..Finding::new(code, Level::Error, self.location.clone(), message)
        }
    }
}

kinds! {
    /// The kind of a difference.
    Kind:
    /// Only one importer can read the file.
    Refused = "refused",
    /// Only one has the joint.
    JointMissing = "joint-missing",
    /// The same joint has two names.
    JointName = "joint-name",
    /// It has two different parents.
    JointParent = "joint-parent",
    /// It has two positions.
    JointPosition = "joint-position",
    /// Its rotation, scale or shear differs.
    JointAxes = "joint-axes",
    /// Morph weights differ at rest.
    RestMorphWeights = "rest-morph-weights",
    /// Inverse bind matrices differ.
    InverseBind = "inverse-bind",
    /// Only one has a vertex at that position in the mesh.
    VertexMissing = "vertex-missing",
    /// Its joints or weights differ.
    Influences = "influences",
    /// Its morph targets or their offsets differ.
    MorphOffsets = "morph-offsets",
    /// Only one has the clip.
    ClipMissing = "clip-missing",
    /// The clip at the same position has another name.
    ClipName = "clip-name",
    /// The clip's start or end differs.
    ClipRange = "clip-range",
    /// Only one drives that part of the joint.
    TrackMissing = "track-missing",
    /// The interpolation differs, and so do values between keys.
    Interpolation = "interpolation",
    /// Key times differ, and so do the values.
    KeyTimes = "key-times",
    /// Key values differ.
    KeyValues = "key-values",
    /// A vertex has no counterpart at its position.
    VertexPosition = "vertex-position",
}

/// A distance between the values of two importers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Off {
    /// Between two points.
    Length {
        /// In the report's unit of length.
        absolute: f64,
        /// As a fraction of the report's diagonal.
        relative: f64,
    },
    /// A difference without a unit.
    Part {
        /// Of weights, or of axes as a fraction of the longest one.
        relative: f64,
    },
    /// Between two times.
    Time {
        /// The difference.
        seconds: Seconds,
    },
}

impl Difference<Place> {
    /// No difference yet.
    pub(super) fn of(kind: Kind) -> Self {
        Self {
            kind,
            count: 0,
            location: Place::default(),
            vertex: None,
            says: Default::default(),
            off: None,
        }
    }

    pub(super) fn at(self, location: Place) -> Self {
        Self { location, ..self }
    }

    pub(super) fn vertex(self, position: DVec3) -> Self {
        let vertex = Some(position.to_array());
        Self { vertex, ..self }
    }

    pub(super) fn saying(self, says: [String; 2]) -> Self {
        Self { says, ..self }
    }

    /// Only importer `side` has `what`.
    pub(super) fn only(self, side: usize, what: &str) -> Self {
        let says = [0, 1].map(|own| if own == side { what } else { "none" });
        self.saying(says.map(str::to_owned))
    }

    pub(super) fn off(self, off: Off) -> Self {
        let off = Some(off);
        Self { off, ..self }
    }

    /// Off by a difference without a unit.
    pub(super) fn off_part(self, relative: f64) -> Self {
        self.off(Off::Part { relative })
    }

    fn named(self, matching: &Matching<'_>) -> Difference {
        Difference {
            kind: self.kind,
            count: self.count,
            location: self.location.named(matching),
            vertex: self.vertex,
            says: self.says,
            off: self.off,
        }
    }
}

/// The intermediate result of a stage.
pub(super) struct Tally {
    stage: Stage,
    compared: usize,
    farthest: f64,
    /// The worst difference of each kind, with its severity; of equal ones, the first is kept.
    worst: BTreeMap<Kind, (f64, Difference<Place>)>,
}

impl Tally {
    pub(super) fn new(stage: Stage) -> Self {
        Self {
            stage,
            compared: 0,
            farthest: 0.0,
            worst: BTreeMap::new(),
        }
    }

    /// Records `count` more comparisons.
    pub(super) fn compared(&mut self, count: usize) {
        self.compared += count;
    }

    /// Records the distance of two positions, as a fraction of the diagonal.
    pub(super) fn apart(&mut self, relative: f64) {
        self.farthest = self.farthest.max(relative);
    }

    /// Records a difference.
    ///
    /// * `severity` – selects the worst; infinite without a measure.
    /// * `describe` – adds the location and the values; called only if it is the worst so far.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        severity: f64,
        describe: impl FnOnce(Difference<Place>) -> Difference<Place>,
    ) {
        self.add_many(kind, 1, severity, describe);
    }

    fn add_many(
        &mut self,
        kind: Kind,
        count: usize,
        severity: f64,
        describe: impl FnOnce(Difference<Place>) -> Difference<Place>,
    ) {
        let none = || (severity, Difference::of(kind));
        let (worst, difference) = self.worst.entry(kind).or_insert_with(none);
        let known = difference.count;
        if known == 0 || severity > *worst {
            *worst = severity;
            *difference = describe(Difference::of(kind));
        }
        difference.count = known + count;
    }

    /// Merges later differences.
    pub(super) fn merge(&mut self, later: Self) {
        self.compared += later.compared;
        self.farthest = self.farthest.max(later.farthest);
        for (kind, (severity, difference)) in later.worst {
            self.add_many(kind, difference.count, severity, |_| difference);
        }
    }

    /// Closes the stage.
    pub(super) fn finish(self, matching: &Matching<'_>) -> StageReport {
        let worst = self.worst.into_values();
        StageReport {
            stage: self.stage,
            compared: Some(self.compared),
            farthest: self.farthest,
            differences: worst
                .map(|(_, difference)| difference.named(matching))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(tally: &mut Tally, severity: f64, name: &str) {
        let says = [name.to_owned(), String::new()];
        tally.add(Kind::JointPosition, severity, |worst| worst.saying(says));
    }

    #[test]
    fn all_are_counted_and_the_first_of_the_worst_is_reported() {
        let [mut first, mut later] = [(); 2].map(|()| Tally::new(Stage::RestPose));
        add(&mut first, 1.0, "mild");
        add(&mut first, 2.0, "bad");
        add(&mut later, 2.0, "as bad");
        add(&mut later, 1.5, "less");
        first.merge(later);
        let (_, difference) = &first.worst[&Kind::JointPosition];
        assert_eq!(difference.count, 4);
        assert_eq!(difference.says[0], "bad");
    }
}
