//! `C509`: late-start.

use super::frames::frame_seconds;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::units::Seconds;

/// One: many tools count frames from 1, and so begin one frame after 0.
const LATEST: Limit = Limit {
    key: "frames",
    default: 1.0,
    range: LimitRange::FROM_ZERO,
    about: "how many frames after the clip's start a channel's first key may be",
};

/// What key times that are stored as f32 may be off by in a clip of some minutes, in seconds.
const ROUNDING: f64 = 1e-4;

declare_rule! {
    /// ## What it does
    /// Tells of channels whose first key comes more than `frames` (1) frames after the clip's start.
    ///
    /// ## Why is this bad?
    /// Up to the first key nothing is said about the joint. Most samplers hold the first key's value; others show the rest
    /// pose, or what the previous clip left, and the joint jumps when the first key is reached. If all channels begin late, the
    /// clip opens with a pause.
    ///
    /// ## How to fix
    /// - Blender: key all animated bones on the action's first frame; on glTF export, *Sampling Animations*, or *Set all glTF
    ///   Animation starting at 0* if the whole action begins late.
    /// - Maya and 3ds Max: *Bake Animation* on FBX export, over the take's whole range.
    /// - Exporters: write a key at the clip's start for every channel, and subtract the start from all times.
    ///
    /// A frame is 1/24 s where the file does not say how many make a second; glTF's clips start at 0.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: before the first key its value holds.
    LateStart, "C509", "late-start", Info, limits: [LATEST]
}

impl Rule for LateStart {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &LATEST);
        for clip in &cx.asset.clips {
            let (group, frame) = (cx.clip(clip), frame_seconds(clip));
            for driver in clip.drivers() {
                let Some((first, _)) = driver.track.ends() else {
                    continue;
                };
                let late = first - clip.start.0;
                if late > limit * frame + ROUNDING {
                    let frames = late / frame;
                    out.add(Offence::above(&group, "channel", frames, limit), |place| {
                        let place = cx.at_driver(place, &driver).at(Seconds(first));
                        (
                            place,
                            format!("its first key is {late:.3} s after the start"),
                        )
                    });
                }
            }
        }
    }
}
