//! View directions.

use std::fmt;
use std::str::FromStr;

use glam::{DVec3, Vec3};

use super::ViewError;
use super::words::look_up;
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
mod tests;
