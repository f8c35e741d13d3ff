//! The meshes that nodes show.

use super::accessors::Accessors;
use super::document;
use super::error::GltfError;
use super::json::{Node, Root};
use super::nodes::Nodes;
use super::primitives::{Meshes, known_as};
use crate::lists::distinct;
use crate::log::Log;
use crate::rig::{DefectKind, Location, Mesh, MeshInstance, NodeId, Part, SkinId};
use crate::units::amount;

/// How many numbers an instance counts as. This limits instances to about the number of bytes in the files: each node
/// multiplies the primitives of its mesh.
const NUMBERS_PER_INSTANCE: u64 = 256;

/// One instance for each primitive of each shown node, in the order of the joints.
///
/// # Errors
///
/// [`GltfError::Missing`] for a missing mesh or skin, and [`GltfError::Access`] for more instances than the
/// file justifies.
pub(super) fn read(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    meshes: &Meshes,
    log: &mut Log,
) -> Result<Vec<MeshInstance>, GltfError> {
    let (uses, hidden) = uses(root, nodes)?;
    if hidden > 0 {
        let nodes = amount(hidden, "node");
        let message = format!("not shown: the meshes of {nodes} outside the scene or hidden");
        log.notes.add("file", message);
    }
    check_joints(root, nodes, &uses, log);
    let mut instances = Vec::new();
    for used in &uses {
        check_weights(root, nodes, used, log);
        for &id in &meshes.of_mesh[used.mesh] {
            let mesh = &meshes.list[id.index()];
            let numbers = NUMBERS_PER_INSTANCE + mesh.morph_targets.len() as u64;
            accessors.charge_at(numbers, || location(mesh))?;
            instances.push(MeshInstance {
                node: used.joint,
                mesh: id,
                skin: used.skin,
                morph_weights: morph_weights(used, mesh, log),
            });
        }
    }
    Ok(instances)
}

/// A shown node with a mesh.
struct Use<'a> {
    joint: NodeId,
    /// Its index in the document.
    mesh: usize,
    skin: Option<SkinId>,
    weights: &'a [f32],
    /// The location of its morph weights.
    weights_at: String,
}

/// The uses of meshes in the scene, and the number of uses outside it.
fn uses<'a>(root: &'a Root<'a>, nodes: &Nodes) -> Result<(Vec<Use<'a>>, usize), GltfError> {
    let (mut uses, mut hidden) = (Vec::new(), 0);
    for (joint, (&index, &is_shown)) in nodes.node_of.iter().zip(&nodes.is_shown).enumerate() {
        let node = &root.nodes[index];
        let Some((mesh, skin)) = references(root, node, index)? else {
            continue;
        };
        if nodes.is_copied[joint] {
            continue;
        }
        if !is_shown {
            hidden += 1;
            continue;
        }
        let weights = node.weights.as_ref();
        let weights_at = match weights {
            Some(_) => format!("nodes[{index}].weights"),
            None => format!("meshes[{mesh}].weights"),
        };
        let weights = weights.or(root.meshes[mesh].weights.as_ref());
        uses.push(Use {
            joint: NodeId::from_index(joint),
            mesh,
            skin,
            weights: weights.map_or(&[], |weights| weights),
            weights_at,
        });
    }
    Ok((uses, hidden))
}

fn references(
    root: &Root<'_>,
    node: &Node<'_>,
    index: usize,
) -> Result<Option<(usize, Option<SkinId>)>, GltfError> {
    let location = || format!("nodes[{index}]");
    if let Some(skin) = node.skin {
        document::part(&root.skins, skin, location)?;
    }
    let Some(mesh) = node.mesh else {
        return Ok(None);
    };
    document::part(&root.meshes, mesh, location)?;
    let skin = node.skin.map(|skin| SkinId::from_index(skin.index()));
    Ok(Some((mesh.index(), skin)))
}

/// Checks that there are as many morph weights as targets (§3.7.2.2).
fn check_weights(root: &Root<'_>, nodes: &Nodes, used: &Use<'_>, log: &mut Log) {
    let mesh = &root.meshes[used.mesh];
    let first = mesh.primitives.first();
    let targets = first.map_or(0, |first| first.targets.len());
    if used.weights.is_empty() || used.weights.len() == targets {
        return;
    }
    let message = format!(
        "has {} for {}",
        amount(used.weights.len(), "morph weight"),
        amount(targets, "morph target")
    );
    let shown_by = &nodes.list[used.joint.index()].name;
    let name = known_as(&mesh.name, shown_by);
    let location = Location::mesh(name).path(used.weights_at.as_str());
    log.defects
        .add(DefectKind::MorphWeightCount, location, message);
}

/// Checks that the joints of shown skins are in the scene (§3.7.3.2).
fn check_joints(root: &Root<'_>, nodes: &Nodes, uses: &[Use<'_>], log: &mut Log) {
    let skins = uses.iter().filter_map(|used| Some(used.skin?.index()));
    for index in distinct(skins) {
        let skin = &root.skins[index];
        let joints = skin
            .joints
            .iter()
            .filter_map(|node| nodes.joint_of.get(node.index()));
        let mut outside = joints.filter(|joint| !nodes.is_shown[joint.index()]);
        if let Some(first) = outside.next() {
            let name = &nodes.list[first.index()].name;
            let message = format!("joint {name:?} is not in the scene that shows its mesh");
            let id = SkinId::from_index(index);
            let location = Location::FILE.of_skin(id, &*skin.name).part(Part::Skin(id));
            let count = 1 + outside.count();
            let kind = DefectKind::JointOutsideScene;
            log.defects.add_many(kind, location, count, message);
        }
    }
}

fn location(mesh: &Mesh) -> String {
    format!("mesh {:?}", mesh.name)
}

/// One per target; 0 if the file states none.
fn morph_weights(used: &Use<'_>, mesh: &Mesh, log: &mut Log) -> Vec<f32> {
    let (weights, targets) = (used.weights, mesh.morph_targets.len());
    if !weights.is_empty() && weights.len() != targets {
        let message = format!(
            "has {} for {}",
            amount(weights.len(), "morph weight"),
            amount(targets, "target")
        );
        log.notes.add(location(mesh), message);
    }
    let given = weights.iter().copied().chain(std::iter::repeat(0.0));
    given.take(targets).collect()
}
