//! The hierarchy. ufbx refuses a file with a node that is its own ancestor.

use std::collections::BTreeSet;

use ufbx::{InheritMode, Node, Scene};

use crate::import::defects::Defects;
use crate::rig::{DefectKind, Location};

pub(super) fn examine(scene: &Scene, defects: &mut Defects) {
    for node in &scene.nodes {
        report_parents(node, defects);
    }
    for (mode, inheritance) in [
        (
            InheritMode::IgnoreParentScale,
            "without the scale of its parent (Rrs)",
        ),
        (
            InheritMode::ComponentwiseScale,
            "with the scale of its parent along its own axes (RrSs)",
        ),
    ] {
        report_inheritance(scene, mode, inheritance, defects);
    }
}

/// Reports more than one parent. The root, which no file contains, does not count as one.
fn report_parents(node: &Node, defects: &mut Defects) {
    let connections = node.element.connections_src.iter();
    let plain = connections.filter(|c| c.src_prop.is_empty() && c.dst_prop.is_empty());
    let above = plain.filter_map(|connection| ufbx::as_node(&connection.dst));
    let above = above.filter(|parent| !parent.is_root);
    let parents: BTreeSet<u32> = above.map(|parent| parent.element.element_id).collect();
    if parents.len() > 1 {
        let location = Location::joint(node.element.name.to_string());
        let message = format!("has {} parents", parents.len());
        defects.add(DefectKind::HierarchyCycle, location, message);
    }
}

/// Reported once, with the first node: a file usually has one mode for all its joints.
fn report_inheritance(scene: &Scene, mode: InheritMode, inheritance: &str, defects: &mut Defects) {
    let has_parent = |node: &&Node| node.parent.as_ref().is_some_and(|above| !above.is_root);
    let nodes = scene.nodes.iter().map(AsRef::as_ref);
    let mut of_mode = nodes.filter(|node: &&Node| node.inherit_mode == mode && has_parent(node));
    if let Some(first) = of_mode.next() {
        let location = Location::joint(first.element.name.to_string());
        let kind = DefectKind::SegmentScaleCompensate;
        defects.add_many(
            kind,
            location,
            1 + of_mode.count(),
            format!("is scaled {inheritance}"),
        );
    }
}
