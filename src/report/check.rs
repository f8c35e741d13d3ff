//! The report of `check`.

pub(super) mod html;
mod looked_at;
mod merge;
mod shard;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::codes;
use super::format::{Format, View};
use super::results::{Case, Cause, Model, Outcome, Results, Shown, UnusedSetting};
use super::words::title;
use crate::check::{FileReport, Idle, Report};
use crate::closeup::command;
use crate::finding::{Code, Level};
use crate::lint::{Conversion, Coverage, Reading, Thinned, Unchecked};
use crate::rig::Note;
use crate::shown::{printable, unicode};
use crate::viewer::Packed;
pub use merge::{MergeError, Refusal, merge};
use shard::ShardJson;

/// Models in pictures and in motion, for the page.
#[derive(Debug, Default)]
pub(crate) struct Moving {
    /// Small PNG files of models at rest, by the index of the file.
    pub(crate) pictures: BTreeMap<usize, Vec<u8>>,
    /// By the index of the file, with `sights`: what shows each finding.
    pub(crate) models: BTreeMap<usize, Packed>,
    /// How many the page has no room for.
    pub(crate) left_out: usize,
    /// The images of findings for which there are too many.
    pub(crate) images_left_out: usize,
    /// Why models have no images, one sentence each.
    pub(crate) undrawn: Vec<String>,
}

/// Renders the report of a check. The same report always gives the same text. It ends in a line break unless it is empty.
#[must_use]
pub fn write(report: &Report, format: Format, view: View) -> String {
    write_moving(report, &Moving::default(), format, view)
}

/// As [`write`], with models in motion on the page.
pub(crate) fn write_moving(report: &Report, moving: &Moving, format: Format, view: View) -> String {
    let text = || text::write(report, view);
    results(report, view).write((format, view), text, || html::write(report, moving))
}

/// What only a check says of a run.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Run {
    /// Folders and patterns without models.
    without_models: usize,
    /// Models that were not checked because the changes do not affect them.
    unaffected: usize,
    /// Parts of configurations without effect.
    unused_settings: Vec<UnusedSetting>,
    /// The part of a run that this is, for `skincheck merge`; `None` for a whole run.
    shard: Option<ShardJson>,
}

/// What only a check says of a model.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Check"))]
pub(super) struct Details {
    /// With its version; `None` if none could read it.
    importer: Option<String>,
    /// The configuration that applies to it, if any.
    config: Option<String>,
    /// The name of its preset, if it has one.
    preset: Option<String>,
    /// The target engine, as `--engine` reads it; `None` without it.
    engine: Option<String>,
    /// Differences between that engine and the file.
    conversions: Vec<Conversion>,
    notes: Vec<Note>,
    /// Clips checked at only some of their sample times.
    thinned: Vec<Thinned>,
    /// Rules that could not be checked.
    unchecked: Vec<Unchecked>,
    /// What was looked at; `None` for a model that was not checked.
    coverage: Option<Coverage>,
    /// What the rules measured, in their order: for each limit, the value nearest to it.
    measures: Vec<Reading>,
    /// The rules whose findings `fix` repairs.
    fixable: Vec<Code>,
}

fn results(report: &Report, view: View) -> Results<'_, Run, Details> {
    let folder = report.folder.as_path();
    let unused_settings: Vec<UnusedSetting> = report.idle.iter().map(unused_setting).collect();
    Results {
        command: "check",
        passes: report.passes(),
        interrupted: report.unchecked_files,
        folder: (!folder.as_os_str().is_empty()).then_some(folder),
        accepted: report.accepted.as_ref(),
        unused_settings: unused_settings.clone(),
        declared: codes::of_check(),
        run: Run {
            without_models: report.summary().without_models,
            unaffected: report.unaffected,
            unused_settings,
            shard: report.part.as_ref().map(|part| ShardJson::of(report, part)),
        },
        models: report.files.iter().map(|file| model(file, view)).collect(),
    }
}

fn unused_setting(idle: &Idle) -> UnusedSetting {
    UnusedSetting {
        path: idle.path().map(unicode),
        line: idle.position().map(|position| position.line),
        column: idle.position().map(|position| position.column),
        message: idle.message(),
    }
}

fn model(file: &FileReport, view: View) -> Model<'_, Details> {
    let images = file.findings.iter().enumerate().map(|(index, finding)| {
        let image = file.image(index).and_then(|own| own.path.as_deref());
        Shown {
            image: image.map(unicode),
            render: command(&file.path, finding, file.image(index).map(|own| &own.shot)),
        }
    });
    Model {
        failure: file.failure.as_deref(),
        findings: Cow::Borrowed(&file.findings),
        fails_from: if file.deny_warnings {
            Level::Warning
        } else {
            Level::Error
        },
        passes: file.passes(),
        others: rules(file, view),
        images: images.collect(),
        patches: &file.patches,
        details: Some(Details {
            importer: file.importer.clone(),
            config: file.config.as_ref().map(|path| unicode(path)),
            preset: file.preset.clone(),
            engine: file.engine.clone(),
            conversions: file.conversions.clone(),
            notes: file.notes.clone(),
            thinned: file.thinned.clone(),
            unchecked: file.unchecked.clone(),
            coverage: file.coverage.clone(),
            measures: file.measures.clone(),
            fixable: file.fixable(),
        }),
        ..Model::new(file.path.as_path())
    }
}

/// The rules that could not be checked, and those without findings, as tests of JUnit.
fn rules(file: &FileReport, view: View) -> Vec<Case> {
    let mut cases = Vec::new();
    if view.verbose || file.deny_unchecked {
        cases.extend(file.unchecked.iter().map(|unchecked| {
            let reason = printable(&unchecked.reason);
            let outcome = if file.deny_unchecked {
                Outcome::Failed(Cause::new("unchecked", &[reason]))
            } else {
                Outcome::Skipped(reason)
            };
            Case::new(title(unchecked.code), outcome)
        }));
    }
    if view.verbose {
        let is_clean = |code: &&Code| file.findings.iter().all(|finding| finding.code != **code);
        let clean = file.checked.iter().filter(is_clean);
        cases.extend(clean.map(|code| Case::new(title(*code), Outcome::Passed)));
    }
    cases
}
