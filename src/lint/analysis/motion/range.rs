//! The range of motion: poses beyond the clips.

use crate::lint::analysis::joints;
use crate::lint::analysis::motion::sheets;
use crate::pose::{RangePose, Rotation};
use crate::rig::Asset;

/// The rotation of joints, in degrees. Joints of living things that rotate at all rotate this far about their main
/// axis, and well-weighted ones do not tear at it about the others; at 45°, the palms of good hands do.
const DEGREES: f64 = 30.0;

/// Both ways about each axis.
const PER_JOINT: usize = 6;

/// The rest pose, and each joint that moves vertices rotated by ±[`DEGREES`] about each of its axes. Three kinds of joints
/// are omitted: the root, which moves the model as a whole; bones of palms, which hardly rotate; and joints that
/// [move only with others](sheets::beside_others).
pub(in crate::lint) fn poses(asset: &Asset) -> Vec<RangePose> {
    let weighted = joints::followed(asset);
    let (root, beside_others) = (root_of(asset, &weighted), sheets::beside_others(asset));
    let joints = asset.skeleton.iter().filter(|(id, joint)| {
        let index = id.index();
        let alone = !beside_others[index] && !is_of_palm(&joint.name);
        weighted[index] && Some(index) != root && alone
    });
    let rotated = joints.flat_map(|(joint, _)| {
        (0..PER_JOINT).map(move |index| {
            RangePose::Rotated(Rotation {
                joint,
                axis: index / 2,
                degrees: [DEGREES, -DEGREES][index % 2],
            })
        })
    });
    std::iter::once(RangePose::Rest).chain(rotated).collect()
}

/// Whether a joint has the name of a bone within a palm: `LeftMiddleMetacarpal`, `index_metacarpal_l`, `DEF-palm.01.R`.
///
/// They share one piece of flesh, and rotate by a few degrees at most; more tears the palm of a good hand. The thumb's
/// is a joint like others.
fn is_of_palm(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(['-', '_', ':']);
    let within = name.contains("metacarpal") || words.any(|word| word.starts_with("palm."));
    within && !name.contains("thumb")
}

/// The weighted joint that is an ancestor of all other weighted joints.
fn root_of(asset: &Asset, weighted: &[bool]) -> Option<usize> {
    let first = weighted.iter().position(|weighted| *weighted)?;
    let mut below = vec![false; weighted.len()];
    // Parents come first, so one pass marks everything below, and the root can only be the first weighted joint.
    below[first] = true;
    for (id, joint) in asset.skeleton.iter() {
        let parent_below = joint.parent.is_some_and(|parent| below[parent.index()]);
        below[id.index()] |= parent_below;
    }
    let all = weighted
        .iter()
        .zip(&below)
        .all(|(weighted, below)| *below || !*weighted);
    all.then_some(first)
}

/// Joints rotated in a model of any size: as many as a film character has.
const LEAST_ROTATED: usize = 256;

/// Most joints rotated: more than any character has.
const MOST_ROTATED: usize = 1024;

/// Most vertices skinned in all poses together, as long as [`LEAST_ROTATED`] joints are rotated: a few seconds on one
/// processor.
const MOST_VERTICES: usize = 100_000_000;

/// The rest pose and the poses of evenly spaced joints, as many as the limits allow.
///
/// * `vertices` – number skinned per pose.
pub(in crate::lint) fn thinned(poses: &[RangePose], vertices: usize) -> Vec<RangePose> {
    let (rest, rotated) = poses.split_at(1);
    let joints = rotated.len() / PER_JOINT;
    // As many joints as the vertices allow, in whole joints: all six poses of one or none.
    let most = MOST_VERTICES / (PER_JOINT * vertices.max(1));
    let most = most.clamp(LEAST_ROTATED, MOST_ROTATED);
    let step = joints.div_ceil(most).max(1);
    let chosen = rotated.chunks(PER_JOINT).step_by(step).flatten();
    rest.iter().chain(chosen).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::arm;
    use crate::rig::NodeId;

    #[test]
    fn each_joint_but_the_root_is_rotated_both_ways_about_each_axis() {
        let asset = arm();
        let poses = poses(&asset);
        assert_eq!(poses.len(), 1 + 6);
        assert_eq!(poses[0], RangePose::Rest);
        assert_eq!(poses[2].named(&asset).to_string(), "rom:elbow:x:-30");
    }

    #[test]
    fn too_many_joints_are_thinned_evenly() {
        let pose = |index: usize| {
            RangePose::Rotated(Rotation {
                joint: NodeId::from_index(index / PER_JOINT),
                axis: index % PER_JOINT / 2,
                degrees: [DEGREES, -DEGREES][index % 2],
            })
        };
        let poses = |joints: usize| {
            let rotated = (0..joints * PER_JOINT).map(pose);
            std::iter::once(RangePose::Rest)
                .chain(rotated)
                .collect::<Vec<_>>()
        };
        let count = |joints, vertices| (thinned(&poses(joints), vertices).len() - 1) / PER_JOINT;
        assert_eq!(count(MOST_ROTATED, 10_000), MOST_ROTATED);
        assert_eq!(count(8 * MOST_ROTATED, 10_000), MOST_ROTATED);
        assert_eq!(count(LEAST_ROTATED, 1 << 30), LEAST_ROTATED);
        assert_eq!(count(10 * LEAST_ROTATED, 1 << 30), LEAST_ROTATED);
        let few = thinned(&poses(4 * MOST_ROTATED), 1);
        assert_eq!(few[..3], [RangePose::Rest, pose(0), pose(1)]);
        assert_eq!(few[7], pose(4 * PER_JOINT));
    }

    #[test]
    fn bones_of_a_palm_are_not_rotated() {
        for name in [
            "LeftMiddleMetacarpal",
            "index_metacarpal_l",
            "DEF-palm.01.R",
        ] {
            let mut asset = arm();
            let mut joints = asset.skeleton.nodes().to_vec();
            joints[1].name = name.to_owned();
            asset.skeleton = crate::rig::Skeleton::new(joints).expect("as before");
            assert_eq!(poses(&asset), [RangePose::Rest], "{name}");
        }
        let others = [
            "LeftThumbMetacarpal",
            "LeftIndexProximal",
            "palm",
            "napalm.01",
        ];
        assert!(others.iter().all(|name| !is_of_palm(name)));
    }

    #[test]
    fn both_of_two_roots_are_rotated() {
        let mut asset = arm();
        let joints = asset.skeleton.nodes().iter().cloned();
        let apart = joints.map(|joint| crate::rig::Node {
            parent: None,
            ..joint
        });
        asset.skeleton = crate::rig::Skeleton::new(apart.collect()).expect("nobody has a parent");
        assert_eq!(poses(&asset).len(), 1 + 12);
    }
}
