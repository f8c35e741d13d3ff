//! The poses to compare or to show: one, or a clip at some times.

use std::fmt;
use std::str::FromStr;

use crate::pose::{self, ModelPose, PlaybackError, SampleTime, Wrap};
use crate::rig::{Asset, Clip, ClipId, PoseName};
use crate::units::Seconds;

/// Poses that share a camera.
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// One pose, and its name.
    Pose(PoseName, ModelPose),
    /// Sample times of a clip.
    Clip(ClipId, Vec<Seconds>),
}

/// A pose, with its time in the clip.
type Posed = (Option<Seconds>, ModelPose);

impl Take {
    /// The rest pose.
    #[must_use]
    pub fn rest(asset: &Asset) -> Self {
        let pose = pose::model_pose(asset, &pose::rest(asset));
        Self::Pose(PoseName::REST, pose)
    }

    /// The number of poses.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Pose(..) => 1,
            Self::Clip(_, times) => times.len(),
        }
    }

    /// Whether there is no pose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The poses, one at a time, with their times in the clip.
    #[doc(hidden)]
    #[must_use]
    pub fn poses<'a>(
        &'a self,
        asset: &'a Asset,
    ) -> Box<dyn Iterator<Item = Result<Posed, PlaybackError>> + 'a> {
        match self {
            Self::Pose(_, pose) => Box::new(std::iter::once(Ok((None, pose.clone())))),
            Self::Clip(clip, times) => {
                let clip = &asset[*clip];
                Box::new(times.iter().map(move |time| {
                    let sampled = pose::sample(asset, clip, *time)?;
                    Ok((Some(*time), pose::model_pose(asset, &sampled)))
                }))
            }
        }
    }
}

/// Sample times of a clip.
#[derive(Debug, Clone, PartialEq)]
pub enum Times {
    /// This many times, evenly from the first key to the end, both included; a single one is the first key. Nothing moves
    /// before it.
    Even(u32),
    /// At keys. Beyond 200, at every second, third, … key and the last.
    Keys,
    /// These, absolute in the clip.
    List(Vec<Seconds>),
}

/// The most keys of a clip that are sampled.
const MOST_KEYS: usize = 200;

/// The most sample times that can be requested.
const MOST: u32 = 10_000;

/// An invalid list of sample times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{text}\" is not a list of sample times; expected a count from 1 to {MOST} such as 7, `keys`, or seconds such \
    as 0,0.5,1.2s"
)]
pub struct TimesError {
    text: String,
}

impl Times {
    /// The sample times of `clip`, and whether a listed one was outside it and was clamped.
    ///
    /// # Errors
    ///
    /// [`PlaybackError`] for a time that is negative or NaN.
    pub fn of(&self, clip: &Clip) -> Result<(Vec<Seconds>, bool), PlaybackError> {
        match self {
            Self::Even(count) => Ok((evenly(clip, *count), false)),
            Self::Keys => Ok((thinned(clip.key_times(), clip), false)),
            Self::List(times) => {
                let resolve =
                    |time: &Seconds| pose::resolve(clip, SampleTime::Time(*time), Wrap::Clamp);
                let all: Vec<_> = times.iter().map(resolve).collect::<Result<_, _>>()?;
                let clamped = all.iter().any(|playback| playback.clamped);
                Ok((all.iter().map(|playback| playback.time).collect(), clamped))
            }
        }
    }
}

fn evenly(clip: &Clip, count: u32) -> Vec<Seconds> {
    let start = clip.key_times().first().copied().unwrap_or(clip.start);
    if clip.end <= start || count < 2 {
        return vec![start];
    }
    let phase = |index: u32| f64::from(index) / f64::from(count - 1);
    let at = |phase: f64| Seconds(start.0 * (1.0 - phase) + clip.end.0 * phase);
    (0..count).map(|index| at(phase(index))).collect()
}

fn thinned(keys: Vec<Seconds>, clip: &Clip) -> Vec<Seconds> {
    let Some(last) = keys.last().copied() else {
        return vec![clip.start];
    };
    let step = keys.len().div_ceil(MOST_KEYS);
    let mut kept: Vec<Seconds> = keys.into_iter().step_by(step).collect();
    if kept.last() != Some(&last) {
        kept.push(last);
    }
    kept
}

impl FromStr for Times {
    type Err = TimesError;

    /// Reads `7`, `keys`, or `0,0.5,1.2s`: a whole number without a unit is a count; a single time has a unit (`2s`) or
    /// a point (`2.0`).
    fn from_str(text: &str) -> Result<Self, TimesError> {
        let refused = || TimesError {
            text: text.to_owned(),
        };
        if text == "keys" {
            return Ok(Self::Keys);
        }
        if let Ok(count) = text.parse::<u32>() {
            return (1..=MOST)
                .contains(&count)
                .then_some(Self::Even(count))
                .ok_or_else(refused);
        }
        let second = |part: &str| {
            let part = part.trim();
            let number = part.strip_suffix('s').unwrap_or(part).trim_end();
            number
                .parse()
                .ok()
                .filter(|time: &f64| time.is_finite())
                .map(Seconds)
        };
        let list: Option<Vec<Seconds>> = text.split(',').map(second).collect();
        list.map(Self::List).ok_or_else(refused)
    }
}

impl fmt::Display for Times {
    /// As [`Times::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Even(count) => count.fmt(f),
            Self::Keys => f.write_str("keys"),
            Self::List(times) => {
                let times: Vec<String> = times.iter().map(|time| format!("{}s", time.0)).collect();
                f.write_str(&times.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Channel, Key, NodeId, Span, Track};

    fn clip(times: impl IntoIterator<Item = f64>) -> Clip {
        let key = |time| Key {
            time: Seconds(time),
            value: Vec3::ZERO,
            span: Span::Linear,
        };
        Clip {
            start: Seconds(1.0),
            channels: vec![Channel {
                translation: Some(Track {
                    keys: times.into_iter().map(key).collect(),
                }),
                ..Channel::of(NodeId(0))
            }],
            ..Clip::new("clip", Seconds(3.0))
        }
    }

    fn seconds(times: &[f64]) -> Vec<Seconds> {
        times.iter().copied().map(Seconds).collect()
    }

    #[test]
    fn numbers_keys_and_lists_are_read() {
        let parsed = |text: &str| text.parse::<Times>();
        assert_eq!(parsed("7"), Ok(Times::Even(7)));
        assert_eq!(parsed("keys"), Ok(Times::Keys));
        assert_eq!(
            parsed("0, 0.5,1.2s"),
            Ok(Times::List(seconds(&[0.0, 0.5, 1.2])))
        );
        assert_eq!(parsed("2s"), Ok(Times::List(seconds(&[2.0]))));
        for bad in ["", "0", "many", "1,,2", "nan", "1e999", "99999999"] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
        for text in ["7", "keys", "0s,0.5s"] {
            assert_eq!(parsed(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn even_times_begin_at_the_first_key_and_end_at_the_end() {
        let of = |keys: &[f64], count| {
            let clip = clip(keys.iter().copied());
            Times::Even(count).of(&clip).unwrap().0
        };
        assert_eq!(of(&[1.0], 1), seconds(&[1.0]));
        assert_eq!(of(&[1.0], 5), seconds(&[1.0, 1.5, 2.0, 2.5, 3.0]));
        assert_eq!(of(&[2.0, 3.0], 3), seconds(&[2.0, 2.5, 3.0]));
        assert_eq!(of(&[3.0], 3), seconds(&[3.0]));
        assert_eq!(of(&[], 2), seconds(&[1.0, 3.0]));
    }

    #[test]
    fn many_keys_are_thinned_except_the_first_and_last() {
        let few = clip([0.5, 1.0, 1.25, 3.0, 3.5]);
        assert_eq!(Times::Keys.of(&few).unwrap().0, seconds(&[1.0, 1.25, 3.0]));
        let many = clip((0..=1000).map(|k| 1.0 + f64::from(k) / 500.0));
        let kept = Times::Keys.of(&many).unwrap().0;
        assert!(kept.len() <= MOST_KEYS + 1, "{}", kept.len());
        assert_eq!(
            (kept[0], kept[kept.len() - 1]),
            (Seconds(1.0), Seconds(3.0))
        );
        assert_eq!(Times::Keys.of(&clip([])).unwrap().0, seconds(&[1.0]));
    }

    #[test]
    fn a_listed_time_outside_of_the_clip_is_brought_to_its_nearest_and_reported() {
        let clip = clip([1.0]);
        let of = |times: &[f64]| Times::List(seconds(times)).of(&clip);
        assert_eq!(of(&[2.0]), Ok((seconds(&[2.0]), false)));
        assert_eq!(of(&[9.0]), Ok((seconds(&[3.0]), true)));
        assert!(of(&[-1.0]).is_err());
    }
}
