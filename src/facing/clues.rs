//! Directions of single clues, in world space at rest.

use std::collections::BTreeMap;

use glam::{DVec3, Mat4};

use super::Clue;
use super::names::{self, Part};
use crate::pose::ModelPose;
use crate::rig::{Asset, NodeId};

/// The nodes of a model at rest, and the body parts that their names mean.
pub(super) struct Joints<'a> {
    asset: &'a Asset,
    pose: &'a ModelPose,
    positions: Vec<DVec3>,
    parts: Vec<Option<Part>>,
    parents: Vec<Option<usize>>,
    /// The foot and the head that contains each node.
    feet: Vec<Option<usize>>,
    heads: Vec<Option<usize>>,
    up: DVec3,
}

/// The sum of directions of one kind.
#[derive(Default)]
struct Sum {
    total: DVec3,
    length: f64,
}

impl Sum {
    fn add(&mut self, direction: DVec3) {
        if direction.is_finite() {
            self.total += direction;
            self.length += direction.length();
        }
    }

    /// The sum, if the directions agree: if its level part is at least `share` of the sum of their lengths.
    fn agreed(&self, up: DVec3, share: f64) -> Option<DVec3> {
        let level = self.total - up * up.dot(self.total);
        (self.length > 0.0 && level.length() >= share * self.length).then_some(level)
    }
}

impl<'a> Joints<'a> {
    pub(super) fn new(asset: &'a Asset, pose: &'a ModelPose) -> Self {
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
        let position = |world: &Mat4| world.w_axis.truncate().as_dvec3();
        let parts: Vec<Option<Part>> = bound.iter().enumerate().map(part).collect();
        let parents: Vec<Option<usize>> = nodes
            .iter()
            .map(|node| node.parent.map(NodeId::index))
            .collect();
        Self {
            asset,
            pose,
            positions: pose.nodes.iter().map(position).collect(),
            feet: topmost(&parts, &parents, Part::Foot),
            heads: topmost(&parts, &parents, Part::Head),
            parts,
            parents,
            up: asset.space.up.unit(),
        }
    }

    /// All clues of the rig, the strongest first.
    pub(super) fn clues(&self) -> Vec<(Clue, DVec3)> {
        let clues = [
            (Clue::Toes, self.toes()),
            (Clue::Face, self.face()),
            (Clue::Head, self.head()),
            (Clue::Feet, self.feet()),
            (Clue::Sides, self.sides()),
            (Clue::Knees, self.knees()),
        ];
        let seen = clues
            .into_iter()
            .filter_map(|(clue, direction)| Some((clue, direction?)));
        seen.collect()
    }

    fn of_part(&self, part: Part) -> impl Iterator<Item = usize> + '_ {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(move |(index, own)| (*own == Some(part)).then_some(index))
    }

    /// From each ankle to its toes, or to the end of the foot's bone if it has no toes.
    fn toes(&self) -> Option<DVec3> {
        let mut sum = Sum::default();
        let nodes = self.asset.skeleton.nodes();
        for (node, foot) in self.feet.iter().enumerate() {
            let Some(foot) = foot.filter(|foot| *foot != node) else {
                continue;
            };
            let ends_foot = self.parents[node] == Some(foot) && names::is_end(&nodes[node].name);
            if self.parts[node] == Some(Part::Toe) || ends_foot {
                sum.add(self.positions[node] - self.positions[foot]);
            }
        }
        sum.agreed(self.up, 0.35)
    }

    /// From the head's joint, which is at the neck, to the parts of the face.
    fn face(&self) -> Option<DVec3> {
        let mut sum = Sum::default();
        for node in self.of_part(Part::Face) {
            if let Some(head) = self.heads[node] {
                sum.add(self.positions[node] - self.positions[head]);
            }
        }
        sum.agreed(self.up, 0.25)
    }

    /// From the root of the tail, or from the pelvis, to the head, if the head is more ahead than above.
    fn head(&self) -> Option<DVec3> {
        let head = self.of_part(Part::Head).next()?;
        let back = self
            .of_part(Part::Tail)
            .next()
            .or_else(|| self.of_part(Part::Pelvis).next())?;
        let mut sum = Sum::default();
        sum.add(self.positions[head] - self.positions[back]);
        sum.agreed(self.up, 0.8)
    }

    /// Left of the body is up × front, so its front is left × up.
    fn sides(&self) -> Option<DVec3> {
        let nodes = self.asset.skeleton.nodes();
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let mut sum = Sum::default();
        for [left, right] in names::pairs(&names) {
            if self.parts[left].is_some() && self.parts[right].is_some() {
                sum.add(self.positions[left] - self.positions[right]);
            }
        }
        Some(sum.agreed(self.up, 0.7)?.cross(self.up))
    }

    /// From the line between hip and ankle to the knee, if the knee is off that line by more than a hundredth of the leg.
    fn knees(&self) -> Option<DVec3> {
        let mut sum = Sum::default();
        for foot in self.of_part(Part::Foot) {
            let knee = self.parents[foot].filter(|knee| self.parts[*knee] == Some(Part::Limb));
            let Some((knee, hip)) = knee.and_then(|knee| Some((knee, self.parents[knee]?))) else {
                continue;
            };
            let [hip, knee, foot] = [hip, knee, foot].map(|node| self.positions[node]);
            let leg = foot - hip;
            let along = leg * ((knee - hip).dot(leg) / leg.length_squared());
            let bent = knee - hip - along;
            if bent.length() > 0.01 * leg.length() {
                sum.add(bent);
            }
        }
        sum.agreed(self.up, 0.6)
    }

    /// From the ankles to the middle of the vertices that mostly follow them or joints below them.
    fn feet(&self) -> Option<DVec3> {
        let mut sum = Sum::default();
        for (foot, (low, high)) in self.soles() {
            let reach = (low + high) / 2.0 - self.positions[foot];
            let level = reach - self.up * self.up.dot(reach);
            // A foot reaches farther to the front than to the back, by a good part of its length.
            if level.length() > 0.12 * (high - low).length() {
                sum.add(level);
            }
        }
        sum.agreed(self.up, 0.6)
    }

    /// The box around the vertices at rest of each foot: those whose largest influence is the foot or a node below it.
    fn soles(&self) -> BTreeMap<usize, (DVec3, DVec3)> {
        let mut soles = BTreeMap::new();
        for instance in &self.asset.instances {
            let Some(skin) = self.asset.skin_of(instance) else {
                continue;
            };
            let of_joint = |(joint, inverse): (&NodeId, &Mat4)| {
                let foot = self.feet[joint.index()]?;
                Some((foot, self.pose[*joint] * *inverse))
            };
            let binds = skin.joints.iter().zip(&skin.inverse_bind_matrices);
            let joints: Vec<Option<(usize, Mat4)>> = binds.map(of_joint).collect();
            if joints.iter().all(Option::is_none) {
                continue;
            }
            let mesh = self.asset.mesh_of(instance);
            for (position, influences) in mesh.positions.iter().zip(mesh.influences.iter()) {
                let largest = influences
                    .iter()
                    .max_by(|a, b| a.weight.total_cmp(&b.weight));
                let joint =
                    largest.and_then(|influence| joints.get(influence.slot.index())?.as_ref());
                let Some((foot, world_from_mesh)) = joint else {
                    continue;
                };
                let point = world_from_mesh.transform_point3(*position).as_dvec3();
                let (low, high) = soles.entry(*foot).or_insert((point, point));
                (*low, *high) = (low.min(point), high.max(point));
            }
        }
        soles
    }
}

/// For each node, the node at or above it that `part` names, the highest of a chain of them.
fn topmost(parts: &[Option<Part>], parents: &[Option<usize>], part: Part) -> Vec<Option<usize>> {
    let mut top: Vec<Option<usize>> = Vec::with_capacity(parts.len());
    for (node, own) in parts.iter().enumerate() {
        let above = parents[node].and_then(|parent| top[parent]);
        top.push(above.or((*own == Some(part)).then_some(node)));
    }
    top
}
