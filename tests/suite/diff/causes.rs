//! Causes that are named as what they are: planted ones, and pairs of real exporters.

use std::path::Path;

use skincheck::diff::{self, Accepted, Kind, Options, Report, Source};
use skincheck::import;

use super::{compare, load, reported};
use crate::program::reading;

/// The kinds of all differences.
fn kinds(report: &Report) -> Vec<Kind> {
    report.differences().map(|finding| finding.kind).collect()
}

/// Compares two models or references beside the corpus; `None` without them.
fn compare_cases(paths: [&str; 2], align: &[Accepted]) -> Option<Report> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS")?;
    let cases = Path::new(&corpus).join("../cases/diff");
    let [before, after] = paths.map(|path| cases.join(path));
    if !before.is_file() {
        return None;
    }
    let [before, after] = [before, after].map(|path| {
        if path
            .extension()
            .is_some_and(|extension| extension == "skref")
        {
            let bytes = std::fs::read(&path).expect("it can be read");
            let reference = diff::reference::Reference::parse(&bytes).expect("it is a reference");
            return Source::Reference(Box::new(reference));
        }
        let options = import::Options {
            images: false,
            ..reading()
        };
        let asset = import::load(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        Source::Model(Box::new(asset))
    });
    let mut options = Options::default();
    options.settings.align.extend(align);
    Some(diff::compare(&before, &after, &options).expect("they can be compared"))
}

#[test]
fn clips_with_each_others_names_are_compared_by_their_motion() {
    let names = ["Walk", "Hand", "Nod"];
    let mut before = load("walker.glb");
    let count = before.clips.len();
    assert!(count >= 2, "{count} clips");
    for (clip, name) in before.clips.iter_mut().zip(names) {
        clip.name = name.into();
    }
    let mut after = before.clone();
    let shown: Vec<String> = after.clips.iter().map(|clip| clip.name.clone()).collect();
    for (index, clip) in after.clips.iter_mut().enumerate() {
        clip.name.clone_from(&shown[(index + 1) % count]);
    }
    let report = compare(before.clone(), after, None);
    assert_eq!(
        kinds(&report),
        [Kind::ClipsSwapped],
        "{}",
        reported(&report)
    );
    let message = &report.findings[0].message;
    assert!(
        message.contains("\"Walk\" before is \"Hand\" after"),
        "{message}"
    );

    // One motion under two names.
    let mut after = before.clone();
    let name = std::mem::take(&mut after.clips[0].name);
    after.clips[0] = skincheck::rig::Clip {
        name,
        ..after.clips[1].clone()
    };
    let report = compare(before, after, None);
    let message = &report.differences().next().expect("it differs").message;
    assert_eq!(
        message,
        "clip \"Walk\" after moves as clip \"Hand\" does before"
    );
}

#[test]
fn exchanged_clips_of_a_fox_are_named() {
    let paths = [
        "02_same_reference_range/Fox.glb",
        "14_other/clips_names_permuted.glb",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    assert_eq!(
        kinds(&report),
        [Kind::ClipsSwapped],
        "{}",
        reported(&report)
    );
}

/// The mesh's node does not move with the armature in the FBX file, though the mesh does.
#[test]
fn a_shift_in_time_is_found_whatever_nodes_that_carry_nothing_do() {
    let paths = [
        "04_time_shift_missed/K_start10-4.5.skref",
        "04_time_shift_missed/K_start10-4.5.fbx.fbx",
    ];
    let Some(report) = compare_cases(paths, &[]) else {
        return;
    };
    assert_eq!(
        kinds(&report),
        [Kind::ClipRenamed, Kind::TimeShift],
        "{}",
        reported(&report)
    );
    let Some(report) = compare_cases(paths, &[Accepted::Time]) else {
        return;
    };
    assert_eq!(kinds(&report), [Kind::ClipRenamed], "{}", reported(&report));
    assert!(
        report.takes[0].surface.max < 1e-6 * report.diagonal,
        "{}",
        reported(&report)
    );
}
