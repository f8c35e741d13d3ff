//! Which nodes are joints, what they move, and how findings name them.

use std::collections::BTreeSet;

use crate::lint::{Context, Findings, Offence};
use crate::rig::{Asset, JointId, Place, Skin, SkinId};

/// How many joints a message names besides the one of its place.
const MOST_NAMED: usize = 3;

/// Between the name of a node and what it is for, in the helpers that assimp adds for the pivots of FBX.
const ASSIMP_HELPER: &str = "_$AssimpFbx$_";

/// Nodes in one skin or another, and what lies between them: of a path from one to another, all.
///
/// Returns one flag a joint of the skeleton.
pub(in crate::lint) fn skeletal(asset: &Asset) -> Vec<bool> {
    let bound = asset.bound_joints();
    let mut above = bound.clone();
    add_ancestors(asset, &mut above);
    let mut below = bound;
    for (joint, parent) in edges(asset) {
        below[joint] |= below[parent];
    }
    above.iter().zip(below).map(|(a, b)| *a && b).collect()
}

/// Whether some vertex follows a joint, one flag a joint of the skeleton.
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
                && let Some(joint) = joints.get(influence.slot as usize)
            {
                followed[joint.index()] = true;
            }
        }
    }
    followed
}

/// Flags the parent of whatever is flagged, and its parent, up to the roots.
pub(in crate::lint) fn add_ancestors(asset: &Asset, flags: &mut [bool]) {
    let edges: Vec<_> = edges(asset).collect();
    for (joint, parent) in edges.into_iter().rev() {
        flags[parent] |= flags[joint];
    }
}

/// Each joint that has a parent, with it, parents first.
fn edges(asset: &Asset) -> impl Iterator<Item = (usize, usize)> {
    let joints = asset.skeleton.iter();
    joints.filter_map(|(id, joint)| Some((id.index(), joint.parent?.index())))
}

/// The root above each joint, itself if it is one.
pub(in crate::lint) fn tops(asset: &Asset) -> Vec<JointId> {
    let mut tops: Vec<JointId> = Vec::with_capacity(asset.skeleton.len());
    for (id, joint) in asset.skeleton.iter() {
        tops.push(joint.parent.map_or(id, |parent| tops[parent.index()]));
    }
    tops
}

/// For each joint of the skeleton the nearest one above that a skin binds.
pub(in crate::lint) fn bound_parents(asset: &Asset) -> Vec<Option<JointId>> {
    let bound = asset.bound_joints();
    let mut parents: Vec<Option<JointId>> = Vec::with_capacity(bound.len());
    for joint in asset.skeleton.joints() {
        let is_bound = |parent: &JointId| bound[parent.index()];
        let above = joint.parent.and_then(|parent| parents[parent.index()]);
        parents.push(joint.parent.filter(is_bound).or(above));
    }
    parents
}

/// How many flagged joints are below each joint. One of assimp's helpers stands for the joint that it is of, which is
/// not below it.
pub(in crate::lint) fn count_below(cx: &Context<'_>, flags: &[bool]) -> Vec<usize> {
    let mut below = vec![0; flags.len()];
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

/// The helpers that assimp has put above `joint` for its pivots; it never makes more than this.
fn helpers<'a>(cx: &'a Context<'_>, joint: JointId) -> impl Iterator<Item = JointId> + 'a {
    const MOST: usize = 16;
    let parent = |joint: &JointId| cx.asset.skeleton.get(*joint)?.parent;
    let above = std::iter::successors(parent(&joint), parent).take(MOST);
    let own = cx.joint_name(joint);
    above.take_while(move |above| is_helper(cx.asset, *above) && name(cx, *above) == own)
}

/// For each joint of the skeleton the first skin that binds it, or else that its parent belongs to.
pub(in crate::lint) fn owners(asset: &Asset) -> Vec<Option<SkinId>> {
    let mut owners = vec![None; asset.skeleton.len()];
    for (index, skin) in asset.skins.iter().enumerate().rev() {
        for joint in &skin.joints {
            owners[joint.index()] = Some(SkinId::from_index(index));
        }
    }
    for (joint, parent) in edges(asset) {
        owners[joint] = owners[joint].or(owners[parent]);
    }
    owners
}

/// The skins with their ids, in the file's order.
pub(in crate::lint) fn skins(asset: &Asset) -> impl Iterator<Item = (SkinId, &Skin)> {
    let skins = asset.skins.iter().enumerate();
    skins.map(|(index, skin)| (SkinId::from_index(index), skin))
}

/// Whether an importer has put `joint` into a hierarchy that could not say something of FBX otherwise.
pub(in crate::lint) fn is_helper(asset: &Asset, joint: JointId) -> bool {
    let name = asset.skeleton.get(joint).map_or("", |joint| &joint.name);
    let split = asset.importer.starts_with("ufbx") && name.ends_with(" (unscaled)");
    split || name.contains(ASSIMP_HELPER)
}

/// The name of a joint; of assimp's helpers, that of the node that they are of.
pub(in crate::lint) fn name<'a>(cx: &'a Context<'_>, joint: JointId) -> &'a str {
    let name = cx.joint_name(joint);
    name.split_once(ASSIMP_HELPER)
        .map_or(name, |(node, _)| node)
}

/// The place of a skin: its name, else the first mesh that it binds, else its number in the file.
pub(in crate::lint) fn skin_place(cx: &Context<'_>, skin: SkinId) -> Place {
    let name = &cx.asset.skins[skin.index()].name;
    if !name.is_empty() {
        return Place::skin(name.as_str());
    }
    let mut users = cx.asset.instances.iter();
    let user = users.find(|instance| instance.skin == Some(skin));
    match user.map(|instance| cx.mesh_name(instance)) {
        Some(mesh) if !mesh.is_empty() => Place::mesh(mesh),
        _ => Place::FILE.part(format!("skins[{skin}]")),
    }
}

/// What `joints` has besides the first, such as `; also "a", "b" and 4 more`.
pub(in crate::lint) fn also(cx: &Context<'_>, joints: &[JointId]) -> String {
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

/// One finding for each skin that some of `joints` belong to: the place of the first, and `message` with the names of
/// the others.
pub(in crate::lint) fn tell_by_skin(
    cx: &Context<'_>,
    out: &mut Findings,
    joints: impl IntoIterator<Item = JointId>,
    message: impl Fn(JointId) -> String,
) {
    let owners = owners(cx.asset);
    let mut lists: Vec<Vec<JointId>> = vec![Vec::new(); cx.asset.skins.len() + 1];
    for joint in joints {
        let list = owners[joint.index()].map_or(cx.asset.skins.len(), SkinId::index);
        lists[list].push(joint);
    }
    for (index, list) in lists.iter().enumerate() {
        let Some(&first) = list.first() else { continue };
        let group = if index < cx.asset.skins.len() {
            skin_place(cx, SkinId::from_index(index))
        } else {
            Place::FILE
        };
        let offence = Offence::of(&group, "joint");
        out.add_many(offence, list.len(), |place| {
            let message = message(first) + &also(cx, list);
            (place.of_joint(name(cx, first)), message)
        });
    }
}
