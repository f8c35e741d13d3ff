//! The part of the surface that each joint moves.

use glam::{DMat4, DVec3};

use super::joints::JointPairs;
use super::side::{Joint, Side};

/// The least distance at which a joint's motion is measured, relative to the diagonal: even joints that move no vertex
/// carry something.
pub(super) const LEAST_REACH: f64 = 0.02;

/// A joint moves a vertex if it has at least this weight.
const MOVES: f64 = 0.1;

/// The directions in which the farthest vertices of a joint are found. The difference of two affine maps is largest at
/// a corner of the convex hull, which these approximate.
const DIRECTIONS: [DVec3; 14] = [
    DVec3::X,
    DVec3::NEG_X,
    DVec3::Y,
    DVec3::NEG_Y,
    DVec3::Z,
    DVec3::NEG_Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(-1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(-1.0, -1.0, -1.0),
];

/// The inputs that are the same for all clips.
pub(super) struct Rigs<'a> {
    pub(super) sides: [&'a Side<'a>; 2],
    pub(super) joints: &'a JointPairs,
    /// For each pair, the pair of the nearest ancestor.
    pub(super) parents: Vec<Option<usize>>,
    /// For each pair, the distance of the measured points from the joint.
    pub(super) reaches: Vec<f64>,
    /// For each pair, whether it is part of the rig or moves a part of it.
    pub(super) is_relevant: Vec<bool>,
    /// For each pair, the farthest vertices that it moves, also through the joints below it.
    pub(super) carried: Vec<Vec<Carried>>,
    /// For each side and pair, `joint_from_common` in the bind pose.
    pub(super) bind_inverses: [Vec<DMat4>; 2],
    /// The same at rest.
    pub(super) rest_inverses: [Vec<DMat4>; 2],
}

/// A vertex that a joint moves, itself or through the joints below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    /// In the bind pose.
    pub(super) position: DVec3,
    /// The sum of the weights of the joint and of those below it.
    pub(super) weight: f64,
}

/// The inputs of all measurements of joints.
pub(super) fn rigs<'a>(
    sides: [&'a Side<'a>; 2],
    joints: &'a JointPairs,
    diagonal: f64,
) -> Rigs<'a> {
    let before = sides[0];
    let mut reaches = vec![LEAST_REACH * diagonal; before.joints.len()];
    let mut farthest = vec![Farthest::default(); before.joints.len()];
    let mut sums = vec![0.0; before.joints.len()];
    for (vertex, position) in before.vertices.positions.iter().enumerate() {
        if !position.is_finite() {
            continue;
        }
        let origin = |joint: usize| before.joints[joint].bind.w_axis.truncate();
        let mut carriers = Vec::new();
        for (joint, weight) in before.weights_of(vertex).unwrap_or_default() {
            let distance = position.distance(origin(joint));
            if weight >= MOVES && distance.is_finite() {
                reaches[joint] = f64::max(reaches[joint], distance);
            }
            let mut carrier = Some(joint);
            while let Some(joint) = carrier {
                if sums[joint] == 0.0 {
                    carriers.push(joint);
                }
                sums[joint] += weight;
                carrier = before.joints[joint].parent;
            }
        }
        for joint in carriers {
            let weight = std::mem::take(&mut sums[joint]);
            let vertex = Carried {
                position: *position,
                weight,
            };
            farthest[joint].see(vertex, origin(joint));
        }
    }
    let paired = joints.pairs.iter().map(|[joint, _]| *joint);
    let inverses = |pose: fn(&Joint) -> DMat4| {
        [0, 1].map(|side: usize| {
            let own = joints
                .pairs
                .iter()
                .map(|pair| &sides[side].joints[pair[side]]);
            own.map(|joint| pose(joint).inverse()).collect()
        })
    };
    Rigs {
        bind_inverses: inverses(|joint| joint.bind),
        rest_inverses: inverses(|joint| joint.rest),
        sides,
        joints,
        parents: joints.parents(&before.joints),
        is_relevant: relevant(before, joints),
        carried: paired
            .clone()
            .map(|joint| farthest[joint].vertices())
            .collect(),
        reaches: paired.map(|joint| reaches[joint]).collect(),
    }
}

/// For each pair, whether it is part of the rig or moves a part of it.
fn relevant(before: &Side<'_>, joints: &JointPairs) -> Vec<bool> {
    let nodes = &before.joints;
    let mut is_relevant: Vec<bool> = nodes.iter().map(|joint| joint.is_of_rig).collect();
    if !is_relevant.contains(&true) {
        is_relevant.fill(true);
    }
    for index in (0..nodes.len()).rev() {
        if let (true, Some(parent)) = (is_relevant[index], nodes[index].parent) {
            is_relevant[parent] = true;
        }
    }
    joints
        .pairs
        .iter()
        .map(|[joint, _]| is_relevant[*joint])
        .collect()
}

/// The vertex farthest from a joint in each direction, distances being multiplied by weights.
#[derive(Debug, Clone, Default)]
struct Farthest([Option<(f64, Carried)>; DIRECTIONS.len()]);

impl Farthest {
    fn see(&mut self, vertex: Carried, origin: DVec3) {
        let offset = vertex.weight * (vertex.position - origin);
        for (best, direction) in self.0.iter_mut().zip(DIRECTIONS) {
            let distance = direction.dot(offset);
            if best.is_none_or(|(most, _)| distance > most) {
                *best = Some((distance, vertex));
            }
        }
    }

    fn vertices(&self) -> Vec<Carried> {
        self.0.iter().flatten().map(|(_, vertex)| *vertex).collect()
    }
}
