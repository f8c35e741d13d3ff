//! Joints and poses: the skeleton, and what a frame drives.

use glam::{Quat, Vec3};

use super::bytes::{Bytes, Damage, floats};
use super::header::Header;
use crate::import::hierarchy::{self, unit};
use crate::import::rounding::f32_of;
use crate::import::source::Node;
use crate::rig::Trs;

/// Numbers of a joint's transform: translation, quaternion (x, y, z, w), scale.
const CHANNELS: usize = 10;

/// The joints of the file. Their rest is the bind pose.
///
/// # Errors
///
/// [`Damage`] if the list or a name is not there.
pub(super) fn read_joints(file: Bytes<'_>, header: &Header<'_>) -> Result<Vec<Node>, Damage> {
    let records: Vec<[u32; 12]> = file.records("the joints", header.joints)?;
    let named = |(index, record): (usize, &[u32; 12])| {
        let name = header.names.at(record[0], || format!("joint {index}"))?;
        Ok(node(name, record[1], trs(floats(&record[2..]))))
    };
    records.iter().enumerate().map(named).collect()
}

/// A joint below joint number `parent`; a negative number makes a root.
pub(super) fn node(name: String, parent: u32, rest: Trs) -> Node {
    let parent = (parent.cast_signed() >= 0).then_some(parent as usize);
    hierarchy::node(name, parent, rest)
}

/// The parts of a transform from the numbers of its channels.
pub(super) fn trs(channels: [f32; CHANNELS]) -> Trs {
    let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = channels;
    Trs {
        translation: Vec3::new(tx, ty, tz),
        rotation: unit(Quat::from_xyzw(qx, qy, qz, qw)),
        scale: Vec3::new(sx, sy, sz),
    }
}

/// How a frame drives a joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    /// The joint's parent, as in the file.
    pub(super) parent: u32,
    /// Bit `c` is set if channel `c` has a number in each frame.
    mask: u32,
    offset: [f32; CHANNELS],
    scale: [f32; CHANNELS],
    /// The number of its first channel in a frame.
    first: usize,
}

impl Pose {
    /// All poses; the position in the list is the number of the joint.
    ///
    /// # Errors
    ///
    /// [`Damage`] if the list is not there or contradicts the header.
    pub(super) fn read_all(file: Bytes<'_>, header: &Header<'_>) -> Result<Vec<Self>, Damage> {
        let records: Vec<[u32; 22]> = file.records("the poses", header.poses)?;
        let mut used = 0;
        let pose = |record: &[u32; 22]| {
            let pose = Self {
                parent: record[0],
                mask: record[1] & ((1 << CHANNELS) - 1),
                offset: floats(&record[2..12]),
                scale: floats(&record[12..]),
                first: used as usize,
            };
            used += pose.mask.count_ones();
            pose
        };
        let poses = records.iter().map(pose).collect();
        let stated = header.channels;
        if used == stated || header.poses.count == 0 {
            Ok(poses)
        } else {
            Err(Damage::Channels { stated, used })
        }
    }

    /// Whether one of `channels` has a number in each frame.
    pub(super) fn drives(&self, channels: std::ops::Range<usize>) -> bool {
        channels
            .into_iter()
            .any(|channel| self.mask >> channel & 1 == 1)
    }

    /// The transform in `frame`, the numbers of all channels of all joints.
    pub(super) fn at(&self, frame: &[[u8; 2]]) -> Trs {
        let mut next = self.first;
        trs(std::array::from_fn(|channel| {
            let offset = f64::from(self.offset[channel]);
            if self.mask >> channel & 1 == 0 {
                return self.offset[channel];
            }
            let number = frame.get(next).copied().map_or(0, u16::from_le_bytes);
            next += 1;
            // Rounded once, from a sum that is exact except for one rounding in double precision.
            f32_of(offset + f64::from(number) * f64::from(self.scale[channel]))
        }))
    }
}
