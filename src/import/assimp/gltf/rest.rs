//! Names, rest transforms, morph weights and names of skins, from the document.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::document::{Document, Node};
use super::parse;
use crate::import::ImporterError;
use crate::rig::{Asset, Joint, JointId, LocalTransform, Skeleton, Trs};

/// How far from 1 the squared length of a rotation may be for it to count as a unit quaternion: a few roundings of f32.
const UNIT: f32 = 1e-5;

/// The name that node `index` has while assimp looks at it.
pub(super) fn stand_in(index: usize) -> String {
    format!("node {index}")
}

fn node_index(name: &str) -> Option<usize> {
    name.strip_prefix("node ")?.parse().ok()
}

/// `asset` with what the document says, and the joint of each node that is in the scene.
pub(super) fn complete(
    mut asset: Asset,
    document: &Document,
) -> Result<(Asset, HashMap<usize, JointId>), ImporterError> {
    let mut joints = HashMap::new();
    let mut list: Vec<Joint> = std::mem::take(&mut asset.skeleton).into();
    for (index, joint) in list.iter_mut().enumerate() {
        let Some(number) = node_index(&joint.name) else {
            continue;
        };
        let Some(node) = document.nodes.get(number) else {
            continue;
        };
        joints.entry(number).or_insert(JointId::from_index(index));
        joint.name.clone_from(&node.name);
        joint.rest = rest(node).unwrap_or(joint.rest);
    }
    asset.skeleton = Skeleton::new(list).map_err(parse)?;
    complete_instances(&mut asset, document, &joints);
    restore_names_in_notes(&mut asset, document);
    Ok((asset, joints))
}

/// The parts as they are; `None` where there is a matrix, or a rotation that is none.
fn rest(node: &Node) -> Option<LocalTransform> {
    let trs = Trs {
        translation: Vec3::from(node.translation.unwrap_or([0.0; 3])),
        rotation: Quat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0])),
        scale: Vec3::from(node.scale.unwrap_or([1.0; 3])),
    };
    let is_unit = (trs.rotation.length_squared() - 1.0).abs() <= UNIT;
    (node.matrix.is_none() && is_unit).then_some(LocalTransform::Trs(trs))
}

fn complete_instances(asset: &mut Asset, document: &Document, joints: &HashMap<usize, JointId>) {
    let mut nodes: Vec<Option<&Node>> = vec![None; asset.skeleton.len()];
    for (number, node) in document.nodes.iter().enumerate() {
        if let Some(joint) = joints.get(&number) {
            nodes[joint.index()] = Some(node);
        }
    }
    for instance in &mut asset.instances {
        let Some(node) = nodes[instance.joint.index()] else {
            continue;
        };
        if node.weights.len() == instance.morph_weights.len() {
            instance.morph_weights.clone_from(&node.weights);
        }
        let skin = node.skin.and_then(|skin| document.skins.get(skin));
        if let (Some(id), Some(skin)) = (instance.skin, skin) {
            asset.skins[id.index()].name.clone_from(&skin.name);
        }
    }
}

fn restore_names_in_notes(asset: &mut Asset, document: &Document) {
    for note in &mut asset.notes {
        let quoted = note.place.strip_prefix("joint \"");
        let number = quoted.and_then(|rest| node_index(rest.strip_suffix('"')?));
        if let Some(node) = number.and_then(|number| document.nodes.get(number)) {
            note.place = format!("joint {:?}", node.name);
        }
    }
}
