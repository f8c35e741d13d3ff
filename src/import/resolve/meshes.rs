//! Faces and normals.

use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::import::unit;
use crate::rig::{DefectKind, Mesh, Place};
use crate::units::amount;

/// Removes triangles of vertices that are not there; normals are looked at and left as they are.
pub(super) fn mend(mesh: &mut Mesh, notes: &mut Notes, defects: &mut Defects) {
    let (vertices, before) = (mesh.positions.len(), mesh.triangles.len());
    let exists = |corner: &u32| (*corner as usize) < vertices;
    mesh.triangles
        .retain(|triangle| triangle.iter().all(exists));
    let lost = before - mesh.triangles.len();
    if lost > 0 {
        let message = format!("{} of vertices that are not there", amount(lost, "face"));
        notes.add(
            format!("mesh {:?}", mesh.name),
            format!("left out {message}"),
        );
        let place = Place::mesh(mesh.name.clone());
        defects.add_many(DefectKind::FaceIndexOutOfRange, place, lost, message);
    }
    normals(mesh, unit::NORMAL, defects);
}

/// Looks at the normals of a mesh.
///
/// * `limit` – how far from 1 a length may be.
pub(in crate::import) fn normals(mesh: &Mesh, limit: f64, defects: &mut Defects) {
    for (vertex, normal) in mesh.normals.iter().enumerate() {
        let length = unit::length(&normal.to_array());
        let Some(off) = unit::excess(length, limit) else {
            continue;
        };
        let place = Place::mesh(mesh.name.clone()).vertex(vertex);
        let message = format!("the normal has length {}, not 1", unit::rounded(length));
        defects.add_worst(DefectKind::NonunitNormal, place, 1, off, message);
    }
}
