//! Approves the current state of a model, and lists and removes approvals that are no longer tested.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::GoldenError;
use super::examine::{Examined, State};
use super::images::{Painter, device};
use super::plan::{Case, FOLDER, NUMBERS, Plan, of_image};
use super::report::{ClipReport, Orphan, Verdict};
use super::stored::{StoredImage, files, is_plain, remove_file};
use super::subject::times_of;
use crate::check::config::{self, Config};
use crate::diff::Tolerance;
use crate::diff::reference::{Clip, Reference, has_header};
use crate::frame::{png, write_file};
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
        let fresh: Vec<(usize, Vec<Seconds>)> = self
            .clips
            .iter()
            .filter(|clip| takes_now(clip))
            .filter_map(now)
            .map(|index| (index, subject.clips[index].times.clone()))
            .collect();
        let mut numbers = subject.numbers(&fresh)?;
        let step = step(self.case, &numbers);
        let kept: Vec<&ClipReport> = self.clips.iter().filter(|clip| !takes_now(clip)).collect();
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

/// Lists approvals of models, clips, times and cameras that are no longer tested. If the request names its models,
/// approvals of other models are skipped.
///
/// Folders with the tests of another configuration are skipped too.
///
/// # Errors
///
/// [`GoldenError::Unreadable`].
pub fn orphans(plan: &Plan, examined: &[Examined]) -> Result<Vec<Orphan>, GoldenError> {
    let mut orphans: Vec<Orphan> = examined
        .iter()
        .flat_map(|one| one.orphans.clone())
        .collect();
    let Some(known) = &plan.known else {
        orphans.sort();
        return Ok(orphans);
    };
    let root = if plan.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &plan.root
    };
    let is_folder = |entry: &ignore::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        name.ends_with(FOLDER) && entry.file_type().is_some_and(|kind| kind.is_dir())
    };
    let mut walk = WalkBuilder::new(root);
    walk.filter_entry(|entry| entry.depth() == 0 || !has_own_tests(entry.path()));
    // Entries that cannot be read are not approvals to prune.
    for entry in walk.build().filter_map(Result::ok).filter(is_folder) {
        let path = entry.path();
        let path = path.strip_prefix(".").unwrap_or(path);
        if !known.contains(path) && files(path)?.iter().any(|file| is_ours(file)) {
            orphans.push(Orphan {
                path: path.to_owned(),
                clip: None,
            });
        }
    }
    orphans.sort();
    Ok(orphans)
}

/// Whether a configuration in `folder` names tests, to which the approvals in there belong.
fn has_own_tests(folder: &Path) -> bool {
    let path = folder.join(config::FILE_NAME);
    path.is_file() && Config::load(&path).is_ok_and(|config| config.tests().next().is_some())
}

/// Removes approvals that are not tested, and returns the files that were removed or rewritten. Files that skincheck did
/// not write are kept, and so are all other approvals.
///
/// # Errors
///
/// [`GoldenError`]: a folder cannot be read, or a file cannot be written or removed.
pub fn prune(plan: &Plan, examined: &[Examined]) -> Result<Vec<PathBuf>, GoldenError> {
    let mut removed = Vec::new();
    for (case, one) in plan.cases.iter().zip(examined) {
        removed.extend(prune_clips(case, one)?);
    }
    let orphans = orphans(plan, examined)?;
    for Orphan { path, .. } in orphans.iter().filter(|orphan| orphan.clip.is_none()) {
        let own = if path.is_dir() {
            files(path)?
        } else {
            vec![path.clone()]
        };
        for file in own.into_iter().filter(|file| is_ours(file)) {
            remove_file(&file)?;
            removed.push(file);
        }
        if path.is_dir() {
            // A folder with other files remains.
            let _ = fs::remove_dir(path);
        }
    }
    Ok(removed)
}

/// Removes the clips that are not tested from the numbers of a model.
fn prune_clips(case: &Case, examined: &Examined) -> Result<Option<PathBuf>, GoldenError> {
    let has_some = examined.orphans.iter().any(|orphan| orphan.clip.is_some());
    // The examination has dropped these clips.
    let stored = examined.state.as_ref().filter(|_| has_some);
    let Some(numbers) = stored.and_then(|state| state.stored.numbers.as_ref()) else {
        return Ok(None);
    };
    let path = case.approved.join(NUMBERS);
    write_file(&path, &packed(case, numbers)?)?;
    Ok(Some(path))
}

fn is_ours(path: &Path) -> bool {
    if !is_plain(path) {
        return false;
    }
    if path.file_name().is_some_and(|name| name == NUMBERS) {
        return has_header(path);
    }
    let head = fs::read(path).ok().and_then(|bytes| png::head(&bytes).ok());
    head.is_some_and(|head| png::names_skincheck(&head.text))
}
