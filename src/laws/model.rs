//! The laws on a model's own data.

use glam::{Mat4, Quat, Vec3};
use schemars::JsonSchema;
use serde::Serialize;

use super::generate::{Source, Sources};
use super::shrink::{Shrink, Simple, shrink};
use super::{
    Body, Broken, Interpolator, Law, Motion, Outcome, POSE_LAWS, Poser, ROTATION_LAWS,
    SKINNING_LAWS, SkinCase, Skinner, Tolerance, VECTOR_LAWS, WEIGHT_LAWS, WeightNormalizer,
};
use crate::deadline::{Deadline, TimedOut};
use crate::finding::{Code, Finding, Level, Measure, Unit};
use crate::rig::{
    Asset, Channel, Clip, Influence, Influences, LocalTransform, Location, Mesh, MeshId,
    MeshInstance, MorphChannel, MorphTarget, Node, NodeId, Skeleton, SkinningMethod, Track, Trs,
};
use crate::units::Seconds;

/// How to test the laws on a model.
#[derive(Debug, Clone)]
pub struct Options {
    /// The seed. Each case follows from it and the case's number.
    pub seed: u64,
    /// Cases per law.
    pub cases: u32,
    /// The name of the only law to test; all if `None`.
    pub law: Option<String>,
    /// The skinning method and weight policy.
    pub method: SkinningMethod,
    /// The rounding error that the subjects may have.
    pub tolerance: Tolerance,
    /// When the run must be done.
    pub deadline: Deadline,
}

/// The implementations to test. `None` and empty lists are skipped.
#[derive(Clone, Default)]
pub struct Subjects<'a> {
    /// Samples rotation tracks.
    pub rotations: Option<&'a (dyn Interpolator<Quat> + 'static)>,
    /// Samples translation and scale tracks.
    pub vectors: Option<&'a (dyn Interpolator<Vec3> + 'static)>,
    /// Samples the numbers of morph weight tracks.
    pub morphs: Option<&'a (dyn Interpolator<Vec3> + 'static)>,
    /// Samples the columns of matrix tracks.
    pub matrices: Option<&'a (dyn Interpolator<Vec3> + 'static)>,
    /// Normalizes weights.
    pub weights: Option<&'a (dyn WeightNormalizer + 'static)>,
    /// Poses whole rigs.
    pub poser: Option<&'a (dyn Poser + 'static)>,
    /// Skinners, each with its name.
    pub skinners: Vec<(&'a str, &'a (dyn Skinner + 'static))>,
}

/// The results of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelLaws {
    /// One per law and subject, in order, also without a conclusive case.
    pub laws: Vec<LawReport>,
    /// Cases that were skipped.
    pub skipped: Skipped,
}

/// Cases of a model that were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Tracks with keys that are zero quaternions, huge, or not finite, and tracks that a subject does not support.
    pub tracks: usize,
    /// Skinning cases whose vertices or matrices are not finite.
    pub poses: usize,
}

impl ModelLaws {
    /// Whether no law is broken. A law without a case that applies is [not tested](LawReport::is_tested).
    #[must_use]
    pub fn hold(&self) -> bool {
        self.laws.iter().all(|law| law.failure.is_none())
    }
}

/// The result of one law.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LawReport {
    /// The law's name.
    pub law: &'static str,
    /// The law as a sentence.
    pub states: &'static str,
    /// `rotation`, `vector`, `morph`, `matrix`, `weights`, `rig`, or the skinner's name.
    pub subject: String,
    /// The number of cases.
    pub cases: u32,
    /// The number of conclusive cases.
    pub applied: u32,
    /// The first case that broke it.
    pub failure: Option<Failure>,
}

impl LawReport {
    /// The finding that it is broken, if it is.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        let failure = self.failure.as_ref()?;
        let Failure {
            location, broken, ..
        } = failure;
        let (subject, states) = (&self.subject, self.states);
        let message = format!("{subject}: {states}; {location}: {broken}");
        let part = Location::FILE.part(subject.as_str());
        Some(Finding {
            measure: Some(Measure {
                unit: Unit::Rule,
                value: broken.off,
                limit: Some(broken.allowed),
            }),
            ..Finding::new(Code(self.law), Level::Error, part, message)
        })
    }

    /// Whether a case applied to the law.
    #[must_use]
    pub const fn is_tested(&self) -> bool {
        self.applied > 0
    }
}

/// A case that breaks a law.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The number of the case.
    pub case: u32,
    /// The location of the case's data in the model.
    pub location: String,
    /// How the case breaks the law.
    pub broken: Broken,
    /// The simplest rig found that breaks it.
    #[serde(skip)]
    pub rig: Asset,
    /// How the simplest rig breaks it.
    pub shrunk: Broken,
    /// The time in the clip of the simplest rig; `None` for a rig without a clip.
    pub time: Option<Seconds>,
    /// The number of cases that reproduce the failure on the simplest rig, with the same seed. `None` if
    /// `MOST_CASES_AGAIN` do not.
    pub again: Option<u32>,
}

/// The most cases that are tried to reproduce a failure on its simplest rig.
const MOST_CASES_AGAIN: u32 = 200;

/// The names of all laws, without duplicates, each with the law as a sentence.
#[must_use]
pub fn all_laws() -> Vec<(&'static str, &'static str)> {
    let rotations = ROTATION_LAWS.iter().map(|law| (law.name, law.states));
    let vectors = VECTOR_LAWS.iter().map(|law| (law.name, law.states));
    let weights = WEIGHT_LAWS.iter().map(|law| (law.name, law.states));
    let posing = POSE_LAWS.iter().map(|law| (law.name, law.states));
    let skinning = SKINNING_LAWS.iter().map(|law| (law.name, law.states));
    let mut laws: Vec<(&str, &str)> = Vec::new();
    for law in rotations
        .chain(vectors)
        .chain(weights)
        .chain(posing)
        .chain(skinning)
    {
        if laws.iter().all(|(name, _)| *name != law.0) {
            laws.push(law);
        }
    }
    laws
}

/// Tests all laws on the tracks, weights and skinned meshes of `asset`, at times and in motions that follow from the
/// seed.
///
/// A law stops at its first failing case, which is then shrunk.
///
/// # Errors
///
/// [`TimedOut`] if the deadline passes first.
pub fn check_model(
    asset: &Asset,
    subjects: &Subjects<'_>,
    options: &Options,
) -> Result<ModelLaws, TimedOut> {
    let mut laws = run(asset, subjects, options)?;
    for report in &mut laws.laws {
        if let Some(failure) = &mut report.failure {
            failure.again = again(failure, report.law, &report.subject, subjects, options)?;
        }
    }
    Ok(laws)
}

/// The number of cases that reproduce the failure on its simplest rig.
fn again(
    failure: &Failure,
    law: &str,
    subject: &str,
    subjects: &Subjects<'_>,
    options: &Options,
) -> Result<Option<u32>, TimedOut> {
    let options = Options {
        cases: MOST_CASES_AGAIN,
        law: Some(law.to_owned()),
        ..options.clone()
    };
    let laws = run(&failure.rig, subjects, &options)?.laws;
    let same = laws.iter().find(|report| report.subject == subject);
    let found = same.and_then(|report| report.failure.as_ref());
    Ok(found.map(|failure| failure.case + 1))
}

fn run(asset: &Asset, subjects: &Subjects<'_>, options: &Options) -> Result<ModelLaws, TimedOut> {
    let sources = Sources::of(asset, options.method);
    let mut laws = Vec::new();
    let mut skipped = Skipped {
        tracks: sources.unusable_tracks,
        poses: 0,
    };
    if let Some(subject) = subjects.rotations {
        let tested = ("rotation", subject, ROTATION_LAWS);
        let motions = (&sources, &sources.rotations[..]);
        laws.extend(tested_on(
            motions,
            tested,
            rig_of_rotation,
            options,
            &mut skipped,
        )?);
    }
    let vectors: [(&str, _, &[Source<'_, Vec3>], RigOf); 3] = [
        ("vector", subjects.vectors, &sources.vectors, rig_of_vector),
        ("morph", subjects.morphs, &sources.morphs, rig_of_morph),
        (
            "matrix",
            subjects.matrices,
            &sources.matrices,
            rig_of_matrix,
        ),
    ];
    for (name, subject, tracks, rig) in vectors {
        if let Some(subject) = subject {
            let tested = (name, subject, VECTOR_LAWS);
            laws.extend(tested_on(
                (&sources, tracks),
                tested,
                rig,
                options,
                &mut skipped,
            )?);
        }
    }
    if let Some(subject) = subjects.weights {
        let mut run = Run::new(("weights", subject, WEIGHT_LAWS), options);
        let cases = if sources.weighted_vertices > 0 {
            options.cases
        } else {
            0
        };
        for case in 0..cases {
            let (weights, location) = sources.weights(options.seed, case);
            run.case(case, &weights, &location, |weights| {
                (rig_of_weights(weights), None)
            })?;
        }
        laws.extend(run.reports);
    }
    if let Some(subject) = subjects.poser {
        let mut run = Run::new(("rig", subject, POSE_LAWS), options);
        for case in 0..options.cases {
            let (rig, location) = sources.rig(options.seed, case);
            run.case(case, &rig, &location, |case| {
                (case.rig.clone(), Some(Seconds(case.time)))
            })?;
        }
        laws.extend(run.reports);
    }
    for (name, subject) in &subjects.skinners {
        let mut run = Run::new((name, *subject, SKINNING_LAWS), options);
        skipped.poses = 0;
        let cases = if sources.skinned.is_empty() {
            0
        } else {
            options.cases
        };
        for case in 0..cases {
            let Some((skin, location)) = sources.skin(options.seed, case) else {
                skipped.poses += 1;
                continue;
            };
            run.case(case, &skin, &location, |skin: &SkinCase| {
                (skin.body.to_asset(), None)
            })?;
        }
        laws.extend(run.reports);
    }
    Ok(ModelLaws { laws, skipped })
}

/// Creates a rig whose motion is a track.
type RigOf = fn(&Track<Vec3>) -> Asset;

/// A subject's name, the subject, and its laws.
type Tested<'a, T> = (
    &'a str,
    &'a (dyn Interpolator<T> + 'static),
    Laws<dyn Interpolator<T>, Motion<T>>,
);

fn tested_on<T: Simple>(
    (sources, tracks): (&Sources<'_>, &[Source<'_, T>]),
    (name, subject, laws): Tested<'_, T>,
    rig: fn(&Track<T>) -> Asset,
    options: &Options,
    skipped: &mut Skipped,
) -> Result<Vec<LawReport>, TimedOut> {
    let accepted = tracks
        .iter()
        .filter(|source| subject.accepts(&source.track));
    let accepted: Vec<Source<'_, T>> = accepted.cloned().collect();
    skipped.tracks += tracks.len() - accepted.len();
    let mut run = Run::new((name, subject, laws), options);
    let cases = if accepted.is_empty() {
        0
    } else {
        options.cases
    };
    for case in 0..cases {
        let (motion, location) = sources.motion(&accepted, options.seed, case);
        run.case(case, &motion, &location, |motion| {
            (rig(&motion.track), Some(Seconds(motion.time)))
        })?;
    }
    Ok(run.reports)
}

type Laws<S, C> = &'static [Law<S, C>];

/// Tests a subject on one case after the other.
struct Run<'a, S: ?Sized + 'static, C: 'static> {
    subject: &'a S,
    laws: Vec<&'static Law<S, C>>,
    reports: Vec<LawReport>,
    options: &'a Options,
}

impl<'a, S: ?Sized, C: Shrink> Run<'a, S, C> {
    fn new((name, subject, laws): (&str, &'a S, Laws<S, C>), options: &'a Options) -> Self {
        let wanted = |law: &&Law<S, C>| options.law.as_ref().is_none_or(|only| only == law.name);
        let laws: Vec<&Law<S, C>> = laws.iter().filter(wanted).collect();
        let report = |law: &&Law<S, C>| LawReport {
            law: law.name,
            states: law.states,
            subject: name.to_owned(),
            cases: 0,
            applied: 0,
            failure: None,
        };
        Self {
            subject,
            reports: laws.iter().map(report).collect(),
            laws,
            options,
        }
    }

    fn case(
        &mut self,
        number: u32,
        case: &C,
        location: &str,
        rig: impl Fn(&C) -> (Asset, Option<Seconds>),
    ) -> Result<(), TimedOut> {
        self.options.deadline.check()?;
        let tolerance = &self.options.tolerance;
        for (law, report) in self.laws.iter().zip(&mut self.reports) {
            if report.failure.is_some() {
                continue;
            }
            report.cases += 1;
            let broken = match (law.check)(self.subject, case, tolerance) {
                Ok(outcome) => {
                    report.applied += u32::from(outcome == Outcome::Held);
                    continue;
                }
                Err(broken) => broken,
            };
            report.applied += 1;
            let deadline = self.options.deadline;
            let breaks = |case: &C| {
                let in_time = deadline.check().is_ok();
                in_time && (law.check)(self.subject, case, tolerance).is_err()
            };
            let smallest = shrink(case, breaks);
            let (rig, time) = rig(&smallest);
            let shrunk = (law.check)(self.subject, &smallest, tolerance).err();
            report.failure = Some(Failure {
                case: number,
                location: location.to_owned(),
                shrunk: shrunk.unwrap_or_else(|| broken.clone()),
                broken,
                rig,
                time,
                again: None,
            });
        }
        Ok(())
    }
}

fn end<T>(track: &Track<T>) -> f64 {
    track.keys.last().map_or(0.0, |key| key.time.0)
}

/// One node whose rotation follows `track`.
pub(super) fn rig_of_rotation(track: &Track<Quat>) -> Asset {
    let channel = Channel {
        rotation: Some(track.clone()),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node whose translation follows `track`.
pub(super) fn rig_of_vector(track: &Track<Vec3>) -> Asset {
    let channel = Channel {
        translation: Some(track.clone()),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node with a mesh of one vertex, whose three morph targets follow `track`. Each moves the vertex along an axis.
fn rig_of_morph(track: &Track<Vec3>) -> Asset {
    let mut rig = rig_of_track(Channel::of(NodeId(0)), end(track));
    let target = |axis: Vec3| MorphTarget {
        name: String::new(),
        positions: vec![axis],
        ..MorphTarget::default()
    };
    rig.meshes = vec![Mesh {
        name: "mesh".to_owned(),
        positions: vec![Vec3::ZERO],
        triangles: vec![[0; 3]],
        morph_targets: [Vec3::X, Vec3::Y, Vec3::Z].map(target).into(),
        ..Mesh::default()
    }];
    rig.instances = vec![MeshInstance {
        node: NodeId(0),
        mesh: MeshId(0),
        skin: None,
        morph_weights: vec![0.0; 3],
    }];
    rig.clips[0].channels.clear();
    rig.clips[0].morph_channels = vec![MorphChannel {
        node: NodeId(0),
        weights: track.map(|v| v.to_array().to_vec()),
    }];
    rig
}

/// One node whose matrix has the samples of `track` as its last column.
fn rig_of_matrix(track: &Track<Vec3>) -> Asset {
    let channel = Channel {
        matrix: Some(track.map(|v| Mat4::from_translation(*v))),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node that `channel` animates.
fn rig_of_track(channel: Channel, end: f64) -> Asset {
    let node = Node {
        name: "joint".to_owned(),
        parent: None,
        rest: LocalTransform::Trs(Trs::IDENTITY),
    };
    let clip = Clip {
        channels: vec![channel],
        ..Clip::new("clip", Seconds(end))
    };
    Asset {
        clips: vec![clip],
        ..Asset::of(Skeleton::new(vec![node]).expect("one node is a root"))
    }
}

/// One vertex with `weights`.
fn rig_of_weights(weights: &[Influence]) -> Asset {
    let joints = weights.iter().map(|influence| influence.slot.index() + 1);
    let joints = joints.max().unwrap_or(0);
    let body = Body {
        positions: vec![Vec3::ZERO],
        influences: Influences::from_vertices([weights.iter().copied()]),
        inverse_binds: vec![Mat4::IDENTITY; joints],
        joints: vec![Mat4::IDENTITY; joints],
        node: Mat4::IDENTITY,
        ..Body::default()
    };
    body.to_asset()
}
