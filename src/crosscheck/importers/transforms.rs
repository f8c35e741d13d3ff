//! Compares the transforms of joints.
//!
//! `diff` measures what a joint does to the mesh, which does not depend on the joint's axes. Here, the axes must be equal
//! too: a file states them.

use glam::{DMat4, DVec3};

use super::both::Both;
use super::posed::Posed;
use super::report::Kind;
use super::tally::Tally;
use super::tolerance::{AXES, Scale};
use crate::diff::apart;
use crate::rig::Location;

/// The distance between two transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Apart {
    /// Between the two origins.
    pub(super) position: f64,
    /// The same as a multiple of its tolerance.
    pub(super) position_used: f64,
    /// Between axes of the same name, as a part of the longest; infinite if only one is finite.
    pub(super) axes: f64,
    /// The same as a multiple of its tolerance.
    pub(super) axes_used: f64,
}

impl Apart {
    /// * `unit` – length in the common space of one unit that the matrices lead to.
    pub(super) fn of([a, b]: [&DMat4; 2], unit: f64, scale: Scale) -> Self {
        let origins = [a, b].map(|matrix| matrix.w_axis.truncate() * unit);
        let reach = origins[0].abs().max(origins[1].abs()).max_element();
        let position = apart::points(origins[0], origins[1]);
        let axes = axes_apart(a, b);
        Self {
            position,
            position_used: position / scale.tolerance(reach),
            axes,
            axes_used: axes / AXES,
        }
    }
}

fn axes(matrix: &DMat4) -> [DVec3; 3] {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::DVec4::truncate)
}

/// Columns of zero length on both sides are equal.
fn axes_apart(a: &DMat4, b: &DMat4) -> f64 {
    let (a, b) = (axes(a), axes(b));
    let lengths = a.iter().chain(&b).map(|axis| axis.length());
    let longest = lengths
        .filter(|length| length.is_finite())
        .fold(0.0, f64::max);
    let apart = a.iter().zip(&b).map(|(a, b)| apart::points(*a, *b));
    let apart = apart.fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// The largest difference of two axes' lengths, as a part of the longest.
pub(super) fn lengths_apart([a, b]: [&DMat4; 2]) -> f64 {
    let [a, b] = [a, b].map(|matrix| axes(matrix).map(DVec3::length));
    let longest = a.into_iter().chain(b).fold(0.0, f64::max);
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// The length of the longest axis.
pub(super) fn longest_axis(matrix: &DMat4) -> f64 {
    axes(matrix)
        .map(DVec3::length)
        .into_iter()
        .fold(0.0, f64::max)
}

/// Compares the transforms of all joints that both importers have.
///
/// * `at` – the clip and the time.
pub(super) fn compare(both: &Both<'_>, posed: &[Posed; 2], at: &Location, tally: &mut Tally) {
    tally.compared(both.matching.pairs.len());
    for &pair in &both.matching.pairs {
        let worlds = [0, 1].map(|side| &posed[side].worlds[pair[side].index()]);
        let apart = Apart::of(worlds, 1.0, both.scale);
        let location = || at.clone().of_joint(both.matching.path_of_pair(pair));
        tally.apart(both.scale.relative(apart.position));
        if apart.position_used > 1.0 {
            tally.add(Kind::JointPosition, apart.position_used, |worst| {
                worst
                    .at(location())
                    .saying(worlds.map(|world| point(world.w_axis.truncate())))
                    .off(both.scale.off(apart.position))
            });
        }
        if apart.axes_used > 1.0 {
            tally.add(Kind::JointAxes, apart.axes_used, |worst| {
                worst.at(location()).off_part(apart.axes)
            });
        }
    }
}

/// A point for people.
pub(super) fn point(point: DVec3) -> String {
    format!("({:.6} {:.6} {:.6})", point.x, point.y, point.z)
}
