//! View directions.

use std::fmt;
use std::str::FromStr;

use glam::{DVec3, Vec3};

use super::ViewError;
use super::error::look_up;
use crate::units::Space;

/// From which side the camera looks, relative to where a character of the asset's [`Space`] faces and stands.
///
/// Left and right are the character's: `left` stands on its left and sees its left side. In an image from the front,
/// the character's left hand is on the right, as in a photograph.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ViewDirection {
    /// Looks at the face.
    Front,
    /// Looks at the back of the head.
    Back,
    /// Sees the character's left side.
    Left,
    /// Sees the character's right side.
    Right,
    /// Looks down; the face is towards the image's lower edge.
    Top,
    /// From the front, between it and the character's left, and a little above: `orbit:35,15`.
    #[default]
    ThreeQuarter,
    /// Anywhere on a sphere around the model.
    Orbit {
        /// From the front towards the character's left: 90 is [`ViewDirection::Left`].
        yaw_degrees: f64,
        /// From the horizon upwards: 90 is [`ViewDirection::Top`]. Beyond that, the view continues over the top.
        pitch_degrees: f64,
    },
}

/// Orthogonal unit vectors of a view, in the space of the asset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ViewAxes {
    /// To the right of the image.
    pub(super) right: DVec3,
    /// To the top of the image.
    pub(super) up: DVec3,
    /// From the model to the viewer.
    pub(super) back: DVec3,
}

/// The words that [`ViewDirection::from_str`] accepts, for messages and help.
const EXPECTED: &str = "front, back, left, right, top, three-quarter or orbit:YAW,PITCH (degrees)";

const NAMES: &[(&str, ViewDirection)] = &[
    ("front", ViewDirection::Front),
    ("back", ViewDirection::Back),
    ("left", ViewDirection::Left),
    ("right", ViewDirection::Right),
    ("top", ViewDirection::Top),
    ("three-quarter", ViewDirection::ThreeQuarter),
];

impl ViewDirection {
    /// The orbit angles `(yaw, pitch)` in degrees.
    #[must_use]
    pub fn angles(self) -> (f64, f64) {
        match self {
            Self::Front => (0.0, 0.0),
            Self::Back => (180.0, 0.0),
            Self::Left => (90.0, 0.0),
            Self::Right => (-90.0, 0.0),
            Self::Top => (0.0, 90.0),
            Self::ThreeQuarter => (35.0, 15.0),
            Self::Orbit {
                yaw_degrees,
                pitch_degrees,
            } => (yaw_degrees, pitch_degrees),
        }
    }

    /// The direction from which a surface with this outward normal is seen face on.
    ///
    /// * `normal` – in the axes of `space`; of length 1.
    #[must_use]
    pub fn towards(space: &Space, normal: Vec3) -> Self {
        let (up, front) = (space.up.unit(), front_of(space));
        let left = up.cross(front);
        let normal = normal.as_dvec3();
        Self::Orbit {
            yaw_degrees: libm::atan2(normal.dot(left), normal.dot(front)).to_degrees(),
            pitch_degrees: libm::asin(normal.dot(up).clamp(-1.0, 1.0)).to_degrees(),
        }
    }

    /// The axes of the view in `space`.
    pub(super) fn axes(self, space: &Space) -> ViewAxes {
        let (yaw, pitch) = self.angles();
        let (yaw, pitch) = (SinCos::of_degrees(yaw), SinCos::of_degrees(pitch));
        let (world_up, front) = (space.up.unit(), front_of(space));
        let left = world_up.cross(front);
        let level = front * yaw.cos + left * yaw.sin;
        ViewAxes {
            right: left * yaw.cos - front * yaw.sin,
            up: world_up * pitch.cos - level * pitch.sin,
            back: level * pitch.cos + world_up * pitch.sin,
        }
    }
}

/// Where the face looks; a front along the up axis is meaningless and replaced by the next axis.
fn front_of(space: &Space) -> DVec3 {
    let (up, front) = (space.up.unit(), space.front.unit());
    if up.cross(front) == DVec3::ZERO {
        DVec3::new(up.y, up.z, up.x)
    } else {
        front
    }
}

#[derive(Debug, Clone, Copy)]
struct SinCos {
    sin: f64,
    cos: f64,
}

impl SinCos {
    /// Exact at multiples of 90 degrees; NaN counts as 0.
    fn of_degrees(degrees: f64) -> Self {
        if !degrees.is_finite() {
            return Self { sin: 0.0, cos: 1.0 };
        }
        let angle = degrees % 360.0;
        let quadrant = libm::round(angle / 90.0);
        let (sin, cos) = libm::sincos((angle - 90.0 * quadrant).to_radians());
        // `angle` is in -360..360, so the quadrant is one of -4..=4.
        let (sin, cos) = match quadrant.rem_euclid(4.0) {
            1.0 => (cos, -sin),
            2.0 => (-sin, -cos),
            3.0 => (-cos, sin),
            _ => (sin, cos),
        };
        Self { sin, cos }
    }
}

impl FromStr for ViewDirection {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        match text.split_once(':') {
            Some((word, angles)) if word.eq_ignore_ascii_case("orbit") => orbit(angles),
            _ => look_up(NAMES, text, "direction", EXPECTED),
        }
    }
}

fn orbit(text: &str) -> Result<ViewDirection, ViewError> {
    let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
    let angles = text
        .split_once(',')
        .and_then(|(yaw, pitch)| Some((number(yaw)?, number(pitch)?)));
    let (yaw_degrees, pitch_degrees) = angles.ok_or_else(|| ViewError::OrbitAngles {
        text: text.to_owned(),
    })?;
    Ok(ViewDirection::Orbit {
        yaw_degrees,
        pitch_degrees,
    })
}

impl fmt::Display for ViewDirection {
    /// As [`ViewDirection::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMES.iter().find(|(_, direction)| direction == self) {
            return f.write_str(name);
        }
        let (yaw, pitch) = self.angles();
        write!(f, "orbit:{yaw},{pitch}")
    }
}

#[cfg(test)]
mod tests {
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
}
