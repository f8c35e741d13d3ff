//! Axes and unit as FBX states them, whichever importer reads it.

use super::log::Notes;
use crate::units::{SignedAxis, Space};

/// The axes that a file states, `None` where it states none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes {
    pub(super) up: Option<SignedAxis>,
    pub(super) front: Option<SignedAxis>,
    pub(super) side: Option<SignedAxis>,
}

/// The space of data that are not converted.
pub(super) fn stated(axes: Axes, metres_per_unit: Option<f64>, notes: &mut Notes) -> Space {
    let (up, front) = match (axes.up, axes.front) {
        (Some(up), Some(front)) if up.unit().dot(front.unit()).abs() < 0.5 => (up, front),
        _ => {
            let message = "the file states no valid axes; assuming +Y up and +Z front";
            notes.add("space", message);
            (SignedAxis::PlusY, SignedAxis::PlusZ)
        }
    };
    let left = up.unit().cross(front.unit());
    if axes.side.is_some_and(|side| side.unit() == -left) {
        let message = "the file states left-handed axes; read as right-handed";
        notes.add("space", message);
    }
    Space {
        up,
        front,
        metres_per_unit: metres_per_unit.filter(|unit| unit.is_finite() && *unit > 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As 3ds Max has it.
    const MAX: Axes = Axes {
        up: Some(SignedAxis::PlusZ),
        front: Some(SignedAxis::MinusY),
        side: Some(SignedAxis::PlusX),
    };

    #[test]
    fn axes_and_unit_are_the_files_and_impossible_ones_are_noted() {
        let max = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::MinusY,
            metres_per_unit: Some(0.0254),
        };
        let flat = Axes {
            front: Some(SignedAxis::MinusZ),
            ..MAX
        };
        let left_handed = Axes {
            side: Some(SignedAxis::MinusX),
            ..MAX
        };
        for (axes, unit, space, noted) in [
            (MAX, 0.0254, max, 0),
            (flat, f64::NAN, Space::Y_UP, 1),
            (left_handed, 0.0254, max, 1),
        ] {
            let mut notes = Notes::default();
            assert_eq!(stated(axes, Some(unit), &mut notes), space);
            assert_eq!(notes.into_inner().len(), noted, "{axes:?}");
        }
    }
}
