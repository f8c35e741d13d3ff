//! Whole processes on large files and on files of which little is wanted.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::stage::Stage;
use crate::stages::run;
use crate::tube::Tube;

/// Two million vertices, 152 MB.
const TUBE: Tube = Tube {
    rings: 2000,
    sides: 1000,
    frames: 0,
    is_reversed: false,
};

/// Models of the corpus, if there is one, with what is to be seen of each: one picture.
const PICTURES: [(&str, &str); 4] = [
    ("render of CesiumMan", "CesiumMan_glb/CesiumMan.glb"),
    ("render of Fox", "Fox/Fox.glb"),
    (
        "render of the Kenney FBX",
        "maya_kenney_character_7700_binary/maya_kenney_character_7700_binary.fbx",
    ),
    ("render of Knight, 76 clips", "Knight_KayKit/Knight.glb"),
];

pub(crate) fn all() -> Vec<Stage<'static>> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS").map(PathBuf::from);
    let models = PICTURES.iter().filter_map(|(name, path)| {
        let path = corpus.as_ref()?.join(path);
        path.is_file().then(|| render(name, path))
    });
    std::iter::once(inspect()).chain(models).collect()
}

/// Nothing reads a file faster than into memory that it already has.
fn inspect() -> Stage<'static> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.glb");
    TUBE.write(&path).expect("there is room for it");
    let model = path.clone();
    let mut bytes = Vec::new();
    Stage::new(
        "inspect of 2 million vertices",
        move || run(["inspect".as_ref(), model.as_os_str()]),
        "reading its bytes (bound)",
        move || {
            bytes.clear();
            let mut file = std::fs::File::open(&path).expect("it was just written");
            io::Read::read_to_end(&mut file, &mut bytes).expect("it is a file")
        },
    )
}

fn render(name: &'static str, model: PathBuf) -> Stage<'static> {
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-large.png");
    let version = || run([OsStr::new("--version")]);
    let render = move || {
        let options = ["--quiet", "render", "-o"].map(OsStr::new);
        run(options
            .into_iter()
            .chain([picture.as_os_str(), model.as_os_str()]));
    };
    Stage::new(name, render, "--version (bound)", version)
}
