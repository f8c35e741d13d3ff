//! `skincheck diff`: faults of exporters, planted one at a time, and harmless changes.

#![allow(
    clippy::cast_possible_truncation,
    reason = "every number here is a small constant of a model"
)]

mod caches;
mod carried;
mod cases;
mod causes;
mod coincident;
mod command;
mod corpus;
mod edit;
mod faults;
mod folders;
mod generated;
mod harmless;
mod page;
mod references;
mod surfaces;
mod tolerances;
mod words;

use skincheck::diff::{self, Options, Report, Source, Tolerance};
use skincheck::import::{self, Isolation};
use skincheck::pose;
use skincheck::rig::{Asset, SkinningOptions};
use skincheck::skinning::reference;
use skincheck::units::Seconds;

use crate::program::fixture;

/// Creates a model.
type Base = fn() -> Asset;

/// Changes a model.
type Change = fn(&mut Asset);

fn load(name: &str) -> Asset {
    let options = import::Options {
        isolation: Isolation::InProcess,
        images: false,
        ..import::Options::default()
    };
    import::load(&fixture(name), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A character of 22 joints, with a sixth of its triangles and only its walk.
fn walker() -> Asset {
    let mut asset = load("walker.glb");
    asset.clips.truncate(1);
    edit::thin(&mut asset);
    asset
}

/// Differences of materials count.
fn compare(before: Asset, after: Asset, tolerance: Option<Tolerance>) -> Report {
    let mut options = Options::default();
    options.settings.tolerance = tolerance;
    options.settings.count.extend([diff::Kind::Materials]);
    for asset in [&before, &after] {
        asset.validate().expect("the change leaves a valid model");
    }
    let [before, after] = [before, after].map(Source::from);
    diff::compare(&before, &after, &options).expect("the models can be compared")
}

/// The contents of a report, one line each.
fn reported(report: &Report) -> String {
    let findings = report.findings.iter().map(|finding| {
        let mark = if finding.counts() { "!" } else { " " };
        format!(
            "{mark} {}: {}",
            finding.kind.name(),
            finding.finding.message
        )
    });
    findings.collect::<Vec<_>>().join("\n")
}

/// The largest distance of two models with the same vertices, at some times.
fn distance(models: [&Asset; 2], times: &[Seconds]) -> f64 {
    let at = |time: Seconds| {
        let [a, b] = models.map(|asset| {
            let pose = pose::sample(asset, &asset.clips[0], time).expect("it is finite");
            let pose = pose::model_pose(asset, &pose);
            let meshes = reference::deform(asset, &pose, &SkinningOptions::default());
            meshes.expect("it can be skinned").swap_remove(0).positions
        });
        let apart = a.iter().zip(&b).map(|(a, b)| a.distance(*b));
        apart.fold(0.0, f64::max)
    };
    times.iter().copied().map(at).fold(0.0, f64::max)
}
