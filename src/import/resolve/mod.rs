//! From what a file says to an [`Asset`]: the one place that checks, mends and notes it, and that knows which defects were
//! looked for.
//!
//! A new kind of defect is a variant of [`DefectKind`] and a check here.

mod clips;
mod meshes;
mod skins;

pub(super) use meshes::normals;

use super::ImporterError;
use super::hierarchy::{HierarchyError, parents_first};
use super::source::{Node, Source};
use crate::rig::{Asset, DefectKind, Joint, JointId, Skeleton};

/// Mends what `source` says.
///
/// Meshes, tracks, materials and images are moved, not copied.
///
/// # Errors
///
/// [`ImporterError::Parse`] if the nodes are no hierarchy: nothing that hangs on them would mean anything.
pub(super) fn resolve(mut source: Source) -> Result<Asset, ImporterError> {
    let refused = |error: HierarchyError| ImporterError::Parse {
        message: error.to_string(),
    };
    let (joints, ids) = hierarchy(source.nodes).map_err(refused)?;
    let skins = skins::resolve(
        &mut source.skins,
        &mut source.meshes,
        &source.instances,
        &ids,
        (&mut source.notes, &mut source.defects),
    );
    for mesh in &mut source.meshes {
        meshes::mend(mesh, &mut source.notes, &mut source.defects);
    }
    for instance in &mut source.instances {
        instance.joint = ids[instance.joint.index()];
    }
    let clips = clips::resolve(source.clips, &joints, &ids, &mut source.defects);
    let hidden = source.hidden;
    let examined = DefectKind::ALL.into_iter();
    Ok(Asset {
        importer: source.importer,
        space: source.space,
        stated_space: source.stated_space,
        skeleton: Skeleton::new(joints).expect("parents were put before their children"),
        meshes: source.meshes,
        skins,
        instances: source.instances,
        clips,
        materials: source.materials,
        images: source.images,
        files: Vec::new(),
        notes: source.notes.into_inner(),
        evidence: source
            .defects
            .into_evidence(examined.filter(|kind| !hidden.contains(kind))),
    })
}

/// The nodes as joints, parents first, and the joint of each node.
fn hierarchy(nodes: Vec<Node>) -> Result<(Vec<Joint>, Vec<JointId>), HierarchyError> {
    let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
    let order = parents_first("node", &parents)?;
    let mut ids = vec![JointId(0); nodes.len()];
    for (new, &old) in order.iter().enumerate() {
        ids[old] = JointId::from_index(new);
    }
    let mut joints: Vec<(JointId, Joint)> = nodes
        .into_iter()
        .zip(&ids)
        .map(|(node, &id)| {
            let joint = Joint {
                name: node.name,
                parent: node.parent.map(|parent| ids[parent]),
                rest: node.rest,
            };
            (id, joint)
        })
        .collect();
    joints.sort_unstable_by_key(|(id, _)| *id);
    Ok((joints.into_iter().map(|(_, joint)| joint).collect(), ids))
}
