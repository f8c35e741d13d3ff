//! The primitives and vertices that findings name, in the file.

use std::collections::{BTreeMap, BTreeSet};

use super::d602_overstretched_edge::with_enclosed;
use super::{Changed, Changes, Job};
use crate::document::{Document, Json, Refusal};
use crate::finding::Finding;
use crate::import;
use crate::rig::{Asset, PrimitiveId};

/// The path of a primitive.
pub(super) fn path(id: PrimitiveId) -> String {
    format!("meshes/{}/primitives/{}", id.mesh, id.index)
}

/// Vertices of primitives, by their index in the model that was read.
pub(crate) type Named = BTreeMap<PrimitiveId, BTreeSet<usize>>;

/// The primitives that findings name, with the vertices of each that a repair may change.
pub(crate) fn named<'a>(
    asset: &Asset,
    findings: impl IntoIterator<Item = &'a Finding>,
    changes: Changes,
) -> Named {
    let mut named = Named::new();
    for finding in findings {
        for affected in &finding.affected.meshes {
            let mesh = asset[affected.instance].mesh;
            if let Some(primitive) = asset.origins.primitives.get(mesh.index()) {
                let vertices = affected.vertices.iter().map(|vertex| *vertex as usize);
                named.entry(*primitive).or_default().extend(vertices);
            }
        }
        if let Some(primitive) = finding.location.ids.primitive {
            named
                .entry(primitive)
                .or_default()
                .extend(finding.location.vertex);
        }
    }
    if changes == Changes::Patches {
        for (primitive, mesh) in asset.origins.primitives.iter().zip(&asset.meshes) {
            if let Some(ends) = named.get_mut(primitive) {
                *ends = with_enclosed(mesh, ends);
            }
        }
    }
    named
}

/// The accessor of an attribute.
pub(super) fn attribute(document: &Document, primitive: &str, name: &str) -> Option<usize> {
    let path = format!("{primitive}/attributes/{name}");
    document.json.at(&path).and_then(Json::whole)
}

/// The triangles of a primitive.
pub(super) fn triangles(document: &Document, primitive: &str) -> Result<Vec<[usize; 3]>, Refusal> {
    let json = document.json.at(primitive).ok_or(Refusal::Storage)?;
    let mode = json.get("mode").map_or(Some(4), Json::whole);
    let positions = attribute(document, primitive, "POSITION").ok_or(Refusal::Storage)?;
    let vertices = document.accessor(positions)?.count;
    let corners: Vec<u32> = match json.get("indices").map(Json::whole) {
        None => (0..).take(vertices).collect(),
        Some(indices) => {
            let numbers = document.read(indices.ok_or(Refusal::Storage)?)?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "indices are unsigned integers"
            )]
            let whole = numbers.into_iter().map(|number| number as u32);
            whole.collect()
        }
    };
    let triangles = import::gltf_triangles(mode.ok_or(Refusal::Storage)?, &corners);
    let triangles = triangles.ok_or(Refusal::Storage)?.into_iter();
    let triangles = triangles.map(|triangle| triangle.map(|corner| corner as usize));
    let exists = |triangle: &[usize; 3]| triangle.iter().all(|corner| *corner < vertices);
    Ok(triangles.filter(exists).collect())
}

/// The vertices that triangles use, ascending: the model that was read has no others.
///
/// * `mesh` – what became of the primitive, which must have as many.
pub(super) fn used_vertices(
    document: &Document,
    asset: &Asset,
    id: PrimitiveId,
) -> Result<Vec<usize>, Refusal> {
    let used: BTreeSet<usize> = triangles(document, &path(id))?
        .into_iter()
        .flatten()
        .collect();
    let mesh = asset.origins.primitives.iter().position(|own| *own == id);
    let count = mesh.map(|mesh| asset.meshes[mesh].positions.len());
    let used: Vec<usize> = used.into_iter().collect();
    if count == Some(used.len()) {
        Ok(used)
    } else {
        Err(Refusal::Storage)
    }
}

/// The vertices of a primitive that findings name, as the file counts them.
pub(super) fn in_file(
    job: &Job<'_>,
    id: PrimitiveId,
    vertices: &BTreeSet<usize>,
    changed: &mut Changed,
) -> Option<Vec<usize>> {
    let read = || {
        let used = used_vertices(job.document, job.asset, id)?;
        let all = vertices.iter().map(|vertex| used.get(*vertex).copied());
        all.collect::<Option<Vec<_>>>().ok_or(Refusal::Storage)
    };
    match read() {
        Ok(vertices) => Some(vertices),
        Err(refusal) => {
            changed.leave(refusal.to_string());
            None
        }
    }
}
