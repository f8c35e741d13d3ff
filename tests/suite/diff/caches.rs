//! Point caches as references: one mesh, without joints, axes or a unit.

use std::collections::BTreeSet;

use glam::Vec3;
use skincheck::diff::reference::Reference;
use skincheck::export;
use skincheck::rig::Asset;

use super::load;
use super::references::reference;
use crate::folder::Folder;

/// 24 frames per second.
const STEP: f64 = 1.0 / 24.0;

/// The frames of a mesh.
type Frames = Vec<Vec<Vec3>>;

/// The points of a model's first mesh in its first clip.
fn frames(reference: Reference) -> Frames {
    let frames = reference.clips.into_iter().flat_map(|clip| clip.frames);
    frames
        .map(|mut frame| frame.positions.swap_remove(0))
        .collect()
}

/// The first second.
fn second(model: &Asset) -> Frames {
    let times: Vec<f64> = (0..=24).map(|frame| f64::from(frame) * STEP).collect();
    frames(reference(model, &times))
}

fn walk() -> Frames {
    second(&load("walker.glb"))
}

fn wave() -> Frames {
    let mut walker = load("walker.glb");
    walker.clips.swap(0, 1);
    let times: Vec<f64> = (0..=48).map(|frame| f64::from(frame) * STEP).collect();
    frames(reference(&walker, &times))
}

/// As a modelling program stores them: in an order of its own, and a corner with several normals once.
fn welded(frames: &Frames) -> Frames {
    let all = || frames[0].iter().enumerate().rev();
    let mut seen = BTreeSet::new();
    let kept: Vec<usize> = all()
        .filter(|(_, point)| seen.insert(point.to_array().map(f32::to_bits)))
        .map(|(index, _)| index)
        .collect();
    let frame = |frame: &Vec<Vec3>| kept.iter().map(|index| frame[*index]).collect();
    frames.iter().map(frame).collect()
}

/// In centimetres, with +Z up.
fn foreign(frames: &Frames) -> Frames {
    let moved = |point: &Vec3| 100.0 * Vec3::new(point.x, -point.z, point.y);
    let frame = |frame: &Vec<Vec3>| frame.iter().map(moved).collect();
    frames.iter().map(frame).collect()
}

fn count(list: usize) -> u32 {
    u32::try_from(list).expect("it is small")
}

/// * `start` – the number of the first frame.
fn pc2(frames: &Frames, start: f32) -> Vec<u8> {
    let mut file = b"POINTCACHE2\0".to_vec();
    file.extend([1, count(frames[0].len())].map(u32::to_le_bytes).concat());
    file.extend([start, 1.0].map(f32::to_le_bytes).concat());
    file.extend(count(frames.len()).to_le_bytes());
    let numbers = frames.iter().flatten().flat_map(Vec3::to_array);
    file.extend(numbers.flat_map(f32::to_le_bytes));
    file
}

fn mdd(frames: &Frames) -> Vec<u8> {
    let mut file = [frames.len(), frames[0].len()]
        .map(|number| count(number).to_be_bytes())
        .concat();
    let times = (0..count(frames.len())).map(|frame| (f64::from(frame) * STEP) as f32);
    file.extend(times.flat_map(f32::to_be_bytes));
    let numbers = frames.iter().flatten().flat_map(Vec3::to_array);
    file.extend(numbers.flat_map(f32::to_be_bytes));
    file
}

/// Formats of point caches.
pub(super) const FORMATS: [&str; 3] = ["pc2", "mdd", "mc"];

/// Whether a model is the same as a cache of the first second of another one.
pub(super) fn is_same_as_cache(before: &Asset, after: &Asset, format: &str) -> bool {
    let frames = second(before);
    let cache = match format {
        "pc2" => pc2(&frames, 0.0),
        "mdd" => mdd(&frames),
        _ => mc(&[("Mesh", &frames)]),
    };
    let folder = Folder::new();
    folder.write(format!("cache.{format}"), cache);
    let model = export::to_gltf(after).expect("glTF can represent it");
    folder.write("model.gltf", model);
    let run = folder.run(&format!("diff cache.{format} model.gltf"));
    let is_same = run.text().contains("model.gltf: same");
    run.exits(i32::from(!is_same));
    is_same
}

/// A folder with the walker and these files.
fn folder(files: &[(&str, Vec<u8>)]) -> Folder {
    let folder = Folder::of(&["walker.glb", "arm.gltf"]);
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    folder
}

#[test]
fn a_cache_of_a_clip_is_the_same_as_the_clip() {
    let folder = folder(&[
        ("walk.pc2", pc2(&walk(), 0.0)),
        ("wave.mdd", mdd(&wave())),
        ("maya.mdd", mdd(&foreign(&welded(&wave())))),
        ("late.pc2", pc2(&walk(), 1.0)),
    ]);
    for (line, clip) in [
        ("walk.pc2 walker.glb", "Walk"),
        ("walker.glb walk.pc2", "Walk"),
        ("wave.mdd walker.glb", "Wave"),
        ("maya.mdd walker.glb", "Wave"),
        ("late.pc2 walker.glb --start 0", "Walk"),
    ] {
        let run = folder.run(&format!("diff {line}")).ok();
        run.prints(&format!("same: clip \"{clip}\""));
    }
    let run = folder.run("diff maya.mdd walker.glb").ok();
    run.says("maya.mdd: its axes X, Y, Z are +X, -Z, +Y of the model, scaled by 0.01");
    folder.run("diff late.pc2 walker.glb").exits(1);
    folder
        .run("diff walk.pc2 walker.glb --fps 30")
        .exits(1)
        .prints("timing (clip-range)");
}

#[test]
fn a_vertex_that_leaves_its_place_is_found() {
    let mut torn = foreign(&welded(&wave()));
    for frame in &mut torn[20..24] {
        frame[300].x += 10.0;
    }
    let folder = folder(&[("torn.mdd", mdd(&torn))]);
    let run = folder.run("diff torn.mdd walker.glb");
    run.exits(1).prints("surface off by up to 10 cm");
}

#[test]
fn a_cache_that_fits_no_pose_says_by_how_much() {
    let bent = |point: &Vec3| {
        Vec3::new(
            point.x + point.y,
            point.y - point.x,
            point.z + 3.0 * point.x,
        )
    };
    let frame = |frame: &Vec<Vec3>| frame.iter().map(bent).collect();
    let frames = walk().iter().map(frame).collect();
    let folder = folder(&[("bent.pc2", pc2(&frames, 0.0))]);
    let run = folder.run("diff bent.pc2 walker.glb");
    run.exits(1)
        .prints("surface (unrelated): the first frame of the point cache fits no pose")
        .prints("% of the diagonal) or more");
}

/// A tag, the length of what follows, and that, padded to four bytes.
fn block(tag: &str, content: &[u8]) -> Vec<u8> {
    let padding = vec![0; content.len().next_multiple_of(4) - content.len()];
    let length = count(content.len()).to_be_bytes();
    [tag.as_bytes(), &length, content, &padding].concat()
}

/// A cache of Maya, in ticks of 1/6000 s.
fn mc(meshes: &[(&str, &Frames)]) -> Vec<u8> {
    let ticks = |frame: usize| (250 * count(frame)).to_be_bytes();
    let head = [
        b"CACH".to_vec(),
        block("VRSN", b"0.1\0"),
        block("STIM", &ticks(0)),
        block("ETIM", &ticks(meshes[0].1.len() - 1)),
    ];
    let mut file = block("FOR4", &head.concat());
    for frame in 0..meshes[0].1.len() {
        let mut parts = [b"MYCH".to_vec(), block("TIME", &ticks(frame))].concat();
        for (name, frames) in meshes {
            let numbers = frames[frame].iter().flat_map(Vec3::to_array);
            let numbers: Vec<u8> = numbers.flat_map(f32::to_be_bytes).collect();
            parts.extend(block("CHNM", format!("{name}\0").as_bytes()));
            parts.extend(block("SIZE", &count(frames[frame].len()).to_be_bytes()));
            parts.extend(block("FVCA", &numbers));
        }
        file.extend(block("FOR4", &parts));
    }
    file
}

#[test]
fn one_of_several_meshes_is_chosen_by_name() {
    let few: Frames = walk().iter().map(|frame| frame[..9].to_vec()).collect();
    let file = mc(&[("BodyShape", &welded(&walk())), ("HatShape", &few)]);
    let folder = folder(&[("walk.mc", file)]);
    let run = folder.run("diff walk.mc walker.glb");
    run.refuses("walk.mc: it holds the points of \"BodyShape\", \"HatShape\"; choose one of these meshes with --mesh");
    folder.run("diff walk.mc walker.glb --mesh BodyShape").ok();
    let run = folder.run("diff walk.mc walker.glb --mesh HatShape");
    run.refuses("it has 9 points, and no mesh of the model as many: \"Body\" has 4864 vertices at 4162 places");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = folder(&[
        ("walk.pc2", pc2(&walk(), 0.0)),
        ("walk.mdd", mdd(&walk())),
        ("cut.pc2", pc2(&walk(), 0.0)[..1000].to_vec()),
    ]);
    folder
        .run("bake arm.gltf --all-clips --times keys -o arm.skref")
        .ok();
    for (line, words) in [
        (
            "cut.pc2 walker.glb",
            "cut.pc2: it cannot be read as a point cache: ",
        ),
        (
            "walk.pc2 arm.gltf",
            "it has 4864 points, and no mesh of the model as many: \"tube\" has 24 vertices at ",
        ),
        (
            "walk.pc2 walk.pc2",
            "are both point caches; compare each with a model",
        ),
        (
            "walk.pc2 arm.skref",
            "arm.skref: a point cache is compared with a model",
        ),
        (
            "walk.mdd walker.glb --fps 30",
            "--fps is for a PC2; other point caches state seconds",
        ),
        (
            "walk.pc2 walker.glb --fps 0",
            "--fps 0: expected a rate above 0",
        ),
        (
            "walk.pc2 walker.glb --engine-before unreal",
            "walk.pc2: a point cache holds vertices that are skinned already",
        ),
        (
            "walker.glb walker.glb --start 1",
            "--start is for a point cache, and neither file is one",
        ),
    ] {
        folder.run(&format!("diff {line}")).refuses(words);
    }
}
