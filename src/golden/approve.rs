//! Approves the current state of a model, and lists and removes approvals that are no longer tested.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::GoldenError;
use super::examine::{Examined, State};
use super::images::{Painter, device};
use super::plan::{Case, FOLDER, NUMBERS, Plan, of_image};
use super::report::{ModelReport, Orphan, Verdict};
use super::stored::{StoredImage, files, is_plain, remove_file};
use super::subject::times_of;
use super::tables::Tables;
use crate::check::config::{self, Config};
use crate::diff::Tolerance;
use crate::diff::reference::{Reference, has_header};
use crate::frame::{png, write_file};
use crate::rig::Bounds;

/// Approves an examined model as it is now, and returns the files that were written or removed. Unchanged files are not
/// rewritten, and images that are no longer tested are removed.
///
/// Each file is replaced as a whole, the numbers last. If the program is killed, a model is left with some new images,
/// which the next test reports.
///
/// * `only_new` – approves nothing of a model that has changed.
///
/// # Errors
///
/// [`GoldenError`]: the model cannot be drawn, or a file cannot be written.
pub fn accept(
    case: &Case,
    examined: &Examined,
    only_new: bool,
) -> Result<Vec<PathBuf>, GoldenError> {
    let report = &examined.report;
    let verdict = report.verdict();
    let Some(state) = &examined.state else {
        return Ok(Vec::new());
    };
    if verdict == Verdict::Same || only_new && verdict == Verdict::Changed {
        return Ok(Vec::new());
    }
    let has_same_numbers = report.differences.is_empty()
        && report
            .clips
            .iter()
            .all(|clip| clip.numbers == Verdict::Same);
    let subject = &state.subject;
    let numbers = (!has_same_numbers)
        .then(|| packed(case, &subject.numbers()?))
        .transpose()?;
    let mut files = write_images(case, report, state, has_same_numbers)?;
    if let Some(numbers) = numbers {
        files.push(write(case, NUMBERS, &numbers)?);
    }
    Ok(files)
}

/// Writes a file of the approval and returns its path. Its folder is created with the first one: a model that cannot be drawn, or a
/// full disk, leaves none.
fn write(case: &Case, file: &str, bytes: &[u8]) -> Result<PathBuf, GoldenError> {
    fs::create_dir_all(&case.approved).map_err(|source| GoldenError::Folder {
        what: "create",
        path: case.approved.clone(),
        source,
    })?;
    let path = case.approved.join(file);
    write_file(&path, bytes).inspect_err(|_| {
        // Only an empty folder can be removed.
        let _ = fs::remove_dir(&case.approved);
    })?;
    Ok(path)
}

/// Writes the images that differ from the approved ones, and removes those that are no longer tested.
///
/// * `has_same_numbers` – whether the approved numbers, and so their times, stay.
fn write_images(
    case: &Case,
    report: &ModelReport,
    state: &State,
    has_same_numbers: bool,
) -> Result<Vec<PathBuf>, GoldenError> {
    let State { subject, stored } = state;
    let images = || report.clips.iter().flat_map(|clip| &clip.images);
    let is_same = |file: &str| images().any(|own| own.file == file && own.verdict == Verdict::Same);
    let mut device = device()?;
    let mut painter = Painter::new(device.as_mut(), subject)?;
    let (mut files, mut wanted) = (Vec::new(), BTreeSet::new());
    for (index, tested) in subject.clips.iter().enumerate() {
        let Some(painter) = &mut painter else {
            continue;
        };
        let approved = stored.clip(&subject.asset.clips[index].name);
        let approved = approved.filter(|_| has_same_numbers).map(times_of);
        let times = approved.unwrap_or_else(|| tested.times.clone());
        for view in &tested.views {
            let camera = painter.camera(index, view)?;
            for time in &times {
                let file = of_image(&tested.stem, *time, &view.name());
                if !is_same(&file) {
                    let posed = painter.pose(index, *time)?;
                    let bytes = painter.file(&posed, view, camera)?;
                    let before = stored.images.get(&file).map(StoredImage::bytes);
                    if before.transpose()?.is_none_or(|before| before != bytes) {
                        files.push(write(case, &file, &bytes)?);
                    }
                }
                wanted.insert(file);
            }
        }
    }
    let stale = stored.images.iter();
    for (name, _) in stale.filter(|(name, image)| image.is_ours() && !wanted.contains(*name)) {
        let path = case.approved.join(name);
        remove_file(&path)?;
        files.push(path);
    }
    Ok(files)
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
    let tables = || Config::load(&path)?.tables::<Tables>();
    path.is_file() && tables().is_ok_and(|tables| !tables.tests.is_empty())
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
