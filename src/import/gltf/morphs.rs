//! Morph targets, as offsets from the base (glTF 2.0, §3.7.2.2).

use glam::Vec3;
use gltf::json::{Accessor, Index};

use super::accessors::Elements;
use super::error::GltfError;
use super::primitives::{Reader, vec3s};
use crate::rig::{Mesh, MorphTarget};

/// The targets of a primitive, without names. Offsets of what the base does not have, and offsets that are all 0, are
/// left out.
pub(super) fn read(
    reader: &Reader<'_>,
    has_normals: bool,
    has_tangents: bool,
    elements: Elements<'_>,
) -> Result<Vec<MorphTarget>, GltfError> {
    let targets = reader.primitive.targets.iter().flatten().enumerate();
    targets
        .map(|(number, target)| {
            let offsets = |accessor, name| {
                offsets(
                    reader,
                    accessor,
                    &format!("targets[{number}].{name}"),
                    elements,
                )
            };
            let (positions, normals, tangents) =
                (target.positions, target.normals, target.tangents);
            Ok(MorphTarget {
                name: String::new(),
                positions: offsets(positions, "POSITION")?,
                normals: offsets(normals.filter(|_| has_normals), "NORMAL")?,
                tangents: offsets(tangents.filter(|_| has_tangents), "TANGENT")?,
            })
        })
        .collect()
}

fn offsets(
    reader: &Reader<'_>,
    accessor: Option<Index<Accessor>>,
    name: &str,
    elements: Elements<'_>,
) -> Result<Vec<Vec3>, GltfError> {
    let Some(accessor) = accessor else {
        return Ok(Vec::new());
    };
    let offsets = vec3s(reader.list(accessor, name, elements)?);
    let is_still = offsets.iter().all(|&offset| offset == Vec3::ZERO);
    Ok(if is_still { Vec::new() } else { offsets })
}

/// Gives the targets of `mesh` their names; those without one keep none.
pub(super) fn name_targets(mesh: &mut Mesh, names: &[String]) {
    for (target, name) in mesh.morph_targets.iter_mut().zip(names) {
        target.name.clone_from(name);
    }
}
