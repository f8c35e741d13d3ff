//! The test kit: strategies that generate cases and shrink them well, and one function per kind of laws.
//!
//! ```
//! # mod skincheck { pub use skincheck_rig::glam; pub use skincheck_laws as laws; }
//! use skincheck::glam::Quat;
//! use skincheck::laws::{Between, Tolerance, testing};
//!
//! let slerp = Between(|a: Quat, b: Quat, t: f64| a.slerp(b, t as f32));
//! let lerp = Between(|a: Quat, b: Quat, t: f64| (a * (1.0 - t as f32) + b * t as f32).normalize());
//! assert!(testing::check_rotations(&slerp, &Tolerance::F32_TIME).is_ok());
//! let violation = testing::check_rotations(&lerp, &Tolerance::F32_TIME).unwrap_err();
//! assert_eq!(violation.law, "shortest-path");
//! ```
//!
//! Each law is tested on as many cases as proptest's default: 256, or the environment variable `PROPTEST_CASES`. The
//! cases are the same in every run.

use std::fmt::Debug;

use glam::{Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::random::Random;
use super::{
    Body, Interpolator, Law, Motion, POSE_LAWS, PoseCase, Poser, ROTATION_LAWS, SKINNING_LAWS,
    SkinCase, Skinner, Tolerance, VECTOR_LAWS, Value, WEIGHT_LAWS, WeightNormalizer,
};
pub use crate::rig::strategies::{
    clips, dirty_weights, hierarchies, inverse_binds, meshes, rigs, rotation_tracks, rotations,
    scales, tracks, transforms, vector_tracks, vectors, weights,
};
use crate::rig::strategies::{pairs, skinned};
use crate::rig::{Blending, Track};

/// A broken law, with the smallest case that was found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("law `{law}` ({states}) is broken: {reason}\nsmallest case: {case}")]
pub struct Violation {
    /// The law's name.
    pub law: &'static str,
    /// The law as a sentence.
    pub states: &'static str,
    /// How it is broken.
    pub reason: String,
    /// The smallest case, as Rust prints it.
    pub case: String,
}

/// Tests [`ROTATION_LAWS`] on generated tracks.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_rotations(
    subject: &(impl Interpolator<Quat> + 'static),
    tolerance: &Tolerance,
) -> Result<(), Violation> {
    check_all(
        subject as &dyn Interpolator<Quat>,
        ROTATION_LAWS,
        &rotation_motions(),
        tolerance,
    )
}

/// Tests [`VECTOR_LAWS`] on generated tracks.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_vectors(
    subject: &(impl Interpolator<Vec3> + 'static),
    tolerance: &Tolerance,
) -> Result<(), Violation> {
    check_all(
        subject as &dyn Interpolator<Vec3>,
        VECTOR_LAWS,
        &vector_motions(),
        tolerance,
    )
}

/// Tests [`WEIGHT_LAWS`] on generated weights, including invalid ones.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_weights(subject: &(impl WeightNormalizer + 'static)) -> Result<(), Violation> {
    let subject = subject as &dyn WeightNormalizer;
    check_all(subject, WEIGHT_LAWS, &dirty_weights(6), &Tolerance::F32)
}

/// Tests [`POSE_LAWS`] on generated rigs.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_poses(
    subject: &(impl Poser + 'static),
    tolerance: &Tolerance,
) -> Result<(), Violation> {
    check_all(subject as &dyn Poser, POSE_LAWS, &pose_cases(), tolerance)
}

/// Tests [`SKINNING_LAWS`] on generated bodies.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_skinning(
    subject: &(impl Skinner + 'static),
    tolerance: &Tolerance,
) -> Result<(), Violation> {
    check_all(
        subject as &dyn Skinner,
        SKINNING_LAWS,
        &skin_cases(),
        tolerance,
    )
}

/// Tests [`SKINNING_LAWS`] on generated bodies that are to be skinned by dual quaternions
/// ([`Body::blending`](super::Body::blending)).
///
/// # Errors
///
/// The first law that is broken.
pub fn check_dual_quaternions(
    subject: &(impl Skinner + 'static),
    tolerance: &Tolerance,
) -> Result<(), Violation> {
    check_all(
        subject as &dyn Skinner,
        SKINNING_LAWS,
        &dual_quaternion_cases(),
        tolerance,
    )
}

fn check_all<S: ?Sized, T: Strategy>(
    subject: &S,
    laws: &[Law<S, T::Value>],
    cases: &T,
    tolerance: &Tolerance,
) -> Result<(), Violation>
where
    T::Value: Debug,
{
    laws.iter()
        .try_for_each(|law| check(subject, law, cases, tolerance))
}

/// Tests one law.
///
/// * `cases` – a strategy of this module, or one of yours.
///
/// # Errors
///
/// The smallest case that breaks the law.
pub fn check<S: ?Sized, T: Strategy>(
    subject: &S,
    law: &Law<S, T::Value>,
    cases: &T,
    tolerance: &Tolerance,
) -> Result<(), Violation>
where
    T::Value: Debug,
{
    let test = |case: T::Value| {
        let broken = (law.check)(subject, &case, tolerance);
        broken.map_or_else(
            |broken| Err(TestCaseError::fail(broken.to_string())),
            |_| Ok(()),
        )
    };
    let violation = |reason: String, case: String| Violation {
        law: law.name,
        states: law.states,
        reason,
        case,
    };
    match runner().run(cases, test) {
        Ok(()) => Ok(()),
        Err(TestError::Fail(reason, case)) => {
            Err(violation(reason.message().to_owned(), format!("{case:?}")))
        }
        Err(TestError::Abort(reason)) => {
            Err(violation(reason.message().to_owned(), "none".to_owned()))
        }
    }
}

/// A runner with the same cases in every run.
fn runner() -> TestRunner {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: 4096,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

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
    (tracks, 0..=68_i32).prop_map(|(track, at)| {
        let (start, end) = (
            track.keys[0].time.0,
            track.keys[track.keys.len() - 1].time.0,
        );
        let time = start + f64::from(at - 2) / 64.0 * (end - start);
        Motion::new(track, time)
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
    (body, motion, 0.25_f32..4.0).prop_map(|(body, motion, scale)| SkinCase {
        body,
        motion,
        scale,
    })
}

/// Like [`skin_cases`], for dual quaternions.
pub fn dual_quaternion_cases() -> impl Strategy<Value = SkinCase> + Clone {
    skin_cases().prop_map(|mut case| {
        case.body.blending = Blending::DualQuaternion;
        case
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Asset, Clip, Mesh, Span};

    /// The smallest case that still `fails`.
    fn smallest<T: Strategy>(cases: &T, fails: impl Fn(&T::Value) -> bool) -> T::Value {
        let test = |case: T::Value| {
            let failure = fails(&case).then(|| TestCaseError::fail("it fails"));
            failure.map_or(Ok(()), Err)
        };
        match runner().run(cases, test) {
            Err(TestError::Fail(_, case)) => case,
            other => panic!("no case fails: {}", other.is_ok()),
        }
    }

    #[test]
    fn a_hierarchy_shrinks_to_a_chain_of_identities() {
        let skeleton = smallest(&hierarchies(8), |skeleton| skeleton.len() >= 3);
        assert_eq!(skeleton.len(), 3);
        for (_, node) in skeleton.iter() {
            let trs = node.rest.to_trs();
            assert_eq!(
                (trs.translation, trs.rotation),
                (Vec3::ZERO, Quat::IDENTITY)
            );
        }
    }

    #[test]
    fn a_mesh_shrinks_to_the_vertex_that_fails() {
        let many = |mesh: &Mesh| mesh.influences.iter().any(|list| list.len() >= 2);
        let mesh = smallest(&meshes(4), many);
        assert_eq!(mesh.positions, [Vec3::ZERO]);
        assert_eq!(mesh.influences.of(0).len(), 2);
    }

    #[test]
    fn a_clip_shrinks_to_the_channel_that_fails() {
        let rotates = |clip: &Clip| {
            clip.channels
                .iter()
                .any(|c| c.rotation.as_ref().is_some_and(|t| t.keys.len() >= 2))
        };
        let clip = smallest(&clips(4), rotates);
        let [channel] = &clip.channels[..] else {
            panic!("one channel is enough: {clip:?}");
        };
        assert!(channel.translation.is_none() && channel.scale.is_none());
        let keys = &channel.rotation.as_ref().expect("it is what fails").keys;
        assert_eq!(keys.len(), 2);
        assert!(
            keys.iter()
                .all(|key| key.value == Quat::IDENTITY && matches!(key.span, Span::Linear))
        );
    }

    #[test]
    fn a_rig_shrinks_in_all_its_parts() {
        let fails = |rig: &Asset| {
            let moved = rig.clips[0]
                .channels
                .iter()
                .any(|channel| channel.scale.is_some());
            moved && rig.meshes[0].influences.iter().any(|list| !list.is_empty())
        };
        let rig = smallest(&rigs(), fails);
        assert_eq!(rig.skeleton.len(), 1);
        assert_eq!(rig.meshes[0].positions, [Vec3::ZERO]);
        assert_eq!(rig.meshes[0].influences.all().len(), 1);
        assert!(rig.clips[0].channels[0].translation.is_none());
    }
}
