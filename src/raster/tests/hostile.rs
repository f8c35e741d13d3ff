//! Whatever numbers a model holds: an image of the size asked for, of sound depths, and nothing worse.

use glam::Vec3;
use proptest::prelude::*;

use super::{TestScene, Verdict, check, distances, showcase};
use crate::frame::Frame;
use crate::rig::NodeId;
use crate::view::Show;

type Draw = fn(&TestScene) -> Frame;

const WIDTH: u32 = 70;
const HEIGHT: u32 = 33;

fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -2.0..2.0_f32,
        1 => any::<f32>(),
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 0.0]),
    ]
}

/// The showcase with `numbers` all over it.
fn hostile(numbers: &[f32], show: Show, wild_camera: bool) -> TestScene {
    let mut next = numbers.iter().copied().cycle();
    let mut number = || next.next().unwrap_or(0.0);
    let mut scene = showcase(WIDTH, HEIGHT, show);
    for (mesh, deformed) in scene.asset.meshes.iter_mut().zip(&mut scene.meshes) {
        for vertex in (0..mesh.positions.len()).step_by(5) {
            deformed.positions[vertex] = Vec3::new(number(), number(), number());
            deformed.normals[vertex] = Vec3::new(number(), number(), number());
            mesh.uv_sets[0][vertex].x = number();
        }
    }
    if wild_camera {
        scene.camera.clip_from_view.z_axis.w = number();
        scene.camera.view_from_world.w_axis.x = number();
    }
    scene
}

/// A panic breaks the law as well.
fn no_value_does_harm(draw: Draw) -> Verdict {
    let numbers = prop::collection::vec(any_float(), 64);
    let shows = Show::all(NodeId(1)).chain([distances()]);
    let shows = prop::sample::select(shows.collect::<Vec<_>>());
    let strategy = (numbers, shows, any::<bool>());
    check(&strategy, |(numbers, show, wild_camera)| {
        let frame = draw(&hostile(&numbers, show, wild_camera));
        let pixels = (WIDTH * HEIGHT) as usize;
        prop_assert_eq!((frame.rgba.len(), frame.depth.len()), (4 * pixels, pixels));
        let depths = || frame.depth.iter();
        prop_assert!(depths().all(|depth| (0.0..=1.0).contains(depth)));
        Ok(())
    })
}

#[test]
fn no_value_in_the_model_or_the_camera_can_do_harm() {
    no_value_does_harm(TestScene::draw).unwrap();
}

/// The pixel and the depth of every vertex of the first mesh, by the book for sound numbers.
fn projected(scene: &TestScene) -> Vec<([f32; 2], f32)> {
    let clip_from_world = scene.camera.clip_from_view * scene.camera.view_from_world;
    let project = |position: &Vec3| {
        let at = clip_from_world * position.extend(1.0);
        let (x, y) = (at.x / at.w, at.y / at.w);
        let size = [WIDTH as f32, HEIGHT as f32];
        let pixel = [0.5 * (x + 1.0) * size[0], 0.5 * (1.0 - y) * size[1]];
        (pixel, 0.5 * (at.z / at.w + 1.0))
    };
    scene.meshes[0].positions.iter().map(project).collect()
}

#[test]
fn a_vertex_drawn_where_there_is_no_pixel_is_caught() {
    let unclipped: Draw = |scene| {
        let mut frame = scene.draw();
        for ([x, y], _) in projected(scene) {
            let pixel = y as usize * WIDTH as usize + x as usize;
            frame.rgba[4 * pixel] = 255;
        }
        frame
    };
    assert!(no_value_does_harm(unclipped).is_err());
}

#[test]
fn a_depth_that_is_kept_unseen_is_caught() {
    let unchecked: Draw = |scene| {
        let mut frame = scene.draw();
        for ([x, y], depth) in projected(scene) {
            let pixel = y as usize * WIDTH as usize + x as usize;
            if let Some(kept) = frame.depth.get_mut(pixel) {
                *kept = depth;
            }
        }
        frame
    };
    assert!(no_value_does_harm(unchecked).is_err());
}
