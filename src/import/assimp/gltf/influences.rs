//! The weights of vertices, exactly as in the file (glTF 2.0, §3.7.3.3).
//!
//! Only entries whose weight is exactly 0 are left out: glTF pads each vertex with them to a multiple of four. Negative
//! weights, those above 1 and those that are not a number stay.

use std::collections::{HashMap, HashSet};

use super::super::notes::Notes;
use super::accessors::{AccessError, Accessors};
use super::document::{Document, Primitive};
use crate::rig::{Asset, Influence, Influences, JointId, Mesh, MeshInstance};

/// Influences of a vertex in one set of attributes.
const SET: usize = 4;

/// Why the weights of a mesh cannot be taken from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Mismatch {
    /// Which primitive the mesh was made of.
    #[error("it is not clear which primitive it is")]
    Primitive,
    /// The vertices of the primitive are not those of the mesh.
    #[error("its vertices are not those of the file")]
    Vertices,
    /// The joints of the skin are not those that the file lists.
    #[error("the joints of its skin are not those of the file")]
    Joints,
    /// A set with fewer or more entries than there are vertices.
    #[error("it has not as many weights as vertices")]
    Count,
    /// One of `JOINTS_n` and `WEIGHTS_n` without the other.
    #[error("it has joints without weights, or weights without joints")]
    Unpaired,
    /// More than can be counted.
    #[error("it has too many weights")]
    TooMany,
    /// An accessor.
    #[error("an accessor {0}")]
    Access(#[from] AccessError),
}

/// Replaces the influences of all skinned meshes of `asset` by those of `document`.
///
/// Where it is not certain which those are, the mesh keeps assimp's, with a note.
///
/// * `joints` – the joint of each node that is in the scene.
pub(super) fn complete(
    asset: &mut Asset,
    document: &Document,
    accessors: &Accessors<'_>,
    joints: &HashMap<usize, JointId>,
) {
    let mut nodes: Vec<(JointId, usize)> = joints.iter().map(|(&n, &joint)| (joint, n)).collect();
    nodes.sort_unstable();
    let source = Source {
        document,
        accessors,
        joints,
        nodes,
    };
    let (mut notes, mut done) = (Notes::default(), HashSet::new());
    for instance in std::mem::take(&mut asset.instances) {
        if instance.skin.is_some() && done.insert(instance.mesh) {
            source.replace(asset, &instance, &mut notes);
        }
        asset.instances.push(instance);
    }
    asset.notes.extend(notes.into_inner());
}

struct Source<'a> {
    document: &'a Document,
    accessors: &'a Accessors<'a>,
    joints: &'a HashMap<usize, JointId>,
    /// The node of each joint, sorted.
    nodes: Vec<(JointId, usize)>,
}

impl Source<'_> {
    fn replace(&self, asset: &mut Asset, instance: &MeshInstance, notes: &mut Notes) {
        let place = format!("mesh {:?}", asset.meshes[instance.mesh.index()].name);
        match self.influences(asset, instance) {
            Ok(Some((influences, lost))) => {
                if lost > 0 {
                    let message =
                        format!("left out {lost} weights of joints that its skin does not have");
                    notes.add(place, message);
                }
                asset.meshes[instance.mesh.index()].influences = influences;
            }
            Ok(None) => {}
            Err(why) => {
                let lacking =
                    "so weights of 0 and below, and of joints that are not there, are missing";
                notes.add(
                    place,
                    format!("its weights are those that assimp read, because {why}; {lacking}"),
                );
            }
        }
    }

    /// The influences of the mesh of `instance`, and how many name a joint that is not there; `None` if the file has
    /// none.
    fn influences(
        &self,
        asset: &Asset,
        instance: &MeshInstance,
    ) -> Result<Option<(Influences, usize)>, Mismatch> {
        let mesh = &asset.meshes[instance.mesh.index()];
        let (primitive, joints) = self.origin(mesh, instance).ok_or(Mismatch::Primitive)?;
        let skin = asset.skin_of(instance).ok_or(Mismatch::Joints)?;
        let known = joints.iter().map(|node| self.joints.get(node));
        if !known.eq(skin.joints.iter().map(Some)) {
            return Err(Mismatch::Joints);
        }
        let sets = self.sets(primitive)?;
        if sets.is_empty() {
            return Ok(None);
        }
        let vertices = self.vertices(primitive, mesh)?;
        let most = vertices.len().checked_mul(sets.len() * SET);
        if most.is_none_or(|most| u32::try_from(most).is_err()) {
            return Err(Mismatch::TooMany);
        }
        Ok(Some(gather(&vertices, &sets, joints.len())))
    }

    /// The primitive that `mesh` was made of, and the joints of the skin.
    fn origin(&self, mesh: &Mesh, instance: &MeshInstance) -> Option<(&Primitive, &[usize])> {
        let at = self
            .nodes
            .binary_search_by_key(&instance.joint, |&(joint, _)| joint);
        let node = self.document.nodes.get(self.nodes[at.ok()?].1)?;
        let primitives = &self.document.meshes.get(node.mesh?)?.primitives;
        let skin = self.document.skins.get(node.skin?)?;
        let number = match primitives.len() {
            1 => 0,
            // assimp appends the number of the primitive to the name where there are several (`ImportMeshes`).
            _ => mesh.name.rsplit('-').next()?.parse().ok()?,
        };
        Some((primitives.get(number)?, &skin.joints))
    }

    /// The numbers of `JOINTS_n` and `WEIGHTS_n`, set by set.
    fn sets(&self, primitive: &Primitive) -> Result<Vec<Set>, Mismatch> {
        let mut sets = Vec::new();
        for number in 0..=primitive.attributes.len() {
            let of = |kind: &str| primitive.attributes.get(&format!("{kind}_{number}"));
            let (&joints, &weights) = match (of("JOINTS"), of("WEIGHTS")) {
                (Some(joints), Some(weights)) => (joints, weights),
                (None, None) => continue,
                _ => return Err(Mismatch::Unpaired),
            };
            sets.push(Set {
                joints: self.accessors.indices(joints)?,
                weights: self.accessors.floats(weights)?,
            });
        }
        Ok(sets)
    }

    /// For each vertex of `mesh` its number in the file: assimp keeps those that are used, in the order of their first
    /// use.
    fn vertices(&self, primitive: &Primitive, mesh: &Mesh) -> Result<Vec<usize>, Mismatch> {
        let positions = primitive.attributes.get("POSITION");
        let positions = self
            .accessors
            .floats(*positions.ok_or(Mismatch::Vertices)?)?;
        let count = positions.len() / 3;
        let vertices: Vec<usize> = match primitive.indices {
            None => (0..count).collect(),
            Some(indices) => first_uses(self.accessors.indices(indices)?, count),
        };
        let bits =
            |position: &[f32]| -> Vec<u32> { position.iter().map(|x| x.to_bits()).collect() };
        let same = vertices.len() == mesh.positions.len()
            && vertices
                .iter()
                .zip(&mesh.positions)
                .all(|(&vertex, position)| {
                    let in_file = positions.get(3 * vertex..3 * vertex + 3);
                    in_file.is_some_and(|in_file| bits(in_file) == bits(&position.to_array()))
                });
        let sets_fit = self.sets_fit(primitive, count);
        match (same, sets_fit) {
            (false, _) => Err(Mismatch::Vertices),
            (true, false) => Err(Mismatch::Count),
            (true, true) => Ok(vertices),
        }
    }

    /// Whether all sets have four entries for each of `count` vertices.
    fn sets_fit(&self, primitive: &Primitive, count: usize) -> bool {
        let is_set = |name: &str| name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
        let sets = primitive.attributes.iter().filter(|(name, _)| is_set(name));
        sets.map(|(_, &index)| self.document.accessors.get(index))
            .all(|set| set.is_some_and(|set| set.count == count && set.kind == "VEC4"))
    }
}

/// Four of each for a vertex.
struct Set {
    joints: Vec<usize>,
    weights: Vec<f32>,
}

/// The numbers below `count` in `indices`, each once.
fn first_uses(indices: Vec<usize>, count: usize) -> Vec<usize> {
    let mut used = vec![false; count];
    let is_new = |&index: &usize| {
        let used = used.get_mut(index);
        used.is_some_and(|used| !std::mem::replace(used, true))
    };
    indices.into_iter().filter(is_new).collect()
}

/// The influences of `vertices`, without those of weight 0, and how many name none of `joints` joints.
fn gather(vertices: &[usize], sets: &[Set], joints: usize) -> (Influences, usize) {
    let mut lost = 0;
    let lists = vertices.iter().map(|&vertex| {
        let mut list = Vec::new();
        for set in sets {
            let entries = SET * vertex..SET * (vertex + 1);
            for (&joint, &weight) in set.joints[entries.clone()]
                .iter()
                .zip(&set.weights[entries])
            {
                match u32::try_from(joint) {
                    _ if weight == 0.0 => {}
                    Ok(slot) if joint < joints => list.push(Influence { slot, weight }),
                    _ => lost += 1,
                }
            }
        }
        list
    });
    let influences = Influences::from_vertices(lists);
    (influences, lost)
}
