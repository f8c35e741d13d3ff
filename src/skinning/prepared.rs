//! Skinning of one asset in many poses.

use std::sync::{Arc, OnceLock};

use glam::{Mat4, Vec3};

use super::dual_quaternion::DualQuaternions;
use super::kernel::Skinned;
use super::packed::{Arranged, Packed};
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::{SkinningError, kernel, morph};
use crate::pose::ModelPose;
use crate::rig::{
    Asset, DeformedMesh, InstanceId, Mesh, MeshId, MeshInstance, SkinSlot, SkinningOptions,
};

/// Skins an asset in any number of poses, from several threads at a time. What does not depend on the pose is computed
/// once.
#[derive(Debug)]
pub struct Prepared<'a> {
    asset: &'a Asset,
    meshes: PreparedMeshes,
}

impl<'a> Prepared<'a> {
    /// Computes nothing yet: each mesh is prepared when it is first skinned.
    #[must_use]
    pub fn new(asset: &'a Asset, options: &SkinningOptions) -> Self {
        Self {
            asset,
            meshes: PreparedMeshes::new(asset, *options),
        }
    }

    /// Like [`deform`](super::deform).
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    pub fn deform(
        &self,
        pose: &ModelPose,
        attributes: Attributes,
    ) -> Result<Vec<DeformedMesh>, SkinningError> {
        self.meshes.deform(self.asset, pose, attributes)
    }

    /// Like [`deform`](Self::deform), into the meshes of an earlier pose: their buffers are used again. Only palettes are
    /// allocated, and vertices that morph targets or dual quaternions move.
    ///
    /// * `meshes` – of any asset and length. After an error their contents mean nothing.
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    ///
    /// # Example
    ///
    /// ```
    /// use skincheck::pose::{self, ModelPose, Pose, Sampler};
    /// use skincheck::skinning::{Attributes, Prepared};
    /// use skincheck::{import, rig::SkinningOptions, units::Seconds};
    ///
    /// let asset = import::load("fixtures/arm.gltf".as_ref(), &import::Options::default())?;
    /// let prepared = Prepared::new(&asset, &SkinningOptions::default());
    /// let mut sampler = Sampler::new(&asset, &asset.clips[0]);
    /// let (mut local, mut world, mut meshes) = (Pose::default(), ModelPose::default(), Vec::new());
    /// for frame in 0..30 {
    ///     sampler.at_into(Seconds(f64::from(frame) / 30.0), &mut local)?;
    ///     pose::model_pose_into(&asset, &local, &mut world);
    ///     prepared.deform_into(&world, Attributes::All, &mut meshes)?;
    ///     assert_eq!(meshes[0].positions.len(), asset.meshes[0].positions.len());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deform_into(
        &self,
        pose: &ModelPose,
        attributes: Attributes,
        meshes: &mut Vec<DeformedMesh>,
    ) -> Result<(), SkinningError> {
        self.meshes
            .deform_into(self.asset, pose, attributes, meshes)
    }
}

/// The part of [`Prepared`] that can be stored next to its asset.
#[derive(Debug)]
pub(crate) struct PreparedMeshes {
    options: SkinningOptions,
    /// One entry per mesh: the influences of all vertices.
    influences: Vec<OnceLock<Packed>>,
    /// One entry per mesh: the influences of one vertex of each kind.
    distinct_influences: Vec<OnceLock<Packed>>,
    /// One entry per mesh.
    largest_slots: Vec<OnceLock<Option<SkinSlot>>>,
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

impl PreparedMeshes {
    /// For use with `asset` only.
    pub(crate) fn new(asset: &Asset, options: SkinningOptions) -> Self {
        Self {
            options,
            influences: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            distinct_influences: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            largest_slots: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
            arranged: asset.meshes.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Like [`deform`](super::deform).
    ///
    /// * `asset` – as in [`PreparedMeshes::new`].
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    pub(crate) fn deform(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        attributes: Attributes,
    ) -> Result<Vec<DeformedMesh>, SkinningError> {
        let mut meshes = Vec::new();
        self.deform_into(asset, pose, attributes, &mut meshes)?;
        Ok(meshes)
    }

    fn deform_into(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        attributes: Attributes,
        meshes: &mut Vec<DeformedMesh>,
    ) -> Result<(), SkinningError> {
        let posed = self.posed(asset, pose)?;
        let empty = || Skinned::default().of(InstanceId(0));
        meshes.resize_with(asset.instances.len(), empty);
        for (mesh, posed) in meshes.iter_mut().zip(posed) {
            *mesh = self.instance(posed?, attributes, Skinned::reusing(mesh));
        }
        Ok(())
    }

    /// The vertex positions of the instances that `wanted` selects, in order, with the bits of
    /// [`deform`](Self::deform).
    ///
    /// * `asset` – as in [`PreparedMeshes::new`].
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    pub(crate) fn distinct_positions(
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
    pub(crate) fn kinds(&self, asset: &Asset, mesh: MeshId) -> &[u32] {
        &self.arranged(&asset[mesh], mesh).kinds
    }

    /// All instances, with their meshes.
    pub(super) fn posed<'a>(
        &self,
        asset: &'a Asset,
        pose: &'a ModelPose,
    ) -> Result<impl Iterator<Item = Result<Instance<'a>, SkinningError>>, SkinningError> {
        let slot = |mesh: MeshId| {
            let slot = || largest_slot(&asset[mesh]);
            *self.largest_slots[mesh.index()].get_or_init(slot)
        };
        let instances = posed_instances(asset, pose, slot)?.zip(&asset.instances);
        Ok(instances.map(|(posed, instance)| Ok((posed?, instance.mesh))))
    }

    pub(super) fn instance(
        &self,
        (instance, mesh): Instance<'_>,
        attributes: Attributes,
        reused: Skinned,
    ) -> DeformedMesh {
        let own = instance.mesh;
        let vertices = morph::morph(own, instance.morph_weights, attributes);
        let packed = || Packed::of(&own.influences, self.options, own.positions.len(), |v| v);
        let skin = instance.skin.as_ref();
        let skinned = if let Some(dual) = DualQuaternions::of(&instance, self.options) {
            dual.skin(&vertices, &all(own))
        } else {
            let job = kernel::Job {
                vertices: &vertices,
                which: None,
                influences: skin.map(|_| self.influences[mesh.index()].get_or_init(packed)),
                palette: skin.map_or(&[], |skin| &skin.palette),
                world_from_node: instance.world_from_node,
            };
            kernel::skin(&job, reused)
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
        let skinned = if let Some(dual) = DualQuaternions::of(&instance, self.options) {
            dual.skin(&vertices, which)
        } else {
            let job = kernel::Job {
                vertices: &vertices,
                which: Some(which),
                influences: skin
                    .map(|_| self.distinct_influences[mesh.index()].get_or_init(packed)),
                palette: skin.map_or(&[], |skin| &skin.palette),
                world_from_node: instance.world_from_node,
            };
            kernel::skin(&job, Skinned::default())
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

/// The positions of a mesh instance in a pose, in world space.
///
/// A mesh repeats a vertex where normals or texture coordinates differ; here it is stored once. For callers that sample
/// many poses: cheaper than a [`DeformedMesh`].
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctPositions<'a> {
    /// The index of the instance in the asset.
    pub instance: InstanceId,
    /// Without duplicates, in an order of their own.
    pub distinct: Vec<Vec3>,
    /// For each vertex of the mesh, the index of its position in `distinct`.
    pub kinds: &'a [u32],
    /// The `world_from_mesh` of each slot of the skin; empty without one.
    pub palette: Arc<[Mat4]>,
}

impl DistinctPositions<'_> {
    /// The position of a vertex of the mesh.
    ///
    /// # Panics
    ///
    /// If the mesh has no such vertex.
    #[must_use]
    #[inline]
    pub fn at(&self, vertex: usize) -> Vec3 {
        self.distinct[self.kinds[vertex] as usize]
    }

    /// The positions of all vertices of the mesh, in order.
    pub fn iter(&self) -> impl Iterator<Item = Vec3> {
        let kinds = self.kinds.iter();
        kinds.map(|kind| self.distinct[*kind as usize])
    }
}
