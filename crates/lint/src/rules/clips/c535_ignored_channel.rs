//! `C535`: ignored-channel.

use super::paths::diagonal;
use crate::analysis::joints;
use crate::rig::{ReaderCode, TrackPart};
use crate::rules::clips::c521_constant_channel::{TOLERANCE, rests};
use crate::rules::clips::deformers::carrying;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    IgnoredChannel, "C535", "ignored-channel", Warning, Proved
}

impl Rule for IgnoredChannel {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.reader.code != ReaderCode::Gltf {
            return;
        }
        let carrying = carrying(cx.asset);
        let shown = cx.asset.instances.iter();
        let skinned = shown.filter(|shown| shown.skin.is_some());
        let skinned = joints::flags(cx.asset, skinned.map(|shown| shown.node));
        let size = diagonal(cx).unwrap_or(1.0);
        for clip in &cx.asset.clips {
            let mut channels = clip.channels.iter();
            if !channels.any(|channel| carrying[channel.node.index()]) {
                continue;
            }
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                let moves_it = driver.part != TrackPart::Weights;
                let is_idle = skinned[driver.joint.index()] && !carrying[driver.joint.index()];
                if moves_it && is_idle && !rests(cx.asset, &driver, TOLERANCE.default, size) {
                    out.add(
                        Offence::of(&group, "channel").joint(driver.joint),
                        |subject| {
                            let message =
                                "moves the node of a skinned mesh, which only joints move";
                            (subject.channel_id(driver.channel()), message.to_owned())
                        },
                    );
                }
            }
        }
    }
}
