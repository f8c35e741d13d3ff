//! Skins (glTF 2.0, §3.7.3): every one of the file, in its order.

use glam::Mat4;

use super::accessors::{Accessors, Elements};
use super::error::GltfError;
use super::json::{self, Root};
use super::lenient::Whole;
use super::nodes::Nodes;
use crate::import::log::Log;
use crate::import::source::{Skin, SkinJoint};
use crate::rig::{DefectKind, NodeId, Place};

/// Reads all skins. One without matrices is bound by identities.
///
/// # Errors
///
/// [`GltfError`] for matrices that cannot be read.
pub(super) fn read(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    log: &mut Log,
) -> Result<Vec<Skin>, GltfError> {
    let skin = |(index, skin): (usize, &json::Skin<'_>)| {
        let part = format!("skins[{index}]");
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
            let place = Place::skin(&*skin.name).part(format!("{part}.joints[{number}]"));
            let defect = (DefectKind::JointWithoutNode, place);
            let message = format!("joint {number} is node {node}, and there are {count} nodes");
            log.mended(part, defect, &message, "; it is left out");
        }
        SkinJoint {
            name: String::new(),
            node: joint.copied().map(NodeId::index),
        }
    };
    skin.joints.iter().enumerate().map(joint).collect()
}

/// One matrix for each listed joint, or fewer; more than joints are allowed.
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
