//! Strategies for the cases of laws.

use glam::{Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use crate::laws::random::Random;
use crate::laws::{Body, Motion, PoseCase, SkinCase, Value};
use crate::rig::strategies::{
    pairs, rotation_tracks, rotations, skinned, transforms, vector_tracks, vectors,
};
use crate::rig::{Blending, Track};

/// Rotation tracks, each with a time within it or shortly outside.
pub fn rotation_motions() -> impl Strategy<Value = Motion<Quat>> + Clone {
    motions(rotation_tracks())
}

/// Vector tracks, each with a time within it or shortly outside.
pub fn vector_motions() -> impl Strategy<Value = Motion<Vec3>> + Clone {
    motions(vector_tracks())
}

fn motions<T: Value + 'static>(
    tracks: impl Strategy<Value = Track<T>> + Clone,
) -> impl Strategy<Value = Motion<T>> + Clone {
    (tracks, 0..=68_i32, 1..64_i32).prop_map(|(track, at, part)| {
        let (start, end) = (
            track.keys[0].time.0,
            track.keys[track.keys.len() - 1].time.0,
        );
        let time = start + f64::from(at - 2) / 64.0 * (end - start);
        Motion::new(track, time, f64::from(part) / 64.0)
    })
}

/// Trees of nodes that a clip translates, rotates and scales, with a skinned mesh, each with a time.
pub fn pose_cases() -> impl Strategy<Value = PoseCase> + Clone {
    any::<u64>().prop_map(|seed| PoseCase::generated(&mut Random::of(seed, 0)))
}

/// Skinned vertices of 1 to 5 joints in a pose, with the parameters of the laws.
pub fn skin_cases() -> impl Strategy<Value = SkinCase> + Clone {
    let vertices = vec((vectors(2.0), pairs()), 1..=4);
    let joints = vec((transforms(), transforms()), 1..=5);
    let motion = (rotations(), vectors(3.0));
    let body = (vertices, joints, transforms()).prop_map(|(vertices, joints, node)| {
        let (positions, influences) = skinned(vertices, joints.len());
        Body {
            positions,
            influences,
            inverse_binds: joints.iter().map(|(bind, _)| bind.to_matrix()).collect(),
            joints: joints.iter().map(|(_, world)| world.to_matrix()).collect(),
            node: node.to_matrix(),
            blending: Blending::Linear,
        }
    });
    (body, motion, 0.25_f32..4.0, 1..=4_u32).prop_map(|(body, motion, scale, keep)| SkinCase {
        body,
        motion,
        scale,
        keep,
    })
}

/// Like [`skin_cases`], for dual quaternions.
pub fn dual_quaternion_cases() -> impl Strategy<Value = SkinCase> + Clone {
    skin_cases().prop_map(|mut case| {
        case.body.blending = Blending::DualQuaternion;
        case
    })
}
