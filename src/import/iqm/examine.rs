//! What is wrong with a file, whatever is made of it.
//!
//! Every kind counts as examined: those that are not looked for here or in `meshes` cannot occur. Bind matrices are made of
//! the joints; frames are numbered, end where they end and run straight; nodes have no matrices and one way to inherit
//! scale. A file whose joints are a cycle, or with a triangle of other vertices than its mesh's, is refused.

use std::ops::Range;

use super::bytes::{Bytes, Damage, floats};
use super::frames::{Frames, moment};
use super::header::{Header, List};
use super::rig::CHANNELS;
use super::vertices::Vertices;
use crate::import::defects::Defects;
use crate::import::unit;
use crate::rig::{DefectKind, Joint, JointId, Place};

/// The quaternion of a transform.
const ROTATION: Range<usize> = 3..7;

/// The rotations of joints, which are made unit ones.
///
/// # Errors
///
/// [`Damage`] if the list or a name is not there.
pub(super) fn joints(
    file: Bytes<'_>,
    header: &Header<'_>,
    defects: &mut Defects,
) -> Result<(), Damage> {
    let List { count, offset } = header.joints;
    let records: Vec<[u32; 12]> = file.records("the joints", offset, count)?;
    for (index, record) in records.iter().enumerate() {
        let transform: [f32; CHANNELS] = floats(&record[2..]);
        let length = unit::length(&transform[ROTATION]);
        let Some(off) = unit::excess(length, unit::ROTATION) else {
            continue;
        };
        let name = header.names.at(record[0], || format!("joint {index}"))?;
        let message = format!("the quaternion has length {}, not 1", unit::rounded(length));
        let kind = DefectKind::NonunitRotation;
        defects.add_worst(kind, Place::joint(name), 1, off, message);
    }
    Ok(())
}

/// What vertices say of joints.
pub(super) fn weights(vertices: &Vertices, joints: usize, defects: &mut Defects) {
    let (indices, weights) = vertices.influence_counts();
    if indices != weights {
        let message = format!("a vertex has {indices} joint indices and {weights} weights");
        defects.add(DefectKind::WeightSetMismatch, Place::FILE, message);
    }
    if joints == 0 && vertices.are_bound() {
        let message = "vertices have weights, but there is no joint";
        defects.add(DefectKind::SkinWithoutWeights, Place::FILE, message);
    }
}

/// The frames of one clip.
pub(super) struct Clip<'a> {
    pub(super) name: &'a str,
    pub(super) frames: &'a Frames<'a>,
    pub(super) range: Range<usize>,
    /// Frames per second.
    pub(super) rate: f64,
    pub(super) joints: &'a [Joint],
    /// Of each pose.
    pub(super) ids: &'a [JointId],
}

impl Clip<'_> {
    pub(super) fn examine(&self, defects: &mut Defects) {
        let surplus = self.frames.poses.len().saturating_sub(self.ids.len());
        let message = format!("{surplus} poses belong to joints that do not exist");
        let kind = DefectKind::TargetMissing;
        defects.add_many(kind, Place::clip(self.name), surplus, message);
        for (pose, id) in self.frames.poses.iter().zip(self.ids) {
            let joint = self.joints.get(id.index());
            let joint = joint.map_or("", |joint| joint.name.as_str());
            let place = Place::clip(self.name).of_joint(joint);
            // A pose that no frame drives is the same in all.
            let all = pose.drives(0..CHANNELS);
            let frames = if all { self.range.len() } else { 1 };
            for frame in self.range.clone().take(frames) {
                let channels = pose.channels(self.frames.frame(frame));
                let frame = frame - self.range.start;
                let place = place.clone().at(moment(frame, self.rate));
                key(frame, &channels, &place, defects);
            }
        }
    }
}

fn key(frame: usize, channels: &[f32; CHANNELS], place: &Place, defects: &mut Defects) {
    if !channels.iter().all(|number| number.is_finite()) {
        let message = format!("frame {frame} is NaN or infinite");
        defects.add(DefectKind::NonfiniteKey, place.clone(), message);
        return;
    }
    let length = unit::length(&channels[ROTATION]);
    let Some(off) = unit::excess(length, unit::ROTATION) else {
        return;
    };
    let kind = unit::wrong_rotation(length);
    let length = unit::rounded(length);
    let message = format!("the quaternion of frame {frame} has length {length}, not 1");
    let place = place.clone().part("rotation");
    defects.add_worst(kind, place, 1, off, message);
}

#[cfg(test)]
mod tests;
