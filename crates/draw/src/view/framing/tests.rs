//! Named cases.

use glam::{Mat4, Vec4};
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};

use super::*;
use crate::rig::strategies::vectors;

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
    let eye = camera_for(PERSPECTIVE, &square).eye();
    assert!(eye.abs_diff_eq(DVec3::Z, 1e-6), "{eye}");
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

/// What a camera is asked to hold.
#[derive(Debug, Clone)]
struct Case {
    direction: ViewDirection,
    projection: Projection,
    viewport: Viewport,
    /// The points of each frame of a clip.
    frames: Vec<Vec<Vec3>>,
}

fn direction() -> impl Strategy<Value = ViewDirection> {
    (-180.0..180.0, -90.0..90.0).prop_map(|(yaw_degrees, pitch_degrees)| ViewDirection::Orbit {
        yaw_degrees,
        pitch_degrees,
    })
}

fn projection() -> impl Strategy<Value = Projection> {
    let perspective =
        (5.0..120.0).prop_map(|fov_y_degrees| Projection::Perspective { fov_y_degrees });
    prop_oneof![3 => perspective, 1 => Just(Projection::Orthographic)]
}

fn viewport() -> impl Strategy<Value = Viewport> {
    (1_u32..2000, 1_u32..2000).prop_map(|(width, height)| Viewport { width, height })
}

/// Points of some frames, flat or in a line or neither, of any size, off the origin by up to ten times that.
fn frames() -> impl Strategy<Value = Vec<Vec<Vec3>>> {
    let clouds = prop::collection::vec(prop::collection::vec(vectors(1.0), 1..12), 1..4);
    let shape = prop::sample::select(vec![Vec3::ONE, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::Z]);
    let scale = (-6_i16..=9).prop_map(|power| libm::powf(10.0, f32::from(power)));
    let offset = vectors(10.0);
    (clouds, shape, offset, scale).prop_map(|(mut clouds, shape, offset, scale)| {
        // Two points that are apart, so that there is something to fit.
        clouds.push(vec![Vec3::splat(-0.5), Vec3::splat(0.5)]);
        let position = |point: Vec3| scale * (point * shape + offset);
        let moved = |cloud: Vec<Vec3>| cloud.into_iter().map(position).collect();
        clouds.into_iter().map(moved).collect()
    })
}

fn case() -> impl Strategy<Value = Case> {
    (direction(), projection(), viewport(), frames()).prop_map(
        |(direction, projection, viewport, frames)| Case {
            direction,
            projection,
            viewport,
            frames,
        },
    )
}

fn fit(case: &Case) -> Camera {
    let mut framing = Framing::new(&Space::Y_UP, case.direction, case.projection, case.viewport);
    for frame in &case.frames {
        framing.include(frame);
    }
    framing.camera()
}

/// A point in normalized device coordinates, and how far rounding may have moved it.
struct Seen {
    position: Vec3,
    w: f32,
    error: f32,
}

/// A row of a product of two f32 matrices times a point errs by at most about eight roundings of the sum of its terms'
/// magnitudes; dividing by w adds as much of w's.
fn seen_with_error(camera: &Camera, point: Vec3) -> Seen {
    let magnitudes = |m: Mat4| Mat4::from_cols_array(&m.to_cols_array().map(f32::abs));
    let clip = camera.clip_from_world() * point.extend(1.0);
    let terms: Vec4 = magnitudes(camera.clip_from_view)
        * (magnitudes(camera.view_from_world) * point.abs().extend(1.0));
    let position = clip.truncate() / clip.w;
    let largest = terms.x.max(terms.y).max(terms.w) / clip.w.abs();
    Seen {
        position,
        w: clip.w,
        error: 8.0 * f32::EPSILON * largest * (1.0 + position.truncate().abs().max_element()),
    }
}

fn check(law: impl Fn(&Case) -> Result<(), TestCaseError>) -> Result<(), String> {
    let config = ProptestConfig {
        cases: 1024,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&case(), |case| law(&case));
    result.map_err(|error| error.to_string())
}

const INNER_F32: f32 = 0.9;

/// Every point of every frame is inside the margin and between the near and the far plane.
fn everything_is_inside(fit: impl Fn(&Case) -> Camera) -> Result<(), String> {
    check(|case| {
        let camera = fit(case);
        for &point in case.frames.iter().flatten() {
            let Seen { position, w, error } = seen_with_error(&camera, point);
            prop_assert!(w > 0.0, "{point} is behind the viewer");
            let outside = position.truncate().abs().max_element() - INNER_F32;
            prop_assert!(
                outside <= error,
                "{point} at {position} is {outside} past the margin, allowed {error}"
            );
            prop_assert!(
                position.z.abs() < 1.0,
                "{point} at {position} is cut off in depth"
            );
        }
        Ok(())
    })
}

/// Points touch the margin on two opposite sides, unless the content is a line seen (nearly) end on, to which the camera
/// keeps its distance.
fn nothing_is_wasted(fit: impl Fn(&Case) -> Camera) -> Result<(), String> {
    check(|case| {
        let camera = fit(case);
        let positions: Vec<Seen> = case
            .frames
            .iter()
            .flatten()
            .map(|&p| seen_with_error(&camera, p))
            .collect();
        let slack = positions
            .iter()
            .fold(1e-3_f32, |slack, seen| slack.max(seen.error));
        let touches = |coordinate: &dyn Fn(&Seen) -> f32| {
            positions
                .iter()
                .any(|seen| coordinate(seen) >= INNER_F32 - slack)
        };
        let wide = touches(&|seen| seen.position.x) && touches(&|seen| -seen.position.x);
        let high = touches(&|seen| seen.position.y) && touches(&|seen| -seen.position.y);
        prop_assert!(
            wide || high || is_end_on(case, &camera),
            "the image could be fuller"
        );
        Ok(())
    })
}

/// Whether the points are much longer along the view than across it.
fn is_end_on(case: &Case, camera: &Camera) -> bool {
    let in_view = |&point: &Vec3| {
        camera
            .view_from_world
            .as_dmat4()
            .transform_point3(point.as_dvec3())
    };
    let positions = || case.frames.iter().flatten().map(in_view);
    let most = positions().reduce(DVec3::max).unwrap_or_default();
    let least = positions().reduce(DVec3::min).unwrap_or_default();
    let size = most - least;
    let nearest = -most.z;
    match case.projection {
        Projection::Perspective { .. } => {
            nearest <= 1.01 * LEAST_DISTANCE_PER_SIZE * size.max_element()
        }
        Projection::Orthographic => size.x.max(size.y) <= 1.01 * LEAST_DISTANCE_PER_SIZE * size.z,
    }
}

#[test]
fn every_point_is_inside_of_the_margin_and_the_depth_range() {
    everything_is_inside(fit).unwrap();
}

#[test]
fn the_fit_is_tight() {
    nothing_is_wasted(fit).unwrap();
}

/// Frames shown one at a time or all at once give the same camera.
#[test]
fn points_may_come_in_any_parts_and_order() {
    check(|case| {
        let all: Vec<Vec3> = case.frames.iter().rev().flatten().rev().copied().collect();
        let at_once = Case {
            frames: vec![all],
            ..case.clone()
        };
        prop_assert_eq!(fit(&at_once), fit(case));
        Ok(())
    })
    .unwrap();
}

/// Faults that would crop the image.
mod cropping {
    use super::*;

    fn is_caught(fault: impl Fn(&Case) -> Camera) {
        let result = everything_is_inside(fault);
        assert!(result.is_err(), "the law does not see the fault");
    }

    #[test]
    fn a_camera_for_the_first_frame_alone_is_caught() {
        is_caught(|case| {
            let first = case.frames[..1].to_vec();
            fit(&Case {
                frames: first,
                ..case.clone()
            })
        });
    }

    #[test]
    fn a_camera_that_forgets_the_shape_of_the_image_is_caught() {
        is_caught(|case| {
            let square = Viewport {
                width: 500,
                height: 500,
            };
            let camera = fit(&Case {
                viewport: square,
                ..case.clone()
            });
            #[expect(clippy::cast_possible_truncation, reason = "a camera is f32")]
            let aspect = case.viewport.aspect() as f32;
            let mut clip_from_view = camera.clip_from_view;
            clip_from_view.x_axis.x /= aspect;
            Camera {
                clip_from_view,
                ..camera
            }
        });
    }

    #[test]
    fn a_camera_without_a_margin_is_caught() {
        is_caught(|case| {
            let mut camera = fit(case);
            let closer = Mat4::from_scale(Vec3::new(1.0 / 0.9, 1.0 / 0.9, 1.0));
            camera.clip_from_view = closer * camera.clip_from_view;
            camera
        });
    }

    #[test]
    fn fixed_near_and_far_planes_are_caught() {
        is_caught(|case| {
            let mut camera = fit(case);
            let (near, far) = (0.1, 100.0);
            camera.clip_from_view.z_axis.z = -(far + near) / (far - near);
            camera.clip_from_view.w_axis.z = -2.0 * near * far / (far - near);
            camera
        });
    }
}

/// Faults that would show the model too small.
mod wasting {
    use super::*;

    fn is_caught(fault: impl Fn(&Case) -> Camera) {
        assert!(
            nothing_is_wasted(fault).is_err(),
            "the law does not see the fault"
        );
    }

    #[test]
    fn a_camera_for_the_bounding_box_of_the_file_is_caught() {
        is_caught(|case| {
            let points = || case.frames.iter().flatten().copied();
            let least = points().reduce(Vec3::min).unwrap_or_default();
            let most = points().reduce(Vec3::max).unwrap_or_default();
            let corners = (0..8).map(|corner| {
                let pick = |axis: usize| {
                    if corner >> axis & 1 == 0 {
                        least[axis]
                    } else {
                        most[axis]
                    }
                };
                Vec3::new(pick(0), pick(1), pick(2))
            });
            fit(&Case {
                frames: vec![corners.collect()],
                ..case.clone()
            })
        });
    }

    #[test]
    fn a_camera_that_looks_at_the_origin_is_caught() {
        is_caught(|case| {
            let mirrored = case.frames.iter().flatten().map(|&point| -point);
            let mut frames = case.frames.clone();
            frames.push(mirrored.collect());
            fit(&Case {
                frames,
                ..case.clone()
            })
        });
    }
}
