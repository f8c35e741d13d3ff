//! For people.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use anstyle::{AnsiColor, Style};

use super::format::{Format, View};
use super::words::{UNREADABLE, amount, path, rule_name, rule_title, sentence};
use crate::lint::{Accepted, FileReport, Finding, Level, Report};
use crate::rig::Place;

/// For people.
#[derive(Debug)]
pub(super) struct Text;

const FILE: Style = Style::new().underline();
const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// How many rules the closing hint names.
const MOST_HINTS: usize = 6;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "for people"
    }

    fn write(&self, report: &Report, view: View) -> String {
        let mut page = Page {
            text: String::new(),
            color: view.color,
        };
        for file in &report.files {
            page.file(file, view);
        }
        if !view.verbose {
            page.unchecked(report);
        }
        if let Some(accepted) = &report.accepted {
            page.accepted(accepted, view);
        }
        page.hint(report);
        page.summary(report);
        page.text
    }
}

struct Page {
    text: String,
    color: bool,
}

impl Page {
    fn styled(&self, style: Style, text: impl Display) -> String {
        if self.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_string()
        }
    }

    fn line(&mut self, line: impl Display) {
        writeln!(self.text, "{line}").expect("a string takes all that fits into memory");
    }

    /// Files that nothing is said about are left out.
    fn file(&mut self, file: &FileReport, view: View) {
        let remarks = if view.verbose {
            remarks(file)
        } else {
            Vec::new()
        };
        if file.findings.is_empty() && file.failure.is_none() && remarks.is_empty() {
            return;
        }
        self.line(self.styled(FILE, path(&file.path)));
        if let Some(failure) = &file.failure {
            let failure = super::escape::printable(failure);
            self.line(format_args!(
                "  {}: {failure}",
                self.label(Level::Error, UNREADABLE)
            ));
        }
        for finding in &file.findings {
            self.finding(finding);
        }
        for remark in remarks {
            self.line(self.styled(FAINT, format_args!("  {remark}")));
        }
        self.line("");
    }

    /// `error[W103]`.
    fn label(&self, level: Level, code: impl Display) -> String {
        let label = format!("{}[{code}]", level.name());
        self.styled(style_of(level), label)
    }

    fn finding(&mut self, finding: &Finding) {
        let label = self.label(finding.level, finding.code);
        let name = self.styled(BOLD, rule_name(finding.code));
        self.line(format_args!("  {label} {name}: {}", sentence(finding)));
    }

    /// Once a rule and reason, with the number of files.
    fn unchecked(&mut self, report: &Report) {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for unchecked in report.files.iter().flat_map(|file| &file.unchecked) {
            let reason = unchecked.reason.as_str();
            *counts.entry((unchecked.code, reason)).or_default() += 1;
        }
        for ((code, reason), count) in &counts {
            let (rule, files) = (rule_title(*code), amount(*count, "file"));
            self.line(self.styled(FAINT, format_args!("{rule}: {reason} ({files})")));
        }
        if !counts.is_empty() {
            self.line("");
        }
    }

    fn accepted(&mut self, accepted: &Accepted, view: View) {
        for gone in &accepted.gone {
            let label = self.styled(BOLD, "gone");
            self.line(format_args!(
                "{label} {}: {}: {}",
                super::escape::printable(&gone.file),
                gone.rule,
                gone.place
            ));
        }
        if !accepted.gone.is_empty() {
            let prune = if view.pruned {
                "they were taken out of the baseline"
            } else {
                "--prune takes them out of the baseline"
            };
            self.line(format_args!("accepted findings that are gone; {prune}\n"));
        }
    }

    fn hint(&mut self, report: &Report) {
        let mut codes: Vec<_> = report
            .files
            .iter()
            .flat_map(|file| &file.findings)
            .collect();
        codes.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let mut named: Vec<&str> = Vec::new();
        for finding in codes {
            if !named.contains(&finding.code.0) && named.len() < MOST_HINTS {
                named.push(finding.code.0);
            }
        }
        if !named.is_empty() {
            let what = match named.len() {
                1 => "it means and how to fix it",
                _ => "they mean and how to fix them",
            };
            let command = self.styled(BOLD, format_args!("skincheck explain {}", named.join(" ")));
            self.line(format_args!("{command} tells what {what}"));
        }
    }

    fn summary(&mut self, report: &Report) {
        let summary = report.summary();
        let mut parts = Vec::new();
        for (count, what, level) in [
            (summary.errors, "error", Level::Error),
            (summary.warnings, "warning", Level::Warning),
            (summary.infos, "info", Level::Info),
        ] {
            if count > 0 {
                parts.push(self.styled(style_of(level), amount(count, what)));
            }
        }
        if summary.unreadable > 0 {
            let files = amount(summary.unreadable, "unreadable file");
            parts.push(self.styled(style_of(Level::Error), files));
        }
        if parts.is_empty() {
            parts.push(self.styled(AnsiColor::Green.on_default().bold(), "nothing found"));
        }
        if let Some(accepted) = &report.accepted {
            let (kept, gone) = (accepted.still_there, accepted.gone.len());
            parts.push(format!("{kept} accepted before"));
            if gone > 0 {
                parts.push(format!("{gone} gone"));
            }
        }
        let files = amount(summary.files, "file");
        let left_out = if report.left_out {
            " (--cross adds cross-checks)"
        } else {
            ""
        };
        self.line(format_args!(
            "{files} checked: {}{left_out}",
            parts.join(", ")
        ));
    }
}

/// What else there is to say about a file, besides what is wrong with it.
fn remarks(file: &FileReport) -> Vec<String> {
    let conversions = file.profile.into_iter().flat_map(|profile| {
        let conversions = file.conversions.iter();
        conversions.map(|conversion| conversion.told(profile))
    });
    let unchecked = file.unchecked.iter().map(|unchecked| {
        let rule = rule_title(unchecked.code);
        format!("{rule}: {}", unchecked.reason)
    });
    let thinned = file.thinned.iter().map(|thinned| {
        let clip = Place::clip(thinned.clip.as_str());
        let (watched, moments) = (thinned.watched, thinned.moments);
        format!("{clip}: watched at {watched} of its {moments} moments")
    });
    conversions.chain(unchecked).chain(thinned).collect()
}

fn style_of(level: Level) -> Style {
    let color = match level {
        Level::Error => AnsiColor::Red,
        Level::Warning => AnsiColor::Yellow,
        Level::Info => AnsiColor::Cyan,
    };
    color.on_default().bold()
}
