//! Defaults of images: the clip, the side, the distance; and several images at once.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skincheck::export::to_gltf;
use skincheck::frame::{Frame, png};
use skincheck::glam::Vec3;
use skincheck::rig::{AssetBuilder, Mesh, Trs};

use crate::program::{Run, arguments, fixture, skincheck, skincheck_in};
use crate::support::assert_image;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Runs the words of `line`, with `model` inserted as the second word.
fn run_on(folder: &Path, command: &str, model: &Path, line: &str) -> Run {
    let mut all = vec![command.into(), model.as_os_str().to_owned()];
    all.extend(arguments(line).into_iter().map(Into::into));
    skincheck_in(folder, all)
}

fn read(path: &Path) -> Frame {
    decoded(&std::fs::read(path).expect("the file was written"))
}

fn decoded(bytes: &[u8]) -> Frame {
    let image = png::decode(bytes).expect("it is a PNG");
    Frame {
        width: image.width,
        height: image.height,
        rgba: image.rgba,
        depth: Vec::new(),
    }
}

fn image(line: &str) -> Frame {
    decoded(
        &skincheck(arguments(&format!("render {line} -o -")))
            .ok()
            .stdout,
    )
}

/// `arm.gltf` with a copy of its first clip in front. `edit` changes the copy's name and keys.
fn arm_with_first_clip(folder: &Path, name: &str) -> PathBuf {
    let text = std::fs::read_to_string(fixture("arm.gltf")).expect("it is text");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    let animations = document["animations"].as_array_mut().expect("it has clips");
    let mut first = animations[2].clone();
    first["name"] = json!(name);
    animations.insert(0, first);
    let path = folder.join("arm.gltf");
    std::fs::write(&path, document.to_string()).expect("the folder is writable");
    path
}

#[test]
fn a_reference_pose_in_front_of_the_clips_is_skipped_by_every_command() {
    let folder = folder();
    let model = arm_with_first_clip(folder.path(), "RESET");
    let said =
        "clip \"RESET\" is named after a reference pose; using \"Bend\", --clip selects another";
    for (command, line, shown) in [
        (
            "render",
            "--size 16x16 -o a.png",
            "a.png: clip \"Bend\" at 0 s",
        ),
        (
            "film",
            "--size 16x16 --fps 2 -o a.gif",
            "a.gif: 2 images of clip \"Bend\"",
        ),
        ("bake", "-o a.json", "a.json: clip \"Bend\" at 0 s"),
    ] {
        let run = run_on(folder.path(), command, &model, line).ok();
        assert!(run.stderr.contains(said), "{command}: {}", run.stderr);
        assert!(run.stderr.contains(shown), "{command}: {}", run.stderr);
        let chosen = format!("--clip 0 {line}");
        let run = run_on(folder.path(), command, &model, &chosen).ok();
        assert!(
            run.stderr.contains("clip \"RESET\"") && !run.stderr.contains("using"),
            "{}",
            run.stderr
        );
    }
}

#[test]
#[cfg_attr(not(feature = "gl"), ignore = "needs OpenGL")]
fn a_reference_pose_in_front_of_the_clips_is_skipped_by_crosscheck_too() {
    let folder = folder();
    let model = arm_with_first_clip(folder.path(), "T-Pose");
    let run = run_on(
        folder.path(),
        "crosscheck",
        &model,
        "--times 2 --size 32x32",
    )
    .ok();
    assert!(
        run.text().contains("Bend") && !run.text().contains("T-Pose"),
        "{}",
        run.text()
    );
    assert!(run.stderr.contains("using \"Bend\""), "{}", run.stderr);
}

#[test]
fn a_clip_that_does_not_move_is_skipped() {
    let folder = folder();
    let model = arm_with_first_clip(folder.path(), "Take 001");
    let text = std::fs::read_to_string(&model).expect("it is text");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    document["animations"][0]["channels"] = json!([]);
    std::fs::write(&model, document.to_string()).expect("the folder is writable");
    let run = run_on(folder.path(), "render", &model, "--size 16x16 -o a.png").ok();
    assert!(
        run.stderr
            .contains("clip \"Take 001\" does not move; using \"Bend\""),
        "{}",
        run.stderr
    );
}

/// `walker.glb` below a node that rotates it about the up axis by 180°.
fn rotated_walker(folder: &Path) -> PathBuf {
    let bytes = std::fs::read(fixture("walker.glb")).expect("it is there");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let mut document: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("it is JSON");
    let roots = document["scenes"][0]["nodes"].take();
    let nodes = document["nodes"].as_array_mut().expect("it has nodes");
    nodes.push(json!({"name": "turn", "rotation": [0, 1, 0, 0], "children": roots}));
    document["scenes"][0]["nodes"] = json!([nodes.len() - 1]);
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + length..];
    let number = |count: usize| u32::try_from(count).expect("a small file").to_le_bytes();
    let header = [
        &bytes[..8],
        &number(20 + text.len() + rest.len()),
        &number(text.len()),
        &bytes[16..20],
    ]
    .concat();
    let path = folder.join("turned.glb");
    std::fs::write(&path, [&header[..], &text, rest].concat()).expect("the folder is writable");
    path
}

#[test]
fn a_figure_is_seen_from_its_front_however_its_file_rotates_it() {
    let folder = folder();
    let rotated = rotated_walker(folder.path());
    let line = "--time 0.3 --size 96x96 --camera front";
    run_on(
        folder.path(),
        "render",
        &rotated,
        &format!("{line} -o front.png"),
    )
    .ok();
    run_on(
        folder.path(),
        "render",
        &rotated,
        &format!("{line} --front +Z -o back.png"),
    )
    .ok();
    let apart = |name: &str, other: &Frame| {
        let own = read(&folder.path().join(name));
        let pairs = own
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .zip(other.rgba.as_chunks::<4>().0);
        pairs
            .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2))
            .count()
    };
    let straight = |camera: &str| {
        image(&format!(
            "walker.glb --time 0.3 --size 96x96 --camera {camera}"
        ))
    };
    assert!(apart("front.png", &straight("front")) < 20);
    assert!(apart("back.png", &straight("back")) < 20);
    assert!(
        apart("back.png", &straight("front")) > 500,
        "the check sees no difference"
    );
    let run = run_on(folder.path(), "inspect", &rotated, "").ok();
    assert!(
        run.text().contains("-Z: the toes point that way"),
        "{}",
        run.text()
    );
}

#[test]
fn a_front_along_the_up_axis_is_refused() {
    let run = skincheck(arguments("render walker.glb --front +Y -o -"));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("the model's up axis is +Y"),
        "{}",
        run.stderr
    );
    let run = skincheck(arguments("render walker.glb --front up -o -"));
    assert!(run.stderr.contains("expected +X, -X, +Y"), "{}", run.stderr);
}

/// A triangle of one unit that travels by `way` units within a second.
fn traveller(folder: &Path, way: f32) -> PathBuf {
    let mut rig = AssetBuilder::new();
    let hips = rig.joint("hips", None, Trs::IDENTITY);
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(hips, 1.0)], [(hips, 1.0)], [(hips, 1.0)]]);
    let clip = rig.clip("run");
    rig.translate(clip, hips, [(0.0, Vec3::ZERO), (1.0, Vec3::X * way)]);
    let asset = rig.build().expect("it is a valid asset");
    let path = folder.join("traveller.gltf");
    std::fs::write(&path, to_gltf(&asset).expect("it is finite")).expect("the folder is writable");
    path
}

/// The number of pixels that are not background.
fn drawn(frame: &Frame) -> usize {
    let pixels = frame.rgba.as_chunks::<4>().0;
    pixels.iter().filter(|pixel| **pixel != pixels[0]).count()
}

#[test]
fn a_figure_that_travels_far_is_followed_at_one_size() {
    let folder = folder();
    let far = traveller(folder.path(), 20.0);
    let line = "--size 64x64 --camera front --frame 0..3 --fps 3";
    let run = run_on(folder.path(), "render", &far, &format!("{line} -o far/")).ok();
    assert!(
        run.stderr.contains("the camera follows the figure"),
        "{}",
        run.stderr
    );
    let count = |folder_name: &str, index: usize| {
        drawn(&read(
            &folder.path().join(format!("{folder_name}/{index:04}.png")),
        ))
    };
    let sizes: Vec<usize> = (0..4).map(|index| count("far", index)).collect();
    assert!(
        sizes
            .iter()
            .all(|size| size.abs_diff(sizes[0]) <= 4 && *size > 1000),
        "{sizes:?}"
    );
    let run = run_on(
        folder.path(),
        "render",
        &far,
        &format!("{line} --fit clip -o whole/"),
    )
    .ok();
    assert!(!run.stderr.contains("follows"), "{}", run.stderr);
    assert!(count("whole", 0) < 40);
    let near = traveller(folder.path(), 1.0);
    let run = run_on(
        folder.path(),
        "film",
        &near,
        "--size 64x64 --fps 3 -o near/",
    )
    .ok();
    assert!(!run.stderr.contains("follows"), "{}", run.stderr);
    let run = run_on(
        folder.path(),
        "film",
        &near,
        "--size 64x64 --fps 3 --fit follow --camera front -o near/",
    )
    .ok();
    assert_eq!(run.stderr, "near/: 3 images of clip \"run\"\n");
    assert_eq!(count("near", 0), count("near", 2));
}

#[test]
fn a_grid_is_behind_the_figure_and_the_size_of_its_squares_is_reported() {
    let line = "walker.glb --time 0.3 --size 320x320 --grid";
    let run = skincheck_in(folder().path(), {
        let mut all: Vec<std::ffi::OsString> =
            vec!["render".into(), fixture("walker.glb").into_os_string()];
        all.extend(
            arguments("--time 0.3 --size 16x16 --grid -o a.png")
                .into_iter()
                .map(Into::into),
        );
        all
    });
    assert_eq!(
        run.ok().stderr,
        "a.png: clip \"Walk\" at 0.3 s, grid of 0.2 m\n"
    );
    assert_image("render", "grid", &image(line));
    let with = image("walker.glb --time 0.3 --size 128x128 --camera top --grid");
    let without = image("walker.glb --time 0.3 --size 128x128 --camera top");
    let pairs = with
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .zip(without.rgba.as_chunks::<4>().0);
    let ground = without.rgba.as_chunks::<4>().0[0];
    let changed: Vec<_> = pairs.filter(|(with, without)| with != without).collect();
    assert!(changed.len() > 500);
    let behind = changed
        .iter()
        .filter(|(_, without)| **without == ground)
        .count();
    assert_eq!(behind, changed.len(), "a line was drawn over the figure");
}

#[test]
fn a_missing_texture_is_a_checker_and_is_reported() {
    let folder = folder();
    let model = fixture("missing_texture.gltf");
    let run = run_on(
        folder.path(),
        "render",
        &model,
        "--size 64x64 --camera front -o a.png",
    )
    .ok();
    assert!(
        run.stderr.contains("is missing and drawn as a checker"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("a.png: rest pose, 1 texture missing"),
        "{}",
        run.stderr
    );
    let frame = read(&folder.path().join("a.png"));
    let is_magenta = |pixel: &[u8; 4]| pixel[0] > 90 && pixel[2] > 90 && pixel[1] < 70;
    let magenta = frame
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .filter(|pixel| is_magenta(pixel))
        .count();
    assert!(magenta > 300, "{magenta}");
}

#[test]
fn several_poses_are_numbered_files() {
    let folder = folder();
    let walker = fixture("walker.glb");
    let run = run_on(
        folder.path(),
        "render",
        &walker,
        "--clip Walk --frame 0..2 --fps 4 --size 64x64 -o frames/",
    )
    .ok();
    assert_eq!(run.stderr, "frames/: 3 images of clip \"Walk\"\n");
    let one = image("walker.glb --clip Walk --frame 1 --fps 4 --size 64x64");
    assert!(read(&folder.path().join("frames/0001.png")).rgba == one.rgba);
    let run = run_on(
        folder.path(),
        "render",
        &walker,
        "--clip Walk --clip Wave --size 32x32 -o clips/",
    )
    .ok();
    assert_eq!(run.stderr, "clips/: 2 images of 2 clips\n");
}

#[test]
fn several_models_are_files_of_their_names() {
    let folder = folder();
    let line = format!("{} --size 32x32 -o out/", fixture("arm.gltf").display());
    run_on(folder.path(), "render", &fixture("walker.glb"), &line).ok();
    for name in ["walker", "arm"] {
        let alone = image(&format!(
            "{name}.{} --size 32x32",
            if name == "arm" { "gltf" } else { "glb" }
        ));
        assert!(
            read(&folder.path().join(format!("out/{name}.png"))).rgba == alone.rgba,
            "{name}"
        );
    }
    let line = format!(
        "{} --frame 0..1 --size 16x16 -o out/",
        fixture("arm.gltf").display()
    );
    run_on(folder.path(), "render", &fixture("walker.glb"), &line).ok();
    assert!(folder.path().join("out/arm/0001.png").exists());
}

#[test]
fn one_file_for_many_images_is_refused_with_what_to_do() {
    let folder = folder();
    let walker = fixture("walker.glb");
    for (line, words) in [
        (
            "--frame 0..3 -o a.png",
            "several poses are several images, but this names one file",
        ),
        ("--frame 0..3", "name a folder for them with -o FOLDER/"),
        (
            "--frame 3..0 -o a/",
            "the last frame comes before the first",
        ),
        ("--frame 0..99999 -o a/", "expected at most 10000 frames"),
        (
            "--frame 0..x -o a/",
            "expected a whole number such as 12, or a range",
        ),
    ] {
        let run = run_on(folder.path(), "render", &walker, line);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
    let twice = format!("{} -o a/", walker.display());
    let run = run_on(folder.path(), "render", &walker, &twice);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("to the same file"), "{}", run.stderr);
    assert!(
        folder
            .path()
            .read_dir()
            .expect("it is there")
            .next()
            .is_none(),
        "something was written"
    );
}

#[test]
fn a_comparison_shows_both_versions_with_one_camera() {
    let folder = folder();
    let arm = fixture("arm.gltf");
    let line = format!(
        "--compare {} --clip Bend --fps 2 --size 160x160 -o same/",
        arm.display()
    );
    let run = run_on(folder.path(), "film", &arm, &line).ok();
    assert_eq!(run.stderr, "same/: 2 images of clip \"Bend\"\n");
    let both = read(&folder.path().join("same/0001.png"));
    assert_eq!([both.width, both.height], [320, 160]);
    let halves = |frame: &Frame| {
        let rows = frame.rgba.chunks_exact(4 * 320).skip(16);
        rows.map(|row| (row[..640].to_vec(), row[640..].to_vec()))
            .collect::<Vec<_>>()
    };
    assert!(halves(&both).iter().all(|(before, after)| before == after));
    let other_axes = fixture("z_up_centimetres.fbx");
    let line = format!(
        "--compare {} --size 160x160 -o change.png",
        other_axes.display()
    );
    run_on(
        folder.path(),
        "film",
        &arm,
        &format!("{line} --clip Bend --times 3"),
    )
    .ok();
    assert_image("film", "compare", &read(&folder.path().join("change.png")));
}
