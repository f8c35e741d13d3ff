//! The orientation of triangles and normals.

use std::collections::HashMap;

use glam::{DMat3, DQuat, Vec3};

use crate::Context;
use crate::analysis::rotation::{agreement, closest};
use crate::analysis::topology::{edge, sides, topology};
use crate::rig::{Mesh, MeshId, rotation_angle};

/// A triangle contradicts its normals from this angle on, as a cosine: 107°. Smooth normals across a sharp ridge are off by
/// less than a right angle.
const AGAINST: f32 = -0.3;

/// No rule reports a smaller fraction of the surface.
const WORTH: f64 = 0.001;

/// How the triangles of a mesh agree with its normals.
pub(super) struct Facing {
    /// The triangles that face against their normals, by index.
    pub(super) against: Vec<usize>,
    /// Their fraction of the surface.
    pub(super) part: f64,
    /// The mean cosine between triangles and their normals, by area.
    pub(super) mean: f64,
    /// What brings the normals closest to the triangles.
    pub(super) fit: Fit,
}

/// A rotation of all normals of a mesh, after which they may be reversed, which mirrors them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub(super) rotation: DQuat,
    pub(super) is_reversed: bool,
    /// The mean cosine between triangles and the fitted normals, by area.
    pub(super) mean: f64,
}

/// A mirror must fit this much better than a rotation: a flat mesh, or one of parallel sides, fits both.
const MIRRORED: f64 = 1.05;

/// A rotation is about an axis to within this cosine (8°).
const ABOUT: f64 = 0.99;

impl Fit {
    /// The rotation that maximizes the sum of `triangle · (q normal)`, or of its opposite if that is larger.
    ///
    /// * `products` – the sum of `triangle normalᵀ`, by area.
    fn of(products: &DMat3, area: f64) -> Self {
        let [rotated, mirrored] =
            [(*products, false), (-*products, true)].map(|(products, is_reversed)| {
                let rotation = closest(&products, area);
                Self {
                    rotation,
                    is_reversed,
                    mean: agreement(&products, rotation) / area,
                }
            });
        if mirrored.mean > MIRRORED * rotated.mean {
            mirrored
        } else {
            rotated
        }
    }

    /// Its angle, in degrees.
    pub(super) fn degrees(&self) -> f64 {
        rotation_angle(self.rotation).to_degrees()
    }

    /// The coordinate axis that it rotates about, if it is one.
    pub(super) fn axis(&self) -> Option<&'static str> {
        let along = self.rotation.xyz().normalize_or_zero().abs().to_array();
        let axes = along.into_iter().zip(["x", "y", "z"]);
        axes.filter(|(along, _)| *along > ABOUT)
            .map(|(_, axis)| axis)
            .next()
    }
}

impl Facing {
    /// `None` without normals. Triangles that lie back to back with another are two-sided on purpose.
    pub(super) fn of(mesh: &Mesh) -> Option<Self> {
        if mesh.normals.len() != mesh.positions.len() {
            return None;
        }
        let (mut area, mut sum, mut against) = (0.0, 0.0, Vec::new());
        let mut products = DMat3::ZERO;
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            let across = (b - a).cross(c - a);
            let normals = corners.map(|corner| mesh.normals[corner as usize]);
            let normal = normals.into_iter().sum::<Vec3>().normalize_or_zero();
            let (own, along) = (across.length(), across.dot(normal));
            if normal == Vec3::ZERO || !(own > 0.0 && own.is_finite()) {
                continue;
            }
            area += f64::from(own);
            sum += f64::from(along);
            let (across, normal) = (across.as_dvec3(), normal.as_dvec3());
            products += DMat3::from_cols(across * normal.x, across * normal.y, across * normal.z);
            if along < AGAINST * own {
                against.push((number, own));
            }
        }
        let part = |against: &[(usize, f32)]| {
            let of_them: f64 = against.iter().map(|(_, own)| f64::from(*own)).sum();
            of_them / area
        };
        // The search for twins takes longer than everything above.
        if part(&against) > WORTH {
            let twins = twins(mesh);
            against.retain(|(number, _)| !twins.contains_key(&sorted(mesh, *number)));
        }
        let part = part(&against);
        (area > 0.0).then(|| Self {
            against: against.into_iter().map(|(number, _)| number).collect(),
            part,
            mean: sum / area,
            fit: Fit::of(&products, area),
        })
    }
}

/// The triangles wound against their neighbours, and their fraction of the surface. Needs no normals.
///
/// 1. Edges shared by exactly two triangles connect them. The two are wound alike if they run along the edge in opposite
///    directions.
/// 2. Union-find with parity splits each connected part into two sides, wound against each other.
/// 3. The side with the smaller area is wrong. Parts that cannot be wound consistently (a Möbius strip) do not count.
pub(super) fn against_neighbours(mesh: &Mesh, welded: &[u32]) -> (Vec<usize>, f64) {
    let mut parts = Parts::new(mesh.triangles.len());
    let mut edges: Vec<([u32; 2], bool, usize)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (number, corners) in mesh.triangles.iter().enumerate() {
        for side in sides(corners.map(|corner| welded[corner as usize])) {
            edges.push((edge(side), side[0] > side[1], number));
        }
    }
    edges.sort_unstable();
    for run in edges.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, one, a), (_, other, b)] = run {
            // Neighbours run along their common edge in opposite directions.
            parts.join(*a, *b, one == other);
        }
    }
    let mut whole = 0.0;
    // Of each part, at its root.
    let mut sides = vec![[0.0; 2]; mesh.triangles.len()];
    let area = |number: usize| {
        let [a, b, c] = mesh.triangles[number].map(|corner| mesh.positions[corner as usize]);
        let area = f64::from((b - a).cross(c - a).length());
        if area.is_finite() { area } else { 0.0 }
    };
    for number in 0..mesh.triangles.len() {
        let (root, reversed) = parts.root(number);
        let area = area(number);
        whole += area;
        sides[root][usize::from(reversed)] += area;
    }
    let is_smaller = |number: &usize| {
        let (root, is_reversed) = parts.root(*number);
        let [straight, reversed] = sides[root];
        parts.is_orientable[root]
            && is_reversed == (reversed <= straight)
            && reversed.min(straight) > 0.0
    };
    let against: Vec<usize> = (0..mesh.triangles.len()).filter(is_smaller).collect();
    let part: f64 = against.iter().map(|number| area(*number)).sum();
    (against, part / whole)
}

/// Union-find with parity: connected parts of a surface, in which each triangle is wound like the root or against it.
struct Parts {
    /// For each triangle, another one of its part (a root: itself), and whether the two are wound against each other.
    parents: Vec<(usize, bool)>,
    /// For each root, whether no two neighbours of its part contradict the others.
    is_orientable: Vec<bool>,
}

impl Parts {
    fn new(triangles: usize) -> Self {
        Self {
            parents: (0..triangles).map(|number| (number, false)).collect(),
            is_orientable: vec![true; triangles],
        }
    }

    /// The root of a triangle, and whether the two are wound against each other.
    fn root(&self, mut number: usize) -> (usize, bool) {
        let mut reversed = false;
        while self.parents[number].0 != number {
            reversed ^= self.parents[number].1;
            number = self.parents[number].0;
        }
        (number, reversed)
    }

    /// Joins the parts of two neighbours that are wound `against` each other, or alike.
    fn join(&mut self, a: usize, b: usize, against: bool) {
        let ((a, of_a), (b, of_b)) = (self.compressed(a), self.compressed(b));
        // The parity between the roots: a to its root, a to b, b to its root.
        let reversed = of_a ^ of_b ^ against;
        if a == b {
            self.is_orientable[a] &= !reversed;
        } else {
            let (first, second) = (a.min(b), a.max(b));
            self.parents[second] = (first, reversed);
            self.is_orientable[first] &= self.is_orientable[second];
        }
    }

    /// As [`root`](Self::root), with path compression: each triangle on the way is linked to the root, with its own parity.
    fn compressed(&mut self, number: usize) -> (usize, bool) {
        let found = self.root(number);
        let (mut at, mut reversed) = (number, found.1);
        while at != found.0 {
            let (next, step) = self.parents[at];
            self.parents[at] = (found.0, reversed);
            (at, reversed) = (next, reversed ^ step);
        }
        found
    }
}

/// The corner positions of triangles that occur more than once, and how often.
fn twins(mesh: &Mesh) -> HashMap<[[u32; 3]; 3], usize> {
    let mut counts = HashMap::with_capacity(mesh.triangles.len());
    for number in 0..mesh.triangles.len() {
        *counts.entry(sorted(mesh, number)).or_insert(0) += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

fn sorted(mesh: &Mesh, triangle: usize) -> [[u32; 3]; 3] {
    let position = |corner: u32| {
        (mesh.positions[corner as usize] + Vec3::ZERO)
            .to_array()
            .map(f32::to_bits)
    };
    let mut positions = mesh.triangles[triangle].map(position);
    positions.sort_unstable();
    positions
}

/// Whether any of `triangles` runs along an edge in the same direction as its only neighbour there, so that one of the
/// two is wound wrongly.
pub(super) fn clash(cx: &Context<'_>, id: MeshId, triangles: &[usize]) -> bool {
    let (mesh, welded) = (&cx.asset[id], &topology(cx, id).welded);
    let edges =
        |triangle: usize| sides(mesh.triangles[triangle].map(|corner| welded[corner as usize]));
    // How often triangles run along each edge forwards and backwards.
    let mut runs: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(2 * mesh.triangles.len());
    for side in (0..mesh.triangles.len()).flat_map(edges) {
        runs.entry(edge(side)).or_default()[usize::from(side[0] > side[1])] += 1;
    }
    let clashes =
        |[from, to]: [u32; 2]| matches!(runs[&[from.min(to), from.max(to)]], [2, 0] | [0, 2]);
    triangles
        .iter()
        .any(|triangle| edges(*triangle).into_iter().any(clashes))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn the_rotation_of_normals_is_found() {
        let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
        for degrees in [0.0, 30.0, 90.0, 170.0] {
            let turn = DQuat::from_axis_angle(axis, f64::to_radians(degrees));
            let axes = [
                DVec3::X,
                DVec3::Y,
                -DVec3::Z,
                DVec3::ONE.normalize(),
                DVec3::NEG_Y,
            ];
            let product = |normal: DVec3| {
                let turned = turn * normal;
                DMat3::from_cols(normal * turned.x, normal * turned.y, normal * turned.z)
            };
            let products = axes
                .into_iter()
                .map(product)
                .fold(DMat3::ZERO, |sum, product| sum + product);
            for (products, is_reversed) in [(products, false), (-products, true)] {
                let fit = Fit::of(&products, 5.0);
                assert!((fit.degrees() - degrees).abs() < 1.0, "{fit:?}");
                assert!((fit.mean - 1.0).abs() < 1e-3, "{fit:?}");
                assert_eq!(fit.is_reversed, is_reversed);
            }
        }
    }
}
