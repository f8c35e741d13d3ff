//! Stages: joints and their hierarchy, the rest pose, and the inverse bind matrices.
//!
//! `diff` measures what a joint does to the mesh, which does not depend on the joint's axes, and compares where joints
//! carry the mesh at rest. Here, axes and matrices must be equal, also where one makes up for the other: a file states
//! them.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, DVec3};

use super::both::weights_apart;
use super::both::{AXES, Both, Posed, Scale, WEIGHT};
use super::matching::{Key, Matching};
use super::place::Place;
use super::report::{Kind, Stage, StageReport, Tally};
use crate::diff::apart;
use crate::rig::{Bounds, Mesh, NodeId, SkinSlot};

/// Compares names and parents.
///
/// A joint that only one importer has is a difference, except for joints that files do not name: a helper
/// (`diff::helpers`), and an unused joint that is unnamed or a root above joints of both.
pub(super) fn compare(matching: &Matching<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::Joints);
    tally.compared(matching.pairs.len());
    for &pair in &matching.pairs {
        compare_names(matching, pair, &mut tally);
        compare_parents(matching, pair, &mut tally);
    }
    for side in [0, 1] {
        for joint in matching.trees[side].joints() {
            if !matching.is_matched(side, joint) && !is_pass_through(matching, side, joint) {
                tally.compared(1);
                tally.add(Kind::JointMissing, f64::INFINITY, |worst| {
                    let place = Place::joint(matching.key(side, joint));
                    worst.at(place).only(side, "a joint")
                });
            }
        }
    }
    tally.finish(matching)
}

fn is_pass_through(matching: &Matching<'_>, side: usize, joint: NodeId) -> bool {
    let tree = &matching.trees[side];
    let is_root_above = tree.parent(joint).is_none() && matching.is_above_a_pair(side, joint);
    !tree.is_used(joint) && (is_root_above || tree.name(joint).is_empty())
}

/// A name that an importer invents for an unnamed joint is not a difference.
fn compare_names(matching: &Matching<'_>, pair: [NodeId; 2], tally: &mut Tally) {
    let names = [0, 1].map(|side| matching.trees[side].name(pair[side]));
    if names[0] != names[1] && !names.contains(&"") {
        let says = names.map(|name| format!("\"{name}\""));
        tally.add(Kind::JointName, f64::INFINITY, |worst| {
            let place = Place::joint(matching.key(0, pair[0]));
            worst.at(place).saying(says)
        });
    }
}

fn compare_parents(matching: &Matching<'_>, pair: [NodeId; 2], tally: &mut Tally) {
    let parents = [0, 1].map(|side| matching.above(side, pair[side]));
    let keys = [0, 1].map(|side| parents[side].map(|parent| matching.key(side, parent)));
    if keys[0] != keys[1] {
        let parent = |side: usize| {
            let parent = parents[side].map(|parent| matching.trees[side].path(parent));
            parent.map_or("no parent".to_owned(), |path| format!("below \"{path}\""))
        };
        tally.add(Kind::JointParent, f64::INFINITY, |worst| {
            let place = Place::joint(matching.key(0, pair[0]));
            worst.at(place).saying([0, 1].map(parent))
        });
    }
}

/// The distance between two transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Apart {
    /// Between the two origins.
    pub(super) position: f64,
    /// The same as a multiple of its tolerance.
    pub(super) position_used: f64,
    /// Between axes of the same name, as a part of the longest; infinite if only one is finite.
    pub(super) axes: f64,
    /// The same as a multiple of its tolerance.
    pub(super) axes_used: f64,
}

impl Apart {
    /// * `unit` – length in the common space of one unit that the matrices lead to.
    pub(super) fn of([a, b]: [&DMat4; 2], unit: f64, scale: Scale) -> Self {
        let origins = [a, b].map(|matrix| matrix.w_axis.truncate() * unit);
        let reach = origins[0].abs().max(origins[1].abs()).max_element();
        let position = apart::points(origins[0], origins[1]);
        let axes = axes_apart(a, b);
        Self {
            position,
            position_used: position / scale.tolerance(reach),
            axes,
            axes_used: axes / AXES,
        }
    }
}

fn axes(matrix: &DMat4) -> [DVec3; 3] {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::DVec4::truncate)
}

/// Columns of zero length on both sides are equal.
fn axes_apart(a: &DMat4, b: &DMat4) -> f64 {
    let (a, b) = (axes(a), axes(b));
    let lengths = a.iter().chain(&b).map(|axis| axis.length());
    let longest = lengths
        .filter(|length| length.is_finite())
        .fold(0.0, f64::max);
    let apart = a
        .iter()
        .zip(&b)
        .map(|(a, b)| apart::points(*a, *b))
        .fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// The largest difference of two axes' lengths, as a part of the longest.
pub(super) fn lengths_apart([a, b]: [&DMat4; 2]) -> f64 {
    let [a, b] = [a, b].map(|matrix| axes(matrix).map(DVec3::length));
    let longest = a.into_iter().chain(b).fold(0.0, f64::max);
    let apart = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    if apart > 0.0 { apart / longest } else { 0.0 }
}

/// The length of the longest axis.
pub(super) fn longest_axis(matrix: &DMat4) -> f64 {
    axes(matrix)
        .map(DVec3::length)
        .into_iter()
        .fold(0.0, f64::max)
}

/// Compares the transforms of all joints that both importers have.
///
/// * `at` – the clip and the time.
pub(super) fn compare_transforms(
    both: &Both<'_>,
    posed: &[Posed; 2],
    at: Place,
    tally: &mut Tally,
) {
    tally.compared(both.matching.pairs.len());
    for &pair in &both.matching.pairs {
        let worlds = [0, 1].map(|side| &posed[side].worlds[pair[side].index()]);
        let apart = Apart::of(worlds, 1.0, both.scale);
        let place = Place {
            joint: Some(both.matching.key(0, pair[0])),
            ..at
        };
        tally.apart(both.scale.relative(apart.position));
        if apart.position_used > 1.0 {
            tally.add(Kind::JointPosition, apart.position_used, |worst| {
                worst
                    .at(place)
                    .saying(worlds.map(|world| point(world.w_axis.truncate())))
                    .off(both.scale.off(apart.position))
            });
        }
        if apart.axes_used > 1.0 {
            tally.add(Kind::JointAxes, apart.axes_used, |worst| {
                worst.at(place).off_part(apart.axes)
            });
        }
    }
}

/// A point for people.
pub(super) fn point(point: DVec3) -> String {
    format!("({:.6} {:.6} {:.6})", point.x, point.y, point.z)
}

/// Compares the transforms of the joints that both importers have, and the morph weights of the meshes.
pub(super) fn compare_rest(both: &Both<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::RestPose);
    compare_transforms(both, &both.rest, Place::default(), &mut tally);
    compare_morph_weights(both, &mut tally);
    tally.finish(&both.matching)
}

/// Only if both have equally many targets; otherwise the vertices show the difference.
fn compare_morph_weights(both: &Both<'_>, tally: &mut Tally) {
    let [a, b] = both.morph_weights(&both.rest);
    for (key, a) in &a {
        let Some(b) = b.get(key).filter(|b| b.len() == a.len()) else {
            continue;
        };
        let apart = weights_apart(a, b);
        if apart > WEIGHT {
            tally.add(Kind::RestMorphWeights, apart, |worst| {
                worst
                    .at(Place::mesh(*key))
                    .saying([a, b].map(|weights| list(weights)))
                    .off_part(apart)
            });
        }
    }
}

/// The first few weights for people.
fn list(weights: &[f32]) -> String {
    const SHOWN: usize = 4;
    let shown = weights.iter().take(SHOWN).map(ToString::to_string);
    let mut text = shown.collect::<Vec<_>>().join(" ");
    if weights.len() > SHOWN {
        text.push_str(" …");
    }
    text
}

/// By the joint that shows the mesh and the joint that influences it. There are several if meshes of one joint are bound
/// differently.
type Binds = BTreeMap<(Key, Key), Vec<DMat4>>;

/// Compares the matrices of all joints that influence a vertex.
///
/// Skins are not matched: one importer has one skin for many meshes, another one per mesh. Each matrix is moved to the rest
/// pose by its joint, and applied to the corners of the mesh's box. The distance of two matrices is the largest distance of
/// a corner.
pub(super) fn compare_binds(both: &Both<'_>) -> StageReport {
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
                let place = Place {
                    joint: Some(joint),
                    ..Place::mesh(mesh)
                };
                worst
                    .at(place)
                    .saying(positions.map(says))
                    .off(both.scale.off(distance))
            });
        }
    }
    tally.finish(&both.matching)
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
