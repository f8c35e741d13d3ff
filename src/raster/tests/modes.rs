//! Background, edges, samples and what the modes show.

use super::*;
use crate::view::Samples;

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
        red > 150 && green < 60 && blue < 60,
        "all of the weight is red"
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
        let drawn = frame.rgba.as_chunks::<4>().0.iter().zip(&frame.depth);
        let drawn: Vec<u8> = drawn
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
