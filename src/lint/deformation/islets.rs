//! Patches of a surface that folds enclose.

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
    let around = closed_curves(surface, folds);
    if around.is_empty() {
        return Vec::new();
    }
    let mut search = Search {
        surface,
        folds,
        across,
        patches: vec![NO_PATCH; across.len()],
    };
    let sides = around
        .iter()
        .flat_map(|fold| surface.hinges[*fold].triangles);
    sides
        .filter_map(|triangle| search.from(triangle as usize))
        .collect()
}

/// Rounds of taking off loose ends; a crease of more folds is searched.
const ROUNDS: usize = 8;

/// `folds` without those that end where no other does: what encloses a patch has no end. Most folds are creases of a few
/// edges, which are gone then.
fn closed_curves(surface: &Surface, folds: &[usize]) -> Vec<usize> {
    let mut left = folds.to_vec();
    for _ in 0..ROUNDS {
        let mut ends: Vec<u32> = left
            .iter()
            .flat_map(|fold| surface.ends_of(*fold))
            .collect();
        ends.sort_unstable();
        let goes_on = |end: u32| {
            let first = ends.partition_point(|other| *other < end);
            ends.get(first + 1) == Some(&end)
        };
        let before = left.len();
        left.retain(|fold| surface.ends_of(*fold).into_iter().all(goes_on));
        if left.len() == before {
            break;
        }
    }
    left
}

struct Search<'a> {
    surface: &'a Surface,
    folds: &'a [usize],
    across: &'a [Vec3],
    /// For each triangle that was met the first of its patch, which is enclosed or was given up.
    patches: Vec<u32>,
}

/// In none yet.
const NO_PATCH: u32 = u32::MAX;

impl Search<'_> {
    /// The patch around a triangle, if it is new, small and enclosed.
    fn from(&mut self, first: usize) -> Option<Islet> {
        let number = u32::try_from(first).ok()?;
        if self.patches[first] != NO_PATCH {
            return None;
        }
        self.patches[first] = number;
        let largest = LARGEST.min(self.surface.island_size(first) / 4);
        let (mut patch, mut next) = (vec![first], 0);
        while let Some(&triangle) = patch.get(next) {
            next += 1;
            if !self.surface.closed[triangle] || patch.len() > largest {
                return None;
            }
            for other in self.neighbours(triangle) {
                match std::mem::replace(&mut self.patches[other], number) {
                    NO_PATCH => patch.push(other),
                    earlier if earlier != number => return None,
                    _ => {}
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
