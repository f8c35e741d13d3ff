//! Everything that a file holds.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Clip, Evidence, Image, JointId, Material, Mesh, MeshId, Skeleton, Skin, SkinId};
use crate::units::Space;

/// A model, resolved: no index is out of range, no name needs a look-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asset {
    /// Which importer read the file, with its version, such as `assimp 6.0.2 (Autodesk FBX Importer)`.
    pub importer: String,
    /// The space that all data below are in.
    pub space: Space,
    /// The space that the file states, where the importer converted it (COLLADA) or the format states one.
    pub stated_space: Option<Space>,
    /// Every node of the file.
    pub skeleton: Skeleton,
    /// Geometries, each once however often it is used.
    pub meshes: Vec<Mesh>,
    /// Bindings of meshes to joints.
    pub skins: Vec<Skin>,
    /// Uses of meshes.
    pub instances: Vec<MeshInstance>,
    /// Animations.
    pub clips: Vec<Clip>,
    /// Surfaces.
    pub materials: Vec<Material>,
    /// Pictures.
    pub images: Vec<Image>,
    /// The files that the model names beside itself, such as buffers, materials and pictures: importers give them relative to
    /// the model's folder, [`load`](crate::import::load) from where the program runs.
    pub files: Vec<PathBuf>,
    /// What the importer had to mend, assume or leave out.
    pub notes: Vec<Note>,
    /// What is wrong with the file and cannot be seen above.
    pub evidence: Evidence,
}

/// One use of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshInstance {
    /// The node that it hangs on. Moves the mesh only where no skin does.
    pub joint: JointId,
    /// Which geometry.
    pub mesh: MeshId,
    /// What deforms it; `None` for a mesh that follows its node rigidly.
    pub skin: Option<SkinId>,
    /// Weight of each morph target where no clip drives it; as many as the mesh has targets.
    pub morph_weights: Vec<f32>,
}

/// Something about a file that its user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where: such as `clip "Walk"` or `mesh "Body"`.
    pub place: String,
    /// What: one sentence, no full stop.
    pub message: String,
}

impl Asset {
    /// The mesh of `instance`.
    #[must_use]
    pub fn mesh_of(&self, instance: &MeshInstance) -> &Mesh {
        &self.meshes[instance.mesh.index()]
    }

    /// The skin of `instance`, if it has one.
    #[must_use]
    pub fn skin_of(&self, instance: &MeshInstance) -> Option<&Skin> {
        instance.skin.map(|skin| &self.skins[skin.index()])
    }

    /// For each joint of the skeleton, whether a skin binds it.
    #[must_use]
    pub fn bound_joints(&self) -> Vec<bool> {
        let mut bound = vec![false; self.skeleton.len()];
        for joint in self.skins.iter().flat_map(|skin| &skin.joints) {
            bound[joint.index()] = true;
        }
        bound
    }
}
