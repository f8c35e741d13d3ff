//! `H301`: duplicate-joint-name.

use std::collections::BTreeSet;

use crate::analysis::joints;
use crate::lists::distinct;
use crate::rig::{Asset, NodeId, ReaderCode};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    DuplicateJointName, "H301", "duplicate-joint-name", Warning, Proved
}

impl Rule for DuplicateJointName {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut reported = BTreeSet::new();
        in_skins(cx, out, &mut reported);
        driven(cx, out, &reported);
    }
}

/// Joints of one skin.
fn in_skins<'a>(cx: &'a Context<'_>, out: &mut Findings, reported: &mut BTreeSet<&'a str>) {
    let (owners, locations) = (joints::owners(cx.asset), joints::skin_locations(cx));
    for (id, skin) in joints::skins(cx.asset) {
        let named = by_name(cx, distinct(skin.joints.iter().copied()));
        for namesakes in named.chunk_by(|a, b| a.0 == b.0) {
            let (name, first) = namesakes[0];
            let is_first = namesakes
                .iter()
                .any(|(_, joint)| owners[joint.index()] == Some(id));
            if namesakes.len() < 2 || !is_first {
                continue;
            }
            reported.insert(name);
            out.add(Offence::of(&locations[id.index()], "name"), |subject| {
                let message = format!("{} joints have this name", namesakes.len());
                (subject.joint_id(first), message)
            });
        }
    }
}

/// The `joints` with a name, in the order of names.
fn by_name<'a>(
    cx: &'a Context<'_>,
    joints: impl IntoIterator<Item = NodeId>,
) -> Vec<(&'a str, NodeId)> {
    let joints = joints
        .into_iter()
        .map(|joint| (cx.joint_name(joint), joint));
    let mut named: Vec<(&str, NodeId)> = joints.filter(|(name, _)| !name.is_empty()).collect();
    named.sort_unstable();
    named
}

/// The scope in which a name must be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// The file, if it links nodes by name.
    File,
    /// The skeleton, as engines require.
    Skeleton(NodeId),
    /// The siblings, if only the path identifies a node.
    Beside(Option<NodeId>),
}

/// Finds nodes that a channel could refer to by mistake.
fn driven(cx: &Context<'_>, out: &mut Findings, reported: &BTreeSet<&str>) {
    let drivers = drivers(cx.asset);
    let (roots, skeletal) = (joints::roots(cx.asset), joints::skeletal(cx.asset));
    let links_by_name = cx.asset.reader.code == ReaderCode::Assimp;
    let made = made_of_meshes(cx.asset);
    let all = by_name(
        cx,
        joints::nodes(cx.asset).filter(|node| !made.contains(node)),
    );
    for nodes in all.chunk_by(|a, b| a.0 == b.0) {
        if nodes.len() < 2 || reported.contains(nodes[0].0) {
            continue;
        }
        let mut scopes: Vec<(Scope, NodeId)> = Vec::new();
        for &(_, node) in nodes {
            let parent = cx.asset.skeleton.get(node).and_then(|node| node.parent);
            let skeleton = skeletal[node.index()].then(|| Scope::Skeleton(roots[node.index()]));
            let of_node = [links_by_name.then_some(Scope::File), skeleton];
            for scope in of_node.into_iter().flatten().chain([Scope::Beside(parent)]) {
                scopes.push((scope, node));
            }
        }
        scopes.sort_unstable();
        let is_driven = |(_, node): &(Scope, NodeId)| drivers[node.index()].is_some();
        let mut scopes = scopes.chunk_by(|a, b| a.0 == b.0);
        if let Some(scope) = scopes.find(|scope| scope.len() > 1 && scope.iter().any(is_driven)) {
            let nodes: Vec<NodeId> = scope.iter().map(|(_, node)| *node).collect();
            report_driven(cx, out, &nodes, &drivers);
        }
    }
}

fn report_driven(
    cx: &Context<'_>,
    out: &mut Findings,
    nodes: &[NodeId],
    drivers: &[Option<usize>],
) {
    let clip = nodes.iter().find_map(|node| drivers[node.index()]);
    let clip = clip.map_or("", |clip| cx.asset.clips[clip].name.as_str());
    let group = cx.joint(nodes[0]);
    out.add_many(Offence::of_all(&group, "node"), nodes.len(), |subject| {
        let count = nodes.len();
        let message = format!("{count} nodes have this name, and clip {clip:?} drives one of them");
        (subject, message)
    });
}

/// The nodes that a reader made of meshes, where the format has joints only.
fn made_of_meshes(asset: &Asset) -> BTreeSet<NodeId> {
    let has_nodes = !matches!(asset.reader.code, ReaderCode::Iqm | ReaderCode::Md5);
    let instances = asset.instances.iter().filter(|_| !has_nodes);
    instances.map(|instance| instance.node).collect()
}

/// For each joint, the first clip that animates it.
fn drivers(asset: &Asset) -> Vec<Option<usize>> {
    let mut drivers = vec![None; asset.skeleton.len()];
    for (index, clip) in asset.clips.iter().enumerate().rev() {
        for channel in &clip.channels {
            drivers[channel.node.index()] = Some(index);
        }
    }
    drivers
}
