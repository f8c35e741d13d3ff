//! Approves the current state of a model.

use std::fs;
use std::path::{Path, PathBuf};

use super::GoldenError;
use super::examine::{Examined, State};
use super::images::{Painter, device};
use super::plan::{Case, NUMBERS, of_image};
use super::report::{ClipReport, Verdict};
use super::stored::{StoredImage, remove_file};
use super::subject::times_of;
use crate::diff::Tolerance;
use crate::diff::reference::{Clip, Reference};
use crate::frame::write_file;
use crate::names::matches;
use crate::rig::Bounds;
use crate::units::Seconds;

/// The parts of a model to approve.
#[derive(Debug, Clone, Default)]
pub struct Approval {
    /// Names of clips, in which `*` matches any characters; empty for all.
    pub clips: Vec<String>,
    /// Only parts without approval, and nothing of a changed model.
    pub only_new: bool,
}

impl Approval {
    fn names(&self, clip: &str) -> bool {
        self.clips.is_empty() || self.clips.iter().any(|pattern| matches(pattern, clip))
    }

    fn chooses(&self, clip: &ClipReport) -> bool {
        clip.verdict() != Verdict::Same && self.names(&clip.name)
    }
}

/// Approves the selected parts of an examined model, and returns the files that were written or removed. Unchanged
/// files are not rewritten.
///
/// Each file is replaced as a whole, the numbers last. If the program is killed, a model is left with some new images,
/// which the next test reports.
///
/// # Errors
///
/// [`GoldenError`]: a file cannot be written, or other clips have changed too and share approved data with the selected
/// ones.
pub fn accept(
    case: &Case,
    examined: &Examined,
    approval: &Approval,
) -> Result<Vec<PathBuf>, GoldenError> {
    let Some(state) = &examined.state else {
        return Ok(Vec::new());
    };
    let report = &examined.report;
    if approval.only_new && report.verdict() == Verdict::Changed {
        return Ok(Vec::new());
    }
    let chosen: Vec<&ClipReport> = report
        .clips
        .iter()
        .filter(|clip| approval.chooses(clip))
        .collect();
    let accepts_model =
        !report.differences.is_empty() && (approval.clips.is_empty() || !chosen.is_empty());
    if chosen.is_empty() && !accepts_model {
        return Ok(Vec::new());
    }
    let left = report.clips.iter().find(|clip| {
        clip.verdict() == Verdict::Changed && chosen.iter().all(|own| own.name != clip.name)
    });
    if let Some(left) = left.filter(|_| accepts_model) {
        return Err(GoldenError::Shared {
            clip: left.name.clone(),
        });
    }
    let writing = Writing {
        case,
        clips: &report.clips,
        state,
        is_chosen: |clip: &ClipReport| chosen.iter().any(|own| own.name == clip.name),
    };
    let needs_numbers = accepts_model || chosen.iter().any(|clip| clip.numbers != Verdict::Same);
    let numbers = needs_numbers.then(|| writing.numbers()).transpose()?;
    fs::create_dir_all(&case.approved).map_err(|source| GoldenError::Folder {
        what: "create",
        path: case.approved.clone(),
        source,
    })?;
    let mut files = writing.images()?;
    if let Some(numbers) = numbers {
        let path = case.approved.join(NUMBERS);
        write_file(&path, &numbers)?;
        files.push(path);
    }
    Ok(files)
}

struct Writing<'a, F> {
    case: &'a Case,
    clips: &'a [ClipReport],
    state: &'a State,
    is_chosen: F,
}

impl<F: Fn(&ClipReport) -> bool> Writing<'_, F> {
    /// The file of numbers: selected clips in their current state, others as approved.
    fn numbers(&self) -> Result<Vec<u8>, GoldenError> {
        let subject = &self.state.subject;
        let now = |clip: &ClipReport| {
            subject
                .asset
                .clips
                .iter()
                .position(|own| own.name == clip.name)
        };
        let takes_now = |clip: &ClipReport| (self.is_chosen)(clip) && clip.numbers != Verdict::Same;
        let fresh = self.clips.iter().filter(|clip| takes_now(clip));
        let fresh = fresh
            .filter_map(now)
            .map(|index| (index, subject.clips[index].times.clone()));
        let fresh: Vec<(usize, Vec<Seconds>)> = fresh.collect();
        let mut numbers = subject.numbers(&fresh)?;
        let step = step(self.case, &numbers);
        let kept = self.clips.iter().filter(|clip| !takes_now(clip));
        let kept: Vec<&ClipReport> = kept.collect();
        let stored = self.state.stored.numbers.as_ref();
        if let Some(stored) = stored.filter(|stored| is_alike(stored, &numbers, step)) {
            let is_kept = |clip: &&Clip| kept.iter().any(|own| own.name == clip.name);
            // A selected clip that no longer exists is removed.
            numbers
                .clips
                .extend(stored.clips.iter().filter(is_kept).cloned());
        } else if let Some(stored) = stored {
            // The vertices have changed or are in another order, so clips that are equal within the tolerance are
            // written anew, too.
            let mut along = Vec::new();
            for clip in kept {
                if clip.numbers == Verdict::Changed {
                    return Err(GoldenError::Shared {
                        clip: clip.name.clone(),
                    });
                }
                let approved = stored.clips.iter().find(|own| own.name == clip.name);
                if let (Some(index), Some(approved)) = (now(clip), approved) {
                    along.push((index, times_of(approved)));
                }
            }
            numbers.clips.extend(subject.numbers(&along)?.clips);
        }
        let order = |clip: &Clip| {
            let mut clips = subject.asset.clips.iter();
            clips
                .position(|own| own.name == clip.name)
                .unwrap_or(usize::MAX)
        };
        numbers.clips.sort_by_key(order);
        packed(self.case, &numbers)
    }

    /// Writes the images of selected clips that differ from the approved ones, and removes those that are no longer
    /// tested.
    fn images(&self) -> Result<Vec<PathBuf>, GoldenError> {
        let State { subject, stored } = self.state;
        let mut device = device()?;
        let Some(mut painter) = Painter::new(device.as_mut(), subject)? else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for (index, tested) in subject.clips.iter().enumerate() {
            let name = &subject.asset.clips[index].name;
            let report = self.clips.iter().find(|clip| clip.name == *name);
            let Some(report) = report.filter(|clip| (self.is_chosen)(clip)) else {
                continue;
            };
            let is_same = report.numbers == Verdict::Same;
            let numbers = stored.numbers.as_ref().filter(|_| is_same);
            let approved = numbers.and_then(|own| own.clips.iter().find(|clip| clip.name == *name));
            let times = approved.map_or_else(|| tested.times.clone(), times_of);
            let mut wanted = Vec::new();
            for view in &tested.views {
                let camera = painter.camera(index, view)?;
                for time in &times {
                    let file = of_image(&tested.stem, *time, &view.name());
                    let mut images = report.images.iter();
                    let is_kept = is_same
                        && images.any(|own| own.file == file && own.verdict == Verdict::Same);
                    if !is_kept {
                        let posed = painter.pose(index, *time)?;
                        let bytes = painter.file(&posed, view, camera)?;
                        let before = stored.images.get(&file).map(StoredImage::bytes);
                        if before.transpose()?.is_none_or(|before| before != bytes) {
                            files.push(self.write(&file, &bytes)?);
                        }
                    }
                    wanted.push(file);
                }
            }
            let start = format!("{}-", tested.stem);
            let stale = stored.images.keys();
            for name in stale.filter(|name| name.starts_with(&start) && !wanted.contains(name)) {
                files.push(self.remove(name)?);
            }
        }
        let chosen = self.clips.iter().filter(|clip| (self.is_chosen)(clip));
        for name in chosen.flat_map(|clip| stored.images_of_gone(subject, &clip.name)) {
            files.push(self.remove(name)?);
        }
        Ok(files)
    }

    fn remove(&self, file: &str) -> Result<PathBuf, GoldenError> {
        let path = self.case.approved.join(file);
        remove_file(&path)?;
        Ok(path)
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<PathBuf, GoldenError> {
        let path: &Path = &self.case.approved;
        let path = path.join(file);
        write_file(&path, bytes)?;
        Ok(path)
    }
}

/// The file of numbers.
///
/// # Errors
///
/// [`GoldenError::TooLarge`] if the next test would refuse to read it.
pub(super) fn packed(case: &Case, numbers: &Reference) -> Result<Vec<u8>, GoldenError> {
    let bytes = numbers.to_packed(step(case, numbers));
    numbers
        .check_memory(bytes.len())
        .map_err(GoldenError::TooLarge)?;
    Ok(bytes)
}

/// Whether two references agree in everything except their clips.
fn is_alike(stored: &Reference, now: &Reference, step: f64) -> bool {
    let bare = |reference: &Reference| {
        let bare = Reference {
            clips: Vec::new(),
            ..reference.clone()
        };
        bare.to_packed(step)
    };
    bare(stored) == bare(now)
}

/// The step of a position: a power of two below 1/65536 of the diagonal and 1/32 of the tolerance, so that rounding
/// uses no more than a twentieth of the tolerance.
fn step(case: &Case, reference: &Reference) -> f64 {
    let positions: Vec<glam::Vec3> = reference
        .meshes
        .iter()
        .flat_map(|mesh| mesh.positions.iter().copied())
        .collect();
    let joints = reference
        .nodes
        .iter()
        .map(|node| node.rest.w_axis.truncate().as_dvec3());
    let diagonal = Bounds::size_of_model(Bounds::of_f32(&positions), Bounds::of(joints));
    let tolerance = case.settings.tolerance.unwrap_or_default();
    let limit = match (tolerance, reference.space.metres_per_unit) {
        (Tolerance::Diagonal(part), _) => part * diagonal,
        (Tolerance::Metres(metres), Some(unit)) => metres / unit,
        _ => diagonal,
    };
    let finest = (diagonal / 65_536.0).min(limit / 32.0);
    libm::exp2(libm::floor(libm::log2(finest)))
}
