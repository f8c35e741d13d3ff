//! The axes and units that the file states; nothing is converted.

use ufbx::{CoordinateAxis, Scene};

use crate::import::axes::{self, Axes};
use crate::import::notes::Notes;
use crate::units::{SignedAxis, Space};

/// The space of the file's data, from its `GlobalSettings`.
pub(super) fn of(scene: &Scene, notes: &mut Notes) -> Space {
    let axes = &scene.settings.axes;
    let stated = Axes {
        up: axis(axes.up),
        front: axis(axes.front),
        side: axis(axes.right),
    };
    axes::stated(stated, Some(scene.settings.unit_meters), notes)
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
