//! Which node shows which mesh.

use std::collections::{BTreeMap, BTreeSet};

use gltf::json;

use super::accessors::Accessors;
use super::document::Document;
use super::error::GltfError;
use super::nodes::Nodes;
use super::primitives::Meshes;
use crate::import::notes::Notes;
use crate::rig::{Influences, JointId, Mesh, MeshId, MeshInstance, Skin, SkinId};

/// What an instance counts as, so that there are about as many at the most as bytes in the files: a node multiplies the
/// primitives of its mesh.
const NUMBERS_PER_INSTANCE: u64 = 256;

/// One instance for each primitive of each node that is shown, in the order of the joints.
///
/// A mesh whose weights name joints that its skin does not have loses those; where it has several skins, each gets a
/// mesh of its own then.
///
/// # Errors
///
/// [`GltfError::Missing`] for a mesh or a skin that is not there, and [`GltfError::Access`] for more copies than the
/// file justifies.
pub(super) fn read(
    document: &Document,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    skins: &[Skin],
    meshes: &mut Meshes,
    notes: &mut Notes,
) -> Result<Vec<MeshInstance>, GltfError> {
    let (uses, hidden) = uses(document, nodes)?;
    if hidden > 0 {
        notes.add(
            "file",
            format!("{hidden} nodes with meshes are not in the scene, and not shown"),
        );
    }
    let mut fitting = Fitting::new(accessors, skins, &uses);
    let mut instances = Vec::new();
    for used in &uses {
        for id in meshes.of_mesh[used.mesh].clone() {
            let skin = used
                .skin
                .filter(|_| !meshes.list[id.index()].influences.is_empty());
            note_binding(&meshes.list[id.index()], used.skin, notes);
            let id = match skin {
                Some(skin) => fitting.fit(id, used.mesh, skin, meshes, notes)?,
                None => id,
            };
            let weights = meshes.list[id.index()].morph_targets.len() as u64;
            let room = accessors.spend(NUMBERS_PER_INSTANCE + weights);
            room.map_err(|problem| GltfError::Access {
                place: place(&meshes.list[id.index()]),
                problem,
            })?;
            instances.push(MeshInstance {
                joint: used.joint,
                mesh: id,
                skin,
                morph_weights: morph_weights(used.weights, &meshes.list[id.index()], notes),
            });
        }
    }
    Ok(instances)
}

/// A node that is shown and has a mesh.
struct Use<'a> {
    joint: JointId,
    /// By its number in the document.
    mesh: usize,
    skin: Option<SkinId>,
    weights: &'a [f32],
}

/// All uses of meshes in the scene, and how many are outside of it.
fn uses<'a>(document: &'a Document, nodes: &Nodes) -> Result<(Vec<Use<'a>>, usize), GltfError> {
    let (mut uses, mut hidden) = (Vec::new(), 0);
    for (joint, (&index, &is_shown)) in nodes.node_of.iter().zip(&nodes.is_shown).enumerate() {
        let node = &document.root.nodes[index];
        let Some((mesh, skin)) = references(document, node, index)? else {
            continue;
        };
        if !is_shown {
            hidden += 1;
            continue;
        }
        let weights = node
            .weights
            .as_ref()
            .or(document.root.meshes[mesh].weights.as_ref());
        uses.push(Use {
            joint: JointId::from_index(joint),
            mesh,
            skin,
            weights: weights.map_or(&[], Vec::as_slice),
        });
    }
    Ok((uses, hidden))
}

fn references(
    document: &Document,
    node: &json::Node,
    index: usize,
) -> Result<Option<(usize, Option<SkinId>)>, GltfError> {
    let place = || format!("nodes[{index}]");
    if let Some(skin) = node.skin {
        document.part(skin, place)?;
    }
    let Some(mesh) = node.mesh else {
        return Ok(None);
    };
    document.part(mesh, place)?;
    Ok(Some((
        mesh.value(),
        node.skin.map(|skin| SkinId::from_index(skin.value())),
    )))
}

/// A mesh has both weights and a skin, or neither (§3.7.3.3).
fn note_binding(mesh: &Mesh, skin: Option<SkinId>, notes: &mut Notes) {
    let message = match (skin, mesh.influences.is_empty()) {
        (None, false) => "has weights and no skin: it follows its node",
        (Some(_), true) => "has a skin and no weights: it follows its node",
        _ => return,
    };
    notes.add(place(mesh), message);
}

fn place(mesh: &Mesh) -> String {
    format!("mesh {:?}", mesh.name)
}

/// Makes meshes fit the skins that they are used with.
struct Fitting<'a> {
    accessors: &'a Accessors<'a>,
    /// How many joints each skin has.
    joints: Vec<usize>,
    /// For each mesh of the document, the numbers of joints of all its skins.
    wanted: BTreeMap<usize, BTreeSet<usize>>,
    /// What has been made for how many joints.
    made: BTreeMap<(MeshId, usize), MeshId>,
}

impl<'a> Fitting<'a> {
    fn new(accessors: &'a Accessors<'a>, skins: &[Skin], uses: &[Use<'_>]) -> Self {
        let joints: Vec<usize> = skins.iter().map(|skin| skin.joints.len()).collect();
        let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for used in uses {
            let joints = used.skin.map(|skin| joints[skin.index()]);
            wanted.entry(used.mesh).or_default().extend(joints);
        }
        Self {
            accessors,
            joints,
            wanted,
            made: BTreeMap::new(),
        }
    }

    /// The mesh `id` with weights of joints of `skin` only.
    ///
    /// * `mesh` – what it is made of, by its number in the document.
    fn fit(
        &mut self,
        id: MeshId,
        mesh: usize,
        skin: SkinId,
        meshes: &mut Meshes,
        notes: &mut Notes,
    ) -> Result<MeshId, GltfError> {
        let joints = self.joints[skin.index()];
        if let Some(made) = self.made.get(&(id, joints)) {
            return Ok(*made);
        }
        let original = &meshes.list[id.index()];
        let (influences, lost) = within(&original.influences, joints);
        let is_only_skin = self
            .wanted
            .get(&mesh)
            .is_none_or(|wanted| wanted.len() <= 1);
        let mut fitting = id;
        if lost > 0 {
            let message = format!("left out {lost} weights of joints that its skin does not have");
            notes.add(place(original), message);
            if !is_only_skin {
                fitting = self.copy(id, meshes)?;
            }
            meshes.list[fitting.index()].influences = influences;
        }
        self.made.insert((id, joints), fitting);
        Ok(fitting)
    }

    fn copy(&self, id: MeshId, meshes: &mut Meshes) -> Result<MeshId, GltfError> {
        /// At the least: a position, a normal and four influences.
        const NUMBERS_PER_VERTEX: u64 = 14;
        let original = meshes.list[id.index()].clone();
        let numbers = NUMBERS_PER_VERTEX * original.positions.len() as u64;
        let room = self.accessors.spend(numbers);
        room.map_err(|problem| GltfError::Access {
            place: place(&original),
            problem,
        })?;
        meshes.list.push(original);
        Ok(MeshId::from_index(meshes.list.len() - 1))
    }
}

/// The influences of the first `joints` slots, and how many there are of others.
fn within(influences: &Influences, joints: usize) -> (Influences, usize) {
    let all = influences.all().len();
    let is_within = |slot: u32| (slot as usize) < joints;
    let lists = influences
        .iter()
        .map(|list| list.iter().copied().filter(|i| is_within(i.slot)));
    let within = Influences::from_vertices(lists);
    let lost = all - within.all().len();
    (within, lost)
}

/// One a target; 0 where the file gives none.
fn morph_weights(weights: &[f32], mesh: &Mesh, notes: &mut Notes) -> Vec<f32> {
    let targets = mesh.morph_targets.len();
    if !weights.is_empty() && weights.len() != targets {
        let message = format!("has {} morph weights for {targets} targets", weights.len());
        notes.add(place(mesh), message);
    }
    let given = weights.iter().copied().chain(std::iter::repeat(0.0));
    given.take(targets).collect()
}
