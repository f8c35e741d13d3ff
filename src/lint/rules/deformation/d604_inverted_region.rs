//! `D604`: inverted-region.

use crate::lint::analysis::deformation::bent::Bent;
use crate::lint::core::numbers::percents;
use crate::lint::rules::deformation::islets::{Islet, islets};
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Sample, Source};

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

declare_rule! {
    /// ## What it does
    /// Looks for parts of a skinned mesh that turn over in some pose: an inside-out patch among correct neighbours.
    ///
    /// A patch counts if it is folded (by more than `folded`, 120°) against everything around it, where the mesh is
    /// smooth in the bind pose (within `smooth`, 60°). All these patches together must make up at least `share` (0.01)
    /// of the surface. A crease does not count, because it encloses nothing. The turned-up hem of a cape does not
    /// count, because a patch must have neighbours on all sides. A limb beyond a pinched joint does not count either. A
    /// patch with a single border counts only if the area spanned by the border is at least `mouth` (0.2) of the
    /// patch's own, or if the enclosed part has turned inside out. A part that merely rotates about a joint keeps its
    /// volume; a part pulled through itself, like the finger of a glove, has a negative volume.
    ///
    /// The level is info if patches of more than two triangles make up less than that: a coarse mesh has creases as wide. It
    /// is also info in the range of motion, in which a joint rotates alone: no animator poses a rigid box that way.
    ///
    /// ## Why is this bad?
    /// The patch is lit from the wrong side. Where back faces are culled, it is a hole.
    ///
    /// ## How to fix
    /// - Smooth the weights around the patch. It turns over because its vertices move past each other.
    /// - Remove stray influences: a vertex weighted to another limb drags its triangles through the surface.
    ///
    /// ## References
    /// - glTF 2.0 §3.9.5 (`doubleSided`): back faces are culled unless the material says otherwise.
    InvertedRegion, "D604", "inverted-region", Warning, limits: [FOLDED, SMOOTH, SHARE, MOUTH]
}

impl Rule for InvertedRegion {
    fn follows_from(&self) -> &'static [Follows] {
        const {
            &[
                Through::Vertices.of("W101"),
                Through::Vertices.of("W102"),
                Through::Vertices.of("W104"),
                Through::Vertices.of("W105"),
                Through::Vertices.of("W114"),
                Through::Model.of("W119"),
                Through::Clips.of("C532"),
                Through::Between.of("C538"),
            ]
        }
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
                continue;
            }
            let islets = islets(bent, &folds, mouth);
            let share_beyond = |triangles: usize| {
                let large = islets.iter();
                let large = large.filter(|islet| islet.triangles.len() > triangles);
                large.map(|islet| islet.area).sum::<f64>() / bent.bound_shape().area
            };
            let share = share_beyond(0);
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
                let subject = sample.subject(subject);
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
