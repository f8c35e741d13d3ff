//! The laws of whole assets: trees of nodes that a clip moves, with meshes that are skinned, morphed or attached to them.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4, Vec3};

use super::law::{Outcome, UNIT, Verdict, within};
use super::motion::{time_error, wander};
use super::reference::{self, span_at};
use super::rotation::rotation_error;
use super::{Law, Tolerance, Value, rounding};
use crate::rig::{Asset, Blending, Channel, LocalTransform, MeshInstance, Track};

/// An asset with one clip, and times in it.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseCase {
    /// Its instances are in the order of their nodes, one per node.
    pub rig: Asset,
    /// In seconds.
    pub times: Vec<f64>,
}

/// An asset in a pose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posed {
    /// `world_from_node` of each node.
    pub nodes: Vec<DMat4>,
    /// The vertices of each mesh instance in world space.
    pub meshes: Vec<Vec<DVec3>>,
}

/// Poses assets.
///
/// Implemented by any `Fn(&Asset, f64) -> Posed`.
pub trait Poser {
    /// The asset at each of `times` in its first clip; `None` for an asset that it does not support.
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>>;
}

impl<F: Fn(&Asset, f64) -> Posed> Poser for F {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        Some(times.iter().map(|time| self(rig, *time)).collect())
    }
}

/// The laws of posing.
pub static POSE_LAWS: &[Law<dyn Poser, PoseCase>] = &[
    Law {
        name: "hierarchy",
        states: "in a clip, a node moves, rotates and scales with its parent and its tracks",
        check: hierarchy,
    },
    Law {
        name: "animated-skin",
        states: "in a clip, skinned vertices follow their joints",
        check: |subject, case, tolerance| {
            let is_skinned = |instance: &MeshInstance| {
                instance.skin.is_some() && case.rig.mesh_of(instance).morph_targets.is_empty()
            };
            meshes(subject, case, tolerance, is_skinned)
        },
    },
    Law {
        name: "animated-morph",
        states: "in a clip, morph targets are added by their weights before a vertex is skinned",
        check: |subject, case, tolerance| {
            let is_morphed =
                |instance: &MeshInstance| !case.rig.mesh_of(instance).morph_targets.is_empty();
            meshes(subject, case, tolerance, is_morphed)
        },
    },
    Law {
        name: "rigid-mesh",
        states: "in a clip, a mesh without a skin moves with its node",
        check: |subject, case, tolerance| {
            let is_rigid = |instance: &MeshInstance| {
                instance.skin.is_none() && case.rig.mesh_of(instance).morph_targets.is_empty()
            };
            meshes(subject, case, tolerance, is_rigid)
        },
    },
];

fn hierarchy(subject: &dyn Poser, case: &PoseCase, tolerance: &Tolerance) -> Verdict {
    let Some(poses) = subject.pose(&case.rig, &case.times) else {
        return Ok(Outcome::NotApplicable);
    };
    let mut outcome = Outcome::NotApplicable;
    for (posed, time) in poses.iter().zip(&case.times) {
        if let Some(expected) = worlds(&case.rig, *time, tolerance) {
            outcome = nodes(posed, &expected, *time)?;
        }
    }
    Ok(outcome)
}

fn nodes(posed: &Posed, expected: &[World], time: f64) -> Verdict {
    counted(
        posed.nodes.len(),
        expected.len(),
        "node transforms",
        "nodes",
    )?;
    for (index, (got, expected)) in posed.nodes.iter().zip(expected).enumerate() {
        let (got, wanted) = (got.to_cols_array(), expected.matrix.to_cols_array());
        let errors = expected.error.to_cols_array();
        for (entry, ((got, wanted), error)) in got.iter().zip(wanted).zip(errors).enumerate() {
            let (row, column) = (entry % 4, entry / 4);
            within((got - wanted).abs(), error, || {
                format!(
                    "node {index} at {time} s: row {row}, column {column} of its global transform is {got} instead of {wanted}"
                )
            })?;
        }
    }
    Ok(Outcome::Held)
}

/// Compares the vertices of some instances. Tested where the nodes are right: wrong nodes are the cause of wrong
/// vertices.
fn meshes(
    subject: &dyn Poser,
    case: &PoseCase,
    tolerance: &Tolerance,
    is_tested: impl Fn(&MeshInstance) -> bool,
) -> Verdict {
    let rig = &case.rig;
    if !rig.instances.iter().any(&is_tested) {
        return Ok(Outcome::NotApplicable);
    }
    let Some(poses) = subject.pose(rig, &case.times) else {
        return Ok(Outcome::NotApplicable);
    };
    let mut outcome = Outcome::NotApplicable;
    for (posed, time) in poses.iter().zip(&case.times) {
        let Some(worlds) = worlds(rig, *time, tolerance) else {
            continue;
        };
        if nodes(posed, &worlds, *time).is_err() {
            continue;
        }
        counted(
            posed.meshes.len(),
            rig.instances.len(),
            "meshes",
            "nodes with a mesh",
        )?;
        for (got, instance) in posed.meshes.iter().zip(&rig.instances) {
            // Dual quaternions have no formula here; the laws of skinning test them.
            let is_linear = rig.mesh_of(instance).blending == Blending::Linear;
            if is_tested(instance) && (is_linear || instance.skin.is_none()) {
                vertices(got, (rig, instance), &worlds, *time, tolerance)?;
                outcome = Outcome::Held;
            }
        }
    }
    Ok(outcome)
}

fn vertices(
    got: &[DVec3],
    (rig, instance): (&Asset, &MeshInstance),
    worlds: &[World],
    time: f64,
    tolerance: &Tolerance,
) -> Verdict {
    let expected = expected_vertices((rig, instance), worlds, time, tolerance);
    counted(got.len(), expected.len(), "positions", "vertices")?;
    let name = &rig.skeleton[instance.node].name;
    for (vertex, (got, (wanted, allowed))) in got.iter().zip(expected).enumerate() {
        if allowed.is_finite() {
            within(got.distance(wanted), allowed, || {
                format!(
                    "vertex {vertex} of node \"{name}\" at {time} s is at {got} instead of {wanted}"
                )
            })?;
        }
    }
    Ok(Outcome::Held)
}

/// The vertices of an instance, and their allowed errors.
fn expected_vertices(
    (rig, instance): (&Asset, &MeshInstance),
    worlds: &[World],
    time: f64,
    tolerance: &Tolerance,
) -> Vec<(DVec3, f64)> {
    let mesh = rig.mesh_of(instance);
    let morphs = morph_weights(rig, instance, time, tolerance);
    let expected = mesh.positions.iter().enumerate().map(|(vertex, position)| {
        let mut morphed = Point {
            at: position.as_dvec3(),
            size: position.as_dvec3().abs(),
            error: 0.0,
        };
        for (target, (weight, error)) in mesh.morph_targets.iter().zip(&morphs) {
            let offset = target
                .positions
                .get(vertex)
                .copied()
                .unwrap_or_default()
                .as_dvec3();
            morphed.at += *weight * offset;
            morphed.size += (weight.abs() + error) * offset.abs();
            morphed.error += error * offset.length();
        }
        let (wanted, allowed) = match instance.skin {
            None => {
                let moved = worlds[instance.node.index()].moved(&morphed);
                (moved.at, moved.error + 24.0 * UNIT * moved.size.length())
            }
            Some(skin) => {
                let (skin, mut sum) = (&rig[skin], Point::default());
                let mut images = Vec::new();
                for (slot, weight) in reference::normalize(mesh.influences.of(vertex)) {
                    let joint = slot.index();
                    let bind = skin.inverse_bind_matrices[joint].as_dmat4();
                    let in_joint = World::exact(bind).moved(&morphed);
                    let image = worlds[skin.joints[joint].index()].moved(&in_joint);
                    images.push((weight, image.at));
                    sum.at += weight * image.at;
                    sum.size += weight.abs() * image.size;
                    sum.error += weight.abs() * image.error;
                }
                // As in `skinning::bound`: n + 12 roundings of a product.
                let rounded = sum.error + 24.0 * UNIT * sum.size.length();
                (sum.at, rounded + rounding::stored(&images, tolerance))
            }
        };
        (wanted, tolerance.skinning * allowed)
    });
    expected.collect()
}

/// An asset in a pose by glTF's formulas in f64, each value with the error that rounding in f32 may cause.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Expected {
    /// `world_from_node` of each node, and the allowed error of its entries.
    pub nodes: Vec<(DMat4, f64)>,
    /// The vertices of each mesh instance in world space, and the allowed distance from them.
    pub meshes: Vec<Vec<(DVec3, f64)>>,
}

/// The expected pose of an asset in its first clip.
///
/// * `rig` – an asset with a clip.
/// * `time` – in seconds.
///
/// Returns `None` where rounding decides between two rotations, or f32 may overflow.
///
/// # Panics
///
/// If `rig` has no clip.
///
/// # Reference
///
/// glTF 2.0 §3.5.3, §3.7.2.2 and §3.7.3, and appendix C.
#[must_use]
pub fn expected(rig: &Asset, time: f64, tolerance: &Tolerance) -> Option<Expected> {
    let worlds = worlds(rig, time, tolerance)?;
    let meshes = rig
        .instances
        .iter()
        .map(|instance| expected_vertices((rig, instance), &worlds, time, tolerance));
    let largest = |errors: DMat4| errors.to_cols_array().into_iter().fold(0.0, f64::max);
    Some(Expected {
        meshes: meshes.collect(),
        nodes: worlds
            .iter()
            .map(|world| (world.matrix, largest(world.error)))
            .collect(),
    })
}

/// The weight of each morph target at a time, and its allowed error.
fn morph_weights(
    rig: &Asset,
    instance: &MeshInstance,
    time: f64,
    tolerance: &Tolerance,
) -> Vec<(f64, f64)> {
    let targets = rig.mesh_of(instance).morph_targets.len();
    let mut channels = rig.clips.iter().flat_map(|clip| &clip.morph_channels);
    let driven = channels.find(|channel| channel.node == instance.node);
    let weight = |target: usize| {
        let Some(channel) = driven else {
            let rest = instance.morph_weights.get(target).copied();
            return (f64::from(rest.unwrap_or_default()), 0.0);
        };
        let along_x = |weights: &Vec<f32>| Vec3::new(weights[target], 0.0, 0.0);
        let (value, error) = sampled(&channel.weights.map(along_x), time, tolerance);
        (value.x, error)
    };
    (0..targets).map(weight).collect()
}

fn counted(got: usize, expected: usize, what: &str, of: &str) -> Verdict {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let off = got.abs_diff(expected) as f64;
    within(off, 0.0, || format!("{got} {what} for {expected} {of}"))
}

/// A position.
#[derive(Clone, Copy, Default)]
struct Point {
    at: DVec3,
    /// At least the magnitude of each coordinate, and of each term that it is a sum of.
    size: DVec3,
    /// The allowed distance from `at`, without roundings that follow.
    error: f64,
}

impl World {
    /// A matrix from a file.
    fn exact(matrix: DMat4) -> Self {
        Self {
            matrix,
            size: matrix.abs(),
            error: DMat4::ZERO,
        }
    }

    fn moved(&self, point: &Point) -> Point {
        let linear = DMat3::from_mat4(self.size);
        let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
        let norm = columns
            .iter()
            .map(|column| column.length_squared())
            .sum::<f64>();
        let by_matrix = (self.error * point.size.extend(1.0)).truncate().length();
        Point {
            at: self.matrix.transform_point3(point.at),
            size: self.size.transform_point3(point.size),
            error: by_matrix + norm.sqrt() * point.error,
        }
    }
}

/// The transform of a node.
#[derive(Clone, Copy)]
struct World {
    matrix: DMat4,
    /// At least the magnitude of each entry, and of each term that it is a sum of.
    size: DMat4,
    /// The allowed error of each entry; its last row is 0.
    error: DMat4,
}

/// The transforms of all nodes by glTF's formulas in f64: each local transform by its parts, then products from the root
/// on. `None` where rounding decides between two rotations, or f32 may overflow.
fn worlds(rig: &Asset, time: f64, tolerance: &Tolerance) -> Option<Vec<World>> {
    let mut worlds: Vec<World> = Vec::new();
    for (id, node) in rig.skeleton.iter() {
        let channel = rig.clips[0].channel_of(id);
        let local = local(&node.rest, channel, time, tolerance)?;
        let world = match node.parent {
            None => local,
            Some(parent) => {
                let parent = worlds[parent.index()];
                let size = parent.size * local.size;
                let mut rounding = 8.0 * UNIT * size;
                rounding.w_axis.w = 0.0;
                World {
                    matrix: parent.matrix * local.matrix,
                    size,
                    error: parent.error * local.size
                        + parent.size * local.error
                        + parent.error * local.error
                        + rounding,
                }
            }
        };
        let largest = world.size.to_cols_array().into_iter().fold(0.0, f64::max);
        if !(largest < 1e30 && world.error.is_finite()) {
            return None;
        }
        worlds.push(world);
    }
    Some(worlds)
}

fn local(
    rest: &LocalTransform,
    channel: Option<&Channel>,
    time: f64,
    tolerance: &Tolerance,
) -> Option<World> {
    if let (LocalTransform::Matrix(matrix), None) = (rest, channel) {
        let (matrix, size) = (matrix.as_dmat4(), matrix.as_dmat4().abs());
        let mut error = UNIT * size;
        error.w_axis.w = 0.0;
        return Some(World {
            matrix,
            size,
            error,
        });
    }
    let rest = rest.to_trs();
    let rotations = channel.and_then(|channel| channel.rotation.as_ref());
    let (rotation, angle) = match rotations {
        Some(track) => {
            let error = match span_at(track, time) {
                Ok(span) => rotation_error(track, &span, tolerance)?,
                Err(_) => tolerance.rotation,
            };
            (
                reference::rotation(track, time),
                error + wander(track, time, tolerance),
            )
        }
        None => (unit(rest.rotation.as_dquat()), tolerance.rotation),
    };
    let vector = |track: Option<&Track<Vec3>>, rest: Vec3| match track {
        Some(track) => sampled(track, time, tolerance),
        None => (rest.as_dvec3(), tolerance.vector * f64::from(rest.length())),
    };
    let translations = channel.and_then(|channel| channel.translation.as_ref());
    let scales = channel.and_then(|channel| channel.scale.as_ref());
    let (translation, moved) = vector(translations, rest.translation);
    let (scale, scaled) = vector(scales, rest.scale);
    let column = |scale: f64| DVec4::new(scale, scale, scale, 0.0);
    let size = scale.abs() + scaled;
    // An entry of a rotation matrix changes by at most the angle; it is a sum of three products of components.
    let turned = |scale: f64| column((angle + 8.0 * UNIT) * scale + scaled);
    let matrix = DMat4::from_translation(translation)
        * DMat4::from_mat3(DMat3::from_quat(rotation) * DMat3::from_diagonal(scale));
    let error = DMat4::from_cols(
        turned(size.x),
        turned(size.y),
        turned(size.z),
        DVec3::splat(moved).extend(0.0),
    );
    Some(World {
        matrix,
        size: matrix.abs() + error,
        error,
    })
}

/// A vector track at a time, and the allowed error.
fn sampled(track: &Track<Vec3>, time: f64, tolerance: &Tolerance) -> (DVec3, f64) {
    let times = span_at(track, time).map_or(0.0, |span| time_error(track, &span, 0.0, tolerance));
    let rounding = 2.0 * Vec3::rounding(&track.keys, tolerance);
    (
        reference::vector(track, time),
        rounding + times + wander(track, time, tolerance),
    )
}

pub(super) fn unit(q: DQuat) -> DQuat {
    q * (1.0 / q.length_squared().sqrt())
}
