//! What images show: textures, colours and alpha; background, edges and modes; what hides what.

use glam::Quat;

use super::*;
use crate::raster::{Textures, draw_within};
use crate::rig::{Bumps, Reflection};
use crate::view::Samples;

#[test]
fn an_unlit_texture_keeps_its_bytes() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(WHITE));
    scene.add_texture(bitmap(1, |_, _| [37, 111, 222, 255]));
    assert_eq!(middle(&scene.draw()), [37, 111, 222, 255]);
}

#[test]
fn triangles_that_cover_the_image_too_often_are_not_drawn() {
    let mut scene = scene(Show::LIT);
    for _ in 0..12 {
        scene.add(square(0.0), material(WHITE));
    }
    let textures = Textures::new(&scene.asset);
    let draw = |camera: &Camera, most| {
        let input = DrawInput {
            camera,
            ..scene.input()
        };
        draw_within(&input, &textures, most)
    };
    let camera = scene.camera;
    assert!(draw(&camera, 12) == Some(scene.draw()));
    assert_eq!(draw(&camera, 1), None);
    // Only what is in the image counts.
    let beside = camera.looking_at(Vec3::X * 1000.0);
    assert!(draw(&beside, 0).is_some());
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

#[test]
fn an_empty_scene_is_background() {
    let frame = scene(Show::LIT).draw();
    assert_eq!((frame.width, frame.height), (SIZE, SIZE));
    assert!(frame.rgba.chunks(4).all(|pixel| pixel == [1, 2, 3, 255]));
    assert!(
        frame
            .depth
            .iter()
            .all(|depth| depth.to_bits() == 1.0_f32.to_bits())
    );
}

#[test]
fn a_transparent_background_has_no_alpha_and_edges_are_straight() {
    let mut scene = scene(Show::TEXTURE);
    scene.style.background = Background::Transparent;
    let half_a_pixel = 1.0 / SIZE as f32;
    let mut mesh = square(0.0);
    mesh.positions.iter_mut().for_each(|p| p.x += half_a_pixel);
    scene.add(mesh, material(Vec4::new(1.0, 0.0, 0.0, 1.0)));
    let frame = scene.draw();
    assert_eq!(pixel(&frame, 0, 0), [0; 4]);
    assert_eq!(
        pixel(&frame, SIZE / 4, SIZE / 2),
        [255, 0, 0, 128],
        "half covered"
    );
}

#[test]
fn rows_count_from_the_top_and_columns_from_the_left() {
    let mut scene = scene(Show::TEXTURE);
    let corner = [
        Vec3::new(-1.0, 1.0, 0.0),
        Vec3::new(-1.0, 0.5, 0.0),
        Vec3::new(-0.5, 1.0, 0.0),
    ];
    scene.add(soup(&[corner]), material(WHITE));
    let frame = scene.draw();
    assert_eq!(pixel(&frame, 1, 1), [255; 4]);
    assert_eq!(pixel(&frame, 1, SIZE - 2), [1, 2, 3, 255]);
    assert_eq!(pixel(&frame, SIZE - 2, 1), [1, 2, 3, 255]);
}

#[test]
fn normals_are_half_plus_half_the_normal_in_world_space() {
    let mut scene = scene(Show::NORMALS);
    scene.add(square(0.0), material(WHITE));
    assert_eq!(middle(&scene.draw()), [128, 128, 255, 255]);
}

#[test]
fn a_mesh_without_skin_follows_its_node_alone() {
    let image = |joint| {
        let mut scene = scene(Show::weights([joint]));
        scene.add(square(0.0), material(WHITE));
        middle(&scene.draw())
    };
    let [red, green, blue, _] = image(NodeId(0));
    assert!(
        red > 150 && green > 150 && blue < 60,
        "all of the weight is yellow"
    );
    assert!(is_grey(image(NodeId(1))), "no weight");
}

#[test]
fn measured_numbers_go_from_pale_yellow_to_dark_red_and_their_lack_is_grey() {
    let image = |value: f32| {
        let mesh = square(0.0);
        let mut scene = scene(Show::distance(Measured {
            ticks: vec![(0.0, String::new()), (10.0, String::new())],
            of_instances: vec![vec![value; mesh.positions.len()]],
            ..Measured::default()
        }));
        scene.add(mesh, material(WHITE));
        middle(&scene.draw())
    };
    let [red, green, blue, _] = image(0.0);
    assert!(red > 200 && green > 200 && blue > 160, "pale yellow");
    let [red, green, blue, _] = image(10.0);
    assert!(red > 150 && green < 20 && blue < 60, "dark red");
    assert_eq!(image(10.0), image(f32::INFINITY));
    assert!(is_grey(image(f32::NAN)));
}

fn is_grey([red, green, blue, _]: [u8; 4]) -> bool {
    red > 80 && red.abs_diff(green) < 12 && green.abs_diff(blue) < 12
}

#[test]
fn weights_of_several_joints_are_added() {
    let image = |joints: &[NodeId]| {
        let mut scene = scene(Show::weights(joints.iter().copied()));
        scene.add(square(0.0), material(WHITE));
        middle(&scene.draw())
    };
    let own = image(&[NodeId(0)]);
    assert_eq!(image(&[NodeId(1), NodeId(0), NodeId(0)]), own);
    assert_ne!(image(&[NodeId(1)]), own);
}

#[test]
fn a_vertex_without_weight_is_visible_against_every_background() {
    let shows = [Show::weights([NodeId(1)]), Show::INFLUENCES];
    for (show, background) in shows
        .iter()
        .flat_map(|show| (0..=255).map(move |code| (show, code)))
    {
        let mut scene = scene(show.clone());
        scene.style.background = Background::Color([background; 3]);
        scene.add(sphere(Vec3::ZERO, 0.6, 24, 12), material(WHITE));
        let frame = scene.draw();
        let drawn: Vec<u8> = frame
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .zip(&frame.depth)
            .filter(|(_, depth)| **depth < 1.0)
            .map(|(pixel, _)| pixel[0])
            .collect();
        let stands_out = |code: &&u8| code.abs_diff(background) >= 12;
        let seen = drawn.iter().filter(stands_out).count();
        assert!(
            5 * seen > drawn.len(),
            "{show:?} on {background}: {seen} of {}",
            drawn.len()
        );
    }
}

#[test]
fn one_sample_a_pixel_has_no_soft_edges() {
    let mut scene = scene(Show::TEXTURE);
    scene.style = Style {
        samples: Samples::One,
        ..scene.style
    };
    scene.add(sphere(Vec3::ZERO, 0.6, 24, 12), material(WHITE));
    let frame = scene.draw();
    let hard = |pixel: &[u8]| pixel == [255; 4] || pixel == [1, 2, 3, 255];
    assert!(frame.rgba.chunks(4).all(hard));
}

#[test]
fn only_triangles_with_a_corner_that_is_not_finite_are_skipped() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(WHITE));
    scene.meshes[0].positions[1].x = f32::NAN;
    let frame = scene.draw();
    let drawn = frame.depth.iter().filter(|depth| **depth < 1.0).count();
    assert_eq!(drawn, 0, "both triangles use the corner");
    scene.meshes[0].positions[1].x = 0.5;
    scene.meshes[0].positions[3].z = f32::INFINITY;
    let frame = scene.draw();
    let drawn = frame.depth.iter().filter(|depth| **depth < 1.0).count();
    assert!(drawn > 100, "the other triangle is there");
}

#[test]
fn a_mesh_of_an_unknown_instance_is_skipped() {
    let mut scene = scene(Show::LIT);
    scene.add(square(0.0), material(WHITE));
    scene.meshes[0].instance = InstanceId(7);
    assert_eq!(middle(&scene.draw()), [1, 2, 3, 255]);
}

#[test]
fn a_image_without_pixels_is_empty() {
    let mut scene = scene(Show::LIT);
    scene.add(square(0.0), material(WHITE));
    scene.viewport.width = 0;
    assert!(scene.draw().rgba.is_empty());
}

#[test]
fn the_nearer_surface_hides_the_farther_one_and_its_depth_is_kept() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(2.0), material(Vec4::new(1.0, 0.0, 0.0, 1.0)));
    scene.add(square(-3.0), material(Vec4::new(0.0, 1.0, 0.0, 1.0)));
    let frame = scene.draw();
    assert_eq!(middle(&frame), [255, 0, 0, 255]);
    // Near is at z = 10 and far at z = -10.
    assert!((depth_in_middle(&frame) - 0.4).abs() < 1e-6);
}

#[test]
fn at_equal_depth_the_lower_instance_is_in_front_wherever_it_is_listed() {
    let mut scene = scene(Show::TEXTURE);
    scene.add(square(0.0), material(Vec4::new(1.0, 0.0, 0.0, 1.0)));
    scene.add(square(0.0), material(Vec4::new(0.0, 1.0, 0.0, 1.0)));
    assert_eq!(middle(&scene.draw()), [255, 0, 0, 255]);
    scene.meshes.reverse();
    assert_eq!(middle(&scene.draw()), [255, 0, 0, 255]);
}

#[test]
fn the_back_of_a_one_sided_material_is_not_drawn() {
    let mut scene = scene(Show::TEXTURE);
    let mut mesh = square(0.0);
    mesh.triangles
        .iter_mut()
        .for_each(|triangle| triangle.swap(1, 2));
    scene.add(mesh, material(WHITE));
    assert_eq!(middle(&scene.draw()), [1, 2, 3, 255]);
    scene.asset.materials[0].two_sided = true;
    assert_eq!(middle(&scene.draw()), [255; 4]);
}

/// The square from behind, as skinning would rotate it.
fn facing_away(scene: &mut TestScene) {
    for deformed in &mut scene.meshes {
        let rotation = Quat::from_rotation_y(std::f32::consts::PI);
        deformed
            .positions
            .iter_mut()
            .for_each(|p| *p = rotation * *p);
        deformed.normals.iter_mut().for_each(|n| *n = rotation * *n);
    }
}

#[test]
fn the_back_of_a_two_sided_material_is_lit_like_the_front() {
    let mut scene = scene(Show::LIT);
    scene.add(square(0.0), two_sided(Vec4::new(0.5, 0.5, 0.5, 1.0)));
    let front = middle(&scene.draw());
    facing_away(&mut scene);
    assert_eq!(middle(&scene.draw()), front);
}

/// A sphere in front of the camera whose pose mirrors it in x, as a rigid node of scale (-1, 1, 1) would.
fn mirrored_sphere(normals_inwards: bool) -> TestScene {
    let mut scene = scene(Show::NORMALS);
    let mut mesh = sphere(Vec3::ZERO, 0.7, 24, 12);
    if normals_inwards {
        mesh.normals
            .iter_mut()
            .for_each(|normal| *normal = -*normal);
    }
    scene.add(mesh, material(WHITE));
    for deformed in &mut scene.meshes {
        deformed.positions.iter_mut().for_each(|p| p.x = -p.x);
        deformed.normals.iter_mut().for_each(|n| n.x = -n.x);
    }
    scene
}

#[test]
fn a_mirrored_instance_is_not_inside_out() {
    for normals_inwards in [false, true] {
        let frame = mirrored_sphere(normals_inwards).draw();
        let near = depth_in_middle(&frame);
        assert!(
            (near - (0.5 - 0.7 / 20.0)).abs() < 1e-3,
            "the far side is at {near}"
        );
    }
}

#[test]
fn inward_normals_in_the_file_do_not_flip_a_mesh() {
    let mut scene = scene(Show::LIT);
    let mut mesh = sphere(Vec3::ZERO, 0.7, 24, 12);
    mesh.normals
        .iter_mut()
        .for_each(|normal| *normal = -*normal);
    scene.add(mesh, material(WHITE));
    assert!(
        depth_in_middle(&scene.draw()) < 0.5,
        "the near side is drawn"
    );
}

#[test]
fn a_mesh_without_normals_is_lit_flat_and_from_both_sides() {
    let mut scene = scene(Show::LIT);
    let mut mesh = square(0.0);
    scene.add(mesh.clone(), material(WHITE));
    let with_normals = middle(&scene.draw());
    mesh.normals.clear();
    let mut scene = self::scene(Show::LIT);
    scene.add(mesh, material(WHITE));
    assert_eq!(middle(&scene.draw()), with_normals);
    facing_away(&mut scene);
    assert_eq!(middle(&scene.draw()), with_normals);
}

/// A lit sphere of this finish.
fn finished(finish: Finish) -> Frame {
    let mut scene = scene(Show::LIT);
    let mut surface = material(Vec4::new(0.8, 0.2, 0.1, 1.0));
    surface.finish = finish;
    scene.add(sphere(Vec3::ZERO, 0.7, 48, 24), surface);
    scene.draw()
}

fn reflecting(roughness: f32, metallic: f32) -> Finish {
    Finish {
        reflection: Some(Reflection {
            roughness,
            metallic,
            texture: None,
        }),
        bumps: None,
    }
}

/// The brightest blue of `frame`: a red surface has it only where it mirrors a light.
fn brightest_blue(frame: &Frame) -> u32 {
    let pixels = frame.rgba.chunks_exact(4);
    pixels.map(|pixel| pixel[2].into()).max().unwrap()
}

#[test]
fn the_smoother_a_surface_the_brighter_its_highlight_and_that_of_metal_has_its_colour() {
    let [smooth, medium, rough] =
        [0.2, 0.5, 1.0].map(|roughness| brightest_blue(&finished(reflecting(roughness, 0.0))));
    assert!(
        smooth > medium + 30 && medium > rough + 5,
        "{smooth} {medium} {rough}"
    );
    let metal = brightest_blue(&finished(reflecting(0.6, 1.0)));
    assert!(metal + 30 < smooth, "{metal} {smooth}");
}

/// A square towards the viewer whose normal map has one texel, with texture coordinates that grow to the right and down.
fn bumpy(texel: [u8; 3], scale: f32, tangents: Option<[Vec3; 2]>) -> [u8; 4] {
    let mut scene = scene(Show::LIT);
    let mut mesh = square(0.0);
    let uv = |position: &Vec3| Vec2::new(position.x, -position.y);
    mesh.uv_sets = vec![mesh.positions.iter().map(uv).collect()];
    let vertices = mesh.positions.len();
    scene.add(mesh, material(Vec4::new(0.4, 0.4, 0.4, 1.0)));
    let [r, g, b] = texel;
    scene.add_texture(Bitmap {
        width: 1,
        height: 1,
        rgba: vec![r, g, b, 255],
    });
    let material = scene.asset.materials.last_mut().unwrap();
    let texture = material.base_color_texture.take().unwrap();
    material.finish.bumps = Some(Bumps { texture, scale });
    if let Some([tangent, bitangent]) = tangents {
        scene.meshes[0].tangents = vec![tangent; vertices];
        scene.meshes[0].bitangents = vec![bitangent; vertices];
    }
    middle(&scene.draw())
}

/// The same square, smooth, with this normal.
fn with_normal(normal: Vec3) -> [u8; 4] {
    let mut scene = scene(Show::LIT);
    scene.add(square(0.0), material(Vec4::new(0.4, 0.4, 0.4, 1.0)));
    scene.meshes[0].normals.fill(normal.normalize());
    middle(&scene.draw())
}

fn near(a: [u8; 4], b: [u8; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1)
}

#[test]
fn a_normal_map_bends_normals_to_the_right_and_up_in_the_image() {
    assert!(near(
        bumpy([128, 128, 255], 1.0, None),
        with_normal(Vec3::Z)
    ));
    let bent = bumpy([192, 212, 218], 1.0, None);
    let expected = with_normal(Vec3::new(0.506, 0.663, 0.71));
    assert!(near(bent, expected), "{bent:?} {expected:?}");
    let flatter = bumpy([192, 212, 218], 0.5, None);
    assert!(near(flatter, with_normal(Vec3::new(0.253, 0.331, 0.71))));
}

#[test]
fn tangents_of_the_mesh_decide_where_a_normal_map_bends_to() {
    let frame = Some([Vec3::NEG_Y, Vec3::X]);
    let bent = bumpy([192, 212, 218], 1.0, frame);
    let expected = with_normal(Vec3::new(0.663, -0.506, 0.71));
    assert!(near(bent, expected), "{bent:?} {expected:?}");
}

#[test]
fn a_finish_shows_only_where_materials_are_lit() {
    let mut scene = scene(Show::CLAY);
    let mut surface = material(WHITE);
    scene.add(sphere(Vec3::ZERO, 0.7, 24, 12), surface.clone());
    for show in [Show::CLAY, Show::TEXTURE, Show::NORMALS] {
        scene.style.show = show;
        scene.asset.materials[0] = surface.clone();
        let plain = scene.draw();
        surface.finish = reflecting(0.2, 1.0);
        scene.asset.materials[0] = surface.clone();
        assert!(scene.draw() == plain, "{:?}", scene.style.show);
        surface.finish = Finish::default();
    }
}
