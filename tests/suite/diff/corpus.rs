//! Pairs of the corpus with known differences.

use std::path::{Path, PathBuf};

use skincheck::diff::{self, Kind, Options, Report, Source};
use skincheck::import;

use super::reported;
use crate::program::reading;

/// The pair of models in the corpus; `None` without one.
fn pair(before: &str, after: &str) -> Option<[PathBuf; 2]> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS")?;
    Some([before, after].map(|name| Path::new(&corpus).join(name)))
}

fn compare(paths: &[PathBuf; 2]) -> Report {
    let load = |path: &Path| {
        let options = import::Options {
            images: false,
            ..reading()
        };
        let asset = import::load(path, &options).unwrap_or_else(|error| panic!("{error}"));
        Source::from(asset)
    };
    let [before, after] = paths.each_ref().map(|path| load(path));
    diff::compare(&before, &after, &Options::default()).expect("they can be compared")
}

#[track_caller]
fn names(report: &Report, kind: Kind, part: &str) {
    let mut differences = report.differences();
    let found =
        differences.any(|finding| finding.kind == kind && finding.finding.message.contains(part));
    assert!(found, "{kind:?} {part:?} is not in\n{}", reported(report));
}

#[test]
fn cesium_man_was_cut_to_four_influences_and_rotated() {
    let Some(paths) = pair("CesiumMan_dae/CesiumMan.dae", "CesiumMan_glb/CesiumMan.glb") else {
        return;
    };
    let report = compare(&paths);
    names(&report, Kind::Weights, "each vertex is cut to 4 weights");
    names(&report, Kind::Similarity, "rotated by 90° about -Y");
}

#[test]
fn rigged_simple_faces_another_way() {
    let Some(paths) = pair(
        "RiggedSimple_dae/RiggedSimple.dae",
        "RiggedSimple/RiggedSimple.glb",
    ) else {
        return;
    };
    names(&compare(&paths), Kind::Similarity, "90° about");
}
