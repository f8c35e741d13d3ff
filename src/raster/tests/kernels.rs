//! All kernels draw the same bytes.

use glam::{Vec3, Vec4};
use proptest::prelude::*;

use super::{TestScene, Verdict, check, material, perspective, showcase, soup};
use crate::frame::Frame;
use crate::raster::cover::Kernel;
use crate::raster::draw_by;
use crate::rig::{AlphaMode, JointId};
use crate::view::{Samples, Show};

type Draw = fn(&TestScene) -> Frame;

fn fast(scene: &TestScene) -> Frame {
    draw_by(&scene.input(), Kernel::of_this_machine())
}

/// Triangles of all sizes, many of them on a grid so that samples lie on edges and depths are the same, some so large that
/// their edges leave 32 bits.
fn scenes() -> impl Strategy<Value = TestScene> {
    let reach = prop::sample::select(vec![0.02_f32, 0.3, 1.5, 40.0, 3000.0]);
    let grid = prop::sample::select(vec![1.0 / 64.0_f32, 1e-4]);
    let triangle = (reach, grid).prop_flat_map(|(reach, grid)| {
        let snapped = move |value: f32| (value / grid).round() * grid;
        let axis = move |reach: f32| (-reach..=reach).prop_map(snapped);
        let middle = (axis(1.2), axis(1.2), -3_i8..3);
        let corner = move || (axis(reach), axis(reach), -1_i8..=1);
        (middle, prop::array::uniform3(corner())).prop_map(|((x, y, z), corners)| {
            corners.map(|(dx, dy, dz)| Vec3::new(x + dx, y + dy, f32::from(z) + f32::from(dz)))
        })
    });
    let samples = prop::sample::select(vec![Samples::One, Samples::Four]);
    let look = (samples, any::<bool>(), 1_u32..150, 1_u32..150);
    let count = prop_oneof![Just(1_usize), 2_usize..12, 40_usize..300];
    let triangles =
        count.prop_flat_map(move |count| prop::collection::vec(triangle.clone(), count));
    (triangles, look).prop_map(|(triangles, (samples, in_depth, width, height))| {
        let mut scene = TestScene::empty(width, height);
        if in_depth {
            scene.camera = perspective(Vec3::new(0.3, 0.2, 4.0), Vec3::ZERO, 1.0);
        }
        scene.style.samples = samples;
        for (index, part) in triangles.chunks(triangles.len().div_ceil(2)).enumerate() {
            let mut surface = material(Vec4::new(0.8, 0.4, 0.2, 1.0));
            surface.two_sided = index == 0;
            let mut mesh = soup(part);
            let color = |vertex: usize| Vec3::splat((vertex % 7) as f32 / 7.0).extend(1.0);
            mesh.color_sets = vec![(0..mesh.positions.len()).map(color).collect()];
            scene.add(mesh, surface);
        }
        scene
    })
}

fn kernels_agree(draw: Draw) -> Verdict {
    check(&scenes(), |scene| {
        let plain = draw_by(&scene.input(), Kernel::Plain);
        prop_assert!(draw(&scene) == plain);
        Ok(())
    })
}

#[test]
fn the_fast_kernel_draws_the_bytes_of_the_plain_one() {
    kernels_agree(fast).unwrap();
}

#[test]
fn the_law_of_kernels_sees_one_bit_of_depth() {
    let inexact: Draw = |scene| {
        let mut frame = fast(scene);
        let seen = frame.depth.iter_mut().filter(|depth| **depth < 1.0);
        seen.for_each(|depth| *depth = f32::from_bits(depth.to_bits() ^ 1));
        frame
    };
    assert!(kernels_agree(inexact).is_err());
}

#[test]
fn every_kind_of_picture_is_the_same_by_all_kernels() {
    let shows = [
        Show::Lit,
        Show::Texture,
        Show::Normals,
        Show::Weights(JointId(1)),
        Show::Influences,
        Show::Joints,
        Show::Uv,
        Show::Depth,
        Show::Wireframe,
    ];
    for show in shows {
        for samples in [Samples::One, Samples::Four] {
            for (width, height) in [(203, 117), (64, 64), (1, 9)] {
                let mut scene = showcase(width, height, show);
                scene.style.samples = samples;
                let plain = draw_by(&scene.input(), Kernel::Plain);
                assert!(
                    fast(&scene) == plain,
                    "{show:?} {samples:?} {width}x{height}"
                );
            }
        }
    }
}

#[test]
fn a_masked_surface_is_the_same_by_all_kernels() {
    let mut scene = showcase(150, 90, Show::Texture);
    for material in &mut scene.asset.materials {
        material.alpha = AlphaMode::Mask(0.5);
    }
    assert!(fast(&scene) == draw_by(&scene.input(), Kernel::Plain));
}
