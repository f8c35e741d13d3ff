//! Imports a file as an [`Asset`]: selects an importer, runs it in a thread or child process, validates the result,
//! reads images and, if requested, adds the clips of another file.
//!
//! Files come from anywhere and importers are large, so a crash, an abort, a hang or excessive memory use of an
//! importer becomes an [`ImportError`] that names the file.

mod animation;
#[cfg(feature = "assimp")]
mod assimp;
mod axes;
mod bake;
mod choice;
mod collada;
mod color;
mod contained;
mod content;
mod death;
mod defects;
mod error;
mod fbx;
mod file;
mod folder;
mod frames;
mod gltf;
mod hierarchy;
mod images;
mod importer;
mod iqm;
mod isolation;
mod last_words;
mod log;
mod loss;
mod md5;
mod notes;
mod percent;
mod printable;
mod registry;
mod resolve;
mod rounding;
mod sandbox;
mod shear;
mod source;
mod surfaces;
#[cfg(test)]
mod testing;
mod text;
mod unit;
mod values;
mod weights;
mod weld;
mod wire;
mod worker;
mod xml;

use std::path::{Path, PathBuf};

use crate::rig::{Asset, SourceFile};

pub use animation::{AnimationError, MergeReport, merge_clips};
pub use choice::importers_for;
pub use error::ImportError;
pub(crate) use images::unreadable as unreadable_images;
pub use importer::{Clips, Importer, ImporterError, Wanted};
pub use isolation::{BINARY_VARIABLE, Isolation, Limits, WORKER_COMMAND};
pub use last_words::LastWords;
pub use loss::{Loss, LossKind};
pub use registry::IMPORTERS;
pub use sandbox::WorkerError;
pub use wire::WireError;
pub use worker::worker_main;

/// How a file is to be read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the importer runs.
    pub isolation: Isolation,
    /// The limits of its process.
    pub limits: Limits,
    /// The [name](Importer::name) of the importer; `None` for the first that supports the file's extension.
    pub importer: Option<String>,
    /// A file whose clips replace the model's; see [`merge_clips`].
    pub animation: Option<PathBuf>,
    /// Which clips are wanted. With [`Options::animation`] all are read, because each one affects how the skeletons match.
    pub clips: Clips,
    /// Whether images are found and decoded. If not, [`Image::data`](crate::rig::Image::data) stays as it is in the
    /// file.
    pub images: bool,
}

impl Default for Options {
    /// The default [`Isolation`] and [`Limits`], with images and the model's own clips.
    fn default() -> Self {
        Self {
            isolation: Isolation::default(),
            limits: Limits::default(),
            importer: None,
            animation: None,
            clips: Clips::All,
            images: true,
        }
    }
}

impl Options {
    fn clips(&self) -> &Clips {
        match self.animation {
            Some(_) => &Clips::All,
            None => &self.clips,
        }
    }
}

/// Reads the model file at `path`.
///
/// The result is [valid](Asset::validate). [`Asset::notes`] lists what is doubtful but usable.
///
/// # Errors
///
/// [`ImportError`]: the file does not exist or does not match its name, its importer refuses it, crashes, or exceeds
/// [`Options::limits`], or the clips of [`Options::animation`] do not fit.
///
/// ```no_run
/// use skincheck::import::{self, Options};
///
/// let asset = import::load("character.fbx".as_ref(), &Options::default())?;
/// for note in &asset.notes {
///     println!("{}: {}", note.location, note.message);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: &Path, options: &Options) -> Result<Asset, ImportError> {
    load_with(IMPORTERS, path, options)
}

fn load_with(
    importers: &[&'static dyn Importer],
    path: &Path,
    options: &Options,
) -> Result<Asset, ImportError> {
    let mut asset = read(importers, path, options)?;
    values::note_what_is_not_finite(&mut asset);
    let folder = path.parent().unwrap_or(Path::new(""));
    let image_files = if options.images {
        images::resolve(&mut asset, folder)
    } else {
        images::files(&asset.images, folder)
    };
    asset.files.extend(image_files);
    if let Some(animation) = &options.animation {
        asset.files.push(SourceFile::at(animation.clone()));
        let mut other = read(importers, animation, options)?;
        asset.files.append(&mut other.files);
        let merged = merge_clips(&mut asset, other);
        merged.map_err(|source| ImportError::Animation {
            path: path.to_owned(),
            animation: animation.clone(),
            source: Box::new(source),
        })?;
    }
    shear::note_what_is_lost(&mut asset);
    Ok(asset)
}

/// The valid model in the file, without its images.
fn read(
    importers: &[&'static dyn Importer],
    path: &Path,
    options: &Options,
) -> Result<Asset, ImportError> {
    let chosen = choice::choose_importer(importers, path, options.importer.as_deref())?;
    let importer = chosen.name();
    let path_of = || path.to_owned();
    let lost = |source| ImportError::Worker {
        path: path_of(),
        importer,
        source,
    };
    let outcome = match &options.isolation {
        Isolation::InProcess => {
            let wanted = Wanted {
                clips: options.clips().clone(),
                ..Wanted::default()
            };
            chosen.import_some(path, &wanted)
        }
        Isolation::ForeignCode { .. } if !chosen.is_foreign() && !chosen.is_contained() => {
            let answer = contained::run(chosen, path, options.clips(), &options.limits);
            answer
                .map_err(lost)?
                .unwrap_or(Err(ImporterError::OutOfMemory))
        }
        Isolation::Process { program } | Isolation::ForeignCode { program } => {
            contain(program, chosen, path, options).map_err(lost)?
        }
    };
    let refused = |source: ImporterError| ImportError::Refused {
        path: path_of(),
        importer,
        source: source.quotable(),
    };
    let mut asset = outcome.map_err(refused)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in &mut asset.files {
        file.path = folder.join(&file.path);
    }
    let invalid = |source| ImportError::Invalid {
        path: path_of(),
        importer,
        source,
    };
    asset.validate().map_err(invalid)?;
    Ok(asset)
}

/// Runs an import in a thread or in a child process, so that it cannot harm the program.
fn contain(
    program: &Path,
    importer: &'static dyn Importer,
    path: &Path,
    options: &Options,
) -> Result<wire::Answer, WorkerError> {
    let (clips, limits) = (options.clips(), &options.limits);
    if importer.is_contained()
        && !contained::is_process_short_of_memory()
        && let Some(answer) = contained::run(importer, path, clips, limits)?
    {
        return Ok(answer);
    }
    sandbox::run(program, importer.name(), path, clips, limits)
}

#[cfg(test)]
mod tests;
