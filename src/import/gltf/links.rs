//! The hierarchy of nodes: links that do not form trees are dropped.

use super::document;
use super::error::GltfError;
use super::json::Root;
use crate::import::log::Log;
use crate::rig::{DefectKind, Location};

/// The location of a node.
pub(super) fn node_location(root: &Root<'_>, node: usize) -> Location {
    let name = root.nodes.get(node).map_or("", |node| &*node.name);
    Location::joint(name).part(format!("nodes[{node}]"))
}

/// The first parent of each node; further ones are reported and ignored.
///
/// # Errors
///
/// [`GltfError::Missing`] for a child that is not there.
pub(super) fn parents(root: &Root<'_>, log: &mut Log) -> Result<Vec<Option<usize>>, GltfError> {
    let mut parents = vec![None; root.nodes.len()];
    for (parent, node) in root.nodes.iter().enumerate() {
        for &child in node.children.iter() {
            let location = || format!("nodes[{parent}].children");
            document::part(&root.nodes, child, location)?;
            let child = child.index();
            match parents[child] {
                None => parents[child] = Some(parent),
                Some(first) => report_second(root, child, [first, parent], log),
            }
        }
    }
    Ok(parents)
}

fn report_second(root: &Root<'_>, child: usize, [first, second]: [usize; 2], log: &mut Log) {
    let message = if first == second {
        format!("listed twice as a child of nodes[{first}]")
    } else {
        format!("a child of nodes[{first}] and of nodes[{second}]; the first is used")
    };
    report(root, child, message, log);
}

/// Cuts cycles: the first node of a cycle that is visited loses its parent.
///
/// * `scene` – the nodes of the scene, which are visited first.
pub(super) fn cut_cycles(
    root: &Root<'_>,
    parents: &mut [Option<usize>],
    scene: &[usize],
    log: &mut Log,
) {
    /// Not visited yet.
    const NEW: usize = usize::MAX;
    let mut met_from = vec![NEW; parents.len()];
    let starts = scene.iter().copied().chain(0..parents.len());
    for (walk, start) in starts.enumerate() {
        let mut next = Some(start);
        while let Some(node) = next.filter(|&node| met_from[node] == NEW) {
            met_from[node] = walk;
            next = parents[node];
        }
        // Visited twice on one walk up, so it closes a cycle. A node of an earlier walk leads to a root or a cut already.
        if let Some(node) = next.filter(|&node| met_from[node] == walk) {
            parents[node] = None;
            let message = "a descendant of itself; its parent is ignored";
            report(root, node, message.to_owned(), log);
        }
    }
}

fn report(root: &Root<'_>, node: usize, message: String, log: &mut Log) {
    log.notes.add(format!("nodes[{node}]"), &*message);
    let kind = DefectKind::HierarchyCycle;
    log.defects.add(kind, node_location(root, node), message);
}

/// The roots above the nodes of `scene`, in its order.
pub(super) fn tops(parents: &[Option<usize>], scene: &[usize]) -> Vec<usize> {
    let mut is_met = vec![false; parents.len()];
    let mut tops = Vec::new();
    for &start in scene {
        let mut next = Some(start);
        while let Some(node) = next.filter(|&node| !std::mem::replace(&mut is_met[node], true)) {
            next = parents[node];
            if next.is_none() {
                tops.push(node);
            }
        }
    }
    tops
}
