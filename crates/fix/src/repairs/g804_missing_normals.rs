//! `G804`: vertices without normals get those of the surface, smooth over the triangles that share them.

use std::collections::BTreeMap;

use glam::DVec3;

use super::g805_nonunit_normal::surface_normals;
use super::primitives::{attribute, path};
use super::{Changed, Job};
use crate::document::{Document, Refusal};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    // Primitives that share their positions share their normals.
    let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for id in job.named.keys() {
        let primitive = path(*id);
        let positions = attribute(job.document, &primitive, "POSITION");
        match positions {
            Some(positions) => groups.entry(positions).or_default().push(primitive),
            None => changed.leave(Refusal::Storage.to_string()),
        }
    }
    for (positions, primitives) in groups {
        let done = repair_one(job.document, positions, &primitives);
        changed.add(done);
    }
    changed
}

fn repair_one(
    document: &mut Document,
    positions: usize,
    primitives: &[String],
) -> Result<usize, Refusal> {
    let count = document.accessor(positions)?.count;
    let normals = surface_normals(document, primitives)?;
    // A vertex without an area around it needs a direction, too.
    let normal = |vertex: usize| {
        normals
            .get(&vertex)
            .map_or([0.0, 0.0, 1.0], DVec3::to_array)
    };
    let numbers: Vec<f64> = (0..count).flat_map(normal).collect();
    let accessor = document.add_vectors(&numbers)?;
    for primitive in primitives {
        document.refer(&format!("{primitive}/attributes"), "NORMAL", accessor)?;
    }
    Ok(count)
}
