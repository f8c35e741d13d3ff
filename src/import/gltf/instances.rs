//! Which node shows which mesh.

use super::accessors::Accessors;
use super::document;
use super::error::GltfError;
use super::json::{Node, Root};
use super::nodes::Nodes;
use super::primitives::Meshes;
use crate::import::log::Log;
use crate::rig::{Mesh, MeshInstance, NodeId, SkinId};
use crate::units::amount;

/// What an instance counts as, so that there are about as many at the most as bytes in the files: a node multiplies the
/// primitives of its mesh.
const NUMBERS_PER_INSTANCE: u64 = 256;

/// One instance for each primitive of each node that is shown, in the order of the joints.
///
/// # Errors
///
/// [`GltfError::Missing`] for a mesh or a skin that is not there, and [`GltfError::Access`] for more instances than the
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
        log.notes.add(
            "file",
            format!(
                "not shown: the meshes of {} outside of the scene",
                amount(hidden, "node")
            ),
        );
    }
    let mut instances = Vec::new();
    for used in &uses {
        for &id in &meshes.of_mesh[used.mesh] {
            let mesh = &meshes.list[id.index()];
            let weights = mesh.morph_targets.len() as u64;
            let room = accessors.spend(NUMBERS_PER_INSTANCE + weights);
            room.map_err(|problem| GltfError::Access {
                place: place(mesh),
                problem,
            })?;
            instances.push(MeshInstance {
                node: used.joint,
                mesh: id,
                skin: used.skin,
                morph_weights: morph_weights(used.weights, mesh, log),
            });
        }
    }
    Ok(instances)
}

/// A node that is shown and has a mesh.
struct Use<'a> {
    joint: NodeId,
    /// By its number in the document.
    mesh: usize,
    skin: Option<SkinId>,
    weights: &'a [f32],
}

/// All uses of meshes in the scene, and how many are outside of it.
fn uses<'a>(root: &'a Root<'a>, nodes: &Nodes) -> Result<(Vec<Use<'a>>, usize), GltfError> {
    let (mut uses, mut hidden) = (Vec::new(), 0);
    for (joint, (&index, &is_shown)) in nodes.node_of.iter().zip(&nodes.is_shown).enumerate() {
        let node = &root.nodes[index];
        let Some((mesh, skin)) = references(root, node, index)? else {
            continue;
        };
        if !is_shown {
            hidden += 1;
            continue;
        }
        let weights = node.weights.as_ref();
        let weights = weights.or(root.meshes[mesh].weights.as_ref());
        uses.push(Use {
            joint: NodeId::from_index(joint),
            mesh,
            skin,
            weights: weights.map_or(&[], |weights| weights),
        });
    }
    Ok((uses, hidden))
}

fn references(
    root: &Root<'_>,
    node: &Node<'_>,
    index: usize,
) -> Result<Option<(usize, Option<SkinId>)>, GltfError> {
    let place = || format!("nodes[{index}]");
    if let Some(skin) = node.skin {
        document::part(&root.skins, skin, place)?;
    }
    let Some(mesh) = node.mesh else {
        return Ok(None);
    };
    document::part(&root.meshes, mesh, place)?;
    Ok(Some((
        mesh.index(),
        node.skin.map(|skin| SkinId::from_index(skin.index())),
    )))
}

fn place(mesh: &Mesh) -> String {
    format!("mesh {:?}", mesh.name)
}

/// One a target; 0 where the file gives none.
fn morph_weights(weights: &[f32], mesh: &Mesh, log: &mut Log) -> Vec<f32> {
    let targets = mesh.morph_targets.len();
    if !weights.is_empty() && weights.len() != targets {
        let message = format!(
            "has {} for {}",
            amount(weights.len(), "morph weight"),
            amount(targets, "target")
        );
        log.notes.add(place(mesh), message);
    }
    let given = weights.iter().copied().chain(std::iter::repeat(0.0));
    given.take(targets).collect()
}
