//! The text of a check.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::super::format::View;
use super::super::results::{Group, alike, explained_by, groups};
use super::super::words::{UNREADABLE, fix, lines, place, title};
use super::looked_at;
use crate::check::{Accepted, FileReport, Report};
use crate::closeup::command;
use crate::finding::{Cause, Code, Finding, Level};
use crate::lint::{Thinned, Unchecked};
use crate::rig::Location;
use crate::shown::{escaped, path, printable};
use crate::units::{amount, first_few};

const FILE: Style = Style::new().underline();

/// The most codes in the command that explains them: as many as fit a line.
const MOST_CODES: usize = 6;

/// Renders the report as text.
pub(super) fn write(report: &Report, view: View) -> String {
    let mut page = Page {
        text: String::new(),
        view,
    };
    for file in &report.files {
        page.file(file);
    }
    if view.verbose {
        page.configurations(report);
    } else {
        page.unchecked(report);
    }
    if let Some(accepted) = &report.accepted {
        page.accepted(accepted);
    }
    page.clean(report);
    if report.files.iter().all(nothing_found) {
        for line in looked_at::lines(&report.files) {
            page.line(line);
        }
    }
    page.fixable(report);
    page.explained(report);
    page.summary(report);
    page.text
}

/// Findings of one kind are shown as one, except if all is asked for.
fn shown<'a>(groups: &'a [Group], file: &FileReport, view: View) -> Vec<Vec<&'a Group>> {
    if view.verbose {
        groups.iter().map(|group| vec![group]).collect()
    } else {
        alike(groups, &file.findings)
    }
}

/// What explains it, if that is not shown.
fn hidden_cause(file: &FileReport, finding: &Finding) -> Option<String> {
    let cause = finding.cause.as_ref().and_then(Cause::code);
    let hidden = cause.filter(|_| explained_by(&file.findings, finding).is_none());
    hidden.map(|code| format!("follows from {code}, which is not shown"))
}

/// A name in a location.
type Name = fn(&Location) -> Option<&String>;

/// The most names in a line.
const MOST_NAMES: usize = 3;

/// `3 more meshes: "Arm", "Leg", "Head"`: the names in which the places of further findings differ from the first.
fn elsewhere(file: &FileReport, alike: &[&Group]) -> Option<String> {
    let (first, others) = alike.split_first()?;
    let of = |group: &Group| &file.findings[group.cause].location;
    let kinds: [(&str, Name); 5] = [
        ("mesh", |place| place.mesh.as_ref()),
        ("skin", |place| place.skin.as_ref()),
        ("material", |place| place.material.as_ref()),
        ("joint", |place| place.joint.as_ref()),
        ("clip", |place| place.clip.as_ref()),
    ];
    if others.is_empty() {
        return None;
    }
    let named = kinds.iter().find_map(|(kind, name)| {
        let own = name(of(first));
        let names: BTreeSet<&String> = others.iter().filter_map(|group| name(of(group))).collect();
        let differs = names.len() == others.len() && own.is_none_or(|own| !names.contains(own));
        differs.then_some((kind, names))
    });
    let Some((kind, names)) = named else {
        let them = if others.len() == 1 { "it" } else { "them" };
        return Some(format!(
            "{} more like it; --verbose lists {them}",
            others.len()
        ));
    };
    let count = amount(names.len(), &format!("more {kind}"));
    let names = names.iter().map(|name| format!("\"{}\"", escaped(name)));
    Some(format!(
        "{count}: {}",
        first_few(names.collect::<Vec<_>>().into_iter(), MOST_NAMES)
    ))
}

struct Page {
    text: String,
    view: View,
}

impl Page {
    fn line(&mut self, line: impl Display) {
        writeln!(self.text, "{line}").expect("a string takes all that fits into memory");
    }

    /// Files without anything to report are omitted, and so are paths without models, which the error that ends the run names.
    fn file(&mut self, file: &FileReport) {
        let remarks = if self.view.verbose {
            remarks(file)
        } else {
            Vec::new()
        };
        let measures = self.view.measures.then(|| looked_at::table(file));
        let is_silent = remarks.is_empty() && measures.is_none();
        if file.findings.is_empty() && file.failure.is_none() && is_silent || file.has_no_models {
            return;
        }
        self.line(self.view.styled(FILE, path(&file.path)));
        if let Some(failure) = &file.failure {
            let failure = printable(failure);
            let label = self.label(Level::Error, UNREADABLE);
            self.line(format_args!("  {label}: {failure}"));
        }
        let groups = groups(&file.findings);
        for alike in shown(&groups.certain, file, self.view) {
            let finding = &file.findings[alike[0].cause];
            self.finding("  ", finding);
            self.places("    ", file, &alike);
            let fix = fix(finding.code).unwrap_or_default();
            self.line(format_args!("    fix: {fix}"));
            self.details(file, alike[0].cause);
            self.consequences(file, alike[0]);
        }
        for (heading, groups) in groups.headed(&file.findings) {
            if !groups.is_empty() {
                self.line(format_args!("  {heading}:"));
            }
            for alike in shown(groups, file, self.view) {
                self.hint("    ", file, &alike);
                self.details(file, alike[0].cause);
                self.consequences(file, alike[0]);
            }
        }
        for line in measures.into_iter().flatten() {
            self.line(format_args!("  {line}"));
        }
        for remark in remarks {
            self.line(self.view.faint(format_args!("  {remark}")));
        }
        self.line("");
    }

    fn consequences(&mut self, file: &FileReport, group: &Group) {
        for index in &group.consequences {
            let finding = &file.findings[*index];
            let (label, message) = (
                self.label(finding.level, finding.code),
                printable(&finding.message),
            );
            let place = place(finding);
            self.line(format_args!("    → {label} {message}: {place}"));
            self.details(file, *index);
        }
    }

    /// `error[W103]`.
    fn label(&self, level: Level, code: impl Display) -> String {
        let label = format!("{}[{code}]", level.name());
        self.view.styled(style_of(level), label)
    }

    /// What is wrong.
    fn finding(&mut self, indent: &str, finding: &Finding) {
        let label = self.label(finding.level, finding.code);
        let message = self.view.bold(printable(&finding.message));
        self.line(format_args!("{indent}{label} {message}"));
    }

    /// Where, with the influences there, and where else.
    fn places(&mut self, indent: &str, file: &FileReport, alike: &[&Group]) {
        let finding = &file.findings[alike[0].cause];
        if finding.location != Location::FILE {
            self.line(format_args!("{indent}{}", place(finding)));
        }
        let influences = finding.location.influences();
        if !influences.is_empty() {
            self.line(format_args!("{indent}{influences}"));
        }
        for line in [elsewhere(file, alike), hidden_cause(file, finding)]
            .into_iter()
            .flatten()
        {
            self.line(format_args!("{indent}{line}"));
        }
    }

    /// What may be wrong, and where, in one line.
    fn hint(&mut self, indent: &str, file: &FileReport, alike: &[&Group]) {
        let finding = &file.findings[alike[0].cause];
        let label = self.label(finding.level, finding.code);
        let elsewhere = elsewhere(file, alike).map_or_else(String::new, |more| format!("; {more}"));
        let (message, place) = (printable(&finding.message), place(finding));
        let colon = if message.ends_with('?') { "" } else { ":" };
        self.line(format_args!(
            "{indent}{label} {message}{colon} {place}{elsewhere}"
        ));
    }

    /// Everything that a finding concerns, and the path of its close-up; without one, the command that draws it.
    fn details(&mut self, file: &FileReport, index: usize) {
        let finding = &file.findings[index];
        if self.view.verbose {
            for line in lines(&finding.affected) {
                self.line(self.view.faint(format_args!("    {line}")));
            }
        }
        let written = file.image(index).and_then(|own| own.path.as_ref());
        if let Some(written) = written {
            self.line(
                self.view
                    .faint(format_args!("    image: {}", path(written))),
            );
        } else if let Some(command) =
            command(&file.path, finding, None).filter(|_| self.view.verbose)
        {
            self.line(self.view.faint(format_args!("    {command}")));
        }
    }

    /// One line on the data that importers do not provide, then the other reasons why rules were not checked.
    fn unchecked(&mut self, report: &Report) {
        let mut codes = BTreeSet::new();
        let mut files = BTreeSet::new();
        let mut readers = BTreeSet::new();
        for file in &report.files {
            for unchecked in &file.unchecked {
                if let Some(reader) = unchecked.reader {
                    codes.insert(unchecked.code);
                    files.insert(&file.path);
                    readers.insert(reader.name());
                }
            }
        }
        if !codes.is_empty() {
            let (rules, files) = (amount(codes.len(), "rule"), amount(files.len(), "file"));
            let readers: Vec<&str> = readers.into_iter().collect();
            let importers = match readers.as_slice() {
                [one] => format!("the importer {one} does"),
                several => format!("the importers {} do", several.join(" and ")),
            };
            let line = format!(
                "{rules} could not be checked on {files}, because {importers} not expose the data; --verbose lists them\n"
            );
            self.line(self.view.faint(line));
        }
        let others = report.files.iter().flat_map(|file| {
            let others = file.unchecked.iter().filter(|one| one.reader.is_none());
            by_reason(others)
        });
        self.counted(others.map(|(reason, codes)| format!("{}: {reason}", titles(&codes))));
    }

    /// The configurations and presets, each with the number of files it applies to.
    fn configurations(&mut self, report: &Report) {
        let configs = report
            .files
            .iter()
            .filter_map(|file| file.config.as_ref())
            .map(|config| format!("configured by {}", path(config)));
        let presets = report.files.iter().filter_map(|file| file.preset.as_ref());
        self.counted(configs.chain(presets.map(|preset| format!("preset {preset}"))));
    }

    /// Each line once, with the number of files that it applies to.
    fn counted(&mut self, lines: impl Iterator<Item = String>) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        lines.for_each(|line| *counts.entry(line).or_default() += 1);
        for (line, count) in &counts {
            let files = amount(*count, "file");
            self.line(self.view.faint(format_args!("{line} ({files})")));
        }
        if !counts.is_empty() {
            self.line("");
        }
    }

    fn accepted(&mut self, accepted: &Accepted) {
        for gone in &accepted.gone {
            let label = self.view.bold("resolved");
            let finding = format!("{}: {}: {}", gone.file, gone.rule, gone.subject);
            self.line(format_args!("{label} {}", printable(&finding)));
        }
        if !accepted.gone.is_empty() {
            let prune = if self.view.pruned {
                "they were removed from the baseline"
            } else {
                "--prune removes them from the baseline"
            };
            self.line(format_args!(
                "these accepted findings are resolved; {prune}\n"
            ));
        }
    }

    /// The command that explains what was found.
    fn explained(&mut self, report: &Report) {
        let mut codes: Vec<_> = report
            .files
            .iter()
            .flat_map(|file| &file.findings)
            .collect();
        codes.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let mut named: Vec<&str> = Vec::new();
        for finding in codes {
            if !named.contains(&finding.code.0) {
                named.push(finding.code.0);
            }
        }
        if !named.is_empty() {
            let what = match named.len() {
                1 => "it means, and how to fix it",
                _ => "they mean, and how to fix them",
            };
            let codes: Vec<&str> = named.iter().copied().take(MOST_CODES).collect();
            let codes = codes.join(" ");
            let command = self.view.bold(format_args!("skincheck explain {codes}"));
            self.line(format_args!("what {what}: {command}"));
        }
    }

    /// What `skincheck fix` can repair.
    fn fixable(&mut self, report: &Report) {
        let fixable: BTreeSet<Code> = report.files.iter().flat_map(FileReport::fixable).collect();
        if !fixable.is_empty() {
            let command = self.view.bold("skincheck fix");
            let codes = fixable.into_iter().map(|code| code.to_string());
            let codes = first_few(codes.collect::<Vec<_>>().into_iter(), MOST_CODES);
            self.line(format_args!("fixable with {command}: {codes}"));
        }
    }

    /// The folders without findings.
    fn clean(&mut self, report: &Report) {
        let folders = clean_folders(report);
        for (folder, count) in &folders {
            let clean = self.view.good("clean");
            let is_here = folder.as_os_str().is_empty();
            let folder = if is_here { Path::new(".") } else { folder };
            self.line(format_args!(
                "{clean} {} ({})",
                path(folder),
                amount(*count, "file")
            ));
        }
        if !folders.is_empty() {
            self.line("");
        }
    }

    fn summary(&mut self, report: &Report) {
        let summary = report.summary();
        let mut parts = Vec::new();
        for (count, what, level) in [
            (summary.errors, "error", Level::Error),
            (summary.warnings, "warning", Level::Warning),
            (summary.hints, "hint", Level::Hint),
            (summary.infos, "info", Level::Info),
        ] {
            if count > 0 {
                parts.push(self.view.styled(style_of(level), amount(count, what)));
            }
        }
        let explained: usize = report
            .files
            .iter()
            .map(|file| {
                groups(&file.findings)
                    .all()
                    .map(|group| group.consequences.len())
                    .sum::<usize>()
            })
            .sum();
        if explained > 0 {
            let follow = if explained == 1 { "follows" } else { "follow" };
            parts.push(format!("{explained} of them {follow} from others"));
        }
        if summary.unreadable > 0 {
            let files = amount(summary.unreadable, "unreadable file");
            parts.push(self.view.styled(style_of(Level::Error), files));
        }
        let denied: usize = report
            .files
            .iter()
            .filter(|file| file.fails_unchecked())
            .map(|file| file.unchecked.len())
            .sum();
        if denied > 0 {
            let rules = format!("{} not checkable (denied)", amount(denied, "rule"));
            parts.push(self.view.styled(style_of(Level::Error), rules));
        }
        if summary.without_models > 0 {
            let paths = amount(summary.without_models, "path");
            let paths = format!("{paths} without models");
            parts.push(self.view.styled(style_of(Level::Error), paths));
        }
        if parts.is_empty() {
            parts.push(
                self.view
                    .styled(AnsiColor::Green.on_default().bold(), "nothing found"),
            );
        }
        if let Some(accepted) = &report.accepted {
            let (kept, gone) = (accepted.still_there, accepted.gone.len());
            let when = if accepted.just_now { "now" } else { "before" };
            parts.push(format!("{kept} accepted {when}"));
            if gone > 0 {
                parts.push(format!("{gone} resolved"));
            }
        }
        if let Some(unfinished) = report.unfinished() {
            parts.push(self.view.styled(style_of(Level::Error), unfinished));
        }
        let files = amount(summary.files - summary.unreadable, "file");
        let unaffected = amount(report.unaffected, "file");
        if summary.files == 0 && summary.without_models == 0 && report.unaffected > 0 {
            self.line(format_args!(
                "nothing to check: the changes affect none of {unaffected}"
            ));
            return;
        }
        let unaffected = match report.unaffected {
            0 => String::new(),
            _ => format!(", {unaffected} not affected by the changes"),
        };
        if summary.files == 0 && summary.without_models > 0 {
            return;
        }
        let more = report.hidden.map_or_else(String::new, |level| {
            format!(" (--level {} shows more)", level.name())
        });
        self.line(format_args!(
            "{files} checked{unaffected}: {}{more}",
            parts.join(", ")
        ));
    }
}

/// Everything about a file besides its findings.
fn remarks(file: &FileReport) -> Vec<String> {
    let notes = file
        .notes
        .iter()
        .map(|note| printable(&format!("note: {}: {}", note.location, note.message)));
    let conversions = file.engine.iter().flat_map(|engine| {
        let conversions = file.conversions.iter();
        conversions.map(|conversion| conversion.reported(engine))
    });
    let unchecked = by_reason(file.unchecked.iter())
        .into_iter()
        .map(|(reason, codes)| format!("{}: {reason}", titles(&codes)));
    let thinned = thinned(&file.thinned);
    notes
        .chain(conversions)
        .chain(unchecked)
        .chain(thinned)
        .collect()
}

/// The rules that could not be checked, by reason.
fn by_reason<'a>(unchecked: impl Iterator<Item = &'a Unchecked>) -> BTreeMap<&'a str, Vec<Code>> {
    let mut by_reason: BTreeMap<&str, Vec<Code>> = BTreeMap::new();
    for Unchecked { code, reason, .. } in unchecked {
        by_reason.entry(reason).or_default().push(*code);
    }
    by_reason
}

/// One rule with its name, or several by their codes.
fn titles(codes: &[Code]) -> String {
    match codes {
        [code] => title(*code),
        codes => codes
            .iter()
            .map(Code::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The clips that were not sampled at all their times: the one with the smallest fraction, and their number.
fn thinned(clips: &[Thinned]) -> Option<String> {
    let least = |a: &&Thinned, b: &&Thinned| {
        (a.watched * b.sample_times).cmp(&(b.watched * a.sample_times))
    };
    let least = clips.iter().min_by(least)?;
    let clip = Location::clip(least.clip.as_str());
    let (watched, sample_times) = (least.watched, least.sample_times);
    Some(match clips.len() {
        1 => format!(
            "{clip}: sampled at {watched} of its {sample_times} sample times (--moments all checks them all)"
        ),
        all => format!(
            "{all} clips sampled at some of their sample times, {clip} at {watched} of {sample_times} (--moments all checks them all)"
        ),
    })
}

fn style_of(level: Level) -> Style {
    let color = match level {
        Level::Error => AnsiColor::Red,
        Level::Warning => AnsiColor::Yellow,
        Level::Hint => AnsiColor::Blue,
        Level::Info => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// The most lines, which leave room for the rest on a screen.
const MOST_FOLDERS: usize = 20;

/// The folders in which every file is clean, with their numbers of files. If there are many, those in the same folder
/// are counted together. Empty if all files are in one folder.
pub(super) fn clean_folders(report: &Report) -> Vec<(PathBuf, usize)> {
    let deepest = report.files.iter().map(|file| depth(&file.path)).max();
    let by_depth = (1..=deepest.unwrap_or(0))
        .rev()
        .map(|most| clean(report, most));
    let mut few = by_depth.filter(|folders| folders.len() <= MOST_FOLDERS);
    few.next().unwrap_or_default()
}

/// The same with paths of at most `most` components.
fn clean(report: &Report, most: usize) -> Vec<(PathBuf, usize)> {
    let mut folders: BTreeMap<PathBuf, (usize, bool)> = BTreeMap::new();
    for file in &report.files {
        let folder = file
            .path
            .parent()
            .unwrap_or(Path::new(""))
            .components()
            .take(most)
            .collect();
        let (count, is_clean) = folders.entry(folder).or_insert((0, true));
        *count += 1;
        *is_clean &= nothing_found(file);
    }
    if folders.len() < 2 {
        return Vec::new();
    }
    let clean = folders.into_iter().filter(|(_, (_, is_clean))| *is_clean);
    clean.map(|(folder, (count, _))| (folder, count)).collect()
}

fn depth(file: &Path) -> usize {
    file.parent()
        .map_or(0, |folder| folder.components().count())
}

fn nothing_found(file: &FileReport) -> bool {
    file.findings.is_empty() && file.failure.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: &[(&str, bool)]) -> Report {
        let file = |&(path, is_clean): &(&str, bool)| FileReport {
            path: path.into(),
            failure: (!is_clean).then(|| "it is empty".to_owned()),
            ..FileReport::default()
        };
        Report {
            files: files.iter().map(file).collect(),
            ..Report::default()
        }
    }

    #[test]
    fn folders_with_a_fault_and_a_single_folder_have_no_line() {
        let two = report(&[("a/1.glb", true), ("a/2.glb", true), ("b/1.glb", false)]);
        assert_eq!(clean_folders(&two), [("a".into(), 2)]);
        let one = report(&[("a/1.glb", true), ("a/2.glb", true)]);
        assert_eq!(clean_folders(&one), []);
    }

    #[test]
    fn many_folders_are_counted_by_the_folder_that_holds_them() {
        let names: Vec<String> = (0..50).map(|index| format!("a/{index}/x.glb")).collect();
        let mut files: Vec<(&str, bool)> = names.iter().map(|name| (name.as_str(), true)).collect();
        files.push(("b/x.glb", true));
        assert_eq!(
            clean_folders(&report(&files)),
            [("a".into(), 50), ("b".into(), 1)]
        );
    }
}
