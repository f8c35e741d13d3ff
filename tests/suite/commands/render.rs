//! `skincheck render`.

use serde_json::{Value, json};
use skincheck::frame::{Frame, png};
use skincheck::rig::{Asset, Influence, Influences, SkinSlot};

use crate::folder::Folder;
use crate::program::{Run, command_in, fixture, on_threads, skincheck};
use crate::support::{assert_image, decoded};

fn image(line: &str) -> Frame {
    decoded(&skincheck(&format!("render {line} -o -")).ok().stdout)
}

#[track_caller]
fn snapshot(name: &str, line: &str) {
    assert_image("render", name, &image(line));
}

#[test]
fn a_character_walks() {
    snapshot("walker", "walker.glb --clip Walk --time 0.3 --size 400x400");
    snapshot(
        "walker_skeleton",
        "walker.glb --clip Walk --time 0.3 --size 400x400 --skeleton --camera front",
    );
}

#[test]
fn every_mode_shows_its_subject() {
    let modes = [
        "texture",
        "clay",
        "normals",
        "influences",
        "joints",
        "uv",
        "depth",
        "wireframe",
        "weights:LeftUpperArm,LeftLowerArm",
        "truncation --engine file:influences=1",
    ];
    let walking = modes.map(|mode| ("walker.glb --time 0.3", mode));
    let elbow = "--camera front --look-at joint:RightLowerArm --zoom 3";
    let knee = "--look-at joint:LeftLowerLeg --zoom 2";
    let bent = format!("walker.glb --pose rom:RightLowerArm:y:+130 {elbow}");
    let twisted = format!("walker.glb --pose rom:LeftLowerLeg:y:+160 {knee}");
    let others = [
        (bent.as_str(), "bend"),
        (twisted.as_str(), "volume"),
        ("rules/bent.gltf --time 1", "distance:rules/clean.gltf"),
    ];
    for (model, mode) in walking.into_iter().chain(others) {
        let line = format!("{model} --size 400x400 --show {mode}");
        let name = mode.split([':', ' ']).next().unwrap_or_default();
        snapshot(&format!("show_{name}"), &line);
    }
}

/// Changes the weights of every `step`th vertex that follows `joint`.
pub(super) fn reweight(
    asset: &mut Asset,
    joint: &str,
    step: usize,
    change: impl Fn(&mut Influence),
) {
    let of_joint = |influence: &Influence| {
        let node = asset.skins[0].joints[influence.slot.index()];
        asset.skeleton[node].name == joint
    };
    let influences = &asset.meshes[0].influences;
    let mut seen = 0;
    let mut lists: Vec<Vec<Influence>> = Vec::new();
    for list in influences.iter() {
        let mut list = list.to_vec();
        if list.iter().any(of_joint) {
            if seen % step == 0 {
                list.iter_mut().for_each(&change);
            }
            seen += 1;
        }
        lists.push(list);
    }
    asset.meshes[0].influences = Influences::from_vertices(lists);
}

/// Holds what `--show` draws of the waving walker, after an edit, against its picture.
fn assert_waving(show: &str, edit: impl FnOnce(&mut Asset)) {
    let folder = Folder::new();
    folder.put_walker("walker.gltf", edit);
    let line = format!("--clip Wave --time 0.8 --size 400x400 --show {show} -o a.png");
    folder.run(&format!("render walker.gltf {line}")).ok();
    assert_image("render", &format!("show_{show}"), &folder.image("a.png"));
}

#[test]
fn stretch_shows_the_vertices_that_a_waving_hand_leaves_behind() {
    assert_waving("stretch", |asset| {
        reweight(asset, "RightHand", 9, |own| own.slot = SkinSlot(0));
    });
}

#[test]
fn sum_shows_the_arm_whose_weights_are_too_small() {
    assert_waving("sum", |asset| {
        for joint in ["RightHand", "RightLowerArm"] {
            reweight(asset, joint, 1, |own| own.weight *= 0.7);
        }
    });
}

#[test]
fn a_mesh_that_encloses_the_figure_is_not_drawn() {
    let folder = Folder::of(&["rules/G823.gltf"]);
    let text = folder.read("rules/G823.gltf");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    document["nodes"][4]["scale"] = json!([9, 9, 9]);
    document["nodes"][4]["translation"] = json!([0, 0, 0]);
    folder.write("hidden.gltf", document.to_string());
    let line = "--pose rest --size 64x64 -o a.png";
    let run = folder.run(&format!("render hidden.gltf {line}")).ok();
    run.says("mesh \"Icosphere\" is not drawn");
    let hidden = folder.image("a.png");
    document["nodes"]
        .as_array_mut()
        .expect("it is a list")
        .pop();
    document["scenes"][0]["nodes"]
        .as_array_mut()
        .expect("it is a list")
        .retain(|node| *node != json!(4));
    folder.write("alone.gltf", document.to_string());
    folder.run(&format!("render alone.gltf {line}")).ok();
    assert!(hidden.rgba == folder.image("a.png").rgba);
}

#[test]
fn a_legend_is_drawn_where_there_is_room_or_where_it_is_asked_for() {
    let line = |size: u32, rest: &str| {
        let line = format!("walker.glb --time 0.3 --size {size}x{size} {rest}");
        image(&line).rgba
    };
    for show in ["--show influences", "--show depth", "--show stretch"] {
        let [auto, on, off] =
            ["auto", "on", "off"].map(|legend| line(320, &format!("{show} --legend {legend}")));
        assert!(auto == on && on != off, "{show}");
        let [auto, on, off] =
            ["auto", "on", "off"].map(|legend| line(160, &format!("{show} --legend {legend}")));
        assert!(auto == off && on != off, "{show}");
    }
    assert!(line(320, "--legend on") == line(320, "--legend off"), "lit");
}

#[test]
fn a_legend_is_below_the_model_whose_image_it_shortens() {
    let frame = |size: &str, legend: &str| {
        image(&format!(
            "walker.glb --time 0.3 --size {size} --show joints --legend {legend}"
        ))
    };
    let with_legend = frame("400x400", "on");
    assert_eq!([with_legend.width, with_legend.height], [400, 400]);
    let rows = with_legend.rgba.chunks(4 * 400);
    let background = with_legend.rgba[..4].to_owned();
    let above = rows.take_while(|row| row[..4] == background).count();
    assert!((300..400).contains(&above), "{above}");
    let alone = frame(&format!("400x{above}"), "off");
    assert!(with_legend.rgba[..alone.rgba.len()] == alone.rgba);
}

#[test]
fn a_front_that_nothing_in_the_rig_shows_is_reported() {
    let folder = Folder::new();
    for (line, is_reported) in [
        ("rules/clean.gltf", true),
        ("rules/clean.gltf --front +X", false),
        ("walker.glb", false),
    ] {
        let run = folder
            .run(&format!("render fixtures/{line} --size 32x32 -o a.png"))
            .ok();
        let reported = run.stderr.contains("is a guess");
        assert!(reported == is_reported, "{line}: {}", run.stderr);
        assert!(
            !reported || run.stderr.contains("--front"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn several_joints_are_shown_together() {
    let line = |joints: &str| {
        image(&format!(
            "walker.glb --size 64x64 --show weights:{joints} --legend off"
        ))
    };
    assert!(line("LeftUpperArm,RightUpperArm").rgba == line("RightUpperArm,LeftUpperArm").rgba);
    assert!(line("*Arm").rgba != line("LeftUpperArm").rgba);
    let line = "render walker.glb --show weights:Wing* -o -";
    skincheck(line).exits(2);
}

#[test]
fn look_at_centres_a_position_and_mark_marks_it() {
    let line = "walker.glb --time 0.3 --size 96x96 --camera front";
    let spot = "--look-at joint:Head --zoom 3";
    let [whole, close, marked] = [
        image(line),
        image(&format!("{line} {spot}")),
        image(&format!("{line} {spot} --mark joint:Head")),
    ];
    assert!(whole.rgba != close.rgba);
    let changed = close.rgba.chunks(4).zip(marked.rgba.chunks(4)).enumerate();
    let changed = changed.filter(|(_, (a, b))| a != b).map(|(pixel, _)| pixel);
    let columns: Vec<usize> = changed.map(|pixel| pixel % 96).collect();
    let left = columns.iter().min().expect("a ring was drawn");
    assert!((24..48).contains(left), "{left}");
    for wrong in ["vertex:Body", "vertex:nobody:1", "joint:Wing", "1,2"] {
        let line = format!("render walker.glb --mark {wrong} -o -");
        assert_eq!(skincheck(&line).code, Some(2), "{wrong}");
    }
}

#[test]
fn a_mark_is_seen_through_what_hides_it_and_only_that() {
    let line = |mark: &str, through: &str| {
        let line = format!("walker.glb --size 96x96 --camera front --mark {mark}{through}");
        image(&line).rgba
    };
    let behind_the_chest = "0,1.2,-0.3";
    assert!(line(behind_the_chest, "") != line(behind_the_chest, " --see-through"));
    let in_front = "0,1.2,1";
    assert!(line(in_front, "") == line(in_front, " --see-through"));
    let folder = "render walker.glb --mark 0,1,0 --see-through --frame 0..2 -o images/";
    skincheck(folder).refuses("--see-through is for one image");
    assert_eq!(
        skincheck("render walker.glb --see-through -o -").code,
        Some(2)
    );
}

#[test]
fn a_model_has_no_distance_from_itself() {
    let reference = fixture("walker.glb");
    let reference = reference.to_str().expect("Unicode");
    let line = |model: &str| {
        let line =
            format!("{model} --time 0.3 --size 64x64 --legend off --show distance:{reference}");
        image(&line)
    };
    let same = line("walker.glb");
    let pale = |pixel: &[u8]| pixel[0] > 200 && pixel[2] > 120;
    let red = |pixel: &[u8]| pixel[0] > 100 && pixel[1] < 60;
    assert!(same.rgba.chunks(4).any(pale) && !same.rgba.chunks(4).any(red));
}

#[test]
fn labels_name_the_joints_of_skins_and_all_draws_the_other_nodes_too() {
    let line = |rest: &str| image(&format!("walker.glb --size 256x256 {rest}")).rgba;
    let (skin, labelled) = (line("--skeleton"), line("--skeleton --labels"));
    assert!(skin != labelled);
    assert!(line("--skeleton=skin") == skin);
    assert!(line("--skeleton=all") != skin);
    skincheck("render walker.glb --labels -o -").exits(2);
}

#[test]
fn every_camera_sees_its_side() {
    for camera in ["front", "back", "left", "right", "top", "orbit:200,40"] {
        let line = format!("walker.glb --time 0.3 --size 128x128 --camera {camera}");
        snapshot(
            &format!("camera_{}", camera.replace([':', ','], "_")),
            &line,
        );
    }
    snapshot(
        "from_above",
        "walker.glb --clip Wave --time 0.8 --size 400x400 --camera orbit:20,60",
    );
}

#[test]
fn files_of_other_axes_and_units_come_out_upright_and_whole() {
    snapshot("z_up_centimetres", "z_up_centimetres.fbx --size 128x128");
    snapshot("md5_figure", "figure.md5mesh --size 128x128");
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn a_collada_file_comes_out_upright_and_whole() {
    snapshot("collada_arm", "arm.dae --size 128x128");
}

#[test]
fn alpha_is_masked_and_blended() {
    snapshot("alpha", "alpha.gltf --size 192x192 --camera front");
    snapshot(
        "alpha_on_nothing",
        "alpha.gltf --size 192x192 --camera front --background transparent",
    );
}

#[test]
fn one_sample_draws_jagged_edges() {
    snapshot(
        "one_sample",
        "bent_cylinder.gltf --time 50% --size 96x96 --samples 1",
    );
}

/// The warnings about a small image.
fn warnings(line: &str) -> String {
    let line = format!("render {line} --size 16x16 -o -");
    skincheck(&line).ok().stderr
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn a_image_of_what_the_model_does_not_have_is_warned_of() {
    for (line, words) in [
        ("arm.gltf --show weights:tube", "no vertex has weight on"),
        ("arm.obj --show weights:#0", "no vertex has weight on"),
        ("arm.obj --show influences", "no mesh has a skin"),
        ("arm.obj --show joints", "no mesh has a skin"),
        (
            "two_triangles.gltf --show uv",
            "no mesh has texture coordinates",
        ),
    ] {
        let said = warnings(line);
        assert!(
            said.starts_with("warning: --show") && said.contains(words),
            "{line}: {said}"
        );
    }
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn a_image_of_what_the_model_has_is_not_warned_of() {
    for line in [
        "arm.gltf --show weights:elbow",
        "arm.gltf --show influences",
        "arm.gltf --show joints",
        "walker.glb --show uv",
        "arm.obj --show wireframe",
        // The mesh has no skin and follows the node.
        "alpha.gltf --show weights:mask",
    ] {
        assert_eq!(warnings(line), "", "{line}");
    }
}

#[test]
fn a_model_without_a_mesh_shows_its_skeleton() {
    let render = |options: &str| {
        let line = format!("render broken/no_mesh.gltf --size 64x64 -o - {options}");
        skincheck(&line).ok().stdout
    };
    let own = render("");
    assert_eq!(own, render("--skeleton"));
    let image = png::decode(&own).expect("it is a PNG");
    let (pixels, _) = image.rgba.as_chunks::<4>();
    assert!(
        pixels.iter().any(|pixel| *pixel != pixels[0]),
        "it is blank"
    );
}

#[test]
fn the_image_itself_says_what_it_shows() {
    let line = "render arm.gltf --clip Bend --frame 1 --fps 3 --camera front --size 16x16 -o -";
    let run = skincheck(line).ok();
    let labels = png::decode(&run.stdout).expect("it is a PNG").text;
    let label = |key: &str| {
        let found = labels.iter().find(|(other, _)| other == key);
        found.map(|(_, text)| text.as_str())
    };
    assert_eq!(label("Model"), Some("arm.gltf"));
    assert_eq!(label("Clip"), Some("Bend"));
    assert_eq!(label("Time"), Some("0.333 s"));
    assert_eq!(label("Pose"), Some("clip \"Bend\" at 0.333 s"));
    assert_eq!(label("Camera"), Some("front"));
}

/// Width and height of the drawn area in frames throughout the clip, in pixels of 128; it never touches the border.
fn sizes_over_the_clip(fit: &str) -> Vec<[u32; 2]> {
    let size_at = |step: u32| {
        let percent = f64::from(step) * 100.0 / 12.0;
        let line = format!(
            "segmented_arm.gltf --time {percent}% --fit {fit} --camera front --size 128x128 --background transparent"
        );
        let image = image(&line);
        let drawn = |x: u32, y: u32| image.rgba[(4 * (y * 128 + x) + 3) as usize] > 0;
        let columns: Vec<u32> = (0..128)
            .filter(|&x| (0..128).any(|y| drawn(x, y)))
            .collect();
        let rows: Vec<u32> = (0..128)
            .filter(|&y| (0..128).any(|x| drawn(x, y)))
            .collect();
        let extent = |used: &[u32]| {
            let (first, last) = (used[0], used[used.len() - 1]);
            assert!(first > 0 && last < 127, "{line} is cropped");
            last - first + 1
        };
        [extent(&columns), extent(&rows)]
    };
    (0..=12).map(size_at).collect()
}

/// The fraction of the image that the frame which fills it least fills, along its longer side.
fn smallest_fill(sizes: &[[u32; 2]]) -> u32 {
    let longer = sizes.iter().map(|[width, height]| *width.max(height));
    longer.min().expect("there are frames")
}

#[test]
fn all_frames_of_a_clip_share_one_camera() {
    let shared = sizes_over_the_clip("clip");
    let highest = shared.iter().map(|[_, height]| *height).max();
    assert!(
        highest > Some(110),
        "the camera is too far away: {shared:?}"
    );
    assert!(
        smallest_fill(&shared) < 104,
        "each frame has a camera of its own: {shared:?}"
    );
    let own = sizes_over_the_clip("pose");
    assert!(
        smallest_fill(&own) > 110,
        "the check sees no difference: {own:?}"
    );
}

#[test]
fn threads_do_not_change_a_pixel() {
    let line = "render walker.glb --time 30% --size 200x200 --skeleton -o -";
    let render = |threads: &str| on_threads(threads, line).ok().stdout;
    let once = render("1");
    assert!(once == render("2") && once == render("5"));
}

#[test]
fn images_of_weights_show_those_that_are_blended() {
    for show in ["influences", "joints", "weights:#1"] {
        let line = format!("eight_influences.gltf --pose rest --size 64x64 --show {show}");
        let all = image(&line);
        let limited = image(&format!("{line} --engine file:influences=1"));
        assert!(all.rgba != limited.rgba, "{show}");
        let unlimited = image(&format!("{line} --engine file:influences=8"));
        assert!(all.rgba == unlimited.rgba, "{show}");
    }
}

#[test]
fn a_number_is_no_name_that_joints_share_even_if_they_have_none() {
    let folder = Folder::new();
    let named = std::fs::read_to_string(fixture("duplicate_names.gltf")).expect("it is text");
    let without = named.replace("{\"name\": \"joint\",", "{\"name\": \"\",");
    folder.write("unnamed.gltf", without);
    let run = folder.run("render unnamed.gltf --size 16x16 --show weights:#1 -o -");
    assert_eq!(run.ok().stderr, "");
}

#[test]
fn a_name_that_several_joints_have_is_reported() {
    skincheck("render duplicate_names.gltf --size 16x16 --show weights:joint -o -")
        .ok()
        .says("nodes have this name");
    let run = skincheck("render arm.gltf --size 16x16 --show weights:#1 -o -").ok();
    assert_eq!(run.stderr, "");
}

/// The master side of a pseudo-terminal, whose other side is a terminal to the program.
#[cfg(target_os = "linux")]
#[test]
fn a_image_is_not_written_to_a_terminal() {
    let terminal = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/ptmx");
    let mut command = command_in(&fixture(""));
    command.args(["render", "arm.gltf", "-o", "-"]);
    Run::of(command.stdout(terminal.expect("terminals can be made"))).refuses("to a terminal");
}
