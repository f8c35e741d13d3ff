//! Whole processes on large files, on files of which little is needed, and on a whole clip.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::stage::Stage;
use crate::stages::{run, run_on};
use crate::tube::Tube;

/// Models of the corpus, if it exists, each with the arguments of one image.
const IMAGES: [(&str, &str); 4] = [
    ("render of CesiumMan", "CesiumMan_glb/CesiumMan.glb"),
    ("render of Fox", "Fox/Fox.glb"),
    (
        "render of the Kenney FBX",
        "maya_kenney_character_7700_binary/maya_kenney_character_7700_binary.fbx",
    ),
    ("render of Knight, 76 clips", "Knight_KayKit/Knight.glb"),
];

/// One thread each, unless the name says otherwise.
pub(crate) fn all() -> Vec<Stage<'static>> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS").map(PathBuf::from);
    let models = IMAGES.iter().filter_map(|(name, path)| {
        let path = corpus.as_ref()?.join(path);
        path.is_file().then_some((*name, path))
    });
    let models: Vec<_> = models.collect();
    let two = models
        .first()
        .map(|(_, path)| render_with_two(path.clone()));
    let clip = models.first().map(|(_, path)| film_clip(path.clone()));
    let renders = models.into_iter().map(|(name, path)| render(name, path));
    let large = [
        inspect(),
        fit(
            "render, 500 k, fit to the clip",
            "clip",
            "large.glb",
            Tube::LARGE,
        ),
        fit(
            "render, 2 M, fit to the pose",
            "pose",
            "huge.glb",
            Tube::HUGE,
        ),
        check(),
        check_with_two(),
        check_library(),
    ];
    large
        .into_iter()
        .chain(renders)
        .chain(two)
        .chain(clip)
        .collect()
}

/// The bound: no file is read faster than into memory that is already allocated.
fn inspect() -> Stage<'static> {
    let file = Tube::HUGE.file("huge.glb");
    let same = file.clone();
    let mut bytes = Vec::new();
    Stage::new(
        "inspect of 2 million vertices",
        move || run_on(1, [OsStr::new("inspect"), file().as_os_str()]),
        "reading its bytes (bound)",
        move || {
            bytes.clear();
            let mut file = std::fs::File::open(same()).expect("it was just written");
            std::io::Read::read_to_end(&mut file, &mut bytes).expect("it is a file")
        },
    )
}

/// An image whose camera fits the clip or the pose.
fn fit(
    name: &'static str,
    to: &'static str,
    file_name: &'static str,
    tube: Tube,
) -> Stage<'static> {
    let file = tube.file(file_name);
    let same = file.clone();
    let render = move || {
        let (image, model) = (image(), file());
        let words = ["--quiet", "render", "--fit", to, "-o"].map(OsStr::new);
        run_on(
            1,
            words
                .into_iter()
                .chain([image.as_os_str(), model.as_os_str()]),
        );
    };
    let inspect = move || run_on(1, [OsStr::new("inspect"), same().as_os_str()]);
    Stage::new(name, render, "inspect of it (bound)", inspect)
}

/// Checks a model with the program, with this many threads for loops.
fn check_on(threads: usize, model: &Path) {
    let words = ["--quiet", "check", "--no-config", "--no-cache"].map(OsStr::new);
    run_on(threads, words.into_iter().chain([model.as_os_str()]));
}

fn check() -> Stage<'static> {
    let file = Tube::LARGE.file("large.glb");
    let same = file.clone();
    Stage::new(
        "check of 500 k vertices",
        move || check_on(2, &file()),
        "inspect of it (bound)",
        move || run_on(2, [OsStr::new("inspect"), same().as_os_str()]),
    )
}

fn check_with_two() -> Stage<'static> {
    let file = Tube::LARGE.file("large.glb");
    let same = file.clone();
    Stage::new(
        "check of it, two threads",
        move || check_on(2, &file()),
        "with one (bound: half)",
        move || check_on(1, &same()),
    )
}

fn check_library() -> Stage<'static> {
    let file = Tube::LIBRARY.file("library.glb");
    let same = file.clone();
    Stage::new(
        "check of 100 clips of 300 keys",
        move || check_on(2, &file()),
        "inspect of it (bound)",
        move || run_on(2, [OsStr::new("inspect"), same().as_os_str()]),
    )
}

fn image() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-large.png")
}

fn render_on(threads: usize, model: &Path) {
    let words = ["--quiet", "render", "-o"].map(OsStr::new);
    let files = [image().into_os_string(), model.into()];
    run_on(
        threads,
        words.into_iter().chain(files.iter().map(AsRef::as_ref)),
    );
}

fn render(name: &'static str, model: PathBuf) -> Stage<'static> {
    let version = || run([OsStr::new("--version")]);
    Stage::new(
        name,
        move || render_on(1, &model),
        "--version (bound)",
        version,
    )
}

fn render_with_two(model: PathBuf) -> Stage<'static> {
    let same = model.clone();
    Stage::new(
        "render of CesiumMan, 2 threads",
        move || render_on(2, &model),
        "with one (bound: half)",
        move || render_on(1, &same),
    )
}

/// Images of a clip. Runs take long, so these are fewer than the 300 of a clip of ten seconds.
const FRAMES: usize = 60;

/// All images of a clip by one `film`, against one `render` each.
fn film_clip(model: PathBuf) -> Stage<'static> {
    let same = model.clone();
    let film = move || {
        let mut folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-film");
        // The separator at the end of the path requests numbered images.
        folder.push("");
        let times = FRAMES.to_string();
        let words = [
            "--quiet",
            "film",
            "--size",
            "1024x1024",
            "--times",
            &times,
            "-o",
        ];
        let files = [folder.as_os_str(), model.as_os_str()];
        run_on(2, words.map(OsStr::new).into_iter().chain(files));
    };
    let render = move || (0..FRAMES).for_each(|_| render_on(2, &same));
    Stage::new(
        "film of 60 images, 2 threads",
        film,
        "a render process each (peer)",
        render,
    )
}
