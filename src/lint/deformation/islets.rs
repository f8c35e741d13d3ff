//! Patches of a surface that folds enclose.

use std::collections::HashMap;

use glam::Vec3;

use super::surface::Surface;

/// A patch with folds all around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Islet {
    /// The first triangle that was met.
    pub(super) first: usize,
    /// How many triangles.
    pub(super) triangles: usize,
    /// Twice its area, as bound.
    pub(super) area: f64,
}

/// A patch of more triangles than this, or than a quarter of its island, is the surface itself, and what the folds
/// enclose is on their other side.
const LARGEST: usize = 512;

/// The patches that `folds` (positions of hinges, in order) enclose, each once.
///
/// * `across` – for each triangle a vector as long as twice its area.
pub(super) fn islets(surface: &Surface, folds: &[usize], across: &[Vec3]) -> Vec<Islet> {
    let mut search = Search {
        surface,
        folds,
        across,
        patches: HashMap::new(),
    };
    let sides = folds
        .iter()
        .flat_map(|fold| surface.hinges[*fold].triangles);
    sides
        .filter_map(|triangle| search.from(triangle as usize))
        .collect()
}

struct Search<'a> {
    surface: &'a Surface,
    folds: &'a [usize],
    across: &'a [Vec3],
    /// For each triangle that was met the first of its patch, which is enclosed or was given up.
    patches: HashMap<usize, usize>,
}

impl Search<'_> {
    /// The patch around a triangle, if it is new, small and enclosed.
    fn from(&mut self, first: usize) -> Option<Islet> {
        if self.patches.contains_key(&first) {
            return None;
        }
        self.patches.insert(first, first);
        let largest = LARGEST.min(self.surface.island_size(first) / 4);
        let (mut patch, mut next) = (vec![first], 0);
        while let Some(&triangle) = patch.get(next) {
            next += 1;
            if !self.surface.closed[triangle] || patch.len() > largest {
                return None;
            }
            for other in self.neighbours(triangle) {
                match self.patches.insert(other, first) {
                    None => patch.push(other),
                    Some(patch) if patch != first => return None,
                    Some(_) => {}
                }
            }
        }
        let area = patch
            .iter()
            .map(|triangle| f64::from(self.across[*triangle].length()));
        Some(Islet {
            first,
            triangles: patch.len(),
            area: area.sum(),
        })
    }

    /// The triangles beside one, but for those across a fold.
    fn neighbours(&self, triangle: usize) -> impl Iterator<Item = usize> + use<> {
        let hinges = self.surface.hinges_of(triangle);
        let hinges = hinges.filter(|hinge| self.folds.binary_search(hinge).is_err());
        let others = hinges.map(|hinge| {
            let [a, b] = self.surface.hinges[hinge].triangles.map(|t| t as usize);
            if a == triangle { b } else { a }
        });
        others.collect::<Vec<_>>().into_iter()
    }
}
