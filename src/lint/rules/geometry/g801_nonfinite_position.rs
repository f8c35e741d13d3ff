//! `G801`: nonfinite-position.

use glam::Vec3;

use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::shown::escaped;

declare_rule! {
    /// ## What it does
    /// Checks that the coordinates of every vertex, and the offsets of every morph target, are finite: neither NaN nor
    /// infinite.
    ///
    /// ## Why is this bad?
    /// The vertex has no position. Its triangles are holes, or flash across the image. The mesh's bounds become NaN
    /// too, so engines cull it always or never. A single NaN vertex stops a physics or lightmap bake.
    ///
    /// ## How to fix
    /// - Find the modifier, deformer or script that divides by 0 there.
    /// - Blender: `bpy.context.object.data.validate()` in the Python console sets such coordinates to 0.
    /// - Exporters: refuse to write non-finite numbers, and name the vertex.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (floating-point data holds no NaN and no infinity); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfinitePosition, "G801", "nonfinite-position", Error, attribute: "POSITION"
}

impl Rule for NonfinitePosition {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            let mut report = |positions: &[Vec3], of: &str| {
                let vertices = positions.iter().enumerate();
                for (vertex, [x, y, z]) in vertices.filter(|(_, at)| !at.is_finite()).map(array) {
                    out.add(Offence::of(&group, "vertex").vertex(vertex), |subject| {
                        let subject = cx.at_vertex(subject, instance, vertex);
                        (
                            subject,
                            format!("{of} ({x}, {y}, {z}), which is not finite"),
                        )
                    });
                }
            };
            report(&mesh.positions, "it is at");
            for target in &mesh.morph_targets {
                let name = escaped(&target.name);
                report(
                    &target.positions,
                    &format!("morph target \"{name}\" moves it by"),
                );
            }
        }
    }
}

fn array((vertex, at): (usize, &Vec3)) -> (usize, [f32; 3]) {
    (vertex, at.to_array())
}
