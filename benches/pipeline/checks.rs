//! Checking models by the rules, beside reading them with assimp.

use std::path::{Path, PathBuf};

use skincheck::import::{self, ImportError, Isolation, Options};
use skincheck::lint::{self, Checked, Context, Settings};
use skincheck::rig::Asset;

use crate::files::walker;
use crate::stage::Stage;

/// What native importers read.
const NATIVE: [&str; 5] = ["fbx", "glb", "gltf", "iqm", "m3d"];

/// Without the stages that the environment gives no files for.
pub(crate) fn all() -> Vec<Stage<'static>> {
    let corpus = corpus().filter(|models| !models.is_empty());
    std::iter::once(check())
        .chain(corpus.map(check_corpus))
        .collect()
}

/// The rules alone.
fn check() -> Stage<'static> {
    let model = read(&walker(), None).expect("a fixture can be read");
    let settings = settings();
    Stage::new(
        "check",
        move || checked(&walker(), &model, &settings),
        "importing it, assimp (peer)",
        || read(&walker(), Some("assimp")).expect("a fixture can be read"),
    )
}

/// Importing natively and the rules, one file after the other.
fn check_corpus(models: Vec<PathBuf>) -> Stage<'static> {
    let (again, settings) = (models.clone(), settings());
    let check = move || {
        let files = models.iter().map(|path| {
            let model = read(path, None).expect("it was read before");
            checked(path, &model, &settings).findings.len()
        });
        files.sum::<usize>()
    };
    let import = move || {
        for path in &again {
            drop(read(path, Some("assimp")).expect("it was read before"));
        }
    };
    Stage::new(
        "check of the corpus",
        check,
        "importing it, assimp (peer)",
        import,
    )
}

/// Without the cross-checks, which read and skin the model once more.
fn settings() -> Settings {
    let codes = lint::rules().map(|rule| rule.meta().code);
    let crossed = codes.filter(|code| code.0.starts_with('X'));
    Settings {
        levels: crossed.map(|code| (code, None)).collect(),
        ..Settings::default()
    }
}

fn checked(path: &Path, model: &Asset, settings: &Settings) -> Checked {
    lint::check(&Context::new(model, path, settings))
}

/// With the importer that is chosen where none is named. Without pictures, which all importers leave to the same code.
fn read(path: &Path, importer: Option<&str>) -> Result<Asset, ImportError> {
    let options = Options {
        isolation: Isolation::InProcess,
        importer: importer.map(str::to_owned),
        images: false,
        ..Options::default()
    };
    import::load(path, &options)
}

/// The models below `SKINCHECK_CORPUS` that a native importer and assimp both read.
fn corpus() -> Option<Vec<PathBuf>> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS")?;
    let mut models = files_below(Path::new(&corpus));
    models.sort();
    models.retain(|path| {
        let native = path.extension().and_then(|extension| extension.to_str());
        native.is_some_and(|extension| NATIVE.contains(&extension.to_lowercase().as_str()))
            && [None, Some("assimp")]
                .iter()
                .all(|importer| read(path, *importer).is_ok())
    });
    Some(models)
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
