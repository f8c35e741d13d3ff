//! Which nodes are joints, which names are unique, and what else has a name.

use std::collections::BTreeMap;

use crate::rig::{Asset, NodeId, ReaderCode};

/// The parts of node names in findings that depend on other nodes.
#[derive(Debug)]
pub(super) struct Names {
    /// One flag per node, see [`plain`].
    plain: Vec<bool>,
    /// `None` for a name that several nodes have.
    by_name: BTreeMap<String, Option<NodeId>>,
    /// The first of each name, as below: a file may have as many findings as meshes.
    instances: BTreeMap<String, usize>,
    meshes: BTreeMap<String, usize>,
    materials: BTreeMap<String, usize>,
}

impl Names {
    pub(super) fn of(asset: &Asset) -> Self {
        let mut by_name = BTreeMap::new();
        for (id, joint) in asset.skeleton.iter() {
            let called = by_name.entry(joint.name.clone());
            called.and_modify(|known| *known = None).or_insert(Some(id));
        }
        let instances = asset.instances.iter();
        Self {
            plain: plain(asset),
            by_name,
            instances: first_by_name(instances.map(|instance| asset.mesh_name(instance))),
            meshes: first_by_name(asset.meshes.iter().map(|mesh| mesh.name.as_str())),
            materials: first_by_name(asset.materials.iter().map(|own| own.name.as_str())),
        }
    }

    /// The first instance whose mesh is named `name` in findings.
    pub(super) fn instance(&self, name: &str) -> Option<usize> {
        self.instances.get(name).copied()
    }

    /// The first mesh named `name`.
    pub(super) fn mesh(&self, name: &str) -> Option<usize> {
        self.meshes.get(name).copied()
    }

    /// The first material named `name`.
    pub(super) fn material(&self, name: &str) -> Option<usize> {
        self.materials.get(name).copied()
    }

    /// Whether a node of a skinned model is not a joint.
    pub(super) fn is_plain(&self, node: NodeId) -> bool {
        self.plain.get(node.index()).copied().unwrap_or_default()
    }

    /// The node named `name`, if the name is unique.
    pub(super) fn only(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied().flatten()
    }
}

fn first_by_name<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut first = BTreeMap::new();
    for (index, name) in names.enumerate() {
        first.entry(name.to_owned()).or_insert(index);
    }
    first
}

/// Separates the name of a node from the purpose of a helper node, which assimp adds for the pivots of FBX.
pub(in crate::lint) const ASSIMP_HELPER: &str = "_$AssimpFbx$_";

/// Nodes of a skinned model that are not joints: those that no skin binds, except for helpers of importers, and except
/// for nodes attached to a joint that show no mesh and carry no joint, such as end bones.
///
/// Returns one flag per node. In a model without a skin none is set, because nothing distinguishes joints from other
/// nodes.
pub(in crate::lint) fn plain(asset: &Asset) -> Vec<bool> {
    let bound = asset.bound_joints();
    let (mut carries, mut shows) = (bound.clone(), vec![false; bound.len()]);
    add_ancestors(asset, &mut carries);
    for instance in &asset.instances {
        shows[instance.node.index()] = true;
    }
    let mut jointed = bound;
    for (id, joint) in asset.skeleton.iter() {
        let node = id.index();
        let above = joint.parent.is_some_and(|parent| jointed[parent.index()]);
        jointed[node] |= above && !shows[node] && !carries[node] || is_helper(asset, id);
    }
    let skinned = !asset.skins.is_empty();
    jointed.iter().map(|jointed| skinned && !jointed).collect()
}

/// Flags all ancestors of flagged nodes.
pub(in crate::lint) fn add_ancestors(asset: &Asset, flags: &mut [bool]) {
    let edges: Vec<_> = edges(asset).collect();
    for (joint, parent) in edges.into_iter().rev() {
        flags[parent] |= flags[joint];
    }
}

/// Each joint that has a parent, with that parent; parents first.
pub(in crate::lint) fn edges(asset: &Asset) -> impl Iterator<Item = (usize, usize)> {
    let joints = asset.skeleton.iter();
    joints.filter_map(|(id, joint)| Some((id.index(), joint.parent?.index())))
}

/// Whether an importer added `joint` to represent a feature of FBX in the hierarchy.
pub(in crate::lint) fn is_helper(asset: &Asset, joint: NodeId) -> bool {
    let name = asset.skeleton.get(joint).map_or("", |joint| &joint.name);
    let split = asset.reader.code == ReaderCode::Ufbx && name.ends_with(" (unscaled)");
    split || name.contains(ASSIMP_HELPER)
}
