//! `W121`: lopsided-weights.

use crate::lint::analysis::joints::{self, Skinned};
use crate::lint::analysis::weighting::{self, Weighting};
use crate::lint::core::numbers::{as_f64, percents};
use crate::lint::rules::weights::mirror::{Standing, images, mirrored, named, planes};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};
use crate::rig::Bounds;

/// The share of the weight of a vertex that differs. Between neighbouring vertices of a dense mesh it changes by less than
/// that, also where a limb begins.
const DIFFERENCE: Limit = Limit::new("difference", 0.3, LimitRange::PART)
    .about("share of the weight of a vertex that differs between the two sides");

/// The share of the vertices. A bag or a hand-painted shoulder is less.
const SHARE: Limit = Limit::new("share", 0.05, LimitRange::PART)
    .about("maximum share of the vertices whose weights differ");

/// In diagonals: the distance of vertices of a dense mesh, 2 cm on a person.
const PLACE: Limit = Limit::new("place", 0.01, LimitRange::FROM_ZERO)
    .about("maximum distance of the mesh from its mirror image, over the diagonal");

/// In diagonals, as for `W117`.
const JOINTS: f64 = 0.02;

/// The share of the vertices that must have a counterpart, and of the joints with weights.
const PARTNERS: f64 = 0.9;

/// Fewer vertices are no side, however small the mesh.
const FEWEST: usize = 4;

/// The number of vertices that are examined, spread over the mesh: the share is known to 2 %.
const EXAMINED: usize = 512;

declare_rule! {
    LopsidedWeights, "W121", "lopsided-weights", OnRequest,
    limits = &[DIFFERENCE, SHARE, PLACE], attribute = Some("WEIGHTS_0")
}

impl Rule for LopsidedWeights {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["W119"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [difference, share, place] =
            [DIFFERENCE, SHARE, PLACE].map(|limit| cx.limit(&Self::META, &limit));
        for skinned in joints::skinned(cx.asset) {
            if cx.deadline.has_passed() {
                return;
            }
            let Some(compared) = compare(cx, &skinned, place) else {
                continue;
            };
            let wrong = compared
                .iter()
                .filter(|(_, _, own)| *own > difference)
                .count();
            let found = as_f64(wrong) / as_f64(compared.len());
            // Of equal ones the first.
            let worst = compared.iter().rev().max_by(|a, b| a.2.total_cmp(&b.2));
            let Some(&(vertex, image, _)) = worst.filter(|_| found > share && wrong >= FEWEST)
            else {
                continue;
            };
            let group = cx.mesh(skinned.instance);
            out.add(Offence::above(&group, "mesh", found, share), |subject| {
                let [found, share] = percents(found, share, 0);
                let message = format!(
                    "{found} % of the surface has other weights than its mirror image, limit {share} %; most of all \
                     vertex {vertex}, whose image is at vertex {image}"
                );
                (cx.at_weight(subject, skinned.instance, vertex, None), message)
            });
        }
    }
}

/// The examined vertices, the most similar vertex at each one's mirror image, and the share of the weight that differs.
/// `None` if mesh or skeleton are not symmetric.
fn compare(
    cx: &Context<'_>,
    skinned: &Skinned<'_>,
    place: f64,
) -> Option<Vec<(usize, usize, f64)>> {
    let Standing { points, bones } = Standing::of(cx.asset, skinned)?;
    let diagonal = Bounds::of(points.iter().copied()).diagonal();
    let (size, weights) = (points.len(), Weighting::of(skinned.mesh));
    if size == 0 || diagonal <= 0.0 || !diagonal.is_finite() {
        return None;
    }
    let examined: Vec<usize> = (0..size).step_by(size.div_ceil(EXAMINED)).collect();
    let named = named(cx.asset, skinned.skin, &bones);
    let nameless: Vec<_> = bones.iter().map(|bone| ("", *bone)).collect();
    let mut pulling = vec![false; named.len()];
    for influence in skinned.mesh.influences.all() {
        pulling[influence.slot.index()] |= influence.weight != 0.0;
    }
    planes(cx.asset, &bones).find_map(|plane| {
        // Names distinguish joints at one position; where they pair nothing, positions do.
        let by_name = images(&named, plane, JOINTS * diagonal);
        let by_position = images(&nameless, plane, JOINTS * diagonal);
        let both = by_name.into_iter().zip(by_position);
        let images: Vec<_> = both.map(|(named, placed)| named.or(placed)).collect();
        let sides = pulling.iter().zip(&images).filter(|(pulling, _)| **pulling);
        let paired = sides.clone().filter(|(_, image)| image.is_some());
        if !is_most(paired.count(), sides.count()) {
            return None;
        }
        let near = |vertex: usize| {
            let image = plane.mirror(points[vertex]);
            let reach = place * diagonal;
            let own = mirrored(weights.at(vertex), &images);
            let all = points.iter().enumerate();
            let near = all.filter(|(_, point)| point.distance_squared(image) <= reach * reach);
            // A joint without an image has no counterpart to differ from.
            let differs = |other| {
                let own = own.as_deref();
                own.map_or(0.0, |own| weighting::distance(own, weights.at(other)))
            };
            let rated = near.map(|(other, _)| (vertex, other, differs(other)));
            rated.min_by(|a, b| a.2.total_cmp(&b.2))
        };
        let compared: Vec<_> = examined.iter().filter_map(|vertex| near(*vertex)).collect();
        is_most(compared.len(), examined.len()).then_some(compared)
    })
}

fn is_most(part: usize, all: usize) -> bool {
    as_f64(part) / as_f64(all) >= PARTNERS
}
