//! Stage: the inverse bind matrices.
//!
//! `diff` compares where joints carry the mesh at rest. Here, the matrices themselves must be equal, also where the rest
//! pose makes up for them.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, DVec3};

use super::both::Both;
use super::matching::Key;
use super::report::{Kind, Stage, StageReport};
use super::tally::Tally;
use super::transforms::point;
use crate::diff::apart;
use crate::rig::{Bounds, Location, Mesh, SkinSlot};

/// By the joint that shows the mesh and the joint that influences it. There are several if meshes of one joint are bound
/// differently.
type Binds = BTreeMap<(Key, Key), Vec<DMat4>>;

/// Compares the matrices of all joints that influence a vertex.
///
/// Skins are not matched: one importer has one skin for many meshes, another one per mesh. Each matrix is moved to the rest
/// pose by its joint, and applied to the corners of the mesh's box. The distance of two matrices is the largest distance of
/// a corner.
pub(super) fn compare(both: &Both<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::InverseBinds);
    let [a, b] = [0, 1].map(|side| binds(both, side));
    let boxes = boxes(both);
    for (&(mesh, joint), matrices) in &a {
        let pair = both.matching.pairs.get(joint.0);
        let (Some(others), Some(pair)) = (b.get(&(mesh, joint)), pair) else {
            continue;
        };
        tally.compared(1);
        let corners = boxes.get(&mesh).map_or([DVec3::ZERO; 8], Bounds::corners);
        let to_rest = |matrices: &[DMat4]| -> Vec<DMat4> {
            let common_from_joint = both.rest[0].worlds[pair[0].index()];
            let matrices = matrices.iter();
            matrices.map(|matrix| common_from_joint * *matrix).collect()
        };
        let Some(worst) = sets_apart(&to_rest(matrices), &to_rest(others), &corners) else {
            continue;
        };
        let carried = corners.map(|corner| worst.map(|matrix| matrix.transform_point3(corner)));
        let apart = |positions: &[DVec3; 2]| apart::points(positions[0], positions[1]);
        let farther = |worst, next| {
            if apart(&next) > apart(&worst) {
                next
            } else {
                worst
            }
        };
        let positions = carried.into_iter().reduce(farther).unwrap_or_default();
        let reaches = carried
            .as_flattened()
            .iter()
            .map(|at| at.abs().max_element());
        let distance = apart(&positions);
        tally.apart(both.scale.relative(distance));
        if distance > both.scale.tolerance(reaches.fold(0.0, f64::max)) {
            tally.add(Kind::InverseBind, distance, |worst| {
                let says = |position| format!("a corner of the mesh's box at {}", point(position));
                let mesh = Location::mesh(both.matching.path_of_key(mesh));
                worst
                    .at(mesh.of_joint(both.matching.path_of_key(joint)))
                    .saying(positions.map(says))
                    .off(both.scale.off(distance))
            });
        }
    }
    tally.finish()
}

/// The pair of matrices that decides the Hausdorff distance of two sets: the matrix that is farthest from its best
/// counterpart, in either direction, with that counterpart.
fn sets_apart(a: &[DMat4], b: &[DMat4], corners: &[DVec3]) -> Option<[DMat4; 2]> {
    let farthest = |from: &[DMat4], to: &[DMat4]| {
        let nearest = |matrix: &DMat4| {
            let apart = |other: &DMat4| apart::carried(corners, matrix, other);
            let all = to.iter().map(|other| (apart(other), [*matrix, *other]));
            all.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let all = from.iter().filter_map(nearest);
        all.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let ((there, pair), (back, [of_b, of_a])) = (farthest(a, b)?, farthest(b, a)?);
    Some(if there >= back { pair } else { [of_a, of_b] })
}

/// Most matrices kept per joint; instanced meshes repeat the same few.
const MOST_MATRICES: usize = 64;

fn binds(both: &Both<'_>, side: usize) -> Binds {
    let (asset, matching) = (both.asset(side), &both.matching);
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

fn pulling_joints(mesh: &Mesh) -> BTreeSet<SkinSlot> {
    let all = mesh.influences.all().iter();
    all.filter(|influence| influence.weight != 0.0)
        .map(|influence| influence.slot)
        .collect()
}

/// The box around the vertices of the meshes that each joint shows, in mesh space, by the first importer.
fn boxes(both: &Both<'_>) -> BTreeMap<Key, Bounds> {
    let asset = both.asset(0);
    let mut boxes = BTreeMap::new();
    for instance in &asset.instances {
        let key = both.matching.key(0, instance.node);
        let shown = boxes.entry(key).or_insert(Bounds::EMPTY);
        for position in &asset.mesh_of(instance).positions {
            shown.include(position.as_dvec3());
        }
    }
    boxes
}
