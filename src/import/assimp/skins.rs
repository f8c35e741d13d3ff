//! Bones: joints, inverse bind matrices and weights.

use russimp::sys::{aiBone, aiMesh, aiVertexWeight};

use super::math::mat4;
use super::names;
use super::nodes::Nodes;
use super::raw::Raw;
use crate::import::notes::Notes;
use crate::import::source::{Skin, SkinJoint};
use crate::import::weights::per_vertex;
use crate::rig::{Influences, NodeId, SkinId};

/// The skins of a scene, without duplicates.
#[derive(Default)]
pub(super) struct Skins(Vec<Skin>);

/// The skin of one mesh.
pub(super) struct Binding {
    /// `None` for a mesh without bones.
    pub(super) skin: Option<SkinId>,
    /// One list per vertex, or none at all.
    pub(super) influences: Influences,
}

impl Skins {
    /// Reads the bones of `mesh`.
    pub(super) fn bind(
        &mut self,
        mesh: Raw<'_, aiMesh>,
        hierarchy: &Nodes<'_>,
        notes: &mut Notes,
    ) -> Binding {
        let location = format!("mesh {:?}", names::text(&mesh.mName));
        let bones = distinct(mesh);
        if bones.is_empty() {
            return Binding {
                skin: None,
                influences: Influences::default(),
            };
        }
        let joint = |&bone: &Raw<'_, aiBone>| SkinJoint {
            name: names::text(&bone.mName),
            node: joint_of(bone, hierarchy, notes).map(NodeId::index),
        };
        let skin = Skin {
            joints: bones.iter().map(joint).collect(),
            inverse_binds: Some(bones.iter().map(|bone| mat4(&bone.mOffsetMatrix)).collect()),
            ..Skin::default()
        };
        let weights = bones.iter().map(|bone| {
            let weights = weights(*bone).iter();
            weights.map(|weight| (weight.mVertexId, weight.mWeight))
        });
        Binding {
            skin: Some(self.add(skin)),
            influences: per_vertex(mesh.mNumVertices as usize, weights, &location, notes),
        }
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Skin> {
        self.0
    }

    fn add(&mut self, skin: Skin) -> SkinId {
        let known = self.0.iter().position(|known| is_same(known, &skin));
        SkinId::from_index(known.unwrap_or_else(|| {
            self.0.push(skin);
            self.0.len() - 1
        }))
    }
}

/// Compares bit by bit, so that NaN equals itself.
fn is_same(a: &Skin, b: &Skin) -> bool {
    let bits = |skin: &Skin| -> Vec<u32> {
        let matrices = skin.inverse_binds.iter().flatten();
        matrices
            .flat_map(glam::Mat4::to_cols_array)
            .map(f32::to_bits)
            .collect()
    };
    a.joints == b.joints && bits(a) == bits(b)
}

/// The bones of `mesh`, each node once. assimp's FBX importer lists a bone twice if two clusters name one node.
fn distinct(mesh: Raw<'_, aiMesh>) -> Vec<Raw<'_, aiBone>> {
    let mut seen = std::collections::HashSet::new();
    let bones = mesh.bones().flatten();
    bones.filter(|bone| seen.insert(bone.address())).collect()
}

/// The node that assimp found, else the first of the bone's name.
///
/// assimp also searches by name, but takes the next of several nodes with one name each time.
fn joint_of(bone: Raw<'_, aiBone>, hierarchy: &Nodes<'_>, notes: &mut Notes) -> Option<NodeId> {
    let name = names::bytes(&bone.mName);
    let named = hierarchy.named(&name);
    if named.len() > 1 {
        let (count, name) = (named.len(), names::decode(&name));
        let message = format!("{count} nodes have that name, and a bone cannot say which it means");
        notes.add(format!("joint {name:?}"), message);
    }
    match *named {
        [only] => Some(only),
        _ => hierarchy.at(bone.mNode).or(named.first().copied()),
    }
}

/// The weights of `bone`. assimp's glTF importer gives a bone without weights one of 0 on the first vertex, which the file
/// does not have.
fn weights(bone: Raw<'_, aiBone>) -> &[aiVertexWeight] {
    match bone.weights() {
        [only] if only.mVertexId == 0 && only.mWeight == 0.0 => &[],
        weights => weights,
    }
}
