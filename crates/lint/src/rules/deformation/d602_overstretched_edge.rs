//! `D602`: overstretched-edge.

use crate::analysis::deformation::bent::Bent;
use crate::analysis::deformation::bodies::length;
use crate::analysis::naming::Pairs;
use crate::analysis::topology::{edge, sides};
use crate::core::findings::Counted;
use crate::core::numbers::{beside, diagonals, length_in, unit_for};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::NodeId;
use crate::rules::deformation::DISTORTING;
use crate::{Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, declare_rule};

/// A knee, an elbow or a shoulder stretches its outside to two or three times its length; a mouth that opens, or a wing
/// that spreads, to some more. Beyond that, neighbours follow unrelated joints.
const RATIO: Limit = Limit::new("ratio", 4.0, LimitRange::FROM_ZERO)
    .about("length in the pose over length in the bind pose");

/// Visible spikes are long. Armpits and hips of good models stretch the short edges of their creases to six times their
/// length, but those stay below a twentieth of the model.
const VISIBLE: Limit = Limit::new("visible", 0.05, LimitRange::FROM_ZERO)
    .about("minimum posed length of an edge that counts, over its mesh's diagonal");

/// The short edges of a crease become six times as long, one and a half times the limit, but hardly longer than the long edges
/// of their mesh. In a mesh of few triangles, that is above a twentieth of the model.
const CREASE: f64 = 1.5;

/// An edge that is longer than this many times the long edges of its mesh is not of a crease.
const LONG: f32 = 1.2;

/// A tear that covers less of the surface, and has no edge as long as this part of the diagonal, is a crease of an armpit or a neck.
const SMALL: f64 = 0.005;
const FAR: f32 = 0.07;

/// A vertex halfway between two limbs may follow either, and one at a limb must follow it at least three times as much as the other.
const APT: f32 = 0.5;

const STRETCH: Gauge = Gauge::new("stretch", ReadingUnit::Times).ideally(1.0);

declare_rule! {
    OverstretchedEdge, "D602", "overstretched-edge", Hint, Judged, limits = &[RATIO, VISIBLE]
}

impl Rule for OverstretchedEdge {
    fn follows_from(&self) -> &'static [Follows] {
        DISTORTING
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let [ratio, visible] = [RATIO, VISIBLE].map(|limit| cx.limit(&Self::META, &limit));
        for bent in sample.bent() {
            let group = cx.mesh(bent.instance);
            let (found, is_small) = stretched(cx, bent, [ratio, visible]);
            let worst = found
                .iter()
                .find_map(|found| Some((found.worst, found.which?)));
            let nearest = worst.or_else(|| most_stretched(bent, visible));
            if let Some((stretch, [vertex, _])) = nearest {
                out.measure(STRETCH, [stretch, ratio], || {
                    group.clone().vertex(vertex as usize)
                });
            }
            for (found, is_minor) in found.iter().zip([is_small, true]) {
                let Some([a, b]) = found.which else {
                    continue;
                };
                let offence = Offence::above(&group, "edge", found.worst, ratio)
                    .info_if(is_minor)
                    .vertices(&found.vertices);
                out.add_many(offence, found.count, |subject| {
                    let subject = sample.location(subject);
                    let mut subject = cx.at_vertex(subject, bent.instance, a as usize);
                    subject.ids.other_vertex = Some(b as usize);
                    let by = beside(found.worst, ratio, 1);
                    let lengths = lengths(cx, bent, [a, b]);
                    let message =
                        format!("edge to vertex {b} stretched {by}× ({lengths}), limit {ratio}");
                    (subject, message)
                });
            }
        }
    }
}

/// Such as `3 cm becomes 12 cm`, or in fractions of the diagonal if the file states no unit.
fn lengths(cx: &Context<'_>, bent: &Bent<'_>, edge: [u32; 2]) -> String {
    let own = f64::from(length(edge, &*bent.bound) * bent.stretch(edge));
    let [own, posed] = [own, f64::from(length(edge, bent.posed))];
    if let Some(unit) = cx.asset.space.metres_per_unit {
        let [own, posed] = [own, posed].map(|length| length * unit);
        let unit = unit_for(own.max(posed));
        return [own, posed]
            .map(|metres| length_in(unit, metres))
            .join(" becomes ");
    }
    let diagonal = f64::from(bent.surface.diagonal * bent.stretch(edge));
    let reported = diagonals(posed / diagonal, 1);
    format!("{:.1} becomes {reported}", 100.0 * own / diagonal)
}

/// The stretched edges, without and with only those of creases and of cloth between two limbs; and whether the former are few
/// and short.
fn stretched(
    cx: &Context<'_>,
    bent: &Bent<'_>,
    [ratio, visible]: [f64; 2],
) -> ([Counted<[u32; 2]>; 2], bool) {
    let edges = suspects(bent, ratio);
    let mut found = [Counted::default(), Counted::default()];
    let mut torn: Vec<[u32; 2]> = Vec::new();
    for edge in edges {
        if let Some(stretch) = stretch(bent, edge, [ratio, visible]) {
            let long = || LONG * bent.surface.long_edge(bent.mesh) * bent.stretch(edge);
            let is_crease = stretch <= CREASE * ratio && length(edge, bent.posed) < long();
            let is_minor = is_crease || is_between_sides(cx, bent, edge);
            found[usize::from(is_minor)].add(stretch, edge);
            if !is_minor {
                torn.push(edge);
            }
        }
    }
    torn.sort_unstable();
    let is_long = |edge: &[u32; 2]| {
        length(*edge, bent.posed) > FAR * bent.surface.diagonal * bent.stretch(*edge)
    };
    let is_crease = !torn.is_empty() && !torn.iter().any(is_long);
    let is_small = is_crease && share(bent, &torn) < SMALL;
    (found, is_small)
}

/// The area of the triangles at sorted `edges`, as a part of the posed surface.
fn share(bent: &Bent<'_>, edges: &[[u32; 2]]) -> f64 {
    let (mut torn, mut all) = (0.0, 0.0);
    for corners in &bent.mesh.triangles {
        let [a, b, c] = corners.map(|corner| bent.posed.at(corner as usize).as_dvec3());
        let area = (b - a).cross(c - a).length();
        let mut sides = sides(*corners).into_iter();
        if sides.any(|side| edges.binary_search(&edge(side)).is_ok()) {
            torn += area;
        }
        all += area;
    }
    torn / all
}

/// Whether an edge lies between a limb and its counterpart, and each end follows them as its place between them suggests: as in
/// the cloth of a skirt between two legs.
fn is_between_sides(cx: &Context<'_>, bent: &Bent<'_>, edge: [u32; 2]) -> bool {
    let Some(skin) = bent.instance.skin else {
        return false;
    };
    let pairs = cx.get::<Pairs>();
    let limb = |slot| pairs.limb(&cx.asset.skeleton, skin, cx.asset[skin][slot]);
    // The left joint of the pair, and how much more the vertex follows it than the right one: 1 if it follows it alone.
    let followed = |vertex: u32| {
        let influences = bent.mesh.influences.of(vertex as usize);
        let strongest = influences
            .iter()
            .max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        let (pair, _) = limb(strongest.slot)?;
        let weight = |of: NodeId| -> f32 {
            let limbs = influences.iter().map(|own| (limb(own.slot), own.weight));
            let own = limbs.filter(|(limb, _)| limb.is_some_and(|(_, joint)| joint == of));
            own.map(|(_, weight)| weight).sum()
        };
        let [left, right] = [pair.left, pair.right].map(weight);
        let lean = (left - right) / (left + right);
        let middle = pair.bound[0].midpoint(pair.bound[1]);
        let from_middle = (bent.bound[vertex as usize] - middle).dot(pair.apart());
        let place = 2.0 * from_middle / pair.apart().length_squared();
        let is_apt = lean * place.signum() >= place.abs().min(1.0) - APT;
        is_apt.then_some((pair.left, lean))
    };
    let [Some((pair, lean)), Some((other, other_lean))] = edge.map(followed) else {
        return false;
    };
    pair == other && (lean - other_lean).abs() > APT
}

/// The edges of triangles with a side that may be stretched by more than `ratio`, without duplicates and in order.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a little less than the limit"
)]
fn suspects(bent: &Bent<'_>, ratio: f64) -> Vec<[u32; 2]> {
    let surface = bent.surface;
    let least = (0.99 * ratio * bent.least_stretch()).powi(2) as f32;
    let suspects = bent.sizes().stretched(least);
    let corners = suspects.map(|triangle| surface.pliant.corners[triangle]);
    let edges = corners.flat_map(sides).map(edge);
    let mut edges: Vec<[u32; 2]> = edges.filter(|edge| surface.leaders.differ(*edge)).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The visible edge that is stretched most, if none is stretched too far.
#[expect(clippy::cast_possible_truncation, reason = "sizes need no more digits")]
fn most_stretched(bent: &Bent<'_>, visible: f64) -> Option<(f64, [u32; 2])> {
    let [visible, least] = [visible, bent.least_stretch()].map(|own| own as f32);
    let surface = bent.surface;
    let mut most: (f32, Option<[u32; 2]>) = (1.0, None);
    for (stretched, triangles) in bent.sizes().longer_than(visible * surface.diagonal * least) {
        // At the joints' own scale, a side of the block is stretched by less.
        if 1.001 * stretched <= most.0 * least {
            continue;
        }
        let corners = triangles.map(|triangle| surface.pliant.corners[triangle]);
        for edge in corners.flat_map(sides).map(edge) {
            let differs = surface.leaders.differ(edge);
            let limits = [most.0, visible].map(f64::from);
            if let Some(stretch) = stretch(bent, edge, limits).filter(|_| differs) {
                most = (stretch as f32, Some(edge));
            }
        }
    }
    Some((most.0.into(), most.1?))
}

/// The stretch of an edge, if it exceeds `ratio` and is visible.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a limit needs no more digits"
)]
fn stretch(bent: &Bent<'_>, edge: [u32; 2], [ratio, visible]: [f64; 2]) -> Option<f64> {
    let (ratio, visible) = (ratio as f32, visible as f32 * bent.surface.diagonal);
    let stretch = bent.stretched(edge)?;
    let is_visible = || length(edge, bent.posed) > visible * bent.stretch(edge);
    let counts = stretch > ratio && is_visible() && bent.surface.trusts(edge);
    counts.then_some(f64::from(stretch))
}
