//! Textures, colours and alpha.

use super::*;

#[test]
fn an_unlit_texture_keeps_its_bytes() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(WHITE));
    scene.add_texture(bitmap(1, |_, _| [37, 111, 222, 255]));
    assert_eq!(middle(&scene.draw()), [37, 111, 222, 255]);
}

#[test]
fn v_grows_downwards() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(WHITE));
    scene.add_texture(bitmap(4, |_, y| {
        if y < 2 {
            [255, 0, 0, 255]
        } else {
            [0, 0, 255, 255]
        }
    }));
    let frame = scene.draw();
    assert_eq!(pixel(&frame, SIZE / 2, SIZE / 4 + 4), [255, 0, 0, 255]);
    assert_eq!(pixel(&frame, SIZE / 2, 3 * SIZE / 4 - 5), [0, 0, 255, 255]);
}

#[test]
fn texture_vertex_colour_and_base_colour_are_multiplied_in_linear_light() {
    let mut scene = scene(Show::TEXTURE);
    let mut mesh = square(0.0);
    mesh.color_sets = vec![vec![Vec4::new(0.5, 1.0, 1.0, 1.0); 4]];
    scene.add(mesh, material(Vec4::new(1.0, 0.5, 1.0, 1.0)));
    scene.add_texture(bitmap(1, |_, _| [255, 255, 0, 255]));
    assert_eq!(middle(&scene.draw()), [188, 188, 0, 255]);
}

#[test]
fn a_masked_surface_is_cut_where_alpha_is_below_the_cutoff() {
    let mut scene = scene(Show::TEXTURE);
    let mut cut = material(WHITE);
    cut.alpha = AlphaMode::Mask(0.5);
    scene.add(square(0.0), cut);
    scene.add_texture(bitmap(2, |x, _| {
        [255, 255, 255, if x == 0 { 255 } else { 0 }]
    }));
    let frame = scene.draw();
    assert_eq!(pixel(&frame, SIZE / 4 + 3, SIZE / 2), [255; 4]);
    assert_eq!(pixel(&frame, 3 * SIZE / 4 - 4, SIZE / 2), [1, 2, 3, 255]);
    scene.style.show = Show::NORMALS;
    let data = scene.draw();
    assert_eq!(
        pixel(&data, 3 * SIZE / 4 - 4, SIZE / 2),
        [128, 128, 255, 255]
    );
}

#[test]
fn blended_surfaces_mix_from_back_to_front_whatever_their_order() {
    let mut scene = scene(Show::TEXTURE);
    scene.style.background = Background::Color([0; 3]);
    for (z, color) in [(1.0, [1.0, 0.0, 0.0]), (-1.0, [0.0, 1.0, 0.0])] {
        let mut glass = material(Vec3::from(color).extend(0.5));
        glass.alpha = AlphaMode::Blend;
        scene.add(square(z), glass);
    }
    // 0.5 red over 0.25 green.
    assert_eq!(middle(&scene.draw()), [188, 137, 0, 255]);
    scene.meshes.reverse();
    assert_eq!(middle(&scene.draw()), [188, 137, 0, 255]);
}

#[test]
fn a_blended_surface_behind_an_opaque_one_is_hidden() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(1.0), material(Vec4::new(1.0, 0.0, 0.0, 1.0)));
    let mut glass = material(Vec4::new(0.0, 1.0, 0.0, 0.5));
    glass.alpha = AlphaMode::Blend;
    scene.add(square(0.0), glass);
    assert_eq!(middle(&scene.draw()), [255, 0, 0, 255]);
}

#[test]
fn opaque_materials_ignore_alpha() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(Vec4::new(1.0, 1.0, 1.0, 0.2)));
    assert_eq!(middle(&scene.draw()), [255; 4]);
}
