//! What the report of a shard says besides, so that the reports of all shards can be merged.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::check::{FileReport, Report, RunIdentity, RunPart, Shard};
use crate::finding::{Code, Level};

/// The part of a run that a report is about.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Shard"))]
pub(super) struct ShardJson {
    /// From 1.
    number: usize,
    /// The number of shards.
    count: usize,
    /// What all shards of the run have in common.
    run: RunIdentity,
    /// The minimum level to show any finding, if all checked rules are below the shown level.
    hidden: Option<Level>,
    /// The settings in which models differ.
    settings: Vec<Settings>,
    /// The index in `settings` of each model.
    setting_of: Vec<usize>,
    /// The index in the whole run of each model.
    indices: Vec<usize>,
}

/// What reports in other formats say of a model.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Settings {
    /// The rules that were checked.
    rules: Arc<[Code]>,
    /// Whether warnings fail the check.
    deny_warnings: bool,
    /// Whether rules that could not be checked fail the check.
    deny_unchecked: bool,
    /// Whether it is a folder or a pattern without a model.
    has_no_models: bool,
}

impl Settings {
    fn of(file: &FileReport) -> Self {
        Self {
            rules: Arc::clone(&file.checked),
            deny_warnings: file.deny_warnings,
            deny_unchecked: file.deny_unchecked,
            has_no_models: file.has_no_models,
        }
    }
}

impl ShardJson {
    pub(super) fn of(report: &Report, part: &RunPart) -> Self {
        let mut settings: Vec<Settings> = Vec::new();
        let setting_of = report.files.iter().map(|file| {
            let own = Settings::of(file);
            let known = settings.iter().rposition(|known| *known == own);
            known.unwrap_or_else(|| {
                settings.push(own);
                settings.len() - 1
            })
        });
        let setting_of = setting_of.collect();
        Self {
            number: part.shard.number(),
            count: part.shard.count.get(),
            run: part.run.clone(),
            hidden: report.hidden,
            settings,
            setting_of,
            indices: part.indices.clone(),
        }
    }

    /// Adds the settings of the models to `report`, and returns which part of the run it is; `None` if it is not of these
    /// models.
    pub(super) fn complete(self, report: &mut Report) -> Option<RunPart> {
        let shard = Shard::new(self.number.checked_sub(1)?, self.count.try_into().ok()?)?;
        let files = report.files.len();
        if self.indices.len() != files || self.setting_of.len() != files {
            return None;
        }
        for (file, index) in report.files.iter_mut().zip(&self.setting_of) {
            let settings = self.settings.get(*index)?;
            file.checked = Arc::clone(&settings.rules);
            file.deny_warnings = settings.deny_warnings;
            file.deny_unchecked = settings.deny_unchecked;
            file.has_no_models = settings.has_no_models;
        }
        report.hidden = self.hidden;
        Some(RunPart {
            shard,
            run: self.run,
            indices: self.indices,
        })
    }
}
