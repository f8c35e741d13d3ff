//! `T401`: the rotation of a node is scaled to length 1; one without a direction becomes none.

use std::collections::BTreeSet;

use super::keys::length;
use super::{Changed, Job};
use crate::document::{Document, Json, Refusal};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    for node in nodes(job) {
        let done = repair_one(job.document, &node);
        changed.add(done);
    }
    changed
}

/// The paths of the nodes that the findings name.
pub(super) fn nodes(job: &Job<'_>) -> BTreeSet<String> {
    let findings = job.findings.iter();
    let nodes = findings.flat_map(|finding| {
        let named = finding.affected.joint_ids.iter().copied();
        named.chain(finding.location.ids.node)
    });
    let origins = nodes.filter_map(|node| job.asset.origins.nodes.get(node.index()));
    let paths = origins.filter_map(|origin| origin.strip_prefix('/'));
    paths.map(str::to_owned).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "rotations are read as f32")]
fn repair_one(document: &mut Document, node: &str) -> Result<usize, Refusal> {
    let rotation = document.json.at_mut(&format!("{node}/rotation"));
    let rotation = rotation.ok_or(Refusal::Storage)?;
    let numbers: Option<Vec<f64>> = rotation.items().map(Json::number).collect();
    let stored = numbers.and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
    let stored = stored.ok_or(Refusal::Storage)?;
    // A number that f32 cannot tell from 0 is read as 0.
    let length = length(stored.map(|number| f64::from(number as f32)));
    let unit = if ((length * length) as f32).is_normal() {
        stored.map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    };
    let texts = unit.map(|number| (number as f32).to_string());
    let text = format!("[{}]", texts.join(","));
    *rotation = Json::parse(&text).ok_or(Refusal::Storage)?;
    Ok(1)
}
