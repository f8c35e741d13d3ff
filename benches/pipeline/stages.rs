//! The stages in the order of the data flow.

use std::path::Path;
use std::process::{Command, Stdio};

use glam::{Mat4, Quat, Vec3};
use image::ImageEncoder;
use image::codecs::png::PngEncoder;
use skincheck::frame::png;
use skincheck::import::{self, IMPORTERS, Isolation, Options};
use skincheck::pose;
use skincheck::raster::{self, DrawInput};
use skincheck::rig::{Key, SkinningOptions, Visibility};
use skincheck::skinning;
use skincheck::view::{Samples, Style};

use crate::checks;
use crate::files::{program, walk_fbx, walker};
use crate::model::Model;
use crate::stage::Stage;

/// Every stage of this build.
pub(crate) fn all(model: &Model) -> Vec<Stage<'_>> {
    let mut stages = Vec::new();
    if IMPORTERS.is_empty() {
        println!("built without an importer: import and render are left out");
    } else {
        stages.extend([import_in_process(), import_isolated()]);
    }
    if IMPORTERS.iter().any(|importer| importer.name() == "assimp") {
        stages.push(import_natively("import of glTF", "gltf", &walker()));
        stages.push(import_natively("import of FBX", "fbx", &walk_fbx()));
        stages.extend(checks::all());
    }
    stages.extend([sample(model), hierarchy(model), skin(model), frame(model)]);
    stages.extend([
        draw(model, Samples::One),
        draw(model, Samples::Four),
        encode(model),
    ]);
    if !IMPORTERS.is_empty() {
        stages.push(render());
    }
    stages
}

fn load(isolation: Isolation) -> impl FnMut() {
    let options = Options {
        isolation,
        ..Options::default()
    };
    move || drop(import::load(&walker(), &options).expect("a fixture can be read"))
}

fn import_in_process() -> Stage<'static> {
    let read = || std::fs::read(walker()).expect("a fixture is there");
    Stage::new(
        "import",
        load(Isolation::InProcess),
        "reading the bytes (bound)",
        read,
    )
}

fn import_isolated() -> Stage<'static> {
    let process = Isolation::Process {
        program: program().to_owned(),
    };
    let in_process = load(Isolation::InProcess);
    Stage::new(
        "import in a child process",
        load(process),
        "in this process (bound)",
        in_process,
    )
}

/// The native reader `name` of `path` against assimp. Without images, which both leave to the same code.
fn import_natively(title: &'static str, name: &'static str, path: &Path) -> Stage<'static> {
    let read_with = |importer: &str| {
        let options = Options {
            isolation: Isolation::InProcess,
            importer: Some(importer.to_owned()),
            images: false,
            ..Options::default()
        };
        let path = path.to_owned();
        move || import::load(&path, &options).expect("both importers read it")
    };
    Stage::new(title, read_with(name), "assimp (peer)", read_with("assimp"))
}

fn sample(model: &Model) -> Stage<'_> {
    let sample = || pose::sample(&model.asset, model.clip(), Model::TIME).expect("it is finite");
    let look_up = || {
        let rotations = model
            .clip()
            .channels
            .iter()
            .filter_map(|channel| channel.rotation.as_ref());
        let key = |keys: &[Key<Quat>]| {
            let next = keys.partition_point(|key| key.time <= Model::TIME);
            keys[next.saturating_sub(1)].value
        };
        rotations
            .map(|track| key(&track.keys))
            .collect::<Vec<Quat>>()
    };
    Stage::new(
        "sample",
        sample,
        "finding the rotation keys (bound)",
        look_up,
    )
}

fn hierarchy(model: &Model) -> Stage<'_> {
    let local = pose::sample(&model.asset, model.clip(), Model::TIME).expect("it is finite");
    let multiply = || {
        let mut world = Mat4::IDENTITY;
        let next = |joint: &Mat4| {
            world *= *joint;
            world
        };
        model.pose.nodes.iter().map(next).collect::<Vec<Mat4>>()
    };
    let world = move || pose::model_pose(&model.asset, &local);
    Stage::new("hierarchy", world, "a product a joint (bound)", multiply)
}

fn skin(model: &Model) -> Stage<'_> {
    let deform = || {
        let options = SkinningOptions::default();
        skinning::deform(&model.asset, &model.pose, &options).expect("the pose is of this rig")
    };
    let mesh = model.mesh();
    let copy = || {
        (
            mesh.positions.clone(),
            mesh.normals.clone(),
            mesh.influences.clone(),
        )
    };
    Stage::new("skin", deform, "copying the vertices (bound)", copy)
}

fn frame(model: &Model) -> Stage<'_> {
    let points = &model.meshes[0].positions;
    let bounds = || {
        let least = points.iter().copied().reduce(Vec3::min);
        (least, points.iter().copied().reduce(Vec3::max))
    };
    let fit = || Model::fit(&model.asset, points);
    Stage::new("fit the camera", fit, "a bounding box (peer)", bounds)
}

fn draw(model: &Model, samples: Samples) -> Stage<'_> {
    let style = Style {
        samples,
        ..Style::default()
    };
    let draw = move || {
        raster::draw(&DrawInput {
            asset: &model.asset,
            meshes: &model.meshes,
            visibility: &Visibility::default(),
            camera: &model.camera,
            viewport: Model::VIEWPORT,
            style: &style,
            max_influences: None,
        })
    };
    let size = usize::from(samples.count()) * model.frame.depth.len();
    let (mut depths, mut ids) = (vec![0.0_f32; size], vec![0_u32; size]);
    let mut value = 0;
    let fill = move || {
        value = u32::wrapping_add(value, 1);
        depths.fill(1.0);
        ids.fill(value);
        ids[depths.len() / 2]
    };
    let name = match samples {
        Samples::One => "draw with 1 sample",
        Samples::Four => "draw with 4 samples",
    };
    Stage::new(name, draw, "filling as many samples (bound)", fill)
}

fn encode(model: &Model) -> Stage<'_> {
    let frame = &model.frame;
    let ours = || png::encode(frame, &[]).expect("the frame is whole");
    let peer = || {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new(&mut bytes);
        let color = image::ExtendedColorType::Rgba8;
        let written = encoder.write_image(&frame.rgba, frame.width, frame.height, color);
        written.expect("the frame is whole");
        bytes
    };
    Stage::new("png", ours, "image's default (peer)", peer)
}

fn render() -> Stage<'static> {
    let image = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench.png");
    let render = move || {
        let model = walker();
        let arguments = ["--quiet", "render", "--time", "0.3", "-o"].map(std::ffi::OsStr::new);
        let files = [image.as_os_str(), model.as_os_str()];
        run(arguments.into_iter().chain(files));
    };
    let version = || run([std::ffi::OsStr::new("--version")]);
    Stage::new(
        "render, the whole process",
        render,
        "--version (bound)",
        version,
    )
}

pub(crate) fn run<'a>(arguments: impl IntoIterator<Item = &'a std::ffi::OsStr>) {
    wait_for(Command::new(program()).args(arguments));
}

/// The same with this many threads for loops.
pub(crate) fn run_on<'a>(threads: usize, arguments: impl IntoIterator<Item = &'a std::ffi::OsStr>) {
    let mut command = Command::new(program());
    command.env("RAYON_NUM_THREADS", threads.to_string());
    wait_for(command.args(arguments));
}

fn wait_for(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status();
    let status = status.expect("the program starts");
    assert!(status.success(), "{status}");
}
