//! The range of motion: poses beyond the clips, each with one joint rotated, except joints that only move together with
//! others.

use crate::analysis::joints;
use crate::pose::{RangePose, Rotation};
use crate::rig::{Asset, Influence, MeshInstance, NodeId};

/// The rotation of joints, in degrees. Joints of living things that rotate at all rotate this far about their main
/// axis, and well-weighted ones do not tear at it about the others; at 45°, the palms of good hands do.
const DEGREES: f64 = 30.0;

/// Both ways about each axis.
const PER_JOINT: usize = 6;

/// The rest pose, and each joint that moves vertices rotated by ±[`DEGREES`] about each of its axes. Three kinds of joints
/// are omitted: the root, which moves the model as a whole; bones of palms, which hardly rotate; and joints that
/// [move only with others](beside_others).
pub(crate) fn poses(asset: &Asset) -> Vec<RangePose> {
    let weighted = joints::followed(asset);
    let (root, beside_others) = (root_of(asset, &weighted), beside_others(asset));
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
    for (id, parent) in joints::parents(asset).into_iter().enumerate() {
        below[id] |= parent.is_some_and(|parent| below[parent.index()]);
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

/// The poses of the range of motion that `check` looks at: the rest pose, and joints that are rotated away from it.
#[must_use]
pub fn range_of_motion(asset: &Asset) -> Vec<RangePose> {
    thinned(&poses(asset), crate::watch::vertices(asset))
}

/// The rest pose and the poses of evenly spaced joints, as many as the limits allow.
///
/// * `vertices` – number skinned per pose.
pub(crate) fn thinned(poses: &[RangePose], vertices: usize) -> Vec<RangePose> {
    let (rest, rotated) = poses.split_at(1);
    let joints = rotated.len() / PER_JOINT;
    // As many joints as the vertices allow, in whole joints: all six poses of one or none.
    let most = MOST_VERTICES / (PER_JOINT * vertices.max(1));
    let most = most.clamp(LEAST_ROTATED, MOST_ROTATED);
    let step = joints.div_ceil(most).max(1);
    let chosen = rotated.chunks(PER_JOINT).step_by(step).flatten();
    rest.iter().chain(chosen).copied().collect()
}

/// The part of a triangle's weight from which a joint counts as moving it.
const MOVES: f32 = 0.05;

/// The share of a joint's triangles that other joints beside it also move: half on a cape, all on a wing, and a
/// twentieth on a leg, where it meets the other one.
const SHARE: f64 = 0.5;

/// For each joint, whether most triangles that it and its descendants move also follow joints that are neither its ancestors
/// nor its descendants: the chains of a cape, the fingers of a wing, the bones of a palm or of lips. They share one piece of
/// flesh, which tears when one of them rotates alone, however well it is weighted.
fn beside_others(asset: &Asset) -> Vec<bool> {
    let mut shares = Shares::of(asset);
    for instance in &asset.instances {
        if shares.add(asset, instance).is_none() {
            return vec![false; asset.skeleton.len()];
        }
    }
    let all = shares.moved.iter().zip(&shares.shared);
    all.map(|(moved, shared)| *moved > 0 && f64::from(*shared) >= SHARE * f64::from(*moved))
        .collect()
}

/// Most joints examined in all triangles together: a million triangles that follow a hundred each, including ancestors.
/// Beyond that, which no rig reaches, no joint counts as beside others.
const MOST: usize = 100_000_000;

/// The number of triangles that each joint moves, and of those that others beside it move too.
struct Shares {
    /// For each joint, its nearest ancestor that vertices follow.
    above: Vec<Option<NodeId>>,
    moved: Vec<u32>,
    shared: Vec<u32>,
    /// Each joint's part of the current triangle; all default between triangles.
    parts: Vec<Part>,
    /// How many joints may still be examined.
    left: usize,
}

/// A joint's share of a triangle's weight.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    seen: bool,
    own: f32,
    /// With the joints below it.
    whole: f32,
    /// Of all joints above it.
    above: f32,
}

impl Shares {
    fn of(asset: &Asset) -> Self {
        let followed = joints::followed(asset);
        let count = followed.len();
        Self {
            above: joints::nearest_above(asset, &followed),
            moved: vec![0; count],
            shared: vec![0; count],
            parts: vec![Part::default(); count],
            left: MOST,
        }
    }

    /// Counts the triangles of an instance; `None` if [`MOST`] is exceeded.
    fn add(&mut self, asset: &Asset, instance: &MeshInstance) -> Option<()> {
        let Some(skin) = asset.skin_of(instance) else {
            return Some(());
        };
        let mesh = asset.mesh_of(instance);
        for corners in &mesh.triangles {
            let corners = corners.iter();
            let influences = corners.flat_map(|corner| mesh.influences.of(*corner as usize));
            self.count(influences, &skin.joints)?;
        }
        Some(())
    }

    /// Counts a triangle whose corners follow `influences`.
    ///
    /// Only joints with weight here and their ancestors are visited, never the whole skeleton.
    fn count<'a>(
        &mut self,
        influences: impl Iterator<Item = &'a Influence>,
        slots: &[NodeId],
    ) -> Option<()> {
        let mut total = 0.0;
        let mut touched: Vec<NodeId> = Vec::new();
        for influence in influences.filter(|influence| influence.weight > 0.0) {
            let joint = *slots.get(influence.slot.index())?;
            self.parts[joint.index()].own += influence.weight;
            total += influence.weight;
            let mut next = Some(joint);
            // 1. Collect the joint and its ancestors, up to the first that is collected already: so are those above it.
            while let Some(joint) = next.filter(|joint| !self.parts[joint.index()].seen) {
                self.parts[joint.index()].seen = true;
                touched.push(joint);
                next = self.above[joint.index()];
            }
        }
        self.left = self.left.checked_sub(touched.len())?;
        // Parents have lower ids than their children.
        touched.sort_unstable();
        // 2. Children first: the weight of a joint's subtree is complete before it is added to the parent's.
        for joint in touched.iter().rev() {
            let part = &mut self.parts[joint.index()];
            part.whole += part.own;
            let whole = part.whole;
            if let Some(above) = self.above[joint.index()] {
                self.parts[above.index()].whole += whole;
            }
        }
        // 3. Parents first: the weight of all ancestors is the parent's own plus that of its ancestors. The rest of the
        //    triangle's weight, neither in the subtree nor above it, belongs to joints beside this one.
        for joint in &touched {
            if let Some(above) = self.above[joint.index()] {
                let part = self.parts[above.index()];
                self.parts[joint.index()].above = part.above + part.own;
            }
            let part = self.parts[joint.index()];
            if part.whole > MOVES * total {
                let beside = total - part.whole - part.above;
                self.moved[joint.index()] += 1;
                self.shared[joint.index()] += u32::from(beside > MOVES * total);
            }
        }
        for joint in touched {
            self.parts[joint.index()] = Part::default();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{
        Influences, LocalTransform, Mesh, MeshId, NodeId, Skin, SkinId, SkinSlot, Trs,
    };
    use crate::testing::arm;

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

    /// The arm as an importer reads it that makes two nodes of the shoulder and two of the elbow, the lower one with the scale.
    fn split_arm() -> Asset {
        let asset = arm();
        let [shoulder, elbow] = [0, 1].map(|joint| asset.skeleton.nodes()[joint].clone());
        let own = |name: &str, parent| {
            named_joint(name, Some(parent), LocalTransform::Trs(Trs::IDENTITY))
        };
        let upper = |node: crate::rig::Node, parent: Option<u32>| crate::rig::Node {
            name: format!("{} (unscaled)", node.name),
            parent: parent.map(NodeId),
            ..node
        };
        let nodes = vec![
            upper(shoulder, None),
            own("shoulder", 0),
            upper(elbow, Some(0)),
            own("elbow", 2),
        ];
        let mut split = Asset {
            skeleton: crate::rig::Skeleton::new(nodes).expect("parents come first"),
            ..asset
        };
        split.origins.nodes = [1, 1, 2, 2].map(|id| format!("Model::{id}")).into();
        split.skins[0].joints = vec![NodeId(1), NodeId(3)];
        for instance in &mut split.instances {
            instance.node = NodeId(0);
        }
        split
    }

    #[test]
    fn what_is_one_joint_in_the_file_rotates_as_one() {
        let (asset, whole) = (split_arm(), arm());
        let [own, expected] = [&asset, &whole].map(poses);
        assert_eq!(own.len(), expected.len());
        for (own, expected) in own.iter().zip(expected).skip(1) {
            let own = crate::pose::model_pose(&asset, &own.pose(&asset));
            let expected = crate::pose::model_pose(&whole, &expected.pose(&whole));
            for (joint, node) in [(0, 1), (1, 3)] {
                let [own, expected] = [own.nodes[node], expected.nodes[joint]];
                assert!(own.abs_diff_eq(expected, 1e-6), "{own} {expected}");
            }
        }
        assert!(!beside_others(&asset).contains(&true));
        assert_eq!(joints::bound_parents(&asset)[3], Some(NodeId(1)));
    }

    const ROWS: u32 = 8;

    /// A sheet of `columns` columns, each on a chain of two joints of its own below a root that has the first row.
    fn sheet(columns: u32) -> Asset {
        let at = LocalTransform::Matrix(Mat4::IDENTITY);
        let mut joints = vec![named_joint("root", None, at)];
        for _ in 0..columns {
            let upper = joints.len();
            joints.push(named_joint("upper", Some(0), at));
            joints.push(named_joint(
                "lower",
                Some(u32::try_from(upper).expect("few")),
                at,
            ));
        }
        let count = joints.len();
        let vertex = |column: u32, row: u32| column * ROWS + row;
        let influence = |vertex: u32| {
            let (column, row) = (vertex / ROWS, vertex % ROWS);
            let slot = match row {
                0 => 0,
                _ => 1 + 2 * column + u32::from(row > ROWS / 2),
            };
            [Influence::new(SkinSlot(slot), 1.0)]
        };
        let mut asset = asset_of(joints);
        let squares = (1..columns).flat_map(|column| (1..ROWS).map(move |row| (column, row)));
        asset.meshes.push(Mesh {
            positions: vec![Vec3::ZERO; (columns * ROWS) as usize],
            triangles: squares
                .flat_map(|(column, row)| {
                    let [a, b] = [column - 1, column].map(|column| vertex(column, row - 1));
                    [[a, b, a + 1], [b, b + 1, a + 1]]
                })
                .collect(),
            influences: Influences::from_vertices((0..columns * ROWS).map(influence)),
            ..Mesh::default()
        });
        asset.skins.push(Skin {
            name: "sheet".into(),
            joints: (0..count).map(NodeId::from_index).collect(),
            inverse_bind_matrices: vec![Mat4::IDENTITY; count],
        });
        asset
            .instances
            .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
        asset
    }

    #[test]
    fn chains_of_a_sheet_are_beside_each_other() {
        let beside = beside_others(&sheet(4));
        assert!(!beside[0]);
        assert!(beside[1..].iter().all(|beside| *beside));
    }

    /// A walk through all joints above for each triangle would take minutes.
    #[test]
    fn a_deep_hierarchy_is_counted_at_once() {
        let at = LocalTransform::Matrix(Mat4::IDENTITY);
        let mut asset = sheet(2);
        let mut joints: Vec<_> = (0..100_000_u32)
            .map(|joint| named_joint("above", joint.checked_sub(1), at))
            .collect();
        let first = 100_000;
        for joint in asset.skeleton.nodes() {
            let parent = joint.parent.map_or(first - 1, |parent| parent.0 + first);
            joints.push(named_joint(&joint.name, Some(parent), joint.rest));
        }
        asset.skeleton = crate::rig::Skeleton::new(joints).expect("parents come first");
        for joint in &mut asset.skins[0].joints {
            joint.0 += first;
        }
        let triangles = asset.meshes[0].triangles.clone();
        asset.meshes[0].triangles = triangles.iter().copied().cycle().take(100_000).collect();
        let beside = beside_others(&asset);
        assert_eq!(beside.iter().filter(|beside| **beside).count(), 4);
    }

    #[test]
    fn a_limb_is_beside_nothing() {
        assert_eq!(beside_others(&arm()), [false; 2]);
    }

    #[test]
    fn two_that_meet_at_one_end_are_not_beside_each_other() {
        let mut asset = sheet(2);
        // All squares but the uppermost are cut: each column is a strip of its own.
        asset.meshes[0].triangles.truncate(2);
        let strip = |column: u32| {
            (1..ROWS - 1).map(move |row| [0, 1, 0].map(|more| column * ROWS + row + more))
        };
        let strips: Vec<[u32; 3]> = (0..2).flat_map(strip).collect();
        asset.meshes[0].triangles.extend(strips);
        assert_eq!(beside_others(&asset), [false; 5]);
    }
}
