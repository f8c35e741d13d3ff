//! Recognizes keys that have other values for a reason: the unit of translations, or the time of a track.

use super::blame::Clip;
use super::frames;
use super::kinds::Kind;
use super::samples::{SAME_TIME, TimeMap};
use super::timing::SAME_RANGE;
use super::words::significant;
use crate::rig::TrackPart;

/// A factor closer to 1 than this does not count as a scale.
const LEAST_FACTOR: f64 = 1.05;

/// The most samples at which a shift in time is tried, and the fewest that show one.
const TRIED: usize = 24;
const FEWEST: usize = 3;

/// A shift explains a difference if the remaining error is less than this fraction of it.
const EXPLAINS: f64 = 0.1;

impl Clip<'_> {
    /// The reason for which the keys of a joint have other values, if it is one of these.
    pub(super) fn reason(&self, pair: usize) -> Option<(Kind, String)> {
        self.translation_factor(pair)
            .or_else(|| self.track_shift(pair))
    }

    fn translation_factor(&self, pair: usize) -> Option<(Kind, String)> {
        let motion = &self.motions[pair];
        let factor = motion.translation_factor?;
        let moves = motion.ranges[0].shift.min(motion.ranges[1].shift) > self.limits[pair];
        if !moves || !self.is_shifted(pair) || factor.max(1.0 / factor) < LEAST_FACTOR {
            return None;
        }
        let why = format!(
            "translation keys are {} times as large, as if the skeleton had been scaled without its clips",
            significant(factor)
        );
        Some((Kind::TranslationScale, why))
    }

    /// The keys of a joint run earlier or later than those of the other joints.
    fn track_shift(&self, pair: usize) -> Option<(Kind, String)> {
        let joints = self.rigs.joints.pairs[pair];
        let own = [0, 1].map(|side: usize| &self.rigs.sides[side].clips[self.clips[side]]);
        let map = self.time_map()?;
        let parts = [
            TrackPart::Rotation,
            TrackPart::Translation,
            TrackPart::Scale,
        ];
        let shift = parts.into_iter().find_map(|part| {
            let keys = |side: usize| {
                let side_ = self.rigs.sides[side];
                side_.part_keys(self.clips[side], joints[side], part)
            };
            let (before, after) = (keys(0)?, keys(1)?);
            let ends = [
                after.first()? - map.after(*before.first()?),
                after.last()? - map.after(*before.last()?),
            ];
            let mut shifts = ends.into_iter().filter(|shift| shift.abs() > SAME_RANGE);
            shifts.find(|shift| self.explains(pair, *shift))
        })?;
        let when = if shift > 0.0 { "later" } else { "earlier" };
        let why = format!(
            "its keys are {} s {when} than those of other joints{}",
            significant(shift.abs()),
            frames::shown(own, shift.abs())
        );
        Some((Kind::TrackShift, why))
    }

    /// Whether a joint moves as before if its own times are shifted.
    fn explains(&self, pair: usize, shift: f64) -> bool {
        let clip = &self.rigs.sides[1].clips[self.clips[1]];
        let limit = self.limits[pair].max(EXPLAINS * self.motions[pair].own.max);
        let range = clip.start - SAME_TIME..=clip.end + SAME_TIME;
        let step = self.samples.len().div_ceil(TRIED).max(1);
        let times = self.samples.iter().step_by(step).map(|sample| {
            let [before, after] = sample.times;
            [before, after + shift]
        });
        let times: Vec<[f64; 2]> = times.filter(|times| range.contains(&times[1])).collect();
        let fits = |times: &[f64; 2]| self.rigs.own_apart(pair, self.clips, *times) <= limit;
        times.len() >= FEWEST.max(self.samples.len() / step / 2) && times.iter().all(fits)
    }

    /// The map of times that the samples follow.
    fn time_map(&self) -> Option<TimeMap> {
        let (first, last) = (self.samples.first()?.times, self.samples.last()?.times);
        let rate = (last[1] - first[1]) / (last[0] - first[0]);
        let offset = first[1] - rate * first[0];
        rate.is_finite().then_some(TimeMap { rate, offset })
    }
}
