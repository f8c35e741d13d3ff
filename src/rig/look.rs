//! What clips drive besides poses: the visibility of nodes and values of materials.

use glam::{Vec2, Vec4};
use serde::{Deserialize, Serialize};

use super::clip::keyed;
use super::{AlphaMode, InstanceId, Keyed, Material, MaterialId, NodeId, Track, UvTransform};

/// The tracks of a clip that do not move anything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LookChannels {
    /// At most one per node.
    pub visibility: Vec<VisibilityChannel>,
    /// At most one per material.
    pub materials: Vec<MaterialChannel>,
}

impl LookChannels {
    /// Whether there is no track.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.visibility.is_empty() && self.materials.is_empty()
    }

    /// All tracks: node by node, then material by material.
    pub fn tracks(&self) -> impl Iterator<Item = &dyn Keyed> {
        let visibility = self
            .visibility
            .iter()
            .map(|channel| &channel.visible as &dyn Keyed);
        visibility.chain(self.materials.iter().flat_map(MaterialChannel::tracks))
    }
}

/// Shows and hides a node and all below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VisibilityChannel {
    /// Which node.
    pub node: NodeId,
    /// Whether the node is visible; always steps.
    pub visible: Track<bool>,
}

/// Drives values of a material. Those without a track keep the material's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaterialChannel {
    /// Which material.
    pub material: MaterialId,
    /// See [`Material::base_color`].
    pub base_color: Option<Track<Vec4>>,
    /// The value of [`AlphaMode::Mask`]; without effect in the other modes.
    pub alpha_cutoff: Option<Track<f32>>,
    /// See [`UvTransform::offset`].
    pub uv_offset: Option<Track<Vec2>>,
    /// See [`UvTransform::rotation`].
    pub uv_rotation: Option<Track<f32>>,
    /// See [`UvTransform::scale`].
    pub uv_scale: Option<Track<Vec2>>,
}

impl MaterialChannel {
    /// A channel of `material`, without tracks.
    #[must_use]
    pub const fn of(material: MaterialId) -> Self {
        Self {
            material,
            base_color: None,
            alpha_cutoff: None,
            uv_offset: None,
            uv_rotation: None,
            uv_scale: None,
        }
    }

    fn tracks(&self) -> impl Iterator<Item = &dyn Keyed> {
        let tracks = [
            keyed(self.base_color.as_ref()),
            keyed(self.alpha_cutoff.as_ref()),
            keyed(self.uv_offset.as_ref()),
            keyed(self.uv_rotation.as_ref()),
            keyed(self.uv_scale.as_ref()),
        ];
        tracks.into_iter().flatten()
    }
}

/// What a pose shows besides its shape. The default shows every instance with the materials of the asset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// For each instance of the asset, whether it is hidden. Empty if none is.
    pub hidden: Vec<bool>,
    /// One per material of the asset. Empty if all are as in the asset.
    pub materials: Vec<MaterialValues>,
}

impl Look {
    /// Whether `instance` is drawn.
    #[must_use]
    #[inline]
    pub fn shows(&self, instance: InstanceId) -> bool {
        !self
            .hidden
            .get(instance.index())
            .is_some_and(|hidden| *hidden)
    }

    /// The values of `id`, which is `material` of the asset.
    #[must_use]
    pub fn values(&self, id: MaterialId, material: &Material) -> MaterialValues {
        let own = self.materials.get(id.index()).copied();
        own.unwrap_or_else(|| MaterialValues::of(material))
    }
}

/// The values of a material that a clip can drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialValues {
    /// Linear RGBA.
    pub base_color: Vec4,
    /// With the driven cutoff.
    pub alpha: AlphaMode,
    /// Of the base colour's texture.
    pub uv_transform: Option<UvTransform>,
}

impl MaterialValues {
    /// The values of the file.
    #[must_use]
    pub fn of(material: &Material) -> Self {
        Self {
            base_color: material.base_color,
            alpha: material.alpha,
            uv_transform: material.uv_transform,
        }
    }
}
