//! What hides what: depth, back faces and mirrored poses.

use glam::Quat;

use super::*;

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
