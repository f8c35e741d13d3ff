//! What the poses of a check moved.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Mat4;
use serde::{Deserialize, Serialize};

use crate::analysis::deformation::rest;
use crate::analysis::joints;
use crate::analysis::motion::Source;
use crate::core::context::Context;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, InstanceId, MeshInstance, NodeId};

/// What a check looked at: the poses, and what of the model they moved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The joints that vertices follow.
    pub joints: Share,
    /// The vertices of all meshes.
    pub vertices: Share,
    /// The clips, in the file's order.
    pub clips: Vec<CheckedClip>,
    /// The number of poses of the range of motion.
    pub range_of_motion: usize,
    /// Whether the model has something that can move: a skin, weights, a clip, or a morph target.
    pub is_rig: bool,
}

/// A number of things, and how many of them some pose moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Share {
    /// All of them.
    pub all: usize,
    /// Those in another position than at rest in some pose.
    pub moved: usize,
}

/// A clip, and how it was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckedClip {
    /// Its name.
    pub name: String,
    /// The number of poses.
    pub poses: usize,
    /// Whether some pose moves a vertex from where it is at rest, or shows or hides a mesh.
    pub moves: bool,
}

impl Coverage {
    /// The number of poses of all clips.
    #[must_use]
    pub fn clip_poses(&self) -> usize {
        self.clips.iter().map(|clip| clip.poses).sum()
    }
}

/// A joint that moves nothing by more than this is still, in diagonals of the model: 0.2 mm on a person. Rotations in 16 bits,
/// along a chain of joints, are off by half of it.
const STILL: f64 = 1e-4;

/// The distance from a joint at which its rotation is measured, in diagonals: half the length of a lower arm or leg.
const LEVER: f64 = 0.1;

/// Records what poses move, from several threads. What is recorded does not depend on their order.
pub(crate) struct Motion<'a> {
    asset: &'a Asset,
    rest: ModelPose,
    /// The diagonal of the model at rest.
    size: f64,
    /// The nodes that vertices follow, by weights or as the nodes of their mesh.
    carriers: Vec<NodeId>,
    /// For each node whether it moved.
    nodes: Vec<AtomicBool>,
    /// For each instance and morph target whether its weight changed.
    targets: Vec<Vec<AtomicBool>>,
    /// For each clip whether it moved anything.
    clips: Vec<AtomicBool>,
}

impl<'a> Motion<'a> {
    /// Nothing is recorded yet.
    pub(crate) fn of(cx: &Context<'a>) -> Self {
        let asset = cx.asset;
        let mut carries = joints::followed(asset);
        for instance in asset.instances.iter().filter(|own| own.skin.is_none()) {
            carries[instance.node.index()] = true;
        }
        let flags = |count: usize| (0..count).map(|_| AtomicBool::new(false)).collect();
        let targets = |instance: &MeshInstance| flags(asset.mesh_of(instance).morph_targets.len());
        Self {
            asset,
            rest: pose::model_pose(asset, &pose::rest(asset)),
            size: rest(cx).map_or(0.0, |rest| rest.size),
            carriers: joints::nodes(asset)
                .filter(|node| carries[node.index()])
                .collect(),
            nodes: flags(asset.skeleton.len()),
            targets: asset.instances.iter().map(targets).collect(),
            clips: flags(asset.clips.len()),
        }
    }

    /// Records what a pose moves.
    pub(crate) fn record(&self, source: Source, pose: &ModelPose) {
        let mut moves = pose.visibility != self.rest.visibility;
        for node in &self.carriers {
            let index = node.index();
            if is_moved([&self.rest.nodes[index], &pose.nodes[index]], self.size) {
                moves = true;
                self.nodes[index].store(true, Ordering::Relaxed);
            }
        }
        let weights = self.rest.morph_weights.iter().zip(&pose.morph_weights);
        for ((rest, posed), targets) in weights.zip(&self.targets) {
            for ((rest, posed), target) in rest.iter().zip(posed).zip(targets) {
                if rest.to_bits() != posed.to_bits() {
                    moves = true;
                    target.store(true, Ordering::Relaxed);
                }
            }
        }
        if let (Source::Clip(clip, _), true) = (source, moves) {
            self.clips[clip.index()].store(true, Ordering::Relaxed);
        }
    }

    /// The result.
    ///
    /// * `poses` – the sources of all poses that were recorded.
    pub(crate) fn coverage(&self, poses: &[Source]) -> Coverage {
        let asset = self.asset;
        let mut poses_of_clips = vec![0; asset.clips.len()];
        let mut range_of_motion = 0;
        for source in poses {
            match source {
                Source::Clip(clip, _) => poses_of_clips[clip.index()] += 1,
                Source::Range(_) => range_of_motion += 1,
            }
        }
        let clips = asset.clips.iter().zip(poses_of_clips).zip(&self.clips);
        let followed = joints::followed(asset);
        let mut joints = Share::default();
        for node in joints::nodes(asset).filter(|node| followed[node.index()]) {
            joints.all += 1;
            joints.moved += usize::from(has_moved(&self.nodes, node));
        }
        let mut vertices = Share::default();
        for (index, instance) in asset.instances.iter().enumerate() {
            vertices.all += asset.mesh_of(instance).positions.len();
            vertices.moved += self.moved_vertices(InstanceId::from_index(index));
        }
        Coverage {
            joints,
            vertices,
            clips: clips
                .map(|((clip, poses), moves)| CheckedClip {
                    name: clip.name.clone(),
                    poses,
                    moves: moves.load(Ordering::Relaxed),
                })
                .collect(),
            range_of_motion,
            is_rig: is_rig(asset),
        }
    }

    /// The number of vertices of an instance that a node or a morph target moved.
    fn moved_vertices(&self, id: InstanceId) -> usize {
        let instance = &self.asset[id];
        let mesh = self.asset.mesh_of(instance);
        let targets = mesh.morph_targets.iter().zip(&self.targets[id.index()]);
        let changed = targets.filter(|(_, changed)| changed.load(Ordering::Relaxed));
        let changed: Vec<_> = changed.map(|(target, _)| target).collect();
        let is_morphed = |vertex: usize| {
            let mut offsets = changed.iter().filter_map(|own| own.positions.get(vertex));
            offsets.any(|offset| offset.length_squared() > 0.0)
        };
        let count = mesh.positions.len();
        let Some(skin) = self.asset.skin_of(instance) else {
            return if has_moved(&self.nodes, instance.node) {
                count
            } else {
                (0..count).filter(|vertex| is_morphed(*vertex)).count()
            };
        };
        let slots = skin.joints.iter();
        let slots: Vec<bool> = slots.map(|node| has_moved(&self.nodes, *node)).collect();
        let is_moved = |vertex: &usize| {
            let mut influences = mesh.influences.of(*vertex).iter();
            let follows = influences.any(|own| own.weight != 0.0 && slots[own.slot.index()]);
            follows || is_morphed(*vertex)
        };
        (0..count).filter(is_moved).count()
    }
}

fn has_moved(nodes: &[AtomicBool], node: NodeId) -> bool {
    nodes[node.index()].load(Ordering::Relaxed)
}

/// Whether a node is elsewhere, or rotated, or scaled. A transform that is not finite counts as moved.
fn is_moved([before, after]: [&Mat4; 2], size: f64) -> bool {
    if before == after {
        return false;
    }
    let distance = (after.w_axis - before.w_axis)
        .truncate()
        .as_dvec3()
        .length();
    let axes = [
        (before.x_axis, after.x_axis),
        (before.y_axis, after.y_axis),
        (before.z_axis, after.z_axis),
    ];
    let rotated = axes.map(|(before, after)| {
        let [before, after] = [before, after].map(|axis| axis.truncate().as_dvec3());
        let length = before.length().max(after.length());
        if length > 0.0 {
            (after - before).length() / length
        } else {
            0.0
        }
    });
    let rotated = rotated.into_iter().fold(0.0, f64::max);
    // Negated, so that NaN is moved.
    !(distance <= STILL * size && rotated * LEVER <= STILL)
}

/// Whether anything in a model can move.
fn is_rig(asset: &Asset) -> bool {
    let has_tracks = asset
        .clips
        .iter()
        .any(|clip| clip.tracks().next().is_some());
    let can_deform = |instance: &MeshInstance| {
        let mesh = asset.mesh_of(instance);
        !mesh.influences.is_empty() || !mesh.morph_targets.is_empty()
    };
    has_tracks || !asset.skins.is_empty() || asset.instances.iter().any(can_deform)
}
