//! Frames: the clips.

use std::ops::Range;

use super::bytes::{Bytes, Damage, range};
use super::header::Header;
use super::rig::Pose;
use crate::import::bake::MOST_KEYS;
use crate::import::frames::{self, track};
use crate::import::log::Log;
use crate::import::source::{Channel, Clip, Keys, clip_name};
use crate::rig::{DefectKind, Location, TickRate, Trs};
use crate::units::Seconds;

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
            let name = clip_name(&header.names.at(name, location)?, index);
            let rate = frames::rate(f32::from_bits(rate).into(), &name, &mut log.notes);
            let surplus = self.poses.len().saturating_sub(joints);
            let message = format!("{surplus} poses belong to joints that do not exist");
            let kind = DefectKind::TargetMissing;
            let location = Location::clip(name.as_str());
            log.defects.add_many(kind, location, surplus, message);
            clips.push(self.clip(name, &frames, rate, joints));
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
            name,
            start: Seconds::ZERO,
            end: Some(frames::time(spans, rate.used)),
            rate,
            channels: channels.collect(),
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
