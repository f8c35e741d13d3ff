//! The text format.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Compared, Comparison, Pair, apart};
use crate::diff::{Kind, Report, Take};
use crate::finding::{Finding, Level};
use crate::report::seconds;
use crate::report::words::sentence;
use crate::shown::printable;
use crate::units::amount;

/// The most findings of one kind that are listed one by one.
const MOST_OF_A_KIND: usize = 8;

/// Renders the report as text. Of the models of two folders, those without a difference are only counted.
pub(super) fn write(comparison: &Comparison) -> String {
    let mut page = String::new();
    for pair in &comparison.models {
        match pair {
            Pair::Compared(compared) if comparison.folders.is_none() => {
                return of_models(compared);
            }
            Pair::Compared(compared) if compared.report.is_same() => continue,
            Pair::Compared(compared) => page.push_str(&of_models(compared)),
            Pair::Alone { path, kind } => {
                let message = printable(&comparison.alone(*kind).message);
                let _ = writeln!(page, "{}: {}: {message}", printable(path), kind.name());
            }
            Pair::Failed { paths, reason } => {
                let _ = writeln!(page, "{}: error: {}", both(paths), printable(reason));
            }
        }
        page.push('\n');
    }
    if let Some(folders) = &comparison.folders {
        let _ = writeln!(page, "{}: {}", both(folders), counts(comparison));
    }
    page
}

/// `12 models: 10 the same, 1 different, 1 missing after`.
pub(super) fn counts(comparison: &Comparison) -> String {
    let counts = comparison.counts();
    let parts = [
        (counts.same, "the same"),
        (counts.different, "different"),
        (counts.missing, "missing after"),
        (counts.added, "missing before"),
        (counts.failed, "not comparable"),
        (counts.left, "not compared because interrupted"),
    ];
    let all = parts.iter().map(|(count, _)| count).sum();
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("{}: {}", amount(all, "model"), parts.join(", "))
}

fn both(paths: &[String; 2]) -> String {
    let [before, after] = paths.each_ref().map(|path| printable(path));
    format!("{before} and {after}")
}

fn of_models(compared: &Compared) -> String {
    let report = &compared.report;
    let mut page = String::new();
    let mut add = |line: String| writeln!(page, "{line}").expect("a String takes all of it");
    let verdict = if report.is_same() {
        "same"
    } else {
        "DIFFERENT"
    };
    let [before, after] = compared.paths.each_ref().map(|path| printable(path));
    add(format!(
        "{before} and {after}: {verdict}{} (tolerance: {})",
        apart(report),
        report.tolerance
    ));
    add(format!("  {}", matched(report)));
    for take in &report.takes {
        add(format!("  {}", measured(report, take)));
    }
    for (title, level) in [("differences", Level::Error), ("remarks", Level::Info)] {
        let own = report.findings.iter();
        let own = own.filter(|finding| finding.level == level);
        // By kind, in the order of the stages.
        let mut left: BTreeMap<Option<Kind>, (usize, String)> = BTreeMap::new();
        for (index, finding) in own.enumerate() {
            if index == 0 {
                add(format!("  {title}:"));
            }
            let heading = heading(finding);
            let (seen, _) = left
                .entry(Kind::of(finding))
                .or_insert_with(|| (0, heading.clone()));
            *seen += 1;
            if *seen <= MOST_OF_A_KIND {
                add(format!("    {heading}: {}", sentence(finding)));
            }
        }
        for (seen, heading) in left.into_values() {
            if let Some(more @ 1..) = seen.checked_sub(MOST_OF_A_KIND) {
                add(format!(
                    "    {more} more of {heading}; --format json lists all"
                ));
            }
        }
    }
    page
}

/// `keys (constant-offset)`.
pub(in crate::report) fn heading(finding: &Finding) -> String {
    let stage = Kind::of(finding).map_or("", |kind| kind.stage().name());
    format!("{stage} ({})", finding.code)
}

pub(super) fn matched(report: &Report) -> String {
    let matched = &report.matched;
    let vertices = |side: usize| {
        format!(
            "{} of {}",
            matched.vertices[side], matched.all_vertices[side]
        )
    };
    let size = match report.metres_per_unit {
        Some(unit) => format!("{:.4} m", report.diagonal * unit),
        None => format!("{:.4} units", report.diagonal),
    };
    format!(
        "matched {}, {} vertices before and {} after, {}; diagonal {size}",
        amount(matched.joints, "node"),
        vertices(0),
        vertices(1),
        amount(matched.clips, "clip")
    )
}

pub(super) fn measured(report: &Report, take: &Take) -> String {
    let name = match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => format!("clip \"{}\"", printable(before)),
        Some([before, after]) => {
            format!("clip \"{}\" as \"{}\"", printable(before), printable(after))
        }
    };
    let verdict = match take {
        Take {
            timing_only: true, ..
        } => "DIFFERENT (timing only; compared on its own time line)",
        Take {
            ignored_only: true, ..
        } => "same (apart from what is ignored)",
        Take { differs: true, .. } => "DIFFERENT",
        _ => "same",
    };
    let surface = &take.surface;
    let mut text = format!("{name}: {verdict}");
    if report.matched.vertices.contains(&0) {
        text.push_str("; no vertices to compare");
    } else {
        let share = 100.0 * surface.max / report.diagonal;
        let _ = write!(
            text,
            "; surface {} ({share:.3} % of the diagonal, {:.2} px), p99 {}, RMS {}",
            length(report, surface.max),
            surface.pixels,
            length(report, surface.p99),
            length(report, surface.rms)
        );
    }
    let worst = surface.worst.as_ref().filter(|_| surface.max > 0.0);
    let is_off = take.differs && !take.timing_only;
    if let (true, Some(worst)) = (is_off, worst) {
        let joint = worst.joint.as_ref().map_or_else(String::new, |joint| {
            format!(" (moved by `{}`)", printable(joint))
        });
        let _ = write!(
            text,
            "; worst at {}: vertex {}{} of mesh \"{}\"{joint}",
            seconds(worst.time),
            worst.vertex,
            worst.index_after(),
            printable(&worst.mesh)
        );
    }
    if let (true, Some(worst)) = (is_off, &take.joint) {
        let _ = write!(
            text,
            "; worst joint at {}: `{}`, {}",
            seconds(worst.time),
            printable(&worst.joint),
            length(report, worst.displacement)
        );
    }
    if take.clips.is_some() {
        let _ = write!(text, "; {} of {} times", take.samples, take.all_samples);
    }
    text
}

/// In millimetres, or in metres from 1 m on, if the unit is known.
pub(super) fn length(report: &Report, length: f64) -> String {
    match report.metres_per_unit {
        Some(unit) if unit * length >= 1.0 => format!("{:.3} m", unit * length),
        Some(unit) => format!("{:.4} mm", 1000.0 * unit * length),
        None => format!("{length:.6} units"),
    }
}
