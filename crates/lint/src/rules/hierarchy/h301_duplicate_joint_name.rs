//! `H301`: duplicate-joint-name.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::joints;
use crate::rig::{Asset, NodeId, ReaderCode};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    DuplicateJointName, "H301", "duplicate-joint-name", Warning
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
        let distinct: BTreeSet<NodeId> = skin.joints.iter().copied().collect();
        for (name, namesakes) in by_name(cx, distinct) {
            let is_first = namesakes
                .iter()
                .any(|joint| owners[joint.index()] == Some(id));
            if namesakes.len() < 2 || !is_first {
                continue;
            }
            reported.insert(name);
            out.add(Offence::of(&locations[id.index()], "name"), |subject| {
                let message = format!("{} joints have this name", namesakes.len());
                (subject.joint_id(namesakes[0]), message)
            });
        }
    }
}

fn by_name<'a>(
    cx: &'a Context<'_>,
    joints: impl IntoIterator<Item = NodeId>,
) -> BTreeMap<&'a str, Vec<NodeId>> {
    let mut names: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for joint in joints {
        names.entry(cx.joint_name(joint)).or_default().push(joint);
    }
    names.remove("");
    names
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
    let all = joints::nodes(cx.asset);
    for (name, nodes) in by_name(cx, all) {
        if nodes.len() < 2 || reported.contains(name) {
            continue;
        }
        let mut scopes: BTreeMap<Scope, Vec<NodeId>> = BTreeMap::new();
        for node in nodes {
            let parent = cx.asset.skeleton.get(node).and_then(|node| node.parent);
            let skeleton = skeletal[node.index()].then(|| Scope::Skeleton(roots[node.index()]));
            let of_node = [links_by_name.then_some(Scope::File), skeleton];
            for scope in of_node.into_iter().flatten().chain([Scope::Beside(parent)]) {
                scopes.entry(scope).or_default().push(node);
            }
        }
        let ambiguous = |nodes: &&Vec<NodeId>| {
            nodes.len() > 1 && nodes.iter().any(|node| drivers[node.index()].is_some())
        };
        if let Some(nodes) = scopes.values().find(ambiguous) {
            report_driven(cx, out, nodes, &drivers);
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
