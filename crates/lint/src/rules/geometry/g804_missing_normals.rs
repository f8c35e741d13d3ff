//! `G804`: missing-normals.

use crate::analysis::joints;
use crate::rig::{Format, Mesh};
use crate::{Context, Findings, Offence, Rule, declare_rule};

/// The cosine of 2°: triangles whose planes are closer are shaded alike in any case.
const PLANE: f32 = 0.9994;

declare_rule! {
    MissingNormals, "G804", "missing-normals", Hint, Judged
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
