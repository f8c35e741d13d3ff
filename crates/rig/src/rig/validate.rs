//! Checks the invariants of [`Asset`] that its types cannot express.
//!
//! Later stages index without checking. Every asset from an importer, or from the importing process, passes here first.

use super::{
    Asset, Blending, Clip, Humanoid, Keyed, Mesh, MeshInstance, MorphTarget, NodeId, Skin,
};

/// A violated invariant, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {what}")]
pub struct AssetError {
    /// Such as `mesh 3`.
    pub location: String,
    /// Such as `a triangle names vertex 17 of 12`.
    pub what: String,
}

type Check = Result<(), AssetError>;

impl Asset {
    /// Checks that every index is in range and that lists have matching lengths.
    ///
    /// Values are not checked: rules report NaN, negative weights and the like.
    ///
    /// # Errors
    ///
    /// The first violated invariant.
    pub fn validate(&self) -> Check {
        each("mesh", &self.meshes, |mesh| self.check_mesh(mesh))?;
        each("skin", &self.skins, |skin| self.check_skin(skin))?;
        each("instance", &self.instances, |instance| {
            self.check_instance(instance)
        })?;
        let known = |node: &NodeId| in_range("a node", node.index(), self.skeleton.len());
        each("hidden node", &self.hidden_nodes, known)?;
        each("hidden instance", &self.hidden_instances, |instance| {
            in_range("an instance", instance.index(), self.instances.len())
        })?;
        let stated: Vec<&NodeId> = self.humanoid.iter().flat_map(Humanoid::nodes).collect();
        each("node of the humanoid", &stated, |node| known(node))?;
        each("expression", &self.expressions, |expression| {
            let mut binds = expression.binds.iter();
            binds.try_for_each(|bind| {
                in_range("an instance", bind.instance.index(), self.instances.len())?;
                let mesh = self.mesh_of(&self[bind.instance]);
                in_range("a target", bind.target, mesh.morph_targets.len())
            })
        })?;
        each("constraint", &self.constraints, |constraint| {
            let nodes = self.skeleton.len();
            in_range("a node", constraint.node.index(), nodes)?;
            in_range("a source", constraint.source.index(), nodes)
        })?;
        each("clip", &self.clips, |clip| self.check_clip(clip))?;
        each("material", &self.materials, |material| {
            let mut textures = material.textures();
            textures.try_for_each(|texture| {
                in_range("an image", texture.image.index(), self.images.len())
            })
        })?;
        each("image", &self.images, |image| match &image.data {
            super::ImageData::Bitmap(bitmap) => {
                let texels = u64::from(bitmap.width) * u64::from(bitmap.height);
                let (stored, rest) = (bitmap.rgba.len() / 4, bitmap.rgba.len() % 4);
                let fits = texels > 0 && texels == stored as u64 && rest == 0;
                ensure(fits, || "its size and its bytes disagree".to_owned())
            }
            _ => Ok(()),
        })
    }

    fn check_mesh(&self, mesh: &Mesh) -> Result<(), String> {
        let vertices = mesh.positions.len();
        let attribute = |name: &str, len: usize| {
            let fits = len == 0 || len == vertices;
            ensure(fits, || format!("{len} {name} for {vertices} vertices"))
        };
        attribute("normals", mesh.normals.len())?;
        attribute("tangents", mesh.tangents.len())?;
        attribute("bitangents", mesh.bitangents.len())?;
        attribute("lists of influences", mesh.influences.vertex_count())?;
        mesh.uv_sets
            .iter()
            .try_for_each(|set| attribute("texture coordinates", set.len()))?;
        mesh.color_sets
            .iter()
            .try_for_each(|set| attribute("colours", set.len()))?;
        if let Blending::Mixed(shares) = &mesh.blending {
            attribute("shares of dual quaternions", shares.len())?;
        }
        let lists = |target: &MorphTarget| {
            attribute("morph positions", target.positions.len())?;
            attribute("morph normals", target.normals.len())?;
            attribute("morph tangents", target.tangents.len())
        };
        mesh.morph_targets.iter().try_for_each(lists)?;
        ensure(mesh.influences.is_consistent(), || {
            "its influences overlap".to_owned()
        })?;
        // All at once, because most are valid.
        let corners = mesh.triangles.as_flattened();
        if corners.iter().copied().max() >= u32::try_from(vertices).ok() {
            let mut corners = corners.iter();
            corners.try_for_each(|&corner| in_range("a vertex", corner as usize, vertices))?;
        }
        mesh.material.map_or(Ok(()), |material| {
            in_range("a material", material.index(), self.materials.len())
        })
    }

    fn check_skin(&self, skin: &Skin) -> Result<(), String> {
        let (joints, matrices) = (skin.joints.len(), skin.inverse_bind_matrices.len());
        ensure(joints == matrices, || {
            format!("{matrices} matrices for {joints} joints")
        })?;
        let known = |joint: &super::NodeId| in_range("a joint", joint.index(), self.skeleton.len());
        skin.joints.iter().try_for_each(known)
    }

    fn check_instance(&self, instance: &MeshInstance) -> Result<(), String> {
        in_range("a joint", instance.node.index(), self.skeleton.len())?;
        in_range("a mesh", instance.mesh.index(), self.meshes.len())?;
        let mesh = self.mesh_of(instance);
        let (weights, targets) = (instance.morph_weights.len(), mesh.morph_targets.len());
        ensure(weights == targets, || {
            format!("{weights} morph weights for {targets} targets")
        })?;
        let Some(skin) = instance.skin else {
            return Ok(());
        };
        in_range("a skin", skin.index(), self.skins.len())?;
        let slots = self.skins[skin.index()].joints.len();
        let used = mesh
            .influences
            .all()
            .iter()
            .map(|influence| influence.slot.index());
        used.max()
            .map_or(Ok(()), |largest| in_range("a palette slot", largest, slots))
    }

    fn check_clip(&self, clip: &Clip) -> Result<(), String> {
        ensure(clip.start.0.is_finite() && clip.end.0.is_finite(), || {
            "its range is not finite".to_owned()
        })?;
        ensure(clip.start <= clip.end, || {
            "it ends before it starts".to_owned()
        })?;
        for channel in &clip.channels {
            in_range("a joint", channel.node.index(), self.skeleton.len())?;
            let by_parts = channel.translation.is_some()
                || channel.rotation.is_some()
                || channel.scale.is_some();
            ensure(!by_parts || channel.matrix.is_none(), || {
                "a channel has tracks of a matrix and of its parts".to_owned()
            })?;
        }
        for channel in &clip.morph_channels {
            in_range("a joint", channel.node.index(), self.skeleton.len())?;
        }
        for channel in &clip.expression_channels {
            let expressions = self.expressions.len();
            in_range("an expression", channel.expression.index(), expressions)?;
        }
        for channel in &clip.visibility_channels {
            in_range("a node", channel.node.index(), self.skeleton.len())?;
        }
        clip.tracks().try_for_each(check_track)
    }
}

fn check_track(track: &dyn Keyed) -> Result<(), String> {
    ensure(track.count() > 0, || "a track has no key".to_owned())?;
    let finite = track.times().all(f64::is_finite);
    ensure(finite, || "a key's time is not finite".to_owned())?;
    ensure(track.times().is_sorted(), || {
        "a track's keys are not in order of time".to_owned()
    })
}

fn each<T>(kind: &str, items: &[T], check: impl Fn(&T) -> Result<(), String>) -> Check {
    items.iter().enumerate().try_for_each(|(index, item)| {
        check(item).map_err(|what| AssetError {
            location: format!("{kind} {index}"),
            what,
        })
    })
}

fn in_range(what: &str, index: usize, len: usize) -> Result<(), String> {
    ensure(index < len, || {
        format!("it names {what} with index {index}, but there are {len}")
    })
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}
