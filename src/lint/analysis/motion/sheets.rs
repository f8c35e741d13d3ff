//! Finds joints that only move together with others beside them.

use crate::lint::analysis::joints;
use crate::rig::{Asset, Influence, MeshInstance, NodeId};

/// The part of a triangle's weight from which a joint counts as moving it.
const MOVES: f32 = 0.05;

/// The share of a joint's triangles that other joints beside it also move: half on a cape, all on a wing, and a
/// twentieth on a leg, where it meets the other one.
const SHARE: f64 = 0.5;

/// For each joint, whether most triangles that it and its descendants move also follow joints that are neither its ancestors
/// nor its descendants: the chains of a cape, the fingers of a wing, the bones of a palm or of lips. They share one piece of
/// flesh, which tears when one of them rotates alone, however well it is weighted.
pub(in crate::lint) fn beside_others(asset: &Asset) -> Vec<bool> {
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
        let mut above: Vec<Option<NodeId>> = Vec::with_capacity(followed.len());
        for joint in asset.skeleton.nodes() {
            let nearest = |parent: NodeId| {
                let follows = followed[parent.index()];
                if follows {
                    Some(parent)
                } else {
                    above[parent.index()]
                }
            };
            above.push(joint.parent.and_then(nearest));
        }
        let count = followed.len();
        Self {
            above,
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
    use crate::lint::testing::arm;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{Influences, LocalTransform, Mesh, MeshId, Skin, SkinId, SkinSlot};

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
