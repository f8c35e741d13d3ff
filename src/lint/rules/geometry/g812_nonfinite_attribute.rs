//! `G812`: nonfinite-attribute.

use glam::{Vec2, Vec3};

use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    /// ## What it does
    /// Checks that normals, tangents and texture coordinates are finite: neither NaN nor infinite. `G801` checks positions.
    ///
    /// ## Why is this bad?
    /// Lighting computed from NaN is NaN: black or white pixels bloom over the whole image. A non-finite texture
    /// coordinate smears a row of the texture over its triangles.
    ///
    /// ## How to fix
    /// - Recalculate normals and tangents, and unwrap the faces there again. Triangles without area cause both.
    /// - Exporters: do not divide by the length of a zero vector, and refuse to write non-finite numbers.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (floating-point data holds no NaN and no infinity); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteAttribute, "G812", "nonfinite-attribute", Error
}

impl Rule for NonfiniteAttribute {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mesh => ["G803"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            let mut report = |vertex: usize, what: &str| {
                out.add(Offence::of(&group, "number").vertex(vertex), |subject| {
                    let message = format!("{what} is not finite");
                    (cx.at_vertex(subject, instance, vertex), message)
                });
            };
            for (list, what) in [
                (&mesh.normals, "its normal"),
                (&mesh.tangents, "its tangent"),
                (&mesh.bitangents, "its bitangent"),
            ] {
                for (vertex, _) in list
                    .iter()
                    .enumerate()
                    .filter(|(_, v)| !Vec3::is_finite(**v))
                {
                    report(vertex, what);
                }
            }
            for list in &mesh.uv_sets {
                for (vertex, _) in list
                    .iter()
                    .enumerate()
                    .filter(|(_, v)| !Vec2::is_finite(**v))
                {
                    report(vertex, "its texture coordinate");
                }
            }
        }
    }
}
