//! `H301`: all nodes of a name but the first get a number.

use std::collections::BTreeSet;

use super::{Changed, Job};
use crate::document::Json;
use crate::document::json::quoted;

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    let shared = shared_names(job);
    let nodes = job
        .document
        .json
        .get("nodes")
        .into_iter()
        .flat_map(Json::items);
    let names: Vec<Option<String>> = nodes.map(|node| node.get("name")?.string()).collect();
    let mut taken: BTreeSet<String> = names.iter().flatten().cloned().collect();
    let mut seen = BTreeSet::new();
    for (index, name) in names.into_iter().enumerate() {
        let Some(name) = name.filter(|name| shared.contains(name)) else {
            continue;
        };
        // Others find the first node of a name.
        if seen.insert(name.clone()) {
            continue;
        }
        let free = (2..).map(|number| format!("{name}_{number}"));
        let free = free.into_iter().find(|free| !taken.contains(free));
        let node = job.document.json.at_mut(&format!("nodes/{index}"));
        if let (Some(free), Some(node)) = (free, node) {
            node.set("name", Json::Text(quoted(&free)));
            taken.insert(free);
            changed.count += 1;
        }
    }
    changed
}

/// The names of several joints of a skin that the findings name, and of nodes that they name.
fn shared_names(job: &Job<'_>) -> BTreeSet<String> {
    let mut shared = BTreeSet::new();
    let name = |node| job.asset.skeleton[node].name.clone();
    for finding in job.findings {
        let ids = finding.location.ids;
        shared.extend(ids.node.map(name));
        let skin = ids.skin.map(|skin| &job.asset[skin]);
        let joints: BTreeSet<_> = skin.into_iter().flat_map(|skin| &skin.joints).collect();
        let mut own = BTreeSet::new();
        let names = joints.into_iter().map(|joint| name(*joint));
        shared.extend(names.filter(|name| !own.insert(name.clone())));
    }
    shared
}
