//! The rules on real models, and compared with glTF-Validator.
//!
//! Real models are those of `$SKINCHECK_CORPUS`; without that variable the tests about them say so.

#![expect(
    clippy::print_stdout,
    reason = "what was looked at is for those who run the test"
)]

mod causes;
mod evidence;
mod losses;
mod measured;
pub(crate) mod planted;
mod validator;
mod validator_codes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use skincheck::finding::{Finding, Level};
use skincheck::import::{self, ImportError, Options};
use skincheck::lint::{self, Checked, Context, Settings};

use crate::program;

fn checked(path: &Path) -> Result<Checked, ImportError> {
    let asset = import::load(path, &Options::default())?;
    let settings = Settings::default();
    Ok(lint::check(&Context::new(&asset, path, &settings)))
}

fn reported(finding: &Finding) -> String {
    format!("{} {}: {}", finding.code, finding.location, finding.message)
}

/// Every file of the corpus that an importer of this build reads; `None` without a corpus.
fn corpus() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("SKINCHECK_CORPUS")?;
    Some(program::models_below(Path::new(&folder)))
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a file has a name");
    name.to_string_lossy().into_owned()
}

/// The findings on all readable models, by file; computed once for all tests.
fn told_of(files: &[PathBuf]) -> &'static [(String, Finding)] {
    static TOLD: OnceLock<Vec<(String, Finding)>> = OnceLock::new();
    TOLD.get_or_init(|| {
        // Other tests cover files with animations only, and the few that no importer reads.
        let checked = files
            .iter()
            .filter_map(|path| Some((path, checked(path).ok()?)));
        let findings = checked.flat_map(|(path, checked)| {
            let findings = checked.findings.into_iter();
            findings.map(|finding| (name_of(path), finding))
        });
        findings.collect()
    })
}

/// `(file, code)` of all findings of a level, over all models that can be read.
fn found(files: &[PathBuf], level: Level) -> BTreeSet<(String, String)> {
    let told_of = told_of(files).iter();
    let of_level = told_of.filter(|(_, finding)| finding.level == level);
    of_level
        .map(|(name, finding)| {
            println!("{name}: {}", reported(finding));
            (name.clone(), finding.code.to_string())
        })
        .collect()
}

/// The findings on real models, each reviewed (computed again from the file, or seen in an image): its level, file and
/// code, and why it is true.
const REVIEWED: &str = include_str!("reviewed.tsv");

/// The reviewed findings of a level in files that this build can read: without assimp there are fewer.
fn looked_at(level: Level, files: &[PathBuf]) -> BTreeSet<(String, String)> {
    let here: BTreeSet<String> = files.iter().map(|path| name_of(path)).collect();
    let rows = REVIEWED.lines().map(|line| line.split('\t').collect());
    let of_level = rows.filter(|row: &Vec<&str>| row[0] == level.name() && here.contains(row[1]));
    of_level
        .map(|row| (row[1].to_owned(), row[2].to_owned()))
        .collect()
}

fn compare(level: Level) {
    let Some(files) = corpus() else {
        println!("SKINCHECK_CORPUS names no folder of models: nothing checked");
        return;
    };
    let (found, known) = (found(&files, level), looked_at(level, &files));
    let unknown: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(
        unknown.is_empty() && gone.is_empty(),
        "not looked at yet: {unknown:?}; no longer told: {gone:?}"
    );
}

#[test]
fn errors_on_real_models_are_the_reviewed_ones() {
    compare(Level::Error);
}

#[test]
fn warnings_on_real_models_are_the_reviewed_ones() {
    compare(Level::Warning);
}

#[test]
fn hints_on_real_models_are_the_reviewed_ones() {
    compare(Level::Hint);
}
