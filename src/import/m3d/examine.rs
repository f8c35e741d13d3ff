//! What is wrong with a file, whatever is made of it.
//!
//! Every kind counts as examined: those that are not looked for here or in `meshes` cannot occur. Bind matrices are made of
//! the joints, frames run straight from 0 on and name their joints by number, nodes have no matrices and one way to inherit
//! scale. A file whose joints are a cycle, or with a face or a frame of something that is not there, is refused.

use std::collections::BTreeMap;

use super::actions::seconds;
use super::lists::{Action, Lists, Placed};
use crate::import::defects::Defects;
use crate::import::unit;
use crate::rig::{DefectKind, Place};

/// How far from 1 the length of a vector may be. The format's own library cuts the rest off instead of rounding: in
/// signed bytes, each of up to four components is off by up to a step, and so the length by up to two.
pub(super) fn limit(lists: &Lists, usual: f64) -> f64 {
    match lists.bytes_of_coordinate {
        1 => 2.0 / 127.0,
        _ => usual,
    }
}

/// Weights where there is nothing that could pull.
pub(super) fn weights(lists: &Lists, defects: &mut Defects) {
    let mut names = lists.vectors.iter().filter_map(|vector| vector.skin);
    let are_bound = !lists.skins.is_empty() && names.any(|list| list < lists.skins.len());
    if lists.bones.is_empty() && are_bound {
        let message = "vertices have weights, and there is no joint";
        defects.add(DefectKind::SkinWithoutWeights, Place::FILE, message);
    }
}

/// The rotations of bones, which are made unit ones.
pub(super) fn bones(lists: &Lists, defects: &mut Defects) {
    for bone in &lists.bones {
        let Some((length, off)) = odd_turn(lists, &bone.rest) else {
            continue;
        };
        let place = Place::joint(bone.name.clone());
        let message = format!("the quaternion has length {}, not 1", unit::rounded(length));
        defects.add_worst(DefectKind::NonunitRotation, place, 1, off, message);
    }
}

/// The length of a quaternion that should be 1 and is not, and by how much.
fn odd_turn(lists: &Lists, placed: &Placed) -> Option<(f64, f64)> {
    let turn = lists.vectors.get(placed.turn?)?.turn();
    let length = unit::length(&turn.to_array());
    let off = unit::excess(length, limit(lists, unit::ROTATION))?;
    Some((length, off))
}

/// The frames of an action, which becomes a clip called `name`.
pub(super) fn action(lists: &Lists, action: &Action, name: &str, defects: &mut Defects) {
    let mut frames = Frames {
        lists,
        place: Place::clip(name),
        end: action.milliseconds,
        last: 0,
        time: 0,
        now: BTreeMap::new(),
        defects,
    };
    for (time, moved) in &action.frames {
        frames.order(*time);
        for placed in moved {
            frames.key(*time, placed);
        }
    }
}

struct Frames<'a> {
    lists: &'a Lists,
    place: Place,
    /// That the action states, in milliseconds; 0 says nothing.
    end: u32,
    /// The latest of the frames before.
    last: u32,
    /// Of the frame before.
    time: u32,
    /// Where the bones were put at that time.
    now: BTreeMap<usize, Placed>,
    defects: &'a mut Defects,
}

impl Frames<'_> {
    fn tell(&mut self, kind: DefectKind, time: u32, badness: f64, message: String) {
        let place = self.place.clone().at(seconds(time));
        self.defects.add_worst(kind, place, 1, badness, message);
    }

    fn order(&mut self, time: u32) {
        let last = self.last;
        if time < last {
            let message = format!("a frame at {time} ms comes after one at {last} ms");
            let late = f64::from(last - time);
            self.tell(DefectKind::UnorderedKeys, time, late, message);
        }
        if self.end > 0 && time > self.end {
            let message = format!("a frame is at {time} ms, the end at {} ms", self.end);
            let late = f64::from(time - self.end);
            self.tell(DefectKind::KeyPastEnd, time, late, message);
        }
        if time != self.time {
            self.now.clear();
        }
        self.time = time;
        self.last = last.max(time);
    }

    fn key(&mut self, time: u32, placed: &Placed) {
        let Some(bone) = placed.bone else { return };
        let joint = self.lists.bones.get(bone);
        let joint = joint.map_or("", |bone| bone.name.as_str()).to_owned();
        let before = std::mem::take(&mut self.place);
        self.place = before.clone().of_joint(joint);
        self.value(time, placed);
        let other = self.now.insert(bone, *placed);
        if other.is_some_and(|other| !self.is_same(&other, placed)) {
            let message = format!("two keys at {time} ms differ");
            self.tell(DefectKind::ConflictingKeys, time, 0.0, message);
        }
        self.place = before;
    }

    fn is_same(&self, a: &Placed, b: &Placed) -> bool {
        let vector = |number: Option<usize>| self.lists.vectors.get(number?).map(|v| v.parts);
        vector(a.place) == vector(b.place) && vector(a.turn) == vector(b.turn)
    }

    fn value(&mut self, time: u32, placed: &Placed) {
        let numbers = [placed.place, placed.turn].into_iter().flatten();
        let mut vectors = numbers.filter_map(|number| self.lists.vectors.get(number));
        if vectors.any(|vector| !vector.parts.is_finite()) {
            let message = format!("the key at {time} ms is NaN or infinite");
            return self.tell(DefectKind::NonfiniteKey, time, 0.0, message);
        }
        let Some((length, off)) = odd_turn(self.lists, placed) else {
            return;
        };
        let kind = unit::wrong_rotation(length);
        let length = unit::rounded(length);
        let message = format!("the quaternion at {time} ms has length {length}, not 1");
        self.tell(kind, time, off, message);
    }
}

#[cfg(test)]
mod tests;
