//! Words, sides and the law of the axes.

use proptest::prelude::*;

use super::*;
use crate::units::SignedAxis;
use crate::units::law::holds;

const Z_UP: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::MinusY,
    metres_per_unit: Some(0.01),
};

fn axes(text: &str, space: &Space) -> ViewAxes {
    text.parse::<ViewDirection>().unwrap().axes(space)
}

#[test]
fn the_front_view_looks_at_the_face() {
    let front = axes("front", &Space::Y_UP);
    assert_eq!(front.back, DVec3::Z);
    assert_eq!(front.up, DVec3::Y);
    assert_eq!(front.right, DVec3::X);
    let front = axes("front", &Z_UP);
    assert_eq!(front.back, DVec3::NEG_Y);
    assert_eq!(front.up, DVec3::Z);
    assert_eq!(front.right, DVec3::X);
}

#[test]
fn the_left_view_stands_on_the_characters_left() {
    assert_eq!(axes("left", &Space::Y_UP).back, DVec3::X);
    assert_eq!(axes("left", &Z_UP).back, DVec3::X);
    assert_eq!(axes("right", &Z_UP).back, DVec3::NEG_X);
    assert_eq!(axes("back", &Z_UP).back, DVec3::Y);
}

#[test]
fn the_top_view_has_the_face_below_and_the_left_hand_on_the_right() {
    let top = axes("top", &Z_UP);
    assert_eq!(top.back, DVec3::Z);
    assert_eq!(top.up, DVec3::Y);
    assert_eq!(top.right, DVec3::X);
}

#[test]
fn a_front_along_the_up_axis_still_gives_a_view() {
    let space = Space {
        up: SignedAxis::MinusY,
        front: SignedAxis::PlusY,
        metres_per_unit: None,
    };
    let view = axes("front", &space);
    assert_eq!(view.up, DVec3::NEG_Y);
    assert!((view.back.length() - 1.0).abs() < 1e-12);
}

#[test]
fn words_are_read_and_written_alike() {
    for (word, direction) in NAMES {
        assert_eq!(word.parse(), Ok(*direction));
        assert_eq!(direction.to_string(), *word);
    }
    let orbit = "orbit:-30.5, 12".parse::<ViewDirection>().unwrap();
    assert_eq!(orbit.to_string(), "orbit:-30.5,12");
}

#[test]
fn an_unknown_direction_names_the_nearest_and_all() {
    let error = "frnt".parse::<ViewDirection>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown direction \"frnt\" (did you mean \"front\"?); expected front, back, left, right, top, \
         three-quarter or orbit:YAW,PITCH (degrees)"
    );
}

#[test]
fn nan_orbit_angles_are_refused() {
    for text in [
        "orbit:",
        "orbit:1",
        "orbit:1,2,3",
        "orbit:nan,0",
        "orbit:0,inf",
        "orbit:a,b",
    ] {
        let error = text.parse::<ViewDirection>().unwrap_err();
        assert!(
            matches!(error, ViewError::OrbitAngles { .. }),
            "{text}: {error}"
        );
    }
}

#[test]
fn nan_angles_count_as_zero() {
    let orbit = ViewDirection::Orbit {
        yaw_degrees: f64::NAN,
        pitch_degrees: f64::INFINITY,
    };
    assert_eq!(
        orbit.axes(&Space::Y_UP),
        ViewDirection::Front.axes(&Space::Y_UP)
    );
}

/// From any side, the view's axes are right-handed, orthogonal, of unit length and upright.
fn axes_are_a_rotation(axes: impl Fn(f64, f64) -> ViewAxes) -> Result<(), String> {
    let law = |(yaw, pitch): (f64, f64)| {
        let ViewAxes { right, up, back } = axes(yaw, pitch);
        prop_assert!(right.cross(up).abs_diff_eq(back, 1e-12));
        prop_assert!((up.length() - 1.0).abs() < 1e-12 && (back.length() - 1.0).abs() < 1e-12);
        prop_assert!(right.y.abs() < 1e-12, "the horizon is not level");
        prop_assert!(
            up.y * libm::cos(pitch.to_radians()) > -1e-12,
            "the image is upside down"
        );
        Ok(())
    };
    holds(&(-720.0..720.0, -180.0..180.0), law)
}

fn orbit_axes(yaw_degrees: f64, pitch_degrees: f64) -> ViewAxes {
    let orbit = ViewDirection::Orbit {
        yaw_degrees,
        pitch_degrees,
    };
    orbit.axes(&Space::Y_UP)
}

#[test]
fn every_orbit_gives_a_rotation() {
    axes_are_a_rotation(orbit_axes).unwrap();
}

#[test]
fn the_law_of_axes_catches_a_mirrored_and_a_rolled_view() {
    let mirrored = |yaw, pitch| {
        let axes = orbit_axes(yaw, pitch);
        ViewAxes {
            right: -axes.right,
            ..axes
        }
    };
    assert!(axes_are_a_rotation(mirrored).is_err());
    let rolled = |yaw, pitch| {
        let axes = orbit_axes(yaw, pitch);
        ViewAxes {
            right: axes.up,
            up: -axes.right,
            ..axes
        }
    };
    assert!(axes_are_a_rotation(rolled).is_err());
}

#[test]
fn a_surface_is_seen_face_on_against_its_normal() {
    for space in [Space::Y_UP, Z_UP] {
        for normal in [
            Vec3::X,
            Vec3::NEG_Z,
            Vec3::new(0.36, 0.48, -0.8),
            Vec3::new(-0.6, 0.0, 0.8),
        ] {
            let back = ViewDirection::towards(&space, normal).axes(&space).back;
            assert!(back.abs_diff_eq(normal.as_dvec3(), 1e-6), "{normal} {back}");
        }
    }
}
