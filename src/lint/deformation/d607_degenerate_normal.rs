//! `D607`: degenerate-normal.

use glam::Vec3;

use super::bent::Bent;
use super::counted::{Counted, as_f64};
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, Moment, Offence, Rule, RuleMeta};

/// A surface whose normals are off by more is plainly lit wrong: cos 30° is 13 % less light.
const ANGLE: Limit = Limit {
    key: "angle",
    default: 30.0,
    about: "degrees between a skinned normal and the posed surface",
};

/// Normals that are off at bind time are meant so (foliage, hair, a faceted look).
const BOUND: Limit = Limit {
    key: "bound",
    default: 15.0,
    about: "degrees between a normal and the surface as bound, up to which it counts",
};

/// Skinned normals leave out how weights change along the surface, and so are off at every crease: on a quarter of a
/// coarse arm that bends. Where most are off, something else is wrong.
const SHARE: Limit = Limit {
    key: "share",
    default: 0.5,
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
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn watches(&self) -> bool {
        true
    }

    fn wants_normals(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        let [angle, bound, least] =
            [ANGLE, BOUND, SHARE].map(|limit| cx.limit(&Self::META, &limit));
        for bent in moment
            .bent()
            .iter()
            .filter(|bent| !bent.mesh.normals.is_empty())
        {
            let lost = lost(bent, [angle, bound]);
            let share = as_f64(lost.found.count) / as_f64(lost.of);
            let Some(vertex) = lost.found.which.filter(|_| share >= least) else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "vertex", share, least);
            out.add_many(offence, lost.found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), bent.instance, vertex);
                let (share, least) = (100.0 * share, 100.0 * least);
                let words =
                    format!("{share:.0}% of the normals are off by over {angle}°, limit {least}%");
                (place, words)
            });
        }
    }
}

struct Lost {
    found: Counted<usize>,
    /// How many normals there are to go by.
    of: usize,
}

fn lost(bent: &Bent<'_>, degrees: [f64; 2]) -> Lost {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an angle needs no more digits"
    )]
    let [angle, close] = degrees.map(|degrees| libm::cos(degrees.to_radians()) as f32);
    // Without morph targets: normals that do not go along with them are lost too.
    let at_bind = bent.surface.normals.get_or_init(|| at_bind(bent));
    let posed = bent.posed_shape().of_vertices(bent.mesh);
    let (before, after) = (&bent.mesh.normals, &bent.posed.normals);
    let mut lost = Lost {
        found: Counted::default(),
        of: 0,
    };
    for vertex in 0..before.len().min(after.len()) {
        if at_bind[vertex].is_none_or(|cosine| cosine < close) {
            continue;
        }
        // Mirrored joints turn triangles, but not normals, inside out.
        let mirror = if bent.factors_of(vertex).volume < 0.0 {
            -1.0
        } else {
            1.0
        };
        if let Some(cosine) = cosine(after[vertex], posed[vertex]) {
            lost.of += 1;
            if cosine * mirror < angle {
                lost.found.add(-f64::from(cosine * mirror), vertex);
            }
        }
    }
    lost
}

/// For each normal the cosine of the angle between it and the surface as bound.
fn at_bind(bent: &Bent<'_>) -> Vec<Option<f32>> {
    let surface = bent.surface.shape.of_vertices(bent.mesh);
    let normals = bent.mesh.normals.iter().zip(&surface);
    normals
        .map(|(normal, surface)| cosine(*normal, *surface))
        .collect()
}

/// Of the angle between a unit normal and the surface; 0 for a normal without a direction, `None` for such a surface.
fn cosine(normal: Vec3, surface: Vec3) -> Option<f32> {
    let length = surface.length();
    let usable = length.is_normal() && length.is_finite();
    usable.then(|| normal.dot(surface) / length)
}
