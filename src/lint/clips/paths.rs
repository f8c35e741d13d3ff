//! Where joints are at the keys of a clip.

use glam::DVec3;

use super::extent::origin;
use super::frames::LONGEST_FRAME;
use super::tracks::drivers;
use crate::pose::{frame_rate, model_pose, sample};
use crate::rig::{Asset, Clip, JointId};
use crate::units::Seconds;

/// Keys nearer to each other than at 1 kHz are one moment: many tools write a jump so.
const SAME_TIME: f64 = 1e-3;

/// The times of the keys of `clip`, of those that are one moment the last.
pub(super) fn moments(clip: &Clip) -> Vec<f64> {
    let mut moments: Vec<f64> = Vec::new();
    for time in clip.key_times() {
        match moments.last_mut() {
            Some(last) if time.0 - *last < SAME_TIME => *last = time.0,
            _ => moments.push(time.0),
        }
    }
    moments
}

/// The shortest frame that a clip is taken to have, in seconds.
const SHORTEST_FRAME: f64 = 1.0 / 120.0;

/// The seconds of a frame of a clip with keys at `moments`: by its rate if the file states one; else by the distance of its
/// keys, which mostly are baked one a frame.
pub(super) fn frame_of(clip: &Clip, moments: &[f64]) -> f64 {
    if clip.rate.stated.is_some() {
        return 1.0 / frame_rate(clip);
    }
    let mut apart: Vec<f64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
    apart.sort_by(f64::total_cmp);
    let median = apart.get(apart.len() / 2).copied();
    median
        .unwrap_or(LONGEST_FRAME)
        .clamp(SHORTEST_FRAME, LONGEST_FRAME)
}

/// Those of `wanted` that `clip` moves by interpolated keys alone: neither they nor any of their ancestors jump.
pub(super) fn gliding(asset: &Asset, clip: &Clip, wanted: &[bool]) -> Vec<JointId> {
    let mut moves = vec![false; asset.skeleton.len()];
    let mut jumps = moves.clone();
    for driver in drivers(clip).filter(|driver| driver.part != "weights") {
        moves[driver.joint.index()] = true;
        jumps[driver.joint.index()] |= driver.track.has_steps();
    }
    for (joint, node) in asset.skeleton.iter() {
        if let Some(parent) = node.parent {
            moves[joint.index()] |= moves[parent.index()];
            jumps[joint.index()] |= jumps[parent.index()];
        }
    }
    let joints = (0..asset.skeleton.len()).map(JointId::from_index);
    let glides = |joint: &JointId| {
        let index = joint.index();
        wanted[index] && moves[index] && !jumps[index]
    };
    joints.filter(glides).collect()
}

/// Where each of `joints` is in the world at each of `moments`: one list a joint.
pub(super) fn places(
    asset: &Asset,
    clip: &Clip,
    moments: &[f64],
    joints: &[JointId],
) -> Vec<Vec<DVec3>> {
    let empty = || Vec::with_capacity(moments.len());
    let mut places: Vec<Vec<DVec3>> = joints.iter().map(|_| empty()).collect();
    for time in moments {
        let pose = model_pose(asset, &sample(asset, clip, Seconds(*time)));
        for (joint, places) in joints.iter().zip(&mut places) {
            places.push(origin(&pose, *joint));
        }
    }
    places
}
