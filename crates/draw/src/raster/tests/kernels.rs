//! All kernels draw the same bytes; whatever a model holds, the image is sound; many translucent layers take no undue time.

use fearless_simd::Level;
use glam::{Vec2, Vec3, Vec3Swizzles, Vec4};
use proptest::prelude::*;

use super::{
    TestScene, Verdict, check, distances, levels, material, perspective, pixel, quad, showcase,
    soup, two_sided,
};
use crate::frame::Frame;
use crate::look::srgb::tables;
use crate::raster::{Textures, draw_by, draw_plain};
use crate::rig::{AlphaMode, Bitmap, Bumps, Finish, NodeId, Reflection, TextureWrap};
use crate::simd;
use crate::view::{Background, Samples, Show};

type Draw = fn(&TestScene) -> Frame;

/// The largest width and height; small under Miri, which takes a thousand times as long.
const LARGEST: u32 = if cfg!(miri) { 20 } else { 150 };
/// The largest number of triangles.
const MOST: usize = if cfg!(miri) { 41 } else { 300 };

fn fast(scene: &TestScene) -> Frame {
    draw_at(simd::level(), scene)
}

fn draw_at(level: Level, scene: &TestScene) -> Frame {
    draw_by(&scene.input(), &Textures::new(&scene.asset), Some(level))
}

fn plain(scene: &TestScene) -> Frame {
    draw_plain(&scene.input())
}

/// Whether every instruction set draws the bytes of the plain kernel.
fn all_agree(scene: &TestScene) -> bool {
    let plain = plain(scene);
    levels().iter().all(|level| draw_at(*level, scene) == plain)
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

/// Textures of any size that go on in any way, near and far, and vertices without a normal; some surfaces have the texture as
/// normal map too, and say how they reflect.
fn textured_scenes() -> impl Strategy<Value = TestScene> {
    let wraps = [TextureWrap::Repeat, TextureWrap::Clamp, TextureWrap::Mirror];
    let wrap = move || prop::sample::select(wraps.to_vec());
    let scale = prop::sample::select(vec![0.0_f32, 0.3, 7.0, 900.0, 1e6, 1e30]);
    let texture = (1_u32..40, 1_u32..40, wrap(), wrap(), scale);
    let finish = prop::option::of(((0.0..1.2_f32, 0.0..1.2_f32), any::<[bool; 3]>()));
    (scenes(), texture, 1_usize..4, finish).prop_map(|(mut scene, texture, every, finish)| {
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
            if finish.is_some_and(|(_, [is_framed, ..])| is_framed) {
                deformed.tangents = mesh.normals.iter().map(|normal| normal.yzx()).collect();
                deformed.bitangents = mesh.normals.iter().map(|normal| normal.zxy()).collect();
            }
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
        let texture = *texture;
        if let Some(((roughness, metallic), [_, is_mapped, has_bumps])) = finish {
            material.finish = Finish {
                reflection: Some(Reflection {
                    roughness,
                    metallic,
                    texture: is_mapped.then_some(texture),
                }),
                bumps: has_bumps.then_some(Bumps {
                    texture,
                    scale: 1.5 - roughness,
                }),
            };
        }
        scene
    })
}

fn kernels_agree(agree: impl Fn(&TestScene) -> bool) -> Verdict {
    check(&scenes(), |scene| {
        prop_assert!(agree(&scene));
        Ok(())
    })
}

#[test]
fn every_instruction_set_draws_the_bytes_of_the_plain_kernel() {
    kernels_agree(all_agree).unwrap();
}

#[test]
fn every_instruction_set_reads_the_texels_of_the_plain_kernel() {
    let verdict = check(&textured_scenes(), |scene| {
        prop_assert!(all_agree(&scene));
        Ok(())
    });
    verdict.unwrap();
}

#[test]
fn the_law_of_kernels_sees_one_bit_of_depth() {
    let inexact = |scene: &TestScene| {
        let mut frame = fast(scene);
        let seen = frame.depth.iter_mut().filter(|depth| **depth < 1.0);
        seen.for_each(|depth| *depth = f32::from_bits(depth.to_bits() ^ 1));
        frame == plain(scene)
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
                assert!(all_agree(&scene), "{show:?} {samples:?} {width}x{height}");
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
    assert!(all_agree(&scene));
}

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

const SIZE: u32 = 4;
const BEHIND: [u8; 3] = [240, 12, 90];

/// Sheets over the whole image, the farthest first, in colours without light.
fn sheets(colors: &[Vec4]) -> TestScene {
    let mut scene = TestScene::empty(SIZE, SIZE);
    scene.style.show = Show::TEXTURE;
    scene.style.background = Background::Color(BEHIND);
    for (index, color) in colors.iter().enumerate() {
        let mut glass = two_sided(*color);
        glass.alpha = AlphaMode::Blend;
        let at = Vec3::Z * (index as f32 / colors.len() as f32);
        scene.add(quad(at, Vec3::X * 2.0, Vec3::Y * 2.0), glass);
    }
    scene
}

/// All of them mixed, one after the other.
fn mixed(colors: &[Vec4]) -> [u8; 4] {
    let [r, g, b] = BEHIND;
    let over = |behind: Vec4, color: &Vec4| {
        (color.truncate() * color.w).extend(color.w) + behind * (1.0 - color.w)
    };
    let behind = tables().premultiplied([r, g, b, 255]);
    tables().pixel(colors.iter().fold(behind, over))
}

/// Any number of layers, so faint that most of them matter or so dense that few do.
fn layers() -> impl Strategy<Value = Vec<Vec4>> {
    let channel = || 0.0..=1.0_f32;
    let density = prop::sample::select(vec![0.01_f32, 0.03, 0.1, 0.4, 1.0]);
    (1_usize..300, density).prop_flat_map(move |(count, density)| {
        let color = (channel(), channel(), channel(), channel())
            .prop_map(move |(r, g, b, a)| Vec4::new(r, g, b, a * density));
        prop::collection::vec(color, count)
    })
}

fn layers_mix_as_all_of_them(draw: Draw) -> Verdict {
    check(&layers(), |colors| {
        let frame = draw(&sheets(&colors));
        for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
            prop_assert_eq!(pixel(&frame, x, y), mixed(&colors));
        }
        Ok(())
    })
}

#[test]
fn skipped_layers_would_change_nothing() {
    layers_mix_as_all_of_them(TestScene::draw).unwrap();
}

#[test]
fn the_law_of_layers_sees_skipped_far_layers() {
    let near_ones: Draw = |scene| {
        let mut scene = scene.clone();
        let far = scene.meshes.len().saturating_sub(32);
        scene.meshes.drain(..far);
        scene.draw()
    };
    assert!(layers_mix_as_all_of_them(near_ones).is_err());
}

/// `count` triangles in one tilted plane, each a little smaller than the one before.
fn stack(count: usize, shrink: f32) -> TestScene {
    let mut scene = TestScene::empty(32, 32);
    scene.style.show = Show::TEXTURE;
    let corners = |index: usize| {
        let reach = 3.0 - shrink * index as f32 / count as f32;
        [[-1.0, -1.0], [reach, -1.0], [-1.0, reach]]
            .map(|[x, y]| Vec3::new(x, y, 0.3 * x - 0.2 * y))
    };
    let mut glass = two_sided(Vec4::new(1.0, 0.5, 0.2, 0.5));
    glass.alpha = AlphaMode::Blend;
    scene.add(
        super::soup(&(0..count).map(corners).collect::<Vec<_>>()),
        glass,
    );
    scene
}

/// Where every sample sorts all triangles, thousands of them take minutes.
#[test]
fn coplanar_translucent_triangles_are_mixed_in_time() {
    let expected = mixed_alike(40);
    for shrink in [0.0, 0.5] {
        let frame = stack(10_000, shrink).draw();
        assert_eq!(pixel(&frame, 3, 28), expected, "shrunk by {shrink}");
    }
}

/// So many layers of the colour of a stack that one more changes nothing.
fn mixed_alike(count: usize) -> [u8; 4] {
    pixel(&stack(count, 0.0).draw(), 3, 28)
}
