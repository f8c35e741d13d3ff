//! Reads one file with two importers.

use std::path::{Path, PathBuf};

use super::report::{Difference, ImporterReport, Kind, Stage, StageReport};
use crate::import::{self, ImportError, Importer, Options};
use crate::rig::{Asset, Location};
use crate::shown;
use crate::skinning::SkinningError;

/// Two importers that cannot be compared on a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportersError {
    /// There is no second importer.
    #[error("{}: {}", shown::path(path), too_few(known))]
    TooFew {
        /// The file.
        path: PathBuf,
        /// The importers of this build that support its extension: none or one.
        known: Vec<&'static str>,
    },
    /// Neither importer can read the file.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The model is too large to be skinned.
    #[error("{}: cannot be skinned", shown::path(path))]
    Skinning {
        /// The file.
        path: PathBuf,
        /// Why.
        source: SkinningError,
    },
}

fn too_few(known: &[&str]) -> String {
    match known {
        [] => "no importer of this build supports this file".to_owned(),
        known => format!(
            "only the importer {} of this build supports this file; a comparison needs two",
            known.join(", ")
        ),
    }
}

/// The first two importers that support the file at `path`, by its name.
///
/// # Errors
///
/// [`ImportersError::TooFew`] if there are fewer than two.
pub fn choose(path: &Path) -> Result<[&'static str; 2], ImportersError> {
    let known: Vec<&str> = import::importers_for(path).map(Importer::name).collect();
    match known.as_slice() {
        [first, second, ..] => Ok([first, second]),
        _ => Err(ImportersError::TooFew {
            path: path.to_owned(),
            known,
        }),
    }
}

/// Reads the file at `path` with both `importers` and [compares](super::compare) the results.
///
/// If only one can read it, that is a difference.
///
/// * `options` – [`Options::importer`] is ignored; images are not compared and need not be loaded.
///
/// # Errors
///
/// [`ImportersError`] if neither can read it, or it does not exist.
pub fn compare_file(
    path: &Path,
    importers: [&str; 2],
    options: &Options,
) -> Result<ImporterReport, ImportersError> {
    let [first, second] = importers;
    match read(path, first, options) {
        Ok(asset) => compare_read(&asset, path, importers, options),
        Err(error) if is_about_the_importer(&error) => match read(path, second, options) {
            Ok(asset) => Ok(refused([Err(&error), Ok(&asset)], importers)),
            Err(_) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// As [`compare_file`], with the first importer's result already loaded.
///
/// * `asset` – the first importer's result for the file at `path`.
///
/// # Errors
///
/// [`ImportersError`] if the file no longer exists, or cannot be skinned.
pub fn compare_read(
    asset: &Asset,
    path: &Path,
    importers: [&str; 2],
    options: &Options,
) -> Result<ImporterReport, ImportersError> {
    match read(path, importers[1], options) {
        Ok(other) => super::compare(asset, &other).map_err(|source| ImportersError::Skinning {
            path: path.to_owned(),
            source,
        }),
        Err(error) if is_about_the_importer(&error) => {
            Ok(refused([Ok(asset), Err(&error)], importers))
        }
        Err(error) => Err(error.into()),
    }
}

fn read(path: &Path, importer: &str, options: &Options) -> Result<Asset, ImportError> {
    let options = Options {
        importer: Some(importer.to_owned()),
        ..options.clone()
    };
    import::load(path, &options)
}

/// Whether another importer may succeed with the same file.
fn is_about_the_importer(error: &ImportError) -> bool {
    matches!(
        error,
        ImportError::Refused { .. } | ImportError::Worker { .. } | ImportError::Invalid { .. }
    )
}

/// The report on a file that only one importer reads.
fn refused(results: [Result<&Asset, &ImportError>; 2], importers: [&str; 2]) -> ImporterReport {
    let says = results.map(|result| match result {
        Ok(_) => "reads it".to_owned(),
        Err(error) => cause(error),
    });
    let reading = StageReport {
        stage: Stage::Reading,
        compared: Some(1),
        farthest: 0.0,
        differences: vec![Difference {
            kind: Kind::Refused,
            count: 1,
            location: Location::FILE,
            vertex: None,
            says,
            off: None,
        }],
    };
    let others = Stage::ALL.into_iter().skip(1).map(|stage| StageReport {
        stage,
        compared: None,
        farthest: 0.0,
        differences: vec![],
    });
    ImporterReport {
        importers: [0, 1].map(|side| {
            let importer = results[side].map(|asset| asset.reader.to_string());
            importer.unwrap_or_else(|_| importers[side].to_owned())
        }),
        names: [0, 1].map(|side| {
            let name = results[side].map(|asset| asset.reader.code.name());
            name.unwrap_or(importers[side]).to_owned()
        }),
        metres_per_unit: results
            .iter()
            .find_map(|result| result.ok()?.space.metres_per_unit),
        diagonal: 0.0,
        stages: std::iter::once(reading).chain(others).collect(),
    }
}

/// The innermost reason.
fn cause(error: &ImportError) -> String {
    let error: &dyn std::error::Error = error;
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}
