//! Defaults of images: the clip, the side, the distance; and several images at once.

use serde_json::{Value, json};
use skincheck::export::to_gltf;
use skincheck::frame::Frame;
use skincheck::glam::Vec3;
use skincheck::rig::{AssetBuilder, Mesh, Trs};

use crate::folder::Folder;
use crate::program::{fixture, skincheck};
use crate::support::{assert_image, decoded};

fn image(line: &str) -> Frame {
    decoded(&skincheck(&format!("render {line} -o -")).ok().stdout)
}

/// `arm.gltf` with a copy of its first clip in front. `edit` changes the copy's name and keys.
fn add_arm_with_first_clip(folder: &Folder, name: &str) {
    let text = std::fs::read_to_string(fixture("arm.gltf")).expect("it is text");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    let animations = document["animations"].as_array_mut().expect("it has clips");
    let mut first = animations[2].clone();
    first["name"] = json!(name);
    animations.insert(0, first);
    folder.write("arm.gltf", document.to_string());
}

#[test]
fn a_reference_pose_in_front_of_the_clips_is_skipped_by_every_command() {
    let folder = Folder::new();
    add_arm_with_first_clip(&folder, "RESET");
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
        let run = folder.run(&format!("{command} arm.gltf {line}")).ok();
        run.says(said).says(shown);
        let chosen = format!("--clip 0 {line}");
        let run = folder.run(&format!("{command} arm.gltf {chosen}")).ok();
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
    let folder = Folder::new();
    add_arm_with_first_clip(&folder, "T-Pose");
    let run = folder.run("crosscheck arm.gltf --times 2").ok();
    assert!(
        run.text().contains("Bend") && !run.text().contains("T-Pose"),
        "{}",
        run.text()
    );
    run.says("using \"Bend\"");
}

#[test]
fn a_clip_that_does_not_move_is_skipped() {
    let folder = Folder::new();
    add_arm_with_first_clip(&folder, "Take 001");
    let text = folder.read("arm.gltf");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    document["animations"][0]["channels"] = json!([]);
    folder.write("arm.gltf", document.to_string());
    folder
        .run("render arm.gltf --size 16x16 -o a.png")
        .ok()
        .says("clip \"Take 001\" does not move; using \"Bend\"");
}

/// `walker.glb` below a node that rotates it about the up axis by 180°.
fn add_rotated_walker(folder: &Folder) {
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
    folder.write("turned.glb", [&header[..], &text, rest].concat());
}

#[test]
fn a_figure_is_seen_from_its_front_however_its_file_rotates_it() {
    let folder = Folder::new();
    add_rotated_walker(&folder);
    let line = "--time 0.3 --size 96x96 --camera front";
    folder
        .run(&format!("render turned.glb {line} -o front.png"))
        .ok();
    folder
        .run(&format!("render turned.glb {line} --front +Z -o back.png"))
        .ok();
    let apart = |name: &str, other: &Frame| {
        let own = folder.image(name);
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
    folder
        .run("inspect turned.glb")
        .ok()
        .prints("-Z: the toes point that way");
}

#[test]
fn a_front_along_the_up_axis_is_refused() {
    skincheck("render walker.glb --front +Y -o -").refuses("the model's up axis is +Y");
    skincheck("render walker.glb --front up -o -").says("expected +X, -X, +Y");
}

/// A triangle of one unit that travels by `way` units within a second.
fn add_traveller(folder: &Folder, name: &str, way: f32) {
    let mut rig = AssetBuilder::new();
    let hips = rig.node("hips", None, Trs::IDENTITY);
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(hips, 1.0)], [(hips, 1.0)], [(hips, 1.0)]]);
    let clip = rig.clip("run");
    rig.translate(clip, hips, [(0.0, Vec3::ZERO), (1.0, Vec3::X * way)]);
    let asset = rig.build().expect("it is a valid asset");
    folder.write(name, to_gltf(&asset).expect("it is finite"));
}

/// The number of pixels that are not background.
fn drawn(frame: &Frame) -> usize {
    let pixels = frame.rgba.as_chunks::<4>().0;
    pixels.iter().filter(|pixel| **pixel != pixels[0]).count()
}

#[test]
fn a_figure_that_travels_far_is_followed_at_one_size() {
    let folder = Folder::new();
    add_traveller(&folder, "far.gltf", 20.0);
    let line = "--size 64x64 --camera front --frame 0..3 --fps 3";
    folder
        .run(&format!("render far.gltf {line} -o far/"))
        .ok()
        .says("the camera follows the figure");
    let count = |folder_name: &str, index: usize| {
        drawn(&folder.image(&format!("{folder_name}/{index:04}.png")))
    };
    let sizes: Vec<usize> = (0..4).map(|index| count("far", index)).collect();
    assert!(
        sizes
            .iter()
            .all(|size| size.abs_diff(sizes[0]) <= 4 && *size > 1000),
        "{sizes:?}"
    );
    let run = folder
        .run(&format!("render far.gltf {line} --fit clip -o whole/"))
        .ok();
    assert!(!run.stderr.contains("follows"), "{}", run.stderr);
    assert!(count("whole", 0) < 40);
    add_traveller(&folder, "near.gltf", 1.0);
    let run = folder
        .run("film near.gltf --size 64x64 --fps 3 -o near/")
        .ok();
    assert!(!run.stderr.contains("follows"), "{}", run.stderr);
    let line =
        "film near.gltf --size 64x64 --fps 3 --fit follow --camera front --front +Z -o near/";
    assert_eq!(
        folder.run(line).ok().stderr,
        "near/: 3 images of clip \"run\"\n"
    );
    assert_eq!(count("near", 0), count("near", 2));
}

#[test]
fn a_grid_is_behind_the_figure_and_the_size_of_its_squares_is_reported() {
    let line = "walker.glb --time 0.3 --size 320x320 --grid";
    let render = "render fixtures/walker.glb --time 0.3 --size 16x16 --grid -o a.png";
    assert_eq!(
        Folder::new().run(render).ok().stderr,
        "a.png: clip \"Walk\" at 0.3 s (frame 7.2), grid of 0.2 m\n"
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
fn a_missing_texture_is_marked_clay_and_is_reported() {
    let folder = Folder::new();
    let run = folder
        .run("render fixtures/missing_texture.gltf --size 64x64 --camera front -o a.png")
        .ok();
    run.says("is missing and drawn as marked clay")
        .says("a.png: rest pose\n");
    let frame = folder.image("a.png");
    let is_magenta = |pixel: &[u8; 4]| pixel[0] > 90 && pixel[2] > 90 && pixel[1] < 70;
    let magenta = frame
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .filter(|pixel| is_magenta(pixel))
        .count();
    assert!(magenta > 20, "{magenta}");
    let texture = |index: usize| serde_json::json!({ "index": index });
    folder.write(
        "three.gltf",
        serde_json::json!({
            "asset": {"version": "2.0"},
            "nodes": [{}],
            "images": [{"uri": "x.png"}, {"uri": "y.png"}, {"uri": "z.png"}],
            "textures": [{"source": 0}, {"source": 1}, {"source": 2}],
            "materials": [
                {"pbrMetallicRoughness": {"baseColorTexture": texture(2)}, "normalTexture": texture(0)},
                {"normalTexture": texture(1)},
            ],
        })
        .to_string(),
    );
    let warned = folder
        .run("render three.gltf --size 16x16 -o three.png")
        .ok()
        .stderr;
    let told = "; also missing: x.png, y.png\n";
    let warnings: Vec<&str> = warned
        .split_inclusive('\n')
        .filter(|line| line.contains("missing"))
        .collect();
    assert!(
        matches!(&warnings[..], [one] if one.contains("clay: z.png") && one.ends_with(told)),
        "{warned}"
    );
}

#[test]
fn models_of_one_name_are_numbered_files() {
    let folder = Folder::with(&[("arm.gltf", "a/arm.gltf"), ("arm.gltf", "b/arm.gltf")]);
    let line = "render a/arm.gltf b/arm.gltf --size 32x32 -o out/";
    folder.run(line).ok();
    assert!(folder.image("out/arm.png").rgba == folder.image("out/arm-2.png").rgba);
}

#[test]
fn several_poses_are_numbered_files() {
    let folder = Folder::new();
    let line = "--clip Walk --frame 0..2 --fps 4 --size 64x64 -o frames/";
    let run = folder.run(&format!("render fixtures/walker.glb {line}"));
    assert_eq!(run.ok().stderr, "frames/: 3 images of clip \"Walk\"\n");
    let one = image("walker.glb --clip Walk --frame 1 --fps 4 --fit clip --size 64x64");
    assert!(folder.image("frames/0001.png").rgba == one.rgba);
    let line = "--clip Walk --clip Wave --size 32x32 -o clips/";
    let run = folder.run(&format!("render fixtures/walker.glb {line}"));
    assert_eq!(run.ok().stderr, "clips/: 2 images of 2 clips\n");
}

#[test]
fn several_models_are_files_of_their_names() {
    let folder = Folder::new();
    let both = "render fixtures/walker.glb fixtures/arm.gltf";
    folder.run(&format!("{both} --size 32x32 -o out/")).ok();
    for (model, written) in [
        ("walker.glb", "out/walker.png"),
        ("arm.gltf", "out/arm.png"),
    ] {
        let alone = image(&format!("{model} --size 32x32"));
        assert!(folder.image(written).rgba == alone.rgba, "{model}");
    }
    let line = format!("{both} --frame 0..1 --size 16x16 -o out/");
    folder.run(&line).ok();
    assert!(folder.path("out/arm/0001.png").exists());
}

#[test]
fn several_models_in_one_file_are_a_contact_sheet() {
    let folder = Folder::new();
    let models = "fixtures/walker.glb fixtures/arm.gltf";
    let run = folder.run(&format!(
        "render {models} --camera front --size 200x160 -o all.png"
    ));
    assert_eq!(run.ok().stderr, "all.png: 2 models\n");
    let sheet = folder.image("all.png");
    assert!(sheet.width > 2 * 200 && sheet.height > 160);
    let line = "render fixtures/arm.gltf --camera front --size 200x160 -o arm.png";
    folder.run(line).ok();
    let alone = folder.image("arm.png");
    let row = |frame: &Frame, y: u32, x: u32| {
        let start = 4 * (y * frame.width + x) as usize;
        frame.rgba[start..start + 4 * 200].to_vec()
    };
    let heading = (0..sheet.height - 160).find(|top| {
        let own = |y: u32| row(&sheet, top + y, sheet.width - 200);
        (0..160).all(|y| own(y) == row(&alone, y, 0))
    });
    assert!(heading.is_some(), "the second model is not in the sheet");
    let run = folder.run(&format!("render {models} --size 3000x3000 -o large.png"));
    assert_eq!(
        run.ok().stderr,
        "large-1.png to large-2.png: 2 models\n",
        "one sheet has no room for both"
    );
    let line = "fixtures/arm.gltf fixtures/broken/truncated.glb";
    folder
        .run(&format!("render {line} -o some.png"))
        .refuses("truncated.glb: the file ends")
        .says("some.png: 2 models\n")
        .says("1 of 2 models could not be drawn");
    assert!(folder.path("some.png").exists());
    folder
        .run(&format!("render {line} -o some/"))
        .refuses("1 of 2 models could not be drawn");
    assert!(folder.path("some/arm.png").exists());
    folder
        .run("render fixtures/broken/truncated.glb fixtures/broken/truncated.glb -o none.png")
        .refuses("2 of 2 models could not be drawn");
    assert!(!folder.path("none.png").exists());
    for output in ["-", "pictures", "a.jpg"] {
        folder
            .run(&format!("render {models} -o {output}"))
            .refuses("or with .png for a contact sheet");
    }
}

#[test]
fn pages_of_a_contact_sheet_replace_no_input_and_nothing_of_others() {
    let folder = Folder::with(&[
        ("checker.png", "mine-2.png"),
        ("missing_texture.gltf", "b.gltf"),
    ]);
    let model = folder.read("b.gltf");
    folder.write("b.gltf", model.replace("nowhere.png", "all-1.png"));
    let own = "render fixtures/arm.gltf --size 16x16 -o all-1.png";
    folder.run(own).ok();
    let names = ["all-1.png", "mine-2.png"];
    let before = names.map(|name| folder.bytes(name));
    let line = "render fixtures/arm.gltf b.gltf --size 3000x3000";
    folder
        .run(&format!("{line} -o all.png"))
        .refuses("cannot write all-1.png: it is the input");
    folder
        .run(&format!("{line} -o mine.png"))
        .refuses("mine-2.png exists and was not written by skincheck");
    assert_eq!(names.map(|name| folder.bytes(name)), before);
    for name in ["all-2.png", "mine-1.png"] {
        assert!(!folder.path(name).exists(), "{name}");
    }
}

#[test]
fn one_file_for_many_images_is_refused_with_what_to_do() {
    let folder = Folder::new();
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
        folder
            .run(&format!("render fixtures/walker.glb {line}"))
            .refuses(words);
    }
    let mut written = folder.root().read_dir().expect("it is there");
    assert!(written.next().is_none(), "something was written");
}

#[test]
fn a_comparison_shows_both_versions_with_one_camera() {
    let folder = Folder::new();
    let film = "film fixtures/arm.gltf --clip Bend --size 160x160 --compare";
    let run = folder.run(&format!("{film} fixtures/arm.gltf --fps 2 -o same/"));
    let line = "same/: 2 images of clip \"Bend\"\n";
    assert!(run.ok().stderr.ends_with(line));
    let both = folder.image("same/0001.png");
    assert_eq!([both.width, both.height], [320, 160]);
    let halves = |frame: &Frame| {
        let rows = frame.rgba.chunks_exact(4 * 320).skip(16);
        rows.map(|row| (row[..640].to_vec(), row[640..].to_vec()))
            .collect::<Vec<_>>()
    };
    assert!(halves(&both).iter().all(|(before, after)| before == after));
    let line = format!("{film} fixtures/z_up_centimetres.fbx --times 3 -o change.png");
    folder.run(&line).ok();
}

/// The walker whose clips drive its arms no more.
fn walker_without_arms() -> Vec<u8> {
    let file = std::fs::read(fixture("walker.glb")).expect("it is there");
    let (header, chunks) = file.split_at(20);
    let length: [u8; 4] = header[12..16].try_into().expect("they are four");
    let (text, others) = chunks.split_at(u32::from_le_bytes(length) as usize);
    let mut document: Value = serde_json::from_slice(text).expect("it is JSON");
    let names = document["nodes"].clone();
    for clip in document["animations"].as_array_mut().expect("it has clips") {
        let channels = clip["channels"].as_array_mut().expect("it has some");
        channels.retain(|channel| {
            let node: usize =
                serde_json::from_value(channel["target"]["node"].clone()).expect("it is an index");
            !names[node]["name"]
                .as_str()
                .is_some_and(|name| name.contains("Arm"))
        });
    }
    let mut shorter = document.to_string().into_bytes();
    assert!(shorter.len() <= text.len());
    shorter.resize(text.len(), b' ');
    [header, &shorter, others].concat()
}

#[test]
fn a_comparison_shows_the_arms_that_no_longer_swing() {
    let folder = Folder::new();
    folder.write("lost.glb", walker_without_arms());
    let line = "film lost.glb --compare fixtures/walker.glb --clip Walk --times 0.1,0.6 --size 200x260 -o change.png";
    folder.run(line).ok();
    assert_image("film", "compare", &folder.image("change.png"));
}
