//! The outputs of reports.

use super::ReportArgs;
use crate::check::Report;
use crate::cli::output::{self, Target};
use crate::cli::report::Console;
use crate::cli::report_target::print_report;
use crate::report::check::Moving;
use crate::report::{Format, View, check};
use crate::shown::{self, printable};

/// Formats that show only findings.
const WITHOUT_GONE: [Format; 4] = [Format::JUnit, Format::GitHub, Format::GitLab, Format::Html];

impl ReportArgs {
    /// Whether a page with images is written.
    pub(in crate::cli) fn has_page(&self) -> bool {
        let mut formats = self.reports.iter().map(|report| report.format);
        self.format == Format::Html || formats.any(|format| format == Format::Html)
    }

    /// Writes the files, each also if another cannot be written, and then the report on standard output.
    ///
    /// * `pruned` – whether resolved findings were removed from the baseline.
    pub(in crate::cli) fn write(
        &self,
        report: &Report,
        moving: &Moving,
        pruned: bool,
    ) -> anyhow::Result<()> {
        let view = View {
            color: false,
            verbose: self.verbose,
            measures: self.measures,
            pruned,
        };
        let files: Vec<anyhow::Result<()>> = self
            .reports
            .iter()
            .map(|target| {
                let text = check::write_moving(report, moving, target.format, view);
                Target::from(target.path.as_path()).write(text.as_bytes())
            })
            .collect();
        let color = output::view().color;
        let text = check::write_moving(report, moving, self.format, View { color, ..view });
        print_report(self.format, &text)?;
        files.into_iter().collect()
    }

    /// Whether nothing makes the check fail. Prints what the report on standard output does not contain.
    ///
    /// * `pruned` – whether resolved findings were removed from the baseline.
    pub(in crate::cli) fn conclude(
        &self,
        report: &Report,
        pruned: bool,
        console: Console,
    ) -> anyhow::Result<bool> {
        self.report_gone(report, pruned, console);
        let summary = report.summary();
        let unreadable = (summary.unreadable > 0).then(|| {
            let (unreadable, files) = (summary.unreadable, summary.files);
            format!("{unreadable} of {files} models could not be checked")
        });
        let empty = report.files.iter().filter(|file| file.has_no_models);
        let empty = empty.map(|file| {
            let reason = file.failure.as_deref().unwrap_or_default();
            format!("{}: {}", shown::path(&file.path), printable(reason))
        });
        let failures: Vec<String> = empty.chain(unreadable).collect();
        anyhow::ensure!(failures.is_empty(), "{}", failures.join("; "));
        Ok(report.passes())
    }

    /// Prints resolved findings, unless the report on standard output lists them.
    ///
    /// * `pruned` – whether they were removed from the baseline.
    fn report_gone(&self, report: &Report, pruned: bool, console: Console) {
        let gone = report.accepted.iter().flat_map(|accepted| &accepted.gone);
        let lines: Vec<String> = gone
            .map(|gone| format!("resolved {}: {}: {}", gone.file, gone.rule, gone.subject))
            .collect();
        if lines.is_empty() || !WITHOUT_GONE.contains(&self.format) {
            return;
        }
        let prune = if pruned {
            "they were removed from the baseline"
        } else {
            "--prune removes them from the baseline"
        };
        for line in lines {
            console.note(line);
        }
        console.note(format_args!(
            "these accepted findings are resolved; {prune}"
        ));
    }
}
