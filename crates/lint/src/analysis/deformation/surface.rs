//! The bound surface of a mesh.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::bodies::Shape;
use super::pliant::{Hinge, hinges};
use crate::analysis::deformation::bodies::{Body, bodies};
use crate::analysis::deformation::pliant::{Leaders, Pliant};
use crate::analysis::deformation::sizes::{AsBound, as_bound};
use crate::analysis::size;
use crate::analysis::topology::{Topology, topology};
use crate::core::context::{Analysis, Context};
use crate::rig::{Influence, Mesh, MeshId, MorphTarget};
use crate::skinning::PreparedMeshes;

/// The connectivity of a skinned mesh and its bound sizes, in mesh space without morph targets.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) topology: Arc<Topology>,
    /// Its triangles.
    pub(crate) shape: Shape,
    /// For each vertex the joint that alone moves it.
    pub(crate) leaders: Leaders,
    /// The parts that can deform.
    pub(crate) pliant: Pliant,
    /// The bound sizes of these parts.
    pub(crate) sizes: AsBound,
    /// Edges shared by two triangles whose vertices are [trusted](Self::trusted).
    pub(crate) hinges: Vec<Hinge>,
    /// For each triangle whether all of its edges are hinges.
    pub(crate) closed: Vec<bool>,
    /// For each triangle the indices of its hinges, [`NONE`] in free slots.
    sides: Vec<[u32; 3]>,
    /// For each triangle, the number of triangles in its island.
    island_sizes: Vec<u32>,
    /// Islands without a hole that can deform.
    pub(crate) bodies: Vec<Body>,
    /// Pairs of vertices at one position of a hinge with different weights or morph targets.
    pub(crate) seams: Vec<[u32; 2]>,
    /// For each vertex, whether its position is finite and its weights are usable. Other rules report the rest, which would
    /// show as every fault of deformation.
    pub(crate) trusted: Vec<bool>,
    /// Whether all vertices are trusted.
    pub(crate) is_trusted: bool,
    /// The diagonal of the box around all trusted vertices; at least `f32::MIN_POSITIVE`.
    pub(crate) diagonal: f32,
    /// See [`Surface::long_edge`].
    long_edge: OnceLock<f32>,
}

impl Surface {
    /// In the bind pose, one in ten edges between trusted vertices of its `mesh` is longer; 0 without edges.
    pub(crate) fn long_edge(&self, mesh: &Mesh) -> f32 {
        let long_edge = || long_edge(mesh, &self.trusted);
        *self.long_edge.get_or_init(long_edge)
    }

    /// Computes it for `mesh`, with the connectivity of `topology`.
    ///
    /// * `kinds` – of its vertices, as [`PreparedMeshes::kinds`](crate::skinning::PreparedMeshes::kinds) has them.
    pub(crate) fn of(mesh: &Mesh, topology: Arc<Topology>, kinds: &[u32]) -> Self {
        // A triangle with an untrusted corner has no shape: it has no hinges, and its neighbours have a border there.
        let trusted = trusted(mesh);
        let whole = |triangle: usize| {
            let mut corners = mesh.triangles[triangle].iter();
            corners.all(|corner| trusted[*corner as usize])
        };
        let shape = Shape::of(mesh, &mesh.positions);
        let leaders = Leaders::of(mesh);
        let (hinges, closed) = hinges(&mesh.triangles, &topology.welded, whole);
        let pliant = Pliant::of(&leaders, &mesh.triangles, &hinges, kinds);
        Self {
            seams: seams(mesh, &hinges),
            diagonal: diagonal(mesh, &trusted),
            long_edge: OnceLock::new(),
            sides: sides(&hinges, mesh.triangles.len()),
            island_sizes: island_sizes(mesh, &topology),
            bodies: bodies(mesh, &topology, &closed, &leaders),
            hinges,
            closed,
            shape,
            sizes: as_bound(&pliant, &mesh.positions),
            pliant,
            leaders,
            topology,
            is_trusted: trusted.iter().all(|trusted| *trusted),
            trusted,
        }
    }

    /// The indices of the hinges of a triangle.
    pub(crate) fn hinges_of(&self, triangle: usize) -> impl Iterator<Item = usize> {
        let sides = self.sides[triangle].into_iter();
        sides
            .filter(|hinge| *hinge != NONE)
            .map(|hinge| hinge as usize)
    }

    /// The welded vertices at the two ends of a hinge.
    pub(crate) fn ends_of(&self, hinge: usize) -> [u32; 2] {
        let ends = self.hinges[hinge].ends;
        ends.map(|[vertex, _]| self.topology.welded[vertex as usize])
    }

    /// How many triangles the island of a triangle has.
    pub(crate) fn island_size(&self, triangle: usize) -> usize {
        self.island_sizes[triangle] as usize
    }

    /// Whether all of `vertices` are trusted.
    pub(crate) fn trusts<const N: usize>(&self, vertices: [u32; N]) -> bool {
        vertices.iter().all(|vertex| self.trusted[*vertex as usize])
    }
}

/// Coordinates beyond these overflow when squared.
const COORDINATES: RangeInclusive<f32> = -1e18..=1e18;

fn trusted(mesh: &Mesh) -> Vec<bool> {
    let is_bounded = |position: &Vec3| position.to_array().iter().all(|c| COORDINATES.contains(c));
    let vertices = mesh.positions.iter().enumerate();
    vertices
        .map(|(vertex, position)| is_bounded(position) && has_weights(mesh.influences.of(vertex)))
        .collect()
}

fn has_weights(influences: &[Influence]) -> bool {
    let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
    sum.is_finite() && sum > 0.0 && influences.iter().all(|influence| influence.weight >= 0.0)
}

#[expect(clippy::cast_possible_truncation, reason = "positions are f32")]
fn diagonal(mesh: &Mesh, trusted: &[bool]) -> f32 {
    let positions = mesh
        .positions
        .iter()
        .zip(trusted)
        .filter_map(|(position, trusted)| trusted.then_some(position));
    (size::diagonal(positions) as f32).max(f32::MIN_POSITIVE)
}

fn long_edge(mesh: &Mesh, trusted: &[bool]) -> f32 {
    let is_trusted = |[a, b]: &[u32; 2]| trusted[*a as usize] && trusted[*b as usize];
    let triangles = mesh.triangles.iter();
    let sides = triangles.flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let length = |side: [u32; 2]| {
        let [a, b] = side.map(|end| mesh.positions[end as usize]);
        a.distance(b)
    };
    let mut lengths: Vec<f32> = sides.filter(is_trusted).map(length).collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let index = lengths.len() * 9 / 10;
    *lengths.select_nth_unstable_by(index, f32::total_cmp).1
}

/// The pairs of separate vertices at the ends of hinges that may move apart. Vertices that merely touch, such as the corners
/// of stacked boxes, are not at a hinge and may separate.
fn seams(mesh: &Mesh, hinges: &[Hinge]) -> Vec<[u32; 2]> {
    let ends = hinges.iter().flat_map(|hinge| hinge.ends);
    let mut seams: Vec<[u32; 2]> = ends
        .filter(|[a, b]| a != b && may_part(mesh, *a as usize, *b as usize))
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    seams.sort_unstable();
    seams.dedup();
    seams
}

/// Whether anything moves `a` and `b` differently; cheap, and correct for nearly all seams.
fn may_part(mesh: &Mesh, a: usize, b: usize) -> bool {
    let morphs = |target: &MorphTarget| target.positions.get(a) != target.positions.get(b);
    mesh.influences.of(a) != mesh.influences.of(b) || mesh.morph_targets.iter().any(morphs)
}

/// No hinge.
const NONE: u32 = u32::MAX;

fn sides(hinges: &[Hinge], triangles: usize) -> Vec<[u32; 3]> {
    // A triangle has three edges, hence a free slot for each hinge, unless it is degenerate.
    let mut sides = vec![[NONE; 3]; triangles];
    for (hinge, number) in hinges.iter().zip(0..) {
        for triangle in hinge.triangles {
            let free = sides[triangle as usize]
                .iter_mut()
                .find(|side| **side == NONE);
            if let Some(free) = free {
                *free = number;
            }
        }
    }
    sides
}

fn island_sizes(mesh: &Mesh, topology: &Topology) -> Vec<u32> {
    let island = |corners: &[u32; 3]| topology.islands[corners[0] as usize] as usize;
    let mut sizes = vec![0; topology.island_count()];
    for corners in &mesh.triangles {
        sizes[island(corners)] += 1;
    }
    mesh.triangles
        .iter()
        .map(|corners| sizes[island(corners)])
        .collect()
}

/// One per mesh; `None` if no instance shows it with a skin.
struct Surfaces(Vec<Option<Surface>>);

impl Analysis for Surfaces {
    fn of(cx: &Context<'_>) -> Self {
        let asset = cx.asset;
        let mut skinned = vec![false; asset.meshes.len()];
        for instance in asset.instances.iter().filter(|i| i.skin.is_some()) {
            skinned[instance.mesh.index()] = true;
        }
        let surface = |(index, skinned): (usize, bool)| {
            let (mesh, id) = (&asset.meshes[index], MeshId::from_index(index));
            let kinds = || cx.get::<PreparedMeshes>().kinds(asset, id);
            skinned.then(|| Surface::of(mesh, Arc::clone(topology(cx, id)), kinds()))
        };
        Self(skinned.into_iter().enumerate().map(surface).collect())
    }
}

/// The surface of `mesh` of the model of `cx`; `None` if nothing shows it with a skin.
pub(crate) fn surface_of<'a>(cx: &'a Context<'_>, mesh: MeshId) -> Option<&'a Surface> {
    cx.get::<Surfaces>().0.get(mesh.index())?.as_ref()
}
