//! Replacements of bytes that remove findings, for SARIF.

use super::ReportArgs;
use crate::account::AccountId;
use crate::check::{FileReport, Report};
use crate::deadline::Deadline;
use crate::finding::Code;
use crate::fix::{self, Options, Patch};
use crate::import;
use crate::report::Format;
use crate::work::{self, Stage, Work};

impl ReportArgs {
    /// Adds the replacements for all models, if a report shows them.
    ///
    /// * `import` – how the models were read.
    /// * `jobs` – the most models at once.
    pub(super) fn add_patches(&self, report: &mut Report, import: &import::Options, jobs: usize) {
        let mut formats = self.reports.iter().map(|report| report.format);
        if self.format != Format::Sarif && formats.all(|format| format != Format::Sarif) {
            return;
        }
        let all = work::each(&report.files, jobs, |file| of_file(file, import));
        for (file, patches) in report.files.iter_mut().zip(all) {
            file.patches = patches;
        }
    }
}

/// The replacements for a model. Where its budget ends, there are none.
fn of_file(file: &FileReport, import: &import::Options) -> Vec<(Code, Vec<Patch>)> {
    let codes = file.fixable();
    if codes.is_empty() {
        return Vec::new();
    }
    let budget = import.limits.budget(&file.path);
    let Ok(work) = Work::on(&file.path, Stage::Images, budget) else {
        return Vec::new();
    };
    work.part("repairing");
    let deadline = work.deadline();
    let own = |code| Some((code, patches(file, code, import, deadline)?));
    AccountId::own().run(|| codes.into_iter().filter_map(own).collect())
}

/// What removes all that a rule found, if a few bytes do.
fn patches(
    file: &FileReport,
    code: Code,
    import: &import::Options,
    deadline: Deadline,
) -> Option<Vec<Patch>> {
    let options = Options {
        only: [code].into(),
        settings: file.settings.settings.clone(),
        import: import.clone(),
        deadline,
        ..Options::default()
    };
    let fixed = fix::fix(&file.path, &options).ok()?;
    let own = file.findings.iter().filter(|own| own.code == code);
    let found: usize = own.map(|own| own.count).sum();
    // A baseline, or a minimum level, may have left out some of them.
    let mut repaired = fixed.proof.repaired.iter();
    let is_whole = repaired.all(|own| own.before == found && own.after == 0);
    fixed.patches().filter(|_| is_whole)
}
