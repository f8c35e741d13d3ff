//! The kit: strategies that generate cases and shrink well, and the laws as one call each.
//!
//! ```
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
//! The number of cases of each law is that of proptest: 256, or the environment variable `PROPTEST_CASES`. The cases are the
//! same in every run.

use std::fmt::Debug;

use glam::{Mat4, Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::{
    Body, Interpolator, Law, Motion, ROTATION_LAWS, SKINNING_LAWS, SkinCase, Skinner, Tolerance,
    VECTOR_LAWS, Value, WEIGHT_LAWS, WeightNormalizer,
};
use crate::rig::{
    Asset, Channel, Clip, Influence, Influences, JointId, Key, LocalTransform, Mesh, MeshId,
    MeshInstance, Node, NodeId, Skeleton, Skin, SkinId, Span, TickRate, Track, Trs,
};
use crate::units::Seconds;

/// A law that an implementation breaks, with the smallest case that was found.
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

/// Tests [`WEIGHT_LAWS`] on generated weights, dirty ones among them.
///
/// # Errors
///
/// The first law that is broken.
pub fn check_weights(subject: &(impl WeightNormalizer + 'static)) -> Result<(), Violation> {
    let subject = subject as &dyn WeightNormalizer;
    check_all(subject, WEIGHT_LAWS, &dirty_weights(6), &Tolerance::F32)
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
/// * `cases` – a strategy of this module, or your own.
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
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: 4096,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let test = |case: T::Value| {
        let broken = (law.check)(subject, &case, tolerance);
        broken.map_err(|broken| TestCaseError::fail(broken.to_string()))
    };
    let violation = |reason: String, case: String| Violation {
        law: law.name,
        states: law.states,
        reason,
        case,
    };
    match TestRunner::new_with_rng(config, rng).run(cases, test) {
        Ok(()) => Ok(()),
        Err(TestError::Fail(reason, case)) => {
            Err(violation(reason.message().to_owned(), format!("{case:?}")))
        }
        Err(TestError::Abort(reason)) => {
            Err(violation(reason.message().to_owned(), "none".to_owned()))
        }
    }
}

/// Unit quaternions of any sign.
pub fn rotations() -> impl Strategy<Value = Quat> + Clone {
    [-1.0_f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(|parts| {
        let rotation = Quat::from_array(parts).as_dquat();
        let length = rotation.length_squared().sqrt();
        if length > 0.1 {
            (rotation * (1.0 / length)).as_quat()
        } else {
            Quat::IDENTITY
        }
    })
}

/// Vectors with coordinates from `-size` to `size`.
pub fn vectors(size: f32) -> impl Strategy<Value = Vec3> + Clone {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

/// Scales of 0.5 to 1.5 per axis, one axis in eight mirrored.
pub fn scales() -> impl Strategy<Value = Vec3> + Clone {
    let factor =
        (0.5_f32..1.5, 0..8_u8).prop_map(|(size, sign)| if sign == 7 { -size } else { size });
    [factor.clone(), factor.clone(), factor].prop_map(Vec3::from_array)
}

/// Transforms by parts.
pub fn transforms() -> impl Strategy<Value = Trs> + Clone {
    (vectors(2.0), rotations(), scales()).prop_map(|(translation, rotation, scale)| Trs {
        translation,
        rotation,
        scale,
    })
}

/// Tracks of 1 to 5 keys of `values`: step, linear or cubic, with `tangents`. Times are multiples of 1/64 s from -1 s on, so
/// that shifting them is exact.
pub fn tracks<T: Value + 'static>(
    values: impl Strategy<Value = T> + Clone,
    tangents: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Track<T>> + Clone {
    let keys = vec((1..64_i32, values, tangents.clone(), tangents), 1..6);
    (keys, -64..64_i32, 0..4_u8).prop_map(|(keys, start, kind)| {
        let mut time = start;
        let key = |(gap, value, leave, arrive)| {
            let key = Key {
                time: Seconds(f64::from(time) / 64.0),
                value,
                span: match kind {
                    0 | 1 => Span::Linear,
                    2 => Span::Cubic { leave, arrive },
                    _ => Span::Step,
                },
            };
            time += gap;
            key
        };
        Track {
            keys: keys.into_iter().map(key).collect(),
        }
    })
}

/// Rotation tracks; tangents are any quaternions up to 4 per second.
pub fn rotation_tracks() -> impl Strategy<Value = Track<Quat>> + Clone {
    let tangents = [-4.0_f32..4.0, -4.0..4.0, -4.0..4.0, -4.0..4.0].prop_map(Quat::from_array);
    tracks(rotations(), tangents)
}

/// Translation tracks.
pub fn vector_tracks() -> impl Strategy<Value = Track<Vec3>> + Clone {
    tracks(vectors(100.0), vectors(100.0))
}

/// Rotation tracks, each with a time in it, or a little outside.
pub fn rotation_motions() -> impl Strategy<Value = Motion<Quat>> + Clone {
    motions(rotation_tracks())
}

/// Vector tracks, each with a time in it, or a little outside.
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

/// The weights of a vertex on some of `joints` joints: up to 8 positive ones, of any sum, each joint once.
pub fn weights(joints: usize) -> impl Strategy<Value = Vec<Influence>> + Clone {
    vec((any::<Index>(), 0.01_f32..2.0), 0..=8).prop_map(move |pairs| {
        let mut influences: Vec<Influence> = Vec::new();
        for (joint, weight) in pairs {
            let joint = JointId::from_index(joint.index(joints));
            if influences.iter().all(|influence| influence.joint != joint) {
                influences.push(Influence { joint, weight });
            }
        }
        influences
    })
}

/// As [`weights`], but as bad exporters write them: not normalized, negative, dust, zero, huge, and duplicate joints.
pub fn dirty_weights(joints: usize) -> impl Strategy<Value = Vec<Influence>> + Clone {
    let weight = (0.01_f32..2.0, 0..12_u8).prop_map(|(weight, kind)| match kind {
        0 => -0.1 * weight,
        1 => 1e-7 * weight,
        2 => 0.0,
        3 => 1e20 * weight,
        4 => 1e-20 * weight,
        _ => weight,
    });
    vec((any::<Index>(), weight), 0..=8).prop_map(move |pairs| {
        let influence = |(joint, weight): (Index, f32)| Influence {
            joint: JointId::from_index(joint.index(joints)),
            weight,
        };
        pairs.into_iter().map(influence).collect()
    })
}

/// Skinned vertices of 1 to 5 joints in a pose, and what the laws do to them.
pub fn skin_cases() -> impl Strategy<Value = SkinCase> + Clone {
    (1..=5_usize)
        .prop_flat_map(|joints| {
            let matrices = || vec(transforms(), joints);
            let body = (
                vec((vectors(2.0), weights(joints)), 1..=4),
                matrices(),
                matrices(),
                transforms(),
            );
            (body, rotations(), vectors(3.0), 0.25_f32..4.0, 1..=4_u32)
        })
        .prop_map(
            |((vertices, binds, joints, node), rotation, translation, scale, keep)| {
                let (positions, lists): (Vec<Vec3>, Vec<Vec<Influence>>) =
                    vertices.into_iter().unzip();
                let matrices = |list: &[Trs]| list.iter().map(Trs::to_matrix).collect();
                SkinCase {
                    body: Body {
                        positions,
                        influences: Influences::from_vertices(lists),
                        inverse_binds: matrices(&binds),
                        joints: matrices(&joints),
                        node: node.to_matrix(),
                    },
                    motion: (rotation, translation),
                    scale,
                    keep,
                }
            },
        )
}

/// Trees of 1 to `most` nodes with any rest pose, parents first.
///
/// # Panics
///
/// Never: each parent is before its child.
pub fn hierarchies(most: usize) -> impl Strategy<Value = Skeleton> + Clone {
    vec((any::<Index>(), transforms()), 1..=most).prop_map(|nodes| {
        let node = |(index, (parent, rest)): (usize, (Index, Trs))| Node {
            name: format!("joint {index}"),
            parent: (index > 0).then(|| NodeId::from_index(parent.index(index))),
            rest: LocalTransform::Trs(rest),
        };
        let nodes = nodes.into_iter().enumerate().map(node).collect();
        Skeleton::new(nodes).expect("each parent is before its child")
    })
}

/// Clips that drive some of `nodes` nodes. They start at 0 s or with their first key and end with their last.
pub fn clips(nodes: usize) -> impl Strategy<Value = Clip> + Clone {
    let part = || {
        (
            vector_tracks(),
            rotation_tracks(),
            tracks(scales(), scales()),
            1..8_u8,
        )
    };
    vec(proptest::option::of(part()), nodes).prop_map(|parts| {
        let mut channels = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            if let Some((translation, rotation, scale, which)) = part {
                channels.push(Channel {
                    translation: (which & 1 != 0).then_some(translation),
                    rotation: (which & 2 != 0).then_some(rotation),
                    scale: (which & 4 != 0).then_some(scale),
                    ..Channel::of(NodeId::from_index(index))
                });
            }
        }
        let mut clip = Clip {
            name: "clip".to_owned(),
            start: Seconds::ZERO,
            end: Seconds::ZERO,
            rate: TickRate::SECONDS,
            channels,
            morph_channels: Vec::new(),
        };
        let ends: Vec<(f64, f64)> = clip
            .drivers()
            .filter_map(|driver| driver.track.ends())
            .collect();
        for (start, end) in ends {
            clip.start = Seconds(clip.start.0.min(start));
            clip.end = Seconds(clip.end.0.max(end));
        }
        clip
    })
}

/// Meshes of 1 to 12 vertices with clean weights on `joints` joints, and triangles if there are three.
///
/// # Panics
///
/// Never: the vertices are few.
pub fn meshes(joints: usize) -> impl Strategy<Value = Mesh> + Clone {
    vec((vectors(2.0), weights(joints)), 1..=12).prop_map(|vertices| {
        let (positions, lists): (Vec<Vec3>, Vec<Vec<Influence>>) = vertices.into_iter().unzip();
        let count = u32::try_from(positions.len()).expect("there are few vertices");
        Mesh {
            name: "mesh".to_owned(),
            triangles: (2..count).map(|last| [last - 2, last - 1, last]).collect(),
            influences: Influences::from_vertices(lists),
            positions,
            ..Mesh::default()
        }
    })
}

/// Inverse bind matrices of `joints` joints.
pub fn inverse_binds(joints: usize) -> impl Strategy<Value = Vec<Mat4>> + Clone {
    vec(transforms().prop_map(|trs| trs.to_matrix()), joints)
}

/// Whole rigs: a hierarchy of up to 5 nodes, a skin whose joints are in another order than the nodes, a mesh and a clip.
pub fn rigs() -> impl Strategy<Value = Asset> + Clone {
    hierarchies(5).prop_flat_map(|skeleton| {
        let nodes = skeleton.len();
        (meshes(nodes), inverse_binds(nodes), clips(nodes)).prop_map(
            move |(mesh, inverse_bind_matrices, clip)| Asset {
                meshes: vec![mesh],
                skins: vec![Skin {
                    name: "skin".to_owned(),
                    joints: (0..nodes).rev().map(NodeId::from_index).collect(),
                    inverse_bind_matrices,
                }],
                instances: vec![MeshInstance {
                    node: NodeId(0),
                    mesh: MeshId(0),
                    skin: Some(SkinId(0)),
                    morph_weights: Vec::new(),
                }],
                clips: vec![clip],
                ..Asset::of(skeleton.clone())
            },
        )
    })
}
