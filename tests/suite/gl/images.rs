//! Compares images of both paths, pixel by pixel.

use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec4;
use skincheck::backend::{Backend, Cpu, Device, Driver, Extent, Scene};
use skincheck::frame::{Frame, png};
use skincheck::import;
use skincheck::pose::{self, ModelPose};
use skincheck::rig::{Asset, NodeId, SkinningOptions};
use skincheck::units::Seconds;
use skincheck::view::{
    Background, Camera, Framing, Measured, Projection, Samples, Show, Style, ViewDirection,
    Viewport,
};

use super::open;
use crate::program::{self, fixture};

const VIEWPORT: Viewport = Viewport {
    width: 160,
    height: 120,
};

/// The largest difference of two bytes that counts as equal.
const TOLERANCE: u8 = 2;

/// Models with coincident surfaces, of which either may be in front. `crosscheck` knows which pixels that leaves open.
const COINCIDENT: &[&str] = &["curves.dae", "shared_mesh.gltf"];

/// Every other fixture that this build can read.
fn models() -> Vec<(String, Asset)> {
    let entries = fs::read_dir(fixture("")).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.retain(|path| !COINCIDENT.iter().any(|name| path.ends_with(name)));
    paths.sort();
    let options = program::reading();
    let load = |path: PathBuf| {
        let asset = import::load(&path, &options).ok()?;
        let drawable = asset.meshes.iter().any(|mesh| !mesh.triangles.is_empty());
        let name = path.file_name()?.to_string_lossy().into_owned();
        drawable.then_some((name, asset))
    };
    let mut models: Vec<(String, Asset)> = paths.into_iter().filter_map(load).collect();
    let arm = models.iter().find(|(name, _)| name == "arm.gltf");
    let (_, mut valued) = arm.cloned().expect("every build reads it");
    for mesh in &mut valued.meshes {
        let values = mesh.positions.iter();
        mesh.color_sets = vec![values.map(|at| Vec4::splat(at.y / 2.5)).collect()];
    }
    models.push(("values".to_owned(), valued));
    models
}

/// The middle of the first clip.
fn pose_of(asset: &Asset) -> ModelPose {
    let local = match asset.clips.first() {
        Some(clip) => pose::sample(asset, clip, Seconds(0.4 * clip.start.0 + 0.6 * clip.end.0))
            .expect("the time is finite"),
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
    let modes = Show::all(joint.unwrap_or(NodeId(0)));
    let vertices = asset.instances.iter();
    let vertices = vertices.map(|instance| asset.mesh_of(instance).positions.len());
    let number = |vertex: usize| f32::from(u8::try_from(vertex % 32).unwrap_or(0)) / 24.0;
    let numbers = Measured {
        ticks: vec![(0.0, String::new()), (1.0, String::new())],
        of_instances: vertices
            .map(|count| (0..count).map(number).collect())
            .collect(),
        ..Measured::default()
    };
    modes.chain([Show::distance(numbers)]).collect()
}

/// Depths may differ by as much as depth changes within this fraction of a pixel, because corners are rounded to
/// different grids.
const PART_OF_A_PIXEL: f32 = 1.0 / 64.0;

/// Plus rounding.
const DEPTH_TOLERANCE: f32 = 1e-5;

/// The number of pixels that differ in colour or depth by more than the tolerances.
fn differing(cpu: &Frame, gl: &Frame) -> usize {
    let pixels = 0..cpu.depth.len();
    let differ = |pixel: &usize| {
        let bytes = 4 * pixel..4 * pixel + 4;
        let mut bytes = cpu.rgba[bytes.clone()].iter().zip(&gl.rgba[bytes]);
        let depth = (cpu.depth[*pixel] - gl.depth[*pixel]).abs();
        bytes.any(|(a, b)| a.abs_diff(*b) > TOLERANCE)
            || depth > DEPTH_TOLERANCE + PART_OF_A_PIXEL * depth_around(cpu, *pixel)
    };
    pixels.filter(differ).count()
}

/// How much depth changes between a pixel and those around it.
fn depth_around(frame: &Frame, pixel: usize) -> f32 {
    let width = frame.width as usize;
    let (column, row) = (pixel % width, pixel / width);
    let rows = row.saturating_sub(1)..=(row + 1).min(frame.height as usize - 1);
    let around = rows.flat_map(|y| {
        let columns = column.saturating_sub(1)..=(column + 1).min(width - 1);
        columns.map(move |x| frame.depth[y * width + x])
    });
    let own = frame.depth[pixel];
    around.fold(0.0, |most, depth| most.max((depth - own).abs()))
}

/// Along its edges, a triangle may gain or lose a sample, because the two paths round its corners to different grids.
/// In images of this size that is less than one pixel in a thousand.
const PIXELS_PER_DIFFERENCE: usize = 1000;

#[test]
fn both_paths_draw_the_same_images() {
    let Some(mut gl) = open() else { return };
    let mut cpu = Cpu.open(Driver::Auto).expect("the CPU is there");
    let (mut images, mut differences, mut bad) = (0, 0, Vec::new());
    for (name, asset) in models() {
        for drawn in draw_all(&asset, &mut *cpu, &mut *gl) {
            let count = differing(&drawn.cpu, &drawn.gl);
            images += 1;
            differences += count;
            if count > 0 {
                let image = format!("{name}-{:?}-{}", drawn.show, drawn.samples);
                println!("{image}: {count} pixels differ");
                keep(&image, &drawn);
                if count * PIXELS_PER_DIFFERENCE > drawn.cpu.depth.len() {
                    bad.push(image);
                }
            }
        }
    }
    println!("{differences} pixels differ in {images} pictures");
    assert!(bad.is_empty(), "{bad:?}");
}

/// One image by both paths.
struct Drawn {
    show: Show,
    samples: Samples,
    cpu: Frame,
    gl: Frame,
}

fn draw_all(asset: &Asset, cpu: &mut dyn Device, gl: &mut dyn Device) -> Vec<Drawn> {
    let mut cpu = cpu.load(asset).expect("the fixtures are whole");
    let mut gl = gl.load(asset).expect("the fixtures are whole");
    let pose = pose_of(asset);
    let mut draw = |show: Show, samples, projection| {
        let scene = Scene {
            pose: &pose,
            skinning: SkinningOptions::default(),
            camera: camera(asset, &pose, projection),
            viewport: VIEWPORT,
            style: Style {
                show: show.clone(),
                samples,
                background: match samples {
                    Samples::One => Background::Transparent,
                    Samples::Four => Background::Color(Style::DEFAULT_BACKGROUND),
                },
            },
        };
        Drawn {
            show,
            samples,
            cpu: cpu.render(&scene).expect("the fixtures are whole"),
            gl: gl.render(&scene).expect("the fixtures are whole"),
        }
    };
    let mut drawn = vec![draw(Show::LIT, Samples::One, Projection::Orthographic)];
    let shows = shows(asset).into_iter();
    drawn.extend(shows.map(|show| draw(show, Samples::Four, Projection::default())));
    drawn
}

/// Writes both images and their difference to the folder of test artifacts.
fn keep(name: &str, drawn: &Drawn) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gl");
    fs::create_dir_all(&folder).expect("the folder of artifacts is writable");
    let mut difference = drawn.cpu.clone();
    let bytes = drawn.cpu.rgba.iter().zip(&drawn.gl.rgba);
    for (index, (code, (a, b))) in difference.rgba.iter_mut().zip(bytes).enumerate() {
        let is_alpha = index % 4 == 3;
        *code = if is_alpha {
            u8::MAX
        } else {
            a.abs_diff(*b).saturating_mul(8)
        };
    }
    let images = [
        ("cpu", &drawn.cpu),
        ("gl", &drawn.gl),
        ("difference", &difference),
    ];
    for (kind, frame) in images {
        let bytes = png::encode(frame, &[]).expect("the picture is whole");
        let path = folder.join(format!("{name}.{kind}.png"));
        fs::write(path, bytes).expect("the folder of artifacts is writable");
    }
}

#[test]
fn one_model_is_drawn_with_the_visibility_of_each_pose() {
    let Some(mut gl) = open() else { return };
    let mut cpu = Cpu.open(Driver::Auto).expect("the CPU is there");
    let path = fixture("visibility.gltf");
    let asset = import::load(&path, &program::reading()).expect("it can be read");
    let mut cpu = cpu.load(&asset).expect("the fixtures are whole");
    let mut gl = gl.load(&asset).expect("the fixtures are whole");
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let all = pose_of(&asset);
    for time in [0.0, 0.4, 0.9] {
        let local = pose::sample(&asset, &asset.clips[0], Seconds(time)).expect("finite");
        let pose = pose::model_pose(&asset, &local);
        for show in [Show::TEXTURE, Show::DEPTH] {
            let scene = Scene {
                pose: &pose,
                skinning: SkinningOptions::default(),
                camera: camera(&asset, &all, Projection::default()),
                viewport: VIEWPORT,
                style: Style {
                    show,
                    ..Style::default()
                },
            };
            let [cpu, gl] = [
                cpu.render(&scene).expect("the fixtures are whole"),
                gl.render(&scene).expect("the fixtures are whole"),
            ];
            let count = differing(&cpu, &gl);
            assert!(count * PIXELS_PER_DIFFERENCE <= cpu.depth.len(), "{count}");
            seen.push(cpu.rgba);
        }
    }
    assert_ne!(seen[0], seen[4], "another box is shown");
}
