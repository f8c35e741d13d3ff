//! The images of a film: which clips and times they show.

use std::collections::BTreeSet;

use crate::cli::look::Sampled;
use crate::pose::Times;
use crate::pose::{self, Idle, ModelPose, PlaybackError, frame_at};
use crate::rig::{Asset, Clip, ClipId};
use crate::shown::escaped;
use crate::units::{Seconds, time_with_frame};

/// Most images of a film.
pub(in crate::cli) const MOST: usize = 10_000;

/// How long a turntable of a model at rest lasts, in seconds.
const TURNTABLE: f64 = 4.0;

/// The number of images of a turntable in a contact sheet.
const TURNTABLE_IMAGES: u32 = 12;

/// What an image shows.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct PlannedImage {
    /// `None` for the rest pose.
    pub(super) clip: Option<ClipId>,
    /// Absolute in the clip.
    time: Seconds,
    /// The camera's rotation around the model.
    pub(super) orbit_degrees: f64,
}

/// The images of `clips`, one clip after the other.
///
/// * `times` – of each clip; without them, `fps` times per second from its start, without its end.
/// * `stills_once` – whether a clip that holds one pose is shown once, where there are times.
///
/// # Errors
///
/// [`PlaybackError`] for a time that is negative or NaN.
pub(super) fn of_clips(
    asset: &Asset,
    clips: &[ClipId],
    times: Option<&Times>,
    stills_once: bool,
    fps: f64,
) -> Result<Vec<PlannedImage>, PlaybackError> {
    let mut plan = Vec::new();
    for id in clips {
        let clip = &asset[*id];
        let times = match times {
            Some(_) if stills_once && pose::idle(clip) == Some(Idle::Motionless) => {
                vec![clip.start]
            }
            Some(times @ Times::Even(_)) => on_frames(clip, times.of(clip)?.0),
            Some(times) => times.of(clip)?.0,
            None => frames(clip, fps),
        };
        plan.extend(times.into_iter().map(|time| PlannedImage::at(*id, time)));
    }
    Ok(plan)
}

/// The frames nearest to `times`, if they are distinct and within the clip.
fn on_frames(clip: &Clip, times: Vec<Seconds>) -> Vec<Seconds> {
    let Some(rate) = pose::known_frame_rate(clip) else {
        return times;
    };
    let nearest = times.iter().map(|time| {
        let frame = Seconds((time.0 * rate).round() / rate);
        let is_within = frame >= clip.start && frame <= clip.end;
        if is_within { frame } else { *time }
    });
    let nearest: Vec<Seconds> = nearest.collect();
    let are_distinct = nearest.windows(2).all(|pair| pair[0] < pair[1]);
    if are_distinct { nearest } else { times }
}

/// At least one time; at most one more than [`MOST`], which is refused later.
fn frames(clip: &Clip, fps: f64) -> Vec<Seconds> {
    let duration = clip.end.0 - clip.start.0;
    let times = (0..=MOST).map(|index| {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let offset = index as f64 / fps;
        offset
    });
    // Half a frame of slack, so that a clip of 1 s has 24 images at 24 per second even if its end was rounded.
    let inside = times.take_while(|offset| *offset == 0.0 || *offset < duration - 0.5 / fps);
    inside
        .map(|offset| Seconds(clip.start.0 + offset))
        .collect()
}

/// The distinct poses of `plan`.
pub(super) fn sampled(plan: &[PlannedImage]) -> Vec<Sampled> {
    let mut all: Vec<Sampled> = Vec::new();
    for planned in plan {
        let sampled = planned.sampled();
        if all.last() != Some(&sampled) {
            all.push(sampled);
        }
    }
    all
}

/// The rest pose: once, or for as long as a turntable takes.
pub(super) fn at_rest(orbits: bool, is_sheet: bool, fps: f64) -> Vec<PlannedImage> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 4000"
    )]
    let count = match (orbits, is_sheet) {
        (false, _) => 1,
        (true, true) => TURNTABLE_IMAGES,
        (true, false) => (TURNTABLE * fps).round().max(1.0) as u32,
    };
    let planned = PlannedImage {
        clip: None,
        time: Seconds(0.0),
        orbit_degrees: 0.0,
    };
    vec![planned; count as usize]
}

/// Spreads `degrees` over the film; one more image would have rotated by all of it.
pub(super) fn spread_orbit(plan: &mut [PlannedImage], degrees: f64) {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let step = degrees / plan.len() as f64;
    let mut degrees_so_far = 0.0;
    for planned in plan {
        planned.orbit_degrees = degrees_so_far;
        degrees_so_far += step;
    }
}

/// The clips of `plan`, each once.
pub(in crate::cli) fn clips(plan: &[PlannedImage]) -> BTreeSet<ClipId> {
    plan.iter().filter_map(|planned| planned.clip).collect()
}

/// A message: `clip "Walk"`, `3 clips` or `the rest pose`.
pub(in crate::cli) fn describe(asset: &Asset, plan: &[PlannedImage]) -> String {
    let clips = clips(plan);
    match (clips.first(), clips.len()) {
        (None, _) => "the rest pose".to_owned(),
        (Some(clip), 1) => format!("clip \"{}\"", escaped(&asset[*clip].name)),
        (_, count) => format!("{count} clips"),
    }
}

impl PlannedImage {
    /// The clip and time.
    pub(super) fn sampled(&self) -> Sampled {
        (self.clip, self.time)
    }

    /// The clip's name.
    pub(in crate::cli) fn heading(&self, asset: &Asset) -> String {
        let name = |clip: ClipId| asset[clip].name.as_str();
        escaped(self.clip.map_or("rest pose", name))
    }

    /// The time, or the camera's rotation around a model at rest.
    pub(in crate::cli) fn caption(&self, asset: &Asset) -> String {
        match self.clip {
            Some(clip) => time_with_frame(self.time.0, frame_at(&asset[clip], self.time)),
            None => format!("{:.0} degrees", self.orbit_degrees),
        }
    }

    /// The corresponding image of an earlier version of the model, with its description: of the clip with the same name, else
    /// the rest pose.
    pub(super) fn of_earlier(&self, asset: &Asset, earlier: &Asset) -> (Self, String) {
        let name = |clip: ClipId| asset[clip].name.as_str();
        let same = self.clip.and_then(|clip| {
            let mut clips = earlier.clips.iter();
            clips
                .position(|other| other.name == name(clip))
                .map(ClipId::from_index)
        });
        let time = same.map_or(self.time, |clip| {
            let clip = &earlier.clips[clip.index()];
            Seconds(
                self.time
                    .0
                    .clamp(clip.start.0, clip.end.0.max(clip.start.0)),
            )
        });
        let planned = Self {
            clip: same,
            time,
            ..self.clone()
        };
        let note = match (self.clip, same) {
            (Some(clip), None) => format!("no clip {}", escaped(name(clip))),
            _ => format!("{} {}", planned.heading(earlier), planned.caption(earlier)),
        };
        (planned, note)
    }

    /// The image of `clip` at `time`.
    pub(in crate::cli) fn at(clip: ClipId, time: Seconds) -> Self {
        Self {
            clip: Some(clip),
            time,
            orbit_degrees: 0.0,
        }
    }

    /// Poses the model.
    pub(super) fn pose(&self, asset: &Asset) -> Result<ModelPose, PlaybackError> {
        let local = match self.clip {
            Some(clip) => pose::sample(asset, &asset[clip], self.time)?,
            None => pose::rest(asset),
        };
        Ok(pose::model_pose(asset, &local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::TickRate;

    fn clip(start: f64, end: f64) -> Clip {
        Clip {
            start: Seconds(start),
            ..Clip::new("Walk", Seconds(end))
        }
    }

    #[test]
    fn a_second_at_24_frames_has_24_images_whatever_its_end_was_rounded_to() {
        for end in [1.0, 0.999_99, 1.000_01] {
            assert_eq!(frames(&clip(0.0, end), 24.0).len(), 24, "{end}");
        }
        assert_eq!(frames(&clip(2.0, 2.5), 10.0)[1], Seconds(2.1));
    }

    #[test]
    fn a_clip_of_one_key_has_one_image() {
        assert_eq!(frames(&clip(3.0, 3.0), 24.0), [Seconds(3.0)]);
    }

    #[test]
    fn an_endless_clip_ends_one_past_the_limit() {
        assert_eq!(frames(&clip(0.0, 1e12), 24.0).len(), MOST + 1);
    }

    #[test]
    fn even_times_are_at_whole_frames_if_there_are_enough() {
        let mut clip = clip(0.0, 1.0);
        clip.rate = TickRate {
            stated: Some(24.0),
            used: 24.0,
            frames: true,
        };
        let tenths = |count| -> Vec<f64> {
            let (times, _) = Times::Even(count).of(&clip).expect("a count is valid");
            let times = on_frames(&clip, times).into_iter();
            times.map(|time| (time.0 * 240.0).round()).collect()
        };
        assert_eq!(tenths(6), [0.0, 50.0, 100.0, 140.0, 190.0, 240.0]);
        assert_eq!(tenths(31)[..3], [0.0, 8.0, 16.0]);
    }

    #[test]
    fn an_orbit_closes_after_its_last_image() {
        let mut plan = at_rest(true, true, 24.0);
        spread_orbit(&mut plan, 360.0);
        let angles: Vec<f64> = plan.iter().map(|planned| planned.orbit_degrees).collect();
        assert_eq!(angles[..3], [0.0, 30.0, 60.0]);
        assert!((angles[11] - 330.0).abs() < 1e-9);
    }
}
