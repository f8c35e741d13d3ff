//! Tears: a surface that is cut along some edges, and one side of the cut that is moved.

use std::collections::BTreeMap;

use glam::Vec3;
use skincheck::rig::{Asset, Influences, Mesh};

use super::{diagonal, middle, owned, slot};

/// The most edges of a cut, and the least.
const EDGES: [usize; 2] = [6, 3];

/// Cuts the first mesh along some edges near the joint in the middle of a limb, and moves one side by `by` diagonals,
/// away from the other side and out. Returns `false` without such edges.
///
/// * `seam` – whether the edges are those of a seam, whose sides have separate vertices.
pub(super) fn tear(asset: &mut Asset, by: f32, seam: bool) -> bool {
    let by = by * diagonal(asset);
    let near = owned(asset, slot(asset, middle(asset)));
    let mesh = &mut asset.meshes[0];
    let surface = Web::of(mesh);
    let far = 0..mesh.positions.len();
    let longest = |starts: &mut dyn Iterator<Item = usize>, edges: usize| {
        let mut paths = starts.filter_map(|start| surface.path(mesh, start, edges, seam));
        paths.next()
    };
    let path = (EDGES[1]..=EDGES[0]).rev().find_map(|edges| {
        let near = longest(&mut near.iter().copied(), edges);
        near.or_else(|| longest(&mut far.clone(), edges))
    });
    let Some(path) = path else {
        return false;
    };
    surface.open(mesh, &path, by);
    true
}

/// For each directed edge of welded vertices, its triangle; of several, none.
struct Web {
    welded: Vec<usize>,
    beside: BTreeMap<[usize; 2], Option<usize>>,
    /// For each welded vertex, where its edges lead.
    leading: BTreeMap<usize, Vec<usize>>,
}

impl Web {
    fn of(mesh: &Mesh) -> Self {
        let mut first = BTreeMap::new();
        let bits = |position: &Vec3| (*position + Vec3::ZERO).to_array().map(f32::to_bits);
        let positions = mesh.positions.iter().enumerate();
        let welded = positions.map(|(vertex, own)| *first.entry(bits(own)).or_insert(vertex));
        let welded: Vec<usize> = welded.collect();
        let mut beside = BTreeMap::new();
        let mut leading: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            for side in 0..3 {
                let edge = [0, 1].map(|end| welded[corners[(side + end) % 3] as usize]);
                let entry = beside.entry(edge);
                entry
                    .and_modify(|own| *own = None)
                    .or_insert(Some(triangle));
                leading.entry(edge[0]).or_default().push(edge[1]);
            }
        }
        Self {
            welded,
            beside,
            leading,
        }
    }

    /// The corner of a triangle at a welded vertex.
    fn corner(&self, mesh: &Mesh, triangle: usize, vertex: usize) -> usize {
        let corners = mesh.triangles[triangle];
        let is_there = |own: &u32| self.welded.get(*own as usize) == Some(&vertex);
        let corner = corners.iter().position(is_there);
        corner.expect("the triangle is at the vertex")
    }

    /// The triangles on both sides of an edge, with the vertices of its first end, if there are two and their normals are
    /// at most 60° apart.
    fn sides(&self, mesh: &Mesh, [from, to]: [usize; 2]) -> Option<[(usize, u32); 2]> {
        let sides = [[from, to], [to, from]].map(|edge| self.beside.get(&edge).copied().flatten());
        let [left, right] = [sides[0]?, sides[1]?];
        let normal = |triangle: usize| {
            let [a, b, c] = mesh.triangles[triangle].map(|own| mesh.positions[own as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let vertex = |triangle| mesh.triangles[triangle][self.corner(mesh, triangle, from)];
        let is_flat = normal(left).dot(normal(right)) > 0.5;
        is_flat.then(|| [left, right].map(|triangle| (triangle, vertex(triangle))))
    }

    /// A path of `edges` edges from a vertex, as straight as possible.
    fn path(&self, mesh: &Mesh, start: usize, edges: usize, seam: bool) -> Option<Vec<usize>> {
        let start = self.welded[start];
        let firsts = self.leading.get(&start)?.iter();
        let mut paths = firsts.filter_map(|next| {
            let mut path = vec![start, *next];
            self.is_usable(mesh, [start, *next], seam).then_some(())?;
            while path.len() <= edges {
                path.push(self.next(mesh, &path, seam)?);
            }
            Some(path)
        });
        paths.next()
    }

    fn is_usable(&self, mesh: &Mesh, edge: [usize; 2], seam: bool) -> bool {
        let back = [edge[1], edge[0]];
        let sides = [edge, back].map(|edge| self.sides(mesh, edge));
        sides
            .iter()
            .all(|sides| sides.is_some_and(|[left, right]| !seam || left.1 != right.1))
    }

    /// The vertex that continues a path most nearly straight on, within 60°.
    fn next(&self, mesh: &Mesh, path: &[usize], seam: bool) -> Option<usize> {
        let [before, from] = [path[path.len() - 2], path[path.len() - 1]];
        let direction = |from: usize, to: usize| {
            (mesh.positions[to] - mesh.positions[from]).normalize_or_zero()
        };
        let ahead = direction(before, from);
        let straight = |to: &usize| direction(from, *to).dot(ahead);
        let all = self.leading.get(&from)?.iter().copied();
        let usable = all.filter(|to| {
            !path.contains(to) && straight(to) > 0.5 && self.is_usable(mesh, [from, *to], seam)
        });
        usable.max_by(|a, b| straight(a).total_cmp(&straight(b)))
    }

    /// The triangles around the middle of three vertices of a path on its left, in order; `None` at a border.
    fn fan(&self, mesh: &Mesh, [before, at, after]: [usize; 3]) -> Option<Vec<usize>> {
        let (mut fan, mut to) = (Vec::new(), after);
        while to != before {
            let triangle = self.beside.get(&[at, to]).copied().flatten()?;
            let corner = self.corner(mesh, triangle, at);
            to = self.welded[mesh.triangles[triangle][(corner + 2) % 3] as usize];
            fan.push(triangle);
            if fan.len() > 64 {
                return None;
            }
        }
        Some(fan)
    }

    /// Gives the triangles on the left of a path their own copies of its inner vertices, `by` farther away.
    fn open(&self, mesh: &mut Mesh, path: &[usize], by: f32) {
        let fans: Vec<_> = path
            .windows(3)
            .filter_map(|of| Some((of[1], self.fan(mesh, [of[0], of[1], of[2]])?)))
            .collect();
        let mut influences: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
        for (at, fan) in fans {
            let mut copies = BTreeMap::new();
            let place = mesh.positions[at];
            let middle = |triangle: &usize| {
                let corners = mesh.triangles[*triangle].map(|own| mesh.positions[own as usize]);
                corners.into_iter().sum::<Vec3>() / 3.0 - place
            };
            let inward = fan.iter().map(middle).sum::<Vec3>().normalize_or_zero();
            let out = mesh.normals.get(at).copied().unwrap_or(Vec3::ZERO);
            let place = place + (inward + 0.5 * out).normalize_or_zero() * by;
            for triangle in fan {
                let corner = self.corner(mesh, triangle, at);
                let vertex = mesh.triangles[triangle][corner];
                let copy = *copies.entry(vertex).or_insert_with(|| {
                    copy(mesh, vertex as usize, place);
                    influences.push(influences[vertex as usize].clone());
                    mesh.positions.len() as u32 - 1
                });
                mesh.triangles[triangle][corner] = copy;
            }
        }
        mesh.influences = Influences::from_vertices(influences);
    }
}

/// Adds a copy of a vertex at another place, without its influences.
fn copy(mesh: &mut Mesh, vertex: usize, place: Vec3) {
    fn repeat<T: Copy>(list: &mut Vec<T>, vertex: usize) {
        let own = list.get(vertex).copied();
        list.extend(own);
    }
    mesh.positions.push(place);
    for list in [&mut mesh.normals, &mut mesh.tangents, &mut mesh.bitangents] {
        repeat(list, vertex);
    }
    mesh.uv_sets.iter_mut().for_each(|set| repeat(set, vertex));
    mesh.color_sets
        .iter_mut()
        .for_each(|set| repeat(set, vertex));
    for target in &mut mesh.morph_targets {
        repeat(&mut target.positions, vertex);
        repeat(&mut target.normals, vertex);
        repeat(&mut target.tangents, vertex);
    }
}
