//! The rules on real models, and beside glTF-Validator.
//!
//! Real models are those of `$SKINCHECK_CORPUS`; without that variable the tests about them say so.

#![expect(
    clippy::print_stdout,
    reason = "what was looked at is for those who run the test"
)]

mod errors;
mod validator;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use skincheck::import::{self, ImportError, Options};
use skincheck::lint::{self, Checked, Context, Finding, Level, Settings};

use crate::support::without_cross_checks;

/// Without the cross-checks, which the tests of `crosscheck` run on all models.
fn settings() -> Settings {
    without_cross_checks(Settings::default())
}

fn checked(path: &Path) -> Result<Checked, ImportError> {
    let asset = import::load(path, &Options::default())?;
    Ok(lint::check(&Context::new(&asset, path, &settings())))
}

fn told(finding: &Finding) -> String {
    format!("{} {}: {}", finding.code, finding.place, finding.message)
}

/// Every file of the corpus that an importer of this build takes; `None` without a corpus.
fn corpus() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("SKINCHECK_CORPUS")?;
    let mut pending = vec![PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the corpus is readable");
            pending.extend(entries.map(|entry| entry.expect("so is its entry").path()));
        } else if import::importers_for(&path).next().is_some() {
            files.push(path);
        }
    }
    files.sort();
    Some(files)
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a file has a name");
    name.to_string_lossy().into_owned()
}

/// `(file, code)` of all findings of level error, over all models that can be read.
fn errors_of(files: &[PathBuf]) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for path in files {
        // Files of animations alone, and the few that no importer takes, are the matter of other tests.
        let Ok(checked) = checked(path) else { continue };
        for finding in checked.findings {
            if finding.level == Level::Error {
                println!("{}: {}", name_of(path), told(&finding));
                found.insert((name_of(path), finding.code.to_string()));
            }
        }
    }
    found
}

#[test]
fn errors_on_real_models_are_those_that_were_looked_at() {
    let Some(files) = corpus() else {
        println!("SKINCHECK_CORPUS names no folder of models: nothing checked");
        return;
    };
    let found = errors_of(&files);
    let here: BTreeSet<String> = files.iter().map(|path| name_of(path)).collect();
    let known = errors::KNOWN
        .iter()
        .filter(|(file, ..)| here.contains(*file));
    let known = known.map(|(file, code, _)| ((*file).to_owned(), (*code).to_owned()));
    assert_eq!(found, known.collect());
}
