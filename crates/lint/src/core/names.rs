//! The names of a model: which are unique, which subjects they stand for, and which nodes are joints.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::groups::Groups;
use crate::rig::{Asset, InstanceId, NodeId, PrimitiveId, ReaderCode};

/// What the names of a model stand for.
#[derive(Debug)]
pub(super) struct Names {
    /// One flag per node, see [`plain`].
    plain: Vec<bool>,
    /// For each instance, the first of the same subject.
    pub(super) firsts: Arc<[InstanceId]>,
    /// The first instance that shows each primitive, in the order of primitives.
    primitives: Vec<(PrimitiveId, InstanceId)>,
    pub(super) nodes: ByName,
    pub(super) instances: ByName,
    pub(super) skins: ByName,
    pub(super) materials: ByName,
    pub(super) clips: ByName,
    pub(super) expressions: ByName,
}

/// The number in its id of what has a name; `None` for a name of several.
pub(super) type ByName = BTreeMap<String, Option<u32>>;

impl Names {
    pub(super) fn of(asset: &Asset) -> Self {
        let firsts = firsts(asset);
        let name = |instance: &InstanceId| asset.mesh_name(&asset[*instance]);
        Self {
            plain: plain(asset),
            nodes: by_name(numbered(asset.skeleton.nodes(), |node| &node.name)),
            instances: by_name(firsts.iter().map(|first| (name(first), first.0))),
            skins: by_name(numbered(&asset.skins, |skin| &skin.name)),
            materials: by_name(numbered(&asset.materials, |own| &own.name)),
            clips: by_name(numbered(&asset.clips, |clip| &clip.name)),
            expressions: by_name(numbered(&asset.expressions, |own| &own.name)),
            primitives: primitives(asset),
            firsts,
        }
    }

    /// The first instance that shows `primitive`.
    pub(super) fn instance_of(&self, primitive: PrimitiveId) -> Option<InstanceId> {
        let found = self
            .primitives
            .binary_search_by_key(&primitive, |(own, _)| *own);
        Some(self.primitives[found.ok()?].1)
    }

    /// Whether a node of a skinned model is not a joint.
    pub(super) fn is_plain(&self, node: NodeId) -> bool {
        self.plain.get(node.index()).copied().unwrap_or_default()
    }
}

fn primitives(asset: &Asset) -> Vec<(PrimitiveId, InstanceId)> {
    let instances = asset.instances.iter().enumerate();
    let primitives = instances.filter_map(|(index, instance)| {
        let primitive = asset.origins.primitives.get(instance.mesh.index())?;
        Some((*primitive, InstanceId::from_index(index)))
    });
    let mut first: Vec<(PrimitiveId, InstanceId)> = primitives.collect();
    first.sort_unstable();
    first.dedup_by_key(|(primitive, _)| *primitive);
    first
}

fn numbered<'a, T>(
    list: &'a [T],
    name: impl Fn(&'a T) -> &'a String,
) -> impl Iterator<Item = (&'a str, u32)> {
    let list = list.iter().map(move |own| name(own).as_str());
    list.zip(0..)
}

fn by_name<'a>(all: impl Iterator<Item = (&'a str, u32)>) -> ByName {
    let mut by_name = ByName::new();
    for (name, id) in all {
        let id = Some(id);
        match by_name.get_mut(name) {
            Some(known) if *known != id => *known = None,
            Some(_) => {}
            None => {
                by_name.insert(name.to_owned(), id);
            }
        }
    }
    by_name
}

/// For each instance, the first one of the same subject: of the same name, and of the same mesh, of the same data in the
/// file or on the same node. Importers split the mesh of a node by material, and copy one that nodes share.
fn firsts(asset: &Asset) -> Arc<[InstanceId]> {
    let mut same = Groups::new(asset.instances.len());
    let mut known = BTreeMap::new();
    for (index, instance) in asset.instances.iter().enumerate() {
        let name = asset.mesh_name(instance);
        let origin = asset.origins.meshes.get(instance.mesh.index());
        let origin = origin.filter(|origin| !origin.is_empty());
        let ids = [
            (Some(instance.mesh), None, None),
            (None, Some(instance.node), None),
        ];
        for of in ids
            .into_iter()
            .chain(origin.map(|own| (None, None, Some(own))))
        {
            same.join(*known.entry((name, of)).or_insert(index), index);
        }
    }
    let all = 0..asset.instances.len();
    all.map(|index| InstanceId(same.of(index))).collect()
}

/// Separates the name of a node from the purpose of a helper node, which assimp adds for the pivots of FBX.
pub(crate) const ASSIMP_HELPER: &str = "_$AssimpFbx$_";

/// The name of a node; of one of assimp's helpers, that of the node that it belongs to.
pub(crate) fn stem(name: &str) -> &str {
    name.split_once(ASSIMP_HELPER)
        .map_or(name, |(node, _)| node)
}

/// Nodes of a skinned model that are not joints: those that no skin binds, except for helpers of importers, and except
/// for nodes attached to a joint that show no mesh and carry no joint, such as end bones.
///
/// Returns one flag per node. In a model without a skin none is set, because nothing distinguishes joints from other
/// nodes.
pub(crate) fn plain(asset: &Asset) -> Vec<bool> {
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
pub(crate) fn add_ancestors(asset: &Asset, flags: &mut [bool]) {
    let edges: Vec<_> = edges(asset).collect();
    for (joint, parent) in edges.into_iter().rev() {
        flags[parent] |= flags[joint];
    }
}

/// Each joint that has a parent, with that parent; parents first.
pub(crate) fn edges(asset: &Asset) -> impl Iterator<Item = (usize, usize)> {
    let joints = asset.skeleton.iter();
    joints.filter_map(|(id, joint)| Some((id.index(), joint.parent?.index())))
}

/// Whether an importer added `joint` to represent a feature of FBX in the hierarchy.
pub(crate) fn is_helper(asset: &Asset, joint: NodeId) -> bool {
    let name = asset.skeleton.get(joint).map_or("", |joint| &joint.name);
    let split = asset.reader.code == ReaderCode::Ufbx && name.ends_with(" (unscaled)");
    split || name.contains(ASSIMP_HELPER)
}
