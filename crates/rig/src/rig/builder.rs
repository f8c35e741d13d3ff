//! Assets made in code instead of read from a file.

use glam::{DMat4, Quat, Vec3};

use super::{
    Asset, AssetError, Channel, Clip, ClipId, Evidence, Format, Influence, Influences,
    LocalTransform, Mesh, MeshId, MeshInstance, Node, NodeId, Origins, Reader, ReaderCode,
    Skeleton, Skin, SkinId, SkinSlot, Track, Trs,
};
use crate::units::{Seconds, Space};

/// Builds an [`Asset`] node by node, for tests and for tools with a rig in memory. The space is +Y up, in metres.
///
/// An id is valid only in its own builder.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig, skinning, units}; }
/// use skincheck::glam::{Quat, Vec3};
/// use skincheck::rig::{AssetBuilder, Mesh, SkinningOptions, Trs};
/// use skincheck::{pose, skinning, units::Seconds};
///
/// let mut rig = AssetBuilder::new();
/// let hip = rig.node("hip", None, Trs::IDENTITY);
/// let knee = rig.node("knee", Some(hip), Trs { translation: Vec3::Y, ..Trs::IDENTITY });
/// let leg = rig.mesh(Mesh {
///     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
///     triangles: vec![[0, 1, 2]],
///     ..Mesh::default()
/// });
/// rig.skin(leg, [vec![(hip, 1.0)], vec![(hip, 1.0)], vec![(hip, 0.5), (knee, 0.5)]]);
/// let kick = rig.clip("kick");
/// let quarter = Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt());
/// rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, quarter)]);
/// let asset = rig.build()?;
///
/// let local = pose::sample(&asset, &asset.clips[0], Seconds(1.0))?;
/// let posed = skinning::deform(&asset, &pose::model_pose(&asset, &local), &SkinningOptions::default())?;
/// assert!(posed[0].positions[2].abs_diff_eq(Vec3::new(-0.5, 1.5, 0.0), 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct AssetBuilder {
    joints: Vec<Node>,
    meshes: Vec<Mesh>,
    skins: Vec<Skin>,
    instances: Vec<MeshInstance>,
    clips: Vec<Clip>,
}

impl AssetBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node below `parent`, or a root. [Skins](Self::skin) bind all nodes.
    ///
    /// * `rest` – `parent_from_node` where no clip drives it.
    ///
    /// # Panics
    ///
    /// If this builder has no node `parent`.
    pub fn node(&mut self, name: &str, parent: Option<NodeId>, rest: Trs) -> NodeId {
        assert!(
            parent.is_none_or(|parent| parent.index() < self.joints.len()),
            "the parent of node {name:?} is not a node of this builder"
        );
        self.joints.push(Node {
            name: name.to_owned(),
            parent,
            rest: LocalTransform::Trs(rest),
        });
        NodeId::from_index(self.joints.len() - 1)
    }

    /// Adds a geometry. [Attach](Self::attach) or [skin](Self::skin) it to use it.
    pub fn mesh(&mut self, mesh: Mesh) -> MeshId {
        self.meshes.push(mesh);
        MeshId::from_index(self.meshes.len() - 1)
    }

    /// Attaches `mesh` rigidly to `joint`; its positions are in the joint's space.
    pub fn attach(&mut self, mesh: MeshId, joint: NodeId) {
        self.instances.push(MeshInstance::rigid(joint, mesh));
    }

    /// Binds `mesh` to the joints in their rest pose; its positions are in world space there.
    ///
    /// * `weights` – joints and their weights, one list per vertex.
    ///
    /// # Panics
    ///
    /// If this builder has no such mesh, or no joints.
    pub fn skin<V: IntoIterator<Item = (NodeId, f32)>>(
        &mut self,
        mesh: MeshId,
        weights: impl IntoIterator<Item = V>,
    ) {
        let influence = |(joint, weight): (NodeId, f32)| Influence::new(SkinSlot(joint.0), weight);
        let vertices = weights
            .into_iter()
            .map(|vertex| vertex.into_iter().map(influence).collect::<Vec<_>>());
        self.meshes[mesh.index()].influences = Influences::from_vertices(vertices);
        assert!(!self.joints.is_empty(), "a skin needs joints");
        self.instances.push(MeshInstance::skinned(
            NodeId(0),
            mesh,
            SkinId::from_index(self.skins.len()),
        ));
        let binds = self.rest_worlds().into_iter().map(|world| world.inverse());
        self.skins.push(Skin {
            name: self.meshes[mesh.index()].name.clone(),
            joints: (0..self.joints.len()).map(NodeId::from_index).collect(),
            inverse_bind_matrices: binds.map(|bind| bind.as_mat4()).collect(),
        });
    }

    /// `world_from_joint` of each joint at rest.
    fn rest_worlds(&self) -> Vec<DMat4> {
        let mut worlds: Vec<DMat4> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let local = joint.rest.to_matrix().as_dmat4();
            let parent = joint.parent.map(|parent| worlds[parent.index()]);
            worlds.push(parent.map_or(local, |parent| parent * local));
        }
        worlds
    }

    /// Adds a clip that starts at 0 and ends with its last key.
    pub fn clip(&mut self, name: &str) -> ClipId {
        self.clips.push(Clip::new(name, Seconds::ZERO));
        ClipId::from_index(self.clips.len() - 1)
    }

    /// Drives the translation of `joint` in its parent's space, linearly between `keys` of seconds and values.
    ///
    /// # Panics
    ///
    /// If this builder has no such clip.
    pub fn translate(
        &mut self,
        clip: ClipId,
        joint: NodeId,
        keys: impl IntoIterator<Item = (f64, Vec3)>,
    ) {
        let track = self.track(clip, keys);
        self.channel(clip, joint).translation = Some(track);
    }

    /// Drives the rotation of `joint` along the shortest arcs between `keys` of seconds and unit quaternions.
    ///
    /// # Panics
    ///
    /// If this builder has no such clip.
    pub fn rotate(
        &mut self,
        clip: ClipId,
        joint: NodeId,
        keys: impl IntoIterator<Item = (f64, Quat)>,
    ) {
        let track = self.track(clip, keys);
        self.channel(clip, joint).rotation = Some(track);
    }

    /// Drives the scale of `joint`, linearly between `keys` of seconds and factors per axis.
    ///
    /// # Panics
    ///
    /// If this builder has no such clip.
    pub fn scale(
        &mut self,
        clip: ClipId,
        joint: NodeId,
        keys: impl IntoIterator<Item = (f64, Vec3)>,
    ) {
        let track = self.track(clip, keys);
        self.channel(clip, joint).scale = Some(track);
    }

    fn track<T>(&mut self, clip: ClipId, keys: impl IntoIterator<Item = (f64, T)>) -> Track<T> {
        let track = Track::linear(keys);
        let clip = &mut self.clips[clip.index()];
        if let Some(last) = track.keys.last() {
            clip.end = Seconds(clip.end.0.max(last.time.0));
        }
        track
    }

    fn channel(&mut self, clip: ClipId, joint: NodeId) -> &mut Channel {
        let channels = &mut self.clips[clip.index()].channels;
        let index = channels
            .iter()
            .position(|channel| channel.node == joint)
            .unwrap_or_else(|| {
                channels.push(Channel::of(joint));
                channels.len() - 1
            });
        &mut channels[index]
    }

    /// The asset.
    ///
    /// # Errors
    ///
    /// [`AssetError`] if an index of a mesh is out of range, the length of a list does not match the number of
    /// vertices, or keys are missing or out of order.
    ///
    /// # Panics
    ///
    /// Never: each parent was added before its child.
    pub fn build(self) -> Result<Asset, AssetError> {
        let skeleton = Skeleton::new(self.joints).expect("each parent was added before its child");
        let asset = Asset {
            meshes: self.meshes,
            skins: self.skins,
            instances: self.instances,
            clips: self.clips,
            ..Asset::of(skeleton)
        };
        asset.validate()?;
        Ok(asset)
    }
}

/// The leg of the examples: a hip, and a knee at (0, 1, 0), which the corner of the mesh at (0, 2, 0) follows. In the clip
/// `kick` it makes half a turn about z within a second.
///
/// # Panics
///
/// Never: its parts match.
#[must_use]
#[doc(hidden)]
pub fn leg() -> Asset {
    let mut rig = AssetBuilder::new();
    let hip = rig.node("hip", None, Trs::IDENTITY);
    let above = Trs {
        translation: Vec3::Y,
        ..Trs::IDENTITY
    };
    let knee = rig.node("knee", Some(hip), above);
    let leg = rig.mesh(Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(leg, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
    let kick = rig.clip("kick");
    let half_turn = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, half_turn)]);
    rig.build().expect("its parts match")
}

impl Asset {
    /// An asset with only `skeleton`, +Y up and in metres.
    #[must_use]
    pub fn of(skeleton: Skeleton) -> Self {
        Self {
            format: Format::Memory,
            reader: Reader::own(ReaderCode::Skincheck, ""),
            space: Space::Y_UP_METRES,
            stated_space: None,
            skeleton,
            meshes: Vec::new(),
            skins: Vec::new(),
            instances: Vec::new(),
            hidden_nodes: Vec::new(),
            hidden_instances: Vec::new(),
            clips: Vec::new(),
            materials: Vec::new(),
            variants: Vec::new(),
            expressions: Vec::new(),
            constraints: Vec::new(),
            humanoid: None,
            images: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
            evidence: Evidence::default(),
            origins: Origins::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inconsistent_parts_are_an_error() {
        let triangle = || Mesh {
            positions: vec![Vec3::ZERO],
            triangles: vec![[0, 0, 7]],
            ..Mesh::default()
        };
        let mut rig = AssetBuilder::new();
        rig.mesh(triangle());
        assert_eq!(rig.build().unwrap_err().location, "mesh 0");

        let mut rig = AssetBuilder::new();
        let joint = rig.node("a", None, Trs::IDENTITY);
        let clip = rig.clip("turn");
        rig.rotate(clip, joint, []);
        assert_eq!(rig.build().unwrap_err().location, "clip 0");

        let mut rig = AssetBuilder::new();
        let joint = rig.node("a", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO; 2],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(joint, 1.0)]]);
        assert_eq!(rig.build().unwrap_err().location, "mesh 0");
    }
}
