//! Mesh instances with a pose, checked to match.

use std::sync::Arc;

use glam::Mat4;

use crate::palette::{PaletteError, build_slots};
use crate::pose::ModelPose;
use crate::rig::{Asset, InstanceId, Mesh, MeshId, MeshInstance, Skin, SkinId, SkinSlot};

/// The maximum number of vertices of all instances together. Each takes 48 bytes for its position and directions, and
/// some 80 more while it is drawn, so this is 2 GiB.
pub const MAX_VERTICES: usize = 1 << 24;

/// A mesh instance in a pose. All slots that its vertices use are in the palette.
#[derive(Debug)]
pub(super) struct PosedInstance<'a> {
    pub(super) id: InstanceId,
    pub(super) mesh: &'a Mesh,
    /// What deforms it, if anything does.
    pub(super) skin: Option<PosedSkin<'a>>,
    pub(super) world_from_node: Mat4,
    /// One per target; targets past the end have weight 0.
    pub(super) morph_weights: &'a [f32],
}

/// A skin in a pose that has all its joints.
#[derive(Debug)]
pub(super) struct PosedSkin<'a> {
    pub(super) skin: &'a Skin,
    /// `world_from_mesh`, one per slot, up to the last that a vertex uses.
    pub(super) palette: Arc<[Mat4]>,
}

/// All instances of `asset` in `pose`, in order, one at a time.
///
/// * `largest_slot` – that the vertices of a mesh use, as [`largest_slot`] has it.
pub(super) fn posed_instances<'a>(
    asset: &'a Asset,
    pose: &'a ModelPose,
    largest_slot: impl Fn(MeshId) -> Option<SkinSlot>,
) -> Result<impl Iterator<Item = Result<PosedInstance<'a>, SkinningError>>, SkinningError> {
    check_size(asset)?;
    check_skeleton(asset, pose)?;
    let mut palettes = Palettes::new(asset, pose);
    let instances = asset.instances.iter().enumerate();
    Ok(instances.map(move |(index, instance)| {
        let id = InstanceId::from_index(index);
        let skin = instance.skin.map(|skin| {
            let largest = largest_slot(instance.mesh);
            palettes.posed_skin(skin, id, largest)
        });
        posed_instance(asset, pose, (id, instance), skin.transpose()?)
    }))
}

/// The largest slot that a vertex of `mesh` uses; `None` if none uses any.
pub(super) fn largest_slot(mesh: &Mesh) -> Option<SkinSlot> {
    let used = mesh.influences.all().iter();
    used.map(|influence| influence.slot).max()
}

fn posed_instance<'a>(
    asset: &'a Asset,
    pose: &'a ModelPose,
    (id, instance): (InstanceId, &'a MeshInstance),
    skin: Option<PosedSkin<'a>>,
) -> Result<PosedInstance<'a>, SkinningError> {
    let world_from_node = pose.nodes.get(instance.node.index()).copied();
    let morph_weights = pose.morph_weights.get(id.index());
    Ok(PosedInstance {
        id,
        mesh: asset.mesh_of(instance),
        skin,
        world_from_node: world_from_node.ok_or(SkinningError::UnknownNode { instance: id })?,
        morph_weights: morph_weights.unwrap_or(&instance.morph_weights),
    })
}

/// The palettes of the skins in a pose: instances share them.
struct Palettes<'a> {
    asset: &'a Asset,
    pose: &'a ModelPose,
    built: Vec<Option<Arc<[Mat4]>>>,
}

impl<'a> Palettes<'a> {
    fn new(asset: &'a Asset, pose: &'a ModelPose) -> Self {
        Self {
            asset,
            pose,
            built: vec![None; asset.skins.len()],
        }
    }

    fn posed_skin(
        &mut self,
        id: SkinId,
        instance: InstanceId,
        largest_slot: Option<SkinSlot>,
    ) -> Result<PosedSkin<'a>, SkinningError> {
        let skin = &self.asset[id];
        let slots = skin.joints.len();
        let used = largest_slot.map_or(0, |slot| slot.index() + 1);
        if let Some(slot) = largest_slot.filter(|_| used > slots) {
            return Err(SkinningError::UnknownSlot {
                instance,
                slot,
                slots,
            });
        }
        let palette = match &self.built[id.index()] {
            // Another mesh of the same skin may use more slots; then the palette is built again, longer.
            Some(palette) if palette.len() >= used => Arc::clone(palette),
            _ => build_slots(skin, self.pose, used)
                .map_err(|source| SkinningError::Palette { instance, source })?
                .0
                .into(),
        };
        self.built[id.index()] = Some(Arc::clone(&palette));
        Ok(PosedSkin { skin, palette })
    }
}

/// With equally many nodes, the pose of another skeleton cannot be told from one of this.
fn check_skeleton(asset: &Asset, pose: &ModelPose) -> Result<(), SkinningError> {
    let (posed, nodes) = (pose.nodes.len(), asset.skeleton.len());
    if posed == nodes {
        Ok(())
    } else {
        Err(SkinningError::OtherSkeleton { posed, nodes })
    }
}

fn check_size(asset: &Asset) -> Result<(), SkinningError> {
    let counts = asset
        .instances
        .iter()
        .map(|i| asset.mesh_of(i).positions.len());
    let vertices = counts.fold(0, usize::saturating_add);
    let limit = MAX_VERTICES;
    if vertices > limit {
        return Err(SkinningError::TooManyVertices { vertices, limit });
    }
    Ok(())
}

/// The reason why a mesh could not be skinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinningError {
    /// The skin of an instance does not fit the pose.
    #[error("mesh instance {instance} cannot be posed")]
    Palette {
        /// Which instance.
        instance: InstanceId,
        /// The mismatch.
        source: PaletteError,
    },
    /// The pose is of another skeleton.
    #[error("the pose has {posed} nodes, but the skeleton has {nodes}")]
    OtherSkeleton {
        /// The number of nodes in the pose.
        posed: usize,
        /// The number of nodes of the asset.
        nodes: usize,
    },
    /// The asset lacks the node of an instance; [validated](Asset::validate) assets do not.
    #[error("the skeleton lacks the node of mesh instance {instance}")]
    UnknownNode {
        /// Which instance.
        instance: InstanceId,
    },
    /// A vertex refers to a palette slot that its skin does not have.
    #[error("mesh instance {instance} uses palette slot {slot}, but its skin has {slots}")]
    UnknownSlot {
        /// Which instance.
        instance: InstanceId,
        /// The missing slot.
        slot: SkinSlot,
        /// The number of slots.
        slots: usize,
    },
    /// Instances multiply meshes; so many vertices would not fit in memory.
    #[error("the instances have {vertices} vertices in total; the limit is {limit}")]
    TooManyVertices {
        /// The number of vertices.
        vertices: usize,
        /// The largest number that is skinned.
        limit: usize,
    },
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{Influence, Influences, LocalTransform, NodeId, SkinningOptions};
    use crate::skinning::{deform, reference};

    /// One vertex on slot `slot` of a skin of one joint, and `instances` of it.
    fn asset(slot: u32, instances: usize) -> Asset {
        let rest = LocalTransform::Matrix(Mat4::IDENTITY);
        let mut asset = asset_of(vec![
            named_joint("a", None, rest),
            named_joint("b", None, rest),
        ]);
        asset.meshes.push(Mesh {
            positions: vec![Vec3::ZERO],
            influences: Influences::from_vertices([[Influence {
                slot: SkinSlot(slot),
                weight: 1.0,
            }]]),
            ..Mesh::default()
        });
        asset.skins.push(Skin {
            name: String::new(),
            joints: vec![NodeId(1)],
            inverse_bind_matrices: vec![Mat4::IDENTITY],
        });
        let instance = MeshInstance {
            node: NodeId(0),
            mesh: MeshId(0),
            skin: Some(SkinId(0)),
            morph_weights: vec![],
        };
        asset.instances = vec![instance; instances];
        asset
    }

    /// Both paths return the same error.
    fn error(asset: &Asset, joints: usize) -> SkinningError {
        let pose = ModelPose {
            nodes: vec![Mat4::IDENTITY; joints],
            ..ModelPose::default()
        };
        let options = SkinningOptions::default();
        let error = deform(asset, &pose, &options).unwrap_err();
        assert_eq!(
            error,
            reference::deform(asset, &pose, &options).unwrap_err()
        );
        error
    }

    #[test]
    fn a_pose_of_another_skeleton_is_an_error() {
        for posed in [1, 3] {
            let expected = SkinningError::OtherSkeleton { posed, nodes: 2 };
            assert_eq!(error(&asset(0, 1), posed), expected);
        }
    }

    #[test]
    fn a_node_that_the_skeleton_lacks_is_an_error() {
        let instance = InstanceId(0);
        let (joint, joint_count) = (NodeId(2), 2);
        let mut bound = asset(0, 1);
        bound.skins[0].joints[0] = joint;
        let source = PaletteError::UnknownJoint { joint, joint_count };
        assert_eq!(
            error(&bound, 2),
            SkinningError::Palette { instance, source }
        );
        let mut rigid = asset(0, 1);
        rigid.instances[0].skin = None;
        rigid.instances[0].node = joint;
        assert_eq!(error(&rigid, 2), SkinningError::UnknownNode { instance });
    }

    #[test]
    fn a_slot_that_the_skin_lacks_is_an_error() {
        let instance = InstanceId(0);
        let expected = SkinningError::UnknownSlot {
            instance,
            slot: SkinSlot(3),
            slots: 1,
        };
        assert_eq!(error(&asset(3, 1), 2), expected);
    }

    #[test]
    fn instances_that_multiply_a_mesh_beyond_memory_are_an_error() {
        let mut asset = asset(0, 1 << 10);
        asset.meshes[0].positions = vec![Vec3::ZERO; (1 << 14) + 1];
        let vertices = (1 << 24) + (1 << 10);
        let limit = MAX_VERTICES;
        assert_eq!(
            error(&asset, 2),
            SkinningError::TooManyVertices { vertices, limit }
        );
    }
}
