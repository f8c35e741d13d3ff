//! `C530`: foreign-unit.

use glam::Vec3;

use super::paths::diagonal;
use crate::analysis::{armature, mending};
use crate::core::numbers;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::pose::{model_pose, rest};
use crate::rig::{Asset, ChannelId, NodeId, Track, TrackPart};
use crate::rules::clips::deformers::carrying;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Legs and necks of cartoons stretch to three times their length, and hips that lie on the ground are at a tenth of their
/// height. Metres, centimetres and inches differ by 25 and more.
const TIMES: Limit = Limit::new("times", 20.0, LimitRange::FROM_ZERO)
    .about("minimum ratio between a joint's distance from its parent in a clip and elsewhere");

/// Rest offsets shorter than this fraction of the diagonal are too short to compare with.
const SHORTEST: f64 = 0.05;

const FARTHER: Gauge = Gauge::new(
    "distance of a joint from its parent against rest",
    ReadingUnit::Times,
)
.ideally(1.0);

declare_rule! {
    ForeignUnit, "C530", "foreign-unit", Hint, Judged, limits = &[TIMES]
}

impl Rule for ForeignUnit {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        mending::with_channels(cx.asset, finding, |channel| {
            let rest = cx.asset.skeleton[channel.node].rest.to_matrix();
            let rest = f64::from(rest.w_axis.truncate().length());
            let track = channel.translation.as_mut()?;
            let factor = 1.0 / ratio(track, rest)?;
            for key in &mut track.keys {
                key.value = (factor * key.value.as_dvec3()).as_vec3();
            }
            Some(())
        })
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(armature::explains_distance) => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &TIMES);
        let Some(size) = diagonal(cx) else { return };
        let carrying = carrying(cx.asset);
        let worlds = model_pose(cx.asset, &rest(cx.asset)).nodes;
        let least = |joint: NodeId| {
            let parent = cx.asset.skeleton.get(joint).and_then(|joint| joint.parent);
            let above = parent.map(|parent| worlds[parent.index()]);
            let scale = above.map_or(1.0, |world| world.x_axis.truncate().length());
            SHORTEST * size / f64::from(scale)
        };
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let channels = clip.channels.iter().filter(|c| carrying[c.node.index()]);
            for channel in channels {
                let Some(track) = &channel.translation else {
                    continue;
                };
                let joint = cx.asset.skeleton.get(channel.node);
                let rest =
                    joint.map_or(Vec3::ZERO, |joint| joint.rest.to_matrix().w_axis.truncate());
                let rest = f64::from(rest.length());
                if rest < least(channel.node) {
                    continue;
                }
                let Some(ratio) = ratio(track, rest) else {
                    continue;
                };
                let times = ratio.max(1.0 / ratio);
                out.measure(FARTHER, [times, limit], || {
                    group.clone().joint_id(channel.node)
                });
                if times <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "joint", times, limit);
                let id = ChannelId {
                    node: channel.node,
                    path: TrackPart::Translation,
                };
                out.add(offence.joint(channel.node), |subject| {
                    let how = if ratio > 1.0 { "farther from" } else { "nearer to" };
                    let message = format!(
                        "is {} {how} its parent throughout the clip than at rest: another unit of length?",
                        numbers::times(times)
                    );
                    (subject.channel_id(id), message)
                });
            }
        }
    }
}

/// The length of the key nearest to `rest`, divided by it; `None` if not finite or 0.
fn ratio(track: &Track<Vec3>, rest: f64) -> Option<f64> {
    let ratios = track
        .keys
        .iter()
        .map(|key| f64::from(key.value.length()) / rest);
    let nearest = ratios.min_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()))?;
    (nearest.is_finite() && nearest > 0.0).then_some(nearest)
}
