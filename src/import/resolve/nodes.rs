//! The hierarchy: every node becomes a joint.

use glam::{DMat4, Quat};

use crate::import::hierarchy::{HierarchyError, parents_first};
use crate::import::log::Log;
use crate::import::source::Node;
use crate::import::unit::{self, rounded};
use crate::rig::{self, DefectKind, LocalTransform, Location, NodeId, length_squared};

/// How far from 1 the squared length of a rotation may be for it to count as a unit quaternion: a few roundings of f32.
const UNIT: f32 = 1e-5;

/// The nodes as joints, parents first, and the joint of each node.
///
/// # Errors
///
/// [`HierarchyError`] if a parent is not there or a node is its own ancestor.
pub(super) fn resolve(
    nodes: Vec<Node>,
    log: &mut Log,
) -> Result<(Vec<rig::Node>, Vec<NodeId>), HierarchyError> {
    let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
    let order = parents_first(&parents)?;
    let mut ids = vec![NodeId(0); nodes.len()];
    for (new, &old) in order.iter().enumerate() {
        ids[old] = NodeId::from_index(new);
    }
    let mut joints: Vec<(NodeId, rig::Node)> = nodes
        .into_iter()
        .zip(&ids)
        .map(|(mut node, &id)| {
            repair(&mut node, log);
            let joint = rig::Node {
                name: node.name,
                parent: node.parent.map(|parent| ids[parent]),
                rest: node.rest,
            };
            (id, joint)
        })
        .collect();
    joints.sort_unstable_by_key(|(id, _)| *id);
    Ok((joints.into_iter().map(|(_, joint)| joint).collect(), ids))
}

/// Reorders a list of one entry per node to one per joint. An empty list stays empty.
pub(super) fn permuted(of_nodes: Vec<String>, ids: &[NodeId]) -> Vec<String> {
    let mut of_joints = vec![String::new(); of_nodes.len()];
    for (origin, id) in of_nodes.into_iter().zip(ids) {
        of_joints[id.index()] = origin;
    }
    of_joints
}

/// Normalizes a rotation whose length is not 1. It is a defect if storage does not explain the difference.
fn repair(node: &mut Node, log: &mut Log) {
    let LocalTransform::Trs(trs) = &mut node.rest else {
        return;
    };
    let length_squared = length_squared(trs.rotation);
    if (length_squared - 1.0).abs() <= UNIT || !trs.rotation.is_finite() {
        return;
    }
    let length = unit::length(&trs.rotation.to_array());
    let (unit, repaired) = if length_squared.is_normal() {
        let message = "its rotation is not a unit quaternion; it is normalized";
        (trs.rotation / length_squared.sqrt(), message)
    } else {
        let message = "its rotation has no direction; it is read as no rotation";
        (Quat::IDENTITY, message)
    };
    trs.rotation = unit;
    let part = node.number.map(|number| format!("nodes[{number}]"));
    let noted = part.clone();
    let noted = noted.unwrap_or_else(|| format!("joint {:?}", node.name));
    log.notes.add(noted, repaired);
    if let Some(off) = unit::excess(length, unit::ROTATION) {
        let location = Location {
            part,
            ..Location::joint(node.name.as_str())
        };
        let message = format!("the rotation has length {}, not 1", rounded(length));
        let kind = DefectKind::NonunitRotation;
        log.defects.add_worst(kind, location, 1, off, message);
    }
}

/// `world_from_joint` of every joint at rest, in double precision.
pub(super) fn rest_worlds(joints: &[rig::Node]) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(joints.len());
    for joint in joints {
        let local = match &joint.rest {
            LocalTransform::Trs(trs) => DMat4::from_scale_rotation_translation(
                trs.scale.as_dvec3(),
                trs.rotation.as_dquat().normalize(),
                trs.translation.as_dvec3(),
            ),
            LocalTransform::Matrix(matrix) => matrix.as_dmat4(),
        };
        let parent = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(parent.map_or(local, |parent| parent * local));
    }
    worlds
}
