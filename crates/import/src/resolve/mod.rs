//! Builds an [`Asset`] from the contents of a file. No other module validates and repairs them, records notes, or knows
//! which defects were looked for.
//!
//! A new kind of defect is a variant of [`DefectKind`] and a check here.

mod clips;
pub(super) mod keys;
mod skins;

use glam::{DMat4, Mat4, Quat, Vec4};

use super::ImporterError;
use super::hierarchy::{HierarchyError, parents_first};
use super::log::Log;
use super::source::{Node, Source};
use super::unit::{self, rounded};
use crate::rig::{
    self, Asset, Constraint, DefectKind, Humanoid, InstanceId, LocalTransform, Location, Mesh,
    MeshInstance, NodeId, Part, Skeleton, length_squared,
};
use crate::units::amount;
use skins::Binder;

/// Repairs `source`.
///
/// Meshes, tracks, materials and images are moved, not copied.
///
/// # Errors
///
/// [`ImporterError::Parse`] if the nodes do not form a hierarchy, because then nothing that refers to them has a meaning.
pub(super) fn resolve(mut source: Source) -> Result<Asset, ImporterError> {
    let log = &mut source.log;
    let resolved = resolve_nodes(source.nodes, log);
    let (joints, ids) = resolved.map_err(ImporterError::parse)?;
    for instance in &mut source.instances {
        instance.node = ids[instance.node.index()];
    }
    let stated = source.humanoid.iter_mut().flat_map(Humanoid::nodes_mut);
    let constrained = source.constraints.iter_mut();
    for node in constrained.flat_map(Constraint::nodes_mut).chain(stated) {
        *node = ids[node.index()];
    }
    let locations = locations(&source.meshes, &source.instances, &joints);
    let mut binder = Binder {
        joints: &joints,
        ids: &ids,
        primitives: &source.origins.primitives,
        locations: &locations,
        invented: source.invented,
        log,
    };
    let skins = binder.bind(source.skins, &mut source.meshes, &mut source.instances);
    for (mesh, location) in source.meshes.iter_mut().zip(&locations) {
        repair_mesh(mesh, location, log);
    }
    let rules = clips::Rules {
        times: source.key_times,
        are_rotations_stored: !source.hidden.contains(&DefectKind::NonunitKey),
    };
    let mut origins = source.origins;
    origins.nodes = permuted(origins.nodes, &ids);
    let owners = clips::Owners {
        joints: &joints,
        ids: &ids,
    };
    let clips = clips::resolve(source.clips, rules, owners, log, &mut origins.channels);
    let hidden_nodes = source.hidden_nodes.iter().map(|node| ids[*node]).collect();
    let is_seen = |kind: &DefectKind| !source.hidden.contains(kind);
    let mut evidence = source
        .log
        .defects
        .into_evidence(DefectKind::ALL.into_iter().filter(is_seen));
    let is_of_file = |kind| is_seen(&kind) && !source.invented.contains(&kind);
    evidence.defects.retain(|defect| is_of_file(defect.kind));
    evidence.misread = source.log.misread;
    Ok(Asset {
        format: source.format,
        reader: source.reader,
        space: source.space,
        stated_space: source.stated_space,
        skeleton: Skeleton::new(joints).expect("parents were put before their children"),
        meshes: source.meshes,
        skins,
        instances: source.instances,
        hidden_nodes,
        hidden_instances: Vec::new(),
        clips,
        materials: source.materials,
        variants: source.variants,
        expressions: source.expressions,
        constraints: source.constraints,
        humanoid: source.humanoid,
        images: source.images,
        files: source.files,
        notes: source.log.notes.into_inner(),
        evidence,
        origins,
    })
}

/// The location of each mesh in findings: its first instance, by its own name or its first node's.
fn locations(meshes: &[Mesh], instances: &[MeshInstance], joints: &[rig::Node]) -> Vec<Location> {
    let own = meshes.iter().map(|mesh| Location::mesh(mesh.name.as_str()));
    let mut locations: Vec<Location> = own.collect();
    for (index, instance) in instances.iter().enumerate() {
        let location = &mut locations[instance.mesh.index()];
        let id = InstanceId::from_index(index);
        location.ids.instance.get_or_insert(id);
        if location.mesh.as_deref() == Some("") {
            location.mesh = Some(joints[instance.node.index()].name.clone());
        }
    }
    locations
}

/// Replaces the fourth row of a matrix: an affine one has 0 0 0 1.
fn set_last_row(matrix: &mut Mat4, row: Vec4) {
    let columns = [
        &mut matrix.x_axis,
        &mut matrix.y_axis,
        &mut matrix.z_axis,
        &mut matrix.w_axis,
    ];
    for (column, value) in columns.into_iter().zip(row.to_array()) {
        column.w = value;
    }
}

/// How far from 1 the squared length of a rotation may be for it to count as a unit quaternion: a few roundings of f32.
const UNIT: f32 = 1e-5;

/// The nodes as joints, parents first, and the joint of each node.
///
/// # Errors
///
/// [`HierarchyError`] if a parent is not there or a node is its own ancestor.
fn resolve_nodes(
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
            repair_rotation(&mut node, id, log);
            repair_matrix(&mut node, log);
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
fn permuted(of_nodes: Vec<String>, ids: &[NodeId]) -> Vec<String> {
    let mut of_joints = vec![String::new(); of_nodes.len()];
    for (origin, id) in of_nodes.into_iter().zip(ids) {
        of_joints[id.index()] = origin;
    }
    of_joints
}

/// Normalizes a rotation whose length is not 1. It is a defect if storage does not explain the difference.
fn repair_rotation(node: &mut Node, id: NodeId, log: &mut Log) {
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
        let message = "its rotation cannot be normalized; it is read as the identity";
        (Quat::IDENTITY, message)
    };
    trs.rotation = unit;
    let part = node.number.map(|number| format!("nodes[{number}]"));
    let name = || format!("joint {:?}", node.name);
    log.notes.add(part.clone().unwrap_or_else(name), repaired);
    if let Some(off) = unit::excess(length, unit::ROTATION) {
        let location = Location {
            part: part.map(Part::Path),
            ..Location::FILE.of_node(id, node.name.as_str())
        };
        let message = format!("the rotation has length {}, not 1", rounded(length));
        let kind = DefectKind::NonunitRotation;
        log.defects.add_worst(kind, location, 1, off, message);
    }
}

/// Reads the last row of a matrix as 0 0 0 1: `ColladaMax` writes 0 0 0 0.
fn repair_matrix(node: &mut Node, log: &mut Log) {
    if let LocalTransform::Matrix(matrix) = &mut node.rest
        && matrix.row(3) != Vec4::W
    {
        set_last_row(matrix, Vec4::W);
        let message = "the last row of its matrix is not 0 0 0 1; it is read as 0 0 0 1";
        log.notes.add(format!("joint {:?}", node.name), message);
    }
}

/// `world_from_joint` of every joint at rest, in double precision.
fn rest_worlds(joints: &[rig::Node]) -> Vec<DMat4> {
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

/// Removes triangles with vertices that do not exist. Normals are examined but not changed.
///
/// * `location` – of the mesh in findings.
fn repair_mesh(mesh: &mut Mesh, location: &Location, log: &mut Log) {
    let (vertices, before) = (mesh.positions.len(), mesh.triangles.len());
    let exists = |corner: &u32| (*corner as usize) < vertices;
    mesh.triangles
        .retain(|triangle| triangle.iter().all(exists));
    let lost = before - mesh.triangles.len();
    if lost > 0 {
        let message = format!("{} with vertices that do not exist", amount(lost, "face"));
        log.notes.add(
            format!("mesh {:?}", mesh.name),
            format!("skipped {message}"),
        );
        let kind = DefectKind::FaceIndexOutOfRange;
        log.defects.add_many(kind, location.clone(), lost, message);
    }
    examine_normals(mesh, location, log);
}

fn examine_normals(mesh: &Mesh, location: &Location, log: &mut Log) {
    for (vertex, normal) in mesh.normals.iter().enumerate() {
        let normal = normal.to_array();
        if unit::is_nearly(&normal, unit::NORMAL) {
            continue;
        }
        let length = unit::length(&normal);
        let Some(off) = unit::excess(length, unit::NORMAL) else {
            continue;
        };
        let location = location.clone().vertex(vertex);
        let message = format!("the normal has length {}, not 1", unit::rounded(length));
        let kind = DefectKind::NonunitNormal;
        log.defects.add_worst(kind, location, 1, off, message);
    }
}

#[cfg(test)]
mod tests;
