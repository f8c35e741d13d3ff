//! Imports a file as an [`Asset`]: selects an importer, runs it in a thread or child process, validates the result,
//! reads images and, if requested, adds the clips of another file.
//!
//! Files come from anywhere and importers are large, so a crash, an abort, a hang or excessive memory use of an
//! importer becomes an [`ImportError`] that names the file.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// The modules of other packages.
use skincheck_rig::{
    account, deadline, lists, names, paths, platform, process_group, rig, shown, units,
};

mod animation;
#[cfg(feature = "assimp")]
mod assimp;
mod axes;
mod bake;
mod choice;
mod collada;
mod error;
mod fbx;
mod files;
mod gltf;
mod hierarchy;
mod images;
mod importer;
mod iqm;
mod isolation;
mod log;
mod md5;
mod point_cache;
mod resolve;
mod source;
mod surfaces;
#[cfg(test)]
mod testing;
mod text;
#[doc(hidden)]
pub mod unit;
mod vertices;

use std::path::{Path, PathBuf};

use crate::deadline::{Deadline, Unfinished};
use crate::paths::nearest_above;
use crate::rig::{Asset, SourceFile};
use files::Reach;

pub use animation::{AnimationError, MergeReport, merge_clips};
pub use choice::{IMPORTERS, importers_for};
pub use error::ImportError;
#[doc(hidden)]
pub use gltf::triangles as gltf_triangles;
#[doc(hidden)]
pub use images::unreadable as unreadable_images;
pub use importer::{Clips, Importer, ImporterError, Wanted};
pub use isolation::{
    BINARY_VARIABLE, Budget, Isolation, LastWords, Limits, WORKER_COMMAND, WireError, WorkerError,
    host_workers, worker_main,
};
pub use point_cache::{PointCache, PointCacheError, PointFrame, is_point_cache, read_point_cache};

/// How a file is to be read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the importer runs.
    pub isolation: Isolation,
    /// The limits of the work on the model, of which reading it is the first part.
    pub limits: Limits,
    /// The [name](Importer::name) of the importer; `None` for the first that supports the file's extension.
    pub importer: Option<String>,
    /// A file whose clips replace the model's; see [`merge_clips`].
    pub animation: Option<PathBuf>,
    /// Which clips are wanted. With [`Options::animation`] all are read, because each one affects how the skeletons match.
    pub clips: Clips,
    /// The variant of the materials, by its name (`KHR_materials_variants` of glTF); the default materials if `None`.
    pub variant: Option<String>,
    /// Weights of facial expressions by name, from 0 to 1 (VRM): see [`Asset::express`].
    pub expressions: Vec<(String, f32)>,
    /// Whether images are decoded. If not, they are only located.
    pub images: bool,
    /// Folders besides the model's own whose files it may name, such as images and buffers.
    pub read_from: Vec<PathBuf>,
    /// The name of a file that marks the top of a project: the folder of the nearest one above a model is one of
    /// [`Options::read_from`].
    pub project_file: Option<&'static str>,
    /// Whether the model keeps what codecs decoded ([`Origins::decoded`](crate::rig::Origins::decoded)).
    #[doc(hidden)]
    pub decoded: bool,
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
            variant: None,
            expressions: Vec::new(),
            images: true,
            read_from: Vec::new(),
            project_file: None,
            decoded: false,
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

    /// The folders besides its own whose files the model at `path` may name.
    #[doc(hidden)]
    pub fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let marker = self.project_file.and_then(|name| nearest_above(path, name));
        let project = marker.as_deref().and_then(Path::parent);
        let all = self.read_from.iter().map(PathBuf::as_path).chain(project);
        all.map(Path::to_owned).collect()
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
/// # mod skincheck { pub use skincheck_import as import; }
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

fn express(asset: &mut Asset, path: &Path, weights: &[(String, f32)]) -> Result<(), ImportError> {
    let has = |name: &String| asset.expressions.iter().any(|own| own.name == *name);
    if let Some((name, _)) = weights.iter().find(|(name, _)| !has(name)) {
        return Err(ImportError::NoExpression {
            path: path.to_owned(),
            name: name.clone(),
            known: asset
                .expressions
                .iter()
                .map(|own| own.name.clone())
                .collect(),
        });
    }
    asset.express(weights);
    Ok(())
}

fn load_with(
    importers: &[&'static dyn Importer],
    path: &Path,
    options: &Options,
) -> Result<Asset, ImportError> {
    let budget = options.limits.budget(path);
    let (mut asset, importer) = read(importers, path, options, &budget)?;
    // A file of clips needs no materials.
    if let Some(name) = &options.variant
        && !asset.variants.contains(name)
    {
        return Err(ImportError::NoVariant {
            path: path.to_owned(),
            name: name.clone(),
            known: asset.variants,
        });
    }
    log::note_what_is_not_finite(&mut asset);
    if !asset.images.is_empty() {
        asset = add_images(asset, path, importer, options, &budget)?;
    }
    if let Some(animation) = &options.animation {
        asset.files.push(SourceFile::at(animation.clone()));
        let (mut other, _) = read(
            importers,
            animation,
            options,
            &options.limits.budget(animation),
        )?;
        asset.files.append(&mut other.files);
        let merged = merge_clips(&mut asset, other);
        merged.map_err(|source| ImportError::Animation {
            path: path.to_owned(),
            animation: animation.clone(),
            source: Box::new(source),
        })?;
    }
    if !options.expressions.is_empty() {
        express(&mut asset, path, &options.expressions)?;
    }
    log::note_what_is_lost(&mut asset);
    Ok(asset)
}

/// Locates the images of `asset`, the model at `path`, and decodes them if that is asked for.
fn add_images(
    mut asset: Asset,
    path: &Path,
    importer: &'static str,
    options: &Options,
    budget: &Budget,
) -> Result<Asset, ImportError> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let reach = Reach::of(path, &options.folders(path));
    if !options.images {
        let files = images::locate_all(&mut asset.images, &folder, &reach);
        asset.files.extend(files);
        return Ok(asset);
    }
    let Budget {
        memory_bytes: memory,
        time: limit,
    } = *budget;
    let deadline = match options.isolation {
        Isolation::InProcess => Deadline::NEVER,
        _ => Deadline::after(limit),
    };
    let work = move || {
        let files = images::resolve(&mut asset, &folder, &reach, memory, deadline);
        asset.files.extend(files);
        asset
    };
    let words = LastWords::default();
    let source = match deadline.run(work) {
        Ok(asset) => return Ok(asset),
        Err(Unfinished::TimedOut(_)) => WorkerError::TimedOut { limit, words },
        Err(Unfinished::NoThread(source)) => WorkerError::NoThread(source),
        Err(Unfinished::Panicked) => {
            return Err(ImportError::Refused {
                path: path.to_owned(),
                importer,
                source: ImporterError::Panicked {
                    message: "while images were read".to_owned(),
                },
            });
        }
    };
    Err(ImportError::Worker {
        path: path.to_owned(),
        importer,
        source,
    })
}

/// The valid model in the file, without its images, and the importer that has read it.
fn read(
    importers: &[&'static dyn Importer],
    path: &Path,
    options: &Options,
    budget: &Budget,
) -> Result<(Asset, &'static str), ImportError> {
    let chosen = choice::choose_importer(importers, path, options.importer.as_deref())?;
    let importer = chosen.name();
    let path_of = || path.to_owned();
    let wanted = Wanted {
        clips: options.clips().clone(),
        variant: options.variant.clone(),
        read_from: options.folders(path),
        decoded: options.decoded,
        ..Wanted::default()
    };
    let answer = isolation::read(chosen, path, &wanted, &options.isolation, budget);
    let outcome = answer.map_err(|source| ImportError::Worker {
        path: path_of(),
        importer,
        source,
    })?;
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
    Ok((asset, importer))
}

#[cfg(test)]
mod tests;
