//! Joints that only move together with others beside them.

use crate::rig::{Asset, Influence, JointId, MeshInstance};

/// The part of a triangle's weight from which a joint counts as moving it.
const MOVES: f32 = 0.05;

/// From this part on of the triangles that a joint moves, others beside it move them as well: it is half of a cape's and all
/// of a wing's, and a twentieth of a leg's, where it meets the other one.
const SHARE: f64 = 0.5;

/// For each joint, whether most of what it moves (with all joints below it) also follows joints that are neither above nor
/// below it: the chains of a cape, the fingers of a wing, the bones of a palm or of lips. The flesh between them is one, and
/// turning one of them alone tears it however well it is weighted.
pub(super) fn beside_others(asset: &Asset) -> Vec<bool> {
    let mut shares = Shares::of(asset);
    for instance in &asset.instances {
        shares.add(instance);
    }
    let all = shares.moved.iter().zip(&shares.shared);
    all.map(|(moved, shared)| *moved > 0 && f64::from(*shared) >= SHARE * f64::from(*moved))
        .collect()
}

/// How many triangles each joint moves, and how many of them others beside it move too.
struct Shares<'a> {
    asset: &'a Asset,
    moved: Vec<u32>,
    shared: Vec<u32>,
    /// Of the triangle at hand: what each joint has of its weight by itself, and with those below it.
    own: Vec<f32>,
    below: Vec<f32>,
}

impl<'a> Shares<'a> {
    fn of(asset: &'a Asset) -> Self {
        let count = asset.skeleton.len();
        Self {
            asset,
            moved: vec![0; count],
            shared: vec![0; count],
            own: vec![0.0; count],
            below: vec![0.0; count],
        }
    }

    fn add(&mut self, instance: &MeshInstance) {
        let Some(skin) = self.asset.skin_of(instance) else {
            return;
        };
        let mesh = self.asset.mesh_of(instance);
        for corners in &mesh.triangles {
            let pulls = corners
                .iter()
                .map(|corner| mesh.influences.of(*corner as usize));
            self.count(pulls.flatten(), &skin.joints);
        }
    }

    /// Counts a triangle whose corners follow `pulls`.
    fn count<'i>(&mut self, pulls: impl Iterator<Item = &'i Influence>, slots: &[JointId]) {
        let mut total = 0.0;
        let mut touched: Vec<JointId> = Vec::new();
        for pull in pulls.filter(|pull| pull.weight > 0.0) {
            let joint = slots[pull.slot as usize];
            self.own[joint.index()] += pull.weight;
            total += pull.weight;
            for above in line(self.asset, joint) {
                if self.below[above.index()] == 0.0 {
                    touched.push(above);
                }
                self.below[above.index()] += pull.weight;
            }
        }
        for joint in &touched {
            let below = self.below[joint.index()];
            let above: f32 = line(self.asset, *joint)
                .skip(1)
                .map(|above| self.own[above.index()])
                .sum();
            if below > MOVES * total {
                self.moved[joint.index()] += 1;
                self.shared[joint.index()] += u32::from(total - below - above > MOVES * total);
            }
        }
        for joint in touched {
            self.own[joint.index()] = 0.0;
            self.below[joint.index()] = 0.0;
        }
    }
}

/// A joint and those above it.
fn line(asset: &Asset, joint: JointId) -> impl Iterator<Item = JointId> {
    let parent = |joint: &JointId| asset.skeleton.get(*joint)?.parent;
    std::iter::successors(Some(joint), parent)
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::lint::testing::arm;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{Influences, LocalTransform, Mesh, MeshId, Skin, SkinId};

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
        let pull = |vertex: u32| {
            let (column, row) = (vertex / ROWS, vertex % ROWS);
            let slot = match row {
                0 => 0,
                _ => 1 + 2 * column + u32::from(row > ROWS / 2),
            };
            [Influence { slot, weight: 1.0 }]
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
            influences: Influences::from_vertices((0..columns * ROWS).map(pull)),
            ..Mesh::default()
        });
        asset.skins.push(Skin {
            name: "sheet".into(),
            joints: (0..count).map(JointId::from_index).collect(),
            inverse_bind_matrices: vec![Mat4::IDENTITY; count],
        });
        asset.instances.push(MeshInstance {
            joint: JointId(0),
            mesh: MeshId(0),
            skin: Some(SkinId(0)),
            morph_weights: vec![],
        });
        asset
    }

    #[test]
    fn chains_of_a_sheet_are_beside_each_other() {
        let beside = beside_others(&sheet(4));
        assert!(!beside[0]);
        assert!(beside[1..].iter().all(|beside| *beside));
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
