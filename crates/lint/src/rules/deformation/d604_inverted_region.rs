//! `D604`: inverted-region.

use glam::{DVec3, Vec3};

use crate::analysis::deformation::bent::Bent;
use crate::analysis::deformation::bodies::six_volumes;
use crate::analysis::deformation::surface::Surface;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Source, Through,
    declare_rule, follows,
};

/// Beyond this, two neighbours lie on rather than beside each other.
const FOLDED: Limit = Limit::new("folded", 120.0, LimitRange::DEGREES).about(
    "angle between the normals of two neighbours that are folded onto each other, in degrees",
);

/// Neighbours closer than this form a smooth surface, on which a fold is not modelled.
const SMOOTH: Limit = Limit::new("smooth", 60.0, LimitRange::DEGREES).about(
    "angle between the normals of two neighbours that are smooth in the bind pose, in degrees",
);

/// A smaller area is an armpit or the crease of a hip, as on any good model.
const SHARE: Limit = Limit::new("share", 0.01, LimitRange::PART)
    .about("minimum share of the mesh's surface that must turn over at once");

/// A pouch as deep as it is wide, round or square, has five times the surface of its opening. Anything deeper is a limb
/// beyond a pinched joint, and is not inverted unless its volume is negative.
const MOUTH: Limit = Limit::new("mouth", 0.2, LimitRange::FROM_ZERO)
    .about("minimum opening of a patch with one border, over the patch's area");

/// A patch of two triangles has no surface of its own. On a coarse mesh, the crease of a hip of an animal that sits is one.
const QUAD: usize = 2;

const TURNED: Gauge = Gauge::new("surface that turns over", ReadingUnit::Part);

declare_rule! {
    InvertedRegion, "D604", "inverted-region", Hint, Judged, limits = &[FOLDED, SMOOTH, SHARE, MOUTH]
}

impl Rule for InvertedRegion {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Mended => ["B214", "W119", "C536"],
            Through::Vertices => ["W101", "W102", "W104", "W105", "W114"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limits = [FOLDED, SMOOTH, SHARE, MOUTH].map(|limit| cx.limit(&Self::META, &limit));
        let [folded, smooth, least, mouth] = limits;
        let is_synthetic = matches!(sample.source, Source::Range(_));
        for bent in sample.bent() {
            let folds = folds(bent, [folded, smooth]);
            if folds.is_empty() {
                out.measure(TURNED, [0.0, least], || cx.mesh(bent.instance));
                continue;
            }
            let islets = islets(bent, &folds, mouth);
            let share_beyond = |triangles: usize| {
                let large = islets
                    .iter()
                    .filter(|islet| islet.triangles.len() > triangles);
                large.map(|islet| islet.area).sum::<f64>() / bent.bound_shape().area
            };
            let share = share_beyond(0);
            out.measure(TURNED, [share, least], || cx.mesh(bent.instance));
            let Some(largest) = largest(&islets).filter(|_| share >= least) else {
                continue;
            };
            let (group, corner) = (
                cx.mesh(bent.instance),
                bent.mesh.triangles[largest.triangles[0]][0],
            );
            let count = islets.iter().map(|islet| islet.triangles.len()).sum();
            let offence = Offence::above(&group, "triangle", share, least);
            let patches: Vec<usize> = islets
                .iter()
                .flat_map(|islet| &islet.triangles)
                .copied()
                .collect();
            let vertices = bent.mesh.corners_of(&patches);
            let offence = offence
                .info_if(is_synthetic || share_beyond(QUAD) < least)
                .vertices(&vertices);
            out.add_many(offence, count, |subject| {
                let subject = sample.location(subject);
                let subject = cx.at_vertex(subject, bent.instance, corner as usize);
                let [share, least] = percents(share, least, 2);
                (
                    subject,
                    format!("{share} % of the surface turns over, limit {least} %"),
                )
            });
        }
    }
}

/// The first of the largest patches.
fn largest(islets: &[Islet]) -> Option<&Islet> {
    islets
        .iter()
        .reduce(|a, b| if b.area > a.area { b } else { a })
}

/// The hinges that are smooth in the bind pose and folded in this pose, by index, in order.
fn folds(bent: &Bent<'_>, degrees: [f64; 2]) -> Vec<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an angle needs no more digits"
    )]
    let [folded, smooth] = degrees.map(|degrees| libm::cos(degrees.to_radians()) as f32);
    let sizes = bent.sizes();
    let is_folded = |beside: [u32; 2]| {
        let [a, b] = beside.map(|triangle| sizes.across(triangle));
        let cosine = a.dot(b);
        // Most hinges bend by less than a right angle, so the sign decides without square roots.
        (cosine < 0.0 || folded > 0.0) && cosine < folded * (a.length() * b.length())
    };
    let was_smooth = |hinge: usize| {
        let bound = bent.bound_shape();
        let [a, b] = bent.surface.hinges[hinge].triangles;
        let (a, b) = (a as usize, b as usize);
        bound.across[a].dot(bound.across[b]) > smooth * bound.lengths[a] * bound.lengths[b]
    };
    let mut folds = Vec::new();
    for hinge in sizes.bent_beyond(folded) {
        let index = hinge.index as usize;
        if is_folded(hinge.beside) && was_smooth(index) {
            folds.push(index);
        }
    }
    folds.sort_unstable();
    folds
}

/// A patch with folds all around it.
#[derive(Debug, Clone, PartialEq)]
struct Islet {
    /// Its triangles, by index, the first visited first.
    triangles: Vec<usize>,
    /// Twice its area in the bind pose.
    area: f64,
}

/// A patch of more triangles than this, or than a quarter of its island, is the surface itself: the enclosed patch is
/// on the other side of the folds.
const LARGEST: usize = 512;

/// The patches that `folds` (positions of hinges, in order) enclose, each once, except for limbs.
///
/// * `mouth` – a patch with one border whose opening is less than this part of its surface is a limb, unless it is
///   inside out.
fn islets(bent: &Bent<'_>, folds: &[usize], mouth: f64) -> Vec<Islet> {
    let (surface, across) = (bent.surface, &bent.bound_shape().across);
    let around = closed_curves(surface, folds);
    if around.is_empty() {
        return Vec::new();
    }
    let mut is_fold = vec![false; surface.hinges.len()];
    for fold in folds {
        is_fold[*fold] = true;
    }
    let mut search = Search {
        bent,
        surface,
        is_fold: &is_fold,
        across,
        mouth,
        patches: vec![NO_PATCH; across.len()],
    };
    let sides = around
        .iter()
        .flat_map(|fold| surface.hinges[*fold].triangles);
    sides
        .filter_map(|triangle| search.from(triangle as usize))
        .collect()
}

/// Least negative fraction of its volume that an inside-out limb has; a crumpled or flat one has about 0.
const INSIDE_OUT: f64 = 0.1;

/// Rounds of removing loose ends. A longer crease is left for the search.
const ROUNDS: usize = 8;

/// `folds` without loose ends: a border around a patch has no end. Most folds are creases of a few edges, which this
/// removes.
fn closed_curves(surface: &Surface, folds: &[usize]) -> Vec<usize> {
    // The number of folds that end at each position.
    let mut ends = vec![0_u32; surface.topology.welded.len()];
    let ends_of = |fold: usize| surface.ends_of(fold).map(|end| end as usize);
    for end in folds.iter().flat_map(|fold| ends_of(*fold)) {
        ends[end] += 1;
    }
    let mut left = folds.to_vec();
    for _ in 0..ROUNDS {
        let goes_on = |fold: &usize| ends_of(*fold).into_iter().all(|end| ends[end] > 1);
        let (closed, loose): (Vec<usize>, Vec<usize>) = left.iter().copied().partition(goes_on);
        if loose.is_empty() {
            break;
        }
        for end in loose.into_iter().flat_map(ends_of) {
            ends[end] -= 1;
        }
        left = closed;
    }
    left
}

struct Search<'a> {
    bent: &'a Bent<'a>,
    surface: &'a Surface,
    /// For each hinge whether it is a fold.
    is_fold: &'a [bool],
    across: &'a [Vec3],
    mouth: f64,
    /// For each visited triangle, 1 more than the first of its patch, whether enclosed or abandoned.
    patches: Vec<u32>,
}

/// Not in a patch yet. The value is 0, because zeroed memory costs nothing until it is touched, and few triangles are
/// visited.
const NO_PATCH: u32 = 0;

impl Search<'_> {
    /// The patch around a triangle, if it is new, small and enclosed.
    fn from(&mut self, first: usize) -> Option<Islet> {
        let number = u32::try_from(first + 1).ok()?;
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
            for other in neighbours(self.surface, self.is_fold, triangle) {
                match std::mem::replace(&mut self.patches[other], number) {
                    NO_PATCH => patch.push(other),
                    earlier if earlier != number => return None,
                    _ => {}
                }
            }
        }
        let area = patch
            .iter()
            .map(|triangle| f64::from(self.across[*triangle].length()))
            .sum();
        (!self.is_limb(&patch, area)).then_some(Islet {
            triangles: patch,
            area,
        })
    }

    /// Whether a patch is everything beyond a constriction: it has one border, and by Stokes' theorem the sum of its
    /// area vectors is the opening that the border spans. A band around a limb has two borders and does not count.
    fn is_limb(&self, patch: &[usize], area: f64) -> bool {
        let opening: DVec3 = patch.iter().map(|t| self.across[*t].as_dvec3()).sum();
        let is_narrow = opening.length() < self.mouth * area && self.has_one_border(patch);
        is_narrow && !self.is_inside_out(patch)
    }

    /// Whether the volume behind a patch with a narrow border has turned inside out, other than by the scale of its
    /// joints. Rotating or twisting about a joint keeps the volume.
    fn is_inside_out(&self, patch: &[usize]) -> bool {
        let bent = self.bent;
        let border = self
            .surface
            .hinges_of(patch[0])
            .find(|hinge| self.is_fold[*hinge]);
        let Some([[apex, _], _]) = border.map(|hinge| self.surface.hinges[hinge].ends) else {
            return false;
        };
        let corners = || patch.iter().map(|triangle| bent.mesh.triangles[*triangle]);
        let bound = six_volumes(apex, corners(), &*bent.bound);
        let posed = six_volumes(apex, corners(), bent.posed);
        let part = posed / (bound * bent.factors(apex).volume);
        part.is_finite() && part < -INSIDE_OUT
    }

    /// By Euler's formula: corners minus edges plus triangles is 1 for a disc, and 0 for a band.
    fn has_one_border(&self, patch: &[usize]) -> bool {
        let edges = distinct(patch.iter().flat_map(|t| self.surface.hinges_of(*t)));
        let corners = distinct(edges.iter().flat_map(|edge| self.surface.ends_of(*edge)));
        corners.len() + patch.len() == edges.len() + 1
    }
}

/// The neighbours of a triangle, except across folds.
fn neighbours<'a>(
    surface: &'a Surface,
    is_fold: &'a [bool],
    triangle: usize,
) -> impl Iterator<Item = usize> + 'a {
    let hinges = surface.hinges_of(triangle).filter(|hinge| !is_fold[*hinge]);
    hinges.map(move |hinge| {
        let [a, b] = surface.hinges[hinge].triangles.map(|t| t as usize);
        if a == triangle { b } else { a }
    })
}

fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}
