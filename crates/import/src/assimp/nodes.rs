//! The hierarchy, of which every node becomes a joint; FBX's geometric transforms; axes and units.

use std::collections::HashMap;

use glam::{Mat4, Vec3};
use russimp::sys::{aiMesh, aiNode, aiScene};

use super::raw::{self, Raw, mat4};
use crate::ImporterError;
use crate::axes::{self, Axes};
use crate::log::Notes;
use crate::rig::{Format, LocalTransform, Node, NodeId, Trs};
use crate::units::{SignedAxis, Space};

/// The nodes of a scene, parents first, and how to find them.
#[derive(Default)]
pub(super) struct Nodes<'a> {
    /// One per node.
    pub(super) joints: Vec<Node>,
    /// The meshes that each joint holds, by their numbers in the scene.
    pub(super) meshes: Vec<&'a [u32]>,
    by_address: HashMap<*const aiNode, NodeId>,
    by_name: HashMap<Vec<u8>, Vec<NodeId>>,
    mesh_names: Vec<Vec<u8>>,
}

impl<'a> Nodes<'a> {
    /// Reads the hierarchy depth first, which is the order in which assimp searches for a name. The traversal is not
    /// recursive, because a file may be nested to any depth.
    ///
    /// # Errors
    ///
    /// [`ImporterError::NoScene`] if there is no root.
    pub(super) fn read(scene: Raw<'a, aiScene>) -> Result<Self, ImporterError> {
        let name = |mesh: Option<Raw<'_, aiMesh>>| mesh.map(|mesh| raw::bytes_of(&mesh.mName));
        let mut nodes = Self {
            mesh_names: scene
                .meshes()
                .map(|mesh| name(mesh).unwrap_or_default())
                .collect(),
            ..Self::default()
        };
        let mut pending = vec![(scene.root().ok_or(ImporterError::NoScene)?, None)];
        while let Some((node, parent)) = pending.pop() {
            let Some((id, last)) = nodes.add(node, parent) else {
                continue;
            };
            let children = last.children().rev().flatten();
            pending.extend(children.map(|child| (child, Some(id))));
        }
        Ok(nodes)
    }

    /// Adds `node`, and returns its joint and the node whose children are the joint's.
    ///
    /// `None` for a node that was added before, so that a cyclic hierarchy ends.
    fn add(
        &mut self,
        node: Raw<'a, aiNode>,
        parent: Option<NodeId>,
    ) -> Option<(NodeId, Raw<'a, aiNode>)> {
        if self.by_address.contains_key(&node.address()) {
            return None;
        }
        let Some(geometric) = Geometric::of(node) else {
            let id = self.push(
                node,
                parent,
                mat4(&node.mTransformation),
                node.mesh_indices(),
            );
            return Some((id, node));
        };
        let id = self.push(geometric.model, parent, Mat4::IDENTITY, &[]);
        self.joints.push(Node {
            name: raw::text_of(&node.mName),
            parent: Some(id),
            rest: LocalTransform::Matrix(geometric.model_from_geometry),
        });
        self.meshes.push(geometric.model.mesh_indices());
        Some((id, geometric.last))
    }

    /// Makes all nodes rotations and translations. assimp makes matrices of quaternions that M3D stores in as few as 8 bits, without
    /// normalizing them first.
    pub(super) fn make_rigid(&mut self) {
        for joint in &mut self.joints {
            let trs = joint.rest.to_trs();
            joint.rest = LocalTransform::Trs(Trs {
                scale: Vec3::ONE,
                ..trs
            });
        }
    }

    fn push(
        &mut self,
        node: Raw<'a, aiNode>,
        parent: Option<NodeId>,
        rest: Mat4,
        meshes: &'a [u32],
    ) -> NodeId {
        let id = NodeId::from_index(self.joints.len());
        let name = raw::bytes_of(&node.mName);
        self.joints.push(Node {
            name: raw::decode(&name),
            parent,
            rest: LocalTransform::Matrix(rest),
        });
        self.meshes.push(meshes);
        self.by_address.insert(node.address(), id);
        self.by_name.entry(name).or_default().push(id);
        id
    }

    /// The joint of the node at `address`.
    pub(super) fn at(&self, address: *const aiNode) -> Option<NodeId> {
        self.by_address.get(&address).copied()
    }

    /// All joints of that name, the one that assimp itself would find first.
    pub(super) fn named(&self, name: &[u8]) -> &[NodeId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The joints that hold a mesh of that name, in order.
    pub(super) fn with_mesh_named(&self, name: &[u8]) -> Vec<NodeId> {
        let called = |&mesh: &u32| {
            let known = self.mesh_names.get(mesh as usize);
            known.is_some_and(|known| known == name)
        };
        let ids = (0..self.meshes.len()).map(NodeId::from_index);
        ids.zip(&self.meshes)
            .filter(|(_, meshes)| meshes.iter().any(called))
            .map(|(id, _)| id)
            .collect()
    }
}

const TAG: &[u8] = b"_$AssimpFbx$_Geometric";
const INVERSE: &[u8] = b"Inverse";

/// A chain of nodes that assimp made from a geometric transform.
pub(super) struct Geometric<'a> {
    /// X.
    pub(super) model: Raw<'a, aiNode>,
    /// The geometric transform.
    model_from_geometry: Mat4,
    /// The node whose children belong to X.
    pub(super) last: Raw<'a, aiNode>,
}

impl<'a> Geometric<'a> {
    /// The chain that starts at `first`, if there is one.
    pub(super) fn of(first: Raw<'a, aiNode>) -> Option<Self> {
        let mut node = first;
        let mut model_from_geometry = Mat4::IDENTITY;
        while is_geometric(node) {
            model_from_geometry *= mat4(&node.mTransformation);
            node = only_child(node)?;
        }
        if node.address() == first.address() {
            return None;
        }
        model_from_geometry *= mat4(&node.mTransformation);
        let mut last = node;
        while let Some(next) = only_child(last).filter(|next| is_inverse(*next)) {
            last = next;
        }
        Some(Self {
            model: node,
            model_from_geometry,
            last,
        })
    }
}

fn only_child(node: Raw<'_, aiNode>) -> Option<Raw<'_, aiNode>> {
    let mut children = node.children();
    match (children.next(), children.next()) {
        (Some(child), None) => child,
        _ => None,
    }
}

fn is_geometric(node: Raw<'_, aiNode>) -> bool {
    is_tagged(node) && !raw::bytes_of(&node.mName).ends_with(INVERSE)
}

fn is_inverse(node: Raw<'_, aiNode>) -> bool {
    is_tagged(node) && raw::bytes_of(&node.mName).ends_with(INVERSE)
}

fn is_tagged(node: Raw<'_, aiNode>) -> bool {
    let name = raw::bytes_of(&node.mName);
    name.windows(TAG.len()).any(|part| part == TAG)
}

/// Metres per centimetre: FBX counts its unit in centimetres.
const METRES_PER_CENTIMETRE: f64 = 0.01;

/// The space of the data that assimp delivers.
///
/// FBX stays in the file's axes and unit. COLLADA arrives with its up axis and unit applied at the root. Models of
/// Quake, Doom and Half-Life face +X with +Z up; assimp rotates +Z to +Y in all of them but SMD (`MDLLoader.cpp`,
/// `MD5Loader.cpp`, `InternReadFile`). Models of Blitz3D face +Z of its left-handed space ("Z+ is forward", Blitz3D manual,
/// `EntityX`), which assimp mirrors to -Z (`B3DImporter.cpp`, `ReadBB3D`). The other formats have +Y up, or are mirrored to it.
pub(super) fn space_of(scene: Raw<'_, aiScene>, format: Format, notes: &mut Notes) -> Space {
    match format {
        Format::Gltf | Format::Collada => Space::Y_UP_METRES,
        Format::Fbx { .. } => fbx(scene, notes),
        Format::Mdl | Format::Md5 => Space {
            front: SignedAxis::PlusX,
            ..Space::Y_UP
        },
        Format::Blitz => Space {
            front: SignedAxis::MinusZ,
            ..Space::Y_UP
        },
        Format::Smd => Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::PlusX,
            metres_per_unit: None,
        },
        Format::Iqm
        | Format::Bvh
        | Format::MilkShape
        | Format::Model3d
        | Format::DirectX
        | Format::Wavefront
        | Format::Ogre
        | Format::Other
        | Format::Memory => Space::Y_UP,
    }
}

/// The `GlobalSettings` of an FBX file.
fn fbx(scene: Raw<'_, aiScene>, notes: &mut Notes) -> Space {
    let entry = |name: &str| scene.metadata()?.entry(name);
    let integer = |name: &str| entry(name)?.integer();
    let axis = |name: &str| {
        let sign = integer(&format!("{name}Sign")).unwrap_or(1);
        SignedAxis::from_index(integer(name)?, sign)
    };
    let axes = Axes {
        up: axis("UpAxis"),
        front: axis("FrontAxis"),
        side: axis("CoordAxis"),
    };
    let centimetres = entry("UnitScaleFactor").and_then(Raw::number);
    let metres = centimetres.map(|unit| unit * METRES_PER_CENTIMETRE);
    axes::stated(axes, metres, notes)
}
