//! Pictures of both paths, pixel by pixel.

use std::fs;
use std::path::{Path, PathBuf};

use skincheck::backend::{Backend, Cpu, Device, Driver, Extent, Scene};
use skincheck::frame::{Frame, png};
use skincheck::import;
use skincheck::pose::{self, ModelPose};
use skincheck::rig::{Asset, JointId, SkinningOptions};
use skincheck::units::Seconds;
use skincheck::view::{
    Background, Camera, Framing, Projection, Samples, Show, Style, ViewDirection, Viewport,
};

use super::open;
use crate::program::{self, fixture};

const VIEWPORT: Viewport = Viewport {
    width: 200,
    height: 160,
};

/// The largest difference of two bytes that is no difference.
const TOLERANCE: u8 = 2;

/// Every fixture that this build can read.
fn models() -> Vec<(String, Asset)> {
    let entries = fs::read_dir(fixture("")).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let options = import::Options {
        isolation: program::isolation(),
        ..import::Options::default()
    };
    let load = |path: PathBuf| {
        let asset = import::load(&path, &options).ok()?;
        let drawable = asset.meshes.iter().any(|mesh| !mesh.triangles.is_empty());
        let name = path.file_name()?.to_string_lossy().into_owned();
        drawable.then_some((name, asset))
    };
    paths.into_iter().filter_map(load).collect()
}

/// The middle of the first clip.
fn pose_of(asset: &Asset) -> ModelPose {
    let local = match asset.clips.first() {
        Some(clip) => pose::sample(asset, clip, Seconds(0.4 * clip.start.0 + 0.6 * clip.end.0)),
        None => pose::rest(asset),
    };
    pose::model_pose(asset, &local)
}

fn camera(asset: &Asset, pose: &ModelPose, projection: Projection) -> Camera {
    let direction = ViewDirection::default();
    let mut framing = Framing::new(&asset.space, direction, projection, VIEWPORT);
    let extent = Extent {
        asset,
        skinning: SkinningOptions::default(),
        joints: false,
    };
    extent
        .include_pose(&mut framing, pose)
        .expect("the fixtures are whole");
    framing.camera()
}

fn shows(asset: &Asset) -> Vec<Show> {
    let joint = asset
        .skins
        .first()
        .and_then(|skin| skin.joints.last())
        .copied();
    vec![
        Show::Lit,
        Show::Texture,
        Show::Normals,
        Show::Weights(joint.unwrap_or(JointId(0))),
        Show::Influences,
        Show::Joints,
        Show::Uv,
        Show::Depth,
        Show::Wireframe,
    ]
}

/// Positions of the pixels that differ by more than the tolerance.
fn differing(a: &Frame, b: &Frame) -> Vec<usize> {
    let pairs = a.rgba.chunks(4).zip(b.rgba.chunks(4)).enumerate();
    let differ = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > TOLERANCE);
    pairs
        .filter(|(_, pair)| differ(*pair))
        .map(|(index, _)| index)
        .collect()
}

#[test]
fn both_paths_draw_the_same_pictures() {
    let Some(mut gl) = open() else { return };
    let mut cpu = Cpu.open(Driver::Auto).expect("the CPU is there");
    let (mut pictures, mut pixels, mut different) = (0, 0, 0);
    for (name, asset) in models() {
        for (show, samples, (frame_of_cpu, frame_of_gl)) in draw_all(&asset, &mut *cpu, &mut *gl) {
            let bad = differing(&frame_of_cpu, &frame_of_gl).len();
            pictures += 1;
            pixels += frame_of_cpu.depth.len();
            different += bad;
            if bad > 0 {
                println!("{name} {show:?} {samples}: {bad} pixels differ");
                for index in differing(&frame_of_cpu, &frame_of_gl).into_iter().take(4) {
                    let at = 4 * index..4 * index + 4;
                    println!("  {:?} {:?} {:?}", (index % 200, index / 200), &frame_of_cpu.rgba[at.clone()], &frame_of_gl.rgba[at]);
                }
                keep(
                    &format!("{name}-{show:?}-{samples}"),
                    &frame_of_cpu,
                    &frame_of_gl,
                );
            }
        }
    }
    println!("{pictures} pictures: {different} of {pixels} pixels differ");
}

type Drawn = (Show, Samples, (Frame, Frame));

fn draw_all(asset: &Asset, cpu: &mut dyn Device, gl: &mut dyn Device) -> Vec<Drawn> {
    let mut cpu = cpu.load(asset).expect("the fixtures are whole");
    let mut gl = gl.load(asset).expect("the fixtures are whole");
    let pose = pose_of(asset);
    let mut drawn = Vec::new();
    for show in shows(asset) {
        for samples in [Samples::One, Samples::Four] {
            let projection = match samples {
                Samples::One => Projection::Orthographic,
                Samples::Four => Projection::default(),
            };
            let scene = Scene {
                pose: &pose,
                skinning: SkinningOptions::default(),
                camera: camera(asset, &pose, projection),
                viewport: VIEWPORT,
                style: Style {
                    show,
                    samples,
                    background: Background::Color(Style::DEFAULT_BACKGROUND),
                },
            };
            let frame_of_cpu = cpu.render(&scene).expect("the fixtures are whole");
            let frame_of_gl = gl.render(&scene).expect("the fixtures are whole");
            drawn.push((show, samples, (frame_of_cpu, frame_of_gl)));
        }
    }
    drawn
}

/// Writes both pictures and their difference where artifacts of tests go.
fn keep(name: &str, cpu: &Frame, gl: &Frame) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gl");
    fs::create_dir_all(&folder).expect("the folder of artifacts is writable");
    let mut difference = cpu.clone();
    for (code, (a, b)) in difference
        .rgba
        .iter_mut()
        .zip(cpu.rgba.iter().zip(&gl.rgba))
    {
        *code = a.abs_diff(*b).saturating_mul(8);
    }
    difference
        .rgba
        .iter_mut()
        .skip(3)
        .step_by(4)
        .for_each(|alpha| *alpha = 255);
    for (kind, frame) in [("cpu", cpu), ("gl", gl), ("difference", &difference)] {
        let bytes = png::encode(frame, &[]).expect("the picture is whole");
        let path = folder.join(format!("{name}.{kind}.png"));
        fs::write(path, bytes).expect("the folder of artifacts is writable");
    }
}
