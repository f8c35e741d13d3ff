//! Builds an [`Asset`] from the contents of a file. No other module validates and repairs them, records notes, or knows
//! which defects were looked for.
//!
//! A new kind of defect is a variant of [`DefectKind`] and a check here.

mod clips;
pub(super) mod keys;
mod meshes;
mod nodes;
mod skins;

use self::skins::Binder;
use super::ImporterError;
use super::source::Source;
use crate::rig::{Asset, DefectKind, Mesh, MeshInstance, Node, Skeleton};

/// Repairs `source`.
///
/// Meshes, tracks, materials and images are moved, not copied.
///
/// # Errors
///
/// [`ImporterError::Parse`] if the nodes do not form a hierarchy, because then nothing that refers to them has a meaning.
pub(super) fn resolve(mut source: Source) -> Result<Asset, ImporterError> {
    let log = &mut source.log;
    let resolved = nodes::resolve(source.nodes, log);
    let (joints, ids) = resolved.map_err(ImporterError::parse)?;
    for instance in &mut source.instances {
        instance.node = ids[instance.node.index()];
    }
    let names = names(&source.meshes, &source.instances, &joints);
    let mut binder = Binder {
        joints: &joints,
        ids: &ids,
        names: &names,
        invented: source.invented,
        log,
    };
    let skins = binder.bind(source.skins, &mut source.meshes, &mut source.instances);
    for (mesh, name) in source.meshes.iter_mut().zip(&names) {
        meshes::repair(mesh, name, log);
    }
    let rules = clips::Rules {
        times: source.key_times,
        are_rotations_stored: !source.hidden.contains(&DefectKind::NonunitKey),
    };
    let mut origins = source.origins;
    origins.nodes = nodes::permuted(origins.nodes, &ids);
    let clips = clips::resolve(
        source.clips,
        rules,
        &joints,
        &ids,
        log,
        &mut origins.channels,
    );
    let is_seen = |kind: &DefectKind| !source.hidden.contains(kind);
    let mut evidence = source
        .log
        .defects
        .into_evidence(DefectKind::ALL.into_iter().filter(is_seen));
    let is_of_file = |kind| is_seen(&kind) && !source.invented.contains(&kind);
    evidence.defects.retain(|defect| is_of_file(defect.kind));
    Ok(Asset {
        format: source.format,
        reader: source.reader,
        space: source.space,
        stated_space: source.stated_space,
        skeleton: Skeleton::new(joints).expect("parents were put before their children"),
        meshes: source.meshes,
        skins,
        instances: source.instances,
        clips,
        materials: source.materials,
        images: source.images,
        files: source.files,
        notes: source.log.notes.into_inner(),
        evidence,
        origins,
    })
}

/// The name of each mesh in findings: its own, or its first node's.
fn names(meshes: &[Mesh], instances: &[MeshInstance], joints: &[Node]) -> Vec<String> {
    let mut names: Vec<String> = meshes.iter().map(|mesh| mesh.name.clone()).collect();
    for instance in instances {
        let name = &mut names[instance.mesh.index()];
        if name.is_empty() {
            name.clone_from(&joints[instance.node.index()].name);
        }
    }
    names
}

#[cfg(test)]
mod tests;
