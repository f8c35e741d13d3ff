//! Where triangles and normals face.

use std::collections::HashMap;

use glam::Vec3;

use crate::lint::Context;
use crate::lint::analysis::topology::topology;
use crate::rig::{Mesh, MeshId};

/// A triangle contradicts its normals from this angle on, as a cosine: 107°. Smooth normals across a sharp ridge are off by
/// less than a right angle.
const AGAINST: f32 = -0.3;

/// No rule minds a smaller part of the surface.
const WORTH: f64 = 0.001;

/// How the triangles of a mesh face its normals.
pub(super) struct Facing {
    /// Those that face against their normals, by position.
    pub(super) against: Vec<usize>,
    /// The share of the surface that these are.
    pub(super) part: f64,
    /// The mean cosine between triangles and their normals, by area.
    pub(super) mean: f64,
}

impl Facing {
    /// `None` without normals. Triangles that lie back to back with another are two-sided on purpose.
    pub(super) fn of(mesh: &Mesh) -> Option<Self> {
        if mesh.normals.len() != mesh.positions.len() {
            return None;
        }
        let (mut area, mut sum, mut against) = (0.0, 0.0, Vec::new());
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
            if along < AGAINST * own {
                against.push((number, own));
            }
        }
        let part = |against: &[(usize, f32)]| {
            let of_them: f64 = against.iter().map(|(_, own)| f64::from(*own)).sum();
            of_them / area
        };
        // Looking for twins takes longer than all of the above.
        if part(&against) > WORTH {
            let twins = twins(mesh);
            against.retain(|(number, _)| !twins.contains_key(&sorted(mesh, *number)));
        }
        let part = part(&against);
        (area > 0.0).then(|| Self {
            against: against.into_iter().map(|(number, _)| number).collect(),
            part,
            mean: sum / area,
        })
    }
}

/// The corners of triangles that are there more than once, by their places.
fn twins(mesh: &Mesh) -> HashMap<[[u32; 3]; 3], usize> {
    let mut counts = HashMap::with_capacity(mesh.triangles.len());
    for number in 0..mesh.triangles.len() {
        *counts.entry(sorted(mesh, number)).or_insert(0) += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

fn sorted(mesh: &Mesh, triangle: usize) -> [[u32; 3]; 3] {
    let place = |corner: u32| {
        (mesh.positions[corner as usize] + Vec3::ZERO)
            .to_array()
            .map(f32::to_bits)
    };
    let mut places = mesh.triangles[triangle].map(place);
    places.sort_unstable();
    places
}

/// Whether any of `triangles` runs along an edge in the direction in which its only neighbour there does, so that one of the
/// two is wound the wrong way.
pub(super) fn clash(cx: &Context<'_>, id: MeshId, triangles: &[usize]) -> bool {
    let (mesh, welded) = (&cx.asset.meshes[id.index()], &topology(cx, id).welded);
    let edges = |triangle: usize| {
        let [a, b, c] = mesh.triangles[triangle].map(|corner| welded[corner as usize]);
        [[a, b], [b, c], [c, a]]
    };
    // How often each edge is run along forwards and backwards.
    let mut runs: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(2 * mesh.triangles.len());
    for [from, to] in (0..mesh.triangles.len()).flat_map(edges) {
        runs.entry([from.min(to), from.max(to)]).or_default()[usize::from(from > to)] += 1;
    }
    let clashes =
        |[from, to]: [u32; 2]| matches!(runs[&[from.min(to), from.max(to)]], [2, 0] | [0, 2]);
    triangles
        .iter()
        .any(|triangle| edges(*triangle).into_iter().any(clashes))
}
