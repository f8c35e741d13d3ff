//! `G804`: missing-normals.

use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::{Format, Mesh};

/// The cosine of 2°: triangles whose planes are closer are shaded alike in any case.
const PLANE: f32 = 0.9994;

declare_rule! {
    /// ## What it does
    /// Looks for meshes with triangles but without normals.
    ///
    /// The level is info, unless the file is glTF, FBX or COLLADA, which store normals, and the mesh is skinned and was
    /// smooth: most of its vertices are shared by triangles that are not in one plane.
    ///
    /// Exporters split vertices where a surface has an edge, so a mesh that is meant to look flat has a vertex of its own
    /// for each corner.
    ///
    /// ## Why is this bad?
    /// Every renderer computes its own normals: flat ones as glTF requires, smooth ones over the whole mesh, or a mix
    /// by angle. Hard edges or smooth cheeks are lost, and seams show where vertices are split.
    ///
    /// ## How to fix
    /// - Export a normal for each vertex.
    /// - Blender: switch *Normals* on in the export's *Mesh* options; *Object → Shade Smooth* or *Shade Auto Smooth*
    ///   sets what they should be.
    /// - Maya: *Geometry → Smoothing Groups* in the FBX export; if the normals are wrong, *Mesh Display → Unlock
    ///   Normals* first.
    /// - Exporters: write a normal for each vertex, unless the material is unlit.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1 (without normals, clients calculate flat ones).
    MissingNormals, "G804", "missing-normals", Warning
}

impl Rule for MissingNormals {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let format = &cx.asset.format;
        let stores = matches!(format, Format::Gltf | Format::Fbx { .. } | Format::Collada);
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            if mesh.triangles.is_empty() || !mesh.normals.is_empty() {
                continue;
            }
            let is_skinned = instance.skin.is_some() && !mesh.influences.is_empty();
            let is_lost = stores && is_skinned && was_smooth(mesh);
            let group = cx.mesh(instance);
            out.add(Offence::of(&group, "mesh").info_if(!is_lost), |subject| {
                (subject, "no normals; they are generated".to_owned())
            });
        }
    }
}

/// Whether most vertices have triangles of several planes.
fn was_smooth(mesh: &Mesh) -> bool {
    let mut first = vec![None; mesh.positions.len()];
    let mut bent = vec![false; mesh.positions.len()];
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        let Some(plane) = (b - a).cross(c - a).try_normalize() else {
            continue;
        };
        for corner in corners.map(|corner| corner as usize) {
            let own = *first[corner].get_or_insert(plane);
            bent[corner] |= plane.dot(own) < PLANE;
        }
    }
    let used = first.iter().filter(|plane| plane.is_some()).count();
    2 * bent.iter().filter(|bent| **bent).count() > used
}
