//! `G804`: missing-normals.

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Looks for meshes with triangles but without normals.
    ///
    /// ## Why is this bad?
    /// Every renderer computes its own normals: flat ones as glTF requires, smooth ones over the whole mesh, or a mix
    /// by angle. Hard edges or smooth cheeks are lost, and seams show where vertices are split.
    ///
    /// ## How to fix
    /// - Export a normal for each vertex.
    /// - Blender: switch *Normals* on in the export's *Mesh* options; *Object → Shade Smooth* or *Shade Auto Smooth*
    ///   sets what they should be.
    /// - Maya: *File → Export → FBX → Geometry*: smoothing groups, or *Mesh Display → Unlock Normals* first.
    /// - Exporters: write a normal for each vertex, unless the material is unlit.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1 (without normals, clients calculate flat ones).
    MissingNormals, "G804", "missing-normals", Info
}

impl Rule for MissingNormals {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            if mesh.triangles.is_empty() || !mesh.normals.is_empty() {
                continue;
            }
            let group = cx.mesh(instance);
            out.add(Offence::of(&group, "mesh"), |location| {
                (location, "no normals; they are generated".to_owned())
            });
        }
    }
}
