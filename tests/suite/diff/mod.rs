//! `skincheck diff`: faults of exporters, planted one at a time, and harmless changes.

#![allow(
    clippy::cast_possible_truncation,
    reason = "every number here is a small constant of a model"
)]

mod carried;
mod causes;
mod coincident;
mod command;
mod corpus;
mod edit;
mod faults;
mod folders;
mod harmless;
mod page;
mod references;
mod tolerances;
mod words;

use skincheck::diff::{self, Options, Report, Source, Tolerance};
use skincheck::import::{self, Isolation};
use skincheck::rig::Asset;

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

fn compare(before: Asset, after: Asset, tolerance: Option<Tolerance>) -> Report {
    let mut options = Options::default();
    options.settings.tolerance = tolerance;
    for asset in [&before, &after] {
        asset.validate().expect("the change leaves a valid model");
    }
    let [before, after] = [before, after].map(|asset| Source::Model(Box::new(asset)));
    diff::compare(&before, &after, &options).expect("the models can be compared")
}

/// The contents of a report, one line each.
fn reported(report: &Report) -> String {
    let findings = report.findings.iter().map(|finding| {
        let mark = if finding.is_difference { "!" } else { " " };
        format!("{mark} {}: {}", finding.kind.name(), finding.message)
    });
    findings.collect::<Vec<_>>().join("\n")
}
