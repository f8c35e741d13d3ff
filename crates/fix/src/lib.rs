//! Repaired copies of glTF models, with proof that nothing else moved.
//!
//! [`fix()`] reads a model, repairs what the rules find in it, reads the copy back, and compares the two: [`Proof`] says what changed.
//! Repairs that the comparison does not bear out are undone. Nothing is written before [`Fixed::write`].
//!
//! `document` changes single values of a file and keeps the rest as it is. `repairs` has a file for each rule.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// The modules of other packages.
use skincheck_compare::diff;
use skincheck_draw::frame;
use skincheck_import as import;
use skincheck_lint as lint;
use skincheck_rig::{deadline, finding, groups, paths, pose, rig, shown, skinning, units};

mod document;
mod patches;
mod proof;
mod repairs;
mod staging;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod written;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::deadline::{Deadline, TimedOut};
use crate::diff::DiffError;
use crate::document::{Document, Refusal};
use crate::finding::{Code, Finding};
use crate::import::ImportError;
use crate::lint::{Checked, Context, Settings};
use crate::paths::folder_of;
use crate::pose::PlaybackError;
use crate::proof::{Failure, Unproven, Version, count};
use crate::repairs::{Changed, Changes, Job, named};
use crate::rig::{Asset, Format};
use crate::skinning::SkinningError;
use crate::staging::Stage;
use crate::units::metres;

pub use patches::Patch;
pub use repairs::{REPAIRS, Repair, find_repair};
#[doc(hidden)]
pub use staging::abandon;
pub use written::CopyError;

/// What to repair, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The rules whose findings are repaired; all that are not [on request](Repair::on_request) if empty.
    pub only: BTreeSet<Code>,
    /// What the rules judge by. The limit of influences is repaired too if there is an [engine](Settings::engine).
    pub settings: Settings,
    /// The most vertices of a mesh whose binding is replaced by that of a neighbour, because they follow a distant joint; 1 % of it if
    /// `None`.
    pub most: Option<usize>,
    /// How the model is read.
    pub import: import::Options,
    /// When the work must be done.
    pub deadline: Deadline,
}

/// A repaired copy.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fixed {
    /// The bytes of the copy; `None` if nothing was repaired.
    pub file: Option<Vec<u8>>,
    /// The files that the copy names, such as images. They are as before.
    pub named: Vec<PathBuf>,
    /// What changed, and what did not.
    pub proof: Proof,
    /// The bytes of the model.
    model: Vec<u8>,
}

impl Fixed {
    /// Writes the copy, if there is one: all of it, or nothing. In another folder than the model's, the files that it names are copied
    /// first.
    ///
    /// * `path` – of the copy; not that of the model or of a file that it names.
    /// * `model` – the path of the model.
    ///
    /// # Errors
    ///
    /// [`CopyError`], if it cannot be written, or one of these files cannot be copied.
    pub fn write(&self, path: &Path, model: &Path) -> Result<(), CopyError> {
        match &self.file {
            Some(file) => written::write(file, path, model, &self.named),
            None => Ok(()),
        }
    }

    /// The replacements of bytes that make the copy of the model; `None` without a copy, or if they are no few bytes.
    #[must_use]
    pub fn patches(&self) -> Option<Vec<Patch>> {
        patches::between(&self.model, self.file.as_ref()?)
    }
}

/// What changed between a model and its copy, and what did not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Proof {
    /// The repairs that are proved, in the order of [`REPAIRS`].
    pub repaired: Vec<Repaired>,
    /// The repairs that were tried and undone.
    pub undone: Vec<Undone>,
    /// The rules that found something, and whose repairs were not [asked for](Options::only).
    pub not_asked: Vec<Code>,
    /// Where the vertices are, before and after; `None` if nothing was repaired.
    pub moved: Option<Moved>,
    /// The compressed and sparse parts that are stored plainly because their data changed, such as `meshes/0/primitives/1`.
    pub plain: Vec<String>,
    /// The unit of lengths, if the file states it.
    pub metres_per_unit: Option<f64>,
}

/// A repair that is proved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Repaired {
    /// The rule whose findings it removed.
    pub code: Code,
    /// How much it changed.
    pub changed: usize,
    /// What it changed, in the singular, such as `vertex`.
    pub counted: &'static str,
    /// How many faults the rule found before.
    pub before: usize,
    /// How many it finds in the copy.
    pub after: usize,
    /// Why it left some.
    pub left: Vec<String>,
}

/// A repair that was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Undone {
    /// The rule.
    pub code: Code,
    /// What spoke against it.
    pub reason: String,
}

/// Where the vertices of a copy are, compared with those of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Moved {
    /// Vertices that are elsewhere in some pose, all of them among the repaired.
    pub vertices: usize,
    /// The largest distance, in the unit of the model.
    pub farthest: f64,
    /// All other vertices.
    pub still: usize,
    /// The number of poses: the rest pose, and the keys of all clips and half-way between; without clips, the range of motion.
    pub poses: usize,
    /// The number of clips.
    pub clips: usize,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixError {
    /// The model cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The model is no glTF.
    #[error(
        "only glTF is repaired; convert the model first, for example with Blender's export or FBX2glTF"
    )]
    NotGltf,
    /// The file cannot be taken apart.
    #[error("the file cannot be repaired: it is cut off, or its JSON text is not UTF-8")]
    Torn,
    /// The copy cannot be put together.
    #[error("the copy cannot be put together: {reason}")]
    Unwritable {
        /// What spoke against it.
        reason: String,
    },
    /// The copy cannot be stored for reading it back.
    #[error("the copy cannot be read back")]
    Staging(#[from] io::Error),
    /// A pose cannot be skinned.
    #[error("the model cannot be skinned")]
    Skinning(#[from] SkinningError),
    /// A pose cannot be sampled.
    #[error("a clip cannot be sampled")]
    Playback(#[from] PlaybackError),
    /// The two cannot be compared.
    #[error("the copy cannot be compared with the model")]
    Diff(#[from] DiffError),
    /// The time limit was reached.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}

impl Proof {
    /// What is proved of the vertices, in a sentence without a full stop; `None` if nothing was repaired.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let length = |length: f64| match self.metres_per_unit {
            Some(unit) => metres(length * unit),
            None => units::significant(length, 3),
        };
        let mut sentence = proof::sentence(self.moved.as_ref()?, length);
        let is_cut = |own: &Repaired| {
            find_repair(own.code).is_some_and(|repair| repair.changes == Changes::Ends)
        };
        if self.repaired.iter().any(is_cut) {
            sentence += ", without the removed keys";
        }
        Some(sentence)
    }
}

/// Repairs a copy of the glTF model at `path`.
///
/// # Errors
///
/// [`FixError`]: the model cannot be read, is no glTF, or cannot be compared with its copy.
///
/// # Example
///
/// ```no_run
/// # mod skincheck { pub use skincheck_fix as fix; }
/// use skincheck::fix::{self, Options};
///
/// let fixed = fix::fix("hero.glb".as_ref(), &Options::default())?;
/// fixed.write("hero.fixed.glb".as_ref(), "hero.glb".as_ref())?;
/// println!("{}", fixed.proof.sentence().unwrap_or_default());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fix(path: &Path, options: &Options) -> Result<Fixed, FixError> {
    let import = import::Options {
        decoded: true,
        ..options.import.clone()
    };
    let mut asset = import::load(path, &import)?;
    if asset.format != Format::Gltf || asset.reader.code != rig::ReaderCode::Gltf {
        return Err(FixError::NotGltf);
    }
    let mut settings = options.settings.clone();
    settings.asked.extend(&options.only);
    // A rule that is named is checked, even if a configuration switches it off.
    settings
        .levels
        .retain(|code, level| level.is_some() || !options.only.contains(code));
    let checked = check(&asset, path, &settings, options.deadline)?;
    let needed = REPAIRS
        .iter()
        .filter(|repair| count(&checked, repair.code) > 0);
    let (wanted, others): (Vec<&Repair>, Vec<&Repair>) =
        needed.partition(|repair| options.wants(repair));
    let named = asset.files.iter().map(|file| file.path.clone());
    let mut fixed = Fixed {
        file: None,
        named: named.filter(|file| file.is_file()).collect(),
        proof: Proof {
            metres_per_unit: asset.space.metres_per_unit,
            not_asked: offered(&others),
            ..Proof::default()
        },
        model: Vec::new(),
    };
    if wanted.is_empty() {
        return Ok(fixed);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    fixed.model = fs::read(path)?;
    let decoded = std::mem::take(&mut asset.origins.decoded);
    let document =
        Document::open(&fixed.model, folder, &fixed.named, decoded).ok_or(FixError::Torn)?;
    let bench = Bench {
        stage: Stage::new(path, document.outside())?,
        path,
        asset,
        checked,
        settings,
        document,
        options,
    };
    bench.repair(&wanted, &mut fixed)?;
    Ok(fixed)
}

impl Options {
    fn wants(&self, repair: &Repair) -> bool {
        if self.only.is_empty() {
            repair.is_wanted(self.settings.engine.is_some())
        } else {
            self.only.contains(&repair.code)
        }
    }
}

/// Few jumps are a rest pose at an end, so the repair of that is not offered for each.
fn offered(repairs: &[&Repair]) -> Vec<Code> {
    let offered = repairs.iter().filter(|own| own.changes != Changes::Ends);
    offered.map(|repair| repair.code).collect()
}

/// The place in the order of [`REPAIRS`].
fn position(code: Code) -> Option<usize> {
    REPAIRS.iter().position(|repair| repair.code == code)
}

/// A model, and where its copies are tried.
struct Bench<'a> {
    path: &'a Path,
    asset: Asset,
    checked: Checked,
    settings: Settings,
    document: Document,
    stage: Stage,
    options: &'a Options,
}

/// A copy with some repairs that is proved.
struct Candidate {
    file: Vec<u8>,
    checked: Checked,
    changed: Vec<(Code, Changed)>,
    plain: Vec<String>,
    moved: Moved,
}

impl Bench<'_> {
    /// Does as many of the repairs as are proved.
    fn repair(&self, wanted: &[&Repair], fixed: &mut Fixed) -> Result<(), FixError> {
        let copy = match self.attempt(wanted)? {
            Ok(copy) => Some(copy),
            Err(failure) => self.one_by_one(wanted, &failure, &mut fixed.proof)?,
        };
        let Some(copy) = copy else { return Ok(()) };
        let mut changed = copy.changed;
        changed.sort_by_key(|(code, _)| position(*code));
        for (code, changed) in changed {
            let [before, after] =
                [&self.checked, &copy.checked].map(|checked| count(checked, code));
            let repair = find_repair(code).expect("it was done");
            fixed.proof.repaired.push(Repaired {
                code,
                changed: changed.count,
                counted: repair.counted,
                before,
                after,
                left: changed.left,
            });
        }
        fixed.proof.plain = copy.plain;
        fixed.proof.moved = Some(copy.moved);
        fixed.file = Some(copy.file);
        Ok(())
    }

    /// Adds repair after repair, and undoes those that are not proved. One that failed is tried again once others are done, because it may
    /// have failed for a fault that these removed.
    ///
    /// * `failure` – of all at once.
    fn one_by_one(
        &self,
        wanted: &[&Repair],
        failure: &Failure,
        proof: &mut Proof,
    ) -> Result<Option<Candidate>, FixError> {
        let (mut best, mut done) = (None, Vec::<&Repair>::new());
        let mut open: Vec<(&Repair, Failure)> = Vec::new();
        let mut untried = wanted.to_vec();
        loop {
            let tried = untried.len();
            for repair in untried {
                done.push(repair);
                let attempt = match wanted.len() {
                    1 => Err(failure.clone()),
                    _ => self.attempt(&done)?,
                };
                match attempt {
                    Ok(copy) => best = Some(copy),
                    Err(failure) => {
                        done.pop();
                        open.push((repair, failure));
                    }
                }
            }
            if open.is_empty() || open.len() == tried {
                break;
            }
            untried = open.drain(..).map(|(repair, _)| repair).collect();
        }
        open.sort_by_key(|(repair, _)| position(repair.code));
        let undone = open.into_iter().map(|(repair, Failure(reason))| Undone {
            code: repair.code,
            reason,
        });
        proof.undone.extend(undone);
        Ok(best)
    }

    /// Makes a copy with these repairs, reads it back and proves it.
    fn attempt(&self, repairs: &[&Repair]) -> Result<Result<Candidate, Failure>, FixError> {
        let mut document = self.document.clone();
        let mut changed = Vec::new();
        for repair in repairs {
            let findings = self.checked.findings.iter();
            let findings: Vec<&Finding> = findings.filter(|own| own.code == repair.code).collect();
            let mut job = Job {
                document: &mut document,
                asset: &self.asset,
                findings: &findings,
                named: named(&self.asset, findings.iter().copied(), repair.changes),
                most: self.options.most,
                most_influences: self.settings.most_influences(),
            };
            let done = (repair.run)(&mut job);
            if done.count == 0 && repairs.len() == 1 {
                let reason = done.left.first().cloned();
                return Ok(Err(Failure(
                    reason.unwrap_or_else(|| "nothing was found to change".to_owned()),
                )));
            }
            changed.push((repair.code, done));
        }
        let unwritable = |refusal: Refusal| FixError::Unwritable {
            reason: refusal.to_string(),
        };
        let file = document.close().map_err(unwritable)?;
        let import = import::Options {
            read_from: vec![self.stage.root().to_owned()],
            images: false,
            ..self.options.import.clone()
        };
        let path = self.stage.write(&file)?;
        let mut asset = match import::load(path, &import) {
            Ok(asset) => asset,
            Err(error) => return Ok(Err(Failure(format!("the copy cannot be read: {error}")))),
        };
        let buffers: Vec<PathBuf> = asset.files.iter().map(|file| file.path.clone()).collect();
        let copy = Document::open(&file, folder_of(path), &buffers, Vec::new());
        if copy.is_none_or(|copy| copy.images() != self.document.images()) {
            return Ok(Err(Failure("an image would be another one".to_owned())));
        }
        asset.images.clone_from(&self.asset.images);
        let checked = check(&asset, self.path, &self.settings, self.options.deadline)?;
        let before = Version {
            asset: &self.asset,
            checked: &self.checked,
        };
        let after = Version {
            asset: &asset,
            checked: &checked,
        };
        let kept = changed
            .iter()
            .flat_map(|(_, changed)| changed.kept.clone())
            .collect();
        match proof::prove(&before, &after, repairs, &kept, self.options.deadline) {
            Ok(moved) => Ok(Ok(Candidate {
                file,
                checked,
                changed,
                plain: document.plain.into_iter().collect(),
                moved,
            })),
            Err(Unproven::Wrong(failure)) => Ok(Err(failure)),
            Err(Unproven::Failed(error)) => Err(error),
        }
    }
}

fn check(
    asset: &Asset,
    path: &Path,
    settings: &Settings,
    deadline: Deadline,
) -> Result<Checked, FixError> {
    let checked = lint::check(&Context::new(asset, path, settings).until(deadline));
    deadline.check()?;
    Ok(checked)
}
