//! `G803`: degenerate-triangle.

use glam::{DVec3, Vec3};

use crate::analysis::joints;
use crate::analysis::topology::{edge, sides, single, topology};
use crate::core::numbers::as_f64;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::Mesh;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Height above the longest side, relative to the largest coordinate. Each coordinate is rounded by half a step of f32,
/// 2^-24 = 6e-8; twice that for the two ends of a height.
const HEIGHT: Limit = Limit::new("height", 1.2e-7, LimitRange::FROM_ZERO)
    .about("minimum height of a triangle, over its largest coordinate");

/// If one in this many triangles has no area, a part of the mesh is collapsed; tools leave far fewer.
const MANY: usize = 20;

/// So many slivers are left by a tool, however small the mesh.
const SLIVERS: usize = 2;

const FLAT: Gauge = Gauge::new("triangles without area", ReadingUnit::Part);

declare_rule! {
    DegenerateTriangle, "G803", "degenerate-triangle", Hint, Judged,
    limits = &[HEIGHT], attribute = Some("POSITION")
}

impl Rule for DegenerateTriangle {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &HEIGHT);
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            let is_flat = |corners: &[u32; 3]| {
                let points = corners.map(|corner| mesh.positions[corner as usize]);
                // G801 reports positions that are not finite.
                let finite = points.iter().all(|point| point.is_finite());
                finite && relative_height(points.map(Vec3::as_dvec3)) <= limit
            };
            let all = mesh.triangles.iter().enumerate();
            let flat: Vec<_> = all.filter(|(_, corners)| is_flat(corners)).collect();
            // Triangles with a repeated vertex join strips.
            let is_collapsed = |&&(_, &[a, b, c]): &&(usize, &[u32; 3])| a != b && b != c && c != a;
            let collapsed = flat.iter().filter(is_collapsed).count();
            if !mesh.triangles.is_empty() {
                let part = as_f64(collapsed) / as_f64(mesh.triangles.len());
                out.measure(FLAT, [part, 1.0 / as_f64(MANY)], || group.clone());
            }
            let is_open =
                !flat.is_empty() && has_hole(mesh, &topology(cx, instance.mesh).welded, &flat);
            let few = !is_open && (collapsed <= SLIVERS || MANY * collapsed < mesh.triangles.len());
            for (index, corners) in flat {
                let offence = Offence::of(&group, "triangle").info_if(few);
                out.add(offence.vertices(corners), |subject| {
                    let [a, b, c] = corners;
                    let message =
                        format!("triangle {index} of vertices {a}, {b} and {c} has no area");
                    (subject.vertex(*a as usize), message)
                });
            }
        }
    }
}

/// Whether the surface lacks a triangle with area that one of the `flat` ones should be: three sides in a ring, each of a
/// single triangle with area, and two of the ring's corners are those of the flat one.
fn has_hole(mesh: &Mesh, welded: &[u32], flat: &[(usize, &[u32; 3])]) -> bool {
    let welded = |corners: [u32; 3]| corners.map(|corner| welded[corner as usize]);
    let mut has_area = vec![true; mesh.triangles.len()];
    let mut is_near = vec![false; mesh.positions.len()];
    for (index, corners) in flat {
        has_area[*index] = false;
        for corner in welded(**corners) {
            is_near[corner as usize] = true;
        }
    }
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for (corners, has_area) in mesh.triangles.iter().zip(has_area) {
        let sides = sides(welded(*corners)).into_iter();
        let near = sides.filter(|ends| has_area && ends.iter().any(|end| is_near[*end as usize]));
        edges.extend(near.map(edge));
    }
    // In both directions.
    let both = |[from, to]: [u32; 2]| [[from, to], [to, from]];
    let mut open: Vec<[u32; 2]> = single(edges).into_iter().flat_map(both).collect();
    open.sort_unstable();
    let is_open = |edge: [u32; 2]| open.binary_search(&edge).is_ok();
    let from = |vertex: u32| {
        let first = open.partition_point(|edge| edge[0] < vertex);
        open[first..]
            .iter()
            .take_while(move |edge| edge[0] == vertex)
    };
    let area = |corners: [u32; 3]| {
        let points = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
        relative_height(points)
    };
    let is_hole = |[a, b]: [u32; 2]| {
        let is_ring = |third: u32| is_open([b, third]) && area([a, b, third]) > HOLE;
        is_open([a, b]) && from(a).any(|[_, third]| is_ring(*third))
    };
    let mut flat_sides = flat
        .iter()
        .flat_map(|(_, corners)| sides(welded(**corners)));
    flat_sides.any(is_hole)
}

/// A gap that is lower, relative to the largest coordinate, is not seen.
const HOLE: f64 = 1e-4;

/// The height above the longest side, relative to the largest coordinate; 0 for a triangle that is a point.
fn relative_height([a, b, c]: [DVec3; 3]) -> f64 {
    let sides = [b - a, c - b, a - c];
    let longest = sides.iter().map(|side| side.length()).fold(0.0, f64::max);
    let largest = [a, b, c]
        .map(|point| point.abs().max_element())
        .into_iter()
        .fold(0.0, f64::max);
    let scale = longest * largest;
    if scale > 0.0 {
        sides[0].cross(sides[1]).length() / scale
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn height_is_a_share_of_the_largest_coordinate() {
        let height = relative_height([DVec3::ZERO, DVec3::X * 4.0, DVec3::new(1.0, 2.0, 0.0)]);
        assert!((height - 0.5).abs() < 1e-15, "{height}");
        // The same triangle a hundred times as far away is a hundred times closer to degenerate.
        let far = DVec3::Z * 400.0;
        let height = relative_height([far, far + DVec3::X * 4.0, far + DVec3::new(1.0, 2.0, 0.0)]);
        assert!((height - 0.005).abs() < 1e-15, "{height}");
    }

    #[test]
    fn a_point_and_a_line_have_none() {
        assert!(relative_height([DVec3::ZERO; 3]) <= 0.0);
        assert!(relative_height([DVec3::X; 3]) <= 0.0);
        assert!(relative_height([DVec3::X, DVec3::X * 2.0, DVec3::X * 5.0]) <= 0.0);
    }
}
