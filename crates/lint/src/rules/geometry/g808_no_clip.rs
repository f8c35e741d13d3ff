//! `G808`: no-clip.

use crate::rig::Location;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NoClip, "G808", "no-clip", Info, Proved
}

impl Rule for NoClip {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.clips.is_empty() {
            out.add(Offence::of(&Location::FILE, "file"), |subject| {
                (subject, "no animation".to_owned())
            });
        }
    }
}
