//! Repairs by ufbx, and parts of the file that are not used.

use ufbx::{Scene, WarningType};

use crate::import::notes::Notes;
use crate::units::amount;

/// Notes both.
pub(super) fn note(scene: &Scene, notes: &mut Notes) {
    for warning in scene.metadata.warnings.iter().filter(|w| matters(w.type_)) {
        let mut message = warning.description.to_lowercase();
        if warning.count > 1 {
            message = format!("{message} ({} times)", warning.count);
        }
        notes.add("file", message);
    }
    let broken = scene.skin_clusters.iter();
    let broken = broken.filter(|cluster| cluster.bone_node.is_none());
    let weights = broken.map(|cluster| (cluster.num_weights, &cluster.element.name));
    for (count, name) in weights {
        let message = format!(
            "skipped the cluster {name:?} with its {}: it is not bound to a node",
            amount(count, "weight")
        );
        notes.add("file", message);
    }
    let lost = [
        (
            scene.constraints.count,
            "constraint",
            "; only motion baked into curves is read",
        ),
        (scene.nurbs_surfaces.count, "NURBS surface", ""),
        (scene.nurbs_curves.count, "NURBS curve", ""),
    ];
    for (count, what, why) in lost.into_iter().filter(|(count, ..)| *count > 0) {
        notes.add("file", format!("skipped {}{why}", amount(count, what)));
    }
}

/// Whether a warning is worth a note. Indices out of range are noted with their mesh, and a duplicate connection changes
/// nothing.
fn matters(kind: WarningType) -> bool {
    !matches!(
        kind,
        WarningType::DuplicateConnection
            | WarningType::IndexClamped
            | WarningType::BadElementConnectedToRoot
            | WarningType::BadVertexWAttribute
    )
}
