//! Skinning of one asset in many poses.

use std::sync::{Arc, OnceLock};

use super::arranged::Arranged;
use super::distinct::DistinctPositions;
use super::dual_quaternion::DualQuaternions;
use super::packed::Packed;
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::{SkinningError, kernel, morph};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, JointId, Mesh, MeshId, MeshInstance, SkinningOptions};

/// The part of skinning that does not depend on the pose. Computed once, it serves any number of poses, from several
/// threads at a time.
#[derive(Debug)]
pub struct Prepared {
    options: SkinningOptions,
    /// One entry per mesh: the influences of all vertices.
    influences: Vec<OnceLock<Packed>>,
    /// One entry per mesh: the influences of one vertex of each kind.
    distinct_influences: Vec<OnceLock<Packed>>,
    /// One entry per mesh.
    largest_slots: Vec<OnceLock<Option<JointId>>>,
    /// One entry per mesh.
    arranged: Vec<OnceLock<Arranged>>,
}

/// An instance in a pose, and its mesh.
pub(super) type Instance<'a> = (PosedInstance<'a>, MeshId);

/// The attributes to skin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes {
    /// Every attribute of the mesh.
    All,
    /// Positions and normals; all other attributes stay empty.
    Normals,
    /// Positions; all other attributes stay empty.
    Positions,
}

impl Prepared {
    /// For use with `asset` only.
    #[must_use]
    pub fn new(asset: &Asset, options: &SkinningOptions) -> Self {
        Self {
            options: *options,
            influences: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            distinct_influences: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            largest_slots: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            arranged: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
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

    /// The vertex positions of the instances that `wanted` selects, in order, with the bits of
    /// [`deform`](Self::deform).
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

    /// For each vertex of a mesh, the index of its kind. Vertices of one kind share a position in every pose.
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

    pub(super) fn instance(
        &self,
        (instance, mesh): Instance<'_>,
        attributes: Attributes,
    ) -> DeformedMesh {
        let own = instance.mesh;
        let vertices = morph::morph(own, instance.morph_weights, attributes);
        let packed = || Packed::of(&own.influences, self.options, own.positions.len(), |v| v);
        let skin = instance.skin.as_ref();
        let skinned = match DualQuaternions::of(&instance, self.options) {
            Some(dual) => dual.skin(&vertices, &all(own)),
            None => kernel::skin(&kernel::Job {
                vertices: &vertices,
                which: None,
                influences: skin.map(|_| self.influences[mesh.index()].get_or_init(packed)),
                palette: skin.map_or(&[], |skin| &skin.palette),
                world_from_node: instance.world_from_node,
            }),
        };
        skinned.of(instance.id)
    }

    fn distinct_positions_of(&self, (instance, mesh): Instance<'_>) -> DistinctPositions<'_> {
        let own = instance.mesh;
        let Arranged {
            vertices: which,
            kinds,
        } = self.arranged(own, mesh);
        // Indexed by distinct vertex, as the kernel asks for them.
        let packed = || {
            let vertex = |index: usize| which[index] as usize;
            Packed::of(&own.influences, self.options, which.len(), vertex)
        };
        let vertices = morph::morph(own, instance.morph_weights, Attributes::Positions);
        let skin = instance.skin.as_ref();
        let skinned = match DualQuaternions::of(&instance, self.options) {
            Some(dual) => dual.skin(&vertices, which),
            None => kernel::skin(&kernel::Job {
                vertices: &vertices,
                which: Some(which),
                influences: skin
                    .map(|_| self.distinct_influences[mesh.index()].get_or_init(packed)),
                palette: skin.map_or(&[], |skin| &skin.palette),
                world_from_node: instance.world_from_node,
            }),
        };
        DistinctPositions {
            instance: instance.id,
            distinct: skinned.positions,
            kinds,
            palette: instance.skin.map_or_else(Arc::default, |skin| skin.palette),
        }
    }

    fn arranged(&self, mesh: &Mesh, id: MeshId) -> &Arranged {
        self.arranged[id.index()].get_or_init(|| Arranged::of(mesh))
    }
}

/// A list of all vertices of a mesh.
fn all(mesh: &Mesh) -> Vec<u32> {
    (0..).take(mesh.positions.len()).collect()
}
