//! Morph targets, as offsets from the base (glTF 2.0, §3.7.2.2).

use glam::Vec3;
use serde_json::Value;
use serde_json::value::RawValue;

use super::accessors::Elements;
use super::error::GltfError;
use super::lenient::Whole;
use super::reader::{Reader, vec3s};
use crate::rig::{Mesh, MorphTarget};

/// The targets of a primitive, without names. Offsets of attributes that the base lacks, and offsets that are all 0, are
/// omitted.
pub(super) fn read(
    reader: &Reader<'_>,
    has_normals: bool,
    has_tangents: bool,
    elements: Elements<'_>,
) -> Result<Vec<MorphTarget>, GltfError> {
    let targets = reader.primitive.targets.iter().enumerate();
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
            let (positions, normals, tangents) = (target.position, target.normal, target.tangent);
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
    accessor: Option<Whole>,
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

/// Gives the targets of `mesh` their names, by a custom that the standard recommends (§3.7.2.2).
///
/// * `extras` – of the mesh in the document.
pub(super) fn name_targets(mesh: &mut Mesh, extras: Option<&RawValue>) {
    let extras = extras.filter(|_| !mesh.morph_targets.is_empty());
    let extras = extras.map(RawValue::get);
    let extras: Value = extras
        .and_then(|extras| serde_json::from_str(extras).ok())
        .unwrap_or_default();
    let names = extras["targetNames"].as_array().into_iter().flatten();
    for (target, name) in mesh.morph_targets.iter_mut().zip(names) {
        name.as_str()
            .unwrap_or_default()
            .clone_into(&mut target.name);
    }
}
