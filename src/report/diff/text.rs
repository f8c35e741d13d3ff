//! The text format.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Compared;
use crate::diff::{Finding, Kind, Report, Take};
use crate::report::seconds;
use crate::shown::printable;
use crate::units::amount;

/// The most findings of one kind that are listed one by one.
const MOST_OF_A_KIND: usize = 8;

/// Renders the report as text.
#[must_use]
pub fn write(compared: &Compared) -> String {
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
        "{before} and {after}: {verdict} (tolerance: {})",
        report.tolerance
    ));
    add(format!("  {}", matched(report)));
    for take in &report.takes {
        add(format!("  {}", measured(report, take)));
    }
    for (title, is_difference) in [("differences", true), ("remarks", false)] {
        let mut left: BTreeMap<Kind, usize> = BTreeMap::new();
        let own = report.findings.iter();
        let own = own.filter(|finding| finding.is_difference == is_difference);
        for (index, finding) in own.enumerate() {
            if index == 0 {
                add(format!("  {title}:"));
            }
            let seen = left.entry(finding.kind).or_default();
            *seen += 1;
            if *seen <= MOST_OF_A_KIND {
                add(format!("    {}", line(finding)));
            }
        }
        for (kind, seen) in left.into_iter().filter(|(_, seen)| *seen > MOST_OF_A_KIND) {
            add(format!(
                "    {} more of {} ({}); --format json lists all",
                seen - MOST_OF_A_KIND,
                kind.stage().name(),
                kind.name()
            ));
        }
    }
    page
}

/// `keys (constant-offset), clip "Walk": throughout …`.
fn line(finding: &Finding) -> String {
    let message = printable(&finding.message);
    let clip = match &finding.clip {
        Some(clip) => format!("clip \"{}\"", printable(clip)),
        None => String::new(),
    };
    let clip = if clip.is_empty() || message.contains(&clip) {
        String::new()
    } else {
        format!(", {clip}")
    };
    let (stage, kind) = (finding.kind.stage().name(), finding.kind.name());
    format!("{stage} ({kind}){clip}: {message}")
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

fn measured(report: &Report, take: &Take) -> String {
    let name = match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => format!("clip \"{}\"", printable(before)),
        Some([before, after]) => {
            format!("clip \"{}\" as \"{}\"", printable(before), printable(after))
        }
    };
    let verdict = match (take.differs, take.timing_only) {
        (_, true) => "DIFFERENT (timing only; compared on its own time line)",
        (true, false) => "DIFFERENT",
        (false, false) => "same",
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
            "; worst at {}: vertex {} of mesh \"{}\"{joint}",
            seconds(worst.time),
            worst.vertex,
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
