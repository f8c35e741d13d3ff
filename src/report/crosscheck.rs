//! The report of `crosscheck`: the CPU path against the OpenGL path.

mod artifacts;
#[cfg(test)]
mod testing;
mod text;

use std::path::Path;

use serde::Serialize;

use super::codes;
use super::format::{Format, View};
use super::results::{Model, Results};
use crate::crosscheck::{PoseReport, Report, TakeReport};
use crate::finding::Finding;
use crate::pose::Take;
use crate::rig::{Asset, Location, PoseName};

pub use artifacts::{Artifacts, ArtifactsError, ModelImages};
pub use text::{heading, name_of, of_model, summary};

/// A model and its result.
#[derive(Debug)]
pub struct Checked {
    /// The path as the user gave it.
    pub model: String,
    /// The model as read.
    pub asset: Asset,
    /// A description of the compared poses.
    pub takes: Vec<Take>,
    /// The result.
    pub report: Report,
    /// The images that were written, as paths without the suffixes `-expected.png` and so on.
    pub images: Vec<String>,
}

/// The settings of the comparison.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Setting {
    /// `cpu` and its processor.
    pub first: [String; 2],
    /// `gl` and its driver.
    pub second: [String; 2],
    /// The sample times, as on the command line.
    pub times: String,
}

/// What only a comparison of backends says of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Crosscheck"))]
pub(super) struct Details<'a> {
    /// With its version.
    importer: String,
    takes: Vec<Compared<'a>>,
    /// Paths to which `-expected.png`, `-actual.png` and `-difference.png` are appended.
    images: &'a [String],
}

/// The comparison of a clip or a pose.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Compared<'a> {
    /// `null` for a pose without a clip.
    clip: Option<&'a str>,
    /// `null` for a clip.
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pose: Option<&'a PoseName>,
    /// Whether both paths agree in every pose.
    agrees: bool,
    #[serde(flatten)]
    report: &'a TakeReport,
}

/// Renders the report.
///
/// * `errors` – paths of models that could not be compared, each with the reason.
#[must_use]
pub fn write(
    setting: &Setting,
    checked: &[Checked],
    errors: &[(String, String)],
    format: Format,
) -> String {
    let models = checked.iter().map(model);
    let results = Results {
        passes: errors.is_empty() && checked.iter().all(|checked| checked.report.agrees()),
        declared: codes::of_backends(),
        models: models.chain(errors.iter().map(Model::failed)).collect(),
        ..Results::new("crosscheck", setting)
    };
    let text = || {
        let models: String = checked.iter().map(of_model).collect();
        heading(setting) + &models + &summary(checked)
    };
    results.write((format, View::default()), text, text)
}

fn model(checked: &Checked) -> Model<'_, Details<'_>> {
    let asset = &checked.asset;
    let takes = || checked.takes.iter().zip(&checked.report.takes);
    let findings = takes().flat_map(|(take, report)| findings(take, report, asset));
    let compared = takes().map(|(take, report)| {
        let (clip, pose) = names(take, asset);
        Compared {
            clip,
            pose,
            agrees: report.agrees(),
            report,
        }
    });
    Model {
        findings: findings.collect(),
        passes: checked.report.agrees(),
        details: Some(Details {
            importer: asset.reader.to_string(),
            takes: compared.collect(),
            images: &checked.images,
        }),
        ..Model::new(Path::new(&checked.model))
    }
}

/// What disagrees in a take.
fn findings(take: &Take, report: &TakeReport, asset: &Asset) -> Vec<Finding> {
    let (clip, name) = names(take, asset);
    let of_pose = |pose: &PoseReport| {
        let location = Location {
            clip: clip.map(str::to_owned),
            pose: name.cloned(),
            time: pose.time,
            ..Location::FILE
        };
        pose.findings(asset, &location, ["cpu", "gl"])
    };
    report.poses.iter().flat_map(of_pose).collect()
}

/// The clip, or the pose.
fn names<'a>(take: &'a Take, asset: &'a Asset) -> (Option<&'a str>, Option<&'a PoseName>) {
    match take {
        Take::Pose(name, _) => (None, Some(name)),
        Take::Clip(clip, _) => (Some(&asset.clips[clip.index()].name), None),
    }
}
