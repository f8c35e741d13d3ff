//! `W113`: seam-weights-differ.

use crate::analysis::topology::{Topology, topology};
use crate::analysis::{joints, weighting};
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// The share of the weight that differs. Rounding explains up to two steps of 8-bit weights, 2/255 = 0.008: one where a
/// weight lies between two steps, one in the weight that takes the remainder. If a joint moves its side of a seam by 10
/// % of the diagonal, 0.01 of that is the 0.1 % from which D606 reports a crack.
const DIFFERENCE: Limit = Limit::new("difference", 0.01, LimitRange::PART)
    .about("share of the weight that differs between the two sides");

/// What differs by less is rounding, and not measured.
const NOTHING: f64 = 1e-4;

const ACROSS: Gauge = Gauge::new("weight that differs across a seam", ReadingUnit::Part);

declare_rule! {
    SeamWeightsDiffer, "W113", "seam-weights-differ", Hint, Judged,
    limits = &[DIFFERENCE], attribute = Some("WEIGHTS_0")
}

impl Rule for SeamWeightsDiffer {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Vertices => ["W104", "W105"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DIFFERENCE);
        for skinned in joints::skinned(cx.asset) {
            let topology = topology(cx, skinned.instance.mesh);
            let weights = weighting::weighting(cx, skinned.instance.mesh);
            let apart = |[a, b]: [usize; 2]| {
                let (a, b) = (weights.at(a), weights.at(b));
                // W104 reports vertices without weights.
                let comparable = !a.is_empty() && !b.is_empty();
                (comparable && a != b)
                    .then(|| weighting::distance_of_joints(skinned.skin, a, b))
                    .filter(|distance| *distance > NOTHING.min(limit))
            };
            let group = cx.mesh(skinned.instance);
            if topology.seams().next().is_some() {
                out.measure(ACROSS, [0.0, limit], || group.clone());
            }
            // Few meshes have such vertices, and only these need their seams found.
            if !topology.seams().any(|pair| apart(pair).is_some()) {
                continue;
            }
            for [a, b] in seam_pairs(topology, &skinned.mesh.triangles) {
                let Some(distance) = apart([a, b]) else {
                    continue;
                };
                out.measure(ACROSS, [distance, limit], || group.clone().vertex(a));
                if distance <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "pair of vertices", distance, limit);
                let ends = [a, b].map(|end| u32::try_from(end).unwrap_or_default());
                out.add(offence.vertices(&ends), |mut subject| {
                    subject.ids.other_vertex = Some(b);
                    let distance = beside(distance, limit, 2);
                    let message = format!(
                        "{distance} of the weight is on different joints than at vertex {b}, across a seam"
                    );
                    let differences = weighting::differences(weights.at(a), weights.at(b));
                    let most = differences.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                    let joint = most.map(|(slot, _)| slot);
                    (cx.at_weight(subject, skinned.instance, a, joint), message)
                });
            }
        }
    }
}

/// Pairs of vertices at the same position in two triangles with a common edge, lower index first, in order.
fn seam_pairs(topology: &Topology, triangles: &[[u32; 3]]) -> Vec<[usize; 2]> {
    let mut sides: Vec<Side> = triangles.iter().flat_map(|t| sides(topology, *t)).collect();
    sides.sort_unstable();
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for edge in sides.chunk_by(|a, b| a.positions == b.positions) {
        // More than two triangles at an edge are separate parts that touch.
        let [left, right] = edge else {
            continue;
        };
        for (&a, &b) in left.vertices.iter().zip(&right.vertices) {
            if a != b {
                pairs.push([a.min(b) as usize, a.max(b) as usize]);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// One side of a triangle, from the lower of its positions to the higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Welded indices.
    positions: [u32; 2],
    /// Indices of the triangle's vertices.
    vertices: [u32; 2],
}

fn sides(topology: &Topology, [a, b, c]: [u32; 3]) -> impl Iterator<Item = Side> {
    let position = |vertex: u32| topology.welded[vertex as usize];
    let side = move |[from, to]: [u32; 2]| {
        let ascending = position(from) <= position(to);
        let [from, to] = if ascending { [from, to] } else { [to, from] };
        Side {
            positions: [position(from), position(to)],
            vertices: [from, to],
        }
    };
    [[a, b], [b, c], [c, a]]
        .into_iter()
        .map(side)
        .filter(|side| side.positions[0] != side.positions[1])
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::Mesh;

    /// Positions on a line and one beside it, by number; vertices and triangles as given.
    fn pairs(positions: &[u8], triangles: &[[u32; 3]]) -> Vec<[usize; 2]> {
        let at = |&step: &u8| Vec3::new(f32::from(step), f32::from(step * step), 0.0);
        let mesh = Mesh {
            positions: positions.iter().map(at).collect(),
            triangles: triangles.to_vec(),
            ..Mesh::default()
        };
        seam_pairs(&Topology::of(&mesh), &mesh.triangles)
    }

    #[test]
    fn two_triangles_with_an_edge_in_common_make_a_seam() {
        let seam = pairs(&[0, 1, 2, 2, 1, 3], &[[0, 1, 2], [3, 4, 5]]);
        assert_eq!(seam, [[1, 4], [2, 3]]);
    }

    #[test]
    fn pieces_that_touch_in_a_corner_or_an_edge_make_none() {
        assert!(pairs(&[0, 1, 2, 2, 3, 4], &[[0, 1, 2], [3, 4, 5]]).is_empty());
        let touching = pairs(
            &[0, 1, 2, 3, 1, 2, 4, 5],
            &[[0, 1, 2], [2, 1, 3], [6, 4, 5], [5, 4, 7]],
        );
        assert!(touching.is_empty(), "{touching:?}");
    }
}
