//! Checks of models by the rules, against reading them with assimp.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use skincheck::import::{self, IMPORTERS, ImportError, Isolation, Options};
use skincheck::lint::{self, Checked, Context, Settings};
use skincheck::rig::Asset;

use crate::files::{program, walker};
use crate::stage::Stage;

/// Leaves out stages whose files the environment does not provide.
pub(crate) fn all() -> Vec<Stage<'static>> {
    let corpus = corpus().filter(|models| !models.is_empty());
    let stages = corpus.map(|models| check_corpus(&models));
    std::iter::once(check())
        .chain(stages.into_iter().flatten())
        .collect()
}

/// The rules alone.
fn check() -> Stage<'static> {
    let model = read(&walker(), None).expect("a fixture can be read");
    let settings = Settings::default();
    Stage::new(
        "check",
        move || checked(&walker(), &model, &settings),
        "importing it, assimp (peer)",
        || read(&walker(), Some("assimp")).expect("a fixture can be read"),
    )
}

/// `skincheck check` of all files, against reading those that assimp supports: one after the other, as assimp does, and
/// in parallel. On both sides, each file is read in a child process.
fn check_corpus(models: &[PathBuf]) -> [Stage<'static>; 3] {
    let read_by_assimp = |path: &&PathBuf| read_apart(path, Some("assimp")).is_ok();
    let read: Vec<PathBuf> = models.iter().filter(read_by_assimp).cloned().collect();
    let by_assimp = |path: &PathBuf| read_apart(path, Some("assimp")).is_ok();
    let [first, second, third, fourth] = [(); 4].map(|()| models.to_vec());
    let one_by_one = read.clone();
    [
        Stage::new(
            "check of the corpus, 1 thread",
            move || check_all(&first, 1),
            "reading it, assimp (peer)",
            move || one_by_one.iter().filter(|path| by_assimp(path)).count(),
        ),
        Stage::new(
            "check of the corpus, at once",
            move || check_all(&second, rayon::current_num_threads()),
            "reading it, assimp, at once (peer)",
            move || read.par_iter().filter(|path| by_assimp(path)).count(),
        ),
        Stage::new(
            "check of the corpus, 2 threads",
            move || check_all(&third, 2),
            "with one (bound: half)",
            move || check_all(&fourth, 1),
        ),
    ]
}

/// Runs the program itself, as CI does.
///
/// * `threads` – files in parallel, and threads of loops.
fn check_all(models: &[PathBuf], threads: usize) {
    let mut check = Command::new(program());
    check.env("RAYON_NUM_THREADS", threads.to_string());
    check.args([
        "check",
        "--no-config",
        "--no-cache",
        "--quiet",
        "--jobs",
        &threads.to_string(),
    ]);
    check.args(models);
    check.stdout(Stdio::null()).stderr(Stdio::null());
    let status = check.status().expect("the program can be started");
    assert!(
        matches!(status.code(), Some(0 | 1)),
        "the check ends with {status}"
    );
}

fn checked(path: &Path, model: &Asset, settings: &Settings) -> Checked {
    lint::check(&Context::new(model, path, settings))
}

/// Reads with the default importer, without images, which all importers leave to the same code.
fn read(path: &Path, importer: Option<&str>) -> Result<Asset, ImportError> {
    read_in(Isolation::InProcess, path, importer)
}

/// The same in a child process.
fn read_apart(path: &Path, importer: Option<&str>) -> Result<Asset, ImportError> {
    let process = Isolation::Process {
        program: program().to_owned(),
    };
    read_in(process, path, importer)
}

fn read_in(
    isolation: Isolation,
    path: &Path,
    importer: Option<&str>,
) -> Result<Asset, ImportError> {
    let options = Options {
        isolation,
        importer: importer.map(str::to_owned),
        images: false,
        ..Options::default()
    };
    import::load(path, &options)
}

/// The models below `SKINCHECK_CORPUS` that can be read.
fn corpus() -> Option<Vec<PathBuf>> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS")?;
    let mut models = files_below(Path::new(&corpus));
    models.sort();
    models.retain(|path| is_model(path) && read_apart(path, None).is_ok());
    Some(models)
}

/// Whether an importer supports files with this extension.
fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = || IMPORTERS.iter().flat_map(|importer| importer.extensions());
    extension.is_some_and(|own| known().any(|known| known.eq_ignore_ascii_case(own)))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |path: PathBuf| {
        if path.is_dir() {
            files_below(&path)
        } else {
            vec![path]
        }
    };
    entries.flat_map(|entry| below(entry.path())).collect()
}
