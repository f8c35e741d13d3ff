//! The joints of a model that the contract of its skeleton names.

use std::sync::Arc;

use crate::Context;
use crate::Contract;
use crate::analysis::joints;
use crate::core::context::Analysis;
use crate::rig::{Asset, HumanBone, NodeId, VrmVersion};

/// The model's joints in the roles of its [`Contract`]; empty without one.
pub(super) struct Contracted {
    contract: Option<Arc<Contract>>,
    /// The node of each joint of the contract.
    nodes: Vec<Option<NodeId>>,
    /// Whether at least half of the required joints are there. If not, the file has another skeleton, and only that is
    /// reported.
    pub(super) fits: bool,
}

impl Analysis for Contracted {
    fn of(cx: &Context<'_>) -> Self {
        let contract = cx.settings.skeleton.clone();
        let nodes = contract
            .as_ref()
            .map_or_else(Vec::new, |contract| nodes(cx.asset, contract));
        let found = found(contract.as_deref(), &nodes);
        let fits = contract
            .as_ref()
            .is_some_and(|own| 2 * found >= own.required());
        Self {
            contract,
            nodes,
            fits,
        }
    }
}

impl Contracted {
    /// The node of a joint of the contract.
    pub(super) fn node(&self, joint: usize) -> Option<NodeId> {
        *self.nodes.get(joint)?
    }

    /// The joint of the contract that `node` is.
    pub(super) fn joint(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|own| *own == Some(node))
    }

    /// One flag per node: whether it has a role.
    pub(super) fn flags(&self, asset: &Asset) -> Vec<bool> {
        joints::flags(asset, self.nodes.iter().flatten().copied())
    }

    /// The number of required joints that are there.
    pub(super) fn found(&self) -> usize {
        found(self.contract.as_deref(), &self.nodes)
    }

    /// The nearest joint above `joint` in the contract that the model has.
    pub(super) fn above(&self, contract: &Contract, joint: usize) -> Option<(usize, NodeId)> {
        let parent = |joint: usize| contract.joints[joint].parent;
        let mut above = std::iter::successors(parent(joint), |above| parent(*above));
        above.find_map(|above| Some((above, self.node(above)?)))
    }
}

fn found(contract: Option<&Contract>, nodes: &[Option<NodeId>]) -> usize {
    let joints = contract.map_or(&[][..], |contract| &contract.joints);
    let both = joints.iter().zip(nodes);
    both.filter(|(joint, node)| !joint.is_optional && node.is_some())
        .count()
}

/// The number of required joints of `contract` that the model has.
pub(super) fn found_of(asset: &Asset, contract: &Contract) -> usize {
    found(Some(contract), &nodes(asset, contract))
}

/// The node of each joint of `contract`: that of the humanoid's bone, or the one with its name. Joints come before other
/// nodes, and nodes with a mesh last.
fn nodes(asset: &Asset, contract: &Contract) -> Vec<Option<NodeId>> {
    let mut nodes = vec![None; contract.joints.len()];
    let humanoid = asset
        .humanoid
        .as_ref()
        .filter(|humanoid| contract.is_humanoid && humanoid.version != VrmVersion::Animation);
    if let Some(humanoid) = humanoid {
        for (node, joint) in nodes.iter_mut().zip(&contract.joints) {
            let bone = HumanBone::named(joint.name());
            *node = bone.and_then(|bone| humanoid.bones.get(&bone).copied());
        }
        return nodes;
    }
    let bound = asset.bound_joints();
    let mut has_mesh = vec![false; bound.len()];
    for instance in &asset.instances {
        has_mesh[instance.node.index()] = true;
    }
    let names = asset.skeleton.nodes().iter().map(|node| node.name.as_str());
    let mut ranks = vec![3; nodes.len()];
    for (index, joint) in contract.joints_named(names).into_iter().enumerate() {
        let rank = if bound[index] {
            0
        } else {
            1 + usize::from(has_mesh[index])
        };
        if let Some(joint) = joint.filter(|joint| rank < ranks[*joint]) {
            ranks[joint] = rank;
            nodes[joint] = Some(NodeId::from_index(index));
        }
    }
    nodes
}
