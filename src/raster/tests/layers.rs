//! Many translucent layers: the image mixes all of them, without taking disproportionately long.

use glam::{Vec3, Vec4};
use proptest::prelude::*;

use super::{TestScene, Verdict, check, pixel, quad, two_sided};
use crate::frame::Frame;
use crate::look::srgb::tables;
use crate::rig::AlphaMode;
use crate::view::{Background, Show};

const SIZE: u32 = 4;
const BEHIND: [u8; 3] = [240, 12, 90];

type Draw = fn(&TestScene) -> Frame;

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
