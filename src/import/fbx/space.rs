//! The axes and units that the file states; nothing is converted.

use ufbx::{CoordinateAxis, Scene};

use crate::import::notes::Notes;
use crate::units::{SignedAxis, Space};

/// The space of the file's data, from its `GlobalSettings`.
pub(super) fn of(scene: &Scene, notes: &mut Notes) -> Space {
    let axes = &scene.settings.axes;
    let stated = (axis(axes.up), axis(axes.front));
    let (up, front) = match stated {
        (Some(up), Some(front)) if are_perpendicular(up, front) => (up, front),
        _ => {
            let message = "the file states no valid axes; assuming +Y up and +Z front";
            notes.add("space", message);
            (SignedAxis::PlusY, SignedAxis::PlusZ)
        }
    };
    let left = up.unit().cross(front.unit());
    if axis(axes.right).is_some_and(|side| side.unit() == -left) {
        let message = "the file states left-handed axes; read as right-handed";
        notes.add("space", message);
    }
    let unit = scene.settings.unit_meters;
    Space {
        up,
        front,
        metres_per_unit: Some(unit).filter(|unit| unit.is_finite() && *unit > 0.0),
    }
}

fn axis(axis: CoordinateAxis) -> Option<SignedAxis> {
    Some(match axis {
        CoordinateAxis::PositiveX => SignedAxis::PlusX,
        CoordinateAxis::NegativeX => SignedAxis::MinusX,
        CoordinateAxis::PositiveY => SignedAxis::PlusY,
        CoordinateAxis::NegativeY => SignedAxis::MinusY,
        CoordinateAxis::PositiveZ => SignedAxis::PlusZ,
        CoordinateAxis::NegativeZ => SignedAxis::MinusZ,
        CoordinateAxis::Unknown => return None,
    })
}

fn are_perpendicular(a: SignedAxis, b: SignedAxis) -> bool {
    a.unit().dot(b.unit()).abs() < 0.5
}
