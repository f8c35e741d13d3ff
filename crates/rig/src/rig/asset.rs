//! The resolved asset, its skins, and the origins of its parts in its file.

use std::ops::Index;
use std::path::PathBuf;

use glam::Mat4;
use serde::{Deserialize, Serialize};

use super::{
    ChannelId, Clip, ClipId, Constraint, Evidence, Expression, ExpressionId, Format, Humanoid, Ids,
    Image, ImageId, InstanceId, Location, Material, MaterialId, Mesh, MeshId, NodeId, PrimitiveId,
    Reader, Skeleton, SkinId, SkinSlot, SourceFile,
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
    /// The file's stated space, if the importer converted it (COLLADA) or the format states one.
    pub stated_space: Option<Space>,
    /// Every node of the file.
    pub skeleton: Skeleton,
    /// Geometries. Each is listed once, even if several instances use it.
    pub meshes: Vec<Mesh>,
    /// Bindings of meshes to joints.
    pub skins: Vec<Skin>,
    /// Uses of meshes.
    pub instances: Vec<MeshInstance>,
    /// Nodes that are hidden at rest, with everything below them, and that a clip may show. Meshes that are always
    /// hidden have no instance.
    pub hidden_nodes: Vec<NodeId>,
    /// Instances that no pose shows. Files have none; programs hide them.
    pub hidden_instances: Vec<InstanceId>,
    /// Animations.
    pub clips: Vec<Clip>,
    /// Surfaces.
    pub materials: Vec<Material>,
    /// The names of the material variants; `import::Options::variant` selects one.
    pub variants: Vec<String>,
    /// Facial expressions (VRM).
    pub expressions: Vec<Expression>,
    /// Nodes that follow others (VRM), each after those that it depends on.
    pub constraints: Vec<Constraint>,
    /// The nodes that are a humanoid's bones, if the file states them (VRM).
    pub humanoid: Option<Humanoid>,
    /// Images.
    pub images: Vec<Image>,
    /// The files the model references, such as buffers, materials and images, whether they exist or not, and the
    /// folders searched for them. Importers give them relative to the model's folder, `import::load`
    /// relative to the working directory.
    pub files: Vec<SourceFile>,
    /// What the importer repaired, assumed or skipped.
    pub notes: Vec<Note>,
    /// Defects of the file that the importer repaired.
    pub evidence: Evidence,
    /// The origins of the parts in the file.
    pub origins: Origins,
}

/// One use of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeshInstance {
    /// The mesh's node. It moves the mesh only without a skin.
    pub node: NodeId,
    /// Which geometry.
    pub mesh: MeshId,
    /// Its skin; `None` for a mesh attached rigidly to its node.
    pub skin: Option<SkinId>,
    /// Rest weight of each morph target of the mesh.
    pub morph_weights: Vec<f32>,
}

impl MeshInstance {
    /// A mesh attached rigidly to `node`; its morph targets have no weight.
    #[must_use]
    pub fn rigid(node: NodeId, mesh: MeshId) -> Self {
        Self {
            node,
            mesh,
            skin: None,
            morph_weights: Vec::new(),
        }
    }

    /// A mesh bound to the joints of `skin`.
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
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Note {
    /// The location, for example `clip "Walk"` or `mesh "Body"`.
    #[serde(rename = "place")]
    pub location: String,
    /// The message: one sentence without a full stop.
    pub message: String,
}

impl Asset {
    /// The name of the mesh of `instance`; without one, that of its node.
    #[must_use]
    pub fn mesh_name(&self, instance: &MeshInstance) -> &str {
        let own = self.mesh_of(instance).name.as_str();
        if !own.is_empty() {
            return own;
        }
        let node = self.skeleton.get(instance.node);
        node.map_or("", |node| node.name.as_str())
    }

    /// The location of `ids`, with the names of the file. Other names in findings than these are those of what no id
    /// refers to.
    #[doc(hidden)]
    #[must_use]
    pub fn location(&self, ids: Ids) -> Location {
        let instance = ids.instance.and_then(|id| self.instances.get(id.index()));
        let primitive = || self.origins.primitives.get(instance?.mesh.index()).copied();
        let node = ids.node.and_then(|id| self.skeleton.get(id));
        let skin = ids.skin.and_then(|id| self.skins.get(id.index()));
        let material = ids.material.and_then(|id| self.materials.get(id.index()));
        let clip = ids.clip.and_then(|id| self.clips.get(id.index()));
        Location {
            mesh: instance.map(|own| self.mesh_name(own).to_owned()),
            skin: skin.map(|own| own.name.clone()),
            joint: node.map(|own| own.name.clone()),
            material: material.map(|own| own.name.clone()),
            clip: clip.map(|own| own.name.clone()),
            ids: Ids {
                primitive: ids.primitive.or_else(primitive),
                ..ids
            },
            ..Location::FILE
        }
    }

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
        self.drawn_triangles() > 0
    }

    /// The number of triangles of all instances.
    #[doc(hidden)]
    #[must_use]
    pub fn drawn_triangles(&self) -> usize {
        let instances = self.instances.iter();
        let counts = instances.map(|instance| self.mesh_of(instance).triangles.len());
        counts.fold(0, usize::saturating_add)
    }

    /// The node that rotates what a node is in the file: itself, or the topmost above it that the importer made of the same
    /// object there, whose scale has a node of its own.
    #[must_use]
    pub fn rotating_node(&self, node: NodeId) -> NodeId {
        let origin = |node: NodeId| {
            let origin = self.origins.nodes.get(node.index());
            origin.filter(|origin| !origin.is_empty())
        };
        let same_above = |node: &NodeId| {
            let parent = self.skeleton.get(*node)?.parent?;
            (origin(parent)? == origin(*node)?).then_some(parent)
        };
        std::iter::successors(Some(node), same_above)
            .last()
            .unwrap_or(node)
    }

    /// For each node of the skeleton, whether a skin binds it.
    #[must_use]
    pub fn bound_joints(&self) -> Vec<bool> {
        let mut bound = vec![false; self.skeleton.len()];
        for joint in self.skins.iter().flat_map(|skin| &skin.joints) {
            bound[joint.index()] = true;
        }
        bound
    }
}

macro_rules! indexed {
    ($($id:ident: $list:ident of $item:ident),+) => {
        $(
            /// # Panics
            ///
            /// If the asset has none with this id; a [valid](Asset::validate) asset's own ids are all there.
            impl Index<$id> for Asset {
                type Output = $item;

                fn index(&self, id: $id) -> &$item {
                    &self.$list[id.index()]
                }
            }
        )+
    };
}

indexed! {
    ClipId: clips of Clip,
    ExpressionId: expressions of Expression,
    ImageId: images of Image,
    InstanceId: instances of MeshInstance,
    MaterialId: materials of Material,
    MeshId: meshes of Mesh,
    SkinId: skins of Skin
}

/// The joints that a mesh is bound to. A [`SkinSlot`] is an index into [`Skin::joints`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// As in the file; may be empty.
    pub name: String,
    /// The node of each joint.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` at bind time, one per joint.
    pub inverse_bind_matrices: Vec<Mat4>,
}

/// The node of a slot.
///
/// # Panics
///
/// If the skin has no such slot.
impl Index<SkinSlot> for Skin {
    type Output = NodeId;

    #[inline]
    fn index(&self, slot: SkinSlot) -> &NodeId {
        &self.joints[slot.index()]
    }
}

/// The origins of the parts of an [`Asset`] in its file: a JSON pointer in glTF, such as `/nodes/3`;
/// class, name and number of an object in FBX, such as `Model::Arm#2067543504`; the id of an element in COLLADA, such
/// as `#Arm`.
///
/// The lists are as long as those of the asset, or empty if the format has no origins for them. An entry is empty if the
/// importer made the part itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The origins of the skeleton's nodes.
    pub nodes: Vec<String>,
    /// The origins of the meshes.
    pub meshes: Vec<String>,
    /// The primitives that the meshes were read from.
    pub primitives: Vec<PrimitiveId>,
    /// The origins of the skins.
    pub skins: Vec<String>,
    /// The origins of the materials.
    pub materials: Vec<String>,
    /// The origins of the clips.
    pub clips: Vec<String>,
    /// The origins of the channels of each clip, where they have one.
    pub channels: Vec<Vec<ChannelOrigin>>,
    /// What codecs made of parts of the file, if it was asked for.
    pub decoded: Vec<Decoded>,
}

/// What a codec made of a part of a glTF file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoded {
    /// The part, such as `bufferViews/3` or `meshes/0/primitives/1/attributes/POSITION`.
    pub part: String,
    /// The type of the numbers, as glTF numbers it; `None` for a view.
    pub component_type: Option<u32>,
    /// The bytes, element after element.
    pub bytes: Vec<u8>,
}

/// The origin of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelOrigin {
    /// The channel.
    pub id: ChannelId,
    /// Such as `/animations/1/channels/7`.
    pub origin: String,
}

impl Origins {
    /// The JSON pointer to a `part` of a glTF document, such as `skins[0].joints[3]`.
    ///
    /// # Reference
    ///
    /// RFC 6901.
    #[must_use]
    pub fn pointer(part: &str) -> String {
        let steps = part
            .split(['.', '['])
            .map(|step| step.trim_end_matches(']'));
        steps.fold(String::new(), |pointer, step| {
            pointer + "/" + &escaped(step)
        })
    }
}

/// `name` as one step of a JSON pointer, or of a path of nodes.
#[must_use]
#[doc(hidden)]
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
