//! Stage: the inverse bind matrices.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, DVec3};

use super::common::{Posed, Scale, distance};
use super::distances::point;
use super::matching::{Key, Matching};
use super::report::{Kind, Location, Off, Stage, StageReport};
use super::tally::{Details, Tally};
use crate::rig::{Bounds, JointId};

/// By the joint that shows the mesh and the joint that influences it. There are several if meshes of one joint are bound
/// differently.
type Binds = BTreeMap<(Key, Key), Vec<DMat4>>;

/// Compares the matrices of all joints that influence a vertex.
///
/// Skins are not matched: one importer has one skin for many meshes, another one per mesh. Each matrix is moved to the rest
/// pose by its joint, and applied to the corners of the mesh's box. The distance of two matrices is the largest distance of
/// a corner, because an affine difference is largest at a corner.
///
/// * `rest` – of both.
pub(super) fn compare(matching: &Matching<'_>, rest: &[Posed; 2], scale: Scale) -> StageReport {
    let mut tally = Tally::new(Stage::InverseBinds);
    let [a, b] = [0, 1].map(|side| binds(matching, side));
    let boxes = boxes(matching);
    for (&(mesh, joint), matrices) in &a {
        let Some(others) = b.get(&(mesh, joint)) else {
            continue;
        };
        let Some(pair) = matching.pairs.get(joint.0) else {
            continue;
        };
        tally.compared(1);
        let measure = Measure {
            common_from_joint: rest[0].worlds[pair[0].index()],
            corners: boxes.get(&mesh).map_or([DVec3::ZERO; 8], Bounds::corners),
        };
        let apart = measure.sets_apart(matrices, others);
        tally.apart(apart.distance / scale.diagonal);
        if apart.distance > scale.tolerance(apart.reach) {
            tally.add(Kind::InverseBind, apart.distance, || {
                details(matching, [mesh, joint], &apart, scale)
            });
        }
    }
    tally.finish()
}

fn details(
    matching: &Matching<'_>,
    [mesh, joint]: [Key; 2],
    apart: &Apart,
    scale: Scale,
) -> Details {
    Details {
        location: Location {
            joint: Some(matching.path_of_key(joint)),
            mesh: Some(matching.path_of_key(mesh)),
            ..Location::default()
        },
        says: apart
            .positions
            .map(|position| format!("a corner of the mesh's box at {}", point(position))),
        off: Some(Off::Length {
            absolute: apart.distance,
            relative: apart.distance / scale.diagonal,
        }),
    }
}

/// The distance of two matrices.
#[derive(Clone, Copy, Default)]
struct Apart {
    distance: f64,
    /// The largest coordinate of any corner.
    reach: f64,
    /// The two positions of the corner that is farthest apart.
    positions: [DVec3; 2],
}

/// How far apart matrices are.
struct Measure {
    common_from_joint: DMat4,
    corners: [DVec3; 8],
}

impl Measure {
    /// The Hausdorff distance of two sets: of the matrix that is farthest from its best counterpart, in both directions.
    fn sets_apart(&self, a: &[DMat4], b: &[DMat4]) -> Apart {
        let farthest = |from: &[DMat4], to: &[DMat4]| {
            let nearest = |matrix: &DMat4| {
                let all = to.iter().map(|other| self.apart(matrix, other));
                all.min_by(|a, b| a.distance.total_cmp(&b.distance))
                    .unwrap_or_default()
            };
            let all = from.iter().map(nearest);
            all.max_by(|a, b| a.distance.total_cmp(&b.distance))
                .unwrap_or_default()
        };
        let (there, mut back) = (farthest(a, b), farthest(b, a));
        back.positions.reverse();
        if there.distance >= back.distance {
            there
        } else {
            back
        }
    }

    fn apart(&self, a: &DMat4, b: &DMat4) -> Apart {
        let [a, b] = [a, b].map(|matrix| self.common_from_joint * *matrix);
        let mut worst = Apart::default();
        for corner in self.corners {
            let positions = [a, b].map(|matrix| matrix.transform_point3(corner));
            let reach = positions[0].abs().max(positions[1].abs()).max_element();
            let distance = distance(positions[0], positions[1]);
            if distance > worst.distance {
                worst.distance = distance;
                worst.positions = positions;
            }
            worst.reach = worst.reach.max(reach);
        }
        worst
    }
}

/// Most matrices kept per joint; instanced meshes repeat the same few.
const MOST_MATRICES: usize = 64;

fn binds(matching: &Matching<'_>, side: usize) -> Binds {
    let asset = matching.trees[side].asset;
    let mut binds = Binds::new();
    for instance in &asset.instances {
        let Some(skin) = asset.skin_of(instance) else {
            continue;
        };
        let mesh = matching.key(side, instance.node);
        for slot in pulling_joints(asset.mesh_of(instance)) {
            let slot = slot.index();
            let (Some(joint), Some(matrix)) =
                (skin.joints.get(slot), skin.inverse_bind_matrices.get(slot))
            else {
                continue;
            };
            let joint = matching.key(side, *joint);
            let known = binds.entry((mesh, joint)).or_default();
            let matrix = matrix.as_dmat4();
            if known.len() < MOST_MATRICES && !known.contains(&matrix) {
                known.push(matrix);
            }
        }
    }
    binds
}

fn pulling_joints(mesh: &crate::rig::Mesh) -> BTreeSet<JointId> {
    let all = mesh.influences.all().iter();
    all.filter(|influence| influence.weight != 0.0)
        .map(|influence| influence.joint)
        .collect()
}

/// The box around the vertices of the meshes that each joint shows, in mesh space, by the first importer.
fn boxes(matching: &Matching<'_>) -> BTreeMap<Key, Bounds> {
    let asset = matching.trees[0].asset;
    let mut boxes = BTreeMap::new();
    for instance in &asset.instances {
        let key = matching.key(0, instance.node);
        let shown = boxes.entry(key).or_insert(Bounds::EMPTY);
        for position in &asset.mesh_of(instance).positions {
            shown.include(position.as_dvec3());
        }
    }
    boxes
}
