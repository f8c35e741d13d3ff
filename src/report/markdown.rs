//! A summary in Markdown, for the job summaries of GitHub Actions and for comments on pull requests.
//!
//! # Reference
//!
//! "Workflow commands for GitHub Actions", adding a job summary; GitHub Flavored Markdown, tables.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::escape::markdown;
use super::results::{Model, Results};
use super::words::{UNREADABLE, amounts, fix, sentence, title};
use crate::finding::{Code, Level};
use crate::shown::printable;
use crate::units::amount;

/// A step's summary may have 1 MiB; the rest is for what other programs add.
const MOST_BYTES: usize = 1_000_000;

/// Up to so many findings, those of each model are unfolded.
const MOST_UNFOLDED: usize = 25;

/// Renders the results: the counts, a table of the causes, and a table of the findings of each model, the most severe
/// first. Findings that exceed the limit are counted.
pub(super) fn write<R, D>(results: &Results<'_, R, D>) -> String {
    let mut page = Page::default();
    page.summary(results);
    page.causes(results);
    page.settings(results);
    page.resolved(results);
    let open = results.models.iter().map(|own| own.findings.len()).sum();
    let mut models: Vec<&Model<'_, D>> = results.models.iter().collect();
    models.sort_by_key(|model| Reverse((model.failure.is_some(), worst(model))));
    for model in models {
        page.model(model, open);
    }
    page.end()
}

fn worst<D>(model: &Model<'_, D>) -> Option<Level> {
    model.findings.iter().map(|finding| finding.level).max()
}

#[derive(Default)]
struct Page {
    text: String,
    /// The number of lines that did not fit.
    left_out: usize,
}

impl Page {
    /// Adds `line` if it fits.
    fn line(&mut self, line: &str) {
        if self.text.len() + line.len() < MOST_BYTES {
            self.text += line;
            self.text += "\n";
        } else {
            self.left_out += 1;
        }
    }

    fn row(&mut self, cells: &[&str]) {
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    fn summary<R, D>(&mut self, results: &Results<'_, R, D>) {
        let verdict = if results.passes { "passed" } else { "failed" };
        self.line(&format!("## skincheck {}: {verdict}\n", results.command));
        let count = |level| results.models.iter().map(|model| model.count(level)).sum();
        let counts = Level::ALL.map(|level| (count(level), level.name()));
        let failed = results.models.iter().filter(|own| own.failure.is_some());
        let failed = (failed.count(), "unreadable file");
        let mut parts = amounts(counts.into_iter().chain([failed]));
        if parts.is_empty() {
            parts.push("nothing found".to_owned());
        }
        if let Some(accepted) = results.accepted {
            parts.push(format!("{} accepted", accepted.still_there));
        }
        parts.extend(results.unfinished());
        let models = amount(results.models.len(), "model");
        self.line(&format!("{models}: {}.\n", parts.join(", ")));
    }

    /// One row per rule and level.
    fn causes<R, D>(&mut self, results: &Results<'_, R, D>) {
        let mut causes: BTreeMap<(Reverse<Level>, Code), (usize, BTreeSet<usize>)> =
            BTreeMap::new();
        for (index, model) in results.models.iter().enumerate() {
            for finding in model.findings.iter() {
                let key = (Reverse(finding.level), finding.code);
                let (count, models) = causes.entry(key).or_default();
                *count += 1;
                models.insert(index);
            }
        }
        if causes.is_empty() {
            return;
        }
        let has_fixes = causes.keys().any(|(_, code)| fix(*code).is_some());
        let last = if has_fixes { "fix" } else { "meaning" };
        self.row(&["level", "rule", "findings", "models", last]);
        self.line("|---|---|--:|--:|---|");
        for ((Reverse(level), code), (count, models)) in causes {
            let about = || results.declared(code).map(|(_, own)| own.about.clone());
            let about = fix(code).or_else(about).unwrap_or_default();
            self.row(&[
                level.name(),
                &markdown(&title(code)),
                &count.to_string(),
                &models.len().to_string(),
                &markdown(&printable(&about)),
            ]);
        }
        self.line("");
    }

    fn settings<R, D>(&mut self, results: &Results<'_, R, D>) {
        for setting in &results.unused_settings {
            let sentence = markdown(&setting.sentence());
            self.line(&format!("- unused setting: {sentence}"));
        }
        if !results.unused_settings.is_empty() {
            self.line("");
        }
    }

    fn resolved<R, D>(&mut self, results: &Results<'_, R, D>) {
        let gone = results.accepted.iter().flat_map(|accepted| &accepted.gone);
        let lines: Vec<String> = gone
            .map(|gone| {
                let text = format!("{}: {}: {}", gone.file, gone.rule, gone.subject);
                format!("- resolved: {}", markdown(&printable(&text)))
            })
            .collect();
        if !lines.is_empty() {
            for line in &lines {
                self.line(line);
            }
            self.line("");
        }
    }

    /// * `all` – the number of findings of all models.
    fn model<D>(&mut self, model: &Model<'_, D>, all: usize) {
        let mut levels = amounts(Level::ALL.map(|level| (model.count(level), level.name())));
        levels.extend(model.failure.map(|_| UNREADABLE.to_owned()));
        if levels.is_empty() {
            return;
        }
        let open = if all <= MOST_UNFOLDED { " open" } else { "" };
        let heading = markdown(&printable(&model.title));
        let mut rows = Vec::new();
        if let Some(failure) = model.failure {
            rows.push([Level::Error.name(), UNREADABLE, failure].map(str::to_owned));
        }
        for level in Level::ALL {
            let of_level = model.findings.iter().filter(|own| own.level == level);
            rows.extend(of_level.map(|finding| {
                [
                    level.name().to_owned(),
                    title(finding.code),
                    sentence(finding),
                ]
            }));
        }
        let start = format!(
            "<details{open}><summary>{heading}: {}</summary>\n\n| level | rule | finding |\n|---|---|---|",
            levels.join(", ")
        );
        if self.left_out > 0 || self.text.len() + start.len() >= MOST_BYTES {
            self.left_out += rows.len();
            return;
        }
        self.line(&start);
        for [level, rule, sentence] in &rows {
            let cells = [rule, sentence].map(|cell| markdown(&printable(cell)));
            self.row(&[level, &cells[0], &cells[1]]);
        }
        self.text += "\n</details>\n\n";
    }

    fn end(mut self) -> String {
        if self.left_out > 0 {
            let lines = amount(self.left_out, "more line");
            let rest = " omitted to limit the size of this report; other formats have them.\n";
            self.text += &(lines + rest);
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::finding::Finding;
    use crate::rig::Location;

    fn findings(count: usize, name: &str) -> Vec<Finding> {
        let finding = |level| {
            let location = Location::mesh(name);
            Finding::new(Code("W103"), level, location, "weights sum to 0.9")
        };
        let infos = std::iter::repeat_with(|| finding(Level::Info)).take(count - 1);
        infos.chain([finding(Level::Error)]).collect()
    }

    fn written(findings: Vec<Finding>) -> String {
        let model = Model {
            findings: findings.into(),
            ..Model::new(Path::new("a|b<c>.glb"))
        };
        let models = vec![model];
        write::<(), ()>(&Results {
            models,
            ..Results::new("check", ())
        })
    }

    #[test]
    fn names_from_files_are_only_text() {
        let text = written(findings(1, "x | y <img src=a> [b](https://c) `d` @team"));
        let row = text.lines().find(|line| line.starts_with("| error | W103"));
        let row = row.expect("the finding has a row");
        assert_eq!(row.matches('|').count(), 6, "{row}");
        let mut rows = text
            .lines()
            .filter(|line| line.starts_with("| error | W103"));
        let last = rows.next_back().expect("there is one");
        assert_eq!(last.matches('|').count(), 4, "{last}");
        for wrong in ["<img", "[b]", "`d`", "://c", "@team"] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
        assert!(text.contains("<summary>a&#124;b&lt;c&gt;.glb: 1 error</summary>"));
    }

    #[test]
    fn a_summary_keeps_within_the_limit_with_the_most_severe_findings() {
        let text = written(findings(30_000, &"long name ".repeat(10)));
        assert!(text.len() < 1 << 20, "{}", text.len());
        let rows: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.contains("<summary>"))
            .collect();
        assert!(rows[4].starts_with("| error |"), "{:?}", &rows[..5]);
        assert!(text.contains("\n</details>\n"));
        let last = text.lines().last().expect("it has lines");
        assert!(last.ends_with("; other formats have them."), "{last}");
    }
}
