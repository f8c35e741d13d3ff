//! Which nodes are joints, what they move, and how findings name them.

use std::collections::BTreeSet;

use crate::lint::core::names::{ASSIMP_HELPER, edges};
pub(in crate::lint) use crate::lint::core::names::{add_ancestors, is_helper};
use crate::lint::{Context, Findings, Offence};
use crate::rig::{Asset, Location, NodeId, Skin, SkinId};

/// Most joints that a message names besides the one at its location.
const MOST_NAMED: usize = 3;

/// Flags for each node: whether a skin binds it, it lies between bound nodes, or it is a helper right above one of these.
pub(in crate::lint) fn skeletal(asset: &Asset) -> Vec<bool> {
    let bound = asset.bound_joints();
    let mut above = bound.clone();
    add_ancestors(asset, &mut above);
    let mut below = bound;
    // Parents come first: one pass hands the flag down.
    for (joint, parent) in edges(asset) {
        below[joint] |= below[parent];
    }
    let between = above
        .iter()
        .zip(below)
        .map(|(above, below)| *above && below);
    let mut skeletal: Vec<bool> = between.collect();
    add_helpers(asset, &mut skeletal);
    skeletal
}

/// Flags the helpers that assimp has inserted above flagged nodes.
fn add_helpers(asset: &Asset, flags: &mut [bool]) {
    let joints = asset.skeleton.nodes();
    let is_own = |joint: usize, parent: usize| {
        let of = joints[parent].name.split_once(ASSIMP_HELPER);
        of.is_some_and(|(of, _)| of == stem(&joints[joint].name))
    };
    let edges: Vec<_> = edges(asset).collect();
    for (joint, parent) in edges.into_iter().rev() {
        flags[parent] |= flags[joint] && is_own(joint, parent);
    }
}

/// For each node, whether some vertex follows it.
pub(in crate::lint) fn followed(asset: &Asset) -> Vec<bool> {
    let mut followed = vec![false; asset.skeleton.len()];
    let skinned = asset.instances.iter();
    let uses: BTreeSet<_> = skinned
        .filter_map(|instance| Some((instance.mesh, instance.skin?)))
        .collect();
    for (mesh, skin) in uses {
        let joints = &asset.skins[skin.index()].joints;
        for influence in asset.meshes[mesh.index()].influences.all() {
            if influence.weight != 0.0
                && let Some(joint) = joints.get(influence.joint.index())
            {
                followed[joint.index()] = true;
            }
        }
    }
    followed
}

/// The root above each node; a root is its own.
pub(in crate::lint) fn tops(asset: &Asset) -> Vec<NodeId> {
    let mut tops: Vec<NodeId> = Vec::with_capacity(asset.skeleton.len());
    for (id, joint) in asset.skeleton.iter() {
        tops.push(joint.parent.map_or(id, |parent| tops[parent.index()]));
    }
    tops
}

/// For each node, its nearest ancestor that a skin binds.
pub(in crate::lint) fn bound_parents(asset: &Asset) -> Vec<Option<NodeId>> {
    let bound = asset.bound_joints();
    let mut parents: Vec<Option<NodeId>> = Vec::with_capacity(bound.len());
    for joint in asset.skeleton.nodes() {
        let is_bound = |parent: &NodeId| bound[parent.index()];
        let above = joint.parent.and_then(|parent| parents[parent.index()]);
        parents.push(joint.parent.filter(is_bound).or(above));
    }
    parents
}

/// The number of flagged descendants of each node. One of assimp's helpers stands for its joint, so that joint does not
/// count as its descendant.
pub(in crate::lint) fn count_below(cx: &Context<'_>, flags: &[bool]) -> Vec<usize> {
    let mut below = vec![0; flags.len()];
    // Children first: a count is complete before it is added to the parent's.
    let edges: Vec<_> = edges(cx.asset).collect();
    for &(joint, parent) in edges.iter().rev() {
        below[parent] += below[joint] + usize::from(flags[joint]);
    }
    for (id, _) in cx.asset.skeleton.iter().filter(|(id, _)| flags[id.index()]) {
        for helper in helpers(cx, id) {
            below[helper.index()] -= 1;
        }
    }
    below
}

/// The helpers that assimp has inserted above `joint` for its pivots; it never inserts more than `MOST`.
fn helpers<'a>(cx: &'a Context<'_>, joint: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    const MOST: usize = 16;
    let parent = |joint: &NodeId| cx.asset.skeleton.get(*joint)?.parent;
    let above = std::iter::successors(parent(&joint), parent).take(MOST);
    let own = cx.joint_name(joint);
    above.take_while(move |above| is_helper(cx.asset, *above) && name(cx, *above) == own)
}

/// For each node the first skin that binds it, else the skin of its nearest ancestor with one, else of a descendant.
pub(in crate::lint) fn owners(asset: &Asset) -> Vec<Option<SkinId>> {
    let mut owners = vec![None; asset.skeleton.len()];
    // Backward, so that of several skins the first one stays.
    for (id, skin) in skins(asset).collect::<Vec<_>>().into_iter().rev() {
        for joint in &skin.joints {
            owners[joint.index()] = Some(id);
        }
    }
    let edges: Vec<_> = edges(asset).collect();
    // Down first, then up: a joint between two bound ones belongs to the one above.
    for &(joint, parent) in &edges {
        owners[joint] = owners[joint].or(owners[parent]);
    }
    for &(joint, parent) in edges.iter().rev() {
        owners[parent] = owners[parent].or(owners[joint]);
    }
    owners
}

/// The skins with their ids, in the file's order.
pub(in crate::lint) fn skins(asset: &Asset) -> impl Iterator<Item = (SkinId, &Skin)> {
    let skins = asset.skins.iter().enumerate();
    skins.map(|(index, skin)| (SkinId::from_index(index), skin))
}

/// The name of a joint; for one of assimp's helpers, the name of its node.
pub(in crate::lint) fn name<'a>(cx: &'a Context<'_>, joint: NodeId) -> &'a str {
    stem(cx.joint_name(joint))
}

/// `location` at a joint; for assimp's helpers, by the name of their node.
pub(in crate::lint) fn at(cx: &Context<'_>, location: Location, joint: NodeId) -> Location {
    cx.at_joint(location, joint).of_joint(name(cx, joint))
}

fn stem(name: &str) -> &str {
    name.split_once(ASSIMP_HELPER)
        .map_or(name, |(node, _)| node)
}

/// The location of each skin: its name, else the first mesh that it binds, else its number in the file.
pub(in crate::lint) fn skin_locations(cx: &Context<'_>) -> Vec<Location> {
    let mut meshes: Vec<Option<&str>> = vec![None; cx.asset.skins.len()];
    for instance in cx.asset.instances.iter().rev() {
        if let Some(skin) = instance.skin {
            meshes[skin.index()] = Some(cx.mesh_name(instance));
        }
    }
    let skins = cx.asset.skins.iter().zip(meshes).enumerate();
    let location = |(index, (skin, mesh)): (usize, (&Skin, Option<&str>))| match mesh {
        _ if !skin.name.is_empty() => Location::skin(skin.name.as_str()),
        Some(mesh) if !mesh.is_empty() => Location::mesh(mesh),
        _ => Location::FILE.part(format!("skins[{index}]")),
    };
    skins.map(location).collect()
}

/// The skin that each joint belongs to, as the location of findings.
pub(in crate::lint) struct Homes {
    owners: Vec<Option<SkinId>>,
    /// The location of each skin; the last one is the file.
    locations: Vec<Location>,
}

impl Homes {
    /// Computes it for all joints.
    pub(in crate::lint) fn of(cx: &Context<'_>) -> Self {
        let mut locations = skin_locations(cx);
        locations.push(Location::FILE);
        let owners = owners(cx.asset);
        Self { owners, locations }
    }

    /// The location of the skin that `joint` belongs to, or the file.
    pub(in crate::lint) fn location(&self, joint: NodeId) -> &Location {
        &self.locations[self.index(joint)]
    }

    fn index(&self, joint: NodeId) -> usize {
        self.owners[joint.index()].map_or(self.locations.len() - 1, SkinId::index)
    }
}

/// The joints besides the first, such as `; also "a", "b" and 4 more`.
pub(in crate::lint) fn also(cx: &Context<'_>, joints: &[NodeId]) -> String {
    let others = joints.get(1..).unwrap_or_default();
    if others.is_empty() {
        return String::new();
    }
    let named = others.iter().take(MOST_NAMED);
    let named: Vec<String> = named
        .map(|joint| format!("{:?}", name(cx, *joint)))
        .collect();
    let rest = others.len() - named.len();
    let more = match rest {
        0 => String::new(),
        _ => format!(" and {rest} more"),
    };
    format!("; also {}{more}", named.join(", "))
}

/// One finding for each skin with any of `joints`: the location of the first, and `message` with the names of the others.
pub(in crate::lint) fn report_by_skin(
    cx: &Context<'_>,
    out: &mut Findings,
    joints: impl IntoIterator<Item = NodeId>,
    message: impl Fn(NodeId) -> String,
) {
    let homes = Homes::of(cx);
    let mut lists: Vec<Vec<NodeId>> = vec![Vec::new(); homes.locations.len()];
    for joint in joints {
        lists[homes.index(joint)].push(joint);
    }
    for (list, group) in lists.iter().zip(&homes.locations) {
        let Some(&first) = list.first() else { continue };
        out.add_many(Offence::of_all(group, "joint"), list.len(), |location| {
            let message = message(first) + &also(cx, list);
            (at(cx, location, first), message)
        });
    }
}
