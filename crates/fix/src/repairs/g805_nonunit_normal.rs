//! `G805`: normals are scaled to length 1; one without a direction gets that of the surface.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::primitives::{attribute, path, triangles};
use super::{Changed, Job};
use crate::document::{Document, Refusal};
use crate::import::unit::{NO_DIRECTION, NORMAL};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for id in job.named.keys() {
        let primitive = path(*id);
        if let Some(normals) = attribute(job.document, &primitive, "NORMAL") {
            groups.entry(normals).or_default().push(primitive);
        }
    }
    for (normals, primitives) in groups {
        let done = repair_one(job.document, normals, &primitives, &mut changed);
        changed.add(done);
    }
    changed
}

fn repair_one(
    document: &mut Document,
    index: usize,
    primitives: &[String],
    changed: &mut Changed,
) -> Result<usize, Refusal> {
    let accessor = document.accessor(index)?;
    if accessor.width != 3 {
        return Err(Refusal::Storage);
    }
    let whole = accessor.whole();
    let mut numbers = document.read(index)?;
    let (mut count, mut is_left) = (0, false);
    let mut of_surface = None;
    for (vertex, numbers) in numbers.as_chunks_mut::<3>().0.iter_mut().enumerate() {
        let normal = DVec3::from_array(*numbers) / whole;
        let length = normal.length();
        if !length.is_finite() || (length - 1.0).abs() <= NORMAL {
            continue;
        }
        let unit = if length < NO_DIRECTION {
            if of_surface.is_none() {
                of_surface = Some(surface_normals(document, primitives)?);
            }
            of_surface
                .as_ref()
                .and_then(|normals| normals.get(&vertex))
                .copied()
        } else {
            Some(normal / length)
        };
        if let Some(unit) = unit {
            *numbers = (unit * whole).to_array();
            count += 1;
        } else {
            is_left = true;
        }
    }
    if is_left {
        changed.leave("a normal has length 0, and no triangle around it has an area");
    }
    if count > 0 {
        let users = primitives
            .iter()
            .map(|primitive| format!("{primitive}/attributes/NORMAL"));
        document.replace(index, &users.collect::<BTreeSet<_>>(), &numbers)?;
    }
    Ok(count)
}

/// The mean normal of the triangles around each vertex, by their areas.
pub(super) fn surface_normals(
    document: &Document,
    primitives: &[String],
) -> Result<BTreeMap<usize, DVec3>, Refusal> {
    let mut normals: BTreeMap<usize, DVec3> = BTreeMap::new();
    for primitive in primitives {
        let positions = attribute(document, primitive, "POSITION").ok_or(Refusal::Storage)?;
        let numbers = document.read(positions)?;
        let points = numbers.as_chunks::<3>().0;
        for triangle in triangles(document, primitive)? {
            let points = triangle.map(|corner| points.get(corner).copied());
            let [Some(a), Some(b), Some(c)] = points.map(|point| point.map(DVec3::from_array))
            else {
                return Err(Refusal::Storage);
            };
            for corner in triangle {
                *normals.entry(corner).or_default() += (b - a).cross(c - a);
            }
        }
    }
    let units = normals
        .into_iter()
        .filter_map(|(vertex, sum)| Some((vertex, sum.try_normalize()?)));
    Ok(units.collect())
}
