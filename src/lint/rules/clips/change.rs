//! How far a track's value is from that at the start of its clip, for plots.

use super::paths::evenly;
use crate::lint::Context;
use crate::pose::{Pose, sample_finite};
use crate::rig::{Asset, Clip, NodeId, TrackPart, rotation_angle};

/// What [`change`] computes, and its unit.
pub(super) fn quantity(part: TrackPart) -> &'static str {
    match part {
        TrackPart::Translation => "translation since the clip's start, in units of the parent",
        TrackPart::Rotation => "rotation since the clip's start, degrees",
        TrackPart::Scale => "change of the scale since the clip's start",
        TrackPart::Matrix => "change of the matrix since the clip's start",
        TrackPart::Weights => "change of the morph weights since the clip's start",
    }
}

/// Times of a clip, each with how far a part of a joint's pose then is from that at the start.
pub(super) fn change(
    cx: &Context<'_>,
    clip: &Clip,
    joint: NodeId,
    part: TrackPart,
) -> Vec<(f64, f64)> {
    let first = sample_finite(cx.asset, clip, clip.start);
    evenly(cx, clip, |pose| {
        if part == TrackPart::Rotation {
            let [from, to] = [&first, pose].map(|pose| pose[joint].to_trs().rotation.as_dquat());
            return rotation_angle((from.conjugate() * to).normalize()).to_degrees();
        }
        let [from, to] = [&first, pose].map(|pose| numbers(cx.asset, pose, joint, part));
        let squares = from.iter().zip(to).map(|(from, to)| {
            let apart = f64::from(to) - f64::from(*from);
            apart * apart
        });
        squares.sum::<f64>().sqrt()
    })
}

/// The numbers of a part of a joint's pose; the morph weights are those of its first mesh.
fn numbers(asset: &Asset, pose: &Pose, joint: NodeId, part: TrackPart) -> Vec<f32> {
    let local = &pose[joint];
    match part {
        TrackPart::Translation => local.to_trs().translation.to_array().into(),
        TrackPart::Rotation => local.to_trs().rotation.to_array().into(),
        TrackPart::Scale => local.to_trs().scale.to_array().into(),
        TrackPart::Matrix => local.to_matrix().to_cols_array().into(),
        TrackPart::Weights => {
            let own = asset.instances.iter().position(|own| own.node == joint);
            let weights = own.and_then(|own| pose.morph_weights.get(own));
            weights.cloned().unwrap_or_default()
        }
    }
}
