//! `D607`: degenerate-normal.

use crate::lint::core::context::Analysis;
use crate::skinning::Prepared;
use std::cell::OnceCell;

use crate::lint::core::numbers::percents;
use crate::lint::rules::deformation::normals::Normals;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Moment, Offence, Rule};
use crate::skinning::Attributes;

/// A surface whose normals are off by more is plainly lit wrong: cos 30° is 13 % less light.
const ANGLE: Limit = Limit {
    key: "angle",
    default: 30.0,
    range: LimitRange::DEGREES,
    about: "degrees between a skinned normal and the posed surface",
};

/// Normals that are off at bind time are meant so (foliage, hair, a faceted look).
const BOUND: Limit = Limit {
    key: "bound",
    default: 15.0,
    range: LimitRange::DEGREES,
    about: "degrees between a normal and the surface as bound, up to which it counts",
};

/// Skinned normals leave out how weights change along the surface, and so are off at every crease: on a quarter of a
/// coarse arm that bends. Where most are off, something else is wrong.
const SHARE: Limit = Limit {
    key: "share",
    default: 0.5,
    range: LimitRange::PART,
    about: "least part of the mesh's vertices whose normals have to be off at once",
};

declare_rule! {
    /// ## What it does
    /// Looks for meshes whose skinned normals are lost in some pose: zero, or more than `angle` (30°) off the surface,
    /// where they were within `bound` (15°) of it as bound; on at least `share` (0.5) of the vertices.
    ///
    /// The surface's own normal at a vertex is that of its triangles, weighted by area. Triangles that collapse have none,
    /// and their vertices do not count. Normals go by the inverse transpose of the blended matrix, as is right where joints
    /// are scaled.
    ///
    /// What loses half of the normals does so in many poses: of a clip of many keys every fourth pose is looked at, and in
    /// each 32 normals that are spread over the mesh. Where at least half of `share` of those is off, the others are
    /// looked at too.
    ///
    /// ## Why is this bad?
    /// Light falls on the model from where no lamp is, and wanders with the pose; vertices with a normal of zero are black
    /// or NaN in the shader.
    ///
    /// ## How to fix
    /// - Normals were exported in another space than positions (of the node, not of the mesh; with the bind pose's
    ///   rotation or without), or not morphed along: export them again from the bound mesh.
    /// - A joint that is scaled flat on an axis leaves no normal: scale to a small number, not to 0.
    /// - Weights that change from vertex to vertex without a pattern: smooth them.
    ///
    /// ## References
    /// - K. Turkowski, "Transformations of Surface Normal Vectors", Apple technical report 22, 1990.
    DegenerateNormal, "D607", "degenerate-normal", Warning, limits: [ANGLE, BOUND, SHARE]
}

impl Rule for DegenerateNormal {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        if !moment.sparse {
            return;
        }
        let [angle, least] = [ANGLE, SHARE].map(|limit| cx.limit(&Self::META, &limit));
        let far = cosine(angle);
        let Some(normals) = &cx.get::<Fitting>().0 else {
            return;
        };
        let samples = normals.posed_samples(moment.pose);
        let whole = OnceCell::new();
        for bent in moment.bent() {
            let index = bent.posed.instance.index();
            let sampled = normals.samples_off(bent, &samples[index], far).share();
            // NaN if there is nothing to go by.
            if sampled.is_nan() || sampled < SAMPLED * least {
                continue;
            }
            let whole = whole.get_or_init(|| {
                let skin = cx.get::<Prepared>();
                let posed = skin.deform(cx.asset, moment.pose, Attributes::Normals);
                // Its positions were skinned.
                posed.unwrap_or_default()
            });
            let off = normals.off(bent, &whole[index], far);
            let share = off.share();
            let Some(vertex) = off.found.which.filter(|_| share >= least) else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "vertex", share, least);
            out.add_many(offence, off.found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), bent.instance, vertex);
                let [share, least] = percents(share, least, 0);
                let words =
                    format!("{share} % of the normals are off by over {angle}°, limit {least} %");
                (place, words)
            });
        }
    }
}

/// The normals that fit the surface as it is bound.
struct Fitting(Option<Normals>);

impl Analysis for Fitting {
    fn of(cx: &Context<'_>) -> Self {
        let close = cosine(cx.limit(&DegenerateNormal::META, &BOUND));
        Self(Normals::of(cx, close))
    }
}

/// If fewer of the samples are off than this part of the limit, fewer of all are than the limit, in all likelihood.
const SAMPLED: f64 = 0.5;

#[expect(
    clippy::cast_possible_truncation,
    reason = "an angle needs no more digits"
)]
fn cosine(degrees: f64) -> f32 {
    libm::cos(degrees.to_radians()) as f32
}
