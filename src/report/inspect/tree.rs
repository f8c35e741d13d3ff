//! The hierarchy of `inspect --joints`.

use std::fmt::Write;

use super::text::quoted;
use super::{Node, Summary};

/// The most levels that are indented; a file may nest deeper.
const DEEPEST: usize = 40;

/// One line per node, below its parent: its number, which `#12` refers to, a mark if a skin binds it, and its name.
pub(super) fn write(summary: &Summary) -> String {
    let nodes = &summary.nodes;
    let bound = nodes.iter().filter(|node| node.joint).count();
    let mut text = format!(
        "{} nodes, {bound} of them bound by a skin (*)\n",
        nodes.len()
    );
    let width = 1 + nodes.len().saturating_sub(1).to_string().len();
    for (depth, index) in depth_first(nodes) {
        let node = &nodes[index];
        let number = format!("#{index}");
        let mark = if node.joint { '*' } else { ' ' };
        let indent = 2 * depth.min(DEEPEST);
        let name = quoted(&node.name);
        writeln!(text, "{number:>width$} {mark} {:indent$}{name}", "")
            .expect("a String takes all that is written to it");
    }
    text
}

/// The level and index of every node. Each follows its parent or an earlier sibling's subtree.
fn depth_first(nodes: &[Node]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); nodes.len()];
    let mut pending = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev() {
        match node.parent {
            Some(parent) => children[parent].push(index),
            None => pending.push((0, index)),
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some((depth, index)) = pending.pop() {
        order.push((depth, index));
        pending.extend(children[index].iter().map(|child| (depth + 1, *child)));
    }
    order
}
