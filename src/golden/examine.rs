//! Compares a model with its approval.

use std::collections::{BTreeMap, BTreeSet};

use super::GoldenError;
use super::images::{Numbers, Painter, Posed, device};
use super::plan::{Case, Limits, NUMBERS, of_image, of_pose};
use super::report::{Cause, ClipReport, ImageReport, ModelReport, Orphan, Verdict};
use super::stored::{Stored, files};
use super::subject::{Subject, Tested, View, times_of};
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
    let mut stored = Stored::read(case)?;
    let subject = Subject::read(case, limits)?;
    if !case.is_wanted(&subject.asset.files, files(&case.approved)?) {
        return Ok(None);
    }
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
    let mut device = device()?;
    let image_test = ImageTest {
        subject: &subject,
        stored: &stored,
        painter: Painter::new(device.as_mut(), &subject)?,
        accepts_time: case.settings.align.contains(&Accepted::Time),
        shown: BTreeSet::new(),
    };
    let Compared {
        differences,
        clips,
        shown,
        moving,
    } = compare(case, limits, image_test)?;
    // The images of a clip that has gone are a part of that change.
    let gone: BTreeSet<&String> = clips
        .iter()
        .flat_map(|clip| stored.images_of_gone(&subject, &clip.name))
        .collect();
    let stale = stored
        .images
        .iter()
        .filter(|(name, image)| image.is_ours() && !shown.contains(*name) && !gone.contains(name));
    orphans.extend(stale.map(|(name, _)| Orphan {
        path: case.approved.join(name),
        clip: None,
    }));
    Ok(Some(Examined {
        report: ModelReport {
            differences,
            clips,
            moving,
            ..empty(case)
        },
        orphans,
        state: Some(State { subject, stored }),
    }))
}

struct Compared {
    differences: Vec<Difference>,
    clips: Vec<ClipReport>,
    /// Approved images that were compared with something.
    shown: BTreeSet<String>,
    moving: Option<[Packed; 2]>,
}

fn compare(
    case: &Case,
    limits: &Limits,
    image_test: ImageTest<'_>,
) -> Result<Compared, GoldenError> {
    let (subject, stored) = (image_test.subject, image_test.stored);
    let Some(numbers) = stored
        .numbers
        .as_ref()
        .filter(|numbers| !numbers.clips.is_empty())
    else {
        return image_test.run(None);
    };
    let options = Options {
        settings: settings(case, numbers),
        deadline: limits.timeout.map_or(Deadline::NEVER, Deadline::after),
        ..Options::default()
    };
    let before = Source::Reference(Box::new(numbers.clone()));
    let mut image_test = Some(image_test);
    let compared =
        diff::compare_and_inspect(&before, &subject.source(), &options, |report, posed| {
            let image_test = image_test.take().expect("it runs once");
            let mut compared = image_test.run(Some(report))?;
            if let Some(room) = limits.page.filter(|_| !report.is_same()) {
                compared.moving = versions(report, posed, ["Approved", "Now"], room)?;
            }
            Ok::<Compared, GoldenError>(compared)
        });
    match compared {
        Ok((_, Some(compared))) => compared,
        Ok((report, None)) => {
            let image_test = image_test.take().expect("no image was tested yet");
            image_test.run(Some(&report))
        }
        Err(error @ (DiffError::NothingInCommon | DiffError::TooFewFrames { .. })) => {
            let mut compared = image_test
                .take()
                .expect("no image was tested yet")
                .run(None)?;
            let message = error.to_string();
            compared.differences.push(Kind::Unrelated.found(message));
            Ok(compared)
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
        // Only some times of a clip may be approved; `ImageTest::range` knows which.
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

/// Examines all images of a model.
struct ImageTest<'a> {
    subject: &'a Subject,
    stored: &'a Stored,
    /// `None` if there is nothing to draw.
    painter: Option<Painter<'a>>,
    /// Whether clips may have different timing.
    accepts_time: bool,
    shown: BTreeSet<String>,
}

impl ImageTest<'_> {
    /// * `seen` – `None` if no numbers are approved.
    fn run(mut self, seen: Option<&diff::Report>) -> Result<Compared, GoldenError> {
        let mut clips = Vec::new();
        let names = self
            .subject
            .asset
            .clips
            .iter()
            .map(|clip| clip.name.as_str());
        for (index, name) in names.enumerate() {
            let mut clip = self.numbers(index, name, seen);
            self.draw(index, &mut clip, seen)?;
            if clip.verdict() == Verdict::Same {
                clip.images.iter_mut().for_each(|image| image.images = None);
            }
            clips.push(clip);
        }
        let mut differences = Vec::new();
        for difference in seen.iter().flat_map(|report| report.differences()) {
            if difference.finding.location.clip.is_none() {
                differences.push(difference.clone());
            }
            for (name, _) in difference.finding.clips() {
                if !clips.iter().any(|clip| clip.name == name) {
                    clips.push(gone(name, difference));
                }
            }
        }
        Ok(Compared {
            differences,
            clips,
            shown: self.shown,
            moving: None,
        })
    }

    /// The report on a clip, without images.
    fn numbers(&self, index: usize, name: &str, report: Option<&diff::Report>) -> ClipReport {
        let approved = self.approved(name);
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
        let (Some(approved), Some(report)) = (approved, report) else {
            return clip;
        };
        let own = report.differences();
        let own = own.filter(|own| own.finding.clips().any(|(own, _)| own == name));
        clip.differences = own.map(|own| seen_in(name, own)).collect();
        let says_when = clip
            .differences
            .iter()
            .any(|own| own.kind.stage() == Stage::Timing);
        let take = take_of(report, name).map(|take| &report.takes[take]);
        if !says_when {
            let times = times_of(approved);
            let range = if self.accepts_time {
                take.and_then(|take| lost(name, take, &times))
            } else {
                self.range(index, &times)
            };
            clip.differences.extend(range);
        }
        clip.largest = take.map(|take| take.surface.max / report.diagonal);
        clip.times = approved.frames.len();
        let differs =
            take.is_none_or(|take| take.verdict.differs()) || !clip.differences.is_empty();
        clip.note = note(tested, &times_of(approved));
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

    fn approved(&self, clip: &str) -> Option<&Clip> {
        let numbers = self.stored.numbers.as_ref()?;
        numbers.clips.iter().find(|own| own.name == clip)
    }

    /// Compares the images of a clip, at the approved times if there are any.
    fn draw(
        &mut self,
        index: usize,
        clip: &mut ClipReport,
        seen: Option<&diff::Report>,
    ) -> Result<(), GoldenError> {
        let Some(mut painter) = self.painter.take() else {
            return Ok(());
        };
        let tested = &self.subject.clips[index];
        let differs = seen.is_some_and(|report| {
            let mut differences = report.differences();
            differences.any(|own| own.finding.location.clip.is_none())
        });
        let approved = self.approved(&clip.name);
        let times = approved.filter(|_| clip.note.is_none()).map(times_of);
        let mut cameras = Vec::new();
        for view in &tested.views {
            cameras.push(painter.camera(index, view)?);
        }
        for time in times.unwrap_or_else(|| tested.times.clone()) {
            let posed = painter.pose(index, time)?;
            for (view, camera) in tested.views.iter().zip(&cameras) {
                let numbers = match (clip.numbers, &clip.note) {
                    // A difference in the data that all clips share also explains different images.
                    _ if differs => Numbers::Elsewhere,
                    (Verdict::Same, _) | (Verdict::New, Some(_)) => Numbers::Near,
                    _ => Numbers::Elsewhere,
                };
                let file = of_image(&tested.stem, time, &view.name());
                let image = match self.stored.images.get(&file) {
                    None => {
                        self.unapproved(&mut painter, (&posed, time), (view, *camera), tested)?
                    }
                    Some(approved) => {
                        self.shown.insert(file.clone());
                        let judged = painter.judge(&posed, view, approved, (*camera, numbers))?;
                        ImageReport {
                            view: view.name(),
                            verdict: judged.verdict,
                            cause: judged.cause,
                            images: Some(judged.images),
                            file,
                            time,
                        }
                    }
                };
                clip.images.push(image);
            }
        }
        self.painter = Some(painter);
        Ok(())
    }

    /// An image without approval. If others of this pose are approved, the camera has changed.
    fn unapproved(
        &mut self,
        painter: &mut Painter<'_>,
        (posed, time): (&Posed, Seconds),
        (view, camera): (&View, Camera),
        tested: &Tested,
    ) -> Result<ImageReport, GoldenError> {
        let start = of_pose(&tested.stem, time);
        let wanted: Vec<String> = tested
            .views
            .iter()
            .map(|view| of_image(&tested.stem, time, &view.name()))
            .collect();
        let others: Vec<String> = self
            .stored
            .images
            .keys()
            .filter(|name| name.starts_with(&start) && !wanted.contains(name))
            .cloned()
            .collect();
        let approved: Vec<String> = others
            .iter()
            .map(|name| name[start.len()..].trim_end_matches(".png").to_owned())
            .collect();
        self.shown.extend(others);
        let is_new = approved.is_empty();
        Ok(ImageReport {
            file: of_image(&tested.stem, time, &view.name()),
            time,
            view: view.name(),
            verdict: if is_new {
                Verdict::New
            } else {
                Verdict::Changed
            },
            cause: (!is_new).then(|| Cause::Camera {
                approved: approved.join(" and "),
            }),
            images: Some(painter.unapproved(posed, view, camera)?),
        })
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

/// The index of a clip's take in a report.
fn take_of(report: &diff::Report, clip: &str) -> Option<usize> {
    report.takes.iter().position(|take| {
        let clips = take.clips.as_ref();
        clips.is_some_and(|[before, _]| before == clip)
    })
}
