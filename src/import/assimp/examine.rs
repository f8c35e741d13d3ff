//! What is wrong with a file, as far as assimp hands it on.
//!
//! assimp mends, drops and makes up much without a word, each of its importers in its own way: a kind is looked for only
//! where its importer is known to keep it ([`Format::examined`]).

mod kinds;

use std::collections::BTreeSet;

use russimp::sys::{aiAnimation, aiBone, aiMesh, aiNodeAnim, aiScene};

use super::format::Format;
use super::names;
use super::nodes::Nodes;
use super::raw::Raw;
use crate::import::defects::Defects;
use crate::import::resolve::normals;
use crate::import::unit;
use crate::rig::{DefectKind, Evidence, Mesh, Place};
use crate::units::{Seconds, amount};

/// What is wrong with `scene`, a file of `format`.
///
/// * `rate` – ticks per second that the file states, where assimp says something else.
/// * `meshes` – made of it: their vertices have the numbers by which they are known from here on.
pub(super) fn examine(
    scene: Raw<'_, aiScene>,
    format: Format,
    rate: Option<f64>,
    hierarchy: &Nodes<'_>,
    meshes: &[Mesh],
) -> Evidence {
    let mut examination = Examination {
        hierarchy,
        rate,
        examined: format.examined(),
        made_up: format.made_up(),
        defects: Defects::default(),
    };
    if examination.examined.contains(&DefectKind::NonunitNormal) {
        for mesh in meshes {
            normals(mesh, unit::NORMAL, &mut examination.defects);
        }
    }
    for mesh in scene.meshes().flatten() {
        examination.bones(mesh);
    }
    for (index, animation) in scene.animations().flatten().enumerate() {
        examination.animation(animation, index);
    }
    let examined = examination.examined.iter().copied();
    examination.defects.into_evidence(examined)
}

struct Examination<'a> {
    hierarchy: &'a Nodes<'a>,
    rate: Option<f64>,
    examined: &'static [DefectKind],
    made_up: &'static [DefectKind],
    defects: Defects,
}

/// A key whatever it drives.
struct Key {
    time: f64,
    value: [f32; 4],
}

impl Examination<'_> {
    /// Tells what the file has, and not what assimp may have made.
    fn tell(
        &mut self,
        kind: DefectKind,
        place: Place,
        (count, badness): (usize, f64),
        message: String,
    ) {
        if self.examined.contains(&kind) && !self.made_up.contains(&kind) {
            self.defects.add_worst(kind, place, count, badness, message);
        }
    }

    fn bones(&mut self, mesh: Raw<'_, aiMesh>) {
        let place = Place::mesh(names::text(&mesh.mName));
        let mut known = BTreeSet::new();
        for bone in mesh.bones().flatten() {
            if known.insert(bone.address()) {
                self.bone(bone, &place);
            }
        }
    }

    fn bone(&mut self, bone: Raw<'_, aiBone>, mesh: &Place) {
        let name = names::bytes(&bone.mName);
        let place = mesh.clone().of_joint(names::decode(&name));
        let is_named = !self.hierarchy.named(&name).is_empty();
        if !is_named && self.hierarchy.at(bone.mNode).is_none() {
            let weights = bone.weights().len();
            let message = format!("the bone names no node, with {}", amount(weights, "weight"));
            self.tell(
                DefectKind::JointWithoutNode,
                place.clone(),
                (1, 0.0),
                message,
            );
        }
        let m = &bone.mOffsetMatrix;
        let row = [m.d1, m.d2, m.d3, m.d4];
        let is_affine = row
            .iter()
            .zip([0.0, 0.0, 0.0, 1.0])
            .all(|(a, b): (&f32, f32)| a.to_bits() == b.to_bits() || (a - b).abs() <= 0.0);
        if !is_affine {
            let message = format!("the last row is {row:?}");
            self.tell(DefectKind::NonaffineInverseBind, place, (1, 0.0), message);
        }
    }

    fn animation(&mut self, animation: Raw<'_, aiAnimation>, index: usize) {
        let name = super::clips::name_or_number(names::text(&animation.mName), index);
        let place = Place::clip(name);
        let stated = self.rate.unwrap_or(animation.mTicksPerSecond);
        let rate = super::clips::usable_rate(stated);
        for channel in animation.channels().flatten() {
            let name = names::bytes(&channel.mNodeName);
            let joint = names::decode(&name);
            // An unnamed node cannot be meant.
            if name.is_empty() || self.hierarchy.named(&name).is_empty() {
                let message = format!("a channel is of {joint:?}, which is no node");
                self.tell(DefectKind::TargetMissing, place.clone(), (1, 0.0), message);
            }
            self.channel(channel, &place.clone().of_joint(joint), rate);
        }
    }

    fn channel(&mut self, channel: Raw<'_, aiNodeAnim>, place: &Place, rate: f64) {
        let vector = |key: &russimp::sys::aiVectorKey| Key {
            time: key.mTime / rate,
            value: [key.mValue.x, key.mValue.y, key.mValue.z, 0.0],
        };
        let rotation = |key: &russimp::sys::aiQuatKey| Key {
            time: key.mTime / rate,
            value: [key.mValue.x, key.mValue.y, key.mValue.z, key.mValue.w],
        };
        let translations: Vec<Key> = channel.position_keys().iter().map(vector).collect();
        let rotations: Vec<Key> = channel.rotation_keys().iter().map(rotation).collect();
        let scales: Vec<Key> = channel.scaling_keys().iter().map(vector).collect();
        for key in &rotations {
            self.rotation(key, place);
        }
        for (part, keys) in [
            ("translation", translations),
            ("rotation", rotations),
            ("scale", scales),
        ] {
            self.keys(&keys, &place.clone().part(part));
        }
    }

    fn rotation(&mut self, key: &Key, place: &Place) {
        let length = unit::length(&key.value);
        let Some(off) = unit::excess(length, unit::ROTATION) else {
            return;
        };
        let kind = unit::wrong_rotation(length);
        let message = format!("the quaternion has length {}, not 1", unit::rounded(length));
        let place = at(&place.clone().part("rotation"), key.time);
        self.tell(kind, place, (1, off), message);
    }

    fn keys(&mut self, keys: &[Key], place: &Place) {
        for (number, key) in keys.iter().enumerate() {
            let is_finite = key.time.is_finite() && key.value.iter().all(|x| x.is_finite());
            let here = at(place, key.time);
            if !is_finite {
                let message = format!("key {number} is NaN or infinite");
                self.tell(DefectKind::NonfiniteKey, here, (1, 0.0), message);
            } else if key.time < 0.0 {
                let message = format!("key {number} is at {:.3} s", key.time);
                self.tell(DefectKind::NegativeTime, here, (1, -key.time), message);
            }
        }
        for (number, pair) in keys.windows(2).enumerate() {
            let (before, key) = (&pair[0], &pair[1]);
            let here = at(place, key.time);
            let number = number + 1;
            if key.time < before.time {
                let message = format!(
                    "key {number} at {:.3} s comes after one at {:.3} s",
                    key.time, before.time
                );
                let late = before.time - key.time;
                self.tell(DefectKind::UnorderedKeys, here, (1, late), message);
            } else if key.time <= before.time && differs(&before.value, &key.value) {
                let message = format!("two keys at {:.3} s differ", key.time);
                self.tell(DefectKind::ConflictingKeys, here, (1, 0.0), message);
            }
        }
    }
}

fn at(place: &Place, time: f64) -> Place {
    let mut place = place.clone();
    place.time = time.is_finite().then_some(Seconds(time));
    place
}

fn differs(a: &[f32; 4], b: &[f32; 4]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > 0.0)
}

#[cfg(test)]
mod tests;
