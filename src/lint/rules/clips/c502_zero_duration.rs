//! `C502`: zero-duration.

use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::Clip;

declare_rule! {
    /// ## What it does
    /// Checks that a clip with more than one key on a track lasts longer than 0 seconds.
    ///
    /// A clip with one key per track is a pose and needs no duration.
    ///
    /// ## Why is this bad?
    /// Several keys mean motion, but engines show one pose, or divide by the duration and show nothing at all. The keys
    /// lie outside the file's stated range, or all at one time.
    ///
    /// ## How to fix
    /// - Set the clip's range to that of its keys.
    /// - Blender: check the action's frame range, and the scene's if the export is limited to it.
    /// - Maya and 3ds Max: set the take's time range to that of the keys before FBX export; bake over that range.
    /// - Exporters: state the last key's time as the end, and write key times in the right unit. For example, integer
    ///   seconds round all keys of a short clip to 0.
    ///
    /// ## References
    /// - Unreal Engine's FBX importer refuses animations of zero length.
    /// - glTF 2.0 §3.11: key times start at 0 or later and increase strictly.
    ZeroDuration, "C502", "zero-duration", Warning
}

impl Rule for ZeroDuration {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            let keys = most_keys(clip);
            if clip.duration().0 > 0.0 || keys < 2 {
                continue;
            }
            out.add(Offence::of(&cx.clip(clip), "clip"), |subject| {
                let message = format!("lasts 0 s, but one of its tracks has {keys} keys");
                (subject.at(clip.start), message)
            });
        }
    }
}

/// The keys of the track that has the most.
fn most_keys(clip: &Clip) -> usize {
    let counts = clip.drivers().map(|driver| driver.track.count());
    counts.max().unwrap_or(0)
}
