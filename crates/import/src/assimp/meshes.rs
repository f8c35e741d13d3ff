//! Vertices, triangles and morph targets, the nodes that show them, and bones with inverse bind matrices and weights.

use glam::{Vec2, Vec3, Vec4};
use russimp::sys::{aiAnimMesh, aiBone, aiColor4D, aiMesh, aiScene, aiVector3D, aiVertexWeight};

use super::format;
use super::nodes::Nodes;
use super::raw::{self, Raw, mat4, vec3, vec3s};
use crate::log::Notes;
use crate::rig::{
    Format, Influences, MaterialId, Mesh, MeshId, MeshInstance, MorphTarget, NodeId, SkinId,
};
use crate::source::{Skin, SkinJoint};
use crate::units::amount;
use crate::vertices::{weights_per_vertex, weld};

/// A mesh and what deforms it.
pub(super) struct BoundMesh {
    /// The mesh, with its influences.
    pub(super) mesh: Mesh,
    /// `None` for a mesh without bones.
    pub(super) skin: Option<SkinId>,
}

/// Reads all meshes with their influences; their skins are added to `skins`.
pub(super) fn read_all(
    scene: Raw<'_, aiScene>,
    format: Format,
    materials: usize,
    hierarchy: &Nodes<'_>,
    skins: &mut Skins,
    notes: &mut Notes,
) -> Vec<BoundMesh> {
    let bound = |raw: Option<Raw<'_, aiMesh>>| {
        let Some(raw) = raw else {
            return BoundMesh {
                mesh: Mesh::default(),
                skin: None,
            };
        };
        let mut mesh = read(raw, format::vertex_colors(format), materials, notes);
        let binding = skins.bind(raw, hierarchy, notes);
        mesh.influences = binding.influences;
        if !format::keeps_vertices(format) {
            weld(&mut mesh);
        }
        BoundMesh {
            mesh,
            skin: binding.skin,
        }
    };
    scene.meshes().map(bound).collect()
}

/// Reads `mesh` without its influences.
///
/// * `linear` – converts the file's vertex colours to linear light; `None` to omit them.
/// * `materials` – how many there are.
fn read(
    mesh: Raw<'_, aiMesh>,
    linear: Option<fn(Vec4) -> Vec4>,
    materials: usize,
    notes: &mut Notes,
) -> Mesh {
    let name = raw::text_of(&mesh.mName);
    let location = format!("mesh {name:?}");
    let material = mesh.mMaterialIndex as usize;
    Mesh {
        positions: vec3s(mesh.vertices()),
        normals: vec3s(mesh.normals()),
        tangents: tangents(mesh, mesh.tangents()),
        bitangents: tangents(mesh, mesh.bitangents()),
        uv_sets: used(mesh.texture_coordinates())
            .map(|set| set.iter().map(uv).collect())
            .collect(),
        color_sets: linear.map_or_else(Vec::new, |linear| {
            let of_set = |set: &[aiColor4D]| set.iter().map(|color| linear(rgba(color))).collect();
            used(mesh.colors()).map(of_set).collect()
        }),
        triangles: triangles(mesh, &location, notes),
        morph_targets: read_morphs(mesh, &location, notes),
        material: (material < materials).then(|| MaterialId::from_index(material)),
        name,
        ..Mesh::default()
    }
}

/// The sets up to the last one with data. Materials refer to sets by index, so a gap stays, as an empty set.
fn used<'a, T: 'a>(sets: impl Iterator<Item = &'a [T]>) -> impl Iterator<Item = &'a [T]> {
    let mut sets: Vec<&[T]> = sets.collect();
    while sets.last().is_some_and(|set| set.is_empty()) {
        sets.pop();
    }
    sets.into_iter()
}

/// The tangents, or the bitangents: `list`, if the mesh has both.
fn tangents(mesh: Raw<'_, aiMesh>, list: &[aiVector3D]) -> Vec<glam::Vec3> {
    if mesh.tangents().len() == mesh.bitangents().len() {
        vec3s(list)
    } else {
        Vec::new()
    }
}

/// In assimp, v grows upwards; in an asset, downwards.
fn uv(v: &aiVector3D) -> Vec2 {
    Vec2::new(v.x, 1.0 - v.y)
}

fn rgba(color: &aiColor4D) -> Vec4 {
    Vec4::new(color.r, color.g, color.b, color.a)
}

fn triangles(mesh: Raw<'_, aiMesh>, location: &str, notes: &mut Notes) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(mesh.mNumFaces as usize);
    let (mut flat, mut large, mut broken) = (0_usize, 0_usize, 0_usize);
    for face in mesh.faces() {
        match *face.indices() {
            [a, b, c] if [a, b, c].iter().all(|corner| *corner < mesh.mNumVertices) => {
                triangles.push([a, b, c]);
            }
            [_, _, _] => broken += 1,
            [] | [_] | [_, _] => flat += 1,
            _ => large += 1,
        }
    }
    let mut note = |count: usize, which: &str| {
        if count > 0 {
            notes.add(
                location,
                format!("skipped {} {which}", amount(count, "face")),
            );
        }
    };
    note(flat, "of one or two corners");
    note(large, "that could not be triangulated");
    note(broken, "with vertices that do not exist");
    triangles
}

/// The targets of `mesh`. One that does not fit the mesh stays, without effect, so that the indices of the others do not
/// change.
pub(super) fn read_morphs(
    mesh: Raw<'_, aiMesh>,
    location: &str,
    notes: &mut Notes,
) -> Vec<MorphTarget> {
    let targets = mesh.morph_targets().enumerate();
    targets
        .map(|(index, target)| match target {
            Some(target) if target.mNumVertices == mesh.mNumVertices => offsets(mesh, target),
            odd => {
                let message = "has no effect, because its vertex count differs from its mesh's";
                notes.add(location, format!("morph target {index} {message}"));
                MorphTarget {
                    name: odd.map(|odd| raw::text_of(&odd.mName)).unwrap_or_default(),
                    ..MorphTarget::default()
                }
            }
        })
        .collect()
}

/// The weights of the targets of `mesh` where no clip drives them.
pub(super) fn rest_weights(mesh: Raw<'_, aiMesh>) -> Vec<f32> {
    let targets = mesh.morph_targets();
    targets
        .map(|target| target.map_or(0.0, |target| target.mWeight))
        .collect()
}

fn offsets(mesh: Raw<'_, aiMesh>, target: Raw<'_, aiAnimMesh>) -> MorphTarget {
    MorphTarget {
        name: raw::text_of(&target.mName),
        positions: differences(target.vertices(), mesh.vertices()),
        normals: differences(target.normals(), mesh.normals()),
        tangents: differences(target.tangents(), mesh.tangents()),
    }
}

/// `target - base`; empty if either is missing or nothing differs.
fn differences(target: &[aiVector3D], base: &[aiVector3D]) -> Vec<Vec3> {
    if target.len() != base.len() {
        return Vec::new();
    }
    let pairs = target.iter().zip(base);
    let offsets: Vec<Vec3> = pairs.map(|(&t, &b)| vec3(t) - vec3(b)).collect();
    if offsets.iter().all(|&offset| offset == Vec3::ZERO) {
        return Vec::new();
    }
    offsets
}

/// One instance for each mesh of each node, in the order of the nodes.
///
/// * `meshes` – the meshes of `scene`, in its order.
pub(super) fn read_instances(
    scene: Raw<'_, aiScene>,
    hierarchy: &Nodes<'_>,
    meshes: &[BoundMesh],
    notes: &mut Notes,
) -> Vec<MeshInstance> {
    let weights: Vec<Vec<f32>> = scene
        .meshes()
        .map(|raw| raw.map(rest_weights).unwrap_or_default())
        .collect();
    let mut instances = Vec::new();
    for (index, meshes_of_joint) in hierarchy.meshes.iter().enumerate() {
        for &mesh in *meshes_of_joint {
            let mesh = mesh as usize;
            let Some(bound) = meshes.get(mesh) else {
                let name = &hierarchy.joints[index].name;
                notes.add(format!("joint {name:?}"), "has a mesh that does not exist");
                continue;
            };
            if bound.mesh.triangles.is_empty() {
                continue;
            }
            instances.push(MeshInstance {
                node: NodeId::from_index(index),
                mesh: MeshId::from_index(mesh),
                skin: bound.skin,
                morph_weights: weights[mesh].clone(),
            });
        }
    }
    instances
}

/// The skins of a scene, without duplicates.
#[derive(Default)]
pub(super) struct Skins(Vec<Skin>);

/// The skin of one mesh.
pub(super) struct Binding {
    /// `None` for a mesh without bones.
    pub(super) skin: Option<SkinId>,
    /// One list per vertex, or none at all.
    pub(super) influences: Influences,
}

impl Skins {
    /// Reads the bones of `mesh`.
    pub(super) fn bind(
        &mut self,
        mesh: Raw<'_, aiMesh>,
        hierarchy: &Nodes<'_>,
        notes: &mut Notes,
    ) -> Binding {
        let location = format!("mesh {:?}", raw::text_of(&mesh.mName));
        let bones = distinct(mesh);
        if bones.is_empty() {
            return Binding {
                skin: None,
                influences: Influences::default(),
            };
        }
        let joint = |&bone: &Raw<'_, aiBone>| SkinJoint {
            name: raw::text_of(&bone.mName),
            node: joint_of(bone, hierarchy, notes).map(NodeId::index),
        };
        let skin = Skin {
            joints: bones.iter().map(joint).collect(),
            inverse_binds: Some(bones.iter().map(|bone| mat4(&bone.mOffsetMatrix)).collect()),
            ..Skin::default()
        };
        let weights = bones.iter().map(|bone| {
            let weights = weights(*bone).iter();
            weights.map(|weight| (weight.mVertexId, weight.mWeight))
        });
        Binding {
            skin: Some(self.add(skin)),
            influences: weights_per_vertex(mesh.mNumVertices as usize, weights, &location, notes),
        }
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Skin> {
        self.0
    }

    fn add(&mut self, skin: Skin) -> SkinId {
        let known = self.0.iter().position(|known| is_same(known, &skin));
        SkinId::from_index(known.unwrap_or_else(|| {
            self.0.push(skin);
            self.0.len() - 1
        }))
    }
}

/// Compares bit by bit, so that NaN equals itself.
fn is_same(a: &Skin, b: &Skin) -> bool {
    let bits = |skin: &Skin| -> Vec<u32> {
        let matrices = skin.inverse_binds.iter().flatten();
        matrices
            .flat_map(glam::Mat4::to_cols_array)
            .map(f32::to_bits)
            .collect()
    };
    a.joints == b.joints && bits(a) == bits(b)
}

/// The bones of `mesh`, each node once. assimp's FBX importer lists a bone twice if two clusters name one node.
fn distinct(mesh: Raw<'_, aiMesh>) -> Vec<Raw<'_, aiBone>> {
    let mut seen = std::collections::HashSet::new();
    let bones = mesh.bones().flatten();
    bones.filter(|bone| seen.insert(bone.address())).collect()
}

/// The node that assimp found, else the first of the bone's name.
///
/// assimp also searches by name, but takes the next of several nodes with one name each time.
fn joint_of(bone: Raw<'_, aiBone>, hierarchy: &Nodes<'_>, notes: &mut Notes) -> Option<NodeId> {
    let name = raw::bytes_of(&bone.mName);
    let named = hierarchy.named(&name);
    if named.len() > 1 {
        let (count, name) = (named.len(), raw::decode(&name));
        let message = format!("{count} nodes have that name, and a bone cannot say which it means");
        notes.add(format!("joint {name:?}"), message);
    }
    match *named {
        [only] => Some(only),
        _ => hierarchy.at(bone.mNode).or(named.first().copied()),
    }
}

/// The weights of `bone`. assimp's glTF importer gives a bone without weights one of 0 on the first vertex, which the file
/// does not have.
fn weights(bone: Raw<'_, aiBone>) -> &[aiVertexWeight] {
    match bone.weights() {
        [only] if only.mVertexId == 0 && only.mWeight == 0.0 => &[],
        weights => weights,
    }
}
