//! `C532`: component-order.

use glam::Quat;

use crate::core::numbers::as_f64;
use crate::rig::{ChannelId, Key, LocalTransform, NodeId, Track, TrackPart};
use crate::rules::clips::deformers::carrying;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    ComponentOrder, "C532", "component-order", Hint, Judged
}

/// A rest rotation of more than a right angle is near others in either order.
const PLAIN: f32 = 0.7;

/// Cosines of half of 120°, 75° and 50°.
const FAR: f64 = 0.5;
const NEAR: f64 = 0.79;
const MEAN: f64 = 0.906;

impl Rule for ComponentOrder {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let carrying = carrying(cx.asset);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let channels = clip.channels.iter();
            for channel in channels.filter(|channel| carrying[channel.node.index()]) {
                let node = channel.node;
                let track = channel.rotation.as_ref();
                if !track.is_some_and(|track| is_w_first(cx, node, track)) {
                    continue;
                }
                let path = TrackPart::Rotation;
                out.add(Offence::of(&group, "joint").joint(node), |subject| {
                    let message = "its quaternions seem to be in the order w, x, y, z";
                    (
                        subject.channel_id(ChannelId { node, path }),
                        message.to_owned(),
                    )
                });
            }
        }
    }
}

/// Whether a track is flipped at all of its keys, unless its quaternions are read in the order w, x, y, z.
fn is_w_first(cx: &Context<'_>, joint: NodeId, track: &Track<Quat>) -> bool {
    let node = cx.asset.skeleton.get(joint);
    let Some(LocalTransform::Trs(rest)) = node.map(|node| node.rest) else {
        return false;
    };
    let moved = |key: &Key<Quat>| {
        let [x, y, z, w] = key.value.to_array();
        let to_rest = |value: Quat| {
            let value = value.as_dquat().normalize();
            value.dot(rest.rotation.as_dquat()).abs()
        };
        let [own, moved] = [[x, y, z, w], [y, z, w, x]]
            .map(Quat::from_array)
            .map(to_rest);
        let is_plain = rest.rotation.w.abs() > PLAIN;
        (is_plain && own < FAR && moved > NEAR).then_some(moved)
    };
    let count = track.keys.len();
    let moved: Option<Vec<f64>> = track.keys.iter().map(moved).collect();
    let mean = |all: Vec<f64>| all.iter().sum::<f64>() / as_f64(count);
    count > 2 && moved.map(mean).is_some_and(|mean| mean > MEAN)
}
