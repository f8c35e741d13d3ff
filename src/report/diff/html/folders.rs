//! The page on two folders: a table of all models, and the findings and distances of those that differ.

use super::super::text::counts;
use super::super::{Compared, Comparison, Pair};
use super::{STYLE, findings, takes, titles, verdict};
use crate::report::escape::xml;
use crate::report::shell::Shell;
use crate::report::words::sentence;
use crate::shown::printable;

/// Renders the page.
pub(super) fn write(folders: &Comparison) -> String {
    let paths = folders.folders.clone().unwrap_or_default();
    let [before, after] = paths.map(|path| xml(&printable(&path)));
    let counts = xml(&counts(folders));
    let rows = folders.models.iter().enumerate();
    let rows: String = rows
        .map(|(number, pair)| row(folders, number, pair))
        .collect();
    let sections = folders.models.iter().enumerate();
    let sections: String = sections
        .map(|(number, pair)| section(number, pair))
        .collect();
    let main = format!(
        "<section>\n<h2>Models</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Model</th><th>Verdict</th>\
         <th class=\"number\">% of the diagonal</th><th>Findings</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n</section>\n{sections}"
    );
    let shell = Shell {
        title: &format!("{before} and {after}: {counts}"),
        style: STYLE,
        header: &format!("<h1>{before} and {after}</h1>\n<p>{counts}</p>\n"),
        main: &main,
        data: None,
        script: None,
    };
    shell.page()
}

/// A model of the table: its verdict, its largest distance and what to read first.
fn row(folders: &Comparison, number: usize, pair: &Pair) -> String {
    let (paths, (class, verdict), largest, finding) = match pair {
        Pair::Compared(compared) => {
            let report = &compared.report;
            let largest = report.takes.iter().map(|take| take.surface.max);
            let largest = largest.fold(0.0, f64::max) / report.diagonal;
            let first = report.differences().next();
            (
                &compared.paths[..],
                verdict(compared),
                format!("{:.3}", 100.0 * largest),
                first.map_or_else(String::new, sentence),
            )
        }
        Pair::Alone { path, kind } => {
            let path = std::slice::from_ref(path);
            let verdict = ("different", kind.name());
            (path, verdict, String::new(), folders.alone(*kind).message)
        }
        Pair::Failed { paths, reason } => {
            let verdict = ("different", "not comparable");
            (&paths[..], verdict, String::new(), reason.clone())
        }
    };
    let paths = paths.iter().map(|path| xml(&printable(path)));
    let mut name = paths.collect::<Vec<_>>().join("<br>");
    if differs(pair).is_some() {
        name = format!("<a href=\"#model-{number}\">{name}</a>");
    }
    format!(
        "<tr><td>{name}</td><td class=\"{class}\">{verdict}</td><td class=\"number\">{largest}</td><td>{}</td></tr>\n",
        super::sentence(&finding)
    )
}

/// The findings and distances of a pair that differs.
fn section(number: usize, pair: &Pair) -> String {
    let Some(compared) = differs(pair) else {
        return String::new();
    };
    let paths = compared.paths.each_ref().map(|path| xml(&printable(path)));
    let [before, after] = titles(&paths);
    let report = &compared.report;
    format!(
        "<article id=\"model-{number}\">\n<h2>{before} and {after}</h2>\n{}{}</article>\n",
        findings(report),
        takes(report)
    )
}

fn differs(pair: &Pair) -> Option<&Compared> {
    match pair {
        Pair::Compared(compared) if !compared.report.is_same() => Some(compared),
        _ => None,
    }
}
