//! `C502`: zero-duration.

use crate::rig::Clip;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    ZeroDuration, "C502", "zero-duration", Warning, Proved
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
