//! Compares the triangles of both sides: what they cover, and which way they face.
//!
//! Triangles are compared by their [corners](super::faces), so that the order of vertices and triangles, seams and
//! degenerate triangles do not matter. Each triangle of one side stands for at most one of the other. The rest is
//! compared by the outlines that triangles form, since polygons may be divided along other diagonals, and then by what it
//! covers.

use glam::DVec3;
use rayon::prelude::*;

use super::covers::{Corners, Cover, Covered, front};
use super::difference::{Before, Difference};
use super::faces::{Face, Poses, cancel, sorted, without_equal_outlines, without_equal_patches};
use super::kinds::Kind;
use super::side::Side;
use super::words::significant;
use crate::lists::value_of;

/// A triangle without an equal one is degenerate if it is narrower than this; relative to the diagonal.
const NARROW: f64 = 1e-4;

/// Triangles are elsewhere, not missing, if those without a counterpart on one side cover more than this part of the area of
/// those on the other.
const ELSEWHERE: f64 = 0.5;

/// Where rounding moves vertices, triangles that cover less of a surface than this do not count.
const FEW: f64 = 1e-2;

/// The most triangles that are examined to decide whether others are covered: a second of work.
const MOST_WORK: usize = 20_000_000;

/// A mesh is missing if this part of its triangles is.
const WHOLE: f64 = 0.9;

/// The inputs of the comparison.
pub(super) struct Surfaces<'a> {
    pub(super) sides: [&'a Side<'a>; 2],
    /// Of each vertex of each side.
    pub(super) corners: [Vec<u32>; 2],
    pub(super) positions: &'a Poses,
    /// For each surface before, the surface after that corresponds to it.
    pub(super) partners: Vec<Option<usize>>,
    /// Surfaces before that were moved as a whole. They and their partners are not compared.
    pub(super) moved: &'a [usize],
    /// The largest distance between surfaces that are the same.
    pub(super) limit: f64,
    /// Whether rounding moves vertices noticeably.
    pub(super) is_rough: bool,
    pub(super) diagonal: f64,
}

/// The triangles of one side that are not degenerate, and how each compares.
pub(super) struct Compared {
    faces: Vec<Face>,
    states: Vec<State>,
}

/// The number of equal triangles of each pair of surfaces, before and after.
pub(super) type Shared = Vec<([usize; 2], usize)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Same,
    /// The other side has fewer of the same.
    Surplus,
    /// It faces the other way on the other side.
    Reversed,
    /// The other side has nothing in its place.
    Alone,
}

impl Surfaces<'_> {
    /// Compares the triangles of both sides; `None` if one side is a reference without triangles.
    pub(super) fn compare(&self) -> Option<([Compared; 2], Shared)> {
        if self.sides.into_iter().any(lacks_triangles) {
            return None;
        }
        let faces = [0, 1].map(|side| self.faces(side));
        let mut states = faces.each_ref().map(|faces| vec![State::Same; faces.len()]);
        // Triangles of corresponding surfaces are the first to cancel, so that a copy is not taken for the original.
        let all = faces.clone();
        let (same, left) = cancel(all, |_, face| (face.corners, face.is_odd, face.partner));
        let (others, left) = cancel(left, |_, face| (face.corners, face.is_odd));
        let mut shared = Shared::new();
        for pair in same.iter().chain(&others) {
            *value_of(&mut shared, pair.map(|face| face.surface)) += 1;
        }
        let (reversed, left) = cancel(left, |side, face| (face.corners, face.is_odd ^ (side == 1)));
        for [before, _] in reversed {
            states[0][before.number] = State::Reversed;
        }
        let equal = faces.each_ref().map(|faces| {
            let mut equal: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
            equal.par_sort_unstable();
            equal
        });
        let left = [0, 1].map(|side: usize| {
            let (surplus, left): (Vec<Face>, Vec<Face>) = left[side]
                .iter()
                .partition(|face| equal[1 - side].binary_search(&face.corners).is_ok());
            for face in surplus {
                states[side][face.number] = State::Surplus;
            }
            left
        });
        let left = without_equal_outlines(&left);
        let left = [0, 1].map(|side: usize| {
            let wide = left[side].iter().copied();
            wide.filter(|face| self.width(side, face) > NARROW * self.diagonal)
                .collect()
        });
        self.cover(&left, &mut states);
        for side in [0, 1] {
            if self.is_rough {
                self.forgive_few(side, &faces[side], &mut states[side]);
            }
        }
        let [before, after] = faces;
        let [of_before, of_after] = states;
        let compared = |faces, states| Compared { faces, states };
        Some((
            [compared(before, of_before), compared(after, of_after)],
            shared,
        ))
    }

    /// The triangles of a side with three different corners.
    fn faces(&self, side: usize) -> Vec<Face> {
        let mut faces = Vec::new();
        let moved = self.moved.iter();
        let moved: Vec<usize> = match side {
            0 => moved.copied().collect(),
            _ => moved.filter_map(|before| self.partners[*before]).collect(),
        };
        let surfaces = self.sides[side].surfaces.iter().enumerate();
        for (index, surface) in surfaces.filter(|(index, _)| !moved.contains(index)) {
            let is_mirrored = self.is_mirrored(side, index);
            let partner = match side {
                0 => self.partners[index],
                _ => Some(index),
            };
            for triangle in self.sides[side].triangles(index) {
                let vertices = triangle.map(|vertex| surface.range.start + vertex as usize);
                let (corners, is_odd) = sorted(vertices.map(|vertex| self.corners[side][vertex]));
                if corners[0] == corners[1] || corners[1] == corners[2] {
                    continue;
                }
                faces.push(Face {
                    number: faces.len(),
                    corners,
                    is_odd: is_odd ^ is_mirrored,
                    partner,
                    surface: index,
                    vertices,
                });
            }
        }
        faces
    }

    /// Whether the front of a surface is where its triangles run clockwise. A reference has its triangles in the order of
    /// the mesh, whether it is mirrored or not.
    fn is_mirrored(&self, side: usize, surface: usize) -> bool {
        let surface = &self.sides[side].surfaces[surface];
        let are_models = self.sides.into_iter().all(Side::is_model);
        are_models && surface.common_from_mesh.determinant() < 0.0
    }

    /// Where a face is, counter-clockwise as seen from its front.
    fn place(&self, side: usize, face: &Face) -> Corners {
        let [a, b, c] = face.vertices.map(|vertex| self.positions[side][vertex]);
        if self.is_mirrored(side, face.surface) {
            [a, c, b]
        } else {
            [a, b, c]
        }
    }

    /// The smallest altitude; NaN without finite positions.
    fn width(&self, side: usize, face: &Face) -> f64 {
        let place = self.place(side, face);
        let [a, b, c] = place;
        let longest = [b - a, c - b, a - c]
            .map(DVec3::length)
            .into_iter()
            .fold(0.0, f64::max);
        front(&place).length() / longest
    }

    /// Decides which of the faces that are left are covered by those of the other side.
    fn cover(&self, left: &[Vec<Face>; 2], states: &mut [Vec<State>; 2]) {
        let covers = [0, 1].map(|side: usize| {
            let own = left[side].iter();
            Cover::new(own.map(|face| self.place(side, face)))
        });
        let most = MOST_WORK / (4 * (left[0].len() + left[1].len())).max(1);
        let mut alone = [Vec::new(), Vec::new()];
        for side in [0, 1] {
            let covered: Vec<Covered> = left[side]
                .par_iter()
                .map(|face| {
                    let place = self.place(side, face);
                    covers[1 - side].covers(&place, self.limit, most.max(1))
                })
                .collect();
            for (face, covered) in left[side].iter().zip(covered) {
                match covered {
                    Covered::Same => {}
                    Covered::Reversed => states[side][face.number] = State::Reversed,
                    Covered::No => alone[side].push(*face),
                }
            }
        }
        let alone = without_equal_patches(alone, |side, face| self.area(side, face));
        for side in [0, 1] {
            for face in &alone[side] {
                states[side][face.number] = State::Alone;
            }
        }
    }

    /// Rounding collapses and turns over single triangles: those that are off count as the same where they are few.
    fn forgive_few(&self, side: usize, faces: &[Face], states: &mut [State]) {
        for own in faces.chunk_by(|a, b| a.surface == b.surface) {
            let states = &mut states[own[0].number..][..own.len()];
            let area = |is_counted: &dyn Fn(State) -> bool| -> f64 {
                let own = own.iter().zip(&*states);
                let counted = own.filter(|(_, state)| is_counted(**state));
                counted.map(|(face, _)| self.area(side, face)).sum()
            };
            if area(&|state| state != State::Same) <= FEW * area(&|_| true) {
                states.fill(State::Same);
            }
        }
    }

    fn area(&self, side: usize, face: &Face) -> f64 {
        0.5 * front(&self.place(side, face)).length()
    }

    /// How triangles differ, each finding with its side and surface.
    pub(super) fn findings(&self, compared: &[Compared; 2]) -> Vec<(usize, usize, Difference)> {
        let alone = [0, 1].map(|side: usize| {
            let mut areas = vec![0.0; self.sides[side].surfaces.len()];
            let own = compared[side].faces.iter().zip(&compared[side].states);
            for (face, _) in own.filter(|(_, state)| **state == State::Alone) {
                areas[face.surface] += self.area(side, face);
            }
            areas
        });
        let mut before = vec![None; self.sides[1].surfaces.len()];
        for (surface, partner) in self.partners.iter().enumerate() {
            if let Some(partner) = partner {
                before[*partner].get_or_insert(surface);
            }
        }
        let partners = [&self.partners, &before];
        let mut findings = Vec::new();
        for side in [0, 1] {
            for surface in 0..self.sides[side].surfaces.len() {
                let here = alone[side][surface];
                let there = partners[side][surface].map_or(0.0, |other| alone[1 - side][other]);
                let are_elsewhere = here.min(there) > ELSEWHERE * here.max(there);
                let own = self.described(side, surface, &compared[side], are_elsewhere);
                findings.extend(own.into_iter().map(|finding| (side, surface, finding)));
            }
        }
        findings
    }

    /// * `are_elsewhere` – whether the triangles without a counterpart are elsewhere on the other side.
    fn described(
        &self,
        side: usize,
        surface: usize,
        compared: &Compared,
        are_elsewhere: bool,
    ) -> Vec<Difference> {
        let all = compared.of(surface);
        let count = all.len();
        let every: Vec<Face> = all.iter().map(|(face, _)| **face).collect();
        let area = |faces: &[Face]| -> f64 { faces.iter().map(|face| self.area(side, face)).sum() };
        let of_state = |state: State| {
            let own = all.iter().filter(|(_, own)| *own == state);
            own.map(|(face, _)| **face).collect::<Vec<Face>>()
        };
        let name = &self.sides[side].surfaces[surface].name;
        let id = (side == 0).then_some(Before(surface));
        let [here, there] = [["before", "after"][side], ["AFTER", "BEFORE"][side]];
        let mut findings = Vec::new();
        let surplus = of_state(State::Surplus).len();
        if surplus == count && count > 0 {
            let message = format!(
                "mesh \"{name}\" is duplicated {here} at the same position, and the copy has no counterpart in {there}"
            );
            let whole = [Kind::MeshMissing, Kind::MeshAdded][side];
            findings.push(whole.found(message).mesh(name, id));
        } else if surplus > 0 {
            let message =
                format!("{surplus} of {count} triangles of mesh \"{name}\" are duplicated {here}");
            let finding = Kind::Triangles.found(message).mesh(name, id);
            // To remove copies changes nothing.
            findings.push(finding.remark_if(side == 0));
        }
        let mut add = |kind: Kind, faces: &[Face], what: &str| {
            let size = |face: &Face| self.area(side, face);
            let largest = faces.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
            let Some(largest) = largest else { return };
            let start = self.sides[side].surfaces[surface].range.start;
            let [a, b, c] = largest.vertices.map(|vertex| vertex - start);
            let message = format!(
                "{} of {count} triangles of mesh \"{name}\" are {what} ({} % of its area), such as that of vertices {a}, {b} and {c}{}",
                faces.len(),
                significant(100.0 * area(faces) / area(&every)),
                self.near_joint(side, largest.vertices[0])
            );
            findings.push(kind.found(message).mesh(name, id));
        };
        match (are_elsewhere, side) {
            (false, 0) => add(Kind::Triangles, &of_state(State::Alone), "missing after"),
            (false, _) => add(
                Kind::Triangles,
                &of_state(State::Alone),
                "not in the model before",
            ),
            (true, 0) => add(Kind::MeshShape, &of_state(State::Alone), "elsewhere after"),
            (true, _) => {}
        }
        if side == 0 {
            let what = "inside out after: their winding is reversed";
            add(Kind::Triangles, &of_state(State::Reversed), what);
        }
        findings
    }

    /// `, near X`: the joint that moves a vertex most.
    fn near_joint(&self, side: usize, vertex: usize) -> String {
        let weights = self.sides[side].weights_of(vertex).unwrap_or_default();
        let joint = weights.first().map(|(joint, _)| *joint);
        joint.map_or_else(String::new, |joint| {
            format!(", near `{}`", self.sides[side].joints[joint].shown)
        })
    }
}

impl Compared {
    /// The faces of a surface.
    fn of(&self, surface: usize) -> Vec<(&Face, State)> {
        let start = self.faces.partition_point(|face| face.surface < surface);
        let end = self.faces.partition_point(|face| face.surface <= surface);
        let own = self.faces[start..end].iter();
        own.zip(self.states[start..end].iter().copied()).collect()
    }

    /// Whether hardly any triangle of a surface has a counterpart; `None` if it has no triangles.
    pub(super) fn is_alone(&self, surface: usize) -> Option<bool> {
        let all = self.of(surface);
        let alone = all.iter().filter(|(_, state)| *state == State::Alone);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let [alone, count] = [alone.count(), all.len()].map(|count| count as f64);
        (count > 0.0).then_some(alone / count >= WHOLE)
    }

    /// Of `count` vertices, those of which all triangles are alone.
    pub(super) fn vertices_alone(&self, count: usize) -> Vec<bool> {
        let mut are_alone = vec![false; count];
        for state in [State::Alone, State::Same, State::Reversed, State::Surplus] {
            let own = self.faces.iter().zip(&self.states);
            for (face, _) in own.filter(|(_, own)| **own == state) {
                for vertex in face.vertices {
                    are_alone[vertex] = state == State::Alone;
                }
            }
        }
        are_alone
    }
}

fn lacks_triangles(side: &Side<'_>) -> bool {
    let mut surfaces = 0..side.surfaces.len();
    !side.is_model() && surfaces.any(|surface| side.triangles(surface).is_empty())
}
