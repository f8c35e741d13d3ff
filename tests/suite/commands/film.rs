//! `skincheck film`.

use std::collections::BTreeMap;

use image::AnimationDecoder;
use skincheck_draw::film::{beside, caption, caption_strip};
use skincheck_draw::overlay::with_strip_above;

use crate::folder::Folder;
use crate::program::{Run, on_threads, skincheck};
use crate::support::{assert_generated, assert_image, decoded};

#[test]
fn a_contact_sheet_shows_every_clip_with_captions() {
    let folder = Folder::new();
    let run = folder
        .run("film fixtures/walker.glb --size 128x128 -o sheet.png")
        .ok();
    assert_eq!(run.stderr, "sheet.png: 12 images of 2 clips\n");
    assert_image("film", "sheet", &folder.image("sheet.png"));
}

#[test]
fn an_animation_is_the_one_in_the_guide() {
    let folder = Folder::new();
    let options = "--clip Walk --size 240x320 --fps 12";
    folder
        .run(&format!("film fixtures/walker.glb {options} -o walk.gif"))
        .ok();
    let drawn = std::fs::read(folder.path("walk.gif")).expect("it was written");
    assert!(drawn.len() < 300_000, "{} bytes", drawn.len());
    assert_generated("snapshots/film/walk.gif", &drawn);
}

#[test]
fn dual_quaternions_keep_the_volume_of_a_twisted_forearm() {
    let folder = Folder::new();
    let [linear, dual] = ["linear", "dual-quaternion"].map(|method| {
        let line = format!("--skinning {method} --times 1s --size 300x320");
        let arm = "fixtures/rules/D605.gltf";
        folder.run(&format!("film {arm} {line} -o {method}/")).ok();
        let height = caption_strip(300);
        let image = folder.image(&format!("{method}/0000.png"));
        let mut image = with_strip_above(&image, height);
        caption(&mut image, method, [0, 0], [300, height]);
        image
    });
    assert_image("film", "dual_quaternions", &beside(&linear, &dual));
}

#[test]
fn numbered_files_are_what_render_draws() {
    let folder = Folder::new();
    folder
        .run("film fixtures/walker.glb --clip Walk --fps 4 --size 64x64 -o frames/")
        .ok();
    let count = folder
        .path("frames")
        .read_dir()
        .expect("it was made")
        .count();
    assert_eq!(count, 4, "one second at 4 images a second");
    let render = "render walker.glb --clip Walk --time 0.5 --fit clip --size 64x64 -o -";
    let drawn = decoded(&skincheck(render).ok().stdout);
    assert!(folder.image("frames/0002.png").rgba == drawn.rgba);
}

/// Films a fixture with `threads` threads.
fn film_on(threads: &str, folder: &Folder) -> Run {
    let line = "film walker.glb --fps 8 --size 64x64 --skeleton -o";
    on_threads(threads, &format!("{line} {}/", folder.root().display()))
}

#[test]
fn numbered_files_do_not_depend_on_the_number_of_threads() {
    let files = |threads: &str| -> BTreeMap<_, _> {
        let folder = Folder::new();
        film_on(threads, &folder).ok();
        let files = folder.root().read_dir().expect("the folder was made");
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
        let folder = Folder::new();
        let blocked = folder.path("0005.png");
        std::fs::create_dir(&blocked).expect("a folder can be made");
        film_on(threads, &folder).refuses("0005.png");
    }
}

#[test]
fn shards_draw_every_image_once_with_its_own_number() {
    let (whole, parts) = (Folder::new(), Folder::new());
    let line = "--clip Walk --fps 5 --size 64x64 -o frames/";
    whole.run(&format!("film fixtures/walker.glb {line}")).ok();
    let files = |folder: &Folder| {
        let entries = folder.path("frames").read_dir();
        let entries = entries.expect("the folder was made").map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let bytes = std::fs::read(&path).expect("it is a file");
            (path.file_name().map(ToOwned::to_owned), bytes)
        });
        entries.collect::<BTreeMap<_, _>>()
    };
    for (shard, so_far) in [("1/3", 2), ("2/3", 4), ("3/3", 5)] {
        let run = parts
            .run(&format!("film fixtures/walker.glb {line} --shard {shard}"))
            .ok();
        run.says(" of 5 images of clip \"Walk\"");
        assert_eq!(files(&parts).len(), so_far, "{shard}");
    }
    assert!(files(&parts) == files(&whole));
}

#[test]
fn one_file_has_no_shards() {
    for output in ["walk.gif", "sheet.png"] {
        let folder = Folder::new();
        let run = folder.run(&format!("film fixtures/walker.glb -o {output} --shard 1/2"));
        let expected = format!("{output} is one file; end -o with / to write a folder");
        run.refuses(&expected);
        assert!(!folder.path(output).exists());
    }
}

#[test]
fn an_animation_holds_the_numbered_files() {
    let folder = Folder::new();
    let options = "--clip Walk --fps 4 --size 64x64";
    folder
        .run(&format!("film fixtures/walker.glb {options} -o frames/"))
        .ok();
    folder
        .run(&format!("film fixtures/walker.glb {options} -o walk.apng"))
        .ok();
    let file = std::fs::File::open(folder.path("walk.apng")).expect("the file was written");
    let decoder = image::codecs::png::PngDecoder::new(std::io::BufReader::new(file));
    let frames = decoder
        .expect("it is a PNG")
        .apng()
        .expect("it is animated")
        .into_frames()
        .collect_frames();
    let frames = frames.expect("its images can be decoded");
    assert_eq!(frames.len(), 4);
    for (index, frame) in frames.into_iter().enumerate() {
        let drawn = folder.image(&format!("frames/{index:04}.png")).rgba;
        assert!(frame.into_buffer().into_raw() == drawn, "{index}");
    }
}

#[test]
fn a_turntable_keeps_its_distance() {
    let folder = Folder::new();
    let options = "--orbit --times 1 --size 64x64 --camera front -o one.png";
    folder
        .run(&format!("film fixtures/walker.glb {options}"))
        .ok();
    folder
        .run("film fixtures/walker.glb --orbit --fps 8 --size 96x96 --camera front -o turn/")
        .ok();
    // The height of the drawn area, in pixels.
    let height = |index: usize| {
        let frame = folder.image(&format!("turn/{index:04}.png"));
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
    let folder = Folder::new();
    let run = folder
        .run("film fixtures/arm_mesh_only.fbx --front +Z --size 32x32 -o rest.png")
        .ok();
    assert_eq!(run.stderr, "rest.png: 1 image of the rest pose\n");
    let run = folder
        .run("film fixtures/arm_mesh_only.fbx --front +Z --size 32x32 --fps 5 --orbit -o turn.gif")
        .ok();
    assert_eq!(run.stderr, "turn.gif: 20 images of the rest pose\n");
}

#[test]
fn a_foreign_file_in_the_folder_stays() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("frames")).expect("a folder can be made");
    let foreign = folder.path("frames/0001.png");
    std::fs::write(&foreign, "mine").expect("a file can be written");
    folder
        .run("film fixtures/walker.glb --fps 4 --size 16x16 -o frames/")
        .refuses("0001.png exists and was not written by skincheck");
    let count = folder
        .path("frames")
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
    let folder = Folder::new();
    for (output, expected) in [
        (
            "walk.mp4",
            "expected .png (contact sheet), .gif or .apng (animation), or a folder",
        ),
        ("-", "a film cannot go to standard output"),
    ] {
        folder
            .run(&format!("film fixtures/walker.glb -o {output}"))
            .refuses(expected);
    }
}

#[test]
fn clips_without_room_continue_on_another_sheet() {
    let folder = Folder::new();
    let line = "film fixtures/walker.glb --clip Walk --times 54 --size 8x2000 -o sheet.png";
    let run = folder.run(line).ok();
    assert_eq!(
        run.stderr,
        "sheet-1.png to sheet-5.png, because one sheet has no room for all: 54 images of clip \"Walk\"\n"
    );
    let [first, last] = ["sheet-1.png", "sheet-5.png"].map(|name| folder.image(name));
    assert_eq!([first.width, last.width], [6 * 12 - 4; 2]);
    assert!(first.height > last.height, "two rows and one");
    assert!(!folder.path("sheet.png").exists());
}

/// The limits are known before anything is drawn, which would take minutes and gigabytes.
#[test]
fn a_film_that_is_too_large_is_refused_before_it_is_drawn() {
    let folder = Folder::new();
    let film = "film fixtures/walker.glb --clip Walk -o";
    let started = std::time::Instant::now();
    for (options, expected) in [
        (
            "sheet.png --size 4096x4096 --times 200",
            "200 images of 4096x4096 pixels are too many for one sheet; choose a smaller --size",
        ),
        (
            "walk.gif --size 4096x4096 --times 200",
            "200 images of 4096x4096 pixels are too many for one animation; choose a smaller --size",
        ),
        ("sheet.png --size 8192x8192", "are too many for one sheet"),
    ] {
        folder.run(&format!("{film} {options}")).refuses(expected);
    }
    let seconds = started.elapsed().as_secs();
    assert!(seconds < 20, "{seconds} s");
}

#[test]
fn an_orbit_of_no_number_is_refused() {
    for degrees in ["nan", "inf", "-inf"] {
        Folder::new()
            .run(&format!(
                "film fixtures/walker.glb --orbit={degrees} -o walk.gif"
            ))
            .refuses("expected a number such as 0.5");
    }
}
