//! Compares a model with its approval.

use std::collections::{BTreeMap, BTreeSet};

use super::GoldenError;
use super::images::{Painter, device};
use super::plan::{Case, Limits, NUMBERS, of_image};
use super::report::{ClipReport, ImageReport, ModelReport, Orphan, Verdict};
use super::stored::Stored;
use super::subject::{Subject, Tested, times_of};
use crate::account::AccountId;
use crate::deadline::Deadline;
use crate::diff::reference::{Clip, Reference};
use crate::diff::{
    self, Accepted, DiffError, Difference, Kind, Options, SAME_RANGE, Settings, Source, Stage,
    Take, Tolerance,
};
use crate::shown;
use crate::units::{Seconds, amount};
use crate::view::Camera;
use crate::viewer::{Packed, versions};
use crate::work::{Stage as StageOfWork, Work};

/// A model, with the data needed to approve it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examined {
    /// The report of the model.
    pub report: ModelReport,
    /// Its approvals that are not tested.
    pub(super) orphans: Vec<Orphan>,
    /// `None` if it could not be tested.
    pub(super) state: Option<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) subject: Subject,
    pub(super) stored: Stored,
}

/// Compares a model with its approval.
///
/// A model that cannot be read, or whose approval is damaged, is not an error but a [failure](ModelReport::failure).
/// `None` if only changes are tested, and none affects the model.
#[must_use]
pub fn examine(case: &Case, limits: &Limits) -> Option<Examined> {
    let examined = examined(case, limits);
    examined.unwrap_or_else(|error| {
        Some(Examined {
            report: ModelReport {
                failure: Some(failure(case, &error)),
                ..empty(case)
            },
            orphans: Vec::new(),
            state: None,
        })
    })
}

/// Removes the model's path, which already heads the report.
fn failure(case: &Case, error: &GoldenError) -> String {
    let message = match error {
        GoldenError::Import(error) => error.explain(),
        other => shown::causes(other),
    };
    let path = format!("{}: ", shown::path(&case.path));
    message.strip_prefix(&path).unwrap_or(&message).to_owned()
}

fn empty(case: &Case) -> ModelReport {
    ModelReport {
        path: case.path.clone(),
        name: case.name.clone(),
        approved: case.approved.clone(),
        failure: None,
        differences: Vec::new(),
        tolerance: case.settings.tolerance.unwrap_or_default(),
        clips: Vec::new(),
        moving: None,
    }
}

fn examined(case: &Case, limits: &Limits) -> Result<Option<Examined>, GoldenError> {
    let budget = limits.import.limits.budget(&case.path);
    let work = Work::on(&case.path, StageOfWork::Main, budget)?;
    let stored = Stored::read(case)?;
    let subject = Subject::read(case, limits)?;
    if !case.is_wanted(&subject.asset.files) {
        return Ok(None);
    }
    // The model has been read, so no thread is waited for.
    AccountId::own().run(|| judged(case, limits, &work, subject, stored).map(Some))
}

/// Compares a model that has been read with what is stored.
fn judged(
    case: &Case,
    limits: &Limits,
    work: &Work,
    subject: Subject,
    mut stored: Stored,
) -> Result<Examined, GoldenError> {
    let mut orphans = Vec::new();
    if let Some(numbers) = &mut stored.numbers {
        let is_tested = |clip: &Clip| {
            let named = case.tests.iter().any(|test| test.names(&clip.name));
            named || subject.has(&clip.name)
        };
        for clip in numbers.clips.iter().filter(|clip| !is_tested(clip)) {
            orphans.push(Orphan {
                path: case.approved.join(NUMBERS),
                clip: Some(clip.name.clone()),
            });
        }
        numbers.clips.retain(is_tested);
    }
    work.part("comparing");
    let compared = compare(case, (limits, work.deadline()), &subject, &stored)?;
    work.part("drawing");
    let test = ClipTest {
        subject: &subject,
        stored: &stored,
        compared: compared.report.as_ref(),
        accepts_time: case.settings.align.contains(&Accepted::Time),
    };
    let mut clips = test.clips()?;
    let mut differences: Vec<Difference> = compared.unrelated.into_iter().collect();
    for difference in compared.report.iter().flat_map(diff::Report::differences) {
        if difference.finding.location.clip.is_none() {
            differences.push(difference.clone());
        }
        for (name, _) in difference.finding.clips() {
            if !clips.iter().any(|clip| clip.name == name) {
                clips.push(gone(name, difference));
            }
        }
    }
    let report = ModelReport {
        differences,
        clips,
        moving: compared.moving,
        ..empty(case)
    };
    // The images of a clip that is gone are a part of that change.
    if report.verdict() != Verdict::Changed {
        let images = report.clips.iter().flat_map(|clip| &clip.images);
        let tested: BTreeSet<&str> = images.map(|image| image.file.as_str()).collect();
        let stale = stored.images.iter();
        let stale = stale.filter(|(name, own)| own.is_ours() && !tested.contains(name.as_str()));
        orphans.extend(stale.map(|(name, _)| Orphan {
            path: case.approved.join(name),
            clip: None,
        }));
    }
    Ok(Examined {
        report,
        orphans,
        state: Some(State { subject, stored }),
    })
}

/// The comparison of a model with the approved numbers.
#[derive(Default)]
struct Compared {
    /// `None` without approved numbers, and if nothing corresponds.
    report: Option<diff::Report>,
    /// The finding that nothing corresponds.
    unrelated: Option<Difference>,
    moving: Option<[Packed; 2]>,
}

fn compare(
    case: &Case,
    (limits, deadline): (&Limits, Deadline),
    subject: &Subject,
    stored: &Stored,
) -> Result<Compared, GoldenError> {
    let numbers = stored.numbers.as_ref();
    let Some(numbers) = numbers.filter(|numbers| !numbers.clips.is_empty()) else {
        return Ok(Compared::default());
    };
    let options = Options {
        settings: settings(case, numbers),
        deadline,
        ..Options::default()
    };
    let before = Source::Reference(Box::new(numbers.clone()));
    let compared =
        diff::compare_and_inspect(&before, &subject.source(), &options, |report, posed| {
            let room = limits.page.filter(|_| !report.is_same());
            room.map_or(Ok(None), |room| {
                versions(report, posed, ["Approved", "Now"], room)
            })
        });
    match compared {
        Ok((report, moving)) => Ok(Compared {
            report: Some(report),
            moving: moving.transpose()?.flatten(),
            unrelated: None,
        }),
        Err(error @ (DiffError::NothingInCommon | DiffError::TooFewFrames { .. })) => {
            Ok(Compared {
                unrelated: Some(Kind::Unrelated.found(error.to_string())),
                ..Compared::default()
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// The part of `[diff]` that applies to a model and an earlier version of itself. One table serves many models, so
/// settings for clips and joints that this model lacks are dropped.
fn settings(case: &Case, numbers: &Reference) -> Settings {
    let own = &case.settings;
    let clip = |name: &str| numbers.clips.iter().any(|clip| clip.name == name);
    let joint = |name: &str| numbers.nodes.iter().any(|node| node.name == name);
    Settings {
        tolerance: own.tolerance,
        align: own.align.clone(),
        // Only some times of a clip may be approved; `ClipTest::range` knows which.
        ignore: own
            .ignore
            .iter()
            .copied()
            .chain([Kind::ClipRange])
            .collect(),
        only: own.only,
        clip_tolerances: known(&own.clip_tolerances, clip),
        joint_tolerances: known(&own.joint_tolerances, joint),
        ..Settings::default()
    }
}

fn known(
    tolerances: &BTreeMap<String, Tolerance>,
    is_known: impl Fn(&str) -> bool,
) -> BTreeMap<String, Tolerance> {
    let all = tolerances.iter().filter(|(name, _)| is_known(name));
    all.map(|(name, tolerance)| (name.clone(), *tolerance))
        .collect()
}

/// Tests the clips of a model.
struct ClipTest<'a> {
    subject: &'a Subject,
    stored: &'a Stored,
    /// `None` if no numbers are approved.
    compared: Option<&'a diff::Report>,
    /// Whether clips may have different timing.
    accepts_time: bool,
}

impl ClipTest<'_> {
    /// The reports on all clips.
    fn clips(&self) -> Result<Vec<ClipReport>, GoldenError> {
        let mut device = device()?;
        let mut painter = Painter::new(device.as_mut(), self.subject)?;
        let mut clips = Vec::new();
        for index in 0..self.subject.clips.len() {
            let mut clip = self.numbers(index);
            if let Some(painter) = &mut painter {
                clip.images = self.images(index, &clip, painter)?;
            }
            if clip.verdict() == Verdict::Same {
                clip.images.iter_mut().for_each(|image| image.images = None);
            }
            clips.push(clip);
        }
        Ok(clips)
    }

    /// The report on a clip, without images.
    fn numbers(&self, index: usize) -> ClipReport {
        let name = self.subject.asset.clips[index].name.as_str();
        let tested = &self.subject.clips[index];
        let mut clip = ClipReport {
            name: name.to_owned(),
            numbers: Verdict::New,
            note: None,
            differences: Vec::new(),
            largest: None,
            times: tested.times.len(),
            images: Vec::new(),
        };
        let (Some(approved), Some(report)) = (self.stored.clip(name), self.compared) else {
            return clip;
        };
        let times = times_of(approved);
        let own = report.differences();
        let own = own.filter(|own| own.finding.clips().any(|(own, _)| own == name));
        clip.differences = own.map(|own| seen_in(name, own)).collect();
        let mut kinds = clip.differences.iter().map(|own| own.kind);
        let says_when = kinds.any(|kind| kind.stage() == Stage::Timing);
        let take = report.takes.iter().find(|take| {
            let clips = take.clips.as_ref();
            clips.is_some_and(|[before, _]| before == name)
        });
        if !says_when {
            let range = if self.accepts_time {
                take.and_then(|take| lost(name, take, &times))
            } else {
                self.range(index, &times)
            };
            clip.differences.extend(range);
        }
        clip.largest = take.map(|take| take.surface.max / report.diagonal);
        clip.times = times.len();
        let differs =
            take.is_none_or(|take| take.verdict.differs()) || !clip.differences.is_empty();
        clip.note = note(tested, &times);
        clip.numbers = match (differs, &clip.note) {
            (true, _) => Verdict::Changed,
            (false, Some(_)) => Verdict::New,
            (false, None) => Verdict::Same,
        };
        clip
    }

    /// The finding that a clip starts or ends at a different time. The comparison with a reference does not detect
    /// this, since a reference is known only at its own times.
    fn range(&self, index: usize, approved: &[Seconds]) -> Option<Difference> {
        let clip = &self.subject.asset.clips[index];
        let now = self.subject.clips[index].ends(clip);
        let before = [approved.first()?.0, approved.last()?.0];
        let is_off = |at: usize| (now[at] - before[at]).abs() > SAME_RANGE;
        let is_outside =
            before[0] < clip.start.0 - SAME_RANGE || before[1] > clip.end.0 + SAME_RANGE;
        let is_listed = self.subject.clips[index].is_listed;
        if !(is_outside || !is_listed && (is_off(0) || is_off(1))) {
            return None;
        }
        let message = format!(
            "clip \"{}\" runs from {:.3} to {:.3} s now, but is approved from {:.3} to {:.3} s",
            clip.name, now[0], now[1], before[0], before[1]
        );
        Some(Kind::ClipRange.found(message).clip(&clip.name, None))
    }

    /// Compares the images of a clip, at the approved times if there are any.
    ///
    /// * `clip` – the report on its numbers.
    fn images(
        &self,
        index: usize,
        clip: &ClipReport,
        painter: &mut Painter<'_>,
    ) -> Result<Vec<ImageReport>, GoldenError> {
        let tested = &self.subject.clips[index];
        let mut differences = self.compared.iter().flat_map(|report| report.differences());
        // A difference in the data that all clips share also explains different images.
        let numbers_agree = differences.all(|own| own.finding.location.clip.is_some())
            && (clip.numbers == Verdict::Same
                || clip.note.is_some() && clip.numbers == Verdict::New);
        let approved = self.stored.clip(&clip.name);
        let times = approved.filter(|_| clip.note.is_none()).map(times_of);
        let cameras = tested.views.iter().map(|view| painter.camera(index, view));
        let cameras: Vec<Camera> = cameras.collect::<Result<_, _>>()?;
        let mut images = Vec::new();
        for time in times.unwrap_or_else(|| tested.times.clone()) {
            let posed = painter.pose(index, time)?;
            for (view, camera) in tested.views.iter().zip(&cameras) {
                let file = of_image(&tested.stem, time, &view.name());
                let approved = self.stored.images.get(&file);
                let judged = painter.judge(&posed, view, approved, (*camera, numbers_agree))?;
                images.push(ImageReport {
                    view: view.name(),
                    verdict: judged.verdict,
                    cause: judged.cause,
                    images: Some(judged.images),
                    file,
                    time,
                });
            }
        }
        Ok(images)
    }
}

/// A finding as one of its clips shows it. Its time and message are those of the worst clip.
fn seen_in(clip: &str, difference: &Difference) -> Difference {
    let mut own = difference.clone();
    let finding = &mut own.finding;
    finding.affected.clips.clear();
    let worst = finding.location.clip.replace(clip.to_owned());
    if let Some(worst) = worst.filter(|worst| worst != clip) {
        finding.message = format!("as clip \"{worst}\": {}", finding.message);
        finding.location.time = None;
    }
    own
}

/// The report on an approved clip that the model no longer has under this name.
fn gone(name: &str, difference: &Difference) -> ClipReport {
    ClipReport {
        name: name.to_owned(),
        numbers: Verdict::Changed,
        note: None,
        differences: vec![difference.clone()],
        largest: None,
        times: 0,
        images: Vec::new(),
    }
}

/// The finding that the configuration requests other times than the approved ones.
fn note(tested: &Tested, approved: &[Seconds]) -> Option<String> {
    if tested.fits(approved) {
        return None;
    }
    if approved.len() == tested.times.len() {
        return Some("the approved times are not the ones in the configuration".to_owned());
    }
    Some(format!(
        "approved at {}, but the configuration asks for {}",
        amount(approved.len(), "time"),
        tested.times.len()
    ))
}

/// The finding that a clip lacks approved times, whatever its timing.
fn lost(name: &str, take: &Take, approved: &[Seconds]) -> Option<Difference> {
    let compared = [
        take.over_time.first()?.time.0,
        take.over_time.last()?.time.0,
    ];
    let ends = [approved.first()?.0, approved.last()?.0];
    if compared[0] <= ends[0] + SAME_RANGE && compared[1] >= ends[1] - SAME_RANGE {
        return None;
    }
    let message = format!(
        "clip \"{name}\" is approved at times from {:.3} to {:.3} s, but now has only those from {:.3} to {:.3} s",
        ends[0], ends[1], compared[0], compared[1]
    );
    Some(Kind::ClipRange.found(message).clip(name, None))
}
