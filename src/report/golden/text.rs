//! The text format.

use std::fmt::Write;

use super::{accept_line, farthest, lines, of_orphan, orphan_remedy, remarkable, sentence};
use crate::golden::{ModelReport, Report, Verdict};
use crate::shown::{path, printable};
use crate::units::amount;

/// The most lines on a clip, or on a model as a whole; the other formats list everything.
const MOST_LINES: usize = 8;

/// The most orphans that are listed one by one.
const MOST_ORPHANS: usize = 12;

/// Renders the report as text.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
pub(super) fn write(report: &Report, command: &str) -> String {
    let mut page = String::new();
    let mut add = |line: String| writeln!(page, "{line}").expect("a String takes all of it");
    for model in &report.models {
        of_model(model).into_iter().for_each(&mut add);
    }
    if !report.orphans.is_empty() {
        let fails = if report.must_be_tested {
            ", which fails in CI"
        } else {
            ""
        };
        add(format!("approved but no longer tested{fails}:"));
        for orphan in report.orphans.iter().take(MOST_ORPHANS) {
            add(format!("  {}", of_orphan(orphan)));
        }
        if let Some(more @ 1..) = report.orphans.len().checked_sub(MOST_ORPHANS) {
            add(format!("  and {more} more; --format json lists all"));
        }
        add(orphan_remedy(command));
    }
    add(summary(report));
    let open = report
        .models
        .iter()
        .filter(|model| model.failure.is_none() && model.verdict() != Verdict::Same);
    let open: Vec<&ModelReport> = open.collect();
    if !open.is_empty() {
        add("see the changes with --report DIR, and approve them with:".to_owned());
    }
    for model in open {
        add(format!("  {}", accept_line(command, &model.name, &[])));
    }
    page
}

fn of_model(model: &ModelReport) -> Vec<String> {
    let name = path(&model.path);
    if let Some(failure) = &model.failure {
        return vec![format!("{name}: FAILED: {}", printable(failure))];
    }
    let verdict = shown(model.verdict());
    let mut all = vec![format!(
        "{name}: {verdict} (tolerance: {})",
        model.tolerance
    )];
    let own: Vec<String> = model.differences.iter().map(sentence).collect();
    all.extend(limited(&own, "  "));
    for clip in remarkable(model) {
        let verdict = shown(clip.verdict());
        let name = printable(&clip.name);
        all.push(format!("  clip \"{name}\": {verdict}{}", farthest(clip)));
        all.extend(limited(&lines(clip), "    "));
    }
    all
}

fn limited(lines: &[String], indent: &str) -> Vec<String> {
    let shown = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| format!("{indent}{line}"));
    let more = lines.len().saturating_sub(MOST_LINES);
    let rest = (more > 0).then(|| format!("{indent}and {more} more; --format json lists all"));
    shown.chain(rest).collect()
}

fn shown(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::New => "NOT APPROVED",
        Verdict::Changed => "CHANGED",
    }
}

pub(super) fn summary(report: &Report) -> String {
    let summary = report.summary();
    let counts = [
        (summary.same, "same"),
        (summary.changed, "changed"),
        (summary.new, "not approved"),
        (summary.failed, "failed"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let (models, counts) = (amount(report.models.len(), "model"), counts.join(", "));
    match report.unaffected {
        0 => format!("{models}: {counts}"),
        unaffected if report.models.is_empty() => format!(
            "nothing to test: the changes affect none of {}",
            amount(unaffected, "model")
        ),
        unaffected => format!("{models}: {counts}; {unaffected} not affected by the changes"),
    }
}
