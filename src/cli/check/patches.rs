//! Replacements of bytes that remove findings, for SARIF.

use std::fs;
use std::time::Duration;

use rayon::prelude::*;

use super::ReportArgs;
use crate::check::{FileReport, Report};
use crate::deadline::Deadline;
use crate::finding::Code;
use crate::fix::{self, Options, Patch};
use crate::import;
use crate::report::Format;

/// A repair that takes longer is not offered.
const LIMIT: Duration = Duration::from_secs(10);

impl ReportArgs {
    /// Adds the replacements for all models, if a report shows them.
    pub(in crate::cli) fn add_patches(&self, report: &mut Report, import: &import::Options) {
        let mut formats = self.reports.iter().map(|report| report.format);
        if self.format != Format::Sarif && formats.all(|format| format != Format::Sarif) {
            return;
        }
        report.files.par_iter_mut().for_each(|file| {
            let codes = file.fixable().into_iter();
            let patches = codes.filter_map(|code| Some((code, patches(file, code, import)?)));
            file.patches = patches.collect();
        });
    }
}

/// What removes all that a rule found, if a few bytes do.
fn patches(file: &FileReport, code: Code, import: &import::Options) -> Option<Vec<Patch>> {
    let options = Options {
        only: [code].into(),
        import: import.clone(),
        deadline: Deadline::after(LIMIT),
        ..Options::default()
    };
    let fixed = fix::fix(&file.path, &options).ok()?;
    let is_whole = fixed
        .proof
        .repaired
        .iter()
        .all(|repaired| repaired.after == 0);
    fixed
        .patches(&fs::read(&file.path).ok()?)
        .filter(|_| is_whole)
}
