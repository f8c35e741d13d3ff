//! What holds for every image. Each law is also run against a planted fault, and must see it.

use glam::{DVec3, DVec4, Vec3, Vec4};
use proptest::prelude::*;

use super::{TestScene, Verdict, check, material, perspective, soup};
use crate::frame::Frame;
use crate::rig::AlphaMode;
use crate::view::Samples;

/// What a law is about: [`draw`](crate::raster::draw), or something faulty.
type Draw = fn(&TestScene) -> Frame;

const SIZE: u32 = 64;

/// Triangles on a coarse grid, so that corners, edges and depths often coincide.
fn triangles(count: usize) -> impl Strategy<Value = Vec<[Vec3; 3]>> {
    let axis = || (-20_i16..=20).prop_map(|step| f32::from(step) / 16.0);
    let depth = (-2_i16..=2).prop_map(f32::from);
    let corner = (axis(), axis(), depth).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    let triangle = prop::array::uniform3(corner);
    prop::collection::vec(triangle, 1..=count)
}

fn scene_of(triangles: &[[Vec3; 3]], alpha: AlphaMode) -> TestScene {
    let mut scene = TestScene::empty(SIZE, SIZE);
    let mut mesh = soup(triangles);
    let color = |index: usize| {
        let share = |step: usize| ((index * step) % 7) as f32 / 7.0;
        Vec4::new(share(1), share(3), share(5), 0.3 + 0.1 * share(2))
    };
    mesh.color_sets = vec![(0..mesh.positions.len()).map(color).collect()];
    let mut surface = material(Vec4::ONE);
    surface.alpha = alpha;
    surface.two_sided = true;
    scene.add(mesh, surface);
    scene
}

fn reordered(scene: &TestScene, order: &[usize]) -> TestScene {
    let mut scene = scene.clone();
    let triangles = &mut scene.asset.meshes[0].triangles;
    *triangles = order.iter().map(|index| triangles[*index]).collect();
    scene
}

/// Draws the triangles one by one and lets `hides` decide pixel by pixel whether the later one hides the earlier.
fn one_by_one(scene: &TestScene, hides: fn(new: f32, old: f32) -> bool) -> Frame {
    let mut image = TestScene::empty(SIZE, SIZE).draw();
    for index in 0..scene.asset.meshes[0].triangles.len() {
        let single = reordered(scene, &[index]).draw();
        for pixel in 0..single.depth.len() {
            if single.depth[pixel] < 1.0 && hides(single.depth[pixel], image.depth[pixel]) {
                image.depth[pixel] = single.depth[pixel];
                let bytes = 4 * pixel..4 * pixel + 4;
                image.rgba[bytes.clone()].copy_from_slice(&single.rgba[bytes]);
            }
        }
    }
    image
}

fn order_does_not_matter(draw: Draw, alpha: AlphaMode) -> Verdict {
    let shuffled = triangles(8).prop_flat_map(|triangles| {
        let order: Vec<usize> = (0..triangles.len()).collect();
        (Just(triangles), Just(order).prop_shuffle())
    });
    check(&shuffled, |(triangles, order)| {
        let scene = scene_of(&triangles, alpha);
        prop_assert!(draw(&scene) == draw(&reordered(&scene, &order)));
        Ok(())
    })
}

#[test]
fn the_order_of_opaque_triangles_does_not_matter() {
    order_does_not_matter(TestScene::draw, AlphaMode::Opaque).unwrap();
}

#[test]
fn the_order_of_blended_triangles_does_not_matter() {
    order_does_not_matter(TestScene::draw, AlphaMode::Blend).unwrap();
}

#[test]
fn the_law_of_order_sees_the_last_triangle_win() {
    let painter: Draw = |scene| one_by_one(scene, |_, _| true);
    assert!(order_does_not_matter(painter, AlphaMode::Opaque).is_err());
    assert!(order_does_not_matter(painter, AlphaMode::Blend).is_err());
}

#[test]
fn the_law_of_order_sees_ties_won_by_the_first() {
    let first_wins: Draw = |scene| one_by_one(scene, |new, old| new < old);
    assert!(order_does_not_matter(first_wins, AlphaMode::Opaque).is_err());
}

fn threads_do_not_matter(draw: Draw) -> Verdict {
    let pools = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    });
    check(&triangles(6), |triangles| {
        let mut scene = scene_of(&triangles, AlphaMode::Blend);
        scene.viewport.height = 4 * SIZE;
        let frames = pools.each_ref().map(|pool| pool.install(|| draw(&scene)));
        prop_assert!(frames[0] == frames[1] && frames[0] == frames[2]);
        Ok(())
    })
}

#[test]
fn the_number_of_threads_does_not_matter() {
    threads_do_not_matter(TestScene::draw).unwrap();
}

#[test]
fn the_law_of_threads_sees_work_cut_by_their_number() {
    let by_threads: Draw = |scene| {
        let mut scene = scene.clone();
        let share = scene.asset.meshes[0].triangles.len() / rayon::current_num_threads();
        scene.asset.meshes[0]
            .triangles
            .truncate(share * rayon::current_num_threads());
        scene.draw()
    };
    assert!(threads_do_not_matter(by_threads).is_err());
}

/// Moving everything by whole pixels moves the image and changes nothing else.
fn whole_pixels_shift(draw: Draw) -> Verdict {
    let shift = (-9_i16..=9, -9_i16..=9);
    check(&(triangles(6), shift), |(triangles, (right, down))| {
        let pixel = 2.0 / SIZE as f32;
        let by = Vec3::new(f32::from(right) * pixel, -f32::from(down) * pixel, 0.0);
        let moved: Vec<_> = triangles
            .iter()
            .map(|t| t.map(|corner| corner + by))
            .collect();
        let before = draw(&scene_of(&triangles, AlphaMode::Opaque));
        let after = draw(&scene_of(&moved, AlphaMode::Opaque));
        for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
            let (to_x, to_y) = (x as i32 + i32::from(right), y as i32 + i32::from(down));
            let inside = |v: i32| (0..SIZE as i32).contains(&v);
            if inside(to_x) && inside(to_y) {
                let to = pixel_of(&after, to_x as u32, to_y as u32);
                prop_assert_eq!(pixel_of(&before, x, y), to);
            }
        }
        Ok(())
    })
}

fn pixel_of(frame: &Frame, x: u32, y: u32) -> ([u8; 4], u32) {
    let index = (y * frame.width + x) as usize;
    let bytes = frame.rgba[4 * index..4 * index + 4].try_into().unwrap();
    (bytes, frame.depth[index].to_bits())
}

#[test]
fn moving_by_whole_pixels_moves_the_image() {
    whole_pixels_shift(TestScene::draw).unwrap();
}

#[test]
fn the_law_of_moving_sees_samples_that_depend_on_the_pixel() {
    let jittered: Draw = |scene| {
        let mut other = scene.clone();
        other.style.samples = Samples::One;
        let (mut frame, other) = (scene.draw(), other.draw());
        for pixel in (0..frame.depth.len()).filter(|pixel| pixel % 2 == 1) {
            let bytes = 4 * pixel..4 * pixel + 4;
            frame.rgba[bytes.clone()].copy_from_slice(&other.rgba[bytes]);
        }
        frame
    };
    assert!(whole_pixels_shift(jittered).is_err());
}

/// Whether the triangle `corners` (clip space) is seen through (`x`, `y`), both in -1..1: without any clipping, by
/// solving for the weights at which it meets the ray.
fn meets_ray(corners: [DVec4; 3], x: f64, y: f64) -> bool {
    let row = |of: fn(DVec4) -> f64, at: f64| DVec3::from(corners.map(|c| of(c) - at * c.w));
    let weights = row(|c| c.x, x).cross(row(|c| c.y, y));
    let sum = weights.element_sum();
    let weights = weights / sum;
    let at = corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z;
    weights.min_element() >= 0.0 && at.w > 0.0 && at.z.abs() <= at.w
}

/// The verdict of [`meets_ray`] at the centre of a pixel, unless an edge is nearer than a few grid units.
fn expected_cover(corners: [DVec4; 3], column: u32, row: u32) -> Option<bool> {
    const MARGIN: f64 = 1.0 / 64.0;
    let near = [
        (0.0, 0.0),
        (-1.0, -1.0),
        (1.0, -1.0),
        (-1.0, 1.0),
        (1.0, 1.0),
    ];
    let verdicts = near.map(|(dx, dy)| {
        let ndc = |index: u32, off: f64| {
            2.0 * (f64::from(index) + 0.5 + off * MARGIN) / f64::from(SIZE) - 1.0
        };
        meets_ray(corners, ndc(column, dx), -ndc(row, dy))
    });
    let agree = verdicts.iter().all(|verdict| *verdict == verdicts[0]);
    agree.then_some(verdicts[0])
}

/// Triangles around and behind the viewer are seen where they are before the viewer, and nowhere else.
fn clipping_keeps_coverage(draw: Draw) -> Verdict {
    let axis = || prop_oneof![4 => -2.0..2.0_f32, 1 => -1e5..1e5_f32];
    let corner = || (axis(), axis(), axis()).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    check(&prop::array::uniform3(corner()), |corners| {
        let mut scene = scene_of(&[corners], AlphaMode::Opaque);
        scene.camera = perspective(Vec3::new(0.3, 0.2, 1.0), Vec3::ZERO, 1.0);
        scene.style.samples = Samples::One;
        let to_clip = crate::raster::geometry::clip_from_world(&scene.camera);
        let clip = corners.map(|corner| to_clip * corner.as_dvec3().extend(1.0));
        let frame = draw(&scene);
        for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
            let drawn = frame.depth[(y * SIZE + x) as usize] < 1.0;
            if let Some(expected) = expected_cover(clip, x, y) {
                prop_assert_eq!(drawn, expected, "pixel {}, {}", x, y);
            }
        }
        Ok(())
    })
}

#[test]
fn clipping_keeps_the_coverage_inside_of_the_image() {
    clipping_keeps_coverage(TestScene::draw).unwrap();
}

#[test]
fn the_law_of_clipping_sees_triangles_dropped_at_the_near_plane() {
    let no_clipping: Draw = |scene| {
        let to_clip = crate::raster::geometry::clip_from_world(&scene.camera);
        let mut scene = scene.clone();
        let mesh = &mut scene.asset.meshes[0];
        let behind = mesh.positions.iter().any(|position| {
            let clip = to_clip * position.as_dvec3().extend(1.0);
            clip.z < -clip.w
        });
        mesh.triangles.retain(|_| !behind);
        scene.draw()
    };
    assert!(clipping_keeps_coverage(no_clipping).is_err());
}
