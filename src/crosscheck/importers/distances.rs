//! The distance between two transforms of a joint.

use glam::{DMat4, DVec3};

use super::common::{Scale, distance};
use super::report::{Kind, Location, Off};
use super::tally::{Details, Tally};
use super::tolerance::AXES;

/// Between two transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Apart {
    /// Between the two origins.
    pub(super) position: f64,
    /// The tolerance of `position`.
    pub(super) position_tolerance: f64,
    /// Between axes of the same name, as a part of the longest; infinite if only one is finite.
    pub(super) axes: f64,
}

impl Apart {
    /// * `unit` – length in the common space of one unit that the matrices lead to.
    pub(super) fn of(a: &DMat4, b: &DMat4, unit: f64, scale: Scale) -> Self {
        let origins = [a.w_axis.truncate() * unit, b.w_axis.truncate() * unit];
        let reach = origins
            .map(|origin| origin.abs().max_element())
            .into_iter()
            .fold(0.0, f64::max);
        Self {
            position: distance(origins[0], origins[1]),
            position_tolerance: scale.tolerance(reach),
            axes: axes_apart(a, b),
        }
    }

    /// The distance in tolerances; above 1 they differ.
    pub(super) fn severity(self) -> f64 {
        let position = self.position / self.position_tolerance;
        position.max(self.axes / AXES)
    }

    pub(super) fn differ(self) -> bool {
        self.severity() > 1.0
    }
}

/// Columns of zero length on both sides are equal.
fn axes_apart(a: &DMat4, b: &DMat4) -> f64 {
    let columns = |matrix: &DMat4| -> [DVec3; 3] {
        [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::DVec4::truncate)
    };
    let (a, b) = (columns(a), columns(b));
    let lengths = a.iter().chain(&b).map(|column| column.length());
    let longest = lengths
        .filter(|length| length.is_finite())
        .fold(0.0, f64::max);
    let apart = a.iter().zip(&b).map(|(a, b)| distance(*a, *b));
    let apart = apart.fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// The largest difference of two axes' lengths, as a part of the longest.
pub(super) fn lengths_apart(a: &DMat4, b: &DMat4) -> f64 {
    let lengths = |matrix: &DMat4| {
        [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate().length())
    };
    let (a, b) = (lengths(a), lengths(b));
    let longest = a.into_iter().chain(b).fold(0.0, f64::max);
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// Compares a joint's transforms into the common space.
///
/// * `location` – of the difference.
pub(super) fn compare_worlds(
    worlds: [&DMat4; 2],
    scale: Scale,
    location: impl Fn() -> Location,
    tally: &mut Tally,
) {
    let apart = Apart::of(worlds[0], worlds[1], 1.0, scale);
    tally.apart(apart.position / scale.diagonal);
    if apart.position > apart.position_tolerance {
        let severity = apart.position / apart.position_tolerance;
        tally.add(Kind::JointPosition, severity, || Details {
            location: location(),
            says: worlds.map(|world| point(world.w_axis.truncate())),
            off: Some(Off::Length {
                absolute: apart.position,
                relative: apart.position / scale.diagonal,
            }),
        });
    }
    if apart.axes > AXES {
        tally.add(Kind::JointAxes, apart.axes / AXES, || Details {
            location: location(),
            says: Default::default(),
            off: Some(Off::Part(apart.axes)),
        });
    }
}

/// A point for people.
pub(super) fn point(point: DVec3) -> String {
    format!("({:.6} {:.6} {:.6})", point.x, point.y, point.z)
}
