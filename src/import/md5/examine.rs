//! What is wrong with a file, whatever is made of it.
//!
//! Every kind counts as examined: those that are not looked for here cannot occur. Weights are handed on as they are; bind
//! matrices are made of the joints; the fourth number of a rotation is computed, so that none is 0, and one too long is all
//! that can be wrong; frames are numbered, end where they end and run straight; there are no normals. A file with a joint,
//! a weight, a vertex or a frame that is not there is refused, and so is one whose joints are a cycle.

use super::clip::{NAME, moment, usable};
use super::model::Model;
use super::motion::{Motion, TURNS};
use super::place::too_long;
use crate::import::defects::Defects;
use crate::import::unit;
use crate::rig::{DefectKind, Place};

/// The rotations of joints, which are made unit ones.
pub(super) fn joints<'a>(joints: impl Iterator<Item = (&'a str, [f64; 6])>, defects: &mut Defects) {
    for (name, [.., x, y, z]) in joints {
        if let Some((off, length)) = too_long([x, y, z]) {
            let message = format!("the quaternion has length {}, not 1", unit::rounded(length));
            let kind = DefectKind::NonunitRotation;
            defects.add_worst(kind, Place::joint(name), 1, off, message);
        }
    }
}

/// Those of a model, which are where they are bound.
pub(super) fn model(model: &Model, defects: &mut Defects) {
    let bound = model.joints.iter();
    joints(bound.map(|joint| (&*joint.name, joint.numbers)), defects);
}

/// The frames.
pub(super) fn motion(motion: &Motion, defects: &mut Defects) {
    for (index, joint) in motion.joints.iter().enumerate() {
        // A joint that no frame drives is the same in all.
        let frames = if joint.flags == 0 {
            1
        } else {
            motion.frames.count
        };
        let place = Place::clip(NAME).of_joint(&*joint.name);
        for frame in 0..frames {
            let numbers = motion.numbers(index, frame);
            let place = || place.clone().at(moment(frame, usable(motion.rate)));
            let turns = joint.flags & TURNS != 0 || frame == 0;
            key(frame, &numbers, turns, place, defects);
        }
    }
}

fn key(
    frame: usize,
    numbers: &[f64; 6],
    turns: bool,
    place: impl FnOnce() -> Place,
    defects: &mut Defects,
) {
    if !numbers.iter().all(|number| number.is_finite()) {
        let message = format!("frame {frame} is NaN or infinite");
        defects.add(DefectKind::NonfiniteKey, place(), message);
        return;
    }
    let [.., x, y, z] = *numbers;
    if let Some((off, length)) = too_long([x, y, z]).filter(|_| turns) {
        let length = unit::rounded(length);
        let message = format!("the quaternion of frame {frame} has length {length}, not 1");
        let kind = DefectKind::NonunitKey;
        defects.add_worst(kind, place().part("rotation"), 1, off, message);
    }
}
