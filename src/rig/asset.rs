//! The contents of a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    Clip, Evidence, Format, Image, Material, Mesh, MeshId, NodeId, Origins, Reader, Skeleton, Skin,
    SkinId, SourceFile,
};
use crate::units::Space;

/// A resolved model: every index is valid, and no name needs a lookup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asset {
    /// The format of the file.
    pub format: Format,
    /// The importer that read it.
    pub reader: Reader,
    /// The space of all data below.
    pub space: Space,
    /// The space that the file states, if the importer converted it (COLLADA) or the format states one.
    pub stated_space: Option<Space>,
    /// Every node of the file.
    pub skeleton: Skeleton,
    /// Geometries, each once, however often they are used.
    pub meshes: Vec<Mesh>,
    /// Bindings of meshes to joints.
    pub skins: Vec<Skin>,
    /// Uses of meshes.
    pub instances: Vec<MeshInstance>,
    /// Animations.
    pub clips: Vec<Clip>,
    /// Surfaces.
    pub materials: Vec<Material>,
    /// Images.
    pub images: Vec<Image>,
    /// The files that the model references, such as buffers, materials and images, whether they exist or not, and the
    /// folders in which they were searched. Importers give them relative to the model's folder,
    /// [`load`](crate::import::load) relative to the working directory.
    pub files: Vec<SourceFile>,
    /// What the importer repaired, assumed or skipped.
    pub notes: Vec<Note>,
    /// Defects of the file that the fields above do not show.
    pub evidence: Evidence,
    /// The origins of the parts in the file.
    pub origins: Origins,
}

/// One use of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshInstance {
    /// The node it is attached to. It moves the mesh only without a skin.
    pub node: NodeId,
    /// Which geometry.
    pub mesh: MeshId,
    /// Its skin; `None` for a mesh that follows its node rigidly.
    pub skin: Option<SkinId>,
    /// Rest weight of each morph target of the mesh.
    pub morph_weights: Vec<f32>,
}

impl MeshInstance {
    /// A mesh that follows `node`; its morph targets have no weight.
    #[must_use]
    pub fn rigid(node: NodeId, mesh: MeshId) -> Self {
        Self {
            node,
            mesh,
            skin: None,
            morph_weights: Vec::new(),
        }
    }

    /// A mesh that follows the joints of `skin`.
    #[must_use]
    pub fn skinned(node: NodeId, mesh: MeshId, skin: SkinId) -> Self {
        Self {
            skin: Some(skin),
            ..Self::rigid(node, mesh)
        }
    }
}

/// A note about a file for its user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where, such as `clip "Walk"` or `mesh "Body"`.
    #[serde(rename = "place")]
    pub location: String,
    /// What, as one sentence without a full stop.
    pub message: String,
}

impl Asset {
    /// The mesh of `instance`.
    #[must_use]
    pub fn mesh_of(&self, instance: &MeshInstance) -> &Mesh {
        &self.meshes[instance.mesh.index()]
    }

    /// The paths of [`Asset::files`].
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// The skin of `instance`, if it has one.
    #[must_use]
    pub fn skin_of(&self, instance: &MeshInstance) -> Option<&Skin> {
        instance.skin.map(|skin| &self.skins[skin.index()])
    }

    /// Whether any instance has something to draw.
    #[must_use]
    pub fn has_triangles(&self) -> bool {
        let mut instances = self.instances.iter();
        instances.any(|instance| !self.mesh_of(instance).triangles.is_empty())
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
