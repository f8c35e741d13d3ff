//! The page of a check: findings by model, with images and filters.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter;

use super::super::escape::{base64, xml};
use super::super::shell::{Script, Shell};
use super::super::viewer;
use super::super::words::{LEVELS, amounts, fix, name, sentence, title};
use super::Moving;
use crate::check::{CloseUpImage, FileReport, Report};
use crate::closeup::command;
use crate::finding::Code;
use crate::report::results::groups;
use crate::report::words::lines;
use crate::shown::{path, printable};
use crate::units::amount;
use crate::viewer::Packed;

const STYLE: &str = include_str!("html/page.css");
pub(in crate::report) const SCRIPT: Script = Script {
    text: viewer::script!("check/html/page.js"),
    sha256: "8+LFakHWOPUS32a5vlIk8xtJsuXhAlo5xg4q4ECfDBQ=",
};

/// The most findings on a page: a browser lays out so many in a second.
const MOST_FINDINGS: usize = 3000;

/// The most bytes of images on a page.
const MOST_BYTES: usize = 48 << 20;

/// Renders the page.
pub(super) fn write(report: &Report, moving: &Moving) -> String {
    let mut page = Page::default();
    let mut main = controls(report);
    for (index, file) in report.files.iter().enumerate() {
        page.file(
            file,
            moving.models.get(&index).map(|packed| (index, packed)),
        );
    }
    main += &page.models;
    main += "<p id=\"none\" hidden>No finding matches the filter.</p>\n";
    main += &page.left_out();
    main += &not_moving(moving);
    main += &clean(report);
    if !moving.models.is_empty() {
        main += &viewer::template();
    }
    for (index, packed) in &moving.models {
        main += &viewer::data(*index, packed);
    }
    Shell {
        title: &format!("skincheck: {}", verdict(report).1),
        style: STYLE,
        header: &header(report),
        main: &main,
        data: None,
        script: Some(SCRIPT),
    }
    .page()
}

/// A CSS class and a text.
fn verdict(report: &Report) -> (&'static str, &'static str) {
    if report.passes() {
        ("same", "passed")
    } else {
        ("different", "failed")
    }
}

fn header(report: &Report) -> String {
    let summary = report.summary();
    let (class, verdict) = verdict(report);
    let counts = [
        (summary.errors, "error"),
        (summary.warnings, "warning"),
        (summary.infos, "info"),
        (summary.unreadable, "unreadable file"),
    ];
    let counts = match amounts(counts).join(", ") {
        none if none.is_empty() => "nothing found".to_owned(),
        some => some,
    };
    let unfinished = report.unfinished().map(|text| format!("; {text}"));
    format!(
        "<h1>skincheck check</h1>\n<p><span class=\"verdict {class}\">{verdict}</span>: {counts} in {}{}</p>\n",
        amount(summary.files, "file"),
        unfinished.unwrap_or_default()
    )
}

/// The filter.
fn controls(report: &Report) -> String {
    let findings = || report.files.iter().flat_map(|file| &file.findings);
    let mut rules: BTreeMap<Code, usize> = BTreeMap::new();
    for finding in findings() {
        *rules.entry(finding.code).or_default() += 1;
    }
    if rules.is_empty() {
        return String::new();
    }
    let options = rules.iter().map(|(code, count)| {
        let title = xml(&title(*code));
        format!("<option value=\"{code}\">{title} ({count})</option>")
    });
    let levels = LEVELS.iter().filter_map(|level| {
        let count = findings().filter(|finding| finding.level == *level).count();
        let name = level.name();
        (count > 0).then(|| {
            format!(
                "<label><input type=\"checkbox\" name=\"level\" value=\"{name}\" checked> {name} ({count})</label>\n"
            )
        })
    });
    format!(
        "<form class=\"controls\" id=\"filter\" aria-label=\"Filter\">\n\
         <label>Text <input type=\"search\" id=\"text\" placeholder=\"model, mesh, joint, clip\" autocomplete=\"off\"></label>\n\
         <label>Rule <select id=\"rule\"><option value=\"\">all rules</option>{}</select></label>\n{}\
         <output id=\"shown\"></output>\n\
         <span class=\"faint keys\"><kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>/</kbd> text, <kbd>Esc</kbd> reset</span>\n</form>\n",
        options.collect::<String>(),
        levels.collect::<String>(),
    )
}

#[derive(Default)]
struct Page {
    models: String,
    findings: usize,
    bytes: usize,
    findings_left_out: usize,
    images_left_out: usize,
    /// Findings with a location but without an image.
    undrawn: usize,
}

impl Page {
    /// * `moving` – its index and data, if it can be seen in motion.
    fn file(&mut self, file: &FileReport, moving: Option<(usize, &Packed)>) {
        if file.findings.is_empty() && file.failure.is_none() {
            return;
        }
        let name = xml(&path(&file.path));
        let _ = write!(
            self.models,
            "<section class=\"model\">\n<h2>{name}{}</h2>\n",
            counts(file)
        );
        if let Some(failure) = &file.failure {
            let failure = xml(&printable(failure));
            let _ = writeln!(self.models, "<p class=\"failure\">{failure}</p>");
        }
        if let Some((model, _)) = moving {
            self.models += &see(model, None);
        }
        let in_order = groups(&file.findings).into_iter().flat_map(|group| {
            let consequences = group.consequences.into_iter();
            iter::once((group.cause, "")).chain(consequences.map(|index| (index, " consequence")))
        });
        for (index, class) in in_order {
            if self.findings == MOST_FINDINGS {
                self.findings_left_out += 1;
                continue;
            }
            self.findings += 1;
            self.finding(file, index, class, moving);
        }
        self.models += "</section>\n";
    }

    /// * `class` – more CSS classes.
    fn finding(
        &mut self,
        file: &FileReport,
        index: usize,
        class: &str,
        moving: Option<(usize, &Packed)>,
    ) {
        let finding = &file.findings[index];
        let (code, level) = (finding.code, finding.level.name());
        let _ = write!(
            self.models,
            "<article class=\"finding {level}{class}\" tabindex=\"-1\" data-rule=\"{code}\" data-level=\"{level}\">\n\
             <h3><span class=\"level\">{level}</span> <code>{code}</code> {}</h3>\n<p>{}</p>\n\
             <p class=\"faint\">Fix: {}.</p>\n",
            xml(name(code)),
            xml(&printable(&sentence(finding))),
            xml(&fix(code).unwrap_or_default()),
        );
        let concerned: Vec<String> = lines(&finding.affected)
            .iter()
            .map(|line| xml(line))
            .collect();
        if !concerned.is_empty() {
            let _ = writeln!(
                self.models,
                "<details><summary>Everything it concerns</summary><p class=\"concerned\">{}</p></details>",
                concerned.join("<br>")
            );
        }
        let image = file.image(index);
        match image {
            Some(CloseUpImage { png, plot, .. }) if self.bytes + png.len() <= MOST_BYTES => {
                self.bytes += png.len();
                let _ = writeln!(
                    self.models,
                    "<img loading=\"lazy\" alt=\"the whole model, its bind pose and the finding\" \
                    src=\"data:image/png;base64,{}\">",
                    base64(png)
                );
                if let Some(plot) = plot {
                    self.bytes += plot.svg.len();
                    let _ = writeln!(
                        self.models,
                        "<img loading=\"lazy\" class=\"plot\" alt=\"the numbers behind it over time\" \
                        src=\"data:image/svg+xml;base64,{}\">",
                        base64(plot.svg.as_bytes())
                    );
                }
            }
            Some(_) => self.images_left_out += 1,
            None => {}
        }
        let seen =
            moving.filter(|(_, packed)| packed.json["sights"][index.to_string()].is_object());
        if let Some((model, _)) = seen {
            self.models += &see(model, Some(index));
        }
        if let Some(command) = command(&file.path, &finding.location) {
            self.undrawn += usize::from(image.is_none());
            let command = xml(&command);
            let _ = writeln!(
                self.models,
                "<details><summary>Draw it</summary><pre><code>{command}</code></pre></details>"
            );
        }
        self.models += "</article>\n";
    }

    /// The number of findings that the page omits.
    fn left_out(&self) -> String {
        let images = self.images_left_out + if self.bytes > 0 { self.undrawn } else { 0 };
        let counts = [(self.findings_left_out, "finding"), (images, "image")];
        let left_out = amounts(counts).into_iter().map(|amount| {
            format!(
                "<p class=\"faint\">Not on this page: {amount}. --format json has all findings, --artifacts more \
                 images.</p>\n"
            )
        });
        left_out.collect()
    }
}

/// The button that opens the viewer, which scripts show.
fn see(model: usize, finding: Option<usize>) -> String {
    let finding = finding.map_or_else(String::new, |index| format!(" data-finding=\"{index}\""));
    format!(
        "<p class=\"see\"><button type=\"button\" data-model=\"{model}\"{finding} aria-expanded=\"false\" hidden>See it \
         move</button></p>\n"
    )
}

/// What the page has no room for.
fn not_moving(moving: &Moving) -> String {
    if moving.left_out == 0 {
        return String::new();
    }
    format!(
        "<p class=\"faint\">Not in motion on this page: {}. --page-size makes room for more, and skincheck view shows one \
         model.</p>\n",
        amount(moving.left_out, "model")
    )
}

fn counts(file: &FileReport) -> String {
    let counts = amounts(LEVELS.map(|level| (file.count(level), level.name())));
    match counts.join(", ") {
        none if none.is_empty() => none,
        some => format!(" <small>{some}</small>"),
    }
}

/// The files without findings.
fn clean(report: &Report) -> String {
    let is_clean = |file: &&FileReport| file.findings.is_empty() && file.failure.is_none();
    let clean: Vec<&FileReport> = report.files.iter().filter(is_clean).collect();
    if clean.is_empty() {
        return String::new();
    }
    let names = clean.iter().take(MOST_FINDINGS).map(|file| {
        let name = xml(&path(&file.path));
        format!("<li>{name}</li>\n")
    });
    format!(
        "<details class=\"clean\"><summary>Nothing found in {}</summary>\n<ul>\n{}</ul>\n</details>\n",
        amount(clean.len(), "file"),
        names.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Level};
    use crate::rig::Location;

    fn report(findings: usize) -> Report {
        let finding = |index: usize| {
            Finding::new(
                Code("D602"),
                Level::Warning,
                Location::mesh(format!("<b>{index}")),
                "edge stretched 6×",
            )
        };
        let image = CloseUpImage {
            path: None,
            png: vec![0; MOST_BYTES],
            plot: None,
        };
        Report {
            files: vec![FileReport {
                path: "hero.glb".into(),
                findings: (0..findings).map(finding).collect(),
                images: vec![(0, image.clone()), (1, image)],
                ..FileReport::default()
            }],
            ..Report::default()
        }
    }

    #[test]
    fn a_page_says_what_it_has_no_room_for() {
        let page = write(&report(MOST_FINDINGS + 7), &Moving::default());
        assert_eq!(page.matches("<article").count(), MOST_FINDINGS);
        assert!(page.contains("Not on this page: 7 findings."));
        assert!(page.contains("Not on this page: 1 image."));
        assert_eq!(page.matches("<img").count(), 1);
    }

    #[test]
    fn names_cannot_add_elements() {
        let page = write(&report(2), &Moving::default());
        assert!(page.contains("&lt;b&gt;1") && !page.contains("<b>"));
        assert!(!page.contains("Not on this page: 7"));
    }
}
