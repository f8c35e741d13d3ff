//! Binds both models alike, where their bind poses differ.

use glam::{DMat4, DVec3};

use super::joints::JointPairs;
use super::reach::Rigs;
use super::side::{Posed, Side};
use super::vertices::VertexPairs;
use super::{align, reach, samples, timing};

/// The vertices of the model before, with its joints where those after are bound. Joints without a counterpart follow their
/// parents.
pub(super) fn as_after([before, after]: [&Side<'_>; 2], joints: &JointPairs) -> Vec<DVec3> {
    let mut moved: Vec<DMat4> = Vec::with_capacity(before.joints.len());
    for (joint, counterpart) in before.joints.iter().zip(&joints.counterparts[0]) {
        let above = joint.parent.map_or(DMat4::IDENTITY, |parent| moved[parent]);
        let own = counterpart.map(|other| after.joints[other].bind * joint.bind.inverse());
        moved.push(own.unwrap_or(above));
    }
    let positions = before
        .vertices
        .positions
        .iter()
        .enumerate()
        .map(|(vertex, position)| {
            let weights = before.weights_of(vertex).unwrap_or_default();
            if weights.is_empty() {
                return *position;
            }
            let parts = weights.iter();
            let parts =
                parts.map(|(joint, weight)| *weight * moved[*joint].transform_point3(*position));
            parts.sum()
        });
    positions.collect()
}

/// Measures both models from the bind pose of the model before, because the two bind poses are unrelated. A node that no
/// skin binds follows its parent, with its own rest transform: exporters change those of nodes that carry meshes.
pub(super) fn as_before(sides: &mut [Side<'_>; 2], joints: &JointPairs) {
    let [before, after] = sides;
    for index in 0..after.joints.len() {
        let joint = &after.joints[index];
        let other = joints.counterparts[1][index].map(|other| &before.joints[other]);
        let is_bound = joint.is_bound || other.is_some_and(|other| other.is_bound);
        let below = joint.parent.filter(|_| !is_bound).map(|parent| {
            let parent = &after.joints[parent];
            parent.bind * parent.rest.inverse() * joint.rest
        });
        let bind = below.filter(DMat4::is_finite);
        let bind = bind.or(other.map(|other| other.bind)).unwrap_or(joint.bind);
        let after = &mut after.joints[index];
        let stated = std::mem::replace(&mut after.bind, bind);
        after.bind_from_stated = Some(bind * stated.inverse());
    }
}

/// Binds the joints after as those before. A program that writes references knows its rest pose; exporters bind meshes
/// in the pose of the current frame.
pub(super) fn alike(sides: &mut [Side<'_>; 2], vertices: &VertexPairs, diagonal: f64) {
    if vertices.in_bind_pose {
        return;
    }
    let elsewhere = bound_elsewhere(sides, vertices, diagonal);
    for (joint, elsewhere) in sides[1].joints.iter_mut().zip(elsewhere) {
        joint.bind = elsewhere.unwrap_or(DMat4::IDENTITY) * joint.bind;
    }
}

/// Binds nodes that carry nothing. They have no bind pose, and exporters leave them in the pose of the current frame; so
/// their motion is measured from the first time that both clips have.
///
/// Returns both poses at that time.
pub(super) fn nodes_alike(
    sides: &mut [Side<'_>; 2],
    joints: &JointPairs,
    clip: [usize; 2],
    [diagonal, tolerance]: [f64; 2],
) -> [Posed; 2] {
    let both = [&sides[0], &sides[1]];
    let is_of_rig =
        |[a, b]: &[usize; 2]| both[0].joints[*a].is_of_rig || both[1].joints[*b].is_of_rig;
    // The time line must show in the other joints.
    let rigs = Rigs {
        is_relevant: joints.pairs.iter().map(is_of_rig).collect(),
        ..reach::rigs(both, joints, diagonal)
    };
    let posed = at_first_time(&rigs, clip, tolerance);
    let nodes = joints.pairs.iter().copied();
    let nodes: Vec<[usize; 2]> = nodes.filter(|pair| !is_of_rig(pair)).collect();
    for [a, b] in nodes {
        let from_bind = posed[0].joints[a] * sides[0].joints[a].bind.inverse();
        sides[1].joints[b].bind = from_bind.inverse() * posed[1].joints[b];
    }
    posed
}

/// Both poses at the first time that two clips have in common.
fn at_first_time(rigs: &Rigs<'_>, clip: [usize; 2], tolerance: f64) -> [Posed; 2] {
    let map = timing::recognize(rigs, clip, tolerance);
    let common = samples::keys(rigs.sides, clip, map);
    let first = common.list.first();
    let at_start = || samples::at_phase(rigs.sides, clip, 0.0);
    let times = first.map_or_else(at_start, |sample| sample.times);
    rigs.poses(Some(clip), times)
}

/// For each joint after, the transform from the bound mesh that it moves to the same mesh before. A joint that moves no
/// vertex follows its parent.
fn bound_elsewhere(
    sides: &[Side<'_>; 2],
    vertices: &VertexPairs,
    diagonal: f64,
) -> Vec<Option<DMat4>> {
    let [before, after] = sides;
    let mut maps = vec![None; after.joints.len()];
    let mut points = vec![Vec::new(); after.surfaces.len()];
    for pair in &vertices.pairs {
        let [a, b] = pair.map(|vertex| vertex as usize);
        let surface = after.vertices.surfaces[b] as usize;
        points[surface].push([before.vertices.positions[a], after.vertices.positions[b]]);
    }
    for (surface, points) in after.surfaces.iter().zip(&points) {
        let Some(map) = align::affine(points, diagonal) else {
            continue;
        };
        for vertex in surface.range.clone() {
            let joints = after.weights_of(vertex).unwrap_or_default().into_iter();
            for (joint, _) in joints.filter(|(joint, _)| after.joints[*joint].is_bound) {
                maps[joint].get_or_insert(map);
            }
        }
    }
    for (joint, node) in after.joints.iter().enumerate() {
        if maps[joint].is_none() {
            maps[joint] = node.parent.and_then(|parent| maps[parent]);
        }
    }
    maps
}
