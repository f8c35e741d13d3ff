//! The body parts of a figure in its bind pose, and where they point.

use std::collections::BTreeMap;

use glam::{DVec3, Mat4};

use super::names::{self, Part};
use crate::pose;
use crate::rig::{Asset, NodeId};

/// The nodes of a model, and the body parts that their names mean.
pub(super) struct Figure<'a> {
    asset: &'a Asset,
    /// In the bind pose, by node.
    positions: Vec<DVec3>,
    /// For each skin, from its mesh in the bind pose to world space.
    world_from_bind: Vec<Mat4>,
    parts: Vec<Option<Part>>,
    /// The foot and the head that contains each node.
    feet: Vec<Option<usize>>,
    heads: Vec<Option<usize>>,
    up: DVec3,
}

impl<'a> Figure<'a> {
    pub(super) fn new(asset: &'a Asset) -> Self {
        let nodes = asset.skeleton.nodes();
        let bound = asset.bound_joints();
        // Controls and helpers that no skin binds are often elsewhere; without a skin, all count.
        let any_bound = bound.contains(&true);
        let part = |(index, bound): (usize, &bool)| {
            let name = &nodes[index].name;
            (*bound || !any_bound || names::is_end(name))
                .then(|| names::part_of(name))
                .flatten()
        };
        let parts: Vec<Option<Part>> = bound.iter().enumerate().map(part).collect();
        let (nodes, world_from_bind) = bind_pose(asset);
        let position = |node: &Mat4| node.w_axis.truncate().as_dvec3();
        Self {
            asset,
            positions: nodes.iter().map(position).collect(),
            world_from_bind,
            feet: topmost(asset, &parts, Part::Foot),
            heads: topmost(asset, &parts, Part::Head),
            parts,
            up: asset.space.up.unit(),
        }
    }

    fn of_part(&self, part: Part) -> impl Iterator<Item = usize> + '_ {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(move |(index, own)| (*own == Some(part)).then_some(index))
    }

    /// The sum of `directions`, without its height, if its length is at least `share` of the sum of theirs.
    fn common(&self, directions: &[DVec3], share: f64) -> Option<DVec3> {
        let level = |direction: DVec3| direction - self.up * self.up.dot(direction);
        let sum = level(directions.iter().sum());
        let length: f64 = directions.iter().map(|direction| direction.length()).sum();
        (length > 0.0 && sum.length() >= share * length).then_some(sum)
    }

    /// As [`common`](Self::common), for feet, of which one that is lifted may point anywhere.
    fn common_of_feet(&self, directions: &[DVec3], share: f64) -> Option<DVec3> {
        let sum = self.common(directions, share)?;
        let agree = directions.iter().all(|direction| direction.dot(sum) > 0.0);
        agree.then_some(sum)
    }

    /// From each ankle to its toes, or to the end of the foot's bone if it has no toes.
    pub(super) fn toes(&self) -> Option<DVec3> {
        let mut directions = Vec::new();
        let nodes = self.asset.skeleton.nodes();
        for (node, foot) in self.feet.iter().enumerate() {
            let Some(foot) = foot.filter(|foot| *foot != node) else {
                continue;
            };
            let is_below_foot = nodes[node].parent.map(NodeId::index) == Some(foot);
            let ends_foot = is_below_foot && names::is_end(&nodes[node].name);
            if self.parts[node] == Some(Part::Toe) || ends_foot {
                directions.push(self.positions[node] - self.positions[foot]);
            }
        }
        self.common_of_feet(&directions, 0.35)
    }

    /// From the ankles to the middle of the vertices that mostly follow them or joints below them.
    pub(super) fn feet(&self) -> Option<DVec3> {
        let mut directions = Vec::new();
        for (foot, (low, high)) in self.soles() {
            let reach = (low + high) / 2.0 - self.positions[foot];
            let level = reach - self.up * self.up.dot(reach);
            // A foot reaches farther to the front than to the back, by a good part of its length.
            if level.length() > 0.12 * (high - low).length() {
                directions.push(level);
            }
        }
        self.common_of_feet(&directions, 0.6)
    }

    /// The box around the vertices of each foot: those whose largest influence is the foot or a node below it.
    fn soles(&self) -> BTreeMap<usize, (DVec3, DVec3)> {
        let mut soles = BTreeMap::new();
        let nodes = self.asset.skeleton.nodes();
        // A control carries a foot by the point about which it turns, which may be the toes or the heel.
        let is_carried = |foot: usize| {
            let parent = nodes[foot].parent.map(|parent| &nodes[parent.index()]);
            parent.is_some_and(|parent| names::is_control(&parent.name))
        };
        for instance in &self.asset.instances {
            let (Some(id), Some(skin)) = (instance.skin, self.asset.skin_of(instance)) else {
                continue;
            };
            let world_from_bind = self.world_from_bind[id.index()];
            let mesh = self.asset.mesh_of(instance);
            for (position, influences) in mesh.positions.iter().zip(mesh.influences.iter()) {
                let largest = influences
                    .iter()
                    .max_by(|a, b| a.weight.total_cmp(&b.weight));
                let joint = largest.and_then(|influence| skin.joints.get(influence.slot.index()));
                let foot = joint.and_then(|joint| self.feet[joint.index()]);
                let Some(foot) = foot.filter(|foot| !is_carried(*foot)) else {
                    continue;
                };
                let point = world_from_bind.transform_point3(*position).as_dvec3();
                let (low, high) = soles.entry(foot).or_insert((point, point));
                (*low, *high) = (low.min(point), high.max(point));
            }
        }
        soles
    }

    /// From the head's joint, which is at the neck, to the parts of the face.
    pub(super) fn face(&self) -> Option<DVec3> {
        let parts = self.of_part(Part::Face);
        let directions: Vec<DVec3> = parts
            .filter_map(|node| Some(self.positions[node] - self.positions[self.heads[node]?]))
            .collect();
        self.common(&directions, 0.25)
    }

    /// From the root of the tail, or from the pelvis, to the head, if the head is more ahead than above.
    pub(super) fn head(&self) -> Option<DVec3> {
        let head = self.of_part(Part::Head).next()?;
        let tail = self.of_part(Part::Tail).next();
        let back = tail.or_else(|| self.of_part(Part::Pelvis).next())?;
        self.common(&[self.positions[head] - self.positions[back]], 0.8)
    }

    /// Left of the body is up × front, so its front is left × up.
    pub(super) fn sides(&self) -> Option<DVec3> {
        let nodes = self.asset.skeleton.nodes();
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let pairs = names::pairs(&names).into_iter();
        let directions: Vec<DVec3> = pairs
            .filter(|pair| pair.iter().all(|node| self.parts[*node].is_some()))
            .map(|[left, right]| self.positions[left] - self.positions[right])
            .collect();
        Some(self.common(&directions, 0.7)?.cross(self.up))
    }

    /// The lowest joint above the feet, else above the legs of both sides, else above most joints, and not a root that stands
    /// still.
    pub(super) fn trunk(&self) -> Option<NodeId> {
        let nodes = self.asset.skeleton.nodes();
        let feet: Vec<bool> = (0..nodes.len())
            .map(|node| self.feet[node] == Some(node))
            .collect();
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let mut legs = vec![false; nodes.len()];
        for node in names::pairs(&names).into_iter().flatten() {
            legs[node] = self.parts[node].is_some() && names::is_leg(names[node]);
        }
        // A single foot carries all feet.
        let above_feet = lowest_above(self.asset, &feet).filter(|node| !feet[*node]);
        let trunk = above_feet
            .or_else(|| lowest_above(self.asset, &legs))
            .or_else(|| lowest_above(self.asset, &self.asset.bound_joints()));
        trunk.map(NodeId::from_index)
    }
}

/// All nodes in the bind pose in world space, and for each skin the matrix from its mesh to that space.
///
/// A rest pose may be any frame of a clip, in which feet and head point anywhere. A skin stands in world space as its
/// joint with the most joints below it does at rest: the hips. Nodes that no skin binds keep their rest transforms
/// relative to their parents.
pub(super) fn bind_pose(asset: &Asset) -> (Vec<Mat4>, Vec<Mat4>) {
    let rest = pose::model_pose(asset, &pose::rest(asset));
    // Of each node, how many it carries with itself.
    let mut below = vec![1_usize; asset.skeleton.len()];
    for (index, node) in asset.skeleton.nodes().iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            below[parent.index()] += below[index];
        }
    }
    let mut bound: Vec<Option<Mat4>> = vec![None; asset.skeleton.len()];
    let mut world_from_bind = Vec::with_capacity(asset.skins.len());
    for skin in &asset.skins {
        let binds = skin.joints.iter().zip(&skin.inverse_bind_matrices);
        let trunk = binds.clone().max_by_key(|(joint, _)| below[joint.index()]);
        let world = trunk.map_or(Mat4::IDENTITY, |(joint, inverse)| rest[*joint] * *inverse);
        for (joint, inverse) in binds {
            let node = world * inverse.as_dmat4().inverse().as_mat4();
            if node.is_finite() {
                bound[joint.index()].get_or_insert(node);
            }
        }
        world_from_bind.push(world);
    }
    let mut nodes: Vec<Mat4> = Vec::with_capacity(bound.len());
    for (node, bound) in asset.skeleton.nodes().iter().zip(bound) {
        let parent = node
            .parent
            .map_or(Mat4::IDENTITY, |parent| nodes[parent.index()]);
        nodes.push(bound.unwrap_or_else(|| parent * node.rest.to_matrix()));
    }
    (nodes, world_from_bind)
}

/// The lowest joint that carries more than half of the nodes that are `counted`, with itself.
fn lowest_above(asset: &Asset, counted: &[bool]) -> Option<usize> {
    let bound = asset.bound_joints();
    let mut carried: Vec<usize> = counted.iter().map(|own| usize::from(*own)).collect();
    let total: usize = carried.iter().sum();
    for (index, node) in asset.skeleton.nodes().iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            carried[parent.index()] += carried[index];
        }
    }
    // Each is below the one before.
    (0..bound.len()).rfind(|node| bound[*node] && 2 * carried[*node] > total)
}

/// For each node, the node at or above it that `part` names, the highest of a chain of them.
fn topmost(asset: &Asset, parts: &[Option<Part>], part: Part) -> Vec<Option<usize>> {
    let mut top: Vec<Option<usize>> = Vec::with_capacity(parts.len());
    for (node, own) in asset.skeleton.nodes().iter().zip(parts) {
        let above = node.parent.and_then(|parent| top[parent.index()]);
        let index = top.len();
        top.push(above.or((*own == Some(part)).then_some(index)));
    }
    top
}
