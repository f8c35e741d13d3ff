//! `G812`: nonfinite-attribute.

use glam::{Vec2, Vec3};

use crate::analysis::joints;
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    NonfiniteAttribute, "G812", "nonfinite-attribute", Error, Proved
}

impl Rule for NonfiniteAttribute {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Vertices => ["G803"]]
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
