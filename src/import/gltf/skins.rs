//! Skins (glTF 2.0, §3.7.3): all of the file, in its order.

use glam::Mat4;

use super::accessors::{Accessors, Elements};
use super::error::GltfError;
use super::json::{self, Root};
use super::lenient::Whole;
use super::nodes::Nodes;
use super::standard::{Use, Uses};
use crate::import::log::Log;
use crate::import::source::{Skin, SkinJoint};
use crate::rig::{DefectKind, Location, NodeId};

/// Reads all skins. A skin without matrices gets identities.
///
/// * `uses` – receives the accessors of all matrices.
///
/// # Errors
///
/// [`GltfError`] for matrices that cannot be read.
pub(super) fn read(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    uses: &mut Uses,
    log: &mut Log,
) -> Result<Vec<Skin>, GltfError> {
    let skin = |(index, skin): (usize, &json::Skin<'_>)| {
        let part = format!("skins[{index}]");
        check_skeleton(skin, &part, nodes, log);
        if let Some(matrices) = skin.inverse_bind_matrices {
            uses.add(matrices, Use::InverseBinds, &Location::skin(&*skin.name));
        }
        Ok(Skin {
            joints: joints(skin, &part, nodes, log),
            inverse_binds: Some(matrices(skin, &part, accessors)?),
            name: (*skin.name).to_owned(),
            part: Some(part),
        })
    };
    root.skins.iter().enumerate().map(skin).collect()
}

fn joints(skin: &json::Skin<'_>, part: &str, nodes: &Nodes, log: &mut Log) -> Vec<SkinJoint> {
    let joint = |(number, node): (usize, &Whole)| {
        let joint = nodes.joint_of.get(node.index());
        if joint.is_none() {
            let (node, count) = (node.0, nodes.joint_of.len());
            let location = Location::skin(&*skin.name).part(format!("{part}.joints[{number}]"));
            let defect = (DefectKind::JointWithoutNode, location);
            let message = format!("joint {number} is node {node}, but there are {count} nodes");
            log.repaired(part, defect, &message, "; it is skipped");
        }
        SkinJoint {
            name: String::new(),
            node: joint.copied().map(NodeId::index),
        }
    };
    skin.joints.iter().enumerate().map(joint).collect()
}

/// Checks that the stated skeleton is an ancestor of all joints (§5.28.2). Joints without a common root are not its concern.
fn check_skeleton(skin: &json::Skin<'_>, part: &str, nodes: &Nodes, log: &mut Log) {
    let Some(stated) = skin.skeleton else { return };
    let joints = skin.joints.iter();
    let joints: Vec<NodeId> = joints
        .filter_map(|node| nodes.joint_of.get(node.index()).copied())
        .collect();
    let path =
        |joint: NodeId| std::iter::successors(Some(joint.index()), |node| nodes.list[*node].parent);
    let top = |joint: NodeId| path(joint).last();
    let Some(first) = joints.first() else { return };
    if joints.iter().any(|joint| top(*joint) != top(*first)) {
        return;
    }
    let skeleton = nodes.joint_of.get(stated.index());
    let is_below = |joint: &&NodeId| {
        skeleton.is_some_and(|above| path(**joint).any(|node| node == above.index()))
    };
    let Some(outside) = joints.iter().find(|joint| !is_below(joint)) else {
        return;
    };
    let message = format!(
        "the skeleton is nodes[{}], which is not above joint {:?}",
        stated.0,
        nodes.list[outside.index()].name
    );
    let location = Location::skin(&*skin.name).part(format!("{part}.skeleton"));
    let kind = DefectKind::SkeletonNotAncestor;
    log.defects.add(kind, location, message);
}

/// One matrix per joint, or fewer; more than that are allowed and ignored.
fn matrices(
    skin: &json::Skin<'_>,
    part: &str,
    accessors: &Accessors<'_>,
) -> Result<Vec<Mat4>, GltfError> {
    let joints = skin.joints.len();
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(vec![Mat4::IDENTITY; joints]);
    };
    let matrices = accessors.floats::<16>(accessor, Elements::All, || part.to_owned())?;
    let matrices = matrices.iter().take(joints);
    Ok(matrices.map(Mat4::from_cols_array).collect())
}
