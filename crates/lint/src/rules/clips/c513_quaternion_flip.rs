//! `C513`: quaternion-flip.

use super::keys::{ROUNDING, key_pairs};
use crate::rig::Span;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    QuaternionFlip, "C513", "quaternion-flip", Info, Proved
}

impl Rule for QuaternionFlip {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for pair in key_pairs(clip) {
                if pair.dot >= -ROUNDING || *pair.span == Span::Step {
                    continue;
                }
                let offence = Offence::of(&group, "key");
                out.add(offence.joint(pair.joint).at(pair.time), |subject| {
                    let subject = subject.channel_id(pair.channel()).at(pair.time);
                    (subject, "the next key has the opposite sign".to_owned())
                });
            }
        }
    }
}
