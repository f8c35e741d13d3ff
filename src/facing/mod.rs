//! The direction that a figure faces.
//!
//! Formats state at best the front of their space, and exporters do not rotate figures to it. But the rig shows it: toes
//! point forward, eyes are in front of the neck, the joints of the left side are on the left. Each of these clues votes for
//! one of the four level axes, with a weight for its reliability.

mod clues;
mod names;

use std::fmt;

use glam::DVec3;

use crate::pose;
use crate::rig::Asset;
use crate::units::{SignedAxis, Space};
use clues::Joints;

/// The direction that a figure faces, and the clues to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facing {
    /// Perpendicular to [`Space::up`].
    pub front: SignedAxis,
    /// The clues that agree on it, the strongest first. Without any, `front` is that of the file or its format.
    pub clues: Vec<Clue>,
}

/// A clue to the direction that a figure faces, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clue {
    /// From ankles to toes.
    Toes,
    /// From the head's joint to eyes, jaw and nose.
    Face,
    /// From the tail or the pelvis of an animal on four legs to its head.
    Head,
    /// The surface of the feet, from the ankles.
    Feet,
    /// Names of left and right joints.
    Sides,
    /// Knees are in front of the line from hip to ankle.
    Knees,
}

impl Clue {
    /// The weight of its vote: shape counts more than names, and a knee, which is nearly straight at rest, the least.
    fn votes(self) -> u32 {
        match self {
            Self::Toes | Self::Face => 4,
            Self::Head | Self::Feet => 3,
            Self::Sides => 2,
            Self::Knees => 1,
        }
    }
}

impl fmt::Display for Clue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Toes => "the toes point that way",
            Self::Face => "eyes or jaw are on that side of the head",
            Self::Head => "the head is on that side of the body",
            Self::Feet => "the feet reach out that way",
            Self::Sides => "joints named left are then on the left",
            Self::Knees => "the knees bend that way",
        })
    }
}

impl fmt::Display for Facing {
    /// Such as `+Z: the toes point that way`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clues: Vec<String> = self.clues.iter().map(Clue::to_string).collect();
        match clues.as_slice() {
            [] => write!(
                f,
                "{}: nothing in the rig shows a front, so this is the format's",
                self.front
            ),
            clues => write!(f, "{}: {}", self.front, clues.join("; ")),
        }
    }
}

/// The direction that the figure of `asset` faces in its rest pose. Other models face as [`Asset::space`] says.
#[must_use]
pub fn of(asset: &Asset) -> Facing {
    let pose = pose::model_pose(asset, &pose::rest(asset));
    let joints = Joints::new(asset, &pose);
    let clues = joints.clues().into_iter();
    let votes: Vec<(Clue, SignedAxis)> = clues
        .filter_map(|(clue, direction)| Some((clue, axis_of(direction, &asset.space)?)))
        .collect();
    let count = |front: SignedAxis| -> u32 {
        let own = votes.iter().filter(|(_, axis)| *axis == front);
        own.map(|(clue, _)| clue.votes()).sum()
    };
    let mut ranked = AXES.map(|axis| (count(axis), axis));
    ranked.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let front = match ranked {
        [(first, axis), (second, _), ..] if first > second => axis,
        _ => {
            let front = asset.space.front;
            return Facing {
                front,
                clues: Vec::new(),
            };
        }
    };
    let own = votes.iter().filter(|(_, axis)| *axis == front);
    Facing {
        front,
        clues: own.map(|(clue, _)| *clue).collect(),
    }
}

/// The space of `asset`, with the front that its figure faces.
#[must_use]
pub fn space(asset: &Asset) -> Space {
    Space {
        front: of(asset).front,
        ..asset.space
    }
}

const AXES: [SignedAxis; 6] = [
    SignedAxis::PlusX,
    SignedAxis::MinusX,
    SignedAxis::PlusY,
    SignedAxis::MinusY,
    SignedAxis::PlusZ,
    SignedAxis::MinusZ,
];

/// Cosine of the largest angle between a direction and its axis: 36 degrees, less than the 45 at which two axes compete.
const NEAR_AXIS: f64 = 0.81;

/// The level axis that `direction` nearly points along.
fn axis_of(direction: DVec3, space: &Space) -> Option<SignedAxis> {
    let up = space.up.unit();
    let level = (direction - up * up.dot(direction)).try_normalize()?;
    AXES.into_iter()
        .find(|axis| axis.unit().dot(level) > NEAR_AXIS && axis.unit().dot(up).abs() < 0.5)
}

#[cfg(test)]
mod tests;
