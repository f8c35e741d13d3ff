//! `C509`: late-start.

use super::keys::Gap;
use super::paths::frame_seconds;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};
use crate::units::Seconds;

/// One: many tools count frames from 1, and begin one frame after 0.
const LATEST: Limit = Limit::new("frames", 1.0, LimitRange::FROM_ZERO)
    .about("maximum number of frames between the clip's start and a channel's first key");

/// The error of key times stored as f32 in a clip of a few minutes, in seconds.
const ROUNDING: f64 = 1e-4;

declare_rule! {
    /// ## What it does
    /// Reports channels whose first key comes more than `frames` (1) frames after the clip's start.
    ///
    /// The level is info, unless the delay is more than a quarter of the clip and a joint of a skin then starts at full
    /// speed.
    ///
    /// A frame is 1/24 s if the file states no frame rate. glTF clips start at 0.
    ///
    /// ## Why is this bad?
    /// Before the first key, the joint's state is undefined. Most samplers hold the first key's value. Others show the
    /// rest pose, or the last pose of the previous clip, and the joint jumps at the first key. If all channels begin
    /// late, the clip starts with a pause.
    ///
    /// ## How to fix
    /// - Key all animated joints on the clip's first frame.
    /// - Blender: key all animated bones on the action's first frame. On glTF export, use *Sampling Animations*, or
    ///   *Set all glTF Animation starting at 0* if the whole action begins late.
    /// - Maya and 3ds Max: *Bake Animation* on FBX export, over the take's whole range.
    /// - Exporters: write a key at the clip's start for every channel, and subtract the start from all times.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: before the first key, its value holds.
    LateStart, "C509", "late-start", Warning, limits: [LATEST]
}

impl Rule for LateStart {
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
                    let offence = Offence::above(&group, "channel", frames, limit)
                        .info_if(!Gap::Before(late).cuts(cx, clip, &driver));
                    out.add(offence.joint(driver.joint), |subject| {
                        let subject = subject.of_driver(&driver).at(Seconds(first));
                        (
                            subject,
                            format!("its first key is {late:.3} s after the start"),
                        )
                    });
                }
            }
        }
    }
}
