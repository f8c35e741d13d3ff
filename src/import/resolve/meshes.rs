//! Faces and normals.

use crate::import::log::Log;
use crate::import::unit;
use crate::rig::{DefectKind, Location, Mesh};
use crate::units::amount;

/// Removes triangles with vertices that do not exist. Normals are examined but not changed.
///
/// * `name` – of the mesh in findings.
pub(super) fn repair(mesh: &mut Mesh, name: &str, log: &mut Log) {
    let (vertices, before) = (mesh.positions.len(), mesh.triangles.len());
    let exists = |corner: &u32| (*corner as usize) < vertices;
    mesh.triangles
        .retain(|triangle| triangle.iter().all(exists));
    let lost = before - mesh.triangles.len();
    if lost > 0 {
        let message = format!("{} with vertices that do not exist", amount(lost, "face"));
        log.notes.add(
            format!("mesh {:?}", mesh.name),
            format!("skipped {message}"),
        );
        let location = Location::mesh(name);
        log.defects
            .add_many(DefectKind::FaceIndexOutOfRange, location, lost, message);
    }
    normals(mesh, name, log);
}

fn normals(mesh: &Mesh, name: &str, log: &mut Log) {
    for (vertex, normal) in mesh.normals.iter().enumerate() {
        let normal = normal.to_array();
        if unit::is_nearly(&normal, unit::NORMAL) {
            continue;
        }
        let length = unit::length(&normal);
        let Some(off) = unit::excess(length, unit::NORMAL) else {
            continue;
        };
        let location = Location::mesh(name).vertex(vertex);
        let message = format!("the normal has length {}, not 1", unit::rounded(length));
        let kind = DefectKind::NonunitNormal;
        log.defects.add_worst(kind, location, 1, off, message);
    }
}
