//! `D607`: degenerate-normal.

use crate::lint::core::context::Analysis;
use crate::skinning::PreparedMeshes;
use std::cell::OnceCell;

use crate::lint::core::numbers::percents;
use crate::lint::rules::deformation::normals::Normals;
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Sample};
use crate::skinning::Attributes;

/// Beyond this, a surface is plainly lit wrongly: cos 30° is 13 % less light.
const ANGLE: Limit = Limit::new("angle", 30.0, LimitRange::DEGREES)
    .about("maximum angle between a skinned normal and the posed surface's normal, in degrees");

/// Normals that disagree with the surface in the bind pose are intended (foliage, hair, a faceted look).
const BOUND: Limit = Limit::new("bound", 15.0, LimitRange::DEGREES).about(
    "maximum angle, in the bind pose, between a normal that counts and the surface's normal, in degrees",
);

/// Skinned normals ignore how weights change along the surface, and are off at every crease: on a quarter of a coarse
/// arm that bends. If most are off, something else is wrong.
const SHARE: Limit = Limit::new("share", 0.5, LimitRange::PART)
    .about("minimum share of the mesh's vertices with wrong normals at once");

declare_rule! {
    /// ## What it does
    /// Looks for meshes with wrong skinned normals in some pose: on at least `share` (0.5) of the vertices they are
    /// zero, or more than `angle` (30°) off the surface's normal although they were within `bound` (15°) of it in the
    /// bind pose.
    ///
    /// The surface's normal at a vertex is the area-weighted mean over its triangles. Collapsed triangles have none,
    /// and their vertices do not count. Normals are transformed by the inverse transpose of the blended matrix, which
    /// is correct for scaled joints.
    ///
    /// A mesh that loses half of its normals does so in many poses. In a clip with many keys, the rule therefore checks
    /// every fourth pose, and in each pose 32 normals spread over the mesh. It checks the others only if the share of
    /// wrong ones is at least half of `share`.
    ///
    /// ## Why is this bad?
    /// The model is lit from the wrong direction, and the shading changes with the pose. Vertices with a zero normal
    /// are black or NaN in the shader.
    ///
    /// ## How to fix
    /// - Export the normals again from the bound mesh.
    /// - Check the space of the exported normals: it must be that of the positions, including the bind pose's rotation.
    ///   Morph targets need normals too.
    /// - A scale of 0 on an axis leaves no normal. Scale to a small number, not to 0.
    /// - Smooth the weights if they change erratically from vertex to vertex.
    ///
    /// ## References
    /// - K. Turkowski, "Transformations of Surface Normal Vectors", Apple technical report 22, 1990.
    DegenerateNormal, "D607", "degenerate-normal", Warning, limits: [ANGLE, BOUND, SHARE]
}

impl Rule for DegenerateNormal {
    fn follows_from(&self) -> &'static [Follows] {
        const {
            &[
                Through::Mesh.of("G805"),
                Through::Mesh.of("G810"),
                Through::Model.of("W119"),
                Through::Clips.of("C531"),
                Through::Clips.of("C532"),
                Through::Between.of("C538"),
            ]
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        if !sample.sparse {
            return;
        }
        let [angle, least] = [ANGLE, SHARE].map(|limit| cx.limit(&Self::META, &limit));
        let far = cosine(angle);
        let Some(normals) = &cx.get::<Fitting>().0 else {
            return;
        };
        let samples = normals.posed_samples(sample.pose);
        let whole = OnceCell::new();
        for bent in sample.bent() {
            let index = bent.posed.instance.index();
            let sampled = normals.samples_off(bent, &samples[index], far).share();
            // NaN without any normal to compare.
            if sampled.is_nan() || sampled < SAMPLED * least {
                continue;
            }
            let whole = whole.get_or_init(|| {
                let skin = cx.get::<PreparedMeshes>();
                let posed = skin.deform(cx.asset, sample.pose, Attributes::Normals);
                // The positions were skinned, so this cannot fail.
                posed.unwrap_or_default()
            });
            let off = normals.off(bent, &whole[index], far);
            let share = off.share();
            let Some(vertex) = off.found.which.filter(|_| share >= least) else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "vertex", share, least);
            out.add_many(
                offence.vertices(&off.found.vertices),
                off.found.count,
                |subject| {
                    let subject = cx.at_vertex(sample.subject(subject), bent.instance, vertex);
                    let [share, least] = percents(share, least, 0);
                    let words = format!(
                        "{share} % of the normals are off by more than {angle}°, limit {least} %"
                    );
                    (subject, words)
                },
            );
        }
    }
}

/// The normals that agree with the surface in the bind pose.
struct Fitting(Option<Normals>);

impl Analysis for Fitting {
    fn of(cx: &Context<'_>) -> Self {
        let close = cosine(cx.limit(&DegenerateNormal::META, &BOUND));
        Self(Normals::of(cx, close))
    }
}

/// If fewer of the samples are off than this fraction of the limit, then most likely fewer than the limit of all
/// normals are.
const SAMPLED: f64 = 0.5;

#[expect(
    clippy::cast_possible_truncation,
    reason = "an angle needs no more digits"
)]
fn cosine(degrees: f64) -> f32 {
    libm::cos(degrees.to_radians()) as f32
}
