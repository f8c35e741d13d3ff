//! The laws of whole rigs: a tree of nodes that a clip moves, and a mesh that is skinned to it.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4, Mat4, Vec3};

use super::law::{Outcome, UNIT, Verdict, within};
use super::motion::time_error;
use super::random::Random;
use super::reference::{self, span_at};
use super::rotation::rotation_error;
use super::{Law, Tolerance, Value};
use crate::rig::{
    Asset, Channel, Clip, Influence, Influences, Key, LocalTransform, Mesh, MeshId, MeshInstance,
    Node, NodeId, Skeleton, Skin, SkinId, SkinSlot, Span, Track, Trs,
};
use crate::units::Seconds;

/// A rig with one clip, and a time in it.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseCase {
    /// Node 0 holds the mesh; the others are its joints, a tree.
    pub rig: Asset,
    /// In seconds.
    pub time: f64,
}

/// A rig in a pose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posed {
    /// `world_from_node` of each node.
    pub nodes: Vec<DMat4>,
    /// The mesh's vertices in world space.
    pub vertices: Vec<DVec3>,
}

/// Poses rigs.
///
/// Implemented by any `Fn(&Asset, f64) -> Posed`.
pub trait Poser {
    /// The rig at a time of its first clip; `None` for a rig that it does not support.
    fn pose(&self, rig: &Asset, time: f64) -> Option<Posed>;
}

impl<F: Fn(&Asset, f64) -> Posed> Poser for F {
    fn pose(&self, rig: &Asset, time: f64) -> Option<Posed> {
        Some(self(rig, time))
    }
}

/// The laws of posing.
pub static POSE_LAWS: &[Law<dyn Poser, PoseCase>] = &[
    Law {
        name: "hierarchy",
        states: "in a clip, a node moves, turns and scales with its parent and its tracks",
        check: hierarchy,
    },
    Law {
        name: "animated-skin",
        states: "in a clip, skinned vertices follow their joints",
        check: animated_skin,
    },
];

fn hierarchy(subject: &dyn Poser, case: &PoseCase, tolerance: &Tolerance) -> Verdict {
    let posed = subject.pose(&case.rig, case.time);
    let (Some(posed), Some(expected)) = (posed, worlds(case, tolerance)) else {
        return Ok(Outcome::NotApplicable);
    };
    nodes(&posed, &expected, case)
}

fn nodes(posed: &Posed, expected: &[World], case: &PoseCase) -> Verdict {
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
                    "node {index} at {} s: row {row}, column {column} of its global transform is {got} instead of {wanted}",
                    case.time
                )
            })?;
        }
    }
    Ok(Outcome::Held)
}

/// Tested where the nodes are right: wrong nodes are the cause of wrong vertices.
fn animated_skin(subject: &dyn Poser, case: &PoseCase, tolerance: &Tolerance) -> Verdict {
    let posed = subject.pose(&case.rig, case.time);
    let (Some(posed), Some(worlds)) = (posed, worlds(case, tolerance)) else {
        return Ok(Outcome::NotApplicable);
    };
    if nodes(&posed, &worlds, case).is_err() {
        return Ok(Outcome::NotApplicable);
    }
    let (mesh, skin) = (&case.rig.meshes[0], &case.rig.skins[0]);
    counted(
        posed.vertices.len(),
        mesh.positions.len(),
        "positions",
        "vertices",
    )?;
    for (vertex, position) in mesh.positions.iter().enumerate() {
        let (mut wanted, mut size, mut error) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for influence in mesh.influences.of(vertex) {
            let joint = influence.slot.index();
            let world = &worlds[skin.joints[joint].index()];
            let bind = skin.inverse_bind_matrices[joint].as_dmat4();
            let (weight, position) = (f64::from(influence.weight), position.as_dvec3());
            let (in_joint, most) = (
                bind.transform_point3(position),
                bind.abs().transform_point3(position.abs()),
            );
            wanted += weight * world.matrix.transform_point3(in_joint);
            size += weight * world.size.transform_point3(most);
            error += weight * point(&world.error, most);
        }
        // As in `skinning::bound`: n + 12 roundings of a product.
        let allowed = (error + 24.0 * UNIT * size).length();
        let got = posed.vertices[vertex];
        within(got.distance(wanted), tolerance.skinning * allowed, || {
            format!(
                "vertex {vertex} at {} s is at {got} instead of {wanted}",
                case.time
            )
        })?;
    }
    Ok(Outcome::Held)
}

fn counted(got: usize, expected: usize, what: &str, of: &str) -> Verdict {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let off = got.abs_diff(expected) as f64;
    within(off, 0.0, || format!("{got} {what} for {expected} {of}"))
}

/// A point under a matrix whose last row is 0.
fn point(matrix: &DMat4, point: DVec3) -> DVec3 {
    (*matrix * point.extend(1.0)).truncate()
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
fn worlds(case: &PoseCase, tolerance: &Tolerance) -> Option<Vec<World>> {
    let mut worlds: Vec<World> = Vec::new();
    for (id, node) in case.rig.skeleton.iter() {
        let channels = &case.rig.clips[0].channels;
        let channel = channels.iter().find(|channel| channel.node == id);
        let local = local(&node.rest, channel, case.time, tolerance)?;
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
            (reference::rotation(track, time), error)
        }
        None => (unit(rest.rotation.as_dquat()), tolerance.rotation),
    };
    let vector = |track: Option<&Track<Vec3>>, rest: Vec3| match track {
        Some(track) => {
            let times =
                span_at(track, time).map_or(0.0, |span| time_error(track, &span, 0.0, tolerance));
            let rounding = 2.0 * Vec3::rounding(&track.keys, tolerance);
            (reference::vector(track, time), rounding + times)
        }
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
    Some(World {
        matrix: DMat4::from_translation(translation)
            * DMat4::from_mat3(DMat3::from_quat(rotation) * DMat3::from_diagonal(scale)),
        size: DMat4::from_cols(
            column(size.x),
            column(size.y),
            column(size.z),
            (translation.abs() + moved).extend(1.0),
        ),
        error: DMat4::from_cols(
            turned(size.x),
            turned(size.y),
            turned(size.z),
            DVec3::splat(moved).extend(0.0),
        ),
    })
}

fn unit(q: DQuat) -> DQuat {
    q * (1.0 / q.length_squared().sqrt())
}

/// Nodes of a generated tree, without the mesh's.
const JOINTS: usize = 5;

/// Most nodes of a model that a case has.
const MOST_JOINTS: usize = 8;

impl PoseCase {
    /// A generated tree whose nodes are all translated, rotated and scaled by its clip.
    pub(super) fn generated(random: &mut Random) -> Self {
        let trs = |random: &mut Random| Trs {
            translation: random.vector(),
            rotation: random.rotation(),
            scale: Vec3::ONE + 0.5 * random.vector(),
        };
        let mut nodes = Vec::new();
        let mut channels = Vec::new();
        for index in 0..JOINTS {
            let parent = (index > 0).then(|| NodeId::from_index(random.below(index)));
            nodes.push(Node {
                name: format!("joint {index}"),
                parent,
                rest: LocalTransform::Trs(trs(random)),
            });
            let keys = [0.0, 0.5, 1.0].map(|time| (time, trs(random)));
            channels.push(Channel {
                translation: Some(track(&keys, |trs| trs.translation)),
                rotation: Some(track(&keys, |trs| trs.rotation)),
                scale: Some(track(&keys, |trs| trs.scale)),
                ..Channel::of(NodeId::from_index(index))
            });
        }
        Self::skinned(nodes, channels, moment(random, 0.0, 1.0))
    }

    /// A node that a clip of `asset` drives, with the nodes above it, at a random time. `None` for a clip that glTF's
    /// tracks cannot represent.
    pub(super) fn of(asset: &Asset, random: &mut Random) -> Option<(Self, usize)> {
        if asset.clips.is_empty() {
            return None;
        }
        let index = random.below(asset.clips.len());
        let clip = &asset.clips[index];
        if clip.channels.is_empty() {
            return None;
        }
        let mut chain = vec![clip.channels[random.below(clip.channels.len())].node];
        while let Some(parent) = asset.skeleton.get(chain[chain.len() - 1])?.parent {
            if chain.len() == MOST_JOINTS {
                break;
            }
            chain.push(parent);
        }
        chain.reverse();
        let mut channels = Vec::new();
        let mut nodes = Vec::new();
        for (index, id) in chain.iter().enumerate() {
            let node = asset.skeleton.get(*id)?;
            let mut own = clip.channels.iter().filter(|channel| channel.node == *id);
            let channel = own.next();
            if own.next().is_some() || channel.is_some_and(|channel| !is_usable(channel)) {
                return None;
            }
            let rest = match node.rest {
                LocalTransform::Matrix(matrix) if channel.is_none() => {
                    LocalTransform::Matrix(matrix)
                }
                rest => {
                    let trs = rest.to_trs();
                    let rotation = unit(trs.rotation.as_dquat()).as_quat();
                    LocalTransform::Trs(Trs { rotation, ..trs })
                }
            };
            if !rest.to_matrix().is_finite() {
                return None;
            }
            nodes.push(Node {
                name: format!("joint {index}"),
                parent: index.checked_sub(1).map(NodeId::from_index),
                rest,
            });
            channels.extend(channel.map(|channel| Channel {
                node: NodeId::from_index(index),
                ..channel.clone()
            }));
        }
        let time = moment(random, clip.start.0, clip.duration().0);
        Some((Self::skinned(nodes, channels, time), index))
    }

    /// Adds a mesh that has a vertex next to each joint, bound half to it and half to the one before it.
    fn skinned(mut nodes: Vec<Node>, mut channels: Vec<Channel>, time: f64) -> Self {
        let shifted = |id: NodeId| NodeId::from_index(id.index() + 1);
        for node in &mut nodes {
            node.parent = node.parent.map(shifted);
        }
        for channel in &mut channels {
            channel.node = shifted(channel.node);
        }
        let holder = Node {
            name: "mesh".to_owned(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        nodes.insert(0, holder);
        let mut rest: Vec<Mat4> = Vec::new();
        for node in &nodes {
            let local = node.rest.to_matrix();
            rest.push(
                node.parent
                    .map_or(local, |parent| rest[parent.index()] * local),
            );
        }
        let inverse = |world: &Mat4| {
            let inverse = world.as_dmat4().inverse().as_mat4();
            if inverse.is_finite() {
                inverse
            } else {
                Mat4::IDENTITY
            }
        };
        let count = nodes.len() - 1;
        let joints = (1..=count).map(NodeId::from_index);
        let of = |joint, weight| Influence::new(SkinSlot::from_index(joint), weight);
        let influences = (0..count).map(|joint| match joint {
            0 => vec![of(0, 1.0)],
            _ => vec![of(joint, 0.5), of(joint - 1, 0.5)],
        });
        let place = |world: &Mat4| world.transform_point3(Vec3::new(0.25, 0.5, 0.125));
        let end = channels.iter().flat_map(ends).fold(time.max(0.0), f64::max);
        let rig = Asset {
            meshes: vec![Mesh {
                name: "mesh".to_owned(),
                positions: rest[1..].iter().map(place).collect(),
                normals: vec![Vec3::Z; count],
                triangles: (0_u32..).take(count).map(|vertex| [vertex; 3]).collect(),
                influences: Influences::from_vertices(influences),
                ..Mesh::default()
            }],
            skins: vec![Skin {
                name: "skin".to_owned(),
                joints: joints.collect(),
                inverse_bind_matrices: rest[1..].iter().map(inverse).collect(),
            }],
            instances: vec![MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0))],
            clips: vec![Clip {
                channels,
                ..Clip::new("clip", Seconds(end))
            }],
            ..Asset::of(Skeleton::new(nodes).expect("each parent is before its child"))
        };
        Self { rig, time }
    }
}

fn ends(channel: &Channel) -> impl Iterator<Item = f64> {
    fn end<T>(track: Option<&Track<T>>) -> Option<f64> {
        Some(track?.keys.last()?.time.0)
    }
    let ends = [
        end(channel.translation.as_ref()),
        end(channel.rotation.as_ref()),
        end(channel.scale.as_ref()),
    ];
    ends.into_iter().flatten()
}

fn is_usable(channel: &Channel) -> bool {
    fn usable<T: Value>(track: Option<&Track<T>>) -> bool {
        track.is_none_or(|track| track.keys.iter().all(|key| key.value.is_usable()))
    }
    channel.matrix.is_none()
        && usable(channel.rotation.as_ref())
        && usable(channel.translation.as_ref())
        && usable(channel.scale.as_ref())
}

fn track<T>(keys: &[(f64, Trs)], part: impl Fn(&Trs) -> T) -> Track<T> {
    let key = |(time, trs): &(f64, Trs)| Key {
        time: Seconds(*time),
        value: part(trs),
        span: Span::Linear,
    };
    Track {
        keys: keys.iter().map(key).collect(),
    }
}

/// A random time that f32 represents.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn moment(random: &mut Random, start: f64, seconds: f64) -> f64 {
    f64::from((start + random.unit() * seconds) as f32)
}
