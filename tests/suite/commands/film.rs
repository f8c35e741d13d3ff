//! `skincheck film`.

use std::collections::BTreeMap;
use std::path::Path;

use image::AnimationDecoder;
use skincheck::frame::{Frame, png};

use crate::program::{Run, arguments, fixture, skincheck, skincheck_in};
use crate::support::assert_image;

/// Films a fixture in an empty folder.
fn film(folder: &Path, model: &str, line: &str) -> Run {
    let model = fixture(model);
    let mut all = vec!["film".into(), model.into_os_string()];
    all.extend(arguments(line).into_iter().map(Into::into));
    skincheck_in(folder, all)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

fn read(path: &Path) -> Frame {
    let bytes = std::fs::read(path).expect("the file was written");
    let image = png::decode(&bytes).expect("the file is a PNG");
    Frame {
        width: image.width,
        height: image.height,
        rgba: image.rgba,
        depth: Vec::new(),
    }
}

#[test]
fn a_contact_sheet_shows_every_clip_with_captions() {
    let folder = folder();
    let run = film(folder.path(), "walker.glb", "--size 128x128 -o sheet.png").ok();
    assert_eq!(run.stderr, "sheet.png: 12 images of 2 clips\n");
    assert_image("film", "sheet", &read(&folder.path().join("sheet.png")));
}

#[test]
fn numbered_files_are_what_render_draws() {
    let folder = folder();
    film(
        folder.path(),
        "walker.glb",
        "--clip Walk --fps 4 --size 64x64 -o frames/",
    )
    .ok();
    let frames = folder.path().join("frames");
    let count = frames.read_dir().expect("the folder was made").count();
    assert_eq!(count, 4, "one second at 4 images a second");
    let render = "render walker.glb --clip Walk --time 0.5 --size 64x64 -o -";
    let drawn = skincheck(arguments(render)).ok().stdout;
    let drawn = png::decode(&drawn).expect("standard output is a PNG");
    assert!(read(&frames.join("0002.png")).rgba == drawn.rgba);
}

/// Films a fixture with `threads` threads.
fn film_on(threads: &str, folder: &Path) -> std::process::Output {
    let line = "film walker.glb --fps 8 --size 64x64 --skeleton -o";
    std::process::Command::new(crate::program::path())
        .args(arguments(line))
        .arg(folder.join(""))
        .current_dir(fixture(""))
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("the binary under test starts")
}

#[test]
fn numbered_files_do_not_depend_on_the_number_of_threads() {
    let files = |threads: &str| -> BTreeMap<_, _> {
        let folder = folder();
        assert!(film_on(threads, folder.path()).status.success());
        let files = folder.path().read_dir().expect("the folder was made");
        let files = files.map(|file| file.expect("it can be listed"));
        let read = |file: std::fs::DirEntry| (file.file_name(), std::fs::read(file.path()).ok());
        files.map(read).collect()
    };
    let once = files("1");
    assert_eq!(once.len(), 8);
    assert!(once == files("2") && once == files("5"));
}

#[test]
fn an_image_that_one_of_the_threads_cannot_write_is_an_error() {
    for threads in ["1", "3"] {
        let folder = folder();
        let blocked = folder.path().join("0005.png");
        std::fs::create_dir(&blocked).expect("a folder can be made");
        let output = film_on(threads, folder.path());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("0005.png"), "{stderr}");
    }
}

#[test]
fn shards_draw_every_image_once_with_its_own_number() {
    let (whole, parts) = (folder(), folder());
    let line = "--clip Walk --fps 5 --size 64x64 -o frames/";
    film(whole.path(), "walker.glb", line).ok();
    let files = |folder: &tempfile::TempDir| {
        let entries = folder.path().join("frames").read_dir();
        let entries = entries.expect("the folder was made").map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let bytes = std::fs::read(&path).expect("it is a file");
            (path.file_name().map(ToOwned::to_owned), bytes)
        });
        entries.collect::<BTreeMap<_, _>>()
    };
    for (shard, so_far) in [("1/3", 2), ("2/3", 4), ("3/3", 5)] {
        let run = film(
            parts.path(),
            "walker.glb",
            &format!("{line} --shard {shard}"),
        )
        .ok();
        assert!(
            run.stderr.contains(" of 5 images of clip \"Walk\""),
            "{}",
            run.stderr
        );
        assert_eq!(files(&parts).len(), so_far, "{shard}");
    }
    assert!(files(&parts) == files(&whole));
}

#[test]
fn one_file_has_no_shards() {
    for output in ["walk.gif", "sheet.png"] {
        let folder = folder();
        let run = film(
            folder.path(),
            "walker.glb",
            &format!("-o {output} --shard 1/2"),
        );
        let expected = format!("{output} is one file; end -o with / to write a folder");
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
        assert!(!folder.path().join(output).exists());
    }
}

#[test]
fn an_animation_holds_the_numbered_files() {
    let folder = folder();
    let options = "--clip Walk --fps 4 --size 64x64";
    film(
        folder.path(),
        "walker.glb",
        &format!("{options} -o frames/"),
    )
    .ok();
    film(
        folder.path(),
        "walker.glb",
        &format!("{options} -o walk.webp"),
    )
    .ok();
    let file = std::fs::File::open(folder.path().join("walk.webp")).expect("the file was written");
    let decoder = image::codecs::webp::WebPDecoder::new(std::io::BufReader::new(file));
    let frames = decoder
        .expect("it is a WebP")
        .into_frames()
        .collect_frames();
    let frames = frames.expect("its images can be decoded");
    assert_eq!(frames.len(), 4);
    for (index, frame) in frames.into_iter().enumerate() {
        let path = folder.path().join(format!("frames/{index:04}.png"));
        assert!(
            frame.into_buffer().into_raw() == read(&path).rgba,
            "{index}"
        );
    }
}

#[test]
fn a_turntable_keeps_its_distance() {
    let folder = folder();
    let options = "--orbit --times 1 --size 64x64 --camera front -o one.png";
    film(folder.path(), "walker.glb", options).ok();
    film(
        folder.path(),
        "walker.glb",
        "--orbit --fps 8 --size 96x96 --camera front -o turn/",
    )
    .ok();
    // The height of the drawn area, in pixels.
    let height = |index: usize| {
        let frame = read(&folder.path().join(format!("turn/{index:04}.png")));
        let ground = frame.rgba[..3].to_vec();
        let rows = frame.rgba.chunks_exact(4 * 96);
        rows.filter(|row| row.chunks_exact(4).any(|pixel| pixel[..3] != ground[..]))
            .count()
    };
    let heights: Vec<usize> = (0..8).map(height).collect();
    let (least, most) = (heights.iter().min().unwrap(), heights.iter().max().unwrap());
    assert!(*least > 60 && most - least <= 6, "{heights:?}");
}

#[test]
fn a_model_without_clips_has_one_image_or_a_turntable() {
    let folder = folder();
    let run = film(
        folder.path(),
        "arm_mesh_only.fbx",
        "--size 32x32 -o rest.png",
    )
    .ok();
    assert_eq!(run.stderr, "rest.png: 1 image of the rest pose\n");
    let run = film(
        folder.path(),
        "arm_mesh_only.fbx",
        "--size 32x32 --fps 5 --orbit -o turn.gif",
    )
    .ok();
    assert_eq!(run.stderr, "turn.gif: 20 images of the rest pose\n");
}

#[test]
fn a_foreign_file_in_the_folder_stays() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("frames")).expect("a folder can be made");
    let foreign = folder.path().join("frames/0001.png");
    std::fs::write(&foreign, "mine").expect("a file can be written");
    let run = film(
        folder.path(),
        "walker.glb",
        "--fps 4 --size 16x16 -o frames/",
    );
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("0001.png exists and was not written by skincheck"),
        "{}",
        run.stderr
    );
    let count = folder
        .path()
        .join("frames")
        .read_dir()
        .expect("it is there")
        .count();
    assert_eq!(
        (count, std::fs::read(&foreign).expect("it is there")),
        (1, b"mine".to_vec())
    );
}

#[test]
fn an_output_that_names_no_kind_of_film_is_refused() {
    let folder = folder();
    for (output, expected) in [
        (
            "walk.mp4",
            "expected .png (contact sheet), .gif, .webp or .apng (animation), or a folder",
        ),
        ("-", "a film cannot go to standard output"),
    ] {
        let run = film(folder.path(), "walker.glb", &format!("-o {output}"));
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
