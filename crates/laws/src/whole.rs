//! Whole assets as cases: generated ones, and parts of a model.

use std::collections::BTreeSet;

use glam::{DMat4, Mat4, Quat, Vec3};

use super::posing::unit;
use super::random::Random;
use super::{PoseCase, Value, reference};
use crate::rig::{
    Asset, Channel, Clip, Influence, Influences, Key, LocalTransform, Mesh, MeshId, MeshInstance,
    MorphChannel, MorphTarget, Node, NodeId, Skeleton, Skin, SkinId, SkinSlot, Span, Track, Trs,
};
use crate::units::Seconds;

/// Nodes of a generated tree: the root and the joints below it.
const TREE: usize = 10;

/// Vertices of a mesh.
const VERTICES: usize = 4;

/// Times per case.
const TIMES: usize = 5;

/// Most meshes of a model that a case has.
const MOST_MESHES: usize = 2;

/// Length of the part of a model's clip that a case has, in seconds.
const WINDOW: f64 = 0.25;

impl PoseCase {
    /// A tree that its clip translates, rotates and scales, some nodes mirrored, with tracks of all interpolations; one
    /// joint is apart from the others, and one has no influence. Two meshes share the skin: one on a root, every other
    /// time with up to eight influences per vertex, and one with morph targets on a node that moves. The third is
    /// attached to a node.
    pub(super) fn generated(random: &mut Random) -> Self {
        // An engine that lacks an interpolation, or morph targets, gets the cases without.
        let (kind, has_targets) = (random.below(4), random.below(4) > 0);
        let mut nodes = Vec::new();
        let mut node = |name: &str, parent: Option<usize>, random: &mut Random| {
            nodes.push(Node {
                name: name.to_owned(),
                parent: parent.map(NodeId::from_index),
                rest: LocalTransform::Trs(transform(random)),
            });
        };
        for index in 0..TREE {
            let parent = match index {
                0 => None,
                1..4 => Some(index - 1),
                _ => Some(random.below(index)),
            };
            node(&format!("joint {index}"), parent, random);
        }
        node("joint apart", Some(0), random);
        node("body", None, random);
        node("cloth", Some(1 + random.below(TREE - 1)), random);
        node("prop", Some(1 + random.below(TREE - 1)), random);
        let [body, cloth, prop] = [1, 2, 3].map(|index| NodeId::from_index(TREE + index));
        let channels: Vec<Channel> = (0..nodes.len())
            .map(|index| {
                let LocalTransform::Trs(rest) = nodes[index].rest else {
                    unreachable!("all nodes have parts");
                };
                Channel {
                    translation: often(random, |random| {
                        track(random, kind, Random::vector, Random::vector)
                    }),
                    rotation: often(random, |random| {
                        track(random, kind, Random::rotation, tangent)
                    }),
                    scale: often(random, |random| {
                        track(
                            random,
                            kind,
                            |random| sized(rest.scale, random),
                            Random::vector,
                        )
                    }),
                    ..Channel::of(NodeId::from_index(index))
                }
            })
            .collect();
        let skeleton = Skeleton::new(nodes).expect("each parent is before its child");
        let skin = skin(&skeleton, random);
        let most = [4, 8][random.below(2)];
        let mut with_targets = mesh("cloth", skin.joints.len(), 4, random);
        let targets = if has_targets { 2 } else { 0 };
        with_targets.morph_targets = (0..targets).map(|_| target(VERTICES, random)).collect();
        let weights = |random: &mut Random| vec![random.signed(), random.signed()];
        let rig = Asset {
            meshes: vec![
                mesh("body", skin.joints.len(), most, random),
                with_targets,
                Mesh {
                    influences: Influences::default(),
                    ..mesh("prop", 1, 1, random)
                },
            ],
            skins: vec![skin],
            instances: vec![
                MeshInstance::skinned(body, MeshId(0), SkinId(0)),
                MeshInstance {
                    morph_weights: [0.25, 0.5][..targets].to_vec(),
                    ..MeshInstance::skinned(cloth, MeshId(1), SkinId(0))
                },
                MeshInstance::rigid(prop, MeshId(2)),
            ],
            clips: vec![Clip {
                channels,
                morph_channels: Vec::from_iter(has_targets.then(|| MorphChannel {
                    node: cloth,
                    weights: track(random, kind, weights, weights),
                })),
                ..Clip::new("clip", Seconds(4.0))
            }],
            ..Asset::of(skeleton)
        };
        let times = (0..TIMES)
            .map(|_| random_time(random, -0.25, 3.5))
            .collect();
        Self { rig, times }
    }

    /// Some vertices of some meshes of a model, with their joints and the nodes above them, in a part of one of its
    /// clips, and the clip's number. `None` for data that glTF cannot represent.
    pub(super) fn of(asset: &Asset, random: &mut Random) -> Option<(Self, usize)> {
        if asset.clips.is_empty() {
            return None;
        }
        let index = random.below(asset.clips.len());
        let clip = &asset.clips[index];
        let start = clip.start.0 + random.unit() * (clip.duration().0 - WINDOW).max(0.0);
        let end = (start + WINDOW).min(clip.start.0 + clip.duration().0);
        let times: Vec<f64> = (0..TIMES)
            .map(|_| random_time(random, start, end - start))
            .collect();
        let parts: Vec<Part<'_>> = Part::of(asset, random);
        let mut kept: BTreeSet<NodeId> = parts.iter().flat_map(|part| part.nodes(asset)).collect();
        if !clip.channels.is_empty() {
            kept.insert(clip.channels[random.below(clip.channels.len())].node);
        }
        for node in kept.clone() {
            let mut above = asset.skeleton.get(node)?.parent;
            while let Some(parent) = above {
                kept.insert(parent);
                above = asset.skeleton.get(parent)?.parent;
            }
        }
        let kept: Vec<NodeId> = kept.into_iter().collect();
        let renumbered = |node: NodeId| kept.binary_search(&node).ok().map(NodeId::from_index);
        let (mut nodes, mut channels) = (Vec::new(), Vec::new());
        for (number, id) in kept.iter().enumerate() {
            let node = &asset.skeleton[*id];
            let mut own = clip.channels.iter().filter(|channel| channel.node == *id);
            let channel = own.next();
            if own.next().is_some() || channel.is_some_and(|channel| !is_usable(channel)) {
                return None;
            }
            nodes.push(Node {
                name: format!("node {number}"),
                parent: node.parent.and_then(renumbered),
                rest: rest(&node.rest, channel.is_some())?,
            });
            channels.extend(channel.map(|channel| {
                Channel {
                    translation: channel
                        .translation
                        .as_ref()
                        .map(|track| around(track, &times)),
                    rotation: channel.rotation.as_ref().map(|track| around(track, &times)),
                    scale: channel.scale.as_ref().map(|track| around(track, &times)),
                    ..Channel::of(NodeId::from_index(number))
                }
            }));
        }
        let mut rig = Asset::of(Skeleton::new(nodes).ok()?);
        let mut cut = Clip {
            channels,
            ..Clip::new("clip", Seconds(end.max(0.0)))
        };
        for part in &parts {
            part.add(asset, &mut rig, renumbered)?;
            let driven = clip
                .morph_channels
                .iter()
                .find(|channel| channel.node == part.instance.node);
            if let Some(channel) = driven.filter(|_| !part.mesh.morph_targets.is_empty()) {
                let count = part.mesh.morph_targets.len();
                let whole = |key: &Key<Vec<f32>>| {
                    key.value.len() == count && key.value.iter().all(|weight| weight.is_finite())
                };
                if !channel.weights.keys.iter().all(whole) {
                    return None;
                }
                cut.morph_channels.push(MorphChannel {
                    node: renumbered(channel.node)?,
                    weights: around(&channel.weights, &times),
                });
            }
        }
        rig.clips = vec![cut];
        Some((Self { rig, times }, index))
    }
}

/// Some vertices of a mesh of a model.
struct Part<'a> {
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
    vertices: Vec<usize>,
}

impl<'a> Part<'a> {
    /// In the order of their nodes, one per node.
    fn of(asset: &'a Asset, random: &mut Random) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for _ in 0..MOST_MESHES.min(asset.instances.len()) {
            let instance = &asset.instances[random.below(asset.instances.len())];
            let mesh = asset.mesh_of(instance);
            let is_known = parts.iter().any(|part| part.instance.node == instance.node);
            if is_known || mesh.positions.is_empty() {
                continue;
            }
            let vertices = (0..VERTICES).map(|_| random.below(mesh.positions.len()));
            let is_weighted = |vertex: &usize| {
                let influences = mesh.influences.of(*vertex);
                instance.skin.is_none() || !reference::normalize(influences).is_empty()
            };
            let vertices: Vec<usize> = vertices.filter(is_weighted).collect();
            if !vertices.is_empty() {
                parts.push(Self {
                    instance,
                    mesh,
                    vertices,
                });
            }
        }
        parts.sort_by_key(|part| part.instance.node);
        parts
    }

    /// The joints that its vertices use, by slot.
    fn slots(&self) -> BTreeSet<SkinSlot> {
        let lists = self
            .vertices
            .iter()
            .map(|vertex| self.mesh.influences.of(*vertex));
        match self.instance.skin {
            Some(_) => lists.flatten().map(|influence| influence.slot).collect(),
            None => BTreeSet::new(),
        }
    }

    fn nodes(&self, asset: &Asset) -> Vec<NodeId> {
        let joints = self.instance.skin.map(|skin| &asset[skin].joints);
        let joints = joints.into_iter().flat_map(|joints| {
            let slots = self.slots().into_iter();
            slots.map(|slot| joints[slot.index()])
        });
        joints.chain([self.instance.node]).collect()
    }

    /// Adds its mesh, with a skin of the joints that it uses. `None` if a number is not finite.
    fn add(
        &self,
        asset: &Asset,
        rig: &mut Asset,
        renumbered: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Option<()> {
        let slots: Vec<SkinSlot> = self.slots().into_iter().collect();
        let picked = |list: &[Vec3]| -> Vec<Vec3> {
            let at = |vertex: &usize| list.get(*vertex).copied().unwrap_or_default();
            self.vertices.iter().map(at).collect()
        };
        #[expect(clippy::cast_possible_truncation, reason = "weights are in f32")]
        let influences = |vertex: &usize| -> Vec<Influence> {
            let shares = reference::normalize(self.mesh.influences.of(*vertex)).into_iter();
            let influence = |(slot, share): (SkinSlot, f64)| {
                let slot = slots.partition_point(|other| *other < slot);
                Influence::new(SkinSlot::from_index(slot), share as f32)
            };
            shares.map(influence).collect()
        };
        let name = format!("mesh {}", rig.meshes.len());
        let targets = self.mesh.morph_targets.iter().map(|target| MorphTarget {
            name: target.name.clone(),
            positions: picked(&target.positions),
            ..MorphTarget::default()
        });
        let mut mesh = whole_mesh(&name, picked(&self.mesh.positions));
        mesh.morph_targets = targets.collect();
        if self.instance.skin.is_some() {
            mesh.influences = Influences::from_vertices(self.vertices.iter().map(influences));
        }
        let skin = match self.instance.skin {
            None => None,
            Some(id) => {
                let skin = &asset[id];
                let joints = slots
                    .iter()
                    .map(|slot| renumbered(skin.joints[slot.index()]));
                let binds = slots
                    .iter()
                    .map(|slot| skin.inverse_bind_matrices[slot.index()]);
                rig.skins.push(Skin {
                    name: "skin".to_owned(),
                    joints: joints.collect::<Option<_>>()?,
                    inverse_bind_matrices: binds.collect(),
                });
                Some(SkinId::from_index(rig.skins.len() - 1))
            }
        };
        let targets = mesh
            .morph_targets
            .iter()
            .flat_map(|target| &target.positions);
        let mut points = mesh.positions.iter().chain(targets);
        let mut binds = rig
            .skins
            .iter()
            .flat_map(|skin| &skin.inverse_bind_matrices);
        let is_finite = points.all(|point| point.is_finite())
            && binds.all(Mat4::is_finite)
            && self
                .instance
                .morph_weights
                .iter()
                .all(|weight| weight.is_finite());
        rig.meshes.push(mesh);
        rig.instances.push(MeshInstance {
            node: renumbered(self.instance.node)?,
            mesh: MeshId::from_index(rig.meshes.len() - 1),
            skin,
            morph_weights: self.instance.morph_weights.clone(),
        });
        is_finite.then_some(())
    }
}

/// A skin of all nodes of the tree but its root, and of the joint apart, in any order.
fn skin(skeleton: &Skeleton, random: &mut Random) -> Skin {
    let mut worlds: Vec<DMat4> = Vec::new();
    for (_, node) in skeleton.iter() {
        let local = node.rest.to_matrix().as_dmat4();
        worlds.push(
            node.parent
                .map_or(local, |parent| worlds[parent.index()] * local),
        );
    }
    let mut joints: Vec<NodeId> = (1..=TREE).map(NodeId::from_index).collect();
    for index in (1..joints.len()).rev() {
        joints.swap(index, random.below(index + 1));
    }
    let bind = |joint: &NodeId| worlds[joint.index()].inverse().as_mat4();
    Skin {
        name: "skin".to_owned(),
        inverse_bind_matrices: joints.iter().map(bind).collect(),
        joints,
    }
}

/// A mesh whose vertices have 1 to `most` influences, none of the last joint.
pub(super) fn mesh(name: &str, joints: usize, most: usize, random: &mut Random) -> Mesh {
    let lists = (0..VERTICES).map(|vertex| {
        // One vertex has all that it may have.
        let count = if vertex == 0 {
            most
        } else {
            1 + random.below(most)
        };
        let first = random.below(joints);
        let weights: Vec<f64> = (0..count).map(|_| 0.125 + random.unit()).collect();
        let sum: f64 = weights.iter().sum();
        #[expect(clippy::cast_possible_truncation, reason = "weights are in f32")]
        let influence = |(index, weight): (usize, &f64)| {
            let slot = (first + index) % (joints - 1).max(1);
            Influence::new(SkinSlot::from_index(slot), (weight / sum) as f32)
        };
        weights
            .iter()
            .enumerate()
            .map(influence)
            .collect::<Vec<_>>()
    });
    let influences = Influences::from_vertices(lists.collect::<Vec<_>>());
    Mesh {
        influences,
        ..whole_mesh(name, (0..VERTICES).map(|_| random.vector()).collect())
    }
}

/// A mesh of vertices, each with a triangle of its own: readers drop vertices without one.
fn whole_mesh(name: &str, positions: Vec<Vec3>) -> Mesh {
    Mesh {
        name: name.to_owned(),
        normals: vec![Vec3::Z; positions.len()],
        triangles: (0_u32..)
            .take(positions.len())
            .map(|vertex| [vertex; 3])
            .collect(),
        positions,
        ..Mesh::default()
    }
}

fn target(vertices: usize, random: &mut Random) -> MorphTarget {
    MorphTarget {
        name: "target".to_owned(),
        positions: (0..vertices).map(|_| random.vector()).collect(),
        ..MorphTarget::default()
    }
}

/// A transform whose axes have different scales, one in eight mirrored.
pub(super) fn transform(random: &mut Random) -> Trs {
    let mirrored = |random: &mut Random| if random.below(8) == 0 { -1.0 } else { 1.0 };
    let signs = Vec3::new(mirrored(random), mirrored(random), mirrored(random));
    Trs {
        translation: random.vector(),
        rotation: random.rotation(),
        scale: sized(signs, random),
    }
}

/// A scale with the signs of another.
fn sized(like: Vec3, random: &mut Random) -> Vec3 {
    (Vec3::ONE + 0.5 * random.vector()) * like.signum()
}

/// A derivative of a rotation.
pub(super) fn tangent(random: &mut Random) -> Quat {
    let [x, y, z, w] = [(); 4].map(|()| random.signed());
    Quat::from_xyzw(x, y, z, w)
}

/// Three times out of four.
fn often<T>(random: &mut Random, make: impl FnOnce(&mut Random) -> T) -> Option<T> {
    (random.below(4) > 0).then(|| make(random))
}

/// A track of 1 to 4 keys, at times that f32 represents.
///
/// * `kind` – 0: step, 1: linear, 2: cubic, else any.
pub(super) fn track<T>(
    random: &mut Random,
    kind: usize,
    value: impl Fn(&mut Random) -> T,
    tangent: impl Fn(&mut Random) -> T,
) -> Track<T> {
    let kind = if kind < 3 { kind } else { random.below(3) };
    let count = 1 + random.below(4);
    let mut sixty_fourths = random.below(32);
    let mut keys = Vec::new();
    for _ in 0..count {
        let span = match kind {
            0 => Span::Step,
            1 => Span::Linear,
            _ => Span::Cubic {
                leave: tangent(random),
                arrive: tangent(random),
            },
        };
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let time = Seconds(sixty_fourths as f64 / 64.0);
        keys.push(Key {
            time,
            value: value(random),
            span,
        });
        sixty_fourths += 8 + random.below(48);
    }
    Track { keys }
}

/// The keys of a track around times.
fn around<T: Clone>(track: &Track<T>, times: &[f64]) -> Track<T> {
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let keys = &track.keys;
    let start = keys.partition_point(|key| key.time.0 <= first);
    let end = keys.partition_point(|key| key.time.0 <= last);
    let kept = start.saturating_sub(1)..(end + 1).min(keys.len());
    in_f32(&Track {
        keys: keys[kept].to_vec(),
    })
}

/// The track with key times that glTF can hold.
pub(super) fn in_f32<T: Clone>(track: &Track<T>) -> Track<T> {
    let mut track = track.clone();
    for key in &mut track.keys {
        key.time = Seconds(rounded(key.time.0));
    }
    track
}

/// A time that f32 represents.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
pub(super) fn rounded(time: f64) -> f64 {
    f64::from(time as f32)
}

/// A rest transform that glTF can represent. `None` if it is not finite.
fn rest(rest: &LocalTransform, is_driven: bool) -> Option<LocalTransform> {
    let rest = match rest {
        LocalTransform::Matrix(matrix) if !is_driven => LocalTransform::Matrix(*matrix),
        rest => {
            let trs = rest.to_trs();
            let rotation = unit(trs.rotation.as_dquat()).as_quat();
            LocalTransform::Trs(Trs { rotation, ..trs })
        }
    };
    rest.to_matrix().is_finite().then_some(rest)
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

/// A random time that f32 represents.
fn random_time(random: &mut Random, start: f64, seconds: f64) -> f64 {
    rounded(start + random.unit() * seconds)
}
