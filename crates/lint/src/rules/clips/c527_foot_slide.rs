//! `C527`: foot-slide.

use glam::DVec3;

use super::paths::{along_ground, diagonal, is_listed, listed_joints, origin, pose_at};
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::frame_rate;
use crate::rig::{Clip, NodeId};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Required, Rule, declare_rule};

/// One per cent: two centimetres on a person, which an ankle rises while the heel or the ball of the foot carries the
/// weight.
const CONTACT: Limit = Limit::new("contact", 0.01, LimitRange::FROM_ZERO).about(
    "height above its lowest point in the clip below which a foot is in contact, in \
     diagonals of the model",
);

/// Two per cent: four centimetres on a person. The ankle of a foot that rolls within `CONTACT` moves less than half of
/// that.
const FARTHEST: Limit = Limit::new("diagonals", 0.02, LimitRange::FROM_ZERO)
    .about("maximum sliding distance of a foot during one contact, in diagonals of the model");

/// Most frames of a clip: over a minute at 60 per second. It bounds the work, together with the number of feet.
const MOST_FRAMES: u32 = 4096;

const SLIDE: Gauge = Gauge::new("sliding of a foot", ReadingUnit::Diagonals);

declare_rule! {
    FootSlide, "C527", "foot-slide", Hint, Judged,
    limits = &[CONTACT, FARTHEST],
    requires = Some(Required { key: "joints.feet", example: "[joints]\nfeet = [\"LeftFoot\", \"RightFoot\"]" })
}

impl Rule for FootSlide {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = !cx.settings.feet.is_empty();
        cx.unset(&Self::META, set, "no feet in [joints]")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let feet = listed_joints(cx, &cx.settings.feet);
        let Some(size) = diagonal(cx).filter(|_| !feet.is_empty()) else {
            return;
        };
        let clips = cx.asset.clips.iter();
        for clip in clips.filter(|clip| !is_listed(&cx.settings.in_place, clip)) {
            for (foot, steps) in feet.iter().zip(paths(cx, clip, &feet)) {
                judge(cx, clip, *foot, &Walk { steps, size }, out);
            }
        }
    }
}

fn judge(cx: &Context<'_>, clip: &Clip, foot: NodeId, walk: &Walk, out: &mut Findings) {
    let contact = cx.limit(&FootSlide::META, &CONTACT);
    let limit = cx.limit(&FootSlide::META, &FARTHEST);
    let group = cx.clip(clip).joint_id(foot);
    for Slide { time, distance } in walk.slides(contact) {
        out.measure(SLIDE, [distance, limit], || group.clone().at(time));
        if distance <= limit || distance.is_nan() {
            continue;
        }
        out.add(Offence::above(&group, "contact", distance, limit), |subject| {
            let [distance, limit] = percents(distance, limit, 1);
            let message = format!(
                "slides {distance} % of the model's diagonal during one contact, limit {limit} %"
            );
            (subject.at(time), message)
        });
    }
}

/// A foot at a frame.
struct Step {
    time: Seconds,
    height: f64,
    on_ground: DVec3,
}

/// The position of each of `feet` in each frame of `clip`.
fn paths(cx: &Context<'_>, clip: &Clip, feet: &[NodeId]) -> Vec<Vec<Step>> {
    let up = cx.asset.space.up.unit();
    let mut paths: Vec<Vec<Step>> = feet.iter().map(|_| Vec::new()).collect();
    let rate = frame_rate(clip);
    let frames = (0..MOST_FRAMES).map(|frame| clip.start.0 + f64::from(frame) / rate);
    // A frame that is late by rounding still counts as the last one.
    for time in frames.take_while(|time| *time < clip.end.0 + 1e-4) {
        let time = Seconds(time);
        let pose = pose_at(cx, clip, time);
        for (foot, path) in feet.iter().zip(&mut paths) {
            let location = origin(&pose, *foot);
            path.push(Step {
                time,
                height: location.dot(up),
                on_ground: along_ground(cx, location),
            });
        }
    }
    paths
}

/// The path of a foot through a clip.
struct Walk {
    steps: Vec<Step>,
    /// The diagonal of the model.
    size: f64,
}

/// A contact: the time at which the foot was farthest from where the contact began, and that distance in diagonals.
struct Slide {
    time: Seconds,
    distance: f64,
}

impl Walk {
    /// One per contact.
    ///
    /// * `contact` – the height up to which a foot is in contact, in diagonals.
    fn slides(&self, contact: f64) -> Vec<Slide> {
        let lowest = self
            .steps
            .iter()
            .map(|step| step.height)
            .fold(f64::INFINITY, f64::min);
        let low: Vec<bool> = self
            .steps
            .iter()
            .map(|step| step.height <= lowest + contact * self.size)
            .collect();
        // Leaves out one frame at each end, in which the foot touches down or lifts off.
        let holds = |frame: usize| {
            let around = frame.saturating_sub(1)..(frame + 2).min(low.len());
            low[around].iter().all(|low| *low)
        };
        let held: Vec<usize> = (0..low.len()).filter(|frame| holds(*frame)).collect();
        let contacts = held.chunk_by(|a, b| a + 1 == *b);
        contacts
            .filter_map(|frames| self.farthest(frames))
            .collect()
    }

    fn farthest(&self, frames: &[usize]) -> Option<Slide> {
        let first = &self.steps[*frames.first()?];
        let slides = frames.iter().map(|frame| {
            let step = &self.steps[*frame];
            let distance = step.on_ground.distance(first.on_ground) / self.size;
            Slide {
                time: step.time,
                distance,
            }
        });
        slides.reduce(|worst, slide| {
            if slide.distance > worst.distance {
                slide
            } else {
                worst
            }
        })
    }
}
