//! All kernels draw the same bytes.

use glam::{Vec2, Vec3, Vec4};
use proptest::prelude::*;

use super::{TestScene, Verdict, check, distances, material, perspective, showcase, soup};
use crate::frame::Frame;
use crate::raster::kernel::Kernel;
use crate::raster::{Textures, draw_by, draw_plain};
use crate::rig::{AlphaMode, Bitmap, NodeId, TextureWrap};
use crate::view::{Samples, Show};

type Draw = fn(&TestScene) -> Frame;

/// The largest width and height; small under Miri, which takes a thousand times as long.
const LARGEST: u32 = if cfg!(miri) { 20 } else { 150 };
/// The largest number of triangles.
const MOST: usize = if cfg!(miri) { 41 } else { 300 };

fn fast(scene: &TestScene) -> Frame {
    draw_by(
        &scene.input(),
        &Textures::new(&scene.asset),
        Kernel::of_this_machine(),
    )
}

fn plain(scene: &TestScene) -> Frame {
    draw_plain(&scene.input())
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
    let look = (samples, any::<bool>(), 1..LARGEST, 1..LARGEST);
    let count = prop_oneof![Just(1_usize), 2_usize..12, 40..MOST];
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

/// Textures of any size that go on in any way, near and far, and vertices without a normal.
fn textured_scenes() -> impl Strategy<Value = TestScene> {
    let wraps = [TextureWrap::Repeat, TextureWrap::Clamp, TextureWrap::Mirror];
    let wrap = move || prop::sample::select(wraps.to_vec());
    let scale = prop::sample::select(vec![0.0_f32, 0.3, 7.0, 900.0, 1e6, 1e30]);
    let texture = (1_u32..40, 1_u32..40, wrap(), wrap(), scale);
    (scenes(), texture, 1_usize..4).prop_map(|(mut scene, texture, every)| {
        let (width, height, wrap_u, wrap_v, scale) = texture;
        for (mesh, deformed) in scene.asset.meshes.iter_mut().zip(&mut scene.meshes) {
            let uv = |position: &Vec3| {
                Vec2::new(position.x, 0.7 * position.y + 0.2 * position.x) * scale
            };
            mesh.uv_sets = vec![mesh.positions.iter().map(uv).collect()];
            let normal = |(vertex, position): (usize, &Vec3)| match vertex % every {
                0 => Vec3::ZERO,
                _ => *position,
            };
            mesh.normals = mesh.positions.iter().enumerate().map(normal).collect();
            deformed.normals.clone_from(&mesh.normals);
        }
        scene.add_texture(Bitmap {
            width,
            height,
            rgba: (0..4 * width * height)
                .map(|k| (k * 37 % 251) as u8)
                .collect(),
        });
        let material = scene.asset.materials.last_mut().unwrap();
        let texture = material.base_color_texture.as_mut().unwrap();
        (texture.wrap_u, texture.wrap_v) = (wrap_u, wrap_v);
        scene
    })
}

fn kernels_agree(draw: Draw) -> Verdict {
    check(&scenes(), |scene| {
        prop_assert!(draw(&scene) == plain(&scene));
        Ok(())
    })
}

#[test]
fn the_fast_kernel_draws_the_bytes_of_the_plain_one() {
    kernels_agree(fast).unwrap();
}

#[test]
fn the_fast_kernel_reads_the_texels_of_the_plain_one() {
    let verdict = check(&textured_scenes(), |scene| {
        prop_assert!(fast(&scene) == plain(&scene));
        Ok(())
    });
    verdict.unwrap();
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
fn every_kind_of_image_is_the_same_by_all_kernels() {
    for show in Show::all(NodeId(1)).chain([distances()]) {
        for samples in [Samples::One, Samples::Four] {
            for (width, height) in [(203, 117), (64, 64), (1, 9)] {
                let mut scene = showcase(width, height, show.clone());
                scene.style.samples = samples;
                assert!(
                    fast(&scene) == plain(&scene),
                    "{show:?} {samples:?} {width}x{height}"
                );
            }
        }
    }
}

#[test]
fn a_masked_surface_is_the_same_by_all_kernels() {
    let mut scene = showcase(LARGEST, LARGEST / 2, Show::TEXTURE);
    for material in &mut scene.asset.materials {
        material.alpha = AlphaMode::Mask(0.5);
    }
    assert!(fast(&scene) == plain(&scene));
}
