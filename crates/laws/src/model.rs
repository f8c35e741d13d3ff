//! The laws on a model's own data.

use glam::{Quat, Vec3};
use serde::{Serialize, Serializer};

use super::case::{rig_of_rotation, rig_of_vector, rig_of_weights};
use super::generate::{self, Make, Site, Source, Sources};
use super::random::Random;
use super::shrink::{Shrink, Simple, shrink};
use super::whole::tangent;
use super::{
    Broken, Capabilities, Engine, Interpolator, Law, Motion, Outcome, POSE_LAWS, PoseCase, Poser,
    ROTATION_LAWS, SKINNING_LAWS, SkinCase, Skinner, Tolerance, VECTOR_LAWS, WEIGHT_LAWS,
    WeightNormalizer,
};
use crate::deadline::{Deadline, TimedOut};
use crate::finding::{Code, Finding, Level, Measure, Unit};
use crate::rig::{Asset, Location, Part, SkinningMethod, Track};
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
    /// Whether every other case is a generated one, which tests what the model lacks.
    pub generated: bool,
    /// The rounding error that the subjects may have.
    pub tolerance: Tolerance,
    /// When the run must be done.
    pub deadline: Deadline,
}

impl Options {
    /// Options for an engine: generated cases too, judged by its capabilities.
    ///
    /// * `declared` – the capabilities that the engine declares.
    #[must_use]
    pub fn for_engine(declared: &Capabilities) -> Self {
        Self {
            seed: 1,
            cases: 200,
            law: None,
            method: if declared.dual_quaternions {
                SkinningMethod::DualQuaternion
            } else {
                // glTF, which an engine is sent, knows nothing else.
                SkinningMethod::Linear
            },
            generated: true,
            tolerance: declared.tolerance(),
            deadline: Deadline::NEVER,
        }
    }
}

/// The implementations to test. `None` and empty lists are skipped.
#[derive(Clone, Default)]
pub struct Subjects<'a> {
    /// Samples rotation tracks.
    pub rotations: Option<&'a (dyn Interpolator<Quat> + 'static)>,
    /// Samples translation and scale tracks.
    pub vectors: Option<&'a (dyn Interpolator<Vec3> + 'static)>,
    /// Normalizes weights.
    pub weights: Option<&'a (dyn WeightNormalizer + 'static)>,
    /// Poses whole rigs.
    pub poser: Option<&'a (dyn Poser + 'static)>,
    /// Skinners, each with its name.
    pub skinners: Vec<(&'a str, &'a (dyn Skinner + 'static))>,
    /// The engine that the other subjects belong to, if one is tested.
    pub engine: Option<&'a Engine>,
}

impl<'a> Subjects<'a> {
    /// Everything that an engine implements.
    #[must_use]
    pub fn of(engine: &'a Engine) -> Self {
        Self {
            rotations: Some(engine),
            vectors: Some(engine),
            poser: Some(engine),
            skinners: vec![("skinning", engine)],
            engine: Some(engine),
            ..Self::default()
        }
    }
}

/// The results of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelLaws {
    /// One per law and subject, in order, including those without a conclusive case.
    pub laws: Vec<LawReport>,
    /// Cases that were skipped.
    pub skipped: Skipped,
    /// Set if the deadline passed, so that later cases were not tested.
    pub stopped: Option<TimedOut>,
}

/// Cases of a model that were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LawReport {
    /// The law's name.
    pub law: &'static str,
    /// The law as a sentence.
    pub states: &'static str,
    /// `rotation`, `vector`, `weights`, `rig`, or the skinner's name.
    pub subject: String,
    /// The number of cases.
    pub cases: u32,
    /// The number of conclusive cases.
    pub applied: u32,
    /// The number of cases that the engine does not support.
    pub unsupported: u32,
    /// The first case that broke it.
    pub failure: Option<Failure>,
}

impl LawReport {
    /// The finding, if the law is broken.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        let failure = self.failure.as_ref()?;
        let Failure {
            location, broken, ..
        } = failure;
        let (subject, states) = (&self.subject, self.states);
        let message = format!("{subject}: {states}; {location}: {broken}");
        let location = location.clone().part(Part::Words(subject.clone().into()));
        Some(Finding {
            measure: Some(Measure {
                unit: Unit::Rule,
                value: broken.off,
                limit: Some(broken.allowed),
            }),
            ..Finding::new(Code(self.law), Level::Error, location, message)
        })
    }

    /// Whether a case applied to the law.
    #[must_use]
    pub const fn is_tested(&self) -> bool {
        self.applied > 0
    }
}

/// A case that breaks a law.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Failure {
    /// The number of the case.
    pub case: u32,
    /// The location of the case's data in the model.
    #[serde(serialize_with = "as_words")]
    #[cfg_attr(feature = "testing", schemars(with = "String"))]
    pub location: Location,
    /// How the case breaks the law.
    pub broken: Broken,
    /// The simplest rig found that breaks it.
    #[serde(skip)]
    pub rig: Asset,
    /// How the simplest rig breaks it.
    pub shrunk: Broken,
    /// The time in the clip of the simplest rig; `None` for a rig without a clip.
    pub time: Option<Seconds>,
}

fn as_words<S: Serializer>(location: &Location, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(location)
}

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
/// A law stops at its first failing case, which is then shrunk. All laws stop at an error of the engine, and when the
/// deadline passes: the results are then those of the cases before.
#[must_use]
pub fn check_model(asset: &Asset, subjects: &Subjects<'_>, options: &Options) -> ModelLaws {
    run(asset, subjects, options, true)
}

/// The laws that the subjects break, without the simplest rigs that break them.
pub(super) fn failing(asset: &Asset, subjects: &Subjects<'_>, options: &Options) -> Vec<LawReport> {
    let mut laws = run(asset, subjects, options, false).laws;
    laws.retain(|law| law.failure.is_some());
    laws
}

/// * `shrinks` – whether to look for the simplest rig that breaks a law.
fn run(asset: &Asset, subjects: &Subjects<'_>, options: &Options, shrinks: bool) -> ModelLaws {
    let sources = Sources::of(asset, options.method);
    let mut laws = ModelLaws {
        laws: Vec::new(),
        skipped: Skipped {
            tracks: sources.unusable_tracks,
            poses: 0,
        },
        stopped: None,
    };
    let stopped = all(&sources, subjects, (options, shrinks), &mut laws).err();
    laws.stopped = stopped.and_then(|stop| match stop {
        Stop::Late(late) => Some(late),
        Stop::Engine => None,
    });
    laws
}

/// Why the remaining cases are not tested.
enum Stop {
    Late(TimedOut),
    /// It has an error.
    Engine,
}

impl From<TimedOut> for Stop {
    fn from(late: TimedOut) -> Self {
        Self::Late(late)
    }
}

/// Tests all laws; what was tested before a stop is in `found`.
fn all(
    sources: &Sources<'_>,
    subjects: &Subjects<'_>,
    (options, shrinks): (&Options, bool),
    found: &mut ModelLaws,
) -> Result<(), Stop> {
    let setup = Setup {
        asset: sources.asset,
        engine: subjects.engine,
        options,
        shrinks,
    };
    let (seed, generated) = (options.seed, options.generated);
    if let Some(subject) = subjects.rotations {
        let run = Run::new(("rotation", subject, ROTATION_LAWS), setup);
        let made = (Random::rotation as Make<Quat>, tangent as Make<Quat>);
        run.tracks(&sources.rotations, made, rig_of_rotation, found)?;
    }
    if let Some(subject) = subjects.vectors {
        let run = Run::new(("vector", subject, VECTOR_LAWS), setup);
        let made = (Random::vector as Make<Vec3>, Random::vector as Make<Vec3>);
        run.tracks(&sources.vectors, made, rig_of_vector, found)?;
    }
    if let Some(subject) = subjects.weights {
        let mut run = Run::new(("weights", subject, WEIGHT_LAWS), setup);
        let cases = if sources.weighted_vertices > 0 {
            options.cases
        } else {
            0
        };
        let cases = (0..cases)
            .map(|case| (case, sources.weights(seed, case)))
            .map(|(case, (weights, location))| (case, weights, location));
        let tested = run.cases(cases, |weights| (rig_of_weights(weights), None));
        found.laws.extend(run.reports);
        tested?;
    }
    if let Some(subject) = subjects.poser {
        let mut run = Run::new(("rig", subject, POSE_LAWS), setup);
        let cases = (0..options.cases).map(|case| {
            let (rig, location) = sources.rig(seed, case, generated);
            (case, rig, location)
        });
        let tested = run.cases(cases, |case: &PoseCase| {
            (case.rig.clone(), case.times.first().copied().map(Seconds))
        });
        found.laws.extend(run.reports);
        tested?;
    }
    for (name, subject) in &subjects.skinners {
        let mut run = Run::new((name, *subject, SKINNING_LAWS), setup);
        let mut skipped = 0;
        let cases = (0..options.cases).filter_map(|case| {
            let skin = sources.skin(seed, case, generated);
            skipped += usize::from(skin == Some(None));
            let (skin, location) = skin??;
            Some((case, skin, location))
        });
        let tested = run.cases(cases, |skin: &SkinCase| (skin.body.to_asset(), None));
        found.skipped.poses = skipped;
        found.laws.extend(run.reports);
        tested?;
    }
    Ok(())
}

type Laws<S, C> = &'static [Law<S, C>];

/// Tests a subject on one case after the other.
struct Run<'a, S: ?Sized + 'static, C: 'static> {
    subject: &'a S,
    laws: Vec<&'static Law<S, C>>,
    reports: Vec<LawReport>,
    setup: Setup<'a>,
}

/// What all runs share.
#[derive(Clone, Copy)]
struct Setup<'a> {
    asset: &'a Asset,
    engine: Option<&'a Engine>,
    options: &'a Options,
    /// Whether to look for the simplest rig that breaks a law.
    shrinks: bool,
}

impl<'a, S: ?Sized, C: Shrink> Run<'a, S, C> {
    fn new((name, subject, laws): (&str, &'a S, Laws<S, C>), setup: Setup<'a>) -> Self {
        let wanted = |law: &&Law<S, C>| {
            setup
                .options
                .law
                .as_ref()
                .is_none_or(|only| only == law.name)
        };
        let laws: Vec<&Law<S, C>> = laws.iter().filter(wanted).collect();
        let report = |law: &&Law<S, C>| LawReport {
            law: law.name,
            states: law.states,
            subject: name.to_owned(),
            cases: 0,
            applied: 0,
            unsupported: 0,
            failure: None,
        };
        Self {
            subject,
            reports: laws.iter().map(report).collect(),
            laws,
            setup,
        }
    }

    /// * `cases` – each with its number and its location.
    fn cases(
        &mut self,
        cases: impl Iterator<Item = (u32, C, Site)>,
        rig: impl Fn(&C) -> (Asset, Option<Seconds>),
    ) -> Result<(), Stop> {
        if self.laws.is_empty() {
            return Ok(());
        }
        for (number, case, site) in cases {
            if let Some(engine) = self.setup.engine {
                engine.forget();
            }
            self.case(number, &case, site, &rig)?;
        }
        Ok(())
    }

    fn case(
        &mut self,
        number: u32,
        case: &C,
        site: Site,
        rig: impl Fn(&C) -> (Asset, Option<Seconds>),
    ) -> Result<(), Stop> {
        self.setup.options.deadline.check()?;
        let tolerance = &self.setup.options.tolerance;
        let is_unsupported = || self.setup.engine.is_some_and(Engine::take_unsupported);
        for (law, report) in self.laws.iter().zip(&mut self.reports) {
            if report.failure.is_some() {
                continue;
            }
            let verdict = (law.check)(self.subject, case, tolerance);
            if self.setup.engine.is_some_and(Engine::has_failed) {
                return Err(Stop::Engine);
            }
            report.cases += 1;
            if is_unsupported() {
                report.unsupported += 1;
                continue;
            }
            let broken = match verdict {
                Ok(outcome) => {
                    report.applied += u32::from(outcome == Outcome::Held);
                    continue;
                }
                Err(broken) => broken,
            };
            report.applied += 1;
            let deadline = self.setup.options.deadline;
            let breaks = |case: &C| {
                let in_time = deadline.check().is_ok();
                let is_broken = in_time && (law.check)(self.subject, case, tolerance).is_err();
                is_broken && !is_unsupported() && !self.setup.engine.is_some_and(Engine::has_failed)
            };
            let smallest = if self.setup.shrinks {
                shrink(case, breaks)
            } else {
                case.clone()
            };
            let (rig, time) = rig(&smallest);
            let shrunk = (law.check)(self.subject, &smallest, tolerance).err();
            is_unsupported();
            report.failure = Some(Failure {
                case: number,
                location: site.location(self.setup.asset),
                shrunk: shrunk.unwrap_or_else(|| broken.clone()),
                broken,
                rig,
                time,
            });
        }
        Ok(())
    }
}

impl<T: Simple> Run<'_, dyn Interpolator<T>, Motion<T>> {
    /// Tests the laws of interpolation, and counts the tracks that the subject does not accept.
    ///
    /// * `made` – make a value and a tangent of a generated track.
    fn tracks(
        mut self,
        sources: &[Source<'_, T>],
        made: (Make<T>, Make<T>),
        rig: fn(&Track<T>) -> Asset,
        found: &mut ModelLaws,
    ) -> Result<(), Stop> {
        let (subject, options) = (self.subject, self.setup.options);
        let accepts = |source: &&Source<'_, T>| subject.accepts(source.track);
        let accepted: Vec<_> = sources.iter().filter(accepts).copied().collect();
        found.skipped.tracks += sources.len() - accepted.len();
        let cases = (0..options.cases).filter_map(|case| {
            let motion = generate::motion(&accepted, made, options.seed, case, options.generated);
            motion.filter(|(_, motion, _)| subject.accepts(&motion.track))
        });
        let tested = self.cases(cases, |motion: &Motion<T>| {
            (rig(&motion.track), Some(Seconds(motion.time)))
        });
        found.laws.extend(self.reports);
        tested
    }
}
