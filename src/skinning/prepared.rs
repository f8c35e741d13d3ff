//! Skinning in many poses.

use std::sync::{Arc, OnceLock};

use super::arranged::Arranged;
use super::distinct::DistinctPositions;
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::{SkinningError, blend, morph, places, weights};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, Influences, Mesh, MeshId, MeshInstance, SkinningOptions};

/// What skinning works out of an asset but not of its pose: made once, it serves for any number of poses, from several
/// threads at a time.
#[derive(Debug)]
pub struct Prepared {
    options: SkinningOptions,
    /// One a mesh: the weights that are blended.
    influences: Vec<OnceLock<Influences>>,
    /// One a mesh.
    largest_slots: Vec<OnceLock<Option<u32>>>,
    /// One a mesh.
    arranged: Vec<OnceLock<Arranged>>,
    /// Of what follows a node.
    unweighted: Influences,
}

/// An instance in a pose, and its mesh.
pub(super) type Instance<'a> = (PosedInstance<'a>, MeshId);

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
            arranged: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            unweighted: Influences::default(),
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
        let meshes = self.posed(asset, pose)?;
        meshes
            .map(|posed| Ok(self.instance(posed?, attributes)))
            .collect()
    }

    /// Where the vertices of the instances that are `wanted` are, in order: bit by bit where [`deform`](Self::deform) has
    /// them.
    ///
    /// * `asset` – as in [`Prepared::new`].
    ///
    /// # Errors
    ///
    /// As [`deform`](super::deform).
    pub fn distinct_positions(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        wanted: impl Fn(&MeshInstance) -> bool,
    ) -> Result<Vec<DistinctPositions<'_>>, SkinningError> {
        let meshes = asset.instances.iter().zip(self.posed(asset, pose)?);
        meshes
            .filter(|(instance, _)| wanted(instance))
            .map(|(_, posed)| Ok(self.distinct_positions_of(posed?)))
            .collect()
    }

    /// For each vertex of a mesh the number of its kind: those of one kind are at one place in every pose.
    #[must_use]
    pub fn kinds(&self, asset: &Asset, mesh: MeshId) -> &[u32] {
        &self.arranged(&asset.meshes[mesh.index()], mesh).kinds
    }

    /// All instances, with their meshes.
    pub(super) fn posed<'a>(
        &self,
        asset: &'a Asset,
        pose: &'a ModelPose,
    ) -> Result<impl Iterator<Item = Result<Instance<'a>, SkinningError>>, SkinningError> {
        let slot = |mesh: MeshId| {
            let slot = || largest_slot(&asset.meshes[mesh.index()]);
            *self.largest_slots[mesh.index()].get_or_init(slot)
        };
        let instances = posed_instances(asset, pose, slot)?.zip(&asset.instances);
        Ok(instances.map(|(posed, instance)| Ok((posed?, instance.mesh))))
    }

    fn instance(&self, (instance, mesh): Instance<'_>, attributes: Attributes) -> DeformedMesh {
        let vertices = morph::morph(instance.mesh, instance.morph_weights, attributes);
        let skinned = blend::skin(&self.job(&instance, mesh, &vertices));
        DeformedMesh {
            instance: instance.id,
            positions: skinned.positions,
            normals: skinned.normals,
            tangents: skinned.tangents,
            bitangents: skinned.bitangents,
        }
    }

    fn distinct_positions_of(&self, (instance, mesh): Instance<'_>) -> DistinctPositions<'_> {
        let arranged = self.arranged(instance.mesh, mesh);
        let positions = Attributes::Positions;
        let vertices = morph::morph(instance.mesh, instance.morph_weights, positions);
        let job = self.job(&instance, mesh, &vertices);
        DistinctPositions {
            instance: instance.id,
            distinct: places::places(&job, &arranged.vertices),
            kinds: &arranged.kinds,
            palette: instance.skin.map_or_else(Arc::default, |skin| skin.palette),
        }
    }

    fn job<'a>(
        &'a self,
        instance: &'a PosedInstance<'_>,
        mesh: MeshId,
        vertices: &'a morph::Vertices<'a>,
    ) -> blend::Job<'a> {
        let skin = instance.skin.as_ref();
        let weighted = skin.and_then(|_| self.influences(instance.mesh, mesh));
        blend::Job {
            vertices,
            influences: weighted.unwrap_or(&self.unweighted),
            palette: skin.map_or(&[], |skin| &skin.palette),
            world_from_node: instance.world_from_node,
        }
    }

    fn arranged(&self, mesh: &Mesh, id: MeshId) -> &Arranged {
        self.arranged[id.index()].get_or_init(|| Arranged::of(mesh))
    }

    fn influences(&self, mesh: &Mesh, id: MeshId) -> Option<&Influences> {
        let influences = self.influences.get(id.index())?;
        let effective = || weights::effective(&mesh.influences, self.options);
        Some(influences.get_or_init(effective))
    }
}
