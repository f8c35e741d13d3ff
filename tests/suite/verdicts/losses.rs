//! What a reader loses or changes is no fault of the file: a file with such data has no finding that it lacks without it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use skincheck::finding::Level;
use skincheck::import::{Isolation, Options};
use skincheck::lint::{self, Context, Settings};
use skincheck::rig::Location;
use skincheck::{import, rig::Asset};

use crate::fixtures::b3d;
use crate::folder::Folder;
use crate::program::fixture;

/// A loss, planted in a fixture.
struct Loss {
    /// The name of the fixture, which is the file without the lost data.
    file: &'static str,
    /// A text in it, and what replaces it.
    edit: [&'static str; 2],
    /// A file that the fixture needs.
    with: Option<&'static str>,
}

const fn loss(file: &'static str, edit: [&'static str; 2]) -> Loss {
    Loss {
        file,
        edit,
        with: None,
    }
}

/// One per loss in docs/formats.md that text can express.
const NATIVE: &[Loss] = &[
    // Lines and splines.
    loss(
        "arm.dae",
        [
            "</triangles>",
            "</triangles><lines count=\"1\"><input semantic=\"VERTEX\" source=\"#tube-vertices\" offset=\"0\"/><p>0 1</p></lines>",
        ],
    ),
    // A constraint, which moves nothing here.
    loss(
        "arm.fbx",
        [
            "Objects:  {",
            "Objects:  {\n\tConstraint: 900, \"Constraint::aim\", \"Aim\" {\n\t\tType: \"Aim\"\n\t}",
        ],
    ),
    loss("curves.dae", ["BEZIER", "CARDINAL"]),
    loss("curves.dae", ["HERMITE", "BSPLINE"]),
];

/// As [`NATIVE`], for formats that assimp reads.
const FOREIGN: &[Loss] = &[
    loss(
        "arm.x",
        [
            "AnimationKey {",
            "AnimationOptions { 1; 1; }\nAnimationKey {",
        ],
    ),
    loss("arm.obj", ["f 1", "l 1 2\np 1\nf 1"]),
    Loss {
        with: Some("arm.skeleton.xml"),
        ..loss(
            "arm.mesh.xml",
            [
                "<skeletonlink",
                "<poses><pose target=\"submesh\" index=\"0\" name=\"smile\"><poseoffset index=\"0\" x=\"1\" y=\"0\" z=\"0\"/></pose></poses>\n<skeletonlink",
            ],
        )
    },
];

fn load(path: &Path) -> Asset {
    let options = Options {
        isolation: Isolation::InProcess,
        ..Options::default()
    };
    import::load(path, &options).unwrap_or_else(|error| panic!("{}: {error:?}", path.display()))
}

/// The findings at level hint and above, by code and subject.
fn alarms(path: &Path) -> BTreeSet<String> {
    let asset = load(path);
    let settings = Settings::default();
    let checked = lint::check(&Context::new(&asset, path, &settings));
    let alarms = checked.findings.into_iter();
    // C516 reports a loss as such.
    let alarms = alarms.filter(|finding| finding.level >= Level::Hint && finding.code.0 != "C516");
    alarms
        .map(|finding| {
            let location = Location {
                vertex: None,
                joints: Vec::new(),
                time: None,
                ..finding.location
            };
            format!("{} {location}", finding.code)
        })
        .collect()
}

fn nothing_is_new(losses: &[Loss]) {
    for loss in losses {
        let folder = Folder::new();
        for file in [Some(loss.file), loss.with].into_iter().flatten() {
            fs::copy(fixture(file), folder.path(file)).expect("the folder is writable");
        }
        let path = folder.path(loss.file);
        let before = alarms(&path);
        let text = fs::read_to_string(&path).expect("it is a text");
        let [from, to] = loss.edit;
        assert!(text.contains(from), "{}: no {from:?}", loss.file);
        fs::write(&path, text.replacen(from, to, 1)).expect("the folder is writable");
        let new: Vec<String> = alarms(&path).difference(&before).cloned().collect();
        assert!(new.is_empty(), "{} with {to:?}: {new:?}", loss.file);
    }
}

#[test]
fn losses_of_native_readers_accuse_no_file() {
    nothing_is_new(NATIVE);
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs assimp")]
fn losses_of_assimp_accuse_no_file() {
    nothing_is_new(FOREIGN);
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs assimp")]
fn the_fifth_weight_of_a_b3d_vertex_accuses_no_file() {
    let folder = Folder::new();
    let alarms = [3, 4].map(|fingers| {
        let path = folder.path(format!("{fingers}.b3d"));
        fs::write(&path, b3d::with_fingers(fingers)).expect("the folder is writable");
        alarms(&path)
    });
    assert_eq!(alarms[0], alarms[1]);
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs assimp")]
fn files_with_weights_quaternions_and_images_in_few_bits_have_no_finding() {
    // One weight per vertex of several; weights as bytes; quaternions in 8 bits.
    for file in ["arm.ms3d", "arm.m3d", "rounded.m3d", "arm.mdl"] {
        let alarms = alarms(&fixture(file));
        assert!(alarms.is_empty(), "{file}: {alarms:?}");
    }
}
