//! Skinning in many poses.

use std::sync::OnceLock;

use super::arranged::Arranged;
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::{SkinningError, blend, morph, places, weights};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, Influences, Mesh, MeshId, SkinningOptions};

/// What skinning works out of an asset but not of its pose: made once, it serves for any number of poses, from several
/// threads at a time.
#[derive(Debug)]
pub struct Prepared {
    options: SkinningOptions,
    /// One a mesh: the weights that are blended.
    influences: Vec<OnceLock<Influences>>,
    /// One a mesh.
    largest_slots: Vec<OnceLock<Option<u32>>>,
    /// One a mesh; none if it is not for many poses.
    arranged: Vec<OnceLock<Arranged>>,
}

/// What of the vertices is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes {
    /// Everything that the mesh has.
    All,
    /// Positions and normals; all other attributes come out empty.
    Normals,
    /// Positions; all other attributes come out empty.
    Positions,
}

impl Prepared {
    /// For `asset`, and no other.
    #[must_use]
    pub fn new(asset: &Asset, options: &SkinningOptions) -> Self {
        Self {
            options: *options,
            influences: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            largest_slots: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            arranged: Vec::new(),
        }
    }

    /// As [`Prepared::new`], for so many poses that it pays to arrange the vertices for it. What comes out
    /// is the same to the bit.
    #[must_use]
    pub fn for_many_poses(asset: &Asset, options: &SkinningOptions) -> Self {
        Self {
            arranged: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            ..Self::new(asset, options)
        }
    }

    /// As [`deform`](super::deform).
    ///
    /// * `asset` – as in [`Prepared::new`].
    ///
    /// # Errors
    ///
    /// As [`deform`](super::deform).
    pub fn deform(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        attributes: Attributes,
    ) -> Result<Vec<DeformedMesh>, SkinningError> {
        let slot = |mesh: MeshId| {
            let slot = || largest_slot(&asset.meshes[mesh.index()]);
            *self.largest_slots[mesh.index()].get_or_init(slot)
        };
        let meshes = posed_instances(asset, pose, slot)?.zip(&asset.instances);
        meshes
            .map(|(posed, instance)| Ok(self.instance(&posed?, instance.mesh, attributes)))
            .collect()
    }

    fn instance(
        &self,
        instance: &PosedInstance<'_>,
        mesh: MeshId,
        attributes: Attributes,
    ) -> DeformedMesh {
        let skin = instance.skin.as_ref();
        let weighted = skin.and_then(|_| self.influences(instance.mesh, mesh));
        let (vertices, none) = (
            morph::morph(instance.mesh, instance.morph_weights, attributes),
            Influences::default(),
        );
        let job = blend::Job {
            vertices: &vertices,
            influences: weighted.unwrap_or(&none),
            palette: skin.map_or(&[], |skin| &skin.palette),
            world_from_node: instance.world_from_node,
        };
        let arranged = match attributes {
            Attributes::Positions => self.arranged(instance.mesh, mesh),
            _ => None,
        };
        let skinned = arranged.map_or_else(|| blend::skin(&job), |order| positions(&job, order));
        DeformedMesh {
            instance: instance.id,
            positions: skinned.positions,
            normals: skinned.normals,
            tangents: skinned.tangents,
            bitangents: skinned.bitangents,
        }
    }

    fn arranged(&self, mesh: &Mesh, id: MeshId) -> Option<&Arranged> {
        let arranged = self.arranged.get(id.index())?;
        Some(arranged.get_or_init(|| Arranged::of(mesh)))
    }

    fn influences(&self, mesh: &Mesh, id: MeshId) -> Option<&Influences> {
        let influences = self.influences.get(id.index())?;
        let effective = || weights::effective(&mesh.influences, self.options);
        Some(influences.get_or_init(effective))
    }
}

/// Positions alone, of each kind of vertex once.
fn positions(job: &blend::Job<'_>, arranged: &Arranged) -> blend::Skinned {
    let places = places::places(job, &arranged.vertices);
    let kinds = arranged.kinds.iter();
    blend::Skinned {
        positions: kinds.map(|kind| places[*kind as usize]).collect(),
        ..blend::Skinned::default()
    }
}
