//! Named cases.

use super::*;

const SQUARE: Viewport = Viewport {
    width: 100,
    height: 100,
};
const PERSPECTIVE: Projection = Projection::Perspective {
    fov_y_degrees: 90.0,
};

fn framing(projection: Projection) -> Framing {
    Framing::new(&Space::Y_UP, ViewDirection::Front, projection, SQUARE)
}

fn camera_for(projection: Projection, points: &[Vec3]) -> Camera {
    let mut framing = framing(projection);
    framing.include(points);
    framing.camera()
}

/// In normalized device coordinates.
fn seen(camera: &Camera, point: Vec3) -> Vec3 {
    camera.clip_from_world().project_point3(point)
}

#[test]
fn a_flat_square_from_the_front_is_seen_where_geometry_says() {
    let corner = Vec3::new(0.9, 0.9, 0.0);
    let square = [corner, Vec3::new(-0.9, -0.9, 0.0)];
    for projection in [PERSPECTIVE, Projection::Orthographic] {
        let camera = camera_for(projection, &square);
        let position = seen(&camera, corner).truncate();
        assert!(
            position.abs_diff_eq(glam::Vec2::splat(0.9), 1e-6),
            "{position}"
        );
    }
    let eye = camera_for(PERSPECTIVE, &square)
        .view_from_world
        .inverse()
        .transform_point3(Vec3::ZERO);
    assert!(eye.abs_diff_eq(Vec3::Z, 1e-6), "{eye}");
}

#[test]
fn nothing_at_all_shows_one_unit_around_the_origin() {
    for projection in [PERSPECTIVE, Projection::Orthographic] {
        let camera = framing(projection).camera();
        let origin = seen(&camera, Vec3::ZERO);
        assert!(origin.truncate().length() < 1e-6 && origin.z.abs() < 1.0);
        let corner = seen(&camera, Vec3::splat(0.28));
        assert!(corner.abs().max_element() < 1.0, "{corner}");
    }
}

#[test]
fn framings_that_are_merged_hold_what_one_would() {
    let (near, far) = ([Vec3::new(1.0, 2.0, 3.0)], [Vec3::new(-4.0, 0.5, -6.0)]);
    for projection in [PERSPECTIVE, Projection::Orthographic] {
        let mut merged = framing(projection);
        for points in [&near[..], &far, &[]] {
            let mut part = framing(projection);
            part.include(points);
            merged.merge(&part);
        }
        assert_eq!(
            merged.camera(),
            camera_for(projection, &[near, far].concat())
        );
    }
}

#[test]
fn a_single_point_is_in_the_middle() {
    let point = Vec3::new(3.0, -200.0, 10.0);
    for projection in [PERSPECTIVE, Projection::Orthographic] {
        let position = seen(&camera_for(projection, &[point]), point);
        assert!(position.truncate().length() < 1e-3, "{position}");
        assert!(position.z.abs() < 1.0, "{position}");
    }
}

#[test]
fn a_line_seen_end_on_is_in_the_middle() {
    let line = [Vec3::new(1.0, 1.0, -5.0), Vec3::new(1.0, 1.0, 5.0)];
    for projection in [PERSPECTIVE, Projection::Orthographic] {
        let camera = camera_for(projection, &line);
        for point in line {
            let position = seen(&camera, point);
            assert!(position.truncate().length() < 1e-3, "{position}");
            assert!(position.z.abs() < 1.0, "{position}");
        }
    }
}

#[test]
fn points_that_are_nowhere_are_skipped() {
    let some = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 0.0)];
    let nowhere = [
        Vec3::new(f32::NAN, 0.0, 0.0),
        Vec3::new(0.0, f32::INFINITY, 0.0),
        Vec3::new(0.0, 0.0, f32::MIN),
    ];
    let mixed: Vec<Vec3> = nowhere.into_iter().chain(some).chain(nowhere).collect();
    assert_eq!(
        camera_for(PERSPECTIVE, &mixed),
        camera_for(PERSPECTIVE, &some)
    );
    assert_eq!(
        camera_for(PERSPECTIVE, &nowhere),
        camera_for(PERSPECTIVE, &[])
    );
}

#[test]
fn extreme_shapes_of_images_and_points_give_finite_cameras() {
    let shapes = [(1, 16384), (16384, 1), (1, 1)];
    let extremes = [1e12_f32, 1e-30, f32::MIN_POSITIVE, 0.0];
    for ((width, height), extreme) in shapes.into_iter().flat_map(|s| extremes.map(|e| (s, e))) {
        for projection in [
            Projection::Perspective { fov_y_degrees: 1.0 },
            Projection::Orthographic,
        ] {
            let viewport = Viewport { width, height };
            let mut framing =
                Framing::new(&Space::Y_UP, ViewDirection::default(), projection, viewport);
            framing.include(&[Vec3::splat(extreme), Vec3::new(-extreme, 0.0, extreme)]);
            let camera = framing.camera();
            assert!(
                camera.clip_from_world().is_finite(),
                "{viewport} {extreme}: {camera:?}"
            );
        }
    }
}

#[test]
fn a_parallel_camera_says_so() {
    assert!(camera_for(Projection::Orthographic, &[Vec3::X]).is_orthographic());
    assert!(!camera_for(PERSPECTIVE, &[Vec3::X]).is_orthographic());
}
