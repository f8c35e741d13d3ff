//! Which nodes are joints, what they move, where that is, and how findings name them; the meshes and skins that are used.

use glam::{DVec3, Mat4};

use crate::core::context::Analysis;
use crate::core::names::{ASSIMP_HELPER, edges, stem};
use crate::rig::{Asset, Location, Mesh, MeshInstance, NodeId, Part, Skin, SkinId};
use crate::units::first_few;
use crate::{Context, Findings, Offence};

pub(crate) use crate::core::names::{add_ancestors, is_helper};

/// Most joints that a message names besides the one at its location.
const MOST_NAMED: usize = 3;

/// All nodes.
pub(crate) fn nodes(asset: &Asset) -> impl Iterator<Item = NodeId> {
    (0..asset.skeleton.len()).map(NodeId::from_index)
}

/// One flag per node: whether it is among `nodes`.
pub(crate) fn flags(asset: &Asset, nodes: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
    let mut flags = vec![false; asset.skeleton.len()];
    for node in nodes {
        flags[node.index()] = true;
    }
    flags
}

/// Flags for each node: whether a skin binds it, it lies between bound nodes, or it is a helper right above one of these.
pub(crate) fn skeletal(asset: &Asset) -> Vec<bool> {
    let bound = asset.bound_joints();
    let mut above = bound.clone();
    add_ancestors(asset, &mut above);
    let mut below = bound;
    asset.skeleton.hand_down(&mut below);
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
pub(crate) fn followed(asset: &Asset) -> Vec<bool> {
    let mut followed = vec![false; asset.skeleton.len()];
    for Skinned { mesh, skin, .. } in skinned(asset) {
        for influence in mesh.influences.all() {
            if influence.weight != 0.0
                && let Some(joint) = skin.joints.get(influence.slot.index())
            {
                followed[joint.index()] = true;
            }
        }
    }
    followed
}

/// Whether `ancestor` is above `node`.
pub(crate) fn is_below(asset: &Asset, node: NodeId, ancestor: NodeId) -> bool {
    let parent = |node: &NodeId| asset.skeleton[*node].parent;
    std::iter::successors(parent(&node), parent).any(|above| above == ancestor)
}

/// The root above each node; a root is its own.
pub(crate) fn roots(asset: &Asset) -> Vec<NodeId> {
    let mut roots: Vec<NodeId> = Vec::with_capacity(asset.skeleton.len());
    for (id, joint) in asset.skeleton.iter() {
        roots.push(joint.parent.map_or(id, |parent| roots[parent.index()]));
    }
    roots
}

/// For each node its parent in the file. Where an importer has made several nodes of one, that is the one that a skin binds.
pub(crate) fn parents(asset: &Asset) -> Vec<Option<NodeId>> {
    let bound = asset.bound_joints();
    // For each node that rotates several of the file's, the bound one below it.
    let mut bound_of: Vec<Option<NodeId>> = vec![None; bound.len()];
    let mut parents = Vec::with_capacity(bound.len());
    for (id, _) in asset.skeleton.iter() {
        let top = asset.rotating_node(id);
        if top != id && bound[id.index()] {
            bound_of[top.index()].get_or_insert(id);
        }
        let parent = asset.skeleton[top].parent;
        let of_file = parent.and_then(|parent| bound_of[asset.rotating_node(parent).index()]);
        parents.push(of_file.or(parent));
    }
    parents
}

/// For each node, its nearest ancestor that a skin binds.
pub(crate) fn bound_parents(asset: &Asset) -> Vec<Option<NodeId>> {
    nearest_above(asset, &asset.bound_joints())
}

/// For each node, its nearest ancestor in the file with a flag.
pub(crate) fn nearest_above(asset: &Asset, flags: &[bool]) -> Vec<Option<NodeId>> {
    let mut nearest: Vec<Option<NodeId>> = Vec::with_capacity(flags.len());
    for parent in parents(asset) {
        let above = parent.and_then(|parent| nearest[parent.index()]);
        nearest.push(parent.filter(|parent| flags[parent.index()]).or(above));
    }
    nearest
}

/// The number of flagged descendants of each node. One of assimp's helpers stands for its joint, so that joint does not
/// count as its descendant.
pub(crate) fn count_below(cx: &Context<'_>, flags: &[bool]) -> Vec<usize> {
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
pub(crate) fn owners(asset: &Asset) -> Vec<Option<SkinId>> {
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
pub(crate) fn skins(asset: &Asset) -> impl Iterator<Item = (SkinId, &Skin)> {
    let skins = asset.skins.iter().enumerate();
    skins.map(|(index, skin)| (SkinId::from_index(index), skin))
}

/// The name of a joint; for one of assimp's helpers, the name of its node.
pub(crate) fn name<'a>(cx: &'a Context<'_>, joint: NodeId) -> &'a str {
    stem(cx.joint_name(joint))
}

/// The location of each skin: its name, else the first mesh that it binds, else its number in the file.
pub(crate) fn skin_locations(cx: &Context<'_>) -> Vec<Location> {
    let mut meshes: Vec<Option<Location>> = vec![None; cx.asset.skins.len()];
    for instance in cx.asset.instances.iter().rev() {
        if let Some(skin) = instance.skin {
            let is_named = !cx.mesh_name(instance).is_empty();
            meshes[skin.index()] = is_named.then(|| cx.mesh(instance));
        }
    }
    let skins = skins(cx.asset).zip(meshes);
    let subject = |((id, skin), mesh): ((SkinId, &Skin), Option<Location>)| {
        if !skin.name.is_empty() {
            return Location::FILE.skin_id(id);
        }
        mesh.unwrap_or_else(|| Location::FILE.part(Part::Skin(id)))
    };
    skins.map(subject).collect()
}

/// The skin that each joint belongs to, as the location of findings.
pub(crate) struct Homes {
    owners: Vec<Option<SkinId>>,
    /// The location of each skin; the last one is the file.
    locations: Vec<Location>,
}

impl Homes {
    /// Computes it for all joints.
    pub(crate) fn of(cx: &Context<'_>) -> Self {
        let mut locations = skin_locations(cx);
        locations.push(Location::FILE);
        let owners = owners(cx.asset);
        Self { owners, locations }
    }

    /// The location of the skin that `joint` belongs to, or the file.
    pub(crate) fn location(&self, joint: NodeId) -> &Location {
        &self.locations[self.index(joint)]
    }

    fn index(&self, joint: NodeId) -> usize {
        self.owners[joint.index()].map_or(self.locations.len() - 1, SkinId::index)
    }
}

/// The joints besides the first, such as `; also "a", "b" and 4 more`.
pub(crate) fn also(cx: &Context<'_>, joints: &[NodeId]) -> String {
    let others = joints.get(1..).unwrap_or_default();
    if others.is_empty() {
        return String::new();
    }
    let names = others.iter().map(|joint| format!("{:?}", name(cx, *joint)));
    format!("; also {}", first_few(names, MOST_NAMED))
}

/// One finding for each skin with any of `joints`: the location of the first, and `message` with the names of the others.
pub(crate) fn report_by_skin(
    cx: &Context<'_>,
    out: &mut Findings,
    joints: impl IntoIterator<Item = NodeId>,
    message: impl Fn(NodeId) -> String,
) {
    report_by_skin_at(cx, out, joints, false, message);
}

/// The same, at level info if `minor`.
pub(crate) fn report_by_skin_at(
    cx: &Context<'_>,
    out: &mut Findings,
    joints: impl IntoIterator<Item = NodeId>,
    minor: bool,
    message: impl Fn(NodeId) -> String,
) {
    for (home, list) in by_skin(cx, joints.into_iter().collect()) {
        let offence = Offence::of_all(&home, "joint").joints(&list).info_if(minor);
        out.add_many(offence, list.len(), |subject| {
            let message = message(list[0]) + &also(cx, &list);
            (subject.joint_id(list[0]), message)
        });
    }
}

/// The same, apart from the rule's other findings on these skins.
///
/// * `kind` – of the fault; it is no part of the location.
pub(crate) fn report_kind_by_skin(
    cx: &Context<'_>,
    out: &mut Findings,
    kind: &'static str,
    joints: impl IntoIterator<Item = NodeId>,
    message: impl Fn(NodeId) -> String,
) {
    for (home, list) in by_skin(cx, joints.into_iter().collect()) {
        let group = cx.joint(list[0]).part(kind);
        let offence = Offence::of_all(&group, "joint").joints(&list);
        out.add_many(offence, list.len(), |_| {
            let message = message(list[0]) + &also(cx, &list);
            (home.clone().joint_id(list[0]), message)
        });
    }
}

/// The location of each skin with any of `joints`, and these.
fn by_skin(cx: &Context<'_>, joints: Vec<NodeId>) -> Vec<(Location, Vec<NodeId>)> {
    let homes = Homes::of(cx);
    let mut lists: Vec<Vec<NodeId>> = vec![Vec::new(); homes.locations.len()];
    for joint in joints {
        lists[homes.index(joint)].push(joint);
    }
    let lists = homes.locations.into_iter().zip(lists);
    lists.filter(|(_, list)| !list.is_empty()).collect()
}

/// A mesh with weights and the skin that deforms it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Skinned<'a> {
    /// The first use of this mesh with this skin.
    pub(crate) instance: &'a MeshInstance,
    pub(crate) mesh: &'a Mesh,
    pub(crate) skin_id: SkinId,
    pub(crate) skin: &'a Skin,
}

/// Every pair of a mesh and a skin, once however many instances show it. Meshes without weights are skipped.
pub(crate) fn skinned(asset: &Asset) -> Vec<Skinned<'_>> {
    // The skins of each mesh, nearly always one.
    let mut seen: Vec<Vec<SkinId>> = vec![Vec::new(); asset.meshes.len()];
    let mut skinned = Vec::new();
    for instance in &asset.instances {
        let Some(skin_id) = instance.skin else {
            continue;
        };
        let mesh = asset.mesh_of(instance);
        let skins = &mut seen[instance.mesh.index()];
        if !mesh.influences.is_empty() && !skins.contains(&skin_id) {
            skins.push(skin_id);
            skinned.push(Skinned {
                instance,
                mesh,
                skin_id,
                skin: &asset[skin_id],
            });
        }
    }
    skinned
}

/// The same, for each skin; empty for a skin that deforms no mesh.
pub(crate) fn skinned_by_skin(asset: &Asset) -> Vec<Vec<Skinned<'_>>> {
    let mut by_skin = vec![Vec::new(); asset.skins.len()];
    for skinned in skinned(asset) {
        by_skin[skinned.skin_id.index()].push(skinned);
    }
    by_skin
}

/// The first instance of every mesh that is shown at all.
pub(crate) fn shown(asset: &Asset) -> impl Iterator<Item = &MeshInstance> {
    let mut seen = vec![false; asset.meshes.len()];
    let instances = asset.instances.iter();
    instances.filter(move |instance| !std::mem::replace(&mut seen[instance.mesh.index()], true))
}

/// Whether rules that watch poses see an instance: if anything in the model is skinned, only skinned instances. Others
/// have the same shape in every pose.
pub(crate) fn watched(asset: &Asset) -> impl Fn(&MeshInstance) -> bool {
    let is_skinned = |instance: &MeshInstance| instance.skin.is_some();
    let any = asset.instances.iter().any(is_skinned);
    move |instance| !any || is_skinned(instance)
}

/// The location of a skin in findings: its own name, else that of the first mesh that it deforms.
pub(crate) fn skin_location(cx: &Context<'_>, id: SkinId) -> Location {
    let skin = &cx.asset[id];
    let mut users = cx.asset.instances.iter();
    match users.find(|instance| instance.skin == Some(id)) {
        Some(user) if skin.name.is_empty() => cx.mesh(user),
        _ => Location::FILE.skin_id(id),
    }
}

/// For each skin and slot, the weighted centre of its vertices in the bind pose, in mesh space; `None` if the slot has no
/// weight or the centre is not finite.
pub(crate) struct Centres(pub(crate) Vec<Vec<Option<DVec3>>>);

impl Analysis for Centres {
    fn of(cx: &Context<'_>) -> Self {
        let skins = cx.asset.skins.iter();
        let mut sums: Vec<Vec<(DVec3, f64)>> = skins
            .map(|skin| vec![(DVec3::ZERO, 0.0); skin.joints.len()])
            .collect();
        for user in skinned(cx.asset) {
            let sums = &mut sums[user.skin_id.index()];
            for (position, influences) in
                user.mesh.positions.iter().zip(user.mesh.influences.iter())
            {
                let position = position.as_dvec3();
                for influence in influences {
                    let (sum, total) = &mut sums[influence.slot.index()];
                    let weight = f64::from(influence.weight);
                    *sum += weight * position;
                    *total += weight;
                }
            }
        }
        // A joint without weight divides 0 by 0.
        let centre =
            |(sum, total): (DVec3, f64)| Some(sum / total).filter(|centre| centre.is_finite());
        let of_skin = |sums: Vec<(DVec3, f64)>| sums.into_iter().map(centre).collect();
        Self(sums.into_iter().map(of_skin).collect())
    }
}

/// The position at which a joint is bound, in mesh space; `None` if its inverse bind matrix has no inverse.
pub(crate) fn bind_position(inverse_bind: &Mat4) -> Option<DVec3> {
    let position = inverse_bind.as_dmat4().inverse().w_axis.truncate();
    position.is_finite().then_some(position)
}
