//! `C531`: constant-scale.

use glam::Vec3;

use crate::analysis::{armature, joints, mending};
use crate::core::numbers;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::rig::{Asset, LocalTransform, Track};
use crate::rules::clips::deformers::carrying;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Heads and hands of cartoon characters grow by half; a factor above two is a unit, or a mistake.
const FACTOR: Limit = Limit::new("factor", 2.0, LimitRange::FROM_ZERO)
    .about("minimum ratio between a joint's constant scale in a clip and at rest");

/// A part below this scale is hidden, as by tools without a visibility channel.
const HIDDEN: f32 = 1e-3;

const SCALED: Gauge =
    Gauge::new("constant scale of a joint against rest", ReadingUnit::Times).ideally(1.0);

declare_rule! {
    ConstantScale, "C531", "constant-scale", Hint, Judged, limits = &[FACTOR]
}

impl Rule for ConstantScale {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        mending::with_channels(cx.asset, finding, |channel| {
            channel.scale = None;
            Some(())
        })
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(armature::explains_factor) => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &FACTOR);
        let carrying = carrying(cx.asset);
        let below = joints::count_below(cx, &carrying);
        let channels = cx.asset.clips.iter().flat_map(|clip| &clip.channels);
        let scaled = channels.filter(|channel| channel.scale.as_ref().is_some_and(varies));
        let scaled = joints::flags(cx.asset, scaled.map(|channel| channel.node));
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                let channel = clip.channel_of(driver.joint);
                let track = channel.and_then(|channel| channel.scale.as_ref());
                let is_scale = driver.part == crate::rig::TrackPart::Scale;
                let Some(scale) = track.filter(|_| is_scale).and_then(constant) else {
                    continue;
                };
                let joint = cx.asset.skeleton.get(driver.joint);
                let Some(LocalTransform::Trs(rest)) = joint.map(|joint| joint.rest) else {
                    continue;
                };
                let ratio = f64::from((scale / rest.scale).abs().max_element());
                let times = ratio.max(1.0 / ratio);
                let index = driver.joint.index();
                let hides = ratio < 1.0 && (below[index] == 0 || scale.max_element() < HIDDEN);
                let shows = hides || scaled[index];
                if !carrying[index] || shows || !times.is_finite() {
                    continue;
                }
                out.measure(SCALED, [times, limit], || {
                    group.clone().joint_id(driver.joint)
                });
                if times <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "joint", times, limit);
                out.add(offence.joint(driver.joint), |subject| {
                    let how = if ratio > 1.0 { "large" } else { "small" };
                    let times = numbers::times(times);
                    let message = format!("is {times} as {how} throughout the clip as at rest");
                    (subject.channel_id(driver.channel()), message)
                });
            }
        }
    }
}

fn varies(track: &Track<Vec3>) -> bool {
    constant(track).is_none()
}

/// The scale of all keys, if it is constant.
fn constant(track: &Track<Vec3>) -> Option<Vec3> {
    let first = track.keys.first()?.value;
    let is_same = |key: &crate::rig::Key<Vec3>| key.value.abs_diff_eq(first, 1e-4 * first.length());
    track.keys.iter().all(is_same).then_some(first)
}
