//! Joints, poses and frames: the skeleton, what a frame drives, and the clips.

use std::ops::Range;

use glam::{Quat, Vec3};

use super::bytes::{Bytes, Damage, Header, floats, range};
use crate::bake::MOST_KEYS;
use crate::hierarchy::{self, track, unit};
use crate::log::Log;
use crate::rig::{DefectKind, Location, TickRate, Trs};
use crate::source::{Channel, Clip, Keys, Node, clip_name};
use crate::vertices::f32_of;

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

/// The frames of a file.
#[derive(Debug)]
pub(super) struct Frames<'a> {
    numbers: &'a [[u8; 2]],
    channels: usize,
    pub(super) count: usize,
    pub(super) poses: Vec<Pose>,
}

/// One of a clip's ranges of channels, by what it is.
const TRANSLATION: Range<usize> = 0..3;
const ROTATION: Range<usize> = 3..7;
const SCALE: Range<usize> = 7..10;

impl<'a> Frames<'a> {
    /// The poses and frames of the file.
    ///
    /// # Errors
    ///
    /// [`Damage`] if they are not there, or the poses contradict the header.
    pub(super) fn read(file: Bytes<'a>, header: &Header<'_>) -> Result<Self, Damage> {
        let stride = 2 * u64::from(header.channels);
        let numbers = file.list("the frames", header.frames, stride)?;
        Ok(Self {
            numbers: numbers.as_chunks().0,
            channels: header.channels as usize,
            count: header.frames.count as usize,
            poses: Pose::read_all(file, header)?,
        })
    }

    /// The numbers of frame `index`.
    pub(super) fn frame(&self, index: usize) -> &'a [[u8; 2]] {
        let start = index.saturating_mul(self.channels);
        let frame = self.numbers.get(start..).unwrap_or_default();
        frame.get(..self.channels).unwrap_or_default()
    }

    /// All clips.
    ///
    /// * `joints` – how many there are; joint n has pose n, and surplus poses drive nothing.
    ///
    /// # Errors
    ///
    /// [`Damage`] if a clip takes frames that are not there, or clips overlap without measure.
    pub(super) fn clips(
        &self,
        file: Bytes<'_>,
        header: &Header<'_>,
        joints: usize,
        log: &mut Log,
    ) -> Result<Vec<Clip>, Damage> {
        let records: Vec<[u32; 5]> = file.records("the clips", header.clips)?;
        let mut keys = 0;
        let mut clips = Vec::new();
        for (index, [name, first, frames, rate, _]) in records.into_iter().enumerate() {
            let location = || format!("clip {index}");
            let frames = range(location, "frames", first, frames, self.count)?;
            keys += self.keys_in(&frames);
            if keys > MOST_KEYS as u64 {
                let what = "the frames of clips";
                return Err(Damage::TooMany { what, count: keys });
            }
            let stated = header.names.at(name, location)?;
            let name = clip_name(&stated, index);
            let rate = hierarchy::rate(f32::from_bits(rate).into(), &name, &mut log.notes);
            let surplus = self.poses.len().saturating_sub(joints);
            let message = format!("{surplus} poses belong to joints that do not exist");
            let kind = DefectKind::TargetMissing;
            let location = Location::clip(name.as_str());
            log.defects.add_many(kind, location, surplus, message);
            clips.push(self.clip(stated, &frames, rate, joints));
        }
        Ok(clips)
    }

    fn keys_in(&self, frames: &Range<usize>) -> u64 {
        let count = |pose: &Pose| {
            let groups = [TRANSLATION, ROTATION, SCALE].into_iter();
            let driven = groups.filter(|group| pose.drives(group.clone())).count() as u64;
            driven * frames.len() as u64 + 3
        };
        self.poses.iter().map(count).sum()
    }

    fn clip(&self, name: String, frames: &Range<usize>, rate: TickRate, joints: usize) -> Clip {
        let spans = frames.len().saturating_sub(1);
        let driven = self.poses.iter().take(joints).enumerate();
        let channels = driven
            .filter(|_| !frames.is_empty())
            .flat_map(|(joint, pose)| self.channels(pose, joint, frames, rate.used));
        Clip {
            end: Some(hierarchy::time(spans, rate.used)),
            rate,
            channels: channels.collect(),
            ..Clip::named(name)
        }
    }

    /// One key a frame; or one in all for a part that stays the same, which need not be what it is at rest.
    fn channels(&self, pose: &Pose, node: usize, frames: &Range<usize>, rate: f64) -> [Channel; 3] {
        let count_of = |group| {
            if pose.drives(group) { frames.len() } else { 1 }
        };
        let at = |index: usize| pose.at(self.frame(frames.start + index));
        let translations = track(count_of(TRANSLATION), rate, |i| at(i).translation);
        let rotations = track(count_of(ROTATION), rate, |i| at(i).rotation);
        let scales = track(count_of(SCALE), rate, |i| at(i).scale);
        let parts = [
            Keys::Translation(translations),
            Keys::Rotation(rotations),
            Keys::Scale(scales),
        ];
        parts.map(|keys| Channel::new(node, keys))
    }

    /// Each joint in the first frame; without frames, with every channel at its base value.
    pub(super) fn first(&self) -> Vec<Trs> {
        let frame = self.frame(0);
        self.poses.iter().map(|pose| pose.at(frame)).collect()
    }
}
