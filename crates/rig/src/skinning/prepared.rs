//! Skinning of one asset in many poses, and the vertices that skinning can distinguish.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use glam::{Mat4, Vec3};

use super::dual_quaternion::DualQuaternions;
use super::kernel::{self, Skinned};
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::{SkinningError, morph, weights};
use crate::pose::ModelPose;
use crate::rig::{
    Asset, DeformedMesh, Influence, Influences, InstanceId, Mesh, MeshId, MeshInstance, SkinSlot,
    SkinningMethod, SkinningOptions,
};

/// Skins an asset in any number of poses, from several threads at a time. Everything that does not depend on the pose
/// is computed once.
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
    /// # mod skincheck { pub use skincheck_rig::{pose, rig, skinning, units}; }
    /// # let asset = skincheck::rig::leg();
    /// use skincheck::pose::{self, ModelPose, Pose, Sampler};
    /// use skincheck::skinning::{Attributes, Prepared};
    /// use skincheck::{rig::SkinningOptions, units::Seconds};
    ///
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
#[doc(hidden)]
pub struct PreparedMeshes {
    options: SkinningOptions,
    /// One entry per mesh.
    meshes: Vec<PreparedMesh>,
}

/// What does not depend on the pose, each computed at its first use. That is done on the calling thread: others wait for it
/// inside a lock, and a work-stealing pool could run one of those here and deadlock.
#[derive(Debug, Default)]
struct PreparedMesh {
    influences: OnceLock<Influences>,
    largest_slot: OnceLock<Option<SkinSlot>>,
    arranged: OnceLock<Arranged>,
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
    #[doc(hidden)]
    #[must_use]
    pub fn new(asset: &Asset, options: SkinningOptions) -> Self {
        Self {
            options,
            meshes: asset
                .meshes
                .iter()
                .map(|_| PreparedMesh::default())
                .collect(),
        }
    }

    /// Like [`deform`](super::deform).
    ///
    /// * `asset` – as in [`PreparedMeshes::new`].
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    #[doc(hidden)]
    pub fn deform(
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
    #[doc(hidden)]
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
    #[doc(hidden)]
    #[must_use]
    pub fn kinds(&self, asset: &Asset, mesh: MeshId) -> &[u32] {
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
            let prepared = &self.meshes[mesh.index()];
            *prepared.largest_slot.get_or_init(slot)
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
        let skin = instance.skin.as_ref();
        let skinned = if let Some(dual) = DualQuaternions::of(&instance, self.options) {
            dual.skin(&vertices, &all(own))
        } else {
            let job = kernel::Job {
                vertices: &vertices,
                which: None,
                influences: skin.map(|_| self.influences(own, mesh)),
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
        let vertices = morph::morph(own, instance.morph_weights, Attributes::Positions);
        let skin = instance.skin.as_ref();
        let skinned = if let Some(dual) = DualQuaternions::of(&instance, self.options) {
            dual.skin(&vertices, which)
        } else {
            let job = kernel::Job {
                vertices: &vertices,
                which: Some(which),
                influences: skin.map(|_| self.influences(own, mesh)),
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

    /// The influences that skinning blends.
    fn influences(&self, mesh: &Mesh, id: MeshId) -> &Influences {
        let effective = || weights::effective(&mesh.influences, self.options);
        self.meshes[id.index()].influences.get_or_init(effective)
    }

    fn arranged(&self, mesh: &Mesh, id: MeshId) -> &Arranged {
        self.meshes[id.index()]
            .arranged
            .get_or_init(|| Arranged::of(mesh))
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

/// The vertices of a mesh without the duplicates that skinning cannot distinguish; a mesh has such vertices where
/// normals or texture coordinates differ. A vertex is compared only with the first one at its position, so some
/// duplicates may remain.
///
/// Three real characters, repeated up to 100,000 vertices, have 31 to 48 % duplicates; their positions take 0.33 to 0.39 ms
/// instead of 0.51 to 0.69 ms.
#[derive(Debug, PartialEq, Eq)]
struct Arranged {
    /// The first vertex of each kind, in order.
    vertices: Vec<u32>,
    /// For each vertex, the index of its kind in `vertices`.
    kinds: Vec<u32>,
}

impl Arranged {
    /// Computes it for `mesh`.
    fn of(mesh: &Mesh) -> Self {
        let (vertices, kinds) = firsts(mesh);
        Self { vertices, kinds }
    }
}

/// The first vertex of each kind, in order, and for each vertex its kind.
fn firsts(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
    let count = mesh.positions.len();
    let mut at_position: HashMap<[u32; 3], u32> = HashMap::with_capacity(count);
    let (mut firsts, mut kinds) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut next = 0;
    for (vertex, position) in (0..).zip(&mesh.positions) {
        let kind = at_position.entry(position.to_array().map(f32::to_bits));
        let kind = *kind.or_insert(next);
        match firsts.get(kind as usize) {
            // Comparing with the first vertex at a position only keeps the time linear, at the price of some
            // duplicates.
            Some(first) if alike(mesh, *first, vertex) => kinds.push(kind),
            _ => {
                kinds.push(next);
                firsts.push(vertex);
                next += 1;
            }
        }
    }
    (firsts, kinds)
}

/// Whether everything that moves two vertices is equal to the bit.
fn alike(mesh: &Mesh, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    let weighted = |vertex: usize| mesh.influences.of(vertex).iter().copied().map(bits);
    let mut targets = mesh.morph_targets.iter();
    let share = |vertex| mesh.dual_quaternion_share(vertex, SkinningMethod::AsInFile);
    weighted(a).eq(weighted(b))
        && share(a).to_bits() == share(b).to_bits()
        && targets.all(|target| {
            let offset = |vertex: usize| {
                let offset = target.positions.get(vertex);
                offset.map(|offset| offset.to_array().map(f32::to_bits))
            };
            offset(a) == offset(b)
        })
}

fn bits(influence: Influence) -> (u32, u32) {
    (influence.slot.0, influence.weight.to_bits())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{MorphTarget, SkinSlot};

    /// Vertices at `positions`; the last one has a slot and an offset of its own.
    fn mesh(positions: &[f32], slot: u32, offset: f32) -> Mesh {
        let last = positions.len() - 1;
        let influence = |vertex: usize| Influence {
            slot: SkinSlot(if vertex == last { slot } else { 0 }),
            weight: 1.0,
        };
        let mut offsets = vec![Vec3::ZERO; positions.len()];
        offsets[last].x = offset;
        Mesh {
            positions: positions.iter().map(|x| Vec3::X * *x).collect(),
            influences: Influences::from_vertices((0..positions.len()).map(|v| [influence(v)])),
            morph_targets: vec![MorphTarget {
                positions: offsets,
                ..MorphTarget::default()
            }],
            ..Mesh::default()
        }
    }

    #[test]
    fn identical_vertices_are_skinned_once() {
        let arranged = Arranged::of(&mesh(&[1.0, 2.0, 1.0, 2.0], 0, 0.0));
        assert_eq!(arranged.vertices, [0, 1]);
        assert_eq!(arranged.kinds, [0, 1, 0, 1]);
    }

    #[test]
    fn weights_and_offsets_distinguish_vertices() {
        for (slot, offset) in [(1, 0.0), (0, 0.5), (0, -0.0)] {
            let arranged = Arranged::of(&mesh(&[1.0, 1.0, 2.0, 1.0], slot, offset));
            assert_eq!(arranged.vertices, [0, 2, 3]);
            assert_eq!(arranged.kinds, [0, 0, 1, 2]);
        }
    }

    #[test]
    fn zeros_of_either_sign_are_two() {
        assert_eq!(Arranged::of(&mesh(&[0.0, -0.0], 0, 0.0)).vertices, [0, 1]);
    }
}
