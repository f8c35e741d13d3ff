//! `G813`: wild-target.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::analysis::topology::topology;
use crate::analysis::{joints, size};
use crate::core::numbers;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Asset, Location, Mesh, MorphTarget, NodeId, Part};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// A target that moves a vertex by its mesh's whole diagonal deforms neither a face nor a muscle. Hats and tails that
/// grow out of nothing move by half of it.
const DIAGONALS: Limit = Limit::new("diagonals", 1.0, LimitRange::FROM_ZERO)
    .about("maximum displacement of a vertex by a target, in diagonals of the mesh");

/// A multiple of the largest delta among the neighbours. Neighbours of smooth targets differ by a few times.
const TIMES: Limit = Limit::new("times", 20.0, LimitRange::FROM_ZERO)
    .about("maximum delta of a vertex over the largest of its neighbours'");

/// A spike shorter than this fraction of the diagonal is invisible.
const SEEN: f32 = 0.05;

/// In a mesh with fewer vertices, a single one can be a shape, such as a corner of a box.
const FEWEST: usize = 50;

const MOVED: Gauge = Gauge::new("movement by a morph target", ReadingUnit::Diagonals);

declare_rule! {
    WildTarget, "G813", "wild-target", Hint, Judged, limits = &[DIAGONALS, TIMES]
}

impl Rule for WildTarget {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [far, times] = [DIAGONALS, TIMES].map(|limit| cx.limit(&Self::META, &limit));
        let mut diagonals = BTreeMap::new();
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            if mesh.morph_targets.is_empty() {
                continue;
            }
            let diagonal = diagonals.entry(instance.node);
            let diagonal = *diagonal.or_insert_with(|| diagonal_at(cx.asset, instance.node));
            // All targets of a mesh are one finding.
            let group = cx.mesh(instance);
            for (number, target) in mesh.morph_targets.iter().enumerate() {
                let at_target = |subject: Location| subject.part(Part::Target(number));
                let lengths = target.positions.iter().map(|delta| delta.length());
                let farthest = lengths.enumerate().filter(|(_, length)| length.is_finite());
                let Some((vertex, length)) = farthest.max_by(|a, b| a.1.total_cmp(&b.1)) else {
                    continue;
                };
                let part = f64::from(length) / diagonal;
                let are_positions = repeats(mesh, target);
                if part <= far || !are_positions {
                    out.measure(MOVED, [part, far], || {
                        at_target(group.clone()).vertex(vertex)
                    });
                }
                if are_positions {
                    out.add(Offence::of(&group, "target"), |subject| {
                        let message =
                            "the target holds positions, not offsets from the base".to_owned();
                        (at_target(subject), message)
                    });
                } else if part > far {
                    out.add(Offence::above(&group, "target", part, far), |subject| {
                        let part = numbers::times(part);
                        let message = format!("the target moves it by {part} the mesh's size");
                        (cx.at_vertex(at_target(subject), instance, vertex), message)
                    });
                } else if let Some((vertex, ratio)) = spike(mesh, target, diagonal, times, || {
                    &topology(cx, instance.mesh).welded
                }) {
                    out.add(Offence::above(&group, "target", ratio, times), |subject| {
                        let message =
                            "the target moves it far and none of its neighbours".to_owned();
                        (cx.at_vertex(at_target(subject), instance, vertex), message)
                    });
                }
            }
        }
    }
}

/// The diagonal of all parts of the mesh at a node. A part of one material, such as an eye, is no measure: a target may hide
/// it behind another.
fn diagonal_at(asset: &Asset, node: NodeId) -> f64 {
    let parts = asset.instances.iter().filter(|part| part.node == node);
    size::diagonal(parts.flat_map(|part| &asset.mesh_of(part).positions))
}

/// Whether the deltas are absolute positions, moved by less than half: the mean of the remainder is small.
fn repeats(mesh: &Mesh, target: &MorphTarget) -> bool {
    let middle = mean(&mesh.positions);
    let pairs = || target.positions.iter().zip(&mesh.positions);
    let sum =
        |of: &dyn Fn((&Vec3, &Vec3)) -> f32| pairs().map(|pair| f64::from(of(pair))).sum::<f64>();
    let left = sum(&|(delta, position)| delta.distance(*position));
    let size = sum(&|(_, position)| position.distance(middle));
    size > 0.0 && left < 0.25 * size
}

#[expect(clippy::cast_precision_loss, reason = "a count of vertices")]
fn mean(positions: &[Vec3]) -> Vec3 {
    positions.iter().sum::<Vec3>() / positions.len().max(1) as f32
}

/// The vertex that moves farthest beyond its neighbours, and the ratio of the distances.
///
/// * `welded` – for each vertex, the first at its position.
fn spike<'a>(
    mesh: &Mesh,
    target: &MorphTarget,
    diagonal: f64,
    times: f64,
    welded: impl FnOnce() -> &'a Vec<u32>,
) -> Option<(usize, f64)> {
    let lengths: Vec<f32> = target
        .positions
        .iter()
        .map(|delta| delta.length())
        .collect();
    let is_seen = |vertex: &usize| f64::from(lengths[*vertex]) > f64::from(SEEN) * diagonal;
    if mesh.positions.len() < FEWEST || !(0..lengths.len()).any(|vertex| is_seen(&vertex)) {
        return None;
    }
    let welded = welded();
    // The largest delta beside each position, at its first vertex.
    let mut beside = vec![0.0_f32; mesh.positions.len()];
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| corner as usize);
        for (own, others) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
            let first = welded[own] as usize;
            for other in others {
                if welded[other] as usize != first {
                    beside[first] = beside[first].max(lengths[other]);
                }
            }
        }
    }
    let ratio = |vertex: usize| {
        let beside = f64::from(beside[welded[vertex] as usize]);
        f64::from(lengths[vertex]) / beside.max(1e-3 * diagonal)
    };
    let all = (0..lengths.len()).filter(is_seen);
    let worst = all
        .map(|vertex| (vertex, ratio(vertex)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    worst.filter(|(_, ratio)| *ratio > times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{MeshId, MeshInstance};
    use crate::testing::{arm, findings};

    #[test]
    fn a_part_of_a_mesh_is_measured_by_all_of_it() {
        let mut asset = arm();
        let mut eye = asset.meshes[0].clone();
        for position in &mut eye.positions {
            *position *= 0.01;
        }
        let hidden = MorphTarget {
            positions: vec![Vec3::X * 0.2; eye.positions.len()],
            ..MorphTarget::default()
        };
        eye.morph_targets = vec![hidden];
        asset.meshes.push(eye);
        asset.instances[0].mesh = MeshId(1);
        let twice = vec![asset.meshes[1].morph_targets[0].clone(); 2];
        asset.meshes[1].morph_targets = twice;
        let found = findings(&asset, &WildTarget);
        assert_eq!((found.len(), found[0].count), (1, 2));
        let beside = asset.instances[0].clone();
        asset.instances.push(MeshInstance {
            mesh: MeshId(0),
            ..beside
        });
        assert!(findings(&asset, &WildTarget).is_empty());
    }

    #[test]
    fn vertices_at_one_position_have_the_same_neighbours() {
        // A vertex moves far, and so does a neighbour of it, or only of its twin at the same position.
        let count = |follows: bool, is_split: bool| {
            let mut asset = arm();
            let mesh = &mut asset.meshes[0];
            let own = mesh.triangles[100][0] as usize;
            let beside = mesh.triangles[100][1] as usize;
            let mut delta = vec![Vec3::ZERO; mesh.positions.len()];
            delta[own] = Vec3::X;
            if follows {
                delta[beside] = Vec3::X * 0.5;
            }
            if is_split {
                // The triangles with both get a vertex of their own.
                let twin = u32::try_from(mesh.positions.len()).expect("the arm is small");
                mesh.positions.push(mesh.positions[own]);
                mesh.normals.push(mesh.normals[own]);
                delta.push(Vec3::X);
                for corners in &mut mesh.triangles {
                    if corners.iter().any(|corner| *corner as usize == beside) {
                        for corner in corners.iter_mut().filter(|corner| **corner as usize == own) {
                            *corner = twin;
                        }
                    }
                }
                let mut lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
                lists.push(lists[own].clone());
                mesh.influences = crate::rig::Influences::from_vertices(lists);
            }
            mesh.morph_targets = vec![MorphTarget {
                positions: delta,
                ..MorphTarget::default()
            }];
            findings(&asset, &WildTarget).len()
        };
        assert_eq!([count(false, false), count(false, true)], [1, 1]);
        assert_eq!([count(true, false), count(true, true)], [0, 0]);
    }
}
