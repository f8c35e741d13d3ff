//! Meshes that were moved as a whole, and so have no vertex at its old position.

use glam::DVec3;

use super::align::{Clouds, Similarity};
use super::difference::{Before, Difference};
use super::faces::Counterpart;
use super::kinds::Kind;
use super::vertices::{Cloud, Matcher, surface_name};

impl Matcher<'_> {
    /// Pairs surfaces of the same name of which most vertices have no counterpart, if a similarity aligns them.
    pub(super) fn pair_moved(&mut self, used: &[Vec<usize>; 2]) -> (Vec<usize>, Vec<Difference>) {
        // Candidates: surfaces without counterparts, and namesakes whose vertices matched other surfaces by chance.
        let mut astray = [0, 1].map(|side| self.astray(side, used));
        for side in [0, 1] {
            let namesakes = self.taken_by_others(side, &astray[1 - side]);
            astray[side].extend(namesakes);
        }
        let (mut moved, mut findings) = (Vec::new(), Vec::new());
        let mut positions = self.sides.map(|side| side.vertices.positions.clone());
        for &before in &astray[0] {
            let name = &self.sides[0].surfaces[before].name;
            let is_namesake = |after: &&usize| {
                let other = &self.sides[1].surfaces[**after].name;
                other == name || astray[0].len() == 1 && astray[1].len() == 1
            };
            let Some(&after) = astray[1].iter().find(is_namesake) else {
                continue;
            };
            let own = [before, after];
            let of = |side: usize| -> Vec<usize> {
                let range = &self.sides[side].surfaces[own[side]].range;
                let [start, end] = [range.start, range.end]
                    .map(|end| used[side].partition_point(|vertex| *vertex < end));
                used[side][start..end].to_vec()
            };
            let vertices = [of(0), of(1)];
            let points = |side: usize| -> Vec<DVec3> {
                let own = vertices[side].iter();
                let positions = &self.sides[side].vertices.positions;
                own.map(|vertex| positions[*vertex]).collect()
            };
            let clouds = Clouds {
                points: [points(0), points(1)],
                landmarks: Vec::new(),
                motions: Vec::new(),
            };
            // The rotation, scale and translation that carry one onto the other. Without them, it is a different mesh.
            let Some(similarity) = Similarity::find(&clouds) else {
                continue;
            };
            let matrix = similarity.matrix();
            for vertex in &vertices[1] {
                let position = self.sides[1].vertices.positions[*vertex];
                positions[1][*vertex] = matrix.transform_point3(position);
            }
            // Matches that these vertices found by chance are dropped before the vertices are matched anew.
            for (counterparts, vertices) in self.counterparts.iter_mut().zip(&vertices) {
                for vertex in vertices {
                    counterparts[*vertex] = None;
                }
            }
            let cloud = Cloud::new(positions, &vertices);
            self.pair(&cloud, &vertices);
            positions = cloud.positions;
            let name = name.clone();
            let how = similarity.describe(self.diagonal);
            let message = format!("mesh \"{name}\" is {how} against its joints");
            let finding = Kind::MeshShape.found(message);
            findings.push(finding.mesh(&name, Some(Before(before))));
            moved.push(before);
        }
        (moved, findings)
    }

    /// Surfaces of which most vertices have no counterpart.
    fn astray(&self, side: usize, used: &[Vec<usize>; 2]) -> Vec<usize> {
        let counts = self.counts(side, used);
        let astray = counts
            .iter()
            .enumerate()
            .filter(|(_, [without, all])| 2 * without > *all);
        astray.map(|(surface, _)| surface).collect()
    }

    /// Surfaces with the name of one of `others`, whose counterparts lie in surfaces of other names.
    fn taken_by_others(&self, side: usize, others: &[usize]) -> Vec<usize> {
        let [here, there] = [self.sides[side], self.sides[1 - side]];
        let is_taken = |surface: &usize| {
            let own = &here.surfaces[*surface];
            let is_named = others
                .iter()
                .any(|other| there.surfaces[*other].name == own.name);
            let found = self.counterparts[side][own.range.clone()].iter().flatten();
            let at_home =
                |found: &&Counterpart| surface_name(there, found.vertex as usize) == own.name;
            let (count, at_home) = (found.clone().count(), found.filter(at_home).count());
            is_named && count > 0 && 2 * at_home < count
        };
        (0..here.surfaces.len()).filter(is_taken).collect()
    }
}
