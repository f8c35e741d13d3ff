//! Contexts, objects, and what is left of them.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::buffer::{Buffer, OBJECT_BYTES, check_count};
use super::program::{Program, Source};
use super::target::{PixelFormat, Texture};
use super::testing::open;
use super::*;
use crate::account::Apart;
use crate::pose::ModelPose;
use crate::pose::rigs::{PosedRig, posed_rigs};
use crate::rig::SkinningOptions;
use crate::view::{Camera, Framing, Projection, Samples, Show, Style, ViewDirection, Viewport};

#[test]
fn upload_then_read_back_is_bit_exact() {
    let Some(offscreen) = open() else { return };
    let data = [0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY];
    let buffer = Buffer::upload(offscreen.current(), &data).unwrap();
    let back: Vec<f32> = buffer.read(data.len()).unwrap();
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&data));
}

/// The driver's allocations are not those of the program.
#[test]
fn the_memory_of_a_software_driver_is_booked() {
    let Some(offscreen) = open() else { return };
    let gl = offscreen.current();
    let apart = Apart::new().expect("threads can be started");
    apart.account().join();
    apart.account().limit(1 << 30);
    let held = || (1 << 30) - apart.account().left();
    let factor = u64::from(gl.info().is_software);
    let buffer = Buffer::empty(gl, 1 << 20).unwrap();
    assert_eq!(held(), factor * ((1 << 20) + OBJECT_BYTES as u64));
    let texture = Texture::layered(gl, PixelFormat::Rgba32F, [64, 32], 4).unwrap();
    drop(buffer);
    assert_eq!(held(), factor * 64 * 32 * 4 * 16);
    drop(texture);
    assert_eq!(held(), 0);
}

#[test]
fn a_second_context_on_one_thread_is_an_error_and_no_deadlock() {
    let Some(first) = open() else { return };
    let second = Offscreen::open(GlChoice::Auto);
    assert!(matches!(second, Err(GlError::Nested)), "{second:?}");
    drop(first);
    assert!(Offscreen::open(GlChoice::Auto).is_ok());
}

#[test]
fn threads_take_turns() {
    let work = |number: u32| {
        for _ in 0..5 {
            let Some(offscreen) = open() else { return };
            let buffer = Buffer::upload(offscreen.current(), &[number; 1000]).unwrap();
            assert_eq!(buffer.read::<u32>(1000).unwrap(), [number; 1000]);
        }
    };
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || work(number));
        }
    });
}

#[test]
fn a_software_rasterizer_is_not_hardware() {
    let Some(offscreen) = open() else { return };
    let is_software = offscreen.info().is_software;
    drop(offscreen);
    match Offscreen::open(GlChoice::Hardware) {
        Err(GlError::WrongKind { wanted, renderer }) if is_software => {
            assert_eq!(wanted, "hardware");
            assert!(!renderer.is_empty());
        }
        other => assert!(!is_software && other.is_ok(), "{other:?}"),
    }
}

#[test]
fn a_shader_that_is_wrong_is_an_error_with_the_drivers_words() {
    let Some(offscreen) = open() else { return };
    let source = Source {
        name: "wrong",
        vertex: &["#version 330 core\nvoid main() { gl_Position = missing; }"],
        fragment: &[],
        feedback: &[],
    };
    let error = Program::link(offscreen.current(), &source)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("wrong") && error.contains("missing"),
        "{error}"
    );
    assert_eq!(offscreen.current().live_objects(), 0);
}

#[test]
fn more_texels_than_shaders_can_address_are_refused() {
    assert!(check_count(65_536, 65_536, "the joints").is_ok());
    let error = check_count(65_537, 65_536, "the joints").unwrap_err();
    let expected = "the joints need 65537 elements; the driver's limit is 65536";
    assert_eq!(error.to_string(), expected);
}

/// Always the same rig, with a triangle.
fn rig() -> PosedRig {
    let mut runner = TestRunner::deterministic();
    let mut rig = posed_rigs().new_tree(&mut runner).unwrap().current();
    rig.asset.meshes[0].triangles = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]];
    rig
}

const VIEWPORT: Viewport = Viewport {
    width: 40,
    height: 30,
};

fn camera(rig: &PosedRig, meshes: &[crate::rig::DeformedMesh]) -> Camera {
    let direction = ViewDirection::default();
    let space = &rig.asset.space;
    let mut framing = Framing::new(space, direction, Projection::default(), VIEWPORT);
    for mesh in meshes {
        framing.include(&mesh.positions);
    }
    framing.camera()
}

fn draw(
    model: &mut GlModel<'_>,
    rig: &PosedRig,
    pose: &ModelPose,
    show: Show,
) -> crate::frame::Frame {
    let meshes = model.deform(pose, &SkinningOptions::default()).unwrap();
    let style = Style {
        show,
        samples: Samples::Four,
        ..Style::default()
    };
    let params = ImageParams {
        pose,
        skinning: SkinningOptions::default(),
        camera: &camera(rig, &meshes),
        viewport: VIEWPORT,
        style: &style,
    };
    model.draw(&params).unwrap()
}

#[test]
fn frames_leave_no_objects_behind() {
    let Some(offscreen) = open() else { return };
    let (gl, rig) = (offscreen.current(), rig());
    let mut model = GlModel::load(gl, &rig.asset).unwrap();
    let mut pose = rig.model_pose();
    let first = draw(&mut model, &rig, &pose, Show::LIT);
    assert!(
        first.depth.iter().any(|depth| *depth < 1.0),
        "something is drawn"
    );
    let after_first = gl.live_objects();
    for frame in 0..120_u8 {
        let show = if frame % 10 == 0 {
            Show::WIREFRAME
        } else {
            Show::LIT
        };
        pose.nodes[0].w_axis.x += 0.01;
        draw(&mut model, &rig, &pose, show);
        assert_eq!(gl.live_objects(), after_first, "frame {frame}");
    }
    drop(model);
    assert_eq!(gl.live_objects(), 0);
}

#[test]
fn the_same_pose_gives_the_same_image_in_a_new_context() {
    let rig = rig();
    let params = || {
        let offscreen = open()?;
        let mut model = GlModel::load(offscreen.current(), &rig.asset).unwrap();
        Some(draw(&mut model, &rig, &rig.model_pose(), Show::LIT))
    };
    assert_eq!(params(), params());
}

#[test]
fn nan_vertices_are_skipped_and_survive() {
    let Some(offscreen) = open() else { return };
    let rig = rig();
    let mut model = GlModel::load(offscreen.current(), &rig.asset).unwrap();
    let whole = draw(&mut model, &rig, &rig.model_pose(), Show::TEXTURE);
    let mut broken = rig.model_pose();
    for joint in &mut broken.nodes {
        joint.w_axis.x = f32::NAN;
    }
    let nothing = draw(&mut model, &rig, &broken, Show::TEXTURE);
    let background = |depth: &f32| depth.to_bits() == 1.0_f32.to_bits();
    assert!(nothing.depth.iter().all(background));
    assert!(whole.depth.iter().any(background));
    assert!(whole.depth.iter().any(|depth| !background(depth)));
    assert_eq!(
        draw(&mut model, &rig, &rig.model_pose(), Show::TEXTURE),
        whole
    );
}

#[test]
fn a_pose_of_another_skeleton_is_an_error() {
    let Some(offscreen) = open() else { return };
    let rig = rig();
    let mut model = GlModel::load(offscreen.current(), &rig.asset).unwrap();
    let mut pose = rig.model_pose();
    pose.nodes.truncate(1);
    let error = model
        .deform(&pose, &SkinningOptions::default())
        .unwrap_err();
    assert!(
        matches!(error, GlError::UnknownJoint { joints: 1, .. }),
        "{error}"
    );
}
